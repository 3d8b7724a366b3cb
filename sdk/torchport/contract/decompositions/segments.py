"""Decompositions of reductions over segments of one dimension, and of their gradient.

A segment is a run along ``axis``; its start follows from lengths or offsets, which have a row of their own
for each index of the dimensions before ``axis``. The segment of a position is found by binary search; one
scatter combines the values of all segments.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, isnan, scalar
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import constant, narrow, widen

_MODES = {"sum": "sum", "mean": "sum", "max": "amax", "min": "amin", "prod": "prod"}
_NEUTRAL = {"sum": 0.0, "mean": 0.0, "max": -math.inf, "min": math.inf, "prod": 1.0}


def _edges(lengths: Tensor | None, offsets: Tensor | None) -> Tensor:
    """Where segments start, and where the last one ends, int64."""
    if offsets is not None:
        return convert(offsets, torch.int64)
    assert lengths is not None, "an entry's constraint"
    ends = aten.cumsum.default(convert(lengths, torch.int64), lengths.dim() - 1)
    return aten.constant_pad_nd.default(ends, [1, 0], 0)


def _lengths(edges: Tensor) -> Tensor:
    """How long each segment is."""
    axis = edges.dim() - 1
    n = edges.shape[axis]
    ends, starts = aten.slice.Tensor(edges, axis, 1, n), aten.slice.Tensor(edges, axis, 0, n - 1)
    return aten.sub.Tensor(ends, starts)


def _segment(data: Tensor, edges: Tensor) -> Tensor:
    """The segment of each element of ``data``; one more than the last for elements outside of all."""
    axis = edges.dim() - 1
    n, count = data.shape[axis], edges.shape[axis] - 1
    along = aten.arange.start_step(0, n, 1, dtype=torch.int64, device=data.device)
    rows = aten.expand.default(along, [*edges.shape[:axis], n])
    contiguous = aten.clone.default(rows, memory_format=torch.contiguous_format)
    found = aten.searchsorted.Tensor(edges, contiguous, right=True)
    found = aten.sub.Tensor(found, scalar(1, torch.int64, data))
    before = aten.lt.Tensor(found, scalar(0, torch.int64, data))
    return _spread(aten.where.self(before, scalar(count, torch.int64, data), found), data)


def _padded(per_segment: Tensor, at: int) -> Tensor:
    """With a zero for elements outside of all segments."""
    return aten.constant_pad_nd.default(per_segment, [0, 0] * (per_segment.dim() - 1 - at) + [0, 1], 0)


def _spread(per_row: Tensor, data: Tensor) -> Tensor:
    """Values for the leading dimensions repeated over the trailing ones of ``data``."""
    rank = per_row.dim()
    for _ in range(data.dim() - rank):
        per_row = aten.unsqueeze.default(per_row, per_row.dim())
    return aten.expand.default(per_row, [*per_row.shape[:rank], *data.shape[rank:]])


def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Number | None = None,
) -> Tensor:
    """``sum``, ``mean``, ``max``, ``min`` or ``prod`` of each segment, combined with ``initial`` where it is
    given. A mean of nothing is NaN, or ``initial``.
    """
    edges = _edges(lengths, offsets)
    at = edges.dim() - 1
    count = edges.shape[at] - 1
    x = widen(data)
    size = [*data.shape[:at], count + 1, *data.shape[at + 1 :]]
    start = _NEUTRAL[reduce] if initial is None else initial
    base = aten.full.default(size, start, dtype=x.dtype, device=data.device)
    total = aten.scatter_reduce.two(base, at, _segment(data, edges), x, _MODES[reduce], include_self=True)
    total = aten.slice.Tensor(total, at, 0, count)
    if reduce == "mean":
        length = _spread(_lengths(edges), total)
        empty = aten.eq.Tensor(length, scalar(0, torch.int64, data))
        nothing = constant(math.nan if initial is None else float(initial.real), x)
        total = aten.where.self(empty, nothing, aten.div.Tensor(total, convert(length, x.dtype)))
    return narrow(total, data.dtype)


def segment_reduce_backward(
    grad: Tensor,
    output: Tensor,
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    initial: Number | None = None,
) -> Tensor:
    """The gradient of each segment given to its elements: all of it (sum), a part (mean), to those that are
    the extreme in equal parts, or times the product of the others.
    """
    edges = _edges(lengths, offsets)
    at = edges.dim() - 1
    count = edges.shape[at] - 1
    x, g = widen(data), widen(grad)
    number = _segment(data, edges)
    share = aten.gather.default(_padded(g, at), at, number)
    if reduce == "mean":
        length = _padded(_spread(_lengths(edges), g), at)
        length = aten.maximum.default(length, scalar(1, torch.int64, data))
        share = aten.div.Tensor(share, convert(aten.gather.default(length, at, number), g.dtype))
    elif reduce in ("max", "min"):
        result = aten.gather.default(_padded(widen(output), at), at, number)
        hit = aten.bitwise_or.Tensor(aten.eq.Tensor(x, result), isnan(x))
        size = [*data.shape[:at], count + 1, *data.shape[at + 1 :]]
        base = aten.full.default(size, 0, dtype=g.dtype, device=data.device)
        hits = aten.scatter_reduce.two(base, at, number, convert(hit, g.dtype), "sum", include_self=True)
        part = aten.div.Tensor(share, aten.gather.default(hits, at, number))
        share = aten.where.self(hit, part, constant(0, g))
    elif reduce == "prod":
        share = aten.mul.Tensor(share, _product_of_others(x, number, at, count, initial))
    return narrow(share, data.dtype)


def _product_of_others(x: Tensor, number: Tensor, at: int, count: Any, initial: Number | None) -> Tensor:
    """For each element the product of the other elements of its segment and ``initial``.

    The product of those that are not zero is divided by the element where it is not zero; where it is, the
    quotient is that product itself if it is the only zero, else 0.
    """
    zero = aten.eq.Tensor(x, constant(0, x))
    nonzero = aten.where.self(zero, constant(1, x), x)
    size = list(x.shape)
    size[at] = count + 1
    start = 1.0 if initial is None else initial
    ones = aten.full.default(size, start, dtype=x.dtype, device=x.device)
    product = aten.scatter_reduce.two(ones, at, number, nonzero, "prod", include_self=True)
    none = aten.full.default(size, 0, dtype=torch.int64, device=x.device)
    zeros = aten.scatter_reduce.two(none, at, number, convert(zero, torch.int64), "sum", include_self=True)
    others = aten.sub.Tensor(aten.gather.default(zeros, at, number), convert(zero, torch.int64))
    quotient = aten.div.Tensor(aten.gather.default(product, at, number), nonzero)
    alone = aten.eq.Tensor(others, scalar(0, torch.int64, x))
    return aten.where.self(alone, quotient, constant(0, x))
