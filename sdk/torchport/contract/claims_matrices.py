"""Laws of factorizations and of solvers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from torchport.contract.claims import (
    FACTOR,
    Claim,
    Law,
    Results,
    equal_matrices,
    hermitian_of,
    identity,
    norm,
    ordered,
    orthonormal,
    triangular,
    zero,
)

aten = torch.ops.aten


def _succeeded(r: Results, info: Tensor) -> bool:
    """Whether no singular or indefinite matrix was found."""
    return not bool((info != 0).any())


def _status(r: Results, output: int, A: Tensor) -> Claim:
    """The status of the reference; either one where rounding decides whether a pivot is 0: the matrix is
    within it of a singular one, and has no row or column of zeros.
    """
    if not A.numel():
        return Claim("the status", (r.got[output] != r.expected[output]).double(), torch.zeros(()))
    least = torch.linalg.svdvals(A)[..., -1]
    near = least <= r.growth(max(A.shape[-2:])) * norm(A)[..., 0, 0]
    plain = (A == 0).all(-1).any(-1) | (A == 0).all(-2).any(-1)
    allowed = torch.where(near & ~plain, math.inf, 0.0)
    return Claim("the status", (r.got[output] != r.expected[output]).double(), allowed)


def cholesky(r: Results) -> Iterator[Claim]:
    """``L L*`` (or ``U* U``) is the matrix that the triangle stands for."""
    A, upper = r.given["self"], bool(r.given["upper"])
    if len(r.expected) == 2:
        yield _status(r, 1, hermitian_of(A, upper))
        if not (_succeeded(r, r.expected[1]) and _succeeded(r, r.got[1])):
            return
    L = r.got[0]
    wanted = hermitian_of(A, upper)
    yield triangular("the other triangle", L, upper=upper)
    yield equal_matrices(
        r, "the product of the factors", L.mH @ L if upper else L @ L.mH, wanted, norm(wanted)
    )


def _factors_multiply(r: Results, A: Tensor, LU: Tensor, pivots: Tensor) -> Iterator[Claim]:
    P, L, U = aten.lu_unpack.default(LU, pivots)
    rows = LU.shape[-2]
    own = torch.arange(1, pivots.shape[-1] + 1)
    yield Claim("row exchanges", ((pivots < own) | (pivots > rows)).double(), torch.zeros(()))
    most = math.sqrt(2.0) if LU.is_complex() else 1.0
    above = (L.abs() - most).clamp(min=0.0)
    yield Claim("multipliers", above, torch.tensor(r.growth(1), dtype=torch.float64))
    yield equal_matrices(r, "the product of the factors", P @ L @ U, A, norm(L) * norm(U))


def lu_factor(r: Results) -> Iterator[Claim]:
    """``P L U`` is the matrix and no multiplier exceeds 1 (√2 of a complex one, whose size is estimated)."""
    yield _status(r, 2, r.given["A"])
    yield from _factors_multiply(r, r.given["A"], r.got[0], r.got[1])


def lu(r: Results) -> Iterator[Claim]:
    """The factors have their form and multiply to the matrix."""
    P, L, U = r.got
    yield triangular("L", L, upper=False)
    yield triangular("U", U, upper=True)
    yield Claim("the diagonal of L", (L.diagonal(dim1=-2, dim2=-1) - 1).abs(), zero(L))
    yield Claim("the permutation", (P @ P.mT - identity(P)).abs(), zero(P))
    yield equal_matrices(r, "the product of the factors", P @ L @ U, r.given["A"], norm(L) * norm(U))


def ldl_factor(r: Results) -> Iterator[Claim]:
    """The factors solve systems of the matrix that the lower triangle stands for."""
    A = r.given["self"]
    own = bool(r.given.get("hermitian", True)) and A.is_complex()
    wanted = hermitian_of(A, False) if own else A.tril() + A.tril(-1).mT
    LD, pivots, _ = r.got
    if not _succeeded(r, r.expected[2]):
        return
    whole = identity(A).expand_as(A)
    inverse = aten.linalg_ldl_solve.default(LD.contiguous(), pivots, whole, hermitian=own)
    yield equal_matrices(r, "the inverse", wanted @ inverse, whole, norm(wanted) * norm(inverse))


def qr(r: Results) -> Iterator[Claim]:
    """Q has orthonormal columns, R is upper triangular, ``Q R`` is the matrix."""
    A, (Q, R) = r.given["A"], r.got
    yield triangular("R", R, upper=True)
    if r.given["mode"] == "r":
        yield equal_matrices(r, "R* R", R.mH @ R, A.mH @ A, norm(A) ** 2)
        return
    yield orthonormal(r, "Q", Q)
    yield equal_matrices(r, "the product of the factors", Q @ R, A, norm(A))


def geqrf(r: Results) -> Iterator[Claim]:
    """The reflectors are unitary and take the triangle to the matrix."""
    A, (a, tau) = r.given["self"], r.got
    k = tau.shape[-1]
    Q = torch.linalg.householder_product(a[..., :k].contiguous(), tau.contiguous())
    yield orthonormal(r, "the product of the reflectors", Q)
    yield equal_matrices(r, "the product of the factors", Q @ a[..., :k, :].triu(), A, norm(A))


def polar(r: Results) -> Iterator[Claim]:
    """U has orthonormal columns, H is Hermitian without negative eigenvalues, ``U H`` is the matrix."""
    A, (U, H) = r.given["A"], r.got
    yield orthonormal(r, "U", U)
    yield equal_matrices(r, "the other triangle", H, H.mH, norm(A))
    yield equal_matrices(r, "the product of the factors", U @ H, A, norm(A))
    yield _not_negative(r, H, norm(A))


def square_root(r: Results) -> Iterator[Claim]:
    """X is Hermitian without negative eigenvalues and ``X X`` is the matrix."""
    A, X = hermitian_of(r.given["self"], False), r.got[0]
    yield equal_matrices(r, "the other triangle", X, X.mH, norm(X))
    yield equal_matrices(r, "the square", X @ X, A, norm(X) ** 2)
    yield _not_negative(r, X, norm(X))


def _not_negative(r: Results, H: Tensor, scale: Tensor) -> Claim:
    below = (-torch.linalg.eigvalsh(H)).clamp(min=0.0)
    return Claim("eigenvalues", below, r.growth(H.shape[-1]) * scale.squeeze(-1))


def _reflected(r: Results, a: Tensor, tau: Tensor, base: Tensor) -> Iterator[Claim]:
    V = a[..., : tau.shape[-1]].tril(-1)
    lengths = 1.0 + (V.abs() ** 2).sum(-2)
    sizes = (1.0 + tau.abs() * lengths).prod(-1)[..., None, None]
    yield equal_matrices(r, "the product with the reflectors", r.got[0], r.expected[0], sizes * base)


def householder_product(r: Results) -> Iterator[Claim]:
    """Against the size of what the reflectors, which need not be unitary, can make of the identity."""
    a = r.given["input"]
    columns = torch.tensor(math.sqrt(max(a.shape[-1], 1)), dtype=torch.float64)
    yield from _reflected(r, a, r.given["tau"], columns)


def ormqr(r: Results) -> Iterator[Claim]:
    """The same, against what the reflectors can make of the other matrix."""
    yield from _reflected(r, r.given["self"], r.given["input2"], norm(r.given["input3"]))


def _eigenvalues(r: Results, scale: Tensor) -> Claim:
    order = r.expected[0].shape[-1]
    return Claim("eigenvalues", (r.got[0] - r.expected[0]).abs(), r.growth(order) * scale.squeeze(-1))


def eigh(r: Results) -> Iterator[Claim]:
    """Eigenvalues ascend and are near the exact ones (Weyl); ``A V = V Λ``; V is unitary."""
    A = hermitian_of(r.given["A"], r.given["UPLO"] in ("U", "u"))
    values, V = r.got
    yield ordered("eigenvalues", values, descending=False)
    yield _eigenvalues(r, norm(A))
    if r.given["compute_v"]:
        yield orthonormal(r, "eigenvectors", V)
        yield equal_matrices(r, "A V", A @ V, V * values.unsqueeze(-2), norm(A))


_EVERY_VALUE = 64
"""The order of matrices up to which each eigenvalue is tested, by a decomposition of its own."""


def _spectrum(r: Results, A: Tensor, values: Tensor) -> Iterator[Claim]:
    """Each value (some, of large matrices) is the eigenvalue of a near matrix, and their sum is the trace."""
    size, order = norm(A), A.shape[-1]
    some = values[..., :: 1 if order <= _EVERY_VALUE else order // 8]
    shifted = A.unsqueeze(-3) - some[..., None, None] * identity(A)
    least = torch.linalg.svdvals(shifted)[..., -1:] if order else some.abs().unsqueeze(-1)
    yield Claim("eigenvalues", least.squeeze(-1), r.growth(order) * size.squeeze(-1))
    total = A.diagonal(dim1=-2, dim2=-1).sum(-1)
    yield Claim("the trace", (values.sum(-1) - total).abs(), r.growth(order) * order * size[..., 0, 0])


def eigvals(r: Results) -> Iterator[Claim]:
    """Eigenvalues of a near matrix."""
    A = r.given["self"]
    yield from _spectrum(r, A + 0j, r.got[0])


def eig(r: Results) -> Iterator[Claim]:
    """``A V = V Λ`` with columns of length 1."""
    A, (values, V) = r.given["self"] + 0j, r.got
    yield from _spectrum(r, A, values)
    lengths = torch.linalg.vector_norm(V, dim=-2)
    yield Claim("lengths", (lengths - 1).abs(), torch.tensor(r.growth(A.shape[-1]), dtype=torch.float64))
    yield equal_matrices(r, "A V", A @ V, V * values.unsqueeze(-2), norm(A))


def svd(r: Results) -> Iterator[Claim]:
    """Singular values descend and are near the exact ones; U and V are orthonormal; ``U S V*`` is A."""
    A, (U, S, Vh) = r.given["A"], r.got
    yield ordered("singular values", S, descending=True)
    yield Claim("signs", (-S).clamp(min=0.0), zero(S))
    growth = r.growth(max(A.shape[-2:], default=1))
    yield Claim("singular values", (S - r.expected[1]).abs(), growth * norm(A).squeeze(-1))
    if r.given["compute_uv"]:
        yield orthonormal(r, "U", U)
        yield orthonormal(r, "V", Vh.mH)
        k = S.shape[-1]
        product = (U[..., :k] * S.unsqueeze(-2)) @ Vh[..., :k, :]
        yield equal_matrices(r, "the product of the factors", product, A, _LAPACK_SVD / FACTOR * norm(A))


_LAPACK_SVD = 100.0
"""Unit roundoffs, times the order of the matrix, by which the product of the factors may differ from it:
LAPACK takes 50 units in the last place, each of two unit roundoffs, in its own tests (DDRVBD).
"""


def _residual(r: Results, A: Tensor, X: Tensor, B: Tensor, size: Tensor | None = None) -> Claim:
    """``A X = B``, against the sizes of A (or ``size``) and X and that of B."""
    scale = (norm(A) if size is None else size) * norm(X) + norm(B)
    return Claim("the residual", norm(A @ X - B), r.growth(A.shape[-1]) * scale)


def _triangle(A: Tensor, upper: bool, unit: bool) -> Tensor:
    half = A.triu(1 if unit else 0) if upper else A.tril(-1 if unit else 0)
    return half + identity(A) if unit else half


def solve_triangular(r: Results) -> Iterator[Claim]:
    """The residual of the triangular system."""
    A = _triangle(r.given["self"], r.given["upper"], r.given["unitriangular"])
    X, B = r.got[0], r.given["B"]
    yield _residual(r, A, X, B) if r.given["left"] else _residual(r, A.mT, X.mT, B.mT)


def triangular_solve(r: Results) -> Iterator[Claim]:
    """The residual, and the copy of the coefficients."""
    A = _triangle(r.given["A"], r.given["upper"], r.given["unitriangular"])
    yield _residual(r, A.mT if r.given["transpose"] else A, r.got[0], r.given["self"])
    yield Claim("the copy", (r.got[1] - r.given["A"]).abs(), torch.zeros(()))


def _of_cholesky(r: Results, L: Tensor, upper: bool, X: Tensor, B: Tensor) -> Claim:
    L = L.triu().mH if upper else L.tril()
    return _residual(r, L @ L.mH, X, B, norm(L) ** 2)


def cholesky_solve(r: Results) -> Iterator[Claim]:
    """The residual of the system of ``L L*``."""
    factor = r.given["input2"] if "input2" in r.given else r.given["A"]
    yield _of_cholesky(r, factor, bool(r.given["upper"]), r.got[0], r.given["self"])


def cholesky_inverse(r: Results) -> Iterator[Claim]:
    """The residual for the identity."""
    L = r.given["self"]
    yield _of_cholesky(r, L, bool(r.given["upper"]), r.got[0], identity(L).expand_as(L))


def lu_solve(r: Results) -> Iterator[Claim]:
    """The residual of the system of ``P L U`` or of its adjoint."""
    P, L, U = aten.lu_unpack.default(r.given["LU"], r.given["pivots"])
    A, size, X, B = P @ L @ U, norm(L) * norm(U), r.got[0], r.given["B"]
    A = A.mH if r.given["adjoint"] else A
    yield _residual(r, A, X, B, size) if r.given["left"] else _residual(r, A.mT, X.mT, B.mT, size)


def ldl_solve(r: Results) -> Iterator[Claim]:
    """The residual of the system whose inverse the factors give in float64."""
    LD, pivots, B = r.given["LD"], r.given["pivots"], r.given["B"]
    own = bool(r.given.get("hermitian", True)) and LD.is_complex()
    whole = identity(LD).expand_as(LD).contiguous()
    A = torch.linalg.inv(aten.linalg_ldl_solve.default(LD, pivots, whole, hermitian=own))
    size = norm(A) + norm(LD) * norm(LD.tril(-1) + identity(LD)) ** 2
    yield _residual(r, A, r.got[0], B, size)


def solve(r: Results) -> Iterator[Claim]:
    """The residual, and the factors."""
    A, B, left = r.given["A"], r.given["B"], r.given["left"]
    X, LU, pivots, _ = r.got
    yield _status(r, 3, A)
    yield from _factors_multiply(r, A, LU, pivots)
    if not (_succeeded(r, r.expected[3]) and _succeeded(r, r.got[3])):
        return
    if X.dim() == 1 or X.shape[-1] != B.shape[-1] or B.dim() < A.dim() - 1 or B.shape == A.shape[:-1]:
        X, B = X.unsqueeze(-1), B.unsqueeze(-1)
    yield _residual(r, A, X, B) if left else _residual(r, A.mT, X.mT, B.mT)


def _factors_of_either(r: Results, A: Tensor, LU: Tensor, pivots: Tensor) -> Iterator[Claim]:
    P, L, U = aten.lu_unpack.default(LU, pivots)
    product = P @ L @ U
    error = torch.minimum(norm(product - A), norm(product - A.mT))
    yield Claim("the product of the factors", error, r.growth(A.shape[-1]) * norm(L) * norm(U))


def inverse(r: Results) -> Iterator[Claim]:
    """``A X = I``."""
    A, X = r.given["A"], r.got[0]
    yield _status(r, 1, A)
    if _succeeded(r, r.expected[1]) and _succeeded(r, r.got[1]):
        yield _residual(r, A, X, identity(A).expand_as(A))


def _perturbed(r: Results, A: Tensor) -> tuple[Tensor, Tensor]:
    """Singular values, and the size of the perturbation that a factorization may make."""
    return torch.linalg.svdvals(A), r.growth(A.shape[-1]) * norm(A).squeeze(-1)


def determinant(r: Results) -> Iterator[Claim]:
    """``|det(A + E) - det(A)| <= Π(σ + |E|) - Πσ`` (Ipsen and Rehman, "Perturbation bounds for determinants
    and characteristic polynomials", SIAM J. Matrix Anal. Appl. 30(2), 2008).
    """
    A, (value, LU, pivots) = r.given["A"], r.got
    sigma, size = _perturbed(r, A)
    allowed = (sigma + size).prod(-1) - sigma.prod(-1)
    yield Claim("the determinant", (value - r.expected[0]).abs(), allowed + r.rounding * value.abs())
    yield from _factors_of_either(r, A, LU, pivots)


def log_determinant(r: Results) -> Iterator[Claim]:
    """The logarithm of the same bound; the sign where the determinant is away from 0."""
    A, (sign, logarithm, LU, pivots) = r.given["A"], r.got
    sigma, size = _perturbed(r, A)
    share = (size / sigma).clamp(max=1.0)
    loose = torch.where(share < 1.0, -torch.log1p(-share), math.inf).sum(-1)
    # Of what may as well be singular, the logarithm may be -inf.
    told = r.expected[1].isfinite() & loose.isfinite()
    finite = torch.where(told, (logarithm - r.expected[1]).abs(), 0.0)
    yield Claim("the logarithm", finite, loose + r.growth(A.shape[-1]) * (1.0 + logarithm.abs()))
    yield Claim("the sign", (sign - r.expected[0]).abs(), loose + r.growth(A.shape[-1]))
    yield from _factors_of_either(r, A, LU, pivots)


def pseudoinverse(r: Results) -> Iterator[Claim]:
    """``|X - A⁺| <= c |A⁺|² |E|`` (Wedin, "Perturbation theory for pseudo-inverses", BIT 13, 1973)."""
    A, X = r.given["self"], r.expected[0]
    wanted = hermitian_of(A, False) if r.given["hermitian"] else A
    yield equal_matrices(r, "the pseudoinverse", r.got[0], X, norm(wanted) * norm(X) ** 2)


def least_squares(r: Results) -> Iterator[Claim]:
    """The solution to within its condition (Wedin, as above; Higham §20.1); rank and singular values."""
    A, B = r.given["self"], r.given["b"]
    X, residuals, rank, S = r.got
    wanted = r.expected[0]
    if B.dim() == A.dim() - 1:
        X, wanted, B = X.unsqueeze(-1), wanted.unsqueeze(-1), B.unsqueeze(-1)
    inverse_size = norm(torch.linalg.pinv(A))
    condition = norm(A) * inverse_size
    scale = condition * norm(wanted) + condition * inverse_size * norm(B)
    yield equal_matrices(r, "the solution", X, wanted, scale)
    if rank.numel():
        yield Claim("the rank", (rank - r.expected[2]).abs().double(), torch.zeros(()))
    if S.numel():
        allowed = r.growth(max(A.shape[-2:])) * norm(A).squeeze(-1)
        yield Claim("singular values", (S - r.expected[3]).abs(), allowed)
    if residuals.numel():
        size = (norm(A) * norm(wanted) + norm(B)) * (norm(B) + condition * norm(B))
        allowed = r.growth(max(A.shape[-2:])) * size[..., 0]
        yield Claim("residuals", (residuals - r.expected[1]).abs(), allowed)


LAWS: Mapping[str, Law] = {
    law.__name__: law
    for law in (
        cholesky,
        lu_factor,
        lu,
        ldl_factor,
        qr,
        geqrf,
        polar,
        square_root,
        householder_product,
        ormqr,
        eigh,
        eigvals,
        eig,
        svd,
        solve_triangular,
        triangular_solve,
        cholesky_solve,
        cholesky_inverse,
        lu_solve,
        ldl_solve,
        solve,
        inverse,
        determinant,
        log_determinant,
        pseudoinverse,
        least_squares,
    )
}
"""Laws by the name that entries use."""
