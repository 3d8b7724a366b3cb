"""Resampling and its gradients."""

from __future__ import annotations

from torchport.contract.decompositions import upsample as decompose
from torchport.contract.ops.builders import EXACT, FLAG, FLOATS, NOTHING, Decomposition, Rule, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

IMAGES = {1: "[n, c, w]", 2: "[n, c, h, w]"}
LARGER = {
    1: Operand(choices=([7], "[2 * self[2]]")),
    2: Operand(choices=([7, 3], "[2 * self[2], 2 * self[3]]")),
}
SCALES = {1: ("scales",), 2: ("scales_h", "scales_w")}


def _pair(
    name: str, axes: int, forward: Decomposition, backward: Decomposition, *, linear: bool
) -> tuple[OpSpec, OpSpec]:
    rank = axes + 2
    align = {"align_corners": FLAG} if linear else {}
    scales = dict.fromkeys(SCALES[axes], NOTHING)
    output: Rule = (
        f"rank(output_size) == {axes} and min(output_size) > 0",
        "one output size per spatial dimension",
    )
    return (
        entry(
            f"aten.{name}.default",
            category=Category.POOLING,
            accepts={"self": FLOATS},
            results="same:self",
            shape="self[:2] + output_size",
            layout="eager",
            # The weights of the neighbours come from positions, which are rounded to float32 first.
            numerics=derived(32) if linear else EXACT,
            operands={"self": Operand(IMAGES[axes]), "output_size": LARGER[axes], **align, **scales},
            constraints=(
                (f"rank(self) == {rank}", "the input is [N, C, *spatial]"),
                ("numel(self[1:]) > 0", "only the batch may be empty"),
                output,
            ),
            errors=((f"rank(self) != {rank}", "the rank does not fit"),),
            decomposition=forward,
        ),
        entry(
            f"aten.{name}_backward.default",
            category=Category.POOLING,
            accepts={"grad_output": FLOATS},
            results="same:grad_output",
            shape="input_size",
            layout="eager",
            numerics=derived(),
            operands={
                "grad_output": Operand(IMAGES[axes]),
                "output_size": Operand(choices=("grad_output[2:]",)),
                "input_size": Operand(choices=(f"grad_output[:2] + {[3, 2][:axes]}",)),
                **align,
                **scales,
            },
            constraints=(
                (f"rank(grad_output) == {rank}", "the gradient is [N, C, *spatial]"),
                (
                    "grad_output == input_size[:2] + output_size",
                    "the gradient has the shape of the forward result",
                ),
                ("numel(input_size[1:]) > 0", "only the batch may be empty"),
                output,
            ),
            decomposition=backward,
        ),
    )


ENTRIES: tuple[OpSpec, ...] = (
    *_pair(
        "upsample_nearest1d",
        1,
        decompose.upsample_nearest1d,
        decompose.upsample_nearest1d_backward,
        linear=False,
    ),
    *_pair(
        "upsample_nearest2d",
        2,
        decompose.upsample_nearest2d,
        decompose.upsample_nearest2d_backward,
        linear=False,
    ),
    *_pair(
        "upsample_linear1d", 1, decompose.upsample_linear1d, decompose.upsample_linear1d_backward, linear=True
    ),
    *_pair(
        "upsample_bilinear2d",
        2,
        decompose.upsample_bilinear2d,
        decompose.upsample_bilinear2d_backward,
        linear=True,
    ),
)
