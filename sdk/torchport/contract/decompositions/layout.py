"""Decompositions of operators that move elements: views of other views, concatenations, paddings and
scatters of slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, scalar
from torchport.contract.decompositions.operators import aten
from torchport.contract.dtype_rules import promote
from torchport.contract.shape_indexing import below_diagonal


def front(dim: int, rank: int) -> int:
    """``dim`` counted from the front."""
    return dim % max(rank, 1)


def reshaped(self: Tensor, size: Sequence[Any]) -> Tensor:
    """The elements in row-major order in another shape, in fresh memory."""
    return aten.view.default(aten.clone.default(self, memory_format=torch.contiguous_format), list(size))


def is_row_major(self: Tensor) -> bool:
    """Whether the strides are provably those of a row-major tensor; unknown sizes are not asked for."""
    step: Any = 1
    for size, stride in zip(reversed(self.shape), reversed(self.stride()), strict=True):
        if isinstance(size, int) and size == 1:
            continue
        if str(stride) != str(step):
            return False
        step = step * size
    return True


def identity(self: Tensor) -> Tensor:
    """The same values through an alias: a permutation that changes nothing."""
    return aten.permute.default(self, list(range(self.dim())))


def fresh(self: Tensor) -> Tensor:
    """The same values in fresh memory."""
    return aten.clone.default(self)


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped."""
    order = list(range(self.dim()))
    if order:
        a, b = front(dim0, self.dim()), front(dim1, self.dim())
        order[a], order[b] = order[b], order[a]
    return aten.permute.default(self, order)


def t(self: Tensor) -> Tensor:
    """A matrix transposed; a vector or scalar as it is."""
    return aten.permute.default(self, list(reversed(range(self.dim()))))


def select(self: Tensor, dim: int, index: Any) -> Tensor:
    """One slice along ``dim``, without that dimension."""
    at = front(dim, self.dim())
    start = index if not isinstance(index, int) or index >= 0 else index + self.shape[at]
    piece = aten.slice.Tensor(self, at, start, start + 1)
    if not isinstance(piece.shape[at], int):  # that its size is 1 cannot be seen: ``start`` is an unknown
        row = aten.full.default([1], start, dtype=torch.int64, device=self.device)
        piece = aten.index.Tensor(self, [*[None] * at, row])
    return aten.squeeze.dims(piece, [at])


def squeeze_all(self: Tensor) -> Tensor:
    """Without every dimension of size 1."""
    return aten.squeeze.dims(self, list(range(self.dim())))


def squeeze_dim(self: Tensor, dim: int) -> Tensor:
    """Without ``dim`` where its size is 1."""
    return aten.squeeze.dims(self, [dim] if self.dim() else [])


def unsafe_view(self: Tensor, size: Sequence[Any]) -> Tensor:
    """A view whose input is not used again."""
    return aten.view.default(self, list(size))


def split(self: Tensor, split_size: Any, dim: int = 0) -> list[Tensor]:
    """Pieces of equal size; the last may be shorter."""
    n = self.shape[dim]
    if split_size == 0:
        return [aten.slice.Tensor(self, dim, 0, 0)]
    pieces = max((n + split_size - 1) // split_size, 1)
    return [aten.slice.Tensor(self, dim, i * split_size, min((i + 1) * split_size, n)) for i in range(pieces)]


def split_with_sizes(self: Tensor, split_sizes: Sequence[Any], dim: int = 0) -> list[Tensor]:
    """Pieces of the given sizes."""
    found, start = [], 0
    for n in split_sizes:
        found.append(aten.slice.Tensor(self, dim, start, start + n))
        start = start + n
    return found


def unbind(self: Tensor, dim: int = 0) -> list[Tensor]:
    """Every slice along ``dim``."""
    return [select(self, dim, i) for i in range(int(self.shape[dim]))]


def diagonal(self: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal as the last dimension, gathered by one index per element."""
    rank = self.dim()
    a, b = front(dim1, rank), front(dim2, rank)
    order = [d for d in range(rank) if d not in (a, b)] + [a, b]
    x = aten.permute.default(self, order)
    rows, columns = x.shape[-2], x.shape[-1]
    length = torch.sym_max(torch.sym_min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    along = aten.arange.start_step(0, length, 1, dtype=torch.int64, device=self.device)
    i = aten.add.Tensor(along, scalar(max(-offset, 0), torch.int64, self))
    j = aten.add.Tensor(along, scalar(max(offset, 0), torch.int64, self))
    return aten.index.Tensor(x, [None] * (rank - 2) + [i, j])


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Sliding windows along one dimension, the window last."""
    if self.dim() == 0:
        return aten.slice.Tensor(aten.unsqueeze.default(self, 0), 0, 0, size)
    at = front(dimension, self.dim())
    windows = (self.shape[at] - size) // step + 1
    starts = aten.arange.start_step(0, windows, 1, dtype=torch.int64, device=self.device)
    starts = aten.mul.Tensor(starts, scalar(step, torch.int64, self))
    inside = aten.arange.start_step(0, size, 1, dtype=torch.int64, device=self.device)
    index = aten.add.Tensor(aten.unsqueeze.default(starts, 1), inside)
    picked = aten.index.Tensor(self, [None] * at + [index])
    order = [d for d in range(picked.dim()) if d != at + 1] + [at + 1]
    return aten.permute.default(picked, order)


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Operands in their promoted dtype."""
    dtype = promote([list(tensors)])
    return aten.cat.default([convert(x, dtype) for x in tensors], dim)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Concatenation along a new dimension."""
    at = front(dim, tensors[0].dim() + 1)
    return aten.cat.default([aten.unsqueeze.default(x, at) for x in tensors], at)


def repeat(self: Tensor, repeats: Sequence[Any]) -> Tensor:
    """Tiles by inserting, expanding and merging one dimension per tiled dimension."""
    x = self
    for _ in range(len(repeats) - self.dim()):
        x = aten.unsqueeze.default(x, 0)
    spread, merged = [], []
    for d, n in enumerate(repeats):
        spread += [n, x.shape[d]]
        merged.append(n * x.shape[d])
    for d in reversed(range(x.dim())):
        x = aten.unsqueeze.default(x, d)
    wide = aten.expand.default(x, spread)
    return aten.view.default(aten.clone.default(wide, memory_format=torch.contiguous_format), merged)


def roll(self: Tensor, shifts: Sequence[Any], dims: Sequence[int] = ()) -> Tensor:
    """Elements moved around the end of each listed dimension."""
    if not dims:
        flat = aten.view.default(aten.clone.default(self, memory_format=torch.contiguous_format), [-1])
        rolled = _roll(flat, shifts[0], 0)
        return aten.view.default(rolled, list(self.shape))
    x = self
    for shift, dim in zip(shifts, dims, strict=True):
        x = _roll(x, shift, front(dim, self.dim()))
    return x


def _roll(x: Tensor, shift: Any, dim: int) -> Tensor:
    n = x.shape[dim]
    positions = aten.arange.start_step(0, n, 1, dtype=torch.int64, device=x.device)
    moved = aten.sub.Tensor(positions, scalar(shift, torch.int64, x))
    index = aten.remainder.Tensor(moved, scalar(torch.sym_max(n, 1), torch.int64, x))
    return aten.index.Tensor(x, [None] * dim + [index])


def positions(x: Tensor, dim: int) -> Tensor:
    """0, 1, … along ``dim``, broadcastable to ``x``."""
    index = aten.arange.start_step(0, x.shape[dim], 1, dtype=torch.int64, device=x.device)
    return aten.view.default(index, _flat(x, dim))


def _flat(x: Tensor, dim: int) -> list[Any]:
    return [x.shape[dim] if d == dim else 1 for d in range(x.dim())]


def _slice_bounds(x: Tensor, dim: int, start: Any, end: Any) -> tuple[Any, Any]:
    n = x.shape[dim]

    def inside(bound: Any, default: Any) -> Any:
        if bound is None:
            return default
        if isinstance(bound, int) and bound < 0:
            bound = bound + n
            return torch.sym_max(bound, 0)
        return torch.sym_min(bound, n)

    return inside(start, 0), inside(end, n)


def slice_scatter(
    self: Tensor, src: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    """``self`` with ``self[start:end:step]`` along ``dim`` replaced by ``src``."""
    at = front(dim, self.dim())
    first, last = _slice_bounds(self, at, start, end)
    position = positions(self, at)
    offset = aten.sub.Tensor(position, scalar(first, torch.int64, self))
    zero = scalar(0, torch.int64, self)
    hit = aten.bitwise_and.Tensor(
        aten.ge.Tensor(offset, zero), aten.lt.Tensor(position, scalar(last, torch.int64, self))
    )
    if step != 1:
        strided = aten.remainder.Tensor(offset, scalar(step, torch.int64, self))
        hit = aten.bitwise_and.Tensor(hit, aten.eq.Tensor(strided, zero))
        offset = aten.div.Tensor_mode(offset, scalar(step, torch.int64, self), rounding_mode="trunc")
    source = aten.where.self(hit, offset, zero)
    flat = aten.view.default(source, [self.shape[at]])
    # One row of zeros keeps the index valid where the slice is empty; it is never selected.
    padded = aten.constant_pad_nd.default(src, [0, 0] * (src.dim() - 1 - at) + [0, 1], 0)
    spread = aten.index.Tensor(padded, [None] * at + [flat])
    return aten.where.self(hit, convert(spread, self.dtype), self)


def select_scatter(self: Tensor, src: Tensor, dim: int, index: Any) -> Tensor:
    """``self`` with one slice along ``dim`` replaced by ``src``."""
    at = front(dim, self.dim())
    where = index if not isinstance(index, int) or index >= 0 else index + self.shape[at]
    hit = aten.eq.Tensor(positions(self, at), scalar(where, torch.int64, self))
    return aten.where.self(hit, convert(aten.unsqueeze.default(src, at), self.dtype), self)


def diagonal_scatter(self: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """``self`` with a diagonal replaced by ``src``."""
    rank = self.dim()
    a, b = front(dim1, rank), front(dim2, rank)
    order = [d for d in range(rank) if d not in (a, b)] + [a, b]
    x = aten.permute.default(self, order)
    rows, columns = positions(x, rank - 2), positions(x, rank - 1)
    hit = aten.eq.Tensor(columns, aten.add.Tensor(rows, scalar(offset, torch.int64, self)))
    # The element on row i of the diagonal is src[i - max(-offset, 0)]; other rows read element 0 of a
    # padded source.
    along = aten.arange.start_step(0, x.shape[-2], 1, dtype=torch.int64, device=self.device)
    index = aten.sub.Tensor(along, scalar(max(-offset, 0), torch.int64, self))
    inside = aten.bitwise_and.Tensor(
        aten.ge.Tensor(index, scalar(0, torch.int64, self)),
        aten.lt.Tensor(index, scalar(src.shape[-1], torch.int64, self)),
    )
    index = aten.where.self(inside, index, scalar(0, torch.int64, self))
    padded = aten.constant_pad_nd.default(src, [0, 1], 0)
    spread = aten.unsqueeze.default(aten.index.Tensor(padded, [None] * (rank - 2) + [index]), rank - 1)
    result = aten.where.self(hit, convert(spread, self.dtype), x)
    return aten.permute.default(result, [order.index(d) for d in range(rank)])


def _triangle(self: Tensor, diagonal: Any, keep: Any) -> Tensor:
    rank = self.dim()
    rows, columns = positions(self, rank - 2), positions(self, rank - 1)
    edge = aten.add.Tensor(rows, scalar(diagonal, torch.int64, self))
    return aten.where.self(keep(columns, edge), self, scalar(0, self.dtype, self))


def tril(self: Tensor, diagonal: Any = 0) -> Tensor:
    """Zero above the diagonal."""
    return _triangle(self, diagonal, aten.le.Tensor)


def triu(self: Tensor, diagonal: Any = 0) -> Tensor:
    """Zero below the diagonal."""
    return _triangle(self, diagonal, aten.ge.Tensor)


def _memory_positions(
    self: Tensor, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any
) -> Tensor:
    """Where each element of a strided view is in memory."""
    index = scalar(0 if storage_offset is None else storage_offset, torch.int64, self)
    for d, (n, step) in enumerate(zip(size, stride, strict=True)):
        along = aten.arange.start_step(0, n, 1, dtype=torch.int64, device=self.device)
        along = aten.view.default(along, [n if i == d else 1 for i in range(len(size))])
        index = aten.add.Tensor(index, aten.mul.Tensor(along, scalar(step, torch.int64, self)))
    return aten.expand.default(index, list(size))


def as_strided(
    self: Tensor, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any = None
) -> Tensor:
    """Elements of a row-major operand picked by their position in memory; negative offsets do not occur."""
    flat = aten.view.default(self, [self.numel()])
    return aten.index.Tensor(flat, [_memory_positions(self, size, stride, storage_offset)])


def fill_like(self: Tensor, value: Number) -> Tensor:
    """``value`` in self's shape and dtype."""
    return aten.full.default(list(self.shape), value, dtype=self.dtype, device=self.device)


def chunk_cat(tensors: Sequence[Tensor], dim: int, num_chunks: int) -> Tensor:
    """``num_chunks`` rows with a share of every tensor: each is padded with zeros, split along ``dim``, and
    its chunks are flattened.
    """
    dim, rows = front(dim, tensors[0].dim()), []
    for x in tensors:
        share = (x.shape[dim] + num_chunks - 1) // num_chunks
        pads = [0, 0] * (x.dim() - 1 - dim) + [0, share * num_chunks - x.shape[dim]]
        width: Any = share
        for n in x.shape[dim + 1 :]:
            width = width * n
        rows.append(reshaped(aten.constant_pad_nd.default(x, pads, 0), [*x.shape[:dim], num_chunks, width]))
    return aten.cat.default(rows, dim + 1)


def diag_embed(self: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension as a diagonal of zeros otherwise."""
    rank = self.dim() + 1
    a, b = front(dim1, rank), front(dim2, rank)
    n = self.shape[-1]
    side = n + abs(offset)
    shifted = aten.constant_pad_nd.default(self, [max(-offset, 0), max(offset, 0)], 0)
    along = aten.arange.start_step(0, side, 1, dtype=torch.int64, device=self.device)
    row, column = aten.unsqueeze.default(along, 1), aten.unsqueeze.default(along, 0)
    hit = aten.eq.Tensor(column, aten.add.Tensor(row, scalar(offset, torch.int64, self)))
    matrix = aten.where.self(hit, aten.unsqueeze.default(shifted, -1), scalar(0, self.dtype, self))
    # Rows and columns are last; the others keep their order.
    order = [d for d in range(rank) if d not in (a, b)] + [a, b]
    return aten.permute.default(matrix, [order.index(d) for d in range(rank)])


def as_strided_scatter(
    self: Tensor, src: Tensor, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any = None
) -> Tensor:
    """Elements of a row-major operand, picked by their position in memory, replaced by ``src``."""
    flat = reshaped(self, [-1])
    index = reshaped(_memory_positions(self, size, stride, storage_offset), [-1])
    written = aten.scatter.src(flat, 0, index, reshaped(src, [-1]))
    return aten.view.default(written, list(self.shape))


def _triangle_indices(
    row: int, col: int, offset: int, dtype: torch.dtype, device: Any, lower: bool
) -> Tensor:
    """Position p is in the first row that ends beyond p. Row r has the columns below ``edge(r + 1)``, or
    those from ``edge(r)`` on, with ``edge(r) = clamp(r + offset, 0, col)``.
    """
    total = below_diagonal(row, col, offset) if lower else row * col - below_diagonal(row, col, offset - 1)
    if total == 0:
        return aten.full.default([2, 0], 0, dtype=dtype, device=device)
    along = aten.arange.start_step(0, row, 1, dtype=torch.int64, device=device)
    limit = scalar(col, torch.int64, along)
    edge = aten.add.Tensor(along, scalar(offset + lower, torch.int64, along))
    edge = aten.minimum.default(aten.maximum.default(edge, scalar(0, torch.int64, along)), limit)
    length = edge if lower else aten.sub.Tensor(limit, edge)
    ends = aten.cumsum.default(length, 0)
    position = aten.arange.start_step(0, total, 1, dtype=torch.int64, device=device)
    rows = aten.searchsorted.Tensor(ends, position, right=True)
    # A column is its position less where its row starts; upper rows start at column ``edge``.
    origin = aten.sub.Tensor(ends, length if lower else limit)
    columns = aten.sub.Tensor(position, aten.index.Tensor(origin, [rows]))
    return convert(aten.cat.default([aten.unsqueeze.default(x, 0) for x in (rows, columns)], 0), dtype)


def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: torch.dtype | None = torch.int64,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Rows and columns of the entries on and below a diagonal."""
    return _triangle_indices(row, col, offset, dtype or torch.int64, device, True)


def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: torch.dtype | None = torch.int64,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Rows and columns of the entries on and above a diagonal."""
    return _triangle_indices(row, col, offset, dtype or torch.int64, device, False)


def repeat_interleave(repeats: Tensor, *, output_size: Any = None) -> Tensor:
    """Each position as often as its count says: position p of the result belongs to the first count whose
    running sum is beyond p.
    """
    ends = aten.cumsum.default(convert(repeats, torch.int64), 0)
    if output_size is None:
        output_size = aten._local_scalar_dense.default(
            aten.sum.dim_IntList(convert(repeats, torch.int64), [0], False)
        )
    along = aten.arange.start_step(0, output_size, 1, dtype=torch.int64, device=repeats.device)
    return convert(aten.searchsorted.Tensor(ends, along, right=True), repeats.dtype)
