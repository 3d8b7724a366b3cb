"""Solvers of linear systems, inverses, determinants and functions of matrices."""

from __future__ import annotations

from torchport.contract.claims import obeying
from torchport.contract.decompositions import factorizations, matrix_functions, solvers as decompose
from torchport.contract.ops.builders import (
    ANY,
    COMPLEX,
    EXACT,
    FLAG,
    FLOATS,
    INTS,
    NOTHING,
    dotted,
    entry,
    summed,
)
from torchport.contract.ops.linalg import COLUMNS, DEFINITE, SQUARE, linear_algebra, matrices, square
from torchport.contract.spec import Category, Operand, OpSpec, Tier

FITS = "the right-hand sides have a row for each equation"
SIDES = Operand("[*B, n, k]")


def _fits(a: str, b: str, *, left: bool = False) -> tuple[tuple[str, str], tuple[str, str]]:
    rows = f"(({b}[-2] if left else {b}[-1]) == {a}[-1])" if left else f"({b}[-2] == {a}[-1])"
    return (
        (f"rank({b}) >= 2 and {rows}", FITS),
        (f"rank({b}) < 2 or not {rows}", "the right-hand sides do not fit the equations"),
    )


SOLVERS = (
    linear_algebra(
        "aten.linalg_solve_triangular.default",
        operands={
            "self": Operand(SQUARE),
            "B": Operand("[*B, n, n]"),
            "upper": FLAG,
            "left": FLAG,
            "unitriangular": FLAG,
        },
        results=("same:self",),
        shape=("broadcast(self[:-2], B[:-2]) + B[-2:]",),
        law="solve_triangular",
        rules=(square("self"), _fits("self", "B", left=True)),
        constraints=(
            ("not upper", "a prim solves by forward substitution", Tier.PRIM),
            ("left", "the matrix of a prim stands left", Tier.PRIM),
            ("not unitriangular", "a prim reads the diagonal", Tier.PRIM),
            ("self[:-2] == B[:-2]", "operands of a prim have one batch", Tier.PRIM),
        ),
        prim=True,
        decomposition=decompose.solve_triangular,
    ),
    linear_algebra(
        "aten.triangular_solve.default",
        operands={
            "self": SIDES,
            "A": Operand(SQUARE),
            "upper": FLAG,
            "transpose": FLAG,
            "unitriangular": FLAG,
        },
        results=("same:self", "same:self"),
        shape=("broadcast(A[:-2], self[:-2]) + self[-2:]", "broadcast(A[:-2], self[:-2]) + A[-2:]"),
        law="triangular_solve",
        rules=(square("A"), _fits("A", "self")),
        decomposition=decompose.triangular_solve,
    ),
    linear_algebra(
        "aten.cholesky_solve.default",
        operands={"self": SIDES, "input2": Operand(SQUARE), "upper": FLAG},
        results=("same:self",),
        shape=("broadcast(input2[:-2], self[:-2]) + self[-2:]",),
        law="cholesky_solve",
        rules=(square("input2"), _fits("input2", "self")),
        decomposition=decompose.cholesky_solve,
    ),
    linear_algebra(
        "aten._cholesky_solve_helper.default",
        operands={"self": SIDES, "A": Operand(SQUARE), "upper": FLAG},
        results=("same:self",),
        shape=("self",),
        law="cholesky_solve",
        constraints=(
            square("A")[0],
            ("rank(self) >= 2 and self[-2] == A[-1]", FITS),
            ("self[:-2] == A[:-2]", "both have one batch"),
        ),
        decomposition=decompose.cholesky_solve,
    ),
    linear_algebra(
        "aten.cholesky_inverse.default",
        operands={"self": Operand(SQUARE, DEFINITE), "upper": FLAG},
        results=("same:self",),
        shape=("self",),
        law="cholesky_inverse",
        rules=(square("self"),),
        decomposition=decompose.cholesky_inverse,
    ),
    linear_algebra(
        "aten.linalg_lu_solve.default",
        operands={
            "LU": Operand(SQUARE),
            "pivots": Operand("[*B, n]", "pivots"),
            "B": Operand("[*B, n, n]"),
            "left": FLAG,
            "adjoint": FLAG,
        },
        accepts={"pivots": ("int32",)},
        results=("same:LU",),
        shape=("broadcast(LU[:-2], B[:-2]) + B[-2:]",),
        law="lu_solve",
        rules=(square("LU"), _fits("LU", "B", left=True)),
        constraints=(("pivots == LU[:-1]", "there is a pivot for each row"),),
        decomposition=decompose.lu_solve,
    ),
    linear_algebra(
        "aten._linalg_solve_ex.default",
        operands={"A": Operand(SQUARE), "B": Operand("[*B, n, n]"), "left": FLAG, "check_errors": FLAG},
        results=("same:A", "same:A", "int32", "int32"),
        shape=(
            "broadcast(A[:-2], B[:-1]) + [A[-1]] if is_vector_beside(B, A) "
            "else broadcast(A[:-2], B[:-2]) + B[-2:]",
            "A",
            "A[:-1]",
            "A[:-2]",
        ),
        law="solve",
        rules=(square("A"),),
        constraints=(
            (
                "left and B[-1] == A[-1] if is_vector_beside(B, A) else (B[-2] if left else B[-1]) == A[-1]",
                FITS,
            ),
        ),
        decomposition=decompose.solve_ex,
    ),
    linear_algebra(
        "aten.linalg_inv_ex.default",
        operands={"A": Operand(SQUARE), "check_errors": FLAG},
        results=("same:A", "int32"),
        shape=("A", "A[:-2]"),
        law="inverse",
        rules=(square("A"),),
        decomposition=decompose.inv_ex,
    ),
    linear_algebra(
        "aten.linalg_pinv.atol_rtol_tensor",
        operands={
            "self": Operand("[*B, n, n]"),
            "atol": Operand("=[]", "probability", optional=True),
            "rtol": Operand("=self[:-2]", "probability", optional=True),
            "hermitian": FLAG,
        },
        accepts={"atol": FLOATS, "rtol": FLOATS},
        results=("same:self",),
        shape=("broadcast(self[:-2], atol, rtol) + [self[-1], self[-2]]",),
        law="pseudoinverse",
        rules=(matrices("self"),),
        constraints=(("is_square(self) or not hermitian", "a Hermitian matrix is square"),),
        decomposition=decompose.pinv,
    ),
    linear_algebra(
        "aten.linalg_lstsq.default",
        operands={
            "self": Operand("[*B, n, l]"),
            "b": Operand("[*B, n, k]"),
            "rcond": NOTHING,
            "driver": Operand(choices=(None, "'gels'", "'gelsy'", "'gelsd'", "'gelss'")),
        },
        results=("same:self", "real:self", "int64", "real:self"),
        shape=(
            "self[:-2] + [self[-1]] + b[rank(self) - 1:]",
            "self[:-2] + ([b[-1]] if rank(b) == rank(self) else [1]) "
            "if self[-2] > self[-1] and given(driver) and driver != 'gelsy' else [0]",
            "[0] if driver == 'gels' else self[:-2]",
            "self[:-2] + [shorter_side(self)] if driver == 'gelsd' or driver == 'gelss' else [0]",
        ),
        law="least_squares",
        rules=(matrices("self"),),
        constraints=(
            (
                "(rank(b) == rank(self) or rank(b) == rank(self) - 1) and self[:-1] == b[:rank(self) - 1]",
                "there are right-hand sides for each matrix",
            ),
            ("not (driver == 'gels' and given(rcond))", "gels takes the rank to be full"),
        ),
        decomposition=decompose.lstsq,
    ),
    entry(
        "aten.linear_backward.default",
        category=Category.CONTRACTION,
        accepts={"self": FLOATS, "grad_output": ("same:self",), "weight": ("same:self",)},
        results=("same:self",) * 3,
        shape=("self", "weight", "weight[:1]"),
        layout=("contiguous",) * 3,
        numerics=dotted("max(numel(grad_output), 1)", special=("by-decomposition",)),
        operands={
            "self": Operand("[*B, n, k]"),
            "grad_output": Operand("[*B, n, m]"),
            "weight": Operand("[m, k]"),
            "output_mask": Operand(choices=("[True, True, True]",)),
        },
        constraints=(
            ("rank(weight) == 2 and rank(self) >= 1", "the weight is a matrix"),
            ("self[:-1] + [weight[0]] == grad_output and self[-1] == weight[1]", "the shapes fit"),
        ),
        decomposition=decompose.linear_backward,
    ),
)

CHECKS = (
    entry(
        "aten._linalg_check_errors.default",
        category=Category.EFFECT,
        accepts={"info": ("int32",)},
        results=(),
        shape=(),
        layout=(),
        operands={
            "info": Operand("*B", "index(1)"),
            "api_name": Operand(choices=("'linalg.inv'",)),
            "is_matrix": Operand(choices=("rank(info) == 0",)),
        },
        decomposition=factorizations.check_errors,
    ),
)

FUNCTIONS = (
    linear_algebra(
        "aten._linalg_det.default",
        operands={"A": Operand(SQUARE)},
        results=("same:A", "same:A", "int32"),
        shape=("A[:-2]", "A", "A[:-1]"),
        layout=("contiguous", COLUMNS, "contiguous"),
        law="determinant",
        rules=(square("A"),),
        decomposition=matrix_functions.det,
    ),
    linear_algebra(
        "aten._linalg_slogdet.default",
        operands={"A": Operand(SQUARE)},
        results=("same:A", "real:A", "same:A", "int32"),
        shape=("A[:-2]", "A[:-2]", "A", "A[:-1]"),
        layout=("contiguous", "contiguous", COLUMNS, "contiguous"),
        law="log_determinant",
        rules=(square("A"),),
        decomposition=matrix_functions.slogdet,
    ),
    linear_algebra(
        "aten.linalg_matrix_exp.default",
        operands={"self": Operand(SQUARE)},
        accepts={"self": (*FLOATS, *COMPLEX)},
        results=("same:self",),
        shape=("self",),
        law="matrix_exponential",
        layout=("contiguous",),
        rules=(square("self"),),
        decomposition=matrix_functions.matrix_exp,
    ),
    entry(
        "aten.linalg_cross.default",
        category=Category.LINEAR_ALGEBRA,
        accepts={"self": (*FLOATS, *COMPLEX, *INTS), "other": ("same:self",)},
        results="same:self",
        shape="broadcast(self, other)",
        numerics=obeying("cross_product", "narrow-accumulator"),
        operands={
            "self": Operand("[3, *S, 3]"),
            "other": Operand("[3, ~S, 3]"),
            "dim": Operand(choices=(-1, 0)),
        },
        constraints=(
            ("rank(self) == rank(other)", "both have as many dimensions"),
            ("size(self, dim) == 3 and size(other, dim) == 3", "vectors have three elements"),
        ),
        errors=(
            ("rank(self) != rank(other)", "the operands have different numbers of dimensions"),
            ("size(self, dim) != 3", "a vector does not have three elements"),
        ),
        decomposition=matrix_functions.cross,
    ),
    entry(
        "aten.linalg__powsum.default",
        category=Category.REDUCTION,
        accepts={"self": (*FLOATS, *COMPLEX)},
        results="real:dtype|real:self",
        shape="reduce(self, dim, keepdim)",
        numerics=summed("numel(sizes(self, dim)) + 8", magnitude="result"),
        operands={
            "self": Operand("*S", "nonzero"),
            "ord": Operand(choices=(2, 1, 0, 3.5, -1)),
            "dim": Operand(choices=(None, "[0]", "[-1]")),
            "keepdim": FLAG,
            "dtype": NOTHING,
        },
        constraints=(("distinct(dim, rank(self))", "dimensions exist and are listed once"),),
        errors=(("not distinct(dim, rank(self))", "a dimension does not exist or is listed twice"),),
        decomposition=matrix_functions.powsum,
    ),
    entry(
        "aten.trace.default",
        category=Category.REDUCTION,
        accepts={"self": (*FLOATS, *COMPLEX, *INTS)},
        results="widen:self",
        shape="[]",
        numerics=summed("max(shorter_side(self), 1)", special=("wraps",)),
        operands={"self": Operand("[n, l]")},
        constraints=(("rank(self) == 2", "the operand is a matrix"),),
        errors=(("rank(self) != 2", "the operand is not a matrix"),),
        decomposition=matrix_functions.trace,
    ),
    entry(
        "aten.block_diag.default",
        category=Category.LAYOUT,
        accepts={"tensors": (*ANY, "complex32")},
        results="promote:tensors",
        shape="block_diagonal(tensors)",
        numerics=EXACT,
        operands={"tensors": Operand("[n, k]")},
        constraints=(("len(tensors) > 0", "there is a block at least"),),
        decomposition=matrix_functions.block_diag,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*SOLVERS, *CHECKS, *FUNCTIONS)
