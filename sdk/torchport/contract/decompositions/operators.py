"""``aten.NAME.OVERLOAD`` with a type: the operators of PyTorch's ``aten`` namespace as functions that
return a tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

import torch
from torch import Tensor


class Packet(Protocol):
    """An operator with its overloads as attributes."""

    def __getattr__(self, overload: str) -> Callable[..., Tensor]: ...


class Namespace(Protocol):
    """A namespace with its operators as attributes."""

    def __getattr__(self, name: str) -> Packet: ...


aten = cast(Namespace, torch.ops.aten)


def several(call: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """Calls an operator that returns several tensors."""
    return tuple(call(*args, **kwargs))
