"""Complex numbers: made of two reals, taken apart, conjugated."""

from __future__ import annotations

from torchport.contract.decompositions import complex_numbers as decompose
from torchport.contract.ops.builders import (
    ANY,
    BOOL,
    COMPLEX,
    WRAPS,
    Decomposition,
    elementwise_unary,
    entry,
    ulp,
    view_op,
)
from torchport.contract.spec import Category, Operand, OpSpec

PAIRED = ("float16", "float32", "float64")
"""Reals that a complex dtype has as its parts."""
WIDE = ("float32", "float64")
ALL_COMPLEX = (*COMPLEX, "complex32")
SIGNED = tuple(d for d in (*ANY, "complex32") if d not in BOOL)
PAIRS = ("rank(self) >= 1 and self[-1] == 2", "the last dimension holds real and imaginary parts")
NOT_PAIRS = ("rank(self) == 0 or self[-1] != 2", "the last dimension does not have size 2")


def _to_complex(name: str, *, view: bool, decomposition: Decomposition | None = None) -> OpSpec:
    """Pairs of reals seen as complex numbers."""
    return entry(
        name,
        category=Category.VIEW if view else Category.LAYOUT,
        accepts={"self": PAIRED},
        results="complex:self",
        shape="self[:-1]",
        layout="view" if view else "contiguous",
        operands={"self": Operand("[*S, 2]")},
        constraints=(PAIRS,),
        errors=(NOT_PAIRS,),
        prim=view,
        decomposition=decomposition,
    )


def _to_real(name: str, *, view: bool, decomposition: Decomposition | None = None) -> OpSpec:
    """Complex numbers seen as pairs of reals."""
    return entry(
        name,
        category=Category.VIEW if view else Category.LAYOUT,
        accepts={"self": ALL_COMPLEX},
        results="real:self",
        shape="insert(self, -1, 2)",
        layout="view" if view else "contiguous",
        operands={"self": Operand("*S")},
        prim=view,
        decomposition=decomposition,
    )


def _two_parts(name: str, first: str, second: str, *, exact: bool, decomposition: Decomposition) -> OpSpec:
    return entry(
        name,
        category=Category.ELEMENTWISE,
        accepts={first: PAIRED if exact else WIDE, second: (f"same:{first}",)},
        results=f"complex:{first}",
        shape=f"broadcast({first}, {second})",
        layout="elementwise",
        numerics=WRAPS if exact else ulp(8, magnitude="operands"),
        operands={first: Operand("*S", "any" if exact else "positive"), second: Operand("~S")},
        errors=((f"dtype({first}) != dtype({second})", "the parts have different dtypes"),),
        decomposition=decomposition,
    )


ENTRIES: tuple[OpSpec, ...] = (
    _to_complex("aten.view_as_complex.default", view=True),
    _to_complex(
        "aten.view_as_complex_copy.default", view=False, decomposition=decompose.view_as_complex_copy
    ),
    _to_real("aten.view_as_real.default", view=True),
    _to_real("aten.view_as_real_copy.default", view=False, decomposition=decompose.view_as_real_copy),
    _two_parts("aten.complex.default", "real", "imag", exact=True, decomposition=decompose.complex_of),
    _two_parts("aten.polar.default", "abs", "angle", exact=False, decomposition=decompose.polar),
    elementwise_unary(
        "aten._conj_physical.default", dtypes=(*ANY, "complex32"), decomposition=decompose.conjugate
    ),
    view_op(
        "aten._conj.default",
        shape="self",
        operands={},
        dtypes=ALL_COMPLEX,
        decomposition=decompose.conjugate,
    ),
    view_op(
        "aten._conj_copy.default",
        shape="self",
        operands={},
        layout="contiguous",
        category=Category.LAYOUT,
        dtypes=ALL_COMPLEX,
        decomposition=decompose.conjugate,
    ),
    view_op(
        "aten._neg_view.default",
        shape="self",
        operands={},
        dtypes=SIGNED,
        decomposition=decompose.negated,
    ),
    view_op(
        "aten._neg_view_copy.default",
        shape="self",
        operands={},
        layout="contiguous",
        category=Category.LAYOUT,
        dtypes=SIGNED,
        decomposition=decompose.negated,
    ),
)
