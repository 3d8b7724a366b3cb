"""Decompositions of matrix factorizations to the primitive ones.

Primitive are the Cholesky factor of a lower triangle, LU with row pivoting, LDL, the Householder form of QR
(an operator of our own, because PyTorch cannot trace its ``geqrf``), the thin singular value decomposition,
and the eigenvectors of a Hermitian lower triangle and of a general matrix. The other forms are transposes of
these, or products of Householder reflectors.

A product of k reflectors ``I - τ v v*`` is ``I - V T V*`` with the v as columns of V (the compact WY form:
Schreiber and Van Loan, "A storage-efficient WY representation for products of Householder
transformations", SIAM J. Sci. Stat. Comput. 10(1), 1989). Here T is the solution of ``(I + D S) T = D`` with
``D = diag(τ)`` and S the strict upper triangle of ``V* V``: no τ is divided by, so τ = 0 is nothing special.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions.matrices import (
    adjoint,
    column,
    identity_like,
    leading,
    lower_triangle,
    multiply,
    nothing,
    number,
    on_batch,
    upper_triangle,
)
from torchport.contract.decompositions.operators import aten, several

Pair = tuple[Tensor, Tensor]
Triple = tuple[Tensor, Tensor, Tensor]


def check_errors(info: Tensor, api_name: str, *, is_matrix: bool) -> None:
    """Fails where a status says that a factorization failed."""
    assert_factored(info, api_name)


def assert_factored(info: Tensor, api_name: str) -> None:
    """Fails, with the caller's name, unless every status is 0."""
    failed = aten.any.default(aten.ne.Tensor(info, number(0, info)))
    torch.ops.aten._assert_async.msg(
        aten.logical_not.default(failed), f"{api_name}: a matrix is singular or not positive-definite"
    )


def cholesky_ex(self: Tensor, *, upper: bool = False, check_errors: bool = False) -> tuple[Tensor, ...]:
    """``U* U`` of the upper triangle is ``L L*`` of the lower triangle of the adjoint, with ``U = L*``."""
    L, info = several(aten.linalg_cholesky_ex.default, adjoint(self) if upper else self)
    if check_errors:
        assert_factored(info, "linalg.cholesky_ex")
    return (adjoint(L) if upper else L), info


def cholesky(self: Tensor, upper: bool = False) -> Tensor:
    """The Cholesky factor of a positive definite matrix; fails for others."""
    return several(aten.linalg_cholesky_ex.default, self, upper=upper, check_errors=True)[0]


def eigh(A: Tensor, UPLO: str = "L", compute_v: bool = True) -> Pair:
    """A matrix given by its upper triangle is the adjoint of one that is given by its lower triangle."""
    lower = A if UPLO in ("L", "l") else adjoint(A)
    values, vectors = several(aten._linalg_eigh.default, lower, "L", True)
    return values, vectors if compute_v else nothing(A.dtype, A)


def eigvals(self: Tensor) -> Tensor:
    """The eigenvalues of the eigenvalue decomposition."""
    return several(aten.linalg_eig.default, self)[0]


def svd(
    A: Tensor, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None
) -> Triple:
    """The thin decomposition, completed: further columns of U are those of the complete Q of U."""
    U, S, Vh = several(aten._linalg_svd.default, A, False, True)
    if not compute_uv:
        return nothing(A.dtype, A), S, nothing(A.dtype, A)
    if full_matrices:
        U, Vh = _completed(U), adjoint(_completed(adjoint(Vh)))
    return U, S, Vh


def _completed(U: Tensor) -> Tensor:
    """Orthonormal columns and an orthonormal basis of what is orthogonal to them."""
    Q = several(aten.linalg_qr.default, U, "complete")[0]
    return aten.cat.default([U, aten.slice.Tensor(Q, -1, U.shape[-1], U.shape[-2])], -1)


def _reflectors(a: Tensor, tau: Tensor) -> Pair:
    """V and T of the compact WY form of the reflectors that ``a`` holds below its diagonal."""
    k = tau.shape[-1]
    below = lower_triangle(leading(a, columns=k), -1)
    V = aten.add.Tensor(below, on_batch(identity_like(below, below.shape[-2], k), below.shape[:-2]))
    D = aten.mul.Tensor(identity_like(tau, k, k), column(tau))
    S = aten.mul.Tensor(column(tau), upper_triangle(multiply(adjoint(V), V), 1))
    return V, aten.linalg_solve_triangular.default(S, D, upper=True, unitriangular=True)


def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns, as many as ``input`` has, of the product of its reflectors."""
    rows, columns = input.shape[-2], input.shape[-1]
    V, T = _reflectors(input, tau)
    product = multiply(multiply(V, T), adjoint(leading(V, rows=columns)))
    return aten.sub.Tensor(on_batch(identity_like(input, rows, columns), input.shape[:-2]), product)


def ormqr(self: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """A matrix multiplied by the whole product Q of the reflectors, or by its adjoint."""
    V, T = _reflectors(self, input2)
    T = adjoint(T) if transpose else T
    if left:
        return aten.sub.Tensor(input3, multiply(V, multiply(T, multiply(adjoint(V), input3))))
    return aten.sub.Tensor(input3, multiply(multiply(multiply(input3, V), T), adjoint(V)))


def geqrf(self: Tensor) -> Pair:
    """The Householder form of QR."""
    a, tau = several(torch.ops.torchport.householder_qr.default, self)
    return a, tau


def qr(A: Tensor, mode: str = "reduced") -> Pair:
    """Q and R of the Householder form: R is its upper triangle, Q the product of its reflectors."""
    a, tau = several(torch.ops.torchport.householder_qr.default, A)
    k = tau.shape[-1]
    R = upper_triangle(a if mode == "complete" else leading(a, rows=k))
    if mode == "r":
        return nothing(A.dtype, A), R
    if mode == "reduced":
        return aten.linalg_householder_product.default(leading(a, columns=k), tau), R
    rows = A.shape[-2]
    whole = on_batch(identity_like(a, rows, rows), a.shape[:-2])
    return aten.ormqr.default(leading(a, columns=k), tau, whole), R


def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> Triple:
    """The parts that are asked for: L and U are triangles; the permutation is the primitive's."""
    P = nothing(LU_data.dtype, LU_data)
    L = U = P
    if unpack_pivots:
        P = several(aten.lu_unpack.default, LU_data, LU_pivots, True, True)[0]
    if unpack_data:
        k = torch.sym_min(LU_data.shape[-2], LU_data.shape[-1])
        below = lower_triangle(leading(LU_data, columns=k), -1)
        ones = identity_like(below, below.shape[-2], k)
        L = aten.add.Tensor(below, on_batch(ones, below.shape[:-2]))
        U = upper_triangle(leading(LU_data, rows=k))
    return P, L, U


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> tuple[Tensor, ...]:
    """The factorization, and the check of its status."""
    LU, pivots, info = several(aten.linalg_lu_factor_ex.default, A)
    assert_factored(info, "linalg.lu_factor_ex")
    return LU, pivots, info


def lu(A: Tensor, *, pivot: bool = True) -> Triple:
    """The packed factorization, unpacked."""
    LU, pivots, _ = several(aten.linalg_lu_factor_ex.default, A)
    P, L, U = several(aten.lu_unpack.default, LU, pivots)
    return P, L, U


def ldl_factor_ex(self: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> tuple[Tensor, ...]:
    """Of a real matrix both forms are one; the Hermitian form of a complex one is a primitive of its own."""
    if hermitian and self.dtype.is_complex:
        LD, pivots, info = several(torch.ops.torchport.ldl_factor_hermitian.default, self)
    else:
        LD, pivots, info = several(aten.linalg_ldl_factor_ex.default, self)
    if check_errors:
        assert_factored(info, "linalg.ldl_factor_ex")
    return LD, pivots, info


def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """Of a real matrix both forms are one; the batches are broadcast."""
    shape = list(torch.broadcast_shapes(LD.shape[:-2], B.shape[:-2]))
    LD, B = on_batch(LD, shape), on_batch(B, shape)
    if list(pivots.shape[:-1]) != shape:
        pivots = aten.expand.default(pivots, [*shape, pivots.shape[-1]])
    if hermitian and LD.dtype.is_complex:
        solved: Tensor = torch.ops.torchport.ldl_solve_hermitian.default(LD, pivots, B)
        return solved
    return aten.linalg_ldl_solve.default(LD, pivots, B)
