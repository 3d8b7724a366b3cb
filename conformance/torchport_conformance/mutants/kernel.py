"""One call of a kernel that a fault may be planted in: its arguments, its destinations, and what is right."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from torchport.contract import adapters
from torchport.contract.graph import dtype_name
from torchport.contract.reference import absent, flatten
from torchport.contract.spec import OpSpec

ANY_DTYPE = "any"
"""In place of a dtype: the operator has no tensor operand."""


@dataclass(eq=False)
class Call:
    """A call of one operator.

    ``arguments`` are all arguments by schema name; ``outs`` the destinations that exist, in order, allocated
    by the caller. ``kept`` is memory of the compiled kernel, ``cache`` memory of the whole backend: faults
    that keep too much keep it there.
    """

    spec: OpSpec
    arguments: Mapping[str, Any]
    outs: Sequence[Tensor]
    kept: dict[Any, Any] = field(default_factory=dict)
    cache: dict[Any, Any] = field(default_factory=dict)

    @property
    def dtype(self) -> str:
        """The dtype of the first tensor operand; ``any`` where there is none."""
        first = next(iter(self.tensors()), None)
        return ANY_DTYPE if first is None else dtype_name(first[1].dtype)

    def tensors(self) -> list[tuple[str, Tensor]]:
        """Tensor operands with the argument they belong to; those of lists one by one."""
        found: list[tuple[str, Tensor]] = []
        for name, value in self.arguments.items():
            items = value if isinstance(value, list | tuple) else [value]
            found += [(name, item) for item in items if isinstance(item, Tensor)]
        return found

    def right(self, changed: Mapping[str, Any] | None = None) -> list[Tensor]:
        """PyTorch's results, those that exist, with some arguments changed."""
        arguments = {**self.arguments, **(changed or {})}
        results = flatten(adapters.call(self.spec, arguments))
        tensors = [r for r in results if isinstance(r, Tensor)]
        if len(tensors) == len(self.outs):
            return tensors
        return [
            r
            for i, r in enumerate(results)
            if isinstance(r, Tensor) and not absent(self.spec, self.arguments, i)
        ]

    def write(self, results: Sequence[Tensor]) -> None:
        """Copies results to the destinations."""
        for out, result in zip(self.outs, results, strict=True):
            out.copy_(result)

    def read(self, transform: Callable[[Tensor], Tensor], only: str = "") -> dict[str, Any]:
        """Arguments as a kernel sees them that reads its tensors, or those of ``only``, in its own way."""
        return {
            name: _mapped(value, transform)
            for name, value in self.arguments.items()
            if only in ("", name) and _has_tensor(value)
        }


def _has_tensor(value: Any) -> bool:
    items = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(item, Tensor) for item in items)


def _mapped(value: Any, transform: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, list | tuple):
        return [_mapped(item, transform) for item in value]
    return transform(value) if isinstance(value, Tensor) else value


def reread(tensor: Tensor, strides: Sequence[int], offset: int) -> Tensor:
    """What a kernel reads that walks an operand's memory with these strides from this offset, in elements.

    What lies outside of the operand's storage is zero.
    """
    width = tensor.element_size()
    count = tensor.untyped_storage().nbytes() // width
    needed = offset + 1 + sum((n - 1) * s for n, s in zip(tensor.shape, strides, strict=True) if n)
    whole = torch.zeros(max(count, needed), dtype=tensor.dtype)
    whole[:count] = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage(), 0, (count,), (1,))
    return whole.as_strided(tensor.shape, tuple(strides), offset)


def row_major(tensor: Tensor) -> tuple[int, ...]:
    """Strides of a row-major tensor of the same shape."""
    return tuple(torch.empty(tensor.shape, device="meta").stride())


def write_behind(tensor: Tensor, position: int, width: int = 4) -> None:
    """Overwrites bytes at ``position`` bytes from the end of the tensor's storage; negative from its start.

    The caller vouches for the memory around the storage.
    """
    storage = tensor.untyped_storage()
    start = storage.data_ptr() + (storage.nbytes() + position if position >= 0 else position)
    ctypes.memset(start, 0, width)
