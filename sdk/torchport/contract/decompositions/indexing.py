"""Decompositions of gathers, scatters and fills by index or mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, operand, pair, scalar
from torchport.contract.decompositions.layout import front
from torchport.contract.decompositions.operators import aten


def unsafe_index(self: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """Indexing whose indices are known to be in range."""
    return aten.index.Tensor(self, list(indices))


def unsafe_index_put(
    self: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Scatter whose indices are known to be in range."""
    return aten.index_put.default(self, list(indices), values, accumulate)


def index_select(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """Slices along ``dim`` picked by a vector of positions."""
    if self.dim() == 0:
        return aten.view.default(aten.index.Tensor(aten.unsqueeze.default(self, 0), [_vector(index)]), [])
    at = front(dim, self.dim())
    return aten.index.Tensor(self, [None] * at + [_vector(index)])


def _vector(index: Tensor) -> Tensor:
    return aten.unsqueeze.default(index, 0) if index.dim() == 0 else index


def masked_fill(self: Tensor, mask: Tensor, value: Number | Tensor) -> Tensor:
    """``value`` where the mask is true."""
    return aten.where.self(mask, operand(value, self.dtype, self), self)


def scatter_value(self: Tensor, dim: int, index: Tensor, value: Number) -> Tensor:
    """One value written at every index."""
    source = aten.full.default(list(index.shape), value, dtype=self.dtype, device=self.device)
    return aten.scatter.src(self, dim, index, source)


def scatter_add(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``src`` added at the indices."""
    return aten.scatter_reduce.two(self, dim, index, src, "sum", include_self=True)


def _by_slice(self: Tensor, dim: int, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    if self.dim() == 0:
        wide = aten.unsqueeze.default(self, 0)
        return aten.squeeze.dims(_by_slice(wide, 0, index, aten.view.default(source, [-1]), accumulate), [0])
    at = front(dim, self.dim())
    order = [at, *(d for d in range(self.dim()) if d != at)]
    back = [order.index(d) for d in range(self.dim())]
    moved = aten.permute.default(self, order)
    values = aten.permute.default(source, order)
    return aten.permute.default(aten.index_put.default(moved, [_vector(index)], values, accumulate), back)


def index_add(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """``alpha·source`` added to the slices named by ``index``."""
    scaled = source if alpha == 1 else aten.mul.Tensor(source, scalar(alpha, source.dtype, source))
    return _by_slice(self, dim, index, scaled, True)


def index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Slices named by ``index`` replaced by those of ``source``."""
    return _by_slice(self, dim, index, source, False)


def index_fill(self: Tensor, dim: int, index: Tensor, value: Number | Tensor) -> Tensor:
    """Slices named by ``index`` filled with one value."""
    filled = operand(value, self.dtype, self)
    if self.dim() == 0:
        wide = aten.unsqueeze.default(self, 0)
        return aten.squeeze.dims(aten.index_put.default(wide, [_vector(index)], filled), [0])
    return aten.index_put.default(self, [None] * front(dim, self.dim()) + [_vector(index)], filled)


def bucketize(self: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The bucket of each element among sorted boundaries."""
    return aten.searchsorted.Tensor(boundaries, self, out_int32=out_int32, right=right)


def isin(
    elements: Tensor, test_elements: Tensor, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Whether each element is among the tested ones, by comparing all pairs."""
    tested = aten.view.default(aten.clone.default(test_elements, memory_format=torch.contiguous_format), [-1])
    a, b, _ = pair(aten.unsqueeze.default(elements, -1), tested)
    hits = aten.sum.dim_IntList(aten.eq.Tensor(a, b), [-1], False, dtype=torch.int64)
    zero = scalar(0, torch.int64, elements)
    return aten.eq.Tensor(hits, zero) if invert else aten.ne.Tensor(hits, zero)


def cast_index(index: Tensor) -> Tensor:
    """An index in int64."""
    return convert(index, torch.int64)


def optional(value: Any, default: Any) -> Any:
    """``default`` where the argument was not given."""
    return default if value is None else value
