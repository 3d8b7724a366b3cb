"""Elementwise operators: one, two and three operands, comparisons, logic and bits."""

from __future__ import annotations

from torchport.contract.decompositions import elementwise as decompose
from torchport.contract.ops.builders import (
    ANY,
    COMPLEX,
    EXACT,
    FLOATS,
    INTEGRAL,
    INTS,
    NUMBERS,
    REALS,
    UNSIGNED,
    WRAPS,
    elementwise_binary,
    elementwise_unary,
    ulp,
)
from torchport.contract.spec import Numerics, Operand, OpSpec, Tier

PROMOTED = "promote_float:self"
LOOSE_FLOAT = (*NUMBERS, *UNSIGNED)
EVERY = (*ANY, *UNSIGNED)
NO_BOOL = (*REALS, *COMPLEX, *UNSIGNED)
SMALL_INTS = (-3, 2, 0)
SCALARS = (0.5, -2, 3)
ALPHA = {"alpha": Operand(choices=(1, 2))}
ALPHA_IS_ONE = ("alpha == 1", "a prim does not scale its operand", Tier.PRIM)


REAL_FUNCTIONS = ("erf", "erfc", "erfinv", "lgamma", "digamma")
"""Functions that PyTorch has for real arguments only."""


ADD_RELU = ("float32", "float64", "int8", "int16", "int32", "int64")
NUMBER_SCALAR = {"scalar:other": ("int64", *FLOATS, *COMPLEX)}
BOOL_DIFFERENCE = ("dtype(self) == 'bool'", "bools are not subtracted")
NEGATIVE_POWER = (
    "integral(dtype(self)) and whole(exponent) and exponent < 0",
    "integers have no negative powers",
)


def _function(
    name: str, ulps: float, *, values: str = "any", half: float = 1.0, magnitude: str = ""
) -> OpSpec:
    """An elementary function; integers are promoted to the default float dtype."""
    return elementwise_unary(
        f"aten.{name}.default",
        dtypes=LOOSE_FLOAT if name in REAL_FUNCTIONS else EVERY,
        result=PROMOTED,
        numerics=ulp(ulps, half=half, magnitude=magnitude),
        values=values,
        prim=True,
    )


FUNCTIONS = (
    _function("exp", 4, values="small"),
    _function("exp2", 4, values="small"),
    _function("expm1", 4, values="small"),
    _function("log", 4, values="positive"),
    _function("log2", 4, values="positive"),
    _function("log10", 4, values="positive"),
    _function("log1p", 4, values="positive"),
    _function("sin", 4, values="small"),
    _function("cos", 4, values="small"),
    _function("tan", 8, values="small"),
    _function("asin", 4, values="unit"),
    _function("acos", 4, values="unit"),
    _function("atan", 4),
    _function("sinh", 8, values="small"),
    _function("cosh", 8, values="small"),
    _function("tanh", 5, values="small"),
    _function("asinh", 8),
    _function("acosh", 8, values="positive"),
    _function("atanh", 8, values="unit"),
    _function("erf", 8, values="small"),
    _function("erfc", 16, values="unit"),
    _function("erfinv", 16, values="unit"),
    _function("lgamma", 16, values="positive"),
    _function("digamma", 32, values="positive", magnitude="operands"),
    _function("sqrt", 1, values="positive"),
    _function("rsqrt", 2, values="positive", half=2),
    _function("reciprocal", 1, values="nonzero"),
)

ROUNDING = tuple(
    elementwise_unary(f"aten.{name}.default", dtypes=(*REALS, *UNSIGNED), prim=True, numerics=EXACT)
    for name in ("ceil", "floor", "trunc", "round")
)

UNARY = (
    *FUNCTIONS,
    *ROUNDING,
    elementwise_unary(
        "aten.abs.default",
        dtypes=(*REALS, *COMPLEX),
        result="real:self",
        prim=True,
        numerics=ulp(2, half=0, special=("wraps",)),
    ),
    elementwise_unary("aten.neg.default", dtypes=(*REALS, *COMPLEX), prim=True, numerics=WRAPS),
    elementwise_unary("aten.sign.default", dtypes=NUMBERS, prim=True),
    elementwise_unary("aten.signbit.default", dtypes=LOOSE_FLOAT, result="bool", prim=True),
    elementwise_unary("aten.bitwise_not.default", dtypes=INTEGRAL, prim=True),
    elementwise_unary(
        "aten.deg2rad.default",
        dtypes=LOOSE_FLOAT,
        result=PROMOTED,
        numerics=ulp(2),
        decomposition=decompose.deg2rad,
    ),
    elementwise_unary(
        "aten.rad2deg.default",
        dtypes=LOOSE_FLOAT,
        result=PROMOTED,
        numerics=ulp(2),
        decomposition=decompose.rad2deg,
    ),
    elementwise_unary("aten.frac.default", decomposition=decompose.frac),
    elementwise_unary("aten.isnan.default", dtypes=EVERY, result="bool", decomposition=decompose.isnan),
    elementwise_unary("aten.isinf.default", dtypes=EVERY, result="bool", decomposition=decompose.isinf),
    elementwise_unary(
        "aten.isposinf.default", dtypes=LOOSE_FLOAT, result="bool", decomposition=decompose.isposinf
    ),
    elementwise_unary(
        "aten.isneginf.default", dtypes=LOOSE_FLOAT, result="bool", decomposition=decompose.isneginf
    ),
    elementwise_unary(
        "aten.logical_not.default", dtypes=ANY, result="bool", decomposition=decompose.logical_not
    ),
    elementwise_unary(
        "aten.sgn.default", dtypes=ANY, numerics=ulp(1, half=0, float64=1), decomposition=decompose.sgn
    ),
    elementwise_unary(
        "aten.angle.default",
        dtypes=EVERY,
        result="complex_real:self|promote_float:self",
        numerics=ulp(4),
        decomposition=decompose.angle,
    ),
    elementwise_unary(
        "aten.nan_to_num.default",
        dtypes=EVERY,
        extra={
            "nan": Operand(choices=(None, 1.5)),
            "posinf": Operand(choices=(None, 2.5)),
            "neginf": Operand(choices=(None, -2.5)),
        },
        numerics=Numerics("exact"),
        decomposition=decompose.nan_to_num,
    ),
    elementwise_unary(
        "aten.logit.default",
        dtypes=LOOSE_FLOAT,
        result=PROMOTED,
        values="probability",
        numerics=ulp(8, half=4, magnitude="operands"),
        extra={"eps": Operand(choices=(None, 0.125))},
        decomposition=decompose.logit,
    ),
    elementwise_unary(
        "aten.sinc.default",
        dtypes=EVERY,
        result=PROMOTED,
        values="unit",
        numerics=ulp(8, half=2, magnitude="operands"),
        decomposition=decompose.sinc,
    ),
    elementwise_unary(
        "aten.round.decimals",
        numerics=ulp(2, half=2),
        values="small",
        extra={"decimals": Operand(choices=(0, 1, -1))},
        decomposition=decompose.round_decimals,
    ),
)

ARITHMETIC = (
    elementwise_binary(
        "aten.add.Tensor",
        dtypes=ANY,
        numerics=ulp(2, magnitude="operands", special=("wraps",)),
        extra=ALPHA,
        constraints=(ALPHA_IS_ONE,),
        prim=True,
        decomposition=decompose.add,
    ),
    elementwise_binary(
        "aten.sub.Tensor",
        dtypes=(*REALS, *COMPLEX),
        accepts=NO_BOOL,
        numerics=ulp(2, magnitude="operands", special=("wraps",)),
        extra=ALPHA,
        constraints=(ALPHA_IS_ONE,),
        errors=(BOOL_DIFFERENCE,),
        prim=True,
        decomposition=decompose.sub,
    ),
    elementwise_binary(
        "aten.mul.Tensor", dtypes=EVERY, numerics=ulp(0.5, half=0.5, special=("wraps",)), prim=True
    ),
    elementwise_binary(
        "aten.div.Tensor",
        dtypes=(*FLOATS, *COMPLEX),
        result="promote_float:self,other",
        numerics=ulp(1),
        other_values="nonzero",
        prim=True,
    ),
    elementwise_binary(
        "aten.div.Tensor_mode",
        dtypes=REALS,
        result="promote:self,other",
        numerics=WRAPS,
        other_values="nonzero",
        extra={"rounding_mode": Operand(choices=("'trunc'", "'floor'"))},
        constraints=(
            (
                "rounding_mode == 'trunc' and integral(dtype(self))",
                "as a prim, integer division only",
                Tier.PRIM,
            ),
            ("rounding_mode == 'trunc' or rounding_mode == 'floor'", "true division is div.Tensor"),
        ),
        prim=True,
        decomposition=decompose.div_mode,
    ),
    elementwise_binary(
        "aten.pow.Tensor_Tensor",
        dtypes=(*REALS, *COMPLEX),
        numerics=ulp(4, special=("wraps",)),
        values="positive",
        other_values="small",
        prim=True,
        names=("self", "exponent"),
        result="promote:self,exponent",
        decomposition=decompose.power,
    ),
    elementwise_binary("aten.fmod.Tensor", other_values="nonzero", prim=True),
    elementwise_binary(
        "aten.remainder.Tensor", other_values="nonzero", numerics=ulp(1, magnitude="operands"), prim=True
    ),
    elementwise_binary("aten.maximum.default", dtypes=NUMBERS, prim=True),
    elementwise_binary("aten.minimum.default", dtypes=NUMBERS, prim=True),
    elementwise_binary(
        "aten.atan2.default", dtypes=FLOATS, result="promote_float:self,other", numerics=ulp(4), prim=True
    ),
    elementwise_binary(
        "aten.nextafter.default",
        dtypes=FLOATS,
        numerics=Numerics("exact", special=("nan-propagates", "own-precision")),
        prim=True,
    ),
    elementwise_binary("aten.gcd.default", dtypes=INTS, prim=True),
    elementwise_binary(
        "aten.add.Scalar",
        dtypes=ANY,
        numerics=ulp(2, magnitude="operands", special=("wraps",)),
        scalars=SCALARS,
        extra=ALPHA,
        decomposition=decompose.add,
    ),
    elementwise_binary(
        "aten.sub.Scalar",
        dtypes=(*REALS, *COMPLEX),
        accepts=NO_BOOL,
        computes=NUMBER_SCALAR,
        errors=(BOOL_DIFFERENCE,),
        numerics=ulp(2, magnitude="operands", special=("wraps",)),
        scalars=SCALARS,
        extra=ALPHA,
        decomposition=decompose.sub,
    ),
    elementwise_binary(
        "aten.rsub.Tensor",
        dtypes=(*REALS, *COMPLEX),
        accepts=NO_BOOL,
        errors=(BOOL_DIFFERENCE,),
        numerics=ulp(2, magnitude="operands", special=("wraps",)),
        extra=ALPHA,
        decomposition=decompose.rsub,
    ),
    elementwise_binary(
        "aten.rsub.Scalar",
        dtypes=(*REALS, *COMPLEX),
        accepts=NO_BOOL,
        computes=NUMBER_SCALAR,
        errors=(BOOL_DIFFERENCE,),
        numerics=ulp(2, magnitude="operands", special=("wraps",)),
        scalars=SCALARS,
        extra=ALPHA,
        decomposition=decompose.rsub,
    ),
    elementwise_binary(
        "aten.mul.Scalar",
        dtypes=EVERY,
        numerics=ulp(1, special=("wraps",)),
        scalars=SCALARS,
        decomposition=decompose.mul_scalar,
    ),
    elementwise_binary(
        "aten.div.Scalar",
        dtypes=(*FLOATS, *COMPLEX),
        result="promote_float:self,other",
        numerics=ulp(2),
        scalars=SCALARS,
        decomposition=decompose.true_divide,
    ),
    elementwise_binary(
        "aten.div.Scalar_mode",
        dtypes=REALS,
        numerics=WRAPS,
        scalars=(0.5, -2, 3),
        extra={"rounding_mode": Operand(choices=("'trunc'", "'floor'"))},
        decomposition=decompose.div_mode,
    ),
    elementwise_binary(
        "aten.true_divide.Tensor",
        dtypes=(*FLOATS, *COMPLEX),
        result="promote_float:self,other",
        numerics=ulp(1),
        other_values="nonzero",
        decomposition=decompose.true_divide,
    ),
    elementwise_binary(
        "aten.floor_divide.default",
        numerics=WRAPS,
        other_values="nonzero",
        decomposition=decompose.floor_divide,
    ),
    elementwise_binary(
        "aten.floor_divide.Scalar",
        dtypes=REALS,
        numerics=WRAPS,
        scalars=(0.5, -2, 3),
        decomposition=decompose.floor_divide,
    ),
    elementwise_binary(
        "aten.pow.Tensor_Scalar",
        dtypes=(*REALS, *COMPLEX),
        errors=(NEGATIVE_POWER,),
        numerics=ulp(4, special=("wraps",)),
        values="positive",
        scalars=(2, 3, 0.5, -1.5, 1),
        names=("self", "exponent"),
        result="promote:self,exponent",
        decomposition=decompose.power,
    ),
    elementwise_binary(
        "aten.pow.Scalar",
        dtypes=(*REALS, *COMPLEX),
        numerics=ulp(4, special=("wraps",)),
        other_values="small",
        scalars=(2, 0.5),
        names=("self", "exponent"),
        result="promote:self,exponent",
        decomposition=decompose.power,
    ),
    elementwise_binary(
        "aten.fmod.Scalar",
        dtypes=REALS,
        scalars=(0.75, -2, 3),
        decomposition=decompose.fmod_scalar,
    ),
    elementwise_binary(
        "aten.remainder.Scalar",
        dtypes=REALS,
        scalars=(0.75, -2, 3),
        numerics=ulp(1, magnitude="operands"),
        decomposition=decompose.remainder_scalar,
    ),
    elementwise_binary(
        "aten.remainder.Scalar_Tensor",
        scalars=(0.75, -2, 3),
        other_values="nonzero",
        numerics=ulp(1, magnitude="operands"),
        decomposition=decompose.remainder_scalar,
    ),
    elementwise_binary(
        "aten.fmax.default", dtypes=NUMBERS, numerics=Numerics("exact"), decomposition=decompose.fmax
    ),
    elementwise_binary(
        "aten.fmin.default", dtypes=NUMBERS, numerics=Numerics("exact"), decomposition=decompose.fmin
    ),
    elementwise_binary("aten.hypot.default", dtypes=FLOATS, numerics=ulp(4), decomposition=decompose.hypot),
    elementwise_binary(
        "aten.copysign.Tensor",
        dtypes=FLOATS,
        result="promote_float:self,other",
        numerics=Numerics("exact", special=("signed-zero",)),
        decomposition=decompose.copysign,
    ),
    elementwise_binary(
        "aten.copysign.Scalar",
        dtypes=FLOATS,
        result="promote_float:self,other",
        numerics=Numerics("exact", special=("signed-zero",)),
        scalars=(1.0, -2.0),
        decomposition=decompose.copysign,
    ),
    elementwise_binary(
        "aten.lcm.default", dtypes=INTS, numerics=WRAPS, values="small", decomposition=decompose.lcm
    ),
    elementwise_binary(
        "aten.heaviside.default",
        dtypes=NUMBERS,
        accepts=NUMBERS,
        errors=(("dtype(self) != dtype(values)", "the operands have different dtypes"),),
        names=("self", "values"),
        result="same:self",
        numerics=Numerics("exact"),
        constraints=(("dtype(self) == dtype(values)", "both operands have one dtype"),),
        decomposition=decompose.heaviside,
    ),
    elementwise_binary(
        "aten.logaddexp.default",
        dtypes=(*FLOATS, *COMPLEX),
        numerics=ulp(8, magnitude="operands"),
        values="small",
        decomposition=decompose.logaddexp,
    ),
    elementwise_binary(
        "aten.logaddexp2.default",
        dtypes=FLOATS,
        numerics=ulp(8, magnitude="operands"),
        values="small",
        decomposition=decompose.logaddexp2,
    ),
    elementwise_binary(
        "aten.xlogy.Tensor",
        dtypes=FLOATS,
        result="promote_float:self,other",
        numerics=ulp(8, half=2),
        other_values="positive",
        decomposition=decompose.xlogy,
    ),
    *(
        elementwise_binary(
            f"aten.{name}",
            dtypes=FLOATS,
            result="promote_float:self,other",
            numerics=ulp(8, half=2),
            other_values="positive",
            scalars=(0.5, 3, 0) if name.endswith(("Self", "self_scalar")) else (0.5, 3),
            decomposition=function,
        )
        for name, function in (
            ("xlogy.Scalar_Self", decompose.xlogy),
            ("xlogy.Scalar_Other", decompose.xlogy),
            ("special_xlog1py.self_scalar", decompose.xlog1py),
            ("special_xlog1py.other_scalar", decompose.xlog1py),
        )
    ),
    elementwise_binary(
        "aten._add_relu.Tensor",
        dtypes=ADD_RELU,
        accepts=ADD_RELU,
        numerics=ulp(2, magnitude="operands", special=("wraps",)),
        extra=ALPHA,
        constraints=(("dtype(self) == dtype(other)", "both operands have one dtype"),),
        decomposition=decompose.add_relu,
    ),
    elementwise_binary(
        "aten._add_relu.Scalar",
        dtypes=ADD_RELU,
        accepts=ADD_RELU,
        numerics=ulp(2, magnitude="operands", special=("wraps",)),
        scalars=SCALARS,
        extra=ALPHA,
        decomposition=decompose.add_relu,
    ),
    elementwise_binary(
        "aten.ldexp.Tensor",
        dtypes=(*FLOATS, *COMPLEX),
        accepts=ANY,
        result="promote_float:self,other",
        numerics=ulp(4, half=2),
        other_values="small",
        constraints=(
            (
                "dtype(other) != 'bool' or not floating(dtype(self))",
                "the exponent of a float is a number",
            ),
            (
                "dtype(other) != 'float16' or floating(dtype(self)) or integral(dtype(self))",
                "the exponent of a complex number is not float16",
            ),
        ),
        errors=(
            ("floating(dtype(self)) and dtype(other) == 'bool'", "the exponent of a float is a truth value"),
        ),
        decomposition=decompose.ldexp,
    ),
    elementwise_binary(
        "aten.special_xlog1py.default",
        dtypes=FLOATS,
        result="promote_float:self,other",
        numerics=ulp(8, half=2),
        other_values="positive",
        decomposition=decompose.xlog1py,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*UNARY, *ARITHMETIC)
