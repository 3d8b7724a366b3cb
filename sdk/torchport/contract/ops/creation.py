"""Operators that make tensors out of sizes and scalars."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import creation as decompose
from torchport.contract.ops.builders import STORED, Decomposition, Rule, creation, ulp
from torchport.contract.spec import Numerics, Operand, OpSpec, Tier

SIZE = Operand(choices=("[2, 3]", "[]", "[4]", "[0, 2]"))
VALUES = Operand(choices=(0, 1.5, True, -3))
UNSPECIFIED = Numerics("law", special=("unspecified-values",))
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
        accepts={"self": STORED},
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
        accepts={"self": STORED},
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
    creation(
        "aten.empty_permuted.default",
        shape="size",
        layout="eager",
        operands={"size": Operand(choices=("[2, 3]",)), "physical_layout": Operand(choices=("[1, 0]",))},
        numerics=UNSPECIFIED,
        deterministic=False,
        constraints=(
            (
                "rank(size) == rank(physical_layout) and distinct(physical_layout, rank(size))",
                "the layout is a permutation of the dimensions",
            ),
        ),
        decomposition=decompose.empty_permuted,
    ),
    creation(
        "aten.new_empty_strided.default",
        accepts={"self": STORED},
        result="arg:dtype|same:self",
        shape="size",
        layout="eager",
        operands={
            **SHAPED,
            "size": Operand(choices=("[2, 3]",)),
            "stride": Operand(choices=("[1, 2]",)),
        },
        numerics=UNSPECIFIED,
        deterministic=False,
        constraints=(("rank(size) == rank(stride)", "one stride a dimension"),),
        decomposition=decompose.new_empty_strided,
    ),
    _constant("_efficientzerotensor.default", decompose.zeros),
    creation(
        "aten.zero.default",
        accepts={"self": STORED},
        result="same:self",
        shape="self",
        layout="like:self",
        operands=SHAPED,
        decomposition=decompose.zero,
    ),
    creation(
        "aten._new_zeros_with_same_feature_meta.default",
        accepts={"self": STORED, "other": ("same:self",)},
        result="same:other",
        shape="self[:self_num_batch_dims] + other",
        operands={
            "self": Operand("[n, k]"),
            "other": Operand("[k]"),
            "self_num_batch_dims": Operand(choices=(0, 1)),
        },
        constraints=(
            (
                "self_num_batch_dims >= 0 and self_num_batch_dims <= rank(self)",
                "the batch dimensions are self's",
            ),
        ),
        decomposition=decompose.new_zeros_with_same_feature_meta,
    ),
    _like("zeros_like.default", decompose.zeros_like),
    _like("ones_like.default", decompose.ones_like),
    _like("empty_like.default", decompose.zeros_like, UNSPECIFIED),
    _new("new_zeros.default", decompose.new_zeros),
    _new("new_ones.default", decompose.new_ones),
    _new("new_empty.default", decompose.new_zeros, UNSPECIFIED),
    creation(
        "aten.full_like.default",
        accepts={"self": STORED},
        result="arg:dtype|same:self",
        shape="self",
        layout="like:self",
        operands={**SHAPED, "fill_value": VALUES},
        decomposition=decompose.full_like,
    ),
    creation(
        "aten.new_full.default",
        accepts={"self": STORED},
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
        accepts={"self": STORED},
        result="same:self",
        shape="self",
        layout="like:self",
        operands={**SHAPED, "value": Operand(choices=(1, 0))},
        decomposition=decompose.fill,
    ),
    creation(
        "aten.fill.Tensor",
        accepts={"self": STORED, "value": ("same:self",)},
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


RANGED: tuple[Rule, ...] = (
    ("(end - start) * step >= 0", "the bounds fit the sign of the step"),
    (
        "not given(dtype) or floating(dtype) or whole(start, end)",
        "an integer ramp has integer bounds",
    ),
)

RAMP_DTYPE = Operand(choices=(None, torch.float64, torch.int64, torch.complex64))
ENDS = {"start": Operand(choices=(0, -1.5, 0.25)), "end": Operand(choices=(1, 3.25, -2.5))}
STEPS = Operand(choices=(5, 1, 8, 0))
COUNTED: Rule = ("steps >= 0", "the number of steps is not negative")
ONE_NUMBER: dict[str, Rule] = {
    name: (f"rank({name}) == 0", f"{name} is a number") for name in ("start", "end")
}
LINEAR = ulp(4, half=1, magnitude="operands")
EXPONENTIAL = ulp(16, half=16)


def _spaced(name: str, overload: str, decomposition: Decomposition) -> OpSpec:
    """``linspace`` or ``logspace``; the overload tells which ends are zero-dimensional tensors."""
    given = dict(zip(("start", "end"), overload.split("_"), strict=True)) if "_" in overload else {}
    tensors = [end for end, kind in given.items() if kind == "Tensor"]
    operands = {end: Operand("[]", "small") if end in tensors else ENDS[end] for end in ENDS}
    operands |= {"steps": STEPS, "dtype": RAMP_DTYPE}
    if name == "logspace":
        operands["base"] = Operand(choices=(10.0, 2.0, 0.5))
    return creation(
        f"aten.{name}.{overload}",
        accepts=dict.fromkeys(tensors, STORED[:11]),
        result="arg:dtype|complex_if:start,end|default",
        shape="[steps]",
        operands=operands,
        numerics=LINEAR if name == "linspace" else EXPONENTIAL,
        constraints=(COUNTED, *(ONE_NUMBER[end] for end in tensors)),
        errors=(("steps < 0", "the number of steps is negative"),),
        decomposition=decomposition,
    )


SPACED = tuple(
    _spaced(name, overload, decomposition)
    for name, decomposition in (("linspace", decompose.linspace), ("logspace", decompose.logspace))
    for overload in ("default", "Tensor_Tensor", "Tensor_Scalar", "Scalar_Tensor")
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
    *SPACED,
    creation(
        "aten.range.step",
        shape="range(start, end, step)",
        operands={
            "start": Operand(choices=(0, 1, 0.5)),
            "end": Operand(choices=(5, 9.25)),
            "step": Operand(choices=(1, 2, 0.75)),
            "dtype": Operand(choices=(None, torch.float64)),
        },
        numerics=STEPPED,
        constraints=(STEP, *RANGED),
        decomposition=decompose.range_step,
    ),
    creation(
        "aten.range.default",
        shape="range(start, end, 1)",
        operands={
            "start": Operand(choices=(0, 2, 0.5)),
            "end": Operand(choices=(5, 9)),
            "dtype": Operand(choices=(None, torch.float64)),
        },
        numerics=STEPPED,
        constraints=RANGED[1:],
        decomposition=decompose.range_unit,
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


ENTRIES: tuple[OpSpec, ...] = (*CONSTANTS, *RAMPS)
