"""Elementwise operators of three operands: selection, clamping, interpolation, multiply-add."""

from __future__ import annotations

from torchport.contract.decompositions import elementwise as decompose
from torchport.contract.ops.builders import (
    ANY,
    FLOATS,
    REALS,
    entry,
    ulp,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

BOUNDS = Operand(choices=(-0.5, 1, None))


def _three(
    name: str,
    second: str,
    third: str,
    *,
    numerics: Numerics,
    third_scalar: tuple[float, ...] = (),
    third_values: str = "any",
    result: str,
    extra: dict[str, Operand] | None = None,
    decomposition: object,
) -> OpSpec:
    tensors = ["self", second, *([] if third_scalar else [third])]
    operands = {"self": Operand("*S"), second: Operand("~S")}
    operands[third] = Operand(choices=third_scalar) if third_scalar else Operand("~S", third_values)
    return entry(
        name,
        category=Category.ELEMENTWISE,
        accepts=dict.fromkeys(tensors, FLOATS),
        results=result,
        shape=f"broadcast({', '.join(tensors)})",
        layout="elementwise",
        numerics=numerics,
        operands={**operands, **(extra or {})},
        constraints=[(f"dtype(self) == dtype({n})", "all operands have one dtype") for n in tensors[1:]],
        decomposition=decomposition,  # type: ignore[arg-type]
    )


SELECTION = (
    entry(
        "aten.where.self",
        category=Category.ELEMENTWISE,
        accepts={"condition": ("bool",), "self": ANY, "other": ANY},
        results="promote:self,other",
        shape="broadcast(condition, self, other)",
        layout="elementwise",
        operands={"condition": Operand("*S", "bool"), "self": Operand("~S"), "other": Operand("~S")},
        constraints=(
            ("condition == self and self == other", "operands of a prim have one shape", Tier.PRIM),
            ("dtype(self) == dtype(other)", "operands of a prim have one dtype", Tier.PRIM),
        ),
        prim=True,
    ),
    entry(
        "aten.clamp.default",
        category=Category.ELEMENTWISE,
        accepts={"self": REALS},
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
        accepts={"self": REALS, "min": REALS, "max": REALS},
        results="promote:self,min,max",
        shape="broadcast(self, min, max)",
        layout="elementwise",
        operands={
            "self": Operand("*S"),
            "min": Operand("~S", optional=True),
            "max": Operand("~S", optional=True),
        },
        constraints=(("given(min) or given(max)", "at least one bound is given"),),
        decomposition=decompose.clamp,
    ),
    *(
        entry(
            f"aten.clamp_{side}.default",
            category=Category.ELEMENTWISE,
            accepts={"self": REALS},
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
            accepts={"self": REALS, side: REALS},
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
        decomposition=decompose.lerp,
    ),
    _three(
        "aten.lerp.Scalar",
        "end",
        "weight",
        numerics=ulp(4, half=1, magnitude="operands"),
        third_scalar=(0.25, 0.75, 1.0),
        result="same:self",
        decomposition=decompose.lerp,
    ),
    _three(
        "aten.addcmul.default",
        "tensor1",
        "tensor2",
        numerics=ulp(3, half=2, magnitude="abs"),
        result="promote:self,tensor1,tensor2",
        extra={"value": Operand(choices=(1, -0.5))},
        decomposition=decompose.addcmul,
    ),
    _three(
        "aten.addcdiv.default",
        "tensor1",
        "tensor2",
        numerics=ulp(3, half=2, magnitude="abs"),
        third_values="nonzero",
        result="promote:self,tensor1,tensor2",
        extra={"value": Operand(choices=(1, -0.5))},
        decomposition=decompose.addcdiv,
    ),
)

ENTRIES: tuple[OpSpec, ...] = SELECTION
