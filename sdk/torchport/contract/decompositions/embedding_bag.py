"""Decompositions of bags of table rows: sums, means and maxima, their gradients, and rows of bounded norm.

A bag is a run of ``indices``; bag b starts at ``offsets[b]``. Which bag an element is in is found by binary
search. Values are combined by one scatter over the bags.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, scalar
from torchport.contract.decompositions.layout import reshaped
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import constant, narrow, positions, widen, zeros
from torchport.contract.dtype_rules import join

SUM, MEAN, MAX = 0, 1, 2


def _bags(indices: Tensor, offsets: Tensor) -> Tensor:
    """The bag of each element: the last one that starts at or before it."""
    starts = convert(offsets, torch.int64)
    found = aten.searchsorted.Tensor(starts, positions(indices.shape[0], indices), right=True)
    return aten.sub.Tensor(found, scalar(1, torch.int64, indices))


def _rows(index: Tensor, columns: Any) -> Tensor:
    """A vector of positions repeated for every column."""
    return aten.expand.default(aten.unsqueeze.default(index, 1), [index.shape[0], columns])


def _added(n: Any, where: Tensor, values: Tensor) -> Tensor:
    """Rows of zeros, or zeros, with ``values`` added at ``where``."""
    base = zeros((n, *values.shape[1:]), values)
    index = where if values.dim() == 1 else _rows(where, values.shape[1])
    return aten.scatter_reduce.two(base, 0, index, values, "sum", include_self=True)


def _counts(n: Any, where: Tensor, counted: Tensor) -> Tensor:
    """int64[n]: how often each position occurs among those that count."""
    return _added(n, where, convert(counted, torch.int64))


def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = SUM,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Bags [B, D] of rows of ``weight`` [V, D]; each element's bag; the sizes of bags; for maxima the row
    that each value is from. Rows ``padding_idx`` do not count; an empty bag is 0.

    Of the bookkeeping, sums have zeros for the sizes; on the CPU they have no bags of elements where
    PyTorch's fast kernel applies, and the sizes stand for the rows of maxima.
    """
    bags = offsets.shape[0] - include_last_offset
    starts = aten.slice.Tensor(offsets, 0, 0, bags)
    chosen = convert(indices, torch.int64)
    where = _bags(indices, starts)
    counted = aten.ne.Tensor(chosen, scalar(padding_idx, torch.int64, indices))
    rows = widen(aten.index.Tensor(weight, [chosen]))
    if per_sample_weights is not None:
        rows = aten.mul.Tensor(rows, aten.unsqueeze.default(widen(per_sample_weights), 1))
    kept = aten.unsqueeze.default(counted, 1)
    bookkeeping = join(indices.dtype, offsets.dtype)
    sizes = _counts(bags, where, counted)
    sources = sizes
    if mode == MAX:
        value, sources = _maxima(rows, where, kept, bags, chosen)
    else:
        value = _added(bags, where, aten.where.self(kept, rows, constant(0, rows)))
        if mode == MEAN:
            divisor = aten.maximum.default(sizes, scalar(1, torch.int64, sizes))
            value = aten.div.Tensor(value, aten.unsqueeze.default(convert(divisor, value.dtype), 1))
        else:
            sizes = sources = zeros((bags,), sizes)
    on_cpu = weight.device.type == "cpu"
    if on_cpu and mode == SUM and padding_idx < 0 and weight.dtype != torch.float64:
        where = aten.slice.Tensor(where, 0, 0, 0)
    if not on_cpu and mode != MAX:
        sources = aten.slice.Tensor(sources, 0, 0, 0)
    extra = tuple(convert(x, bookkeeping) for x in (where, sizes, sources))
    return narrow(value, weight.dtype), *extra  # type: ignore[return-value]


def _maxima(rows: Tensor, where: Tensor, kept: Tensor, bags: Any, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """The largest of each bag and column, and the table row of the first element that is as large."""
    columns, n = rows.shape[1], rows.shape[0]
    index = _rows(where, columns)
    lowest = constant(-math.inf, rows)
    base = aten.full.default([bags, columns], -math.inf, dtype=rows.dtype, device=rows.device)
    peak = aten.scatter_reduce.two(
        base, 0, index, aten.where.self(kept, rows, lowest), "amax", include_self=True
    )
    hit = aten.bitwise_and.Tensor(aten.eq.Tensor(rows, aten.gather.default(peak, 0, index)), kept)
    last = scalar(n, torch.int64, rows)
    at = aten.where.self(hit, aten.unsqueeze.default(positions(n, rows), 1), last)
    none = aten.full.default([bags, columns], n, dtype=torch.int64, device=rows.device)
    first = aten.scatter_reduce.two(none, 0, index, at, "amin", include_self=True)
    empty = aten.eq.Tensor(first, last)
    padded = aten.constant_pad_nd.default(chosen, [0, 1], 0)
    zero = constant(0, rows)
    return aten.where.self(empty, zero, peak), aten.index.Tensor(padded, [first])


def embedding_bag_forward_only(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = SUM,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The same values; sums on the CPU have one size for each offset."""
    value, where, sizes, sources = embedding_bag(
        weight,
        indices,
        offsets,
        scale_grad_by_freq,
        mode,
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )
    if mode == SUM and include_last_offset and weight.device.type == "cpu":
        sizes = sources = zeros((offsets.shape[0],), sizes)
    return value, where, sizes, sources


def dense_backward(
    grad: Tensor,
    indices: Tensor,
    offset2bag: Tensor,
    bag_size: Tensor,
    maximum_indices: Tensor,
    num_weights: Any,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Tensor | None,
    padding_idx: int = -1,
) -> Tensor:
    """Gradient of the table [V, D]: each element's share of its bag's gradient added to its row.

    Maxima give each column to the row that it is from. With ``scale_grad_by_freq`` a share is divided by how
    often its row occurs.
    """
    g = widen(grad)
    if mode == MAX:
        full = aten.ne.Tensor(bag_size, scalar(0, bag_size.dtype, bag_size))
        given = aten.where.self(aten.unsqueeze.default(full, 1), g, constant(0, g))
        base = zeros((num_weights, grad.shape[1]), g)
        where = convert(maximum_indices, torch.int64)
        table = aten.scatter_reduce.two(base, 0, where, given, "sum", include_self=True)
        return narrow(table, grad.dtype)
    chosen, bags = convert(indices, torch.int64), convert(offset2bag, torch.int64)
    share = aten.index.Tensor(g, [bags])
    if per_sample_weights is not None:
        share = aten.mul.Tensor(share, aten.unsqueeze.default(widen(per_sample_weights), 1))
    divisor: Tensor | None = None
    if mode == MEAN:
        divisor = aten.index.Tensor(convert(bag_size, torch.int64), [bags])
    if scale_grad_by_freq:
        everything = aten.full.default([chosen.shape[0]], True, dtype=torch.bool, device=grad.device)
        often = aten.index.Tensor(_counts(num_weights, chosen, everything), [chosen])
        divisor = often if divisor is None else aten.mul.Tensor(divisor, often)
    if divisor is not None:
        share = aten.div.Tensor(share, aten.unsqueeze.default(convert(divisor, g.dtype), 1))
    padded = aten.eq.Tensor(chosen, scalar(padding_idx, torch.int64, chosen))
    share = aten.where.self(aten.unsqueeze.default(padded, 1), constant(0, g), share)
    return narrow(_added(num_weights, chosen, share), grad.dtype)


def backward(
    grad: Tensor,
    indices: Tensor,
    offsets: Tensor,
    offset2bag: Tensor,
    bag_size: Tensor,
    maximum_indices: Tensor,
    num_weights: Any,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    padding_idx: int = -1,
) -> Tensor:
    """As :func:`dense_backward`, with the bags of elements found from the offsets where they are missing."""
    found = offset2bag.shape[0]
    return dense_backward(
        grad,
        indices,
        _bags(indices, offsets) if type(found) is int and found == 0 else offset2bag,
        bag_size,
        maximum_indices,
        num_weights,
        scale_grad_by_freq,
        mode,
        per_sample_weights,
        padding_idx,
    )


def per_sample_weights_backward(
    grad: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    offset2bag: Tensor,
    mode: int,
    padding_idx: int = -1,
) -> Tensor:
    """Gradient of each element's weight: its bag's gradient times its row."""
    chosen = convert(indices, torch.int64)
    rows = widen(aten.index.Tensor(weight, [chosen]))
    share = aten.index.Tensor(widen(grad), [_bags(indices, offsets)])
    product = aten.sum.dim_IntList(aten.mul.Tensor(share, rows), [1], False)
    padded = aten.eq.Tensor(chosen, scalar(padding_idx, torch.int64, chosen))
    return narrow(aten.where.self(padded, constant(0, product), product), grad.dtype)


def renorm(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Rows that occur among ``indices`` and are longer than ``max_norm`` scaled to it.

    The factor is ``max_norm / (norm + 1e-7)``, the term of the operator's definition.
    """
    x = widen(self)
    length = aten.linalg_vector_norm.default(x, norm_type, [1], True)
    where = reshaped(convert(indices, torch.int64), [-1])
    nowhere = aten.full.default([self.shape[0]], False, dtype=torch.bool, device=self.device)
    named = aten.unsqueeze.default(aten.scatter.value(nowhere, 0, where, True), 1)
    limit = constant(max_norm, x)
    long = aten.bitwise_and.Tensor(named, aten.gt.Tensor(length, limit))
    factor = aten.div.Tensor(limit, aten.add.Tensor(length, constant(1e-7, x)))
    return narrow(aten.where.self(long, aten.mul.Tensor(x, factor), x), self.dtype)
