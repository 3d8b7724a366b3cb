"""Decompositions of histograms, counts of integers, and reductions of segments.

A bin holds its left edge and not its right one; the last bin holds both. Values outside of all bins do not
count. Bins are found by binary search among the edges; one scatter adds up the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, scalar
from torchport.contract.decompositions.layout import reshaped, select
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import constant, narrow, widen, zeros


def _edge(value: float, like: Tensor) -> Tensor:
    return constant(value, like)


def _limits(x: Tensor, low: Number | None, high: Number | None) -> tuple[Tensor, Tensor]:
    """The outer edges as scalars: those given, else the least and the largest of the values [n] (0 and 1 of
    none), moved apart by ½ each where they are equal.
    """
    if low is not None and high is not None:
        lower, upper = _edge(float(low.real), x), _edge(float(high.real), x)
    else:
        n = x.shape[0]
        if type(n) is int and n == 0:
            return _edge(0.0, x), _edge(1.0, x)
        lower, upper = aten.amin.default(x, [0], False), aten.amax.default(x, [0], False)
    same, half = aten.eq.Tensor(lower, upper), _edge(0.5, x)
    return (
        aten.where.self(same, aten.sub.Tensor(lower, half), lower),
        aten.where.self(same, aten.add.Tensor(upper, half), upper),
    )


def _ramp(low: Tensor, high: Tensor, bins: int) -> Tensor:
    """``bins + 1`` edges at equal distances, from both ends to the middle, so that the ends are exact."""
    along = aten.arange.start_step(0, bins + 1, 1, dtype=torch.int64, device=low.device)
    step = aten.div.Tensor(aten.sub.Tensor(high, low), scalar(bins, low.dtype, low))
    left = aten.add.Tensor(low, aten.mul.Tensor(convert(along, low.dtype), step))
    back = convert(aten.sub.Tensor(scalar(bins, torch.int64, low), along), low.dtype)
    right = aten.sub.Tensor(high, aten.mul.Tensor(back, step))
    first = aten.lt.Tensor(along, scalar((bins + 1) // 2, torch.int64, low))
    return aten.where.self(first, left, right)


def _bin(x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
    """The bin of each value, and whether it is in any."""
    bins = edges.shape[0] - 1
    one = scalar(1, torch.int64, x)
    found = aten.sub.Tensor(aten.searchsorted.Tensor(edges, x, right=True), one)
    last = _last(edges)
    found = aten.where.self(aten.eq.Tensor(x, last), scalar(bins - 1, torch.int64, x), found)
    inside = aten.bitwise_and.Tensor(aten.ge.Tensor(x, select(edges, 0, 0)), aten.le.Tensor(x, last))
    return aten.where.self(inside, found, scalar(0, torch.int64, x)), inside


def _filled(count: Any, where: Tensor, weight: Tensor) -> Tensor:
    return aten.scatter_reduce.two(zeros((count,), weight), 0, where, weight, "sum", include_self=True)


def _weights(x: Tensor, weight: Tensor | None, inside: Tensor) -> Tensor:
    each = constant(1, x) if weight is None else reshaped(weight, [-1])
    return aten.where.self(inside, each, constant(0, x))


def histc(self: Tensor, bins: int = 100, min: Number = 0, max: Number = 0) -> Tensor:
    """How many values are in each of ``bins`` equal parts of [min, max]; of the values' own range where the
    bounds are equal.

    The bin is computed, ``floor((x - low) * bins / (high - low))``, not searched for.
    """
    x = widen(reshaped(self, [-1]))
    low, high = _limits(x, min, max) if min != max else _limits(x, None, None)
    inside = aten.bitwise_and.Tensor(aten.ge.Tensor(x, low), aten.le.Tensor(x, high))
    width = aten.sub.Tensor(high, low)
    position = aten.mul.Tensor(aten.sub.Tensor(aten.where.self(inside, x, low), low), _edge(float(bins), x))
    found = convert(aten.floor.default(aten.div.Tensor(position, width)), torch.int64)
    found = aten.minimum.default(found, scalar(bins - 1, torch.int64, x))
    return narrow(_filled(bins, found, _weights(x, None, inside)), self.dtype)


def _density(counts: Tensor, edges: Sequence[Tensor]) -> Tensor:
    """Counts divided by their sum and by the volume of their bin."""
    every = list(range(counts.dim()))
    found = aten.div.Tensor(counts, aten.sum.dim_IntList(counts, every, True))
    for d, edge in enumerate(edges):
        n = edge.shape[0]
        width = aten.sub.Tensor(aten.slice.Tensor(edge, 0, 1, n), aten.slice.Tensor(edge, 0, 0, n - 1))
        width = aten.view.default(width, [n - 1 if i == d else 1 for i in every])
        found = aten.div.Tensor(found, width)
    return found


def histogram(
    self: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    """The weight in each bin between consecutive edges, and the edges."""
    x = reshaped(self, [-1])
    return _histogram([x], [bins], weight, density), aten.clone.default(bins)


def histogram_count(
    self: Tensor,
    bins: int = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    """The weight in each of ``bins`` equal parts of a range, by default that of the values, and the edges."""
    x = reshaped(self, [-1])
    edges = _edges([x], [bins], range)
    return _histogram([x], edges, weight, density), edges[0]


def _last(edges: Tensor) -> Tensor:
    return aten.squeeze.dims(aten.slice.Tensor(edges, 0, -1, 2**63 - 1), [0])


def _columns(self: Tensor, count: int) -> list[Tensor]:
    """The ``count`` coordinates of points [..., D], each as a vector."""
    return [reshaped(select(self, self.dim() - 1, d), [-1]) for d in range(count)]


def _edges(columns: Sequence[Tensor], bins: Sequence[int], limits: Sequence[float] | None) -> list[Tensor]:
    found = []
    for d, (x, n) in enumerate(zip(columns, bins, strict=True)):
        low, high = (None, None) if limits is None else (limits[2 * d], limits[2 * d + 1])
        found.append(_ramp(*_limits(x, low, high), n))
    return found


def _histogram(
    columns: Sequence[Tensor], edges: Sequence[Tensor], weight: Tensor | None, density: bool
) -> Tensor:
    """The weight in each cell of a grid: [bins of the first coordinate, …]."""
    cell, inside = _bin(columns[0], edges[0])
    sizes = [edge.shape[0] - 1 for edge in edges]
    total: Any = sizes[0]
    for x, edge, n in zip(columns[1:], edges[1:], sizes[1:], strict=True):
        found, here = _bin(x, edge)
        cell = aten.add.Tensor(aten.mul.Tensor(cell, scalar(n, torch.int64, x)), found)
        inside = aten.bitwise_and.Tensor(inside, here)
        total = total * n
    counts = _filled(total, cell, _weights(columns[0], weight, inside))
    counts = aten.view.default(counts, sizes)
    return _density(counts, edges) if density else counts


def histogramdd_edges(
    self: Tensor,
    bins: Sequence[int],
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> list[Tensor]:
    """The edges of a grid over points [..., D]: for each coordinate, equal parts of its range."""
    return _edges(_columns(self, len(bins)), bins, range)


def histogramdd_counts(
    self: Tensor,
    bins: Sequence[int],
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Tensor:
    """The weight of points [..., D] in each cell of a grid of equal parts."""
    columns = _columns(self, len(bins))
    return _histogram(columns, _edges(columns, bins, range), weight, density)


def histogramdd(
    self: Tensor, bins: Sequence[Tensor], *, weight: Tensor | None = None, density: bool = False
) -> Tensor:
    """The weight of points [..., D] in each cell of a grid with the given edges."""
    return _histogram(_columns(self, len(bins)), bins, weight, density)


def bincount(self: Tensor, weights: Tensor | None = None, minlength: Any = 0) -> Tensor:
    """How often (with which weight) each integer occurs, up to the largest one or ``minlength``."""
    values = convert(self, torch.int64)
    n = values.shape[0]
    if type(n) is int and n == 0:
        return aten.full.default([minlength], 0, dtype=torch.int64, device=self.device)
    least = aten.full.default([1], minlength, dtype=torch.int64, device=self.device)
    ends = aten.cat.default([aten.add.Tensor(values, scalar(1, torch.int64, self)), least], 0)
    size = aten._local_scalar_dense.default(aten.amax.default(ends, [0], False))
    each = aten.full.default([n], 1, dtype=torch.int64, device=self.device) if weights is None else weights
    return _filled(size, values, each)
