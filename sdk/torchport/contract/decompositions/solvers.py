"""Decompositions of the solvers of linear systems and least-squares problems.

Everything comes down to one primitive, the forward substitution ``L X = B``; an upper triangle is a lower
one with the order of its rows and columns reversed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.complex_numbers import real_part
from torchport.contract.decompositions.factorizations import assert_factored
from torchport.contract.decompositions.matrices import (
    adjoint,
    column,
    common_batch,
    identity_like,
    lower_triangle,
    multiply,
    nothing,
    number,
    on_batch,
    swapped,
    upper_triangle,
    with_unit_diagonal,
    without_column,
)
from torchport.contract.decompositions.operators import aten, several
from torchport.contract.decompositions.precision import positions


def solve_triangular(
    self: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Reduced to ``L X = B``: transposed where X stands left, reversed where the triangle is upper."""
    batch = common_batch(self.shape, B.shape)
    A, B = on_batch(self, batch), on_batch(B, batch)
    if unitriangular:
        A = with_unit_diagonal(upper_triangle(A, 1) if upper else lower_triangle(A, -1))
    if not left:
        A, B, upper = swapped(A), swapped(B), not upper
    if upper:
        A, B = aten.flip.default(A, [-2, -1]), aten.flip.default(B, [-2])
    X = aten.linalg_solve_triangular.default(A, B, upper=False)
    X = aten.flip.default(X, [-2]) if upper else X
    return X if left else swapped(X)


def triangular_solve(
    self: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """The solution and a copy of the coefficients, their batches broadcast."""
    batch = common_batch(A.shape, self.shape)
    coefficients = aten.clone.default(on_batch(A, batch), memory_format=torch.contiguous_format)
    solution = aten.linalg_solve_triangular.default(
        swapped(A) if transpose else A, self, upper=upper != transpose, unitriangular=unitriangular
    )
    return solution, coefficients


def cholesky_solve(self: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """Two substitutions, with ``L`` and ``L*`` (or ``U*`` and ``U``)."""
    first, second = (adjoint(input2), input2) if upper else (input2, adjoint(input2))
    half = aten.linalg_solve_triangular.default(first, self, upper=False)
    return aten.linalg_solve_triangular.default(second, half, upper=True)


def cholesky_inverse(self: Tensor, upper: bool = False) -> Tensor:
    """The system solved for the identity."""
    n = self.shape[-1]
    return cholesky_solve(on_batch(identity_like(self, n, n), self.shape[:-2]), self, upper)


def _rows(x: Tensor, order: Tensor) -> Tensor:
    """Rows of each matrix picked by ``order``, one list of rows for each."""
    index = aten.expand.default(column(order), [*x.shape[:-2], order.shape[-1], x.shape[-1]])
    return aten.gather.default(x, -2, index)


def _numbers(P: Tensor, dim: int) -> Tensor:
    """Where the one 1 of each row or column of a permutation matrix is, counted along ``dim``."""
    place = positions(P.shape[dim], P)
    place = column(place) if dim == -2 else place
    none = number(0, place)
    found = aten.where.self(aten.ne.Tensor(P, number(0.0, P)), place, none)
    return aten.sum.dim_IntList(found, [dim])


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """With ``A = P L U``: ``U⁻¹ L⁻¹ P* B``, or ``P L⁻* U⁻* B`` for the adjoint system."""
    return _lu_solve(LU, pivots, B, left, adjoint)


def _lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, of_adjoint: bool) -> Tensor:
    if not left:
        return adjoint(_lu_solve(LU, pivots, adjoint(B), True, not of_adjoint))
    batch = common_batch(LU.shape, B.shape)
    P = real_part(on_batch(several(aten.lu_unpack.default, LU, pivots, False, True)[0], batch))
    B = on_batch(B, batch)
    solve = aten.linalg_solve_triangular.default
    if not of_adjoint:
        # Row i of P* B is row k of B where P[k, i] is 1.
        half = solve(LU, _rows(B, _numbers(P, -2)), upper=False, unitriangular=True)
        return solve(LU, half, upper=True)
    flipped = adjoint(LU)
    half = solve(flipped, B, upper=False)
    return _rows(solve(flipped, half, upper=True, unitriangular=True), _numbers(P, -1))


def _is_vector(A: Tensor, B: Tensor) -> bool:
    """Whether ``B`` is a batch of vectors rather than of matrices."""
    return B.dim() == 1 or (B.dim() == A.dim() - 1 and list(B.shape) == list(A.shape[:-1]))


def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Solution, factors, pivots and status."""
    LU, pivots, info = several(aten.linalg_lu_factor_ex.default, A)
    if check_errors:
        assert_factored(info, "linalg.solve_ex")
    vector = _is_vector(A, B)
    X = aten.linalg_lu_solve.default(LU, pivots, column(B) if vector else B, left=left)
    return (without_column(X) if vector else X), LU, pivots, info


def inv_ex(A: Tensor, *, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    """The system solved for the identity."""
    n = A.shape[-1]
    LU, pivots, info = several(aten.linalg_lu_factor_ex.default, A)
    if check_errors:
        assert_factored(info, "linalg.inv_ex")
    whole = on_batch(identity_like(A, n, n), A.shape[:-2])
    return aten.linalg_lu_solve.default(LU, pivots, whole), info


def _inverted(values: Tensor, kept: Tensor) -> Tensor:
    """Reciprocals of the values that are kept, 0 for the others."""
    safe = aten.where.self(kept, values, number(1.0, values))
    return aten.where.self(kept, aten.reciprocal.default(safe), number(0.0, values))


def _scaled_columns(x: Tensor, factors: Tensor) -> Tensor:
    """Each column of ``x`` times its factor; the factors are real."""
    row = aten.unsqueeze.default(factors, -2)
    return aten.mul.Tensor(x, aten._to_copy.default(row, dtype=x.dtype) if x.dtype.is_complex else row)


def pinv(
    self: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False
) -> Tensor:
    """Inverts the singular values above ``max(atol, rtol·σ₁)``; rtol is max(m, n) ε where neither is given.

    A Hermitian matrix is decomposed by its eigenvalues, whose sizes are the singular values.
    """
    if hermitian:
        values, vectors = several(aten._linalg_eigh.default, self, "L", True)
        sizes, left, right = aten.abs.default(values), vectors, adjoint(vectors)
        largest = aten.amax.default(sizes, [-1], True)
    else:
        U, sizes, Vh = several(aten._linalg_svd.default, self, False, True)
        values, left, right = sizes, adjoint(Vh), adjoint(U)
        largest = aten.slice.Tensor(sizes, -1, 0, 1)
    kept = aten.gt.Tensor(sizes, _tolerance(self, largest, atol, rtol))
    return multiply(_scaled_columns(left, _inverted(values, kept)), right)


def _tolerance(A: Tensor, largest: Tensor, atol: Tensor | None, rtol: Tensor | None) -> Tensor:
    epsilon = torch.finfo(A.dtype).eps * torch.sym_max(A.shape[-2], A.shape[-1])
    relative = None if rtol is None else aten._to_copy.default(rtol, dtype=largest.dtype)
    absolute = None if atol is None else aten._to_copy.default(atol, dtype=largest.dtype)
    if relative is None:
        relative = number(epsilon, largest)
        if absolute is not None:
            positive = aten.gt.Tensor(absolute, number(0.0, largest))
            relative = aten.where.self(positive, number(0.0, largest), relative)
    scaled = aten.mul.Tensor(_per_value(relative), largest)
    return scaled if absolute is None else aten.maximum.default(_per_value(absolute), scaled)


def _per_value(tolerance: Tensor) -> Tensor:
    """One tolerance for each matrix, beside its singular values."""
    return tolerance if tolerance.dim() == 0 else column(tolerance)


def lstsq(
    self: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The solution of least norm, by the singular value decomposition.

    Singular values up to ``rcond·σ₁`` count as 0 (ε·max(m, n) by default), but none does for ``gels``, which
    takes the rank to be full. Residuals are the squared norms of the columns of ``A X - B``.
    """
    vector = b.dim() == self.dim() - 1
    B = column(b) if vector else b
    m, n = self.shape[-2], self.shape[-1]
    U, S, Vh = several(aten._linalg_svd.default, self, False, True)
    limit: Any = torch.finfo(self.dtype).eps * torch.sym_max(m, n) if rcond is None else rcond
    if driver == "gels":
        kept = aten.ge.Tensor(S, number(0.0, S))
    else:
        kept = aten.gt.Tensor(S, aten.mul.Tensor(aten.slice.Tensor(S, -1, 0, 1), number(limit, S)))
    X = multiply(_scaled_columns(adjoint(Vh), _inverted(S, kept)), multiply(adjoint(U), B))
    rank = aten.sum.dim_IntList(aten._to_copy.default(kept, dtype=torch.int64), [-1])
    real = S.dtype
    residuals = nothing(real, self)
    if m > n and driver not in (None, "gelsy"):
        off = aten.abs.default(aten.sub.Tensor(multiply(self, X), B))
        residuals = aten.sum.dim_IntList(aten.mul.Tensor(off, off), [-2])
    return (
        without_column(X) if vector else X,
        residuals,
        nothing(torch.int64, self) if driver == "gels" else rank,
        S if driver in ("gelsd", "gelss") else nothing(real, self),
    )


def linear_backward(
    self: Tensor, grad_output: Tensor, weight: Tensor, output_mask: Sequence[bool]
) -> tuple[Tensor, Tensor, Tensor]:
    """``g W``, and over all rows ``gᵀ x`` and the sum of g."""
    rows: Any = 1
    for size in grad_output.shape[:-1]:
        rows = rows * size
    g = aten.view.default(
        aten.clone.default(grad_output, memory_format=torch.contiguous_format), [rows, weight.shape[0]]
    )
    x = aten.view.default(
        aten.clone.default(self, memory_format=torch.contiguous_format), [rows, weight.shape[1]]
    )
    grad_input = aten.view.default(aten.mm.default(g, weight), list(self.shape))
    return grad_input, aten.mm.default(swapped(g), x), aten.sum.dim_IntList(g, [0])
