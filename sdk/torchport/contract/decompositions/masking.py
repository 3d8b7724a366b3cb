"""Decompositions of operators on the elements that a mask selects.

The rank of a selected element among the selected ones is the running count of the mask, less one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, scalar
from torchport.contract.decompositions.layout import reshaped, select
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.reduction import nonzero_mask


def _common(a: Tensor, b: Tensor) -> list[Any]:
    """The sizes that both operands broadcast to."""
    return list(torch.broadcast_shapes(a.shape, b.shape))


def _flat(x: Tensor, size: Sequence[Any]) -> Tensor:
    return reshaped(aten.expand.default(x, list(size)), [-1])


def _rank(mask: Tensor) -> Tensor:
    """Of each selected element of a flat mask, how many selected elements come before it."""
    count = aten.cumsum.default(convert(mask, torch.int64), 0)
    return aten.sub.Tensor(count, scalar(1, torch.int64, mask))


def masked_select(self: Tensor, mask: Tensor) -> Tensor:
    """The selected elements in row-major order."""
    size = _common(self, mask)
    where = select(aten.nonzero.default(_flat(mask, size)), 1, 0)
    return aten.index.Tensor(_flat(self, size), [where])


def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Selected elements replaced by the elements of ``source`` in order."""
    size = _common(self, mask)
    hit = _flat(mask, size)
    zero = scalar(0, torch.int64, self)
    where = aten.where.self(hit, _rank(hit), zero)
    # One element more keeps position 0 readable where the source is empty.
    values = aten.constant_pad_nd.default(reshaped(source, [-1]), [0, 1], 0)
    result = aten.where.self(hit, aten.index.Tensor(values, [where]), _flat(self, size))
    return aten.view.default(result, size)


def masked_scatter_backward(grad_output: Tensor, mask: Tensor, sizes: Sequence[Any]) -> Tensor:
    """Gradient of the source: the selected gradients in order, then zeros."""
    size = _common(grad_output, mask)
    hit, grad = _flat(mask, size), _flat(grad_output, size)
    total: Any = 1
    for n in sizes:
        total = total * n
    end = scalar(total, torch.int64, grad)
    where = aten.where.self(hit, _rank(hit), end)
    empty = aten.full.default([total + 1], 0, dtype=grad.dtype, device=grad.device)
    filled = aten.scatter.src(empty, 0, where, grad)
    return aten.view.default(aten.slice.Tensor(filled, 0, 0, total), list(sizes))


def nonzero_static(self: Tensor, *, size: Any, fill_value: int = -1) -> Tensor:
    """Positions of the first ``size`` elements that are not zero, [size, rank]; rows beyond them are
    ``fill_value``.
    """
    if self.dim() == 0:
        return aten.full.default([size, 0], 0, dtype=torch.int64, device=self.device)
    hit = reshaped(nonzero_mask(self), [-1])
    n = hit.shape[0]
    end = scalar(size, torch.int64, self)
    rank = _rank(hit)
    kept = aten.bitwise_and.Tensor(hit, aten.lt.Tensor(rank, end))
    none = aten.full.default([size + 1], -1, dtype=torch.int64, device=self.device)
    along = aten.arange.start_step(0, n, 1, dtype=torch.int64, device=self.device)
    found = aten.scatter.src(none, 0, aten.where.self(kept, rank, end), along)
    found = aten.slice.Tensor(found, 0, 0, size)
    columns: list[Tensor] = []
    step = scalar(1, torch.int64, self)
    for d in reversed(range(self.dim())):
        extent = scalar(torch.sym_max(self.shape[d], 1), torch.int64, self)
        outer = aten.div.Tensor_mode(found, step, rounding_mode="trunc")
        columns.insert(0, aten.unsqueeze.default(aten.remainder.Tensor(outer, extent), 1))
        step = aten.mul.Tensor(step, extent)
    table = aten.cat.default(columns, 1)
    missing = aten.unsqueeze.default(aten.lt.Tensor(found, scalar(0, torch.int64, self)), 1)
    return aten.where.self(missing, scalar(fill_value, torch.int64, self), table)
