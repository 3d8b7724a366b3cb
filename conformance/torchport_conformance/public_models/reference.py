"""A float64 run of models that compute parts of themselves in float32 on purpose."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_DOUBLES: dict[Any, Callable[..., Any]] = {torch.Tensor.float: torch.Tensor.double}


class _Widened(TorchFunctionMode):
    """Asks for float64 wherever the program asks for float32."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        wide = {name: _wide(value) for name, value in (kwargs or {}).items()}
        return _DOUBLES.get(func, func)(*map(_wide, args), **wide)


def _wide(value: Any) -> Any:
    return torch.float64 if value is torch.float32 else value


@contextlib.contextmanager
def in_float64() -> Iterator[None]:
    """Inside, float32 that a program names or gets by default is float64: normalizations, softmax, rotary
    angles and masks that models always compute in float32 then belong to the reference.
    """
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _Widened():
            yield
    finally:
        torch.set_default_dtype(before)
