"""Matrix factorizations: Cholesky, LU, LDL, QR, eigenvalues, singular values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from torchport.contract import library
from torchport.contract.claims import obeying
from torchport.contract.decompositions import factorizations as decompose
from torchport.contract.ops.builders import COMPLEX, EXACT, FLAG, Decomposition, Rule, entry
from torchport.contract.ops.macros import register_fake
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

LAPACK = ("float32", "float64", *COMPLEX)
"""The dtypes that matrices are factored in."""
SQUARE = "[*B, n, n]"
ANY_MATRIX = "[*B, n, l]"
"""Wide and tall matrices: the letters are drawn in both orders."""
DEFINITE = "positive-definite"
SILENT: Rule = ("not check_errors", "what fails is told by the status of a prim", Tier.PRIM)
COLUMNS = "eager"
"""Matrices are in column order, as LAPACK leaves them."""


def square(name: str) -> tuple[Rule, Rule]:
    """The constraint that an operand holds square matrices, and the error otherwise."""
    return (
        (f"is_square({name})", "the matrices are square"),
        (f"not is_square({name})", "the matrices are not square"),
    )


def matrices(name: str) -> tuple[Rule, Rule]:
    """The constraint that an operand holds matrices, and the error otherwise."""
    return (
        (f"rank({name}) >= 2", "there are two dimensions at least"),
        (f"rank({name}) < 2", "there are fewer than two dimensions"),
    )


def linear_algebra(
    name: str,
    *,
    operands: Mapping[str, Operand],
    results: Sequence[str],
    shape: Sequence[str],
    law: str | Numerics,
    accepts: Mapping[str, Sequence[str]] | None = None,
    layout: Sequence[str] = (),
    rules: Sequence[tuple[Rule, Rule]] = (),
    constraints: Sequence[Rule] = (),
    prim: bool = False,
    decomposition: Decomposition | None = None,
    until: str | None = None,
) -> OpSpec:
    """An operator on matrices; tensor operands have the dtype of the first unless ``accepts`` says else.

    ``rules`` are pairs of a constraint and the error that eager PyTorch raises otherwise.
    """
    tensors = [n for n, o in operands.items() if o.pattern is not None]
    same = {n: LAPACK if n == tensors[0] else (f"same:{tensors[0]}",) for n in tensors}
    return entry(
        name,
        category=Category.LINEAR_ALGEBRA,
        accepts={**same, **(accepts or {})},
        results=results,
        shape=shape,
        layout=tuple(layout) or (COLUMNS,) * len(shape),
        numerics=obeying(law) if isinstance(law, str) else law,
        operands=operands,
        constraints=(*(c for c, _ in rules), *constraints),
        errors=[e for _, e in rules],
        prim=prim,
        decomposition=decomposition,
        until=until,
    )


LDL_FACTOR_HERMITIAN = library.define(
    "ldl_factor_hermitian(Tensor self) -> (Tensor LD, Tensor pivots, Tensor info)",
    lambda self: torch.ops.aten.linalg_ldl_factor_ex.default(self, hermitian=True),
)
LDL_SOLVE_HERMITIAN = library.define(
    "ldl_solve_hermitian(Tensor LD, Tensor pivots, Tensor B) -> Tensor",
    lambda LD, pivots, B: torch.ops.aten.linalg_ldl_solve.default(LD, pivots, B, hermitian=True),
)


def _householder_qr(A: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    a, tau = torch.ops.aten.geqrf.default(A)
    return a.contiguous(), tau.contiguous()


CHOLESKY = (
    linear_algebra(
        "aten.linalg_cholesky_ex.default",
        operands={"self": Operand(SQUARE, DEFINITE), "upper": FLAG, "check_errors": FLAG},
        results=("same:self", "int32"),
        shape=("self", "self[:-2]"),
        law="cholesky",
        rules=(square("self"),),
        constraints=(SILENT, ("not upper", "a prim reads and writes the lower triangle", Tier.PRIM)),
        prim=True,
        decomposition=decompose.cholesky_ex,
    ),
    linear_algebra(
        "aten.cholesky.default",
        operands={"self": Operand(SQUARE, DEFINITE), "upper": FLAG},
        results=("same:self",),
        shape=("self",),
        law="cholesky",
        rules=(square("self"),),
        decomposition=decompose.cholesky,
        until="1.1",  # PyTorch 2.14 has it no more
    ),
)

LU = (
    linear_algebra(
        "aten.linalg_lu_factor_ex.default",
        operands={"A": Operand(ANY_MATRIX), "check_errors": FLAG},
        results=("same:A", "int32", "int32"),
        shape=("A", "A[:-2] + [shorter_side(A)]", "A[:-2]"),
        law="lu_factor",
        rules=(matrices("A"),),
        constraints=(("pivot", "rows are exchanged"), SILENT),
        prim=True,
        decomposition=decompose.lu_factor_ex,
    ),
    linear_algebra(
        "aten.linalg_lu.default",
        operands={"A": Operand(ANY_MATRIX)},
        results=("same:A",) * 3,
        shape=(
            "A[:-2] + [A[-2], A[-2]]",
            "A[:-2] + [A[-2], shorter_side(A)]",
            "A[:-2] + [shorter_side(A), A[-1]]",
        ),
        law="lu",
        rules=(matrices("A"),),
        constraints=(("pivot", "rows are exchanged"),),
        decomposition=decompose.lu,
    ),
    entry(
        "aten.lu_unpack.default",
        category=Category.LINEAR_ALGEBRA,
        accepts={"LU_data": LAPACK, "LU_pivots": ("int32",)},
        results=("same:LU_data",) * 3,
        shape=(
            "LU_data[:-2] + [LU_data[-2], LU_data[-2]] if unpack_pivots else [0]",
            "LU_data[:-2] + [LU_data[-2], shorter_side(LU_data)] if unpack_data else [0]",
            "LU_data[:-2] + [shorter_side(LU_data), LU_data[-1]] if unpack_data else [0]",
        ),
        layout=("contiguous",) * 3,
        numerics=EXACT,
        operands={
            "LU_data": Operand(ANY_MATRIX),
            "LU_pivots": Operand("=LU_data[:-2] + [shorter_side(LU_data)]", "pivots"),
            "unpack_data": FLAG,
            "unpack_pivots": FLAG,
        },
        constraints=(
            matrices("LU_data")[0],
            ("LU_pivots == LU_data[:-2] + [shorter_side(LU_data)]", "there is a pivot for each step"),
            ("unpack_data and unpack_pivots", "a prim unpacks everything", Tier.PRIM),
        ),
        errors=(
            matrices("LU_data")[1],
            ("unpack_pivots and dtype(LU_pivots) != 'int32'", "the pivots are not int32"),
        ),
        prim=True,
        decomposition=decompose.lu_unpack,
    ),
)

LDL = (
    linear_algebra(
        "aten.linalg_ldl_factor_ex.default",
        operands={"self": Operand(SQUARE), "hermitian": FLAG, "check_errors": FLAG},
        results=("same:self", "int32", "int32"),
        shape=("self", "self[:-1]", "self[:-2]"),
        law="ldl_factor",
        rules=(square("self"),),
        constraints=(SILENT, ("not hermitian", "a prim factors a symmetric matrix", Tier.PRIM)),
        prim=True,
        decomposition=decompose.ldl_factor_ex,
    ),
    linear_algebra(
        LDL_FACTOR_HERMITIAN,
        operands={"self": Operand(SQUARE)},
        accepts={"self": COMPLEX},
        results=("same:self", "int32", "int32"),
        shape=("self", "self[:-1]", "self[:-2]"),
        law="ldl_factor",
        rules=(square("self"),),
        prim=True,
    ),
    linear_algebra(
        "aten.linalg_ldl_solve.default",
        operands={
            "LD": Operand(SQUARE),
            "pivots": Operand("[*B, n]", "pivots"),
            "B": Operand("[*B, n, k]"),
            "hermitian": FLAG,
        },
        accepts={"pivots": ("int32",)},
        results=("same:LD",),
        shape=("broadcast(LD[:-2], B[:-2]) + B[-2:]",),
        law="ldl_solve",
        rules=(square("LD"),),
        constraints=(
            ("rank(B) >= 2 and LD[-1] == B[-2]", "the right-hand sides have a row for each equation"),
            ("pivots == LD[:-1]", "there is a pivot for each row"),
            ("not hermitian", "a prim solves with symmetric factors", Tier.PRIM),
            ("LD[:-2] == B[:-2]", "operands of a prim have one batch", Tier.PRIM),
        ),
        prim=True,
        decomposition=decompose.ldl_solve,
    ),
    linear_algebra(
        LDL_SOLVE_HERMITIAN,
        operands={
            "LD": Operand(SQUARE),
            "pivots": Operand("[*B, n]", "pivots"),
            "B": Operand("[*B, n, k]"),
        },
        accepts={"LD": COMPLEX, "pivots": ("int32",)},
        results=("same:LD",),
        shape=("B",),
        law="ldl_solve",
        rules=(square("LD"),),
        constraints=(
            ("LD[:-1] == B[:-1]", "one batch, and a row for each equation"),
            ("pivots == LD[:-1]", "there is a pivot for each row"),
        ),
        prim=True,
    ),
)

HOUSEHOLDER_QR = linear_algebra(
    library.define("householder_qr(Tensor self) -> (Tensor a, Tensor tau)", _householder_qr),
    operands={"self": Operand(ANY_MATRIX)},
    results=("same:self", "same:self"),
    shape=("self", "self[:-2] + [shorter_side(self)]"),
    layout=("contiguous", "contiguous"),
    law="geqrf",
    rules=(matrices("self"),),
    prim=True,
)
register_fake(HOUSEHOLDER_QR)

QR = (
    HOUSEHOLDER_QR,
    linear_algebra(
        "aten.geqrf.default",
        operands={"self": Operand(ANY_MATRIX)},
        results=("same:self", "same:self"),
        shape=("self", "self[:-2] + [shorter_side(self)]"),
        law="geqrf",
        rules=(matrices("self"),),
        decomposition=decompose.geqrf,
    ),
    linear_algebra(
        "aten.linalg_qr.default",
        operands={"A": Operand(ANY_MATRIX), "mode": Operand(choices=("'reduced'", "'complete'", "'r'"))},
        results=("same:A", "same:A"),
        shape=(
            "[0] if mode == 'r' else A[:-1] + [A[-2] if mode == 'complete' else shorter_side(A)]",
            "A[:-2] + [A[-2] if mode == 'complete' else shorter_side(A), A[-1]]",
        ),
        law="qr",
        rules=(
            matrices("A"),
            (
                ("mode == 'reduced' or mode == 'complete' or mode == 'r'", "the mode exists"),
                ("mode != 'reduced' and mode != 'complete' and mode != 'r'", "there is no such mode"),
            ),
        ),
        decomposition=decompose.qr,
    ),
    linear_algebra(
        "aten.linalg_householder_product.default",
        operands={"input": Operand("[*B, n, k]"), "tau": Operand("[*B, k]")},
        results=("same:input",),
        shape=("input",),
        law="householder_product",
        rules=(
            matrices("input"),
            (
                ("input[-2] >= input[-1]", "there are at least as many rows as columns"),
                ("input[-2] < input[-1]", "there are fewer rows than columns"),
            ),
            (
                ("tau[-1] <= input[-1]", "there are at most as many reflectors as columns"),
                ("tau[-1] > input[-1]", "there are more reflectors than columns"),
            ),
        ),
        constraints=(("tau[:-1] == input[:-2]", "there are reflectors for each matrix"),),
        decomposition=decompose.householder_product,
    ),
    linear_algebra(
        "aten.ormqr.default",
        operands={
            "self": Operand("[*B, n, k]"),
            "input2": Operand("[*B, k]"),
            "left": FLAG,
            "transpose": FLAG,
            "input3": Operand("=self[:-2] + ([self[-2], 3] if left else [3, self[-2]])"),
        },
        results=("same:self",),
        shape=("input3",),
        law="ormqr",
        rules=(
            matrices("self"),
            (
                (
                    "input3[-2] == self[-2] if left else input3[-1] == self[-2]",
                    "the other matrix fits the product of the reflectors",
                ),
                (
                    "input3[-2] != self[-2] if left else input3[-1] != self[-2]",
                    "the other matrix does not fit the product of the reflectors",
                ),
            ),
        ),
        constraints=(
            ("rank(input3) == rank(self) and input3[:-2] == self[:-2]", "both have one batch"),
            ("input2[-1] <= self[-1] and input2[:-1] == self[:-2]", "there are reflectors for each matrix"),
            ("input2[-1] <= self[-2]", "there are at most as many reflectors as rows"),
        ),
        decomposition=decompose.ormqr,
    ),
)

SPECTRAL = (
    linear_algebra(
        "aten._linalg_eigh.default",
        operands={
            "A": Operand(SQUARE),
            "UPLO": Operand(choices=("'L'", "'U'")),
            "compute_v": FLAG,
        },
        results=("real:A", "same:A"),
        shape=("A[:-1]", "A if compute_v else [0]"),
        layout=("contiguous", COLUMNS),
        law="eigh",
        rules=(square("A"),),
        constraints=(
            ("UPLO == 'L' or UPLO == 'U' or UPLO == 'l' or UPLO == 'u'", "the triangle exists"),
            ("UPLO == 'L'", "a prim reads the lower triangle", Tier.PRIM),
            ("compute_v", "a prim gives the eigenvectors", Tier.PRIM),
        ),
        prim=True,
        decomposition=decompose.eigh,
    ),
    linear_algebra(
        "aten.linalg_eig.default",
        operands={"self": Operand(SQUARE)},
        results=("complex:self", "complex:self"),
        shape=("self[:-1]", "self"),
        law="eig",
        rules=(square("self"),),
        prim=True,
    ),
    linear_algebra(
        "aten._linalg_eigvals.default",
        operands={"self": Operand(SQUARE)},
        results=("complex:self",),
        shape=("self[:-1]",),
        law="eigvals",
        rules=(square("self"),),
        decomposition=decompose.eigvals,
    ),
    linear_algebra(
        "aten._linalg_svd.default",
        operands={"A": Operand(ANY_MATRIX), "full_matrices": FLAG, "compute_uv": FLAG},
        results=("same:A", "real:A", "same:A"),
        shape=(
            "[0] if not compute_uv else A[:-1] + [A[-2] if full_matrices else shorter_side(A)]",
            "A[:-2] + [shorter_side(A)]",
            "[0] if not compute_uv else A[:-2] + [A[-1] if full_matrices else shorter_side(A), A[-1]]",
        ),
        layout=(COLUMNS, "contiguous", COLUMNS),
        law="svd",
        rules=(matrices("A"),),
        constraints=(
            ("not full_matrices", "a prim gives the thin decomposition", Tier.PRIM),
            ("compute_uv", "a prim gives the singular vectors", Tier.PRIM),
            ("not given(driver)", "a prim leaves the algorithm open", Tier.PRIM),
        ),
        prim=True,
        decomposition=decompose.svd,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*CHOLESKY, *LU, *LDL, *QR, *SPECTRAL)
