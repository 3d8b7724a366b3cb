"""Polar decomposition and square root of matrices: new in contract 1.1, from PyTorch 2.14 on."""

from __future__ import annotations

from torchport.contract.claims import obeying
from torchport.contract.decompositions import matrix_roots as decompose
from torchport.contract.ops.builders import COMPLEX, entry
from torchport.contract.spec import Category, Operand, OpSpec

WIDE = ("float32", "float64", *COMPLEX)

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.linalg_polar.default",
        category=Category.CONTRACTION,
        accepts={"A": WIDE},
        results=("same:A", "same:A"),
        shape=("A", "A[:-2] + [A[-1], A[-1]]"),
        layout=("contiguous", "contiguous"),
        numerics=obeying("polar"),
        operands={"A": Operand("[*B, n, k]")},
        constraints=(
            ("rank(A) >= 2", "matrices"),
            ("A[-2] >= A[-1]", "no more columns than rows"),
        ),
        errors=(("A[-2] < A[-1]", "more columns than rows"),),
        decomposition=decompose.linalg_polar,
        since="1.1",
    ),
    entry(
        "aten.linalg_matrix_sqrth.default",
        category=Category.CONTRACTION,
        accepts={"self": WIDE},
        results="same:self",
        shape="self",
        layout="contiguous",
        numerics=obeying("square_root"),
        operands={"self": Operand("[*B, n, n]", "positive-definite")},
        constraints=(
            ("rank(self) >= 2", "matrices"),
            ("self[-2] == self[-1]", "square matrices"),
        ),
        errors=(("self[-2] != self[-1]", "a matrix that is not square"),),
        decomposition=decompose.linalg_matrix_sqrth,
        since="1.1",
    ),
)
