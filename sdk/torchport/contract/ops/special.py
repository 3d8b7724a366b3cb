"""Special functions: Bessel and Airy functions, gamma and normal distribution functions, polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchport.contract.decompositions import chebyshev, special as decompose
from torchport.contract.decompositions.elementwise import aligned
from torchport.contract.ops.builders import (
    FLOATS,
    NUMBERS,
    REALS,
    UNSIGNED,
    Decomposition,
    elementwise_binary,
    elementwise_unary,
    entry,
    ulp,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, resolve

LOOSE_FLOAT = (*NUMBERS, *UNSIGNED)
WIDE = ("float32", "float64")
"""The dtypes of functions that PyTorch does not have for 16-bit floats."""
LOOSE_WIDE = tuple(name for name in LOOSE_FLOAT if name not in ("float16", "bfloat16"))


def _unary(
    name: str,
    decomposition: Decomposition | None,
    *,
    dtypes: tuple[str, ...] = LOOSE_FLOAT,
    values: str = "any",
    numerics: Numerics,
) -> OpSpec:
    argument = resolve(f"aten.{name}.default")._schema.arguments[0].name
    return elementwise_unary(
        f"aten.{name}.default",
        dtypes=dtypes,
        result=f"promote_float:{argument}",
        values=values,
        numerics=numerics,
        prim=decomposition is None,
        decomposition=decomposition,
    )


SCALED = ulp(16, half=4)
WAVE = ulp(16, magnitude="operands", special=("by-decomposition",))
BESSEL = (
    _unary("i0", decompose.i0, numerics=SCALED),
    _unary("special_i0e", decompose.i0e, numerics=SCALED),
    _unary("special_i1", decompose.i1, numerics=SCALED),
    _unary("special_i1e", decompose.i1e, numerics=SCALED),
    *(
        _unary(f"special_{name}", function, dtypes=LOOSE_WIDE, values=values, numerics=numerics)
        for name, function, values, numerics in (
            ("modified_bessel_i0", decompose.i0, "any", SCALED),
            ("modified_bessel_i1", decompose.i1, "any", SCALED),
            ("modified_bessel_k0", decompose.k0, "positive", SCALED),
            ("modified_bessel_k1", decompose.k1, "positive", SCALED),
            ("scaled_modified_bessel_k0", decompose.scaled_k0, "positive", SCALED),
            ("scaled_modified_bessel_k1", decompose.scaled_k1, "positive", SCALED),
            ("bessel_j0", decompose.bessel_j0, "any", WAVE),
            ("bessel_j1", decompose.bessel_j1, "any", WAVE),
            ("bessel_y0", decompose.bessel_y0, "positive", WAVE),
            ("bessel_y1", decompose.bessel_y1, "positive", WAVE),
            ("spherical_bessel_j0", decompose.spherical_bessel_j0, "any", ulp(8, magnitude="operands")),
            ("airy_ai", decompose.airy_ai, "any", WAVE),
        )
    ),
)

DISTRIBUTIONS = (
    _unary("special_entr", decompose.entr, values="positive", numerics=ulp(8, half=2, magnitude="operands")),
    _unary("special_log_ndtr", decompose.log_ndtr, dtypes=LOOSE_WIDE, numerics=ulp(16, magnitude="operands")),
    _unary(
        "special_ndtri", None, dtypes=LOOSE_WIDE, values="probability", numerics=ulp(32, magnitude="operands")
    ),
    _unary("special_erfcx", None, dtypes=LOOSE_WIDE, numerics=ulp(32)),
)

GAMMA = (
    elementwise_unary(
        "aten.polygamma.default",
        dtypes=LOOSE_FLOAT,
        result="promote_float:self",
        values="positive",
        numerics=ulp(64, half=2, magnitude="operands"),
        extra={"n": Operand(choices=(0, 1, 2, 3))},
        constraints=(("n >= 0", "the order of the derivative is not negative"),),
        errors=(("n < 0", "a derivative has no negative order"),),
        decomposition=decompose.polygamma,
    ),
    elementwise_unary(
        "aten.mvlgamma.default",
        dtypes=(*REALS, *UNSIGNED),
        result="promote_float:self",
        values="positive",
        numerics=ulp(64, half=4, magnitude="operands"),
        extra={"p": Operand(choices=(1, 2, 3))},
        constraints=(("p >= 1", "the dimension is positive"),),
        errors=(("p < 1", "a dimension below 1"), ("dtype(self) == 'bool'", "bools have no gamma function")),
        decomposition=decompose.mvlgamma,
    ),
    *(
        elementwise_binary(
            f"aten.{name}.default",
            dtypes=FLOATS,
            values="positive",
            numerics=ulp(64, half=2, magnitude="operands"),
            prim=True,
        )
        for name in ("igamma", "igammac")
    ),
    elementwise_binary(
        "aten.special_zeta.default",
        dtypes=WIDE,
        result="promote_float:self,other",
        values="positive",
        numerics=ulp(64),
        prim=True,
    ),
    *(
        elementwise_binary(
            f"aten.special_zeta.{side}_scalar",
            dtypes=WIDE,
            result="promote_float:self,other",
            values="positive",
            scalars=(1.5, 2, 3.25),
            numerics=ulp(64),
            decomposition=aligned(resolve("aten.special_zeta.default"), floats=True),
        )
        for side in ("self", "other")
    ),
)


def _polynomial(name: str, function: Callable[..., Any] | None, numerics: Numerics) -> tuple[OpSpec, ...]:
    """A family of polynomials in its three forms; without ``function`` the Tensor form is a prim."""
    family, kind = name.rsplit("_", 1)
    op = f"aten.special_{family}_polynomial_{kind}"
    through = function or aligned(resolve(f"{op}.default"), floats=True)

    def form(overload: str, decomposition: Decomposition | None, scalars: tuple[float, ...] = ()) -> OpSpec:
        return elementwise_binary(
            f"{op}.{overload}",
            dtypes=WIDE,
            result="promote_float:x,n",
            numerics=numerics,
            other_values="index(13)",
            scalars=scalars,
            prim=decomposition is None,
            decomposition=decomposition,
            names=("x", "n"),
        )

    return (
        form("default", function),
        form("n_scalar", through, (0, 1, 5, 12, -1, 2.5)),
        form("x_scalar", through, (0.5, 1, -1, -1.25)),
    )


POLYNOMIALS = (
    *(
        spec
        for shifted in (False, True)
        for kind in "tuvw"
        for spec in _polynomial(
            f"{'shifted_' if shifted else ''}chebyshev_{kind}",
            chebyshev.chebyshev(kind, shifted=shifted),
            ulp(64, magnitude="operands", special=("by-decomposition",)),
        )
    ),
    *(
        spec
        for name, magnitude in (
            ("hermite_h", "terms"),
            ("hermite_he", "terms"),
            ("laguerre_l", "operands"),
            ("legendre_p", "operands"),
        )
        for spec in _polynomial(name, None, ulp(64, magnitude=magnitude))
    ),
)

FREXP = entry(
    "aten.frexp.Tensor",
    category=Category.ELEMENTWISE,
    accepts={"self": FLOATS},
    results=("same:self", "int32"),
    shape=("self", "self"),
    layout=("elementwise", "elementwise"),
    numerics=Numerics("exact", special=("nan-propagates", "own-precision")),
    operands={"self": Operand("*S")},
    errors=(("integral(dtype(self))", "integers have no mantissa"),),
    prim=True,
)

ENTRIES: tuple[OpSpec, ...] = (*BESSEL, *DISTRIBUTIONS, *GAMMA, *POLYNOMIALS, FREXP)
