"""Decompositions of orderings: sorts, extremes of rank k, the most frequent value, binary search.

Everything rests on the ascending stable sort, in which NaN comes last, and on the binary search for the
first position that is not less.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, isnan, operand, pair, scalar
from torchport.contract.decompositions.indexing import vector
from torchport.contract.decompositions.layout import front, reshaped
from torchport.contract.decompositions.operators import aten, several
from torchport.contract.dtype_rules import promote


def _ascending(self: Tensor, dim: int) -> tuple[Tensor, ...]:
    return several(aten.sort.stable, self, stable=True, dim=dim, descending=False)


def sort_stable(
    self: Tensor, *, stable: bool | None = True, dim: int = -1, descending: bool = False
) -> tuple[Tensor, ...]:
    """Ascending; the descending order is the reversed order of the reversed operand, so ties stay."""
    if self.dim() == 0:
        return aten.clone.default(self), scalar(0, torch.int64, self)
    at = front(dim, self.dim())
    if not descending:
        return _ascending(self, at)
    values, indices = _ascending(aten.flip.default(self, [at]), at)
    last = scalar(self.shape[at] - 1, torch.int64, self)
    return aten.flip.default(values, [at]), aten.sub.Tensor(last, aten.flip.default(indices, [at]))


def sort(self: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, ...]:
    """The stable sort is a sort."""
    return several(aten.sort.stable, self, stable=True, dim=dim, descending=descending)


def topk(
    self: Tensor, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, ...]:
    """The ``k`` largest in descending order; the smallest are the first of the ascending sort."""
    if self.dim() == 0:
        flat = topk(aten.unsqueeze.default(self, 0), k, 0, largest, sorted)
        return aten.view.default(flat[0], []), aten.view.default(flat[1], [])
    if largest:
        return several(aten.topk.default, self, k, dim, True, True)
    return tuple(aten.slice.Tensor(x, front(dim, self.dim()), 0, k) for x in _ascending(self, dim))


def _picked(
    values: Tensor, indices: Tensor, position: Tensor, at: int, keepdim: bool, rank: int
) -> tuple[Tensor, ...]:
    """Value and index at one position along ``at``; the result of a scalar is a scalar."""
    found = (aten.gather.default(values, at, position), aten.gather.default(indices, at, position))
    if rank == 0 or not keepdim:
        return tuple(aten.squeeze.dims(x, [at]) for x in found)
    return found


def _like(x: Tensor, at: int, value: Any) -> Tensor:
    """One position for each row of ``x`` along ``at``."""
    shape = [1 if d == at else n for d, n in enumerate(x.shape)]
    return aten.full.default(shape, value, dtype=torch.int64, device=x.device)


def kthvalue(self: Tensor, k: Any, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The ``k``-th smallest element, counted from 1."""
    data = vector(self)
    at = front(dim, data.dim())
    values, indices = _ascending(data, at)
    return _picked(values, indices, _like(data, at, k - 1), at, keepdim, self.dim())


def median_dim(self: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The element in the middle, the lower one of two; NaN where there is one."""
    data = vector(self)
    at = front(dim, data.dim())
    values, indices = _ascending(data, at)
    position = _like(data, at, (data.shape[at] - 1) // 2)
    if data.dtype.is_floating_point:
        last = _like(data, at, data.shape[at] - 1)
        position = aten.where.self(isnan(aten.gather.default(values, at, last)), last, position)
    return _picked(values, indices, position, at, keepdim, self.dim())


def nanmedian_dim(self: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The element in the middle of those that are not NaN; NaN where there are none."""
    data = vector(self)
    at = front(dim, data.dim())
    values, indices = _ascending(data, at)
    there = aten.sum.dim_IntList(aten.eq.Tensor(data, data), [at], True, dtype=torch.int64)
    zero, one = scalar(0, torch.int64, data), scalar(1, torch.int64, data)
    before = aten.maximum.default(aten.sub.Tensor(there, one), zero)
    position = aten.div.Tensor_mode(before, scalar(2, torch.int64, data), rounding_mode="trunc")
    return _picked(values, indices, position, at, keepdim, self.dim())


def _of_all(function: Any, self: Tensor) -> Tensor:
    count = self.numel()
    if type(count) is int and count == 0:
        dtype = self.dtype
        nothing = float("nan") if dtype.is_floating_point else torch.iinfo(dtype).min
        return aten.full.default([], nothing, dtype=dtype, device=self.device)
    result: Tensor = function(reshaped(self, [-1]), 0)[0]
    return result


def median(self: Tensor) -> Tensor:
    """The element in the middle of all; of none NaN, or the least integer."""
    return _of_all(median_dim, self)


def nanmedian(self: Tensor) -> Tensor:
    """The element in the middle of all that are not NaN; of none NaN, or the least integer."""
    return _of_all(nanmedian_dim, self)


def mode(self: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The most frequent element, the smallest of several, and where it is last.

    Equal elements are a run of the sorted row; the last position of the longest run has the largest distance
    from the start of its run.
    """
    data = vector(self)
    at = front(dim, data.dim())
    n = data.shape[at]
    values, indices = _ascending(data, at)
    along = aten.arange.start_step(0, n, 1, dtype=torch.int64, device=data.device)
    along = aten.view.default(along, [n if d == at else 1 for d in range(data.dim())])
    starts = run_starts(values, at)
    start = several(aten.cummax.default, aten.where.self(starts, along, scalar(0, torch.int64, data)), at)[0]
    size = scalar(n, torch.int64, data)
    # Longer runs first, then the run that comes first.
    key = aten.sub.Tensor(aten.mul.Tensor(aten.sub.Tensor(along, start), size), along)
    position = aten.argmax.default(key, at, True)
    return _picked(values, indices, position, at, keepdim, self.dim())


def run_starts(values: Tensor, at: int) -> Tensor:
    """Whether each element differs from the one before it along ``at``; the first one does."""
    n = values.shape[at]
    size = list(values.shape)
    size[at] = 1
    first = aten.full.default(size, True, dtype=torch.bool, device=values.device)
    if type(n) is int and n == 0:
        return aten.slice.Tensor(first, at, 0, 0)
    after, before = aten.slice.Tensor(values, at, 1, n), aten.slice.Tensor(values, at, 0, n - 1)
    return aten.cat.default([first, aten.ne.Tensor(after, before)], at)


def searchsorted(
    sorted_sequence: Tensor,
    self: Tensor | Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """The first position whose element is not less than each value; with ``right``, greater.

    The number of elements that are not greater is what is left of those that are, and these are less in
    the reflected sequence. Operands are compared in their promoted dtype.
    """
    sequence, values, _ = pair(sorted_sequence, self)
    if sorter is not None:
        sequence = aten.gather.default(sequence, -1, sorter)
    if right or side == "right":
        found = _not_greater(sequence, values)
    else:
        found = aten.searchsorted.Tensor(sequence, values)
    return convert(found, torch.int32 if out_int32 else torch.int64)


def _not_greater(sequence: Tensor, values: Tensor) -> Tensor:
    reflect = aten.neg.default if values.dtype.is_floating_point else aten.bitwise_not.default
    mirrored = aten.flip.default(reflect(sequence), [sequence.dim() - 1])
    greater = aten.searchsorted.Tensor(mirrored, reflect(values))
    total = scalar(sequence.shape[-1], torch.int64, values)
    found = aten.sub.Tensor(total, greater)
    # Nothing is greater than NaN.
    return aten.where.self(isnan(values), total, found) if values.dtype.is_floating_point else found


def bucketize(
    self: Tensor | Number, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """The bucket of each element among sorted boundaries."""
    dtype = promote([self, boundaries], torch.get_default_dtype())
    edges, values = convert(boundaries, dtype), operand(self, dtype, boundaries)
    return aten.searchsorted.Tensor(edges, values, out_int32=out_int32, right=right)
