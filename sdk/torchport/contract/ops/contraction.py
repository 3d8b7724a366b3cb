"""Products of matrices and vectors."""

from __future__ import annotations

from collections.abc import Mapping

from torchport.contract.decompositions import contraction as decompose
from torchport.contract.ops.builders import (
    BOOL,
    COMPLEX,
    FLAG,
    FLOATS,
    INTS,
    Decomposition,
    dotted,
    entry,
)
from torchport.contract.spec import Category, Operand, OpSpec

SCALES = {"beta": Operand(choices=(1, 0.5, 0)), "alpha": Operand(choices=(1, 2))}
"""Scales of integers are truncated to integers."""
WIDENED = {"out_dtype": Operand(choices=("float32",))}
MULTIPLIED = (*FLOATS, *COMPLEX, *INTS)
HALVES = ("float16", "bfloat16")


def _product(
    name: str,
    operands: dict[str, str],
    *,
    shape: str,
    length: str,
    constraints: tuple[tuple[str, str], ...],
    scaled: bool = False,
    special: tuple[str, ...] = (),
    dtypes: tuple[str, ...] = MULTIPLIED,
    result: str = "",
    extra: Mapping[str, Operand] | None = None,
    prim: bool = False,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    """A contraction; all operands have the dtype of the first, and so has the result unless ``result`` says
    else. Eager PyTorch refuses what the constraints exclude.
    """
    first = next(iter(operands))
    return entry(
        name,
        category=Category.CONTRACTION,
        accepts={n: dtypes if n == first else (f"same:{first}",) for n in operands},
        results=result or f"same:{first}",
        shape=shape,
        numerics=dotted(length, special=("wraps", *special)),
        operands={
            **{n: Operand(p) for n, p in operands.items()},
            **(SCALES if scaled else {}),
            **(extra or {}),
        },
        constraints=constraints,
        errors=[(f"not ({text})", f"unless {prose}") for text, prose in constraints],
        prim=prim,
        decomposition=decomposition,
    )


_TRILINEAR = "broadcast(with_ones(i1, expand1), with_ones(i2, expand2), with_ones(i3, expand3))"

ENTRIES: tuple[OpSpec, ...] = (
    _product(
        "aten.mm.default",
        {"self": "[n, k]", "mat2": "[k, m]"},
        shape="[self[0], mat2[1]]",
        length="self[1]",
        constraints=(
            ("rank(self) == 2 and rank(mat2) == 2", "both operands are matrices"),
            ("self[1] == mat2[0]", "the inner sizes are equal"),
        ),
        prim=True,
    ),
    _product(
        "aten.bmm.default",
        {"self": "[b, n, k]", "mat2": "[b, k, m]"},
        shape="[self[0], self[1], mat2[2]]",
        length="self[2]",
        constraints=(
            ("rank(self) == 3 and rank(mat2) == 3", "both operands are batches of matrices"),
            ("self[0] == mat2[0] and self[2] == mat2[1]", "batch and inner sizes are equal"),
        ),
        prim=True,
    ),
    _product(
        "aten.addmm.default",
        {"self": "[m]", "mat1": "[n, k]", "mat2": "[k, m]"},
        shape="[mat1[0], mat2[1]]",
        length="mat1[1] + 2",
        scaled=True,
        constraints=(
            ("rank(mat1) == 2 and rank(mat2) == 2", "both factors are matrices"),
            ("mat1[1] == mat2[0]", "the inner sizes are equal"),
            ("expandable(self, [mat1[0], mat2[1]])", "the addend broadcasts to the product"),
        ),
        decomposition=decompose.addmm,
    ),
    _product(
        "aten.baddbmm.default",
        {"self": "[b, n, m]", "batch1": "[b, n, k]", "batch2": "[b, k, m]"},
        shape="[batch1[0], batch1[1], batch2[2]]",
        length="batch1[2] + 2",
        scaled=True,
        constraints=(
            ("rank(batch1) == 3 and rank(batch2) == 3", "both factors are batches of matrices"),
            ("batch1[0] == batch2[0] and batch1[2] == batch2[1]", "batch and inner sizes are equal"),
            ("expandable(self, [batch1[0], batch1[1], batch2[2]])", "the addend broadcasts to the product"),
        ),
        decomposition=decompose.baddbmm,
    ),
    _product(
        "aten.mv.default",
        {"self": "[n, k]", "vec": "[k]"},
        shape="[self[0]]",
        length="self[1]",
        constraints=(
            ("rank(self) == 2 and rank(vec) == 1", "a matrix and a vector"),
            ("self[1] == vec[0]", "the inner sizes are equal"),
        ),
        decomposition=decompose.mv,
    ),
    _product(
        "aten.addmv.default",
        {"self": "[n]", "mat": "[n, k]", "vec": "[k]"},
        shape="[mat[0]]",
        length="mat[1] + 2",
        scaled=True,
        constraints=(
            ("rank(mat) == 2 and rank(vec) == 1", "a matrix and a vector"),
            ("mat[1] == vec[0]", "the inner sizes are equal"),
            ("expandable(self, [mat[0]])", "the addend broadcasts to the product"),
        ),
        decomposition=decompose.addmv,
    ),
    _product(
        "aten.dot.default",
        {"self": "[k]", "tensor": "[k]"},
        shape="[]",
        length="self[0]",
        constraints=(
            ("rank(self) == 1 and rank(tensor) == 1", "both operands are vectors"),
            ("self[0] == tensor[0]", "both have one length"),
        ),
        decomposition=decompose.dot,
    ),
    _product(
        "aten.addr.default",
        {"self": "[n, m]", "vec1": "[n]", "vec2": "[m]"},
        shape="[vec1[0], vec2[0]]",
        length="4",
        scaled=True,
        dtypes=(*MULTIPLIED, *BOOL),
        special=("narrow-accumulator",),
        constraints=(
            ("rank(vec1) == 1 and rank(vec2) == 1", "both factors are vectors"),
            ("expandable(self, [vec1[0], vec2[0]])", "the addend broadcasts to the product"),
            (
                "whole(beta, alpha) or not integral(dtype(self))",
                "integers are scaled by integers",
            ),
        ),
        decomposition=decompose.addr,
    ),
    _product(
        "aten.vdot.default",
        {"self": "[k]", "other": "[k]"},
        shape="[]",
        length="self[0]",
        constraints=(
            ("rank(self) == 1 and rank(other) == 1", "both operands are vectors"),
            ("self[0] == other[0]", "both have one length"),
        ),
        decomposition=decompose.vdot,
    ),
    _product(
        "aten.addbmm.default",
        {"self": "[n, m]", "batch1": "[b, n, k]", "batch2": "[b, k, m]"},
        shape="[batch1[1], batch2[2]]",
        special=("narrow-accumulator",),
        length="batch1[0] * batch1[2] + 2",
        scaled=True,
        constraints=(
            ("rank(batch1) == 3 and rank(batch2) == 3", "both factors are batches of matrices"),
            ("batch1[0] == batch2[0] and batch1[2] == batch2[1]", "batch and inner sizes are equal"),
            ("expandable(self, [batch1[1], batch2[2]])", "the addend broadcasts to the product"),
        ),
        decomposition=decompose.addbmm,
    ),
    _product(
        "aten._addmm_activation.default",
        {"self": "[m]", "mat1": "[n, k]", "mat2": "[k, m]"},
        shape="[mat1[0], mat2[1]]",
        special=("narrow-accumulator",),
        length="mat1[1] + 16",
        scaled=True,
        dtypes=(*FLOATS, *INTS),
        extra={"use_gelu": FLAG},
        constraints=(
            ("rank(mat1) == 2 and rank(mat2) == 2", "both factors are matrices"),
            ("mat1[1] == mat2[0]", "the inner sizes are equal"),
            ("rank(self) == 1 or rank(self) == 2", "the addend is a vector or a matrix"),
            ("expandable(self, [mat1[0], mat2[1]])", "the addend broadcasts to the product"),
            ("floating(dtype(self)) or not use_gelu", "gelu is a function of floats"),
        ),
        decomposition=decompose.addmm_activation,
    ),
    _product(
        "aten._trilinear.default",
        {"i1": "[n, k]", "i2": "[l, k, m]", "i3": "[n, m]"},
        shape=f"{_TRILINEAR} if len(sumdim) == 0 else reduce({_TRILINEAR}, sumdim, False)",
        special=("narrow-accumulator",),
        length=f"numel(sizes({_TRILINEAR}, sumdim)) + 4",
        extra={
            "expand1": Operand(choices=("[1, 3]",)),
            "expand2": Operand(choices=("[0]",)),
            "expand3": Operand(choices=("[1, 2]",)),
            "sumdim": Operand(choices=("[2, 3]", "[3]", "[0, 2, 3]", "[]")),
            "unroll_dim": Operand(choices=(1, 0)),
        },
        constraints=(
            (
                "rank(i1) + len(expand1) == rank(i2) + len(expand2) "
                "and rank(i1) + len(expand1) == rank(i3) + len(expand3)",
                "all operands have as many dimensions",
            ),
            (
                "unroll_dim >= 0 and unroll_dim < rank(i1) + len(expand1)",
                "the dimension that may be looped over exists",
            ),
        ),
        decomposition=decompose.trilinear,
    ),
    _product(
        "aten.mm.dtype",
        {"self": "[n, k]", "mat2": "[k, m]"},
        shape="[self[0], mat2[1]]",
        length="self[1]",
        special=("by-decomposition",),
        dtypes=HALVES,
        result="arg:out_dtype",
        extra=WIDENED,
        constraints=(
            ("rank(self) == 2 and rank(mat2) == 2", "both operands are matrices"),
            ("self[1] == mat2[0]", "the inner sizes are equal"),
            (
                "out_dtype == 'float32' or out_dtype == dtype(self)",
                "products are rounded or float32",
            ),
        ),
        decomposition=decompose.mm_dtype,
    ),
    _product(
        "aten.bmm.dtype",
        {"self": "[b, n, k]", "mat2": "[b, k, m]"},
        shape="[self[0], self[1], mat2[2]]",
        length="self[2]",
        special=("by-decomposition",),
        dtypes=HALVES,
        result="arg:out_dtype",
        extra=WIDENED,
        constraints=(
            ("rank(self) == 3 and rank(mat2) == 3", "both operands are batches of matrices"),
            ("self[0] == mat2[0] and self[2] == mat2[1]", "batch and inner sizes are equal"),
            (
                "out_dtype == 'float32' or out_dtype == dtype(self)",
                "products are rounded or float32",
            ),
        ),
        decomposition=decompose.bmm_dtype,
    ),
    _product(
        "aten.addmm.dtype",
        {"mat1": "[n, k]", "mat2": "[k, m]", "self": "[m]"},
        shape="[mat1[0], mat2[1]]",
        length="mat1[1] + 2",
        scaled=True,
        special=("by-decomposition",),
        dtypes=HALVES,
        result="arg:out_dtype",
        extra=WIDENED,
        constraints=(
            ("rank(mat1) == 2 and rank(mat2) == 2", "both factors are matrices"),
            ("mat1[1] == mat2[0]", "the inner sizes are equal"),
            ("expandable(self, [mat1[0], mat2[1]])", "the addend broadcasts to the product"),
            (
                "out_dtype == 'float32' or out_dtype == dtype(mat1)",
                "products are rounded or float32",
            ),
        ),
        decomposition=decompose.addmm_dtype,
    ),
    _product(
        "aten.baddbmm.dtype",
        {"batch1": "[b, n, k]", "batch2": "[b, k, m]", "self": "[b, n, m]"},
        shape="[batch1[0], batch1[1], batch2[2]]",
        length="batch1[2] + 2",
        scaled=True,
        special=("by-decomposition",),
        dtypes=HALVES,
        result="arg:out_dtype",
        extra=WIDENED,
        constraints=(
            ("rank(batch1) == 3 and rank(batch2) == 3", "both factors are batches of matrices"),
            ("batch1[0] == batch2[0] and batch1[2] == batch2[1]", "batch and inner sizes are equal"),
            ("expandable(self, [batch1[0], batch1[1], batch2[2]])", "the addend broadcasts to the product"),
            (
                "out_dtype == 'float32' or out_dtype == dtype(batch1)",
                "products are rounded or float32",
            ),
        ),
        decomposition=decompose.baddbmm_dtype,
    ),
)
