"""Decompositions of reads and writes by index, and of fills.

An index counts from the end where it is negative. A mask stands for the positions where it is true, one
vector of positions for each of its dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, operand, pair, scalar
from torchport.contract.decompositions.layout import front, reshaped, select
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import narrow, widen

Indices = Sequence[Tensor | None]


def positions_of(indices: Indices) -> list[Tensor | None]:
    """One int64 index for each indexed dimension: masks are replaced by the positions where they are true."""
    found: list[Tensor | None] = []
    for index in indices:
        if index is None:
            found.append(None)
        elif index.dtype is torch.bool:
            where = aten.nonzero.default(index)
            found += [select(where, 1, d) for d in range(index.dim())]
        else:
            found.append(convert(index, torch.int64))
    return found


def index(self: Tensor, indices: Indices) -> Tensor:
    """``self[indices]`` with masks as positions."""
    return aten.index.Tensor(self, positions_of(indices))


def index_put(self: Tensor, indices: Indices, values: Tensor, accumulate: bool = False) -> Tensor:
    """``self`` with ``values`` written at ``indices``; added there with ``accumulate``.

    The indexed dimensions become one, so that adding is one scatter along it. A mask alone needs no
    positions, whose number would be data.
    """
    given = [d for d, x in enumerate(indices) if x is not None]
    mask = indices[given[0]] if len(given) == 1 else None
    if mask is not None and mask.dtype is torch.bool:
        return _masked_put(self, given[0], mask, values, accumulate)
    listed = positions_of(indices)
    if not accumulate:
        return aten.index_put.default(self, listed, values, False)
    used = [d for d, x in enumerate(listed) if x is not None]
    rest = [d for d in range(self.dim()) if d not in used]
    order = [*used, *rest]
    shape = [self.shape[d] for d in order]
    lead, tail = _count(shape[: len(used)]), _count(shape[len(used) :])
    position = flat_position([x for x in listed if x is not None], shape)
    where = aten.view.default(reshaped(position, [-1]), [-1, 1])
    spread = list(position.shape)
    adjacent = used == list(range(used[0], used[-1] + 1))
    at = used[0] if adjacent else 0
    full = [self.shape[d] for d in rest]
    full = [*full[:at], *spread, *full[at:]]
    source = widen(aten.expand.default(values, full))
    moved = [*range(at, at + len(spread)), *range(at), *range(at + len(spread), len(full))]
    source = reshaped(aten.permute.default(source, moved), [where.shape[0], tail])
    base = widen(reshaped(aten.permute.default(self, order), [lead, tail]))
    total = aten.scatter_reduce.two(
        base, 0, aten.expand.default(where, [where.shape[0], tail]), source, "sum", include_self=True
    )
    back = [order.index(d) for d in range(self.dim())]
    return narrow(aten.permute.default(aten.view.default(total, shape), back), self.dtype)


def _masked_put(self: Tensor, at: int, mask: Tensor, values: Tensor, accumulate: bool) -> Tensor:
    """``values`` [*lead, k, *tail] in the places of the k elements of ``mask``, which covers the dimensions
    from ``at`` on. The rank of a selected element among the selected ones is the running count of the mask.
    """
    tail = self.dim() - at - mask.dim()
    where = values.dim() - 1 - tail
    if where >= 0:
        many = values.shape[where]
        if type(many) is int and many == 1:
            rank = aten.full.default(list(mask.shape), 0, dtype=torch.int64, device=self.device)
        else:
            count = aten.cumsum.default(convert(reshaped(mask, [-1]), torch.int64), 0)
            before = aten.sub.Tensor(count, scalar(1, torch.int64, self))
            first = aten.maximum.default(before, scalar(0, torch.int64, self))
            rank = aten.view.default(first, list(mask.shape))
        # One slice more keeps position 0 readable where nothing is selected.
        padded = aten.constant_pad_nd.default(values, [0, 0] * tail + [0, 1], 0)
        values = aten.index.Tensor(padded, [None] * where + [rank])
    hit = aten.view.default(
        aten.clone.default(mask, memory_format=torch.contiguous_format), [*mask.shape, *[1] * tail]
    )
    if not accumulate:
        return aten.where.self(hit, values, self)
    added = aten.where.self(hit, values, scalar(0, values.dtype, self))
    return aten.bitwise_or.Tensor(self, added) if self.dtype is torch.bool else aten.add.Tensor(self, added)


def _count(sizes: Sequence[Any]) -> Any:
    total: Any = 1
    for n in sizes:
        total = total * n
    return total


def from_front(index: Tensor, size: Any) -> Tensor:
    """An int64 index with negative positions counted from the front."""
    n, zero = scalar(size, torch.int64, index), scalar(0, torch.int64, index)
    return aten.where.self(aten.lt.Tensor(index, zero), aten.add.Tensor(index, n), index)


def flat_position(indices: Sequence[Tensor], sizes: Sequence[Any]) -> Tensor:
    """Row-major position in a tensor of the leading ``sizes``, of one int64 index a dimension."""
    total = from_front(indices[0], sizes[0])
    for x, n in zip(indices[1:], sizes[1:], strict=False):
        total = aten.mul.Tensor(total, scalar(n, torch.int64, x))
        total = aten.add.Tensor(total, from_front(x, n))
    return total


def unsafe_index_put(self: Tensor, indices: Indices, values: Tensor, accumulate: bool = False) -> Tensor:
    """Scatter whose indices are known to be in range."""
    return aten.index_put.default(self, list(indices), values, accumulate)


def index_put_impl(
    self: Tensor, indices: Indices, values: Tensor, accumulate: bool = False, unsafe: bool = False
) -> Tensor:
    """The same write; ``unsafe`` only leaves out checks."""
    return aten.index_put.default(self, list(indices), values, accumulate)


def _in_range(indices: Indices, self: Tensor) -> list[Tensor | None]:
    """Indices forced into the sizes that they index."""
    found: list[Tensor | None] = []
    for d, x in enumerate(indices):
        if x is None:
            found.append(None)
            continue
        low = scalar(-self.shape[d], torch.int64, self)
        high = scalar(self.shape[d] - 1, torch.int64, self)
        wide = convert(x, torch.int64)
        found.append(aten.minimum.default(aten.maximum.default(wide, low), high))
    return found


def unsafe_masked_index(self: Tensor, mask: Tensor, indices: Indices, fill: Number) -> Tensor:
    """``self[indices]`` where the mask is true, else ``fill``; indices where it is false may be anything."""
    picked = aten.index.Tensor(self, _in_range(indices, self))
    return aten.where.self(mask, picked, scalar(fill, self.dtype, self))


def unsafe_masked_index_put_accumulate(
    self: Tensor, mask: Tensor, indices: Indices, values: Tensor
) -> Tensor:
    """``values`` added at ``indices`` where the mask is true."""
    kept = aten.where.self(mask, values, scalar(0, values.dtype, self))
    return aten.index_put.default(self, _in_range(indices, self), kept, True)


def index_select(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """Slices along ``dim`` picked by a vector of positions."""
    if self.dim() == 0:
        picked = aten.index.Tensor(aten.unsqueeze.default(self, 0), [vector(index)])
        return aten.view.default(picked, [])
    at = front(dim, self.dim())
    return aten.index.Tensor(self, [None] * at + [vector(index)])


def vector(index: Tensor) -> Tensor:
    """An index of rank 1."""
    return aten.unsqueeze.default(index, 0) if index.dim() == 0 else index


def gather(self: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """``self`` at one position along ``dim`` for each index: scalars as vectors, the index as int64."""
    along = vector(convert(index, torch.int64))
    data = vector(self)
    if along.dim() != data.dim():  # an empty index may have any rank
        return aten.full.default(list(index.shape), 0, dtype=self.dtype, device=self.device)
    picked = aten.gather.default(data, front(dim, data.dim()), along)
    return picked if index.dim() else aten.view.default(picked, [])


def take(self: Tensor, index: Tensor) -> Tensor:
    """Elements by their row-major position."""
    return aten.index.Tensor(reshaped(self, [-1]), [index])


def masked_fill(self: Tensor, mask: Tensor, value: Number | Tensor) -> Tensor:
    """``value`` where the mask is true."""
    return aten.where.self(mask, operand(value, self.dtype, self), self)


def index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Slices named by ``index`` replaced by those of ``source``."""
    if self.dim() == 0:
        wide = aten.unsqueeze.default(self, 0)
        return aten.squeeze.dims(index_copy(wide, 0, index, aten.view.default(source, [-1])), [0])
    at = front(dim, self.dim())
    return aten.index_put.default(self, [None] * at + [vector(index)], _slices(source, self, at))


def _slices(source: Tensor, self: Tensor, at: int) -> Tensor:
    """A source of one slice without its dimension ``at``, with that dimension."""
    return source if source.dim() == self.dim() else aten.unsqueeze.default(source, at)


def index_fill(self: Tensor, dim: int, index: Tensor, value: Number | Tensor) -> Tensor:
    """Slices named by ``index`` filled with one value."""
    filled = operand(value, self.dtype, self)
    if self.dim() == 0:
        wide = aten.unsqueeze.default(self, 0)
        return aten.squeeze.dims(aten.index_put.default(wide, [vector(index)], filled), [0])
    return aten.index_put.default(self, [None] * front(dim, self.dim()) + [vector(index)], filled)


def isin_tensor_scalar(
    elements: Tensor, test_element: Number, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Whether each element is the tested number."""
    a, b, _ = pair(elements, test_element)
    return aten.ne.Tensor(a, b) if invert else aten.eq.Tensor(a, b)


def isin(
    elements: Tensor | Number, test_elements: Tensor, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Whether each element is among the tested ones, by comparing all pairs."""
    a, b, _ = pair(elements, test_elements)
    equal = aten.eq.Tensor(aten.unsqueeze.default(a, -1), reshaped(b, [-1]))
    hits = aten.sum.dim_IntList(equal, [-1], False, dtype=torch.int64)
    zero = scalar(0, torch.int64, a)
    return aten.eq.Tensor(hits, zero) if invert else aten.ne.Tensor(hits, zero)
