"""Decompositions of the operators that find distinct elements.

Equal elements are a run of a sorted row. The number of a run is the running count of the places where one
starts; runs are read at the places that ``nonzero`` gives, which is where sizes become data. NaN differs from
itself, so each is a run of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, scalar
from torchport.contract.decompositions.layout import front, reshaped, select
from torchport.contract.decompositions.operators import aten, several
from torchport.contract.decompositions.ordering import run_starts

Found = tuple[Tensor, Tensor, Tensor]


def _nothing(like: Tensor) -> Tensor:
    return aten.full.default([0], 0, dtype=torch.int64, device=like.device)


def _number(starts: Tensor) -> Tensor:
    """For each place, the number of the run that it is in."""
    count = aten.cumsum.default(convert(starts, torch.int64), 0)
    return aten.sub.Tensor(count, scalar(1, torch.int64, starts))


def _lengths(places: Tensor, n: Any) -> Tensor:
    """The lengths of runs that start at ``places`` of ``n``."""
    end = aten.full.default([1], n, dtype=torch.int64, device=places.device)
    ends = aten.cat.default([aten.slice.Tensor(places, 0, 1), end], 0)
    # Where there is no run, ``end`` alone is left, and is cut off.
    return aten.sub.Tensor(aten.slice.Tensor(ends, 0, 0, places.shape[0]), places)


def _scattered(order: Tensor, number: Tensor) -> Tensor:
    """Numbers of sorted elements, at the places that the elements had."""
    return aten.scatter.src(aten.full.default(list(number.shape), 0, dtype=torch.int64, device=number.device),
                            0, order, number)  # fmt: skip


def _places(starts: Tensor) -> Tensor:
    return select(aten.nonzero.default(starts), 1, 0)


def unique2(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> Found:
    """The distinct elements in ascending order; where each element is among them; how often each occurs."""
    flat = reshaped(self, [-1])
    values, order = several(aten.sort.stable, flat, stable=True, dim=0, descending=False)
    starts = run_starts(values, 0)
    places = _places(starts)
    inverse = counts = _nothing(self)
    if return_inverse:
        inverse = aten.view.default(_scattered(order, _number(starts)), list(self.shape))
    if return_counts:
        counts = _lengths(places, flat.shape[0])
    return aten.index.Tensor(values, [places]), inverse, counts


def unique(self: Tensor, sorted: bool = True, return_inverse: bool = False) -> tuple[Tensor, Tensor]:
    """The distinct elements in ascending order, and where each element is among them."""
    return unique2(self, sorted, return_inverse, False)[:2]


def unique_consecutive(
    self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Found:
    """The first of each run of equal elements, or of slices along ``dim``; which run each element is in, and
    how long the runs are.
    """
    if dim is not None and not (dim == 0 and self.dim() == 1):
        return unique_dim_consecutive(self, dim, return_inverse, return_counts)
    flat = reshaped(self, [-1])
    starts = run_starts(flat, 0)
    places = _places(starts)
    inverse = counts = _nothing(self)
    if return_inverse:
        inverse = aten.view.default(_number(starts), list(self.shape))
    if return_counts:
        counts = _lengths(places, flat.shape[0])
    return aten.index.Tensor(flat, [places]), inverse, counts


def _slices(self: Tensor, at: int) -> Tensor:
    """Slices along ``at`` as rows of a matrix."""
    order = [at, *(d for d in range(self.dim()) if d != at)]
    size: Any = 1
    for d in order[1:]:
        size = size * self.shape[d]
    return reshaped(aten.permute.default(self, order), [self.shape[at], size])


def _picked(self: Tensor, at: int, places: Tensor) -> Tensor:
    lead: Sequence[Tensor | None] = [None] * at
    return aten.index.Tensor(self, [*lead, places])


def _row_starts(rows: Tensor) -> Tensor:
    """Whether each row differs from the one before it; the first one does."""
    differs = aten.sum.dim_IntList(run_starts(rows, 0), [1], False, dtype=torch.int64)
    return aten.gt.Tensor(differs, scalar(0, torch.int64, rows))


def unique_dim_consecutive(
    self: Tensor, dim: int, return_inverse: bool = False, return_counts: bool = False
) -> Found:
    """The first of each run of equal slices, which run each slice is in, and how long the runs are."""
    at = front(dim, self.dim())
    starts = _row_starts(_slices(self, at))
    places = _places(starts)
    return _picked(self, at, places), _number(starts), _lengths(places, self.shape[at])


def _ranks(rows: Tensor) -> Tensor:
    """For each row [n, k], how many rows come before it in lexicographic order, equal ones by position.

    All pairs are compared, at the first column where they differ: n² k comparisons, without a loop over
    columns, whose number may be symbolic.
    """
    n, k = rows.shape
    left, right = aten.unsqueeze.default(rows, 1), aten.unsqueeze.default(rows, 0)
    differs = aten.ne.Tensor(left, right)
    column = aten.arange.start_step(0, k, 1, dtype=torch.int64, device=rows.device)
    first = aten.amin.default(aten.where.self(differs, column, scalar(k, torch.int64, rows)), [2], False)
    same = aten.eq.Tensor(first, scalar(k, torch.int64, rows))
    at = aten.unsqueeze.default(aten.where.self(same, scalar(0, torch.int64, rows), first), 2)
    full = [n, n, k]
    a, b = (
        aten.squeeze.dims(aten.gather.default(aten.expand.default(x, full), 2, at), [2])
        for x in (left, right)
    )
    place = aten.arange.start_step(0, n, 1, dtype=torch.int64, device=rows.device)
    earlier = aten.lt.Tensor(aten.unsqueeze.default(place, 0), aten.unsqueeze.default(place, 1))
    before = aten.where.self(same, earlier, aten.lt.Tensor(b, a))
    return aten.sum.dim_IntList(before, [1], False, dtype=torch.int64)


def unique_dim(
    self: Tensor,
    dim: int,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Found:
    """The distinct slices in lexicographic order, where each slice is among them, and how often it occurs."""
    at = front(dim, self.dim())
    rows = _slices(self, at)
    order = several(aten.sort.stable, _ranks(rows), stable=True, dim=0, descending=False)[1]
    starts = _row_starts(aten.index.Tensor(rows, [order]))
    places = _places(starts)
    chosen = aten.index.Tensor(order, [places])
    return _picked(self, at, chosen), _scattered(order, _number(starts)), _lengths(places, self.shape[at])
