"""Operators that make tensors out of sizes and scalars, the random ones among them."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import creation as decompose
from torchport.contract.ops.builders import ANY, FLOATS, Decomposition, creation, ulp
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

SIZE = Operand(choices=("[2, 3]", "[]", "[4]", "[0, 2]"))
VALUES = Operand(choices=(0, 1.5, True, -3))
UNSPECIFIED = Numerics("law", special=("unspecified-values",))
UNIFORM = Numerics("law", special=("uniform",))
NORMAL = Numerics("law", special=("normal",))
FLOAT_ONLY = {"dtype": Operand(choices=(None, torch.float32, torch.bfloat16))}
SHAPED = {"self": Operand("*S")}
STEPPED = ulp(1, half=1, magnitude="operands")


def _constant(name: str, decomposition: Decomposition, numerics: Numerics | None = None) -> OpSpec:
    return creation(
        f"aten.{name}",
        shape="size",
        operands={"size": SIZE},
        numerics=numerics or Numerics("exact"),
        deterministic=numerics is None,
        decomposition=decomposition,
    )


def _like(name: str, decomposition: Decomposition, numerics: Numerics | None = None) -> OpSpec:
    return creation(
        f"aten.{name}",
        accepts={"self": ANY},
        result="arg:dtype|same:self",
        shape="self",
        layout="like:self",
        operands=SHAPED,
        numerics=numerics or Numerics("exact"),
        deterministic=numerics is None,
        decomposition=decomposition,
    )


def _new(name: str, decomposition: Decomposition, numerics: Numerics | None = None) -> OpSpec:
    return creation(
        f"aten.{name}",
        accepts={"self": ANY},
        result="arg:dtype|same:self",
        shape="size",
        operands={**SHAPED, "size": SIZE},
        numerics=numerics or Numerics("exact"),
        deterministic=numerics is None,
        decomposition=decomposition,
    )


CONSTANTS = (
    creation(
        "aten.full.default",
        result="arg:dtype|scalar:fill_value",
        shape="size",
        operands={"size": SIZE, "fill_value": VALUES},
        prim=True,
    ),
    _constant("zeros.default", decompose.zeros),
    _constant("ones.default", decompose.ones),
    _constant("empty.memory_format", decompose.zeros, UNSPECIFIED),
    creation(
        "aten.empty_strided.default",
        shape="size",
        layout="eager",
        operands={"size": Operand(choices=("[2, 3]",)), "stride": Operand(choices=("[1, 2]",))},
        numerics=UNSPECIFIED,
        deterministic=False,
        constraints=(("rank(size) == rank(stride)", "one stride a dimension"),),
        decomposition=decompose.empty_strided,
    ),
    _like("zeros_like.default", decompose.zeros_like),
    _like("ones_like.default", decompose.ones_like),
    _like("empty_like.default", decompose.zeros_like, UNSPECIFIED),
    _new("new_zeros.default", decompose.new_zeros),
    _new("new_ones.default", decompose.new_ones),
    _new("new_empty.default", decompose.new_zeros, UNSPECIFIED),
    creation(
        "aten.full_like.default",
        accepts={"self": ANY},
        result="arg:dtype|same:self",
        shape="self",
        layout="like:self",
        operands={**SHAPED, "fill_value": VALUES},
        decomposition=decompose.full_like,
    ),
    creation(
        "aten.new_full.default",
        accepts={"self": ANY},
        result="arg:dtype|same:self",
        shape="size",
        operands={**SHAPED, "size": SIZE, "fill_value": VALUES},
        decomposition=decompose.new_full,
    ),
    creation(
        "aten.scalar_tensor.default",
        shape="[]",
        operands={"s": VALUES},
        decomposition=decompose.scalar_tensor,
    ),
    creation(
        "aten.fill.Scalar",
        accepts={"self": ANY},
        result="same:self",
        shape="self",
        layout="like:self",
        operands={**SHAPED, "value": Operand(choices=(1, 0))},
        decomposition=decompose.fill,
    ),
    creation(
        "aten.fill.Tensor",
        accepts={"self": ANY, "value": ("same:self",)},
        result="same:self",
        shape="self",
        layout="like:self",
        operands={**SHAPED, "value": Operand("[]")},
        constraints=(("rank(value) == 0", "the value is a scalar"),),
        decomposition=decompose.fill,
    ),
)

STEP = ("step != 0", "the step is not zero")


def _same_kind(*bounds: str) -> tuple[str, str]:
    """Integer ramps have integer bounds: eager rounds each bound towards zero first, which no other
    operator does.
    """
    return (
        f"not given(dtype) or floating(dtype) or whole({', '.join(bounds)})",
        "an integer ramp has integer bounds",
    )


RAMPS = (
    creation(
        "aten.arange.start_step",
        result="arg:dtype|range:start,end,step",
        shape="arange(start, end, step)",
        operands={
            "start": Operand(choices=(0, 1, 0.5)),
            "end": Operand(choices=(5, 9)),
            "step": Operand(choices=(1, 2, 0.75)),
        },
        numerics=STEPPED,
        constraints=(
            STEP,
            (
                "start == 0 and step == 1 and dtype == 'int64'",
                "as a prim, the ramp 0, 1, 2 … in int64",
                Tier.PRIM,
            ),
        ),
        prim=True,
        decomposition=decompose.arange_start_step,
    ),
    creation(
        "aten.arange.start",
        result="arg:dtype|range:start,end",
        shape="arange(start, end, 1)",
        operands={"start": Operand(choices=(0, 2, 0.5)), "end": Operand(choices=(5, 9))},
        numerics=STEPPED,
        constraints=(_same_kind("start", "end"),),
        decomposition=decompose.arange_start,
    ),
    creation(
        "aten.arange.default",
        result="arg:dtype|range:end",
        shape="arange(0, end, 1)",
        operands={"end": Operand(choices=(5, 4.5, 0))},
        numerics=STEPPED,
        constraints=(_same_kind("end"),),
        decomposition=decompose.arange,
    ),
    creation(
        "aten.linspace.default",
        shape="[steps]",
        operands={
            "start": Operand(choices=(0, -1.5)),
            "end": Operand(choices=(1, 3.25)),
            "steps": Operand(choices=(5, 1, 8)),
            "dtype": Operand(choices=(None, torch.float64)),
        },
        numerics=ulp(4, half=1, magnitude="operands"),
        constraints=(("steps >= 0", "the number of steps is not negative"),),
        decomposition=decompose.linspace,
    ),
    creation(
        "aten.eye.default",
        shape="[n, n]",
        operands={"n": Operand(choices=(3, 0, 1))},
        decomposition=decompose.eye,
    ),
    creation(
        "aten.eye.m",
        shape="[n, m]",
        operands={"n": Operand(choices=(3, 2)), "m": Operand(choices=(2, 4))},
        decomposition=decompose.eye_m,
    ),
)


def _random(name: str, numerics: Numerics) -> OpSpec:
    return creation(
        f"aten.{name}.default",
        shape="size",
        operands={"size": SIZE, **FLOAT_ONLY},
        category=Category.RANDOM,
        numerics=numerics,
        deterministic=False,
        prim=True,
    )


def _random_like(name: str, numerics: Numerics, decomposition: Decomposition) -> OpSpec:
    return creation(
        f"aten.{name}.default",
        accepts={"self": FLOATS},
        result="arg:dtype|same:self",
        shape="self",
        layout="like:self",
        operands={**SHAPED, "dtype": Operand(choices=(None,))},
        category=Category.RANDOM,
        numerics=numerics,
        deterministic=False,
        decomposition=decomposition,
    )


RANDOM = (
    _random("rand", UNIFORM),
    _random("randn", NORMAL),
    _random_like("rand_like", UNIFORM, decompose.rand_like),
    _random_like("randn_like", NORMAL, decompose.randn_like),
    creation(
        "aten.randint.low",
        result="arg:dtype|int64",
        shape="size",
        operands={
            "low": Operand(choices=(0, -3)),
            "high": Operand(choices=(5, 100)),
            "size": SIZE,
            "dtype": Operand(choices=(torch.int64, torch.int32)),
        },
        category=Category.RANDOM,
        numerics=Numerics("law", special=("uniform-integer",)),
        deterministic=False,
        constraints=(("low < high", "the interval is not empty"),),
        prim=True,
    ),
    creation(
        "aten.bernoulli.p",
        accepts={"self": FLOATS},
        result="same:self",
        shape="self",
        layout="like:self",
        operands={**SHAPED, "p": Operand(choices=(0.5, 0.1))},
        category=Category.RANDOM,
        numerics=Numerics("law", special=("bernoulli",)),
        deterministic=False,
        constraints=(("p >= 0 and p <= 1", "p is a probability"),),
        decomposition=decompose.bernoulli_p,
    ),
    creation(
        "aten.bernoulli.default",
        accepts={"self": FLOATS},
        result="same:self",
        shape="self",
        layout="like:self",
        operands={"self": Operand("*S", "probability")},
        category=Category.RANDOM,
        numerics=Numerics("law", special=("bernoulli",)),
        deterministic=False,
        decomposition=decompose.bernoulli,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*CONSTANTS, *RAMPS, *RANDOM)
