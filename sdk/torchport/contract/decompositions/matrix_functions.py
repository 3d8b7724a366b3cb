"""Decompositions of functions of matrices: determinants, the exponential, sums of powers, cross products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.complex_numbers import scaled_by_real
from torchport.contract.decompositions.elementwise import Number, convert, scalar, work_dtype
from torchport.contract.decompositions.layout import diagonal, reshaped
from torchport.contract.decompositions.matrices import identity_like, multiply, number, on_batch, swapped
from torchport.contract.decompositions.operators import aten, several
from torchport.contract.decompositions.precision import positions
from torchport.contract.decompositions.reduction import listed
from torchport.contract.dtype_rules import promote


def _factored(A: Tensor) -> tuple[Tensor, ...]:
    """Factors and pivots of ``A``, or of its transpose where A is real and row-major.

    The transpose of a row-major matrix is the one in LAPACK's order. The gradient formulas of determinants
    read the factors accordingly.
    """
    transposed = not A.dtype.is_complex and A.is_contiguous()
    return several(aten.linalg_lu_factor_ex.default, swapped(A) if transposed else A)


def _sign_of_pivots(pivots: Tensor, dtype: torch.dtype) -> Tensor:
    """The determinant of the row exchanges: -1 for each pivot that names another row than its own."""
    own = positions(pivots.shape[-1] + 1, pivots)
    own = aten.slice.Tensor(own, 0, 1, pivots.shape[-1] + 1)
    moved = aten.ne.Tensor(aten._to_copy.default(pivots, dtype=torch.int64), own)
    count = aten.sum.dim_IntList(aten._to_copy.default(moved, dtype=torch.int64), [-1])
    odd = aten.bitwise_and.Tensor(count, scalar(1, torch.int64, count))
    sign = aten.sub.Tensor(scalar(1, torch.int64, count), aten.mul.Tensor(odd, scalar(2, torch.int64, count)))
    return aten._to_copy.default(sign, dtype=dtype)


def det(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The product of the diagonal of U and the sign of the row exchanges; factors and pivots."""
    LU, pivots, _ = _factored(A)
    product = aten.prod.dim_int(diagonal(LU, 0, -2, -1), -1)
    return aten.mul.Tensor(product, _sign_of_pivots(pivots, A.dtype)), LU, pivots


def slogdet(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The product of the signs and the sum of the logarithms of the sizes of the diagonal of U."""
    LU, pivots, _ = _factored(A)
    along = diagonal(LU, 0, -2, -1)
    size = aten.abs.default(along)
    sign = aten.mul.Tensor(aten.prod.dim_int(aten.sgn.default(along), -1), _sign_of_pivots(pivots, A.dtype))
    return sign, aten.sum.dim_IntList(aten.log.default(size), [-1]), LU, pivots


DEGREE, BLOCK = 18, 5
SCALED_NORM = 1.0
SQUARINGS = 24


def _scaled(x: Tensor, factor: Tensor) -> Tensor:
    """``x`` times one real factor for each matrix."""
    per_matrix = aten.unsqueeze.default(aten.unsqueeze.default(factor, -1), -1)
    if not x.dtype.is_complex:
        return aten.mul.Tensor(x, per_matrix)
    return scaled_by_real(x, aten.unsqueeze.default(per_matrix, -1))


def _taylor(A: Tensor) -> Tensor:
    """``Σ Aᵏ/k!`` up to the degree, by blocks (Paterson and Stockmeyer; Higham, *Functions of Matrices*,
    §4.2): powers below the block's length, then Horner's rule in the block's power.
    """
    powers = [on_batch(identity_like(A, A.shape[-1], A.shape[-1]), A.shape[:-2]), A]
    while len(powers) <= BLOCK:
        powers.append(multiply(powers[-1], A))
    result: Tensor | None = None
    for start in range(DEGREE - DEGREE % BLOCK, -1, -BLOCK):
        terms = None
        for k in range(min(BLOCK, DEGREE + 1 - start) - 1, -1, -1):
            coefficient = number(1.0 / math.factorial(start + k), A)
            term = aten.mul.Tensor(powers[k], coefficient)
            terms = term if terms is None else aten.add.Tensor(terms, term)
        assert terms is not None
        result = terms if result is None else aten.add.Tensor(multiply(result, powers[BLOCK]), terms)
    assert result is not None
    return result


def matrix_exp(self: Tensor) -> Tensor:
    """``exp(A/2ˢ)`` to the power 2ˢ, the first by its Taylor polynomial of degree 18, with s such that the
    norm of ``A/2ˢ`` is at most 1 (Higham, *Functions of Matrices*, §10.3). Matrices of one batch are squared
    together, and each keeps its value when it has been squared often enough.
    """
    A = convert(self, work_dtype(self.dtype))
    norm = aten.amax.default(aten.sum.dim_IntList(aten.abs.default(_with_room(A)), [-2]), [-1])
    halvings = aten.ceil.default(aten.log2.default(aten.mul.Tensor(norm, number(1.0 / SCALED_NORM, norm))))
    times = aten.minimum.default(
        aten.maximum.default(halvings, number(0.0, norm)), number(float(SQUARINGS), norm)
    )
    result = _taylor(_scaled(A, aten.exp2.default(aten.neg.default(times))))
    for done in range(SQUARINGS):
        again = aten.gt.Tensor(times, number(float(done), times))
        again = aten.unsqueeze.default(aten.unsqueeze.default(again, -1), -1)
        result = aten.where.self(again, multiply(result, result), result)
    return convert(result, self.dtype)


def _with_room(A: Tensor) -> Tensor:
    """With one more column of zeros, so that the largest column exists."""
    return aten.constant_pad_nd.default(A, [0, 1], 0)


def powsum(
    self: Tensor,
    ord: Number = 2,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """``Σ |x|^ord``."""
    given = self if dtype is None else convert(self, dtype)
    size = aten.abs.default(given)
    result = size.dtype
    work = work_dtype(result)
    x = convert(size, work)
    exponent = float(ord.real)
    if exponent == 0.0:
        powers = convert(aten.ne.Tensor(x, number(0.0, x)), work)
    elif exponent == 1.0:
        powers = x
    elif exponent == 2.0:
        powers = aten.mul.Tensor(x, x)
    else:
        powers = aten.pow.Tensor_Tensor(x, number(exponent, x))
    return convert(aten.sum.dim_IntList(powers, listed(self, dim), keepdim), result)


def cross(self: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """``a₁b₂ - a₂b₁`` and its cyclic shifts along ``dim``."""
    work = work_dtype(self.dtype)
    shape = list(torch.broadcast_shapes(self.shape, other.shape))
    a, b = (aten.expand.default(convert(x, work), shape) for x in (self, other))
    forth = [aten.roll.default(x, [-1], [dim]) for x in (a, b)]
    back = [aten.roll.default(x, [-2], [dim]) for x in (a, b)]
    result = aten.sub.Tensor(aten.mul.Tensor(forth[0], back[1]), aten.mul.Tensor(back[0], forth[1]))
    return convert(result, self.dtype)


def trace(self: Tensor) -> Tensor:
    """The sum of the diagonal."""
    return aten.sum.dim_IntList(diagonal(self), [0])


def block_diag(tensors: Sequence[Tensor]) -> Tensor:
    """Each matrix in rows and columns of its own; a vector is one row, a number one element."""
    blocks = [_as_matrix(x) for x in tensors]
    dtype = promote([list(tensors)])
    widths = [x.shape[1] for x in blocks]
    rows = []
    for i, x in enumerate(blocks):
        before, after = sum(widths[:i]), sum(widths[i + 1 :])
        rows.append(aten.constant_pad_nd.default(convert(x, dtype), [before, after], 0))
    return aten.cat.default(rows, 0)


def _as_matrix(x: Tensor) -> Tensor:
    sizes: list[Any] = [1] * (2 - x.dim()) + list(x.shape)
    return x if x.dim() == 2 else reshaped(x, sizes)
