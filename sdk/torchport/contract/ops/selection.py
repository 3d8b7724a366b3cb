"""Elementwise operators of three operands: selection, clamping, interpolation, multiply-add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torchport.contract.decompositions import elementwise as decompose
from torchport.contract.ops.builders import (
    ANY,
    COMPLEX,
    FLOATS,
    NUMBERS,
    REALS,
    UNSIGNED,
    Decomposition,
    Rule,
    entry,
    reaching,
    ulp,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

BOUNDS = Operand(choices=(-0.5, 1, None))
BETWEEN_BOOLS = "dtype(self) == 'bool' and dtype(min) == 'bool' and dtype(max) == 'bool'"
INTEGERS = "integral(dtype(tensor1)) and integral(dtype(tensor2))"
INEXACT = (*FLOATS, *COMPLEX)
EVERY = (*ANY, *UNSIGNED)


def _same(name: str) -> Rule:
    return f"dtype(self) == dtype({name})", "all operands have one dtype"


def _different(name: str) -> Rule:
    return f"dtype(self) != dtype({name})", f"{name} has another dtype"


def _three(
    name: str,
    second: str,
    third: str,
    *,
    numerics: Numerics,
    third_scalar: tuple[float, ...] = (),
    third_values: str = "any",
    result: str,
    accepts: Sequence[str],
    computes: Mapping[str, Sequence[str]] | None = None,
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
    extra: dict[str, Operand] | None = None,
    decomposition: Decomposition,
) -> OpSpec:
    tensors = ["self", second, *([] if third_scalar else [third])]
    operands = {"self": Operand("*S"), second: Operand("~S")}
    operands[third] = Operand(choices=third_scalar) if third_scalar else Operand("~S", third_values)
    return entry(
        name,
        category=Category.ELEMENTWISE,
        accepts=dict.fromkeys(tensors, accepts),
        computes=computes,
        results=result,
        shape=f"broadcast({', '.join(tensors)})",
        layout="elementwise",
        numerics=numerics,
        operands={**operands, **(extra or {})},
        constraints=constraints,
        errors=errors,
        decomposition=decomposition,
    )


SELECTION = (
    entry(
        "aten.where.self",
        category=Category.ELEMENTWISE,
        accepts={"condition": ("bool",), "self": EVERY, "other": EVERY},
        computes={"promote:self,other": EVERY},
        results="promote:self,other",
        shape="broadcast(condition, self, other)",
        layout="elementwise",
        operands={"condition": Operand("*S", "bool"), "self": Operand("~S"), "other": Operand("~S")},
        constraints=(
            ("condition == self and self == other", "operands of a prim have one shape", Tier.PRIM),
            ("dtype(self) == dtype(other)", "operands of a prim have one dtype", Tier.PRIM),
        ),
        prim=True,
        decomposition=decompose.where,
    ),
    entry(
        "aten.clamp.default",
        category=Category.ELEMENTWISE,
        accepts={"self": (*NUMBERS, *UNSIGNED)},
        computes={"promote:self,min,max": REALS},
        results="promote:self,min,max",
        shape="self",
        layout="elementwise",
        operands={"self": Operand("*S"), "min": BOUNDS, "max": Operand(choices=(2, None, 0.75))},
        constraints=(("given(min) or given(max)", "at least one bound is given"),),
        decomposition=decompose.clamp,
    ),
    entry(
        "aten.clamp.Tensor",
        category=Category.ELEMENTWISE,
        accepts=dict.fromkeys(("self", "min", "max"), reaching(NUMBERS)),
        computes={"promote:self,min,max": NUMBERS},
        results="promote:self,min,max",
        shape="broadcast(self, min, max)",
        layout="elementwise",
        operands={
            "self": Operand("*S"),
            "min": Operand("~S", optional=True),
            "max": Operand("~S", optional=True),
        },
        constraints=(
            ("given(min) or given(max)", "at least one bound is given"),
            (f"not ({BETWEEN_BOOLS})", "bools are bounded from one side only"),
        ),
        errors=((BETWEEN_BOOLS, "bools are bounded from both sides"),),
        decomposition=decompose.clamp,
    ),
    *(
        entry(
            f"aten.clamp_{side}.default",
            category=Category.ELEMENTWISE,
            accepts={"self": (*NUMBERS, *UNSIGNED)},
            computes={f"promote:self,{side}": REALS},
            results=f"promote:self,{side}",
            shape="self",
            layout="elementwise",
            operands={"self": Operand("*S"), side: Operand(choices=(-0.5, 1))},
            decomposition=function,
        )
        for side, function in (("min", decompose.clamp_min), ("max", decompose.clamp_max))
    ),
    *(
        entry(
            f"aten.clamp_{side}.Tensor",
            category=Category.ELEMENTWISE,
            accepts=dict.fromkeys(("self", side), reaching(NUMBERS)),
            computes={f"promote:self,{side}": NUMBERS},
            results=f"promote:self,{side}",
            shape=f"broadcast(self, {side})",
            layout="elementwise",
            operands={"self": Operand("*S"), side: Operand("~S")},
            decomposition=function,
        )
        for side, function in (("min", decompose.clamp_min), ("max", decompose.clamp_max))
    ),
    _three(
        "aten.lerp.Tensor",
        "end",
        "weight",
        numerics=ulp(4, half=1, magnitude="operands"),
        third_values="probability",
        result="same:self",
        accepts=INEXACT,
        constraints=tuple(_same(n) for n in ("end", "weight")),
        errors=tuple(_different(n) for n in ("end", "weight")),
        decomposition=decompose.lerp,
    ),
    _three(
        "aten.lerp.Scalar",
        "end",
        "weight",
        numerics=ulp(4, half=1, magnitude="operands"),
        third_scalar=(0.25, 0.75, 1.0),
        result="same:self",
        accepts=INEXACT,
        constraints=(_same("end"),),
        errors=(_different("end"),),
        decomposition=decompose.lerp,
    ),
    _three(
        "aten.addcmul.default",
        "tensor1",
        "tensor2",
        numerics=ulp(3, half=2, magnitude="abs", special=("wraps",)),
        result="promote:self,tensor1,tensor2",
        accepts=(*ANY, *UNSIGNED),
        computes={"promote:self,tensor1,tensor2": (*REALS, *COMPLEX)},
        constraints=(
            (f"whole(value) or not (integral(dtype(self)) and {INTEGERS})", "integers have a whole factor"),
        ),
        extra={"value": Operand(choices=(1, -0.5, -3))},
        decomposition=decompose.addcmul,
    ),
    _three(
        "aten.addcdiv.default",
        "tensor1",
        "tensor2",
        numerics=ulp(3, half=2, magnitude="abs"),
        third_values="nonzero",
        result="promote:self,tensor1,tensor2",
        accepts=(*ANY, *UNSIGNED),
        computes={"promote:self,tensor1,tensor2": INEXACT},
        constraints=((f"not ({INTEGERS})", "one of the operands of the division is not an integer"),),
        errors=((INTEGERS, "integers are not divided"),),
        extra={"value": Operand(choices=(1, -0.5))},
        decomposition=decompose.addcdiv,
    ),
)

ENTRIES: tuple[OpSpec, ...] = SELECTION
