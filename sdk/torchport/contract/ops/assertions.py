"""Assertions, constraints on host numbers, and comparisons whose result is a host value."""

from __future__ import annotations

from torchport.contract.decompositions import assertions as decompose
from torchport.contract.ops.builders import ANY, FLAG, NUMBERS, creation, entry
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

MESSAGE = Operand(choices=("'the condition does not hold'",))
ONE_ELEMENT = ("numel(self) == 1", "the condition is one element")
NOT_ONE = ("numel(self) != 1", "the condition is not one element")
CONDITION = Operand("[]", "nonzero")
TRUE = Operand(choices=(True, 1))
NUMBER = Operand(choices=(3, 4))
LOWEST = Operand(choices=(None, 0, 2))
HIGHEST = Operand(choices=(None, 5))
TOKEN = Operand("[]")
TOKENS = ("float32",)
WITHIN = (
    "(not given(min) or size >= min) and (not given(max) or size <= max)",
    "the number lies in the range",
)
OUTSIDE = (
    "given(min) and size < min or given(max) and size > max",
    "the number is outside of the range",
)
A_SIZE = ("size >= 0 and (not given(min) or min >= 0)", "sizes are not negative")

ASSERTED = (
    entry(
        "aten._assert_async.msg",
        category=Category.EFFECT,
        accepts={"self": ANY},
        results=(),
        shape=(),
        layout=(),
        operands={"self": CONDITION, "assert_msg": MESSAGE},
        constraints=(ONE_ELEMENT,),
        errors=(NOT_ONE,),
        prim=True,
    ),
    entry(
        "aten._assert_async.default",
        category=Category.EFFECT,
        accepts={"self": ANY},
        results=(),
        shape=(),
        layout=(),
        operands={"self": CONDITION},
        constraints=(ONE_ELEMENT,),
        errors=(NOT_ONE,),
        decomposition=decompose.assert_async,
    ),
    entry(
        "aten._functional_assert_async.msg",
        category=Category.EFFECT,
        accepts={"self": ANY, "dep_token": TOKENS},
        results="same:dep_token",
        shape="dep_token",
        operands={"self": CONDITION, "assert_msg": MESSAGE, "dep_token": TOKEN},
        constraints=(ONE_ELEMENT,),
        errors=(NOT_ONE,),
        decomposition=decompose.functional_assert_async,
    ),
    entry(
        "aten._assert_scalar.default",
        category=Category.EFFECT,
        accepts={},
        results=(),
        shape=(),
        layout=(),
        operands={"self": TRUE, "assert_msg": MESSAGE},
        prim=True,
    ),
    entry(
        "aten._functional_assert_scalar.default",
        category=Category.EFFECT,
        accepts={"dep_token": TOKENS},
        results="same:dep_token",
        shape="dep_token",
        operands={"self": TRUE, "assert_msg": MESSAGE, "dep_token": TOKEN},
        decomposition=decompose.functional_assert_scalar,
    ),
    entry(
        "aten._assert_tensor_metadata.default",
        category=Category.EFFECT,
        accepts={"a": ANY},
        results=(),
        shape=(),
        layout=(),
        operands={
            "a": Operand("*S"),
            "size": Operand(choices=(None, "shape(a)")),
            "dtype": Operand(choices=(None, "dtype(a)")),
        },
        constraints=(
            ("not given(size) or size == shape(a)", "the sizes are these"),
            ("not given(dtype) or dtype == dtype(a)", "the dtype is this"),
        ),
        errors=(("given(size) and size != shape(a)", "the sizes are others"),),
        decomposition=decompose.assert_tensor_metadata,
    ),
    creation(
        "aten._make_dep_token.default",
        shape="[]",
        operands={"dtype": Operand(choices=(None,))},
        numerics=Numerics("law", special=("unspecified-values",)),
        deterministic=False,
        decomposition=decompose.make_dep_token,
    ),
)

RANGES = (
    entry(
        "aten.sym_constrain_range.default",
        category=Category.EFFECT,
        accepts={},
        results=(),
        shape=(),
        layout=(),
        operands={"size": NUMBER, "min": LOWEST, "max": HIGHEST},
        constraints=(WITHIN,),
        errors=(OUTSIDE,),
        prim=True,
    ),
    entry(
        "aten.sym_constrain_range_for_size.default",
        category=Category.EFFECT,
        accepts={},
        results=(),
        shape=(),
        layout=(),
        operands={"size": NUMBER, "min": LOWEST, "max": HIGHEST},
        constraints=(WITHIN, A_SIZE),
        errors=(OUTSIDE,),
        decomposition=decompose.constrain_range_for_size,
    ),
    entry(
        "aten._functional_sym_constrain_range.default",
        category=Category.EFFECT,
        accepts={"dep_token": TOKENS},
        results="same:dep_token",
        shape="dep_token",
        operands={"size": NUMBER, "min": LOWEST, "max": HIGHEST, "dep_token": TOKEN},
        constraints=(WITHIN,),
        errors=(OUTSIDE,),
        decomposition=decompose.functional_constrain_range,
    ),
    entry(
        "aten._functional_sym_constrain_range_for_size.default",
        category=Category.EFFECT,
        accepts={"dep_token": TOKENS},
        results="same:dep_token",
        shape="dep_token",
        operands={"size": NUMBER, "min": LOWEST, "max": HIGHEST, "dep_token": TOKEN},
        constraints=(WITHIN, A_SIZE),
        errors=(OUTSIDE,),
        decomposition=decompose.functional_constrain_range_for_size,
    ),
)

COMPARED = (
    entry(
        "aten.equal.default",
        category=Category.DATA_DEPENDENT,
        accepts={"self": ANY, "other": ("same:self",)},
        results="bool",
        shape="[]",
        operands={"self": Operand("*S", "small"), "other": Operand("*S", "small")},
        constraints=(("rank(self) == rank(other)", "the operands have one rank"),),
        decomposition=decompose.equal,
    ),
    entry(
        "aten.allclose.default",
        category=Category.DATA_DEPENDENT,
        accepts={"self": NUMBERS, "other": ("same:self",)},
        results="bool",
        shape="[]",
        operands={
            "self": Operand("*S", "small"),
            "other": Operand("*S", "small"),
            "rtol": Operand(choices=(1e-5, 10.0)),
            "atol": Operand(choices=(1e-8, 5.0)),
            "equal_nan": FLAG,
        },
        constraints=(("rtol >= 0 and atol >= 0", "tolerances are not negative"),),
        decomposition=decompose.allclose,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*ASSERTED, *RANGES, *COMPARED)
