"""Decompositions of the copying forms of views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.layout import reshaped
from torchport.contract.decompositions.operators import aten


def fresh(self: Tensor) -> Tensor:
    """The same values in fresh row-major memory."""
    return aten.clone.default(self, memory_format=torch.contiguous_format)


def copied(view: Callable[..., Any]) -> Callable[..., Any]:
    """The decomposition of the copying form of ``view``: the view, or each of the views, cloned."""

    def decomposition(*args: Any, **kwargs: Any) -> Tensor | list[Tensor]:
        shown = view(*args, **kwargs)
        return fresh(shown) if isinstance(shown, Tensor) else [fresh(x) for x in shown]

    return decomposition


def reshape_copy(self: Tensor, size: Sequence[Any]) -> Tensor:
    """The elements in row-major order in another shape."""
    return reshaped(self, size)


def narrow_copy(self: Tensor, dim: int, start: Any, length: Any) -> Tensor:
    """``length`` slices along ``dim`` from ``start``, counted from the end where it is negative."""
    first = start + self.shape[dim] if isinstance(start, int) and start < 0 else start
    return fresh(aten.slice.Tensor(self, dim, first, first + length))


def resize(self: Tensor, size: Sequence[Any], *, memory_format: torch.memory_format | None = None) -> Tensor:
    """The first elements of a row-major operand in another shape; what is beyond them is 0."""
    count: Any = 1
    for n in size:
        count = count * n
    missing = torch.sym_max(count - self.numel(), 0)
    flat = aten.constant_pad_nd.default(reshaped(self, [-1]), [0, missing], 0)
    return aten.view.default(aten.slice.Tensor(flat, 0, 0, count), list(size))


def resize_as(
    self: Tensor, the_template: Tensor, *, memory_format: torch.memory_format | None = None
) -> Tensor:
    """The first elements of a row-major operand in the shape of another tensor."""
    return resize(self, list(the_template.shape))
