"""Batches of matrices for decompositions: transposes, triangles, products and common batch shapes.

A matrix is the last two dimensions of a tensor; the dimensions before them are the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.complex_numbers import conjugate
from torchport.contract.decompositions.elementwise import scalar
from torchport.contract.decompositions.layout import (
    reshaped,
    transpose,
    tril as lower_triangle,
    triu as upper_triangle,
)
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import positions

__all__ = [
    "adjoint",
    "column",
    "common_batch",
    "identity_like",
    "leading",
    "lower_triangle",
    "multiply",
    "on_batch",
    "swapped",
    "upper_triangle",
    "without_column",
]


def swapped(x: Tensor) -> Tensor:
    """The transpose of each matrix."""
    return transpose(x, -2, -1)


def adjoint(x: Tensor) -> Tensor:
    """The conjugate transpose of each matrix."""
    return conjugate(swapped(x)) if x.dtype.is_complex else swapped(x)


def column(x: Tensor) -> Tensor:
    """Vectors as matrices of one column."""
    return aten.unsqueeze.default(x, -1)


def without_column(x: Tensor) -> Tensor:
    """Matrices of one column as vectors."""
    return aten.squeeze.dims(x, [-1])


def leading(x: Tensor, rows: Any = None, columns: Any = None) -> Tensor:
    """The first ``rows`` rows and ``columns`` columns of each matrix; None keeps all."""
    x = x if rows is None else aten.slice.Tensor(x, -2, 0, rows)
    return x if columns is None else aten.slice.Tensor(x, -1, 0, columns)


def identity_like(x: Tensor, rows: Any, columns: Any, dtype: torch.dtype | None = None) -> Tensor:
    """The ``rows × columns`` identity, in the dtype of ``x`` and on its device."""
    i, j = positions(rows, x), positions(columns, x)
    on = aten.eq.Tensor(aten.unsqueeze.default(i, 1), aten.unsqueeze.default(j, 0))
    return aten._to_copy.default(on, dtype=x.dtype if dtype is None else dtype)


def common_batch(*shapes: Sequence[Any]) -> list[Any]:
    """The batch that matrices of these shapes have together, under broadcasting."""
    return list(torch.broadcast_shapes(*(tuple(s[:-2]) for s in shapes)))


def on_batch(x: Tensor, batch: Sequence[Any]) -> Tensor:
    """``x`` with its batch expanded to ``batch``."""
    if list(x.shape[:-2]) == list(batch):
        return x
    return aten.expand.default(x, [*batch, x.shape[-2], x.shape[-1]])


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """``a @ b`` of matrices, their batches broadcast."""
    if a.dim() == 2 and b.dim() == 2:
        return aten.mm.default(a, b)
    batch = common_batch(a.shape, b.shape)
    a, b = on_batch(a, batch), on_batch(b, batch)
    if len(batch) == 1:
        return aten.bmm.default(a, b)
    count: Any = 1
    for size in batch:
        count = count * size
    flat = (reshaped(x, [count, x.shape[-2], x.shape[-1]]) for x in (a, b))
    return aten.view.default(aten.bmm.default(*flat), [*batch, a.shape[-2], b.shape[-1]])


def with_unit_diagonal(triangle: Tensor) -> Tensor:
    """A strict triangle of a square matrix with ones on its diagonal."""
    n = triangle.shape[-1]
    return aten.add.Tensor(triangle, on_batch(identity_like(triangle, n, n), triangle.shape[:-2]))


def zero_info(like: Tensor) -> Tensor:
    """The status of factorizations that cannot fail: an int32 zero for each matrix of ``like``."""
    return aten.full.default(list(like.shape[:-2]), 0, dtype=torch.int32, device=like.device)


def nothing(dtype: torch.dtype, like: Tensor) -> Tensor:
    """An output that was not asked for: an empty vector."""
    return aten.full.default([0], 0, dtype=dtype, device=like.device)


def number(value: float, like: Tensor) -> Tensor:
    """A zero-dimensional tensor of the dtype of ``like``."""
    return scalar(value, like.dtype, like)
