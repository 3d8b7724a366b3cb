"""Decompositions of norms of differences: between two tensors, all pairs of rows, and their gradients.

Distances are computed from the differences themselves: the squared distance as ``|a|² + |b|² - 2ab`` loses
the digits that a and b share. Only :func:`euclidean_dist` is that product by definition.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.complex_numbers import scaled_by_real
from torchport.contract.decompositions.elementwise import Number, convert, pair, scalar, work_dtype
from torchport.contract.decompositions.matrices import column, multiply, number, swapped
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import positions


def dist(self: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The p-norm of all of ``self - other``."""
    a, b, dtype = pair(self, other)
    work = work_dtype(dtype)
    off = aten.abs.default(aten.sub.Tensor(convert(a, work), convert(b, work)))
    result = dtype.to_real() if dtype.is_complex else dtype
    return convert(aten.linalg_vector_norm.default(off, p), result)


def _norm(off: Tensor, p: float) -> Tensor:
    """The p-norm along the last dimension; the number of non-zeros for p = 0."""
    return aten.linalg_vector_norm.default(off, p, [-1])


def cdist(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> Tensor:
    """Distances of each row of ``x1`` from each of ``x2``."""
    return _norm(_differences(x1, x2), p)


def _differences(x1: Tensor, x2: Tensor) -> Tensor:
    return aten.sub.Tensor(aten.unsqueeze.default(x1, -2), aten.unsqueeze.default(x2, -3))


def _slope(off: Tensor, distance: Tensor, p: float) -> Tensor:
    """The derivative of the p-norm by its terms: ``sign(d) (|d|/norm)^(p-1)``; 0 where a term or the norm
    is 0, and for p = 0. For an infinite p it is the sign of the largest terms.
    """
    zero, one = number(0.0, off), number(1.0, off)
    if p == 0.0:
        return aten.mul.Tensor(off, zero)
    sign, size = aten.sign.default(off), aten.abs.default(off)
    norm = column(distance)
    if p == 1.0:
        return sign
    if math.isinf(p):
        return aten.where.self(aten.eq.Tensor(size, norm), sign, zero)
    none = aten.bitwise_or.Tensor(aten.eq.Tensor(size, zero), aten.eq.Tensor(norm, zero))
    ratio = aten.div.Tensor(aten.where.self(none, one, size), aten.where.self(none, one, norm))
    power = ratio if p == 2.0 else aten.pow.Tensor_Tensor(ratio, number(p - 1.0, off))
    return aten.where.self(none, zero, aten.mul.Tensor(sign, power))


def cdist_backward(grad: Tensor, x1: Tensor, x2: Tensor, p: float, cdist: Tensor) -> Tensor:
    """``Σ_j g_ij slope_ij``: the gradient of the rows of ``x1``; of its shape where there are no pairs."""
    if any(isinstance(d, int) and d == 0 for d in (*grad.shape, x1.shape[-1])):
        return aten.full.default(list(x1.shape), 0, dtype=x1.dtype, device=x1.device)
    slope = _slope(_differences(x1, x2), cdist, p)
    return aten.sum.dim_IntList(aten.mul.Tensor(slope, column(grad)), [-2])


def _pairs(x: Tensor) -> tuple[Tensor, Tensor]:
    """Row numbers i < j of all pairs, in the order of i and then j. Pairs of row i start at
    ``i n - i (i + 1) / 2``.
    """
    n: Any = x.shape[0]
    place = positions(n * (n - 1) // 2, x)
    row = positions(n, x)
    following = aten.add.Tensor(row, scalar(1, torch.int64, x))
    triangle = aten.bitwise_right_shift.Tensor(aten.mul.Tensor(row, following), scalar(1, torch.int64, x))
    starts = aten.sub.Tensor(aten.mul.Tensor(row, scalar(n, torch.int64, x)), triangle)
    i = aten.sub.Tensor(aten.searchsorted.Tensor(starts, place, right=True), scalar(1, torch.int64, x))
    within = aten.sub.Tensor(place, aten.index.Tensor(starts, [i]))
    return i, aten.add.Tensor(within, aten.index.Tensor(following, [i]))


def pdist(self: Tensor, p: float = 2.0) -> Tensor:
    """Distances of all pairs of rows."""
    i, j = _pairs(self)
    return _norm(aten.sub.Tensor(aten.index.Tensor(self, [i]), aten.index.Tensor(self, [j])), p)


def pdist_backward(grad: Tensor, self: Tensor, p: float, pdist: Tensor) -> Tensor:
    """``g slope`` added to the first row of each pair and subtracted from the second."""
    i, j = _pairs(self)
    off = aten.sub.Tensor(aten.index.Tensor(self, [i]), aten.index.Tensor(self, [j]))
    pull = aten.mul.Tensor(_slope(off, pdist, p), column(grad))
    zeros = aten.full.default(list(self.shape), 0, dtype=self.dtype, device=self.device)
    first = aten.index_put.default(zeros, [i], pull, True)
    return aten.index_put.default(first, [j], aten.neg.default(pull), True)


def euclidean_dist(x1: Tensor, x2: Tensor) -> Tensor:
    """``√max(|a|² + |b|² - 2 a·b, 0)``, the products by a matrix product."""
    work = work_dtype(x1.dtype)
    a, b = convert(x1, work), convert(x2, work)
    squares = (aten.sum.dim_IntList(aten.mul.Tensor(x, x), [-1], True) for x in (a, b))
    own, others = squares
    twice = aten.mul.Tensor(multiply(a, swapped(b)), number(2.0, a))
    squared = aten.sub.Tensor(aten.add.Tensor(own, swapped(others)), twice)
    return convert(aten.sqrt.default(aten.maximum.default(squared, number(0.0, a))), x1.dtype)


def renorm(self: Tensor, p: Number, dim: int, maxnorm: Number) -> Tensor:
    """Slices along ``dim`` whose p-norm exceeds ``maxnorm`` are scaled to it: by
    ``maxnorm / (norm + 1e-7)``.
    """
    at = dim + self.dim() if dim < 0 else dim
    work = work_dtype(self.dtype)
    x = convert(self, work)
    rest = [d for d in range(self.dim()) if d != at]
    norm = aten.linalg_vector_norm.default(aten.abs.default(x), p, rest, True)
    limit = number(float(maxnorm.real), norm)
    factor = aten.div.Tensor(limit, aten.add.Tensor(norm, number(1e-7, norm)))
    factor = aten.where.self(aten.gt.Tensor(norm, limit), factor, number(1.0, norm))
    if x.dtype.is_complex:
        return scaled_by_real(x, column(factor))
    return convert(aten.mul.Tensor(x, factor), self.dtype)
