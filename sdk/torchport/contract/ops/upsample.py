"""Resampling and its gradients."""

from __future__ import annotations

from torchport.contract.decompositions import resize, upsample
from torchport.contract.ops.builders import EXACT, FLAG, FLOATS, Decomposition, Rule, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

IMAGES = {1: "[n, c, w]", 2: "[n, c, h, w]", 3: "[n, c, d, h, w]"}
RESIZED = {
    1: Operand(choices=([7], "[2 * self[2]]", [2])),
    2: Operand(choices=([7, 3], "[2 * self[2], 2 * self[3]]", [2, 5])),
    3: Operand(choices=([2, 7, 3], "[2 * self[2], 2 * self[3], self[4]]")),
}
SCALES = {1: ("scales",), 2: ("scales_h", "scales_w"), 3: ("scales_d", "scales_h", "scales_w")}
SCALE = Operand(choices=(None, 1.4))
INTERPOLATED = derived(32, special=("rounded-integers",))
"""The weights of the neighbours come from positions, which are rounded to float32 first."""


def _pair(
    name: str,
    axes: int,
    forward: Decomposition,
    backward: Decomposition,
    *,
    weighted: bool = True,
    dtypes: tuple[str, ...] = FLOATS,
) -> tuple[OpSpec, OpSpec]:
    rank = axes + 2
    align = {"align_corners": FLAG} if weighted else {}
    scales = dict.fromkeys(SCALES[axes], SCALE)
    output: Rule = (
        f"rank(output_size) == {axes} and min(output_size) > 0",
        "one output size per spatial dimension",
    )
    return (
        entry(
            f"aten.{name}.default",
            category=Category.POOLING,
            accepts={"self": dtypes},
            results="same:self",
            shape="self[:2] + output_size",
            layout="eager",
            numerics=INTERPOLATED if weighted else EXACT,
            operands={"self": Operand(IMAGES[axes]), "output_size": RESIZED[axes], **align, **scales},
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
            numerics=derived(32) if weighted else derived(),
            operands={
                "grad_output": Operand(IMAGES[axes]),
                "output_size": Operand(choices=("grad_output[2:]",)),
                "input_size": Operand(choices=(f"grad_output[:2] + {[3, 2, 4][:axes]}",)),
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
            errors=((f"rank(grad_output) != {rank}", "the rank does not fit"),),
            decomposition=backward,
        ),
    )


BYTES = (*FLOATS, "uint8")

ENTRIES: tuple[OpSpec, ...] = (
    *(
        spec
        for name in ("upsample_nearest", "_upsample_nearest_exact")
        for axes in (1, 2, 3)
        for spec in _pair(
            f"{name}{axes}d",
            axes,
            getattr(upsample, f"{name.lstrip('_')}{axes}d"),
            getattr(upsample, f"{name.lstrip('_')}{axes}d_backward"),
            weighted=False,
            dtypes=BYTES,
        )
    ),
    *_pair("upsample_linear1d", 1, upsample.upsample_linear1d, upsample.upsample_linear1d_backward),
    *_pair(
        "upsample_bilinear2d",
        2,
        upsample.upsample_bilinear2d,
        upsample.upsample_bilinear2d_backward,
        dtypes=BYTES,
    ),
    *_pair("upsample_trilinear3d", 3, upsample.upsample_trilinear3d, upsample.upsample_trilinear3d_backward),
    *_pair(
        "upsample_bicubic2d",
        2,
        resize.upsample_bicubic2d,
        resize.upsample_bicubic2d_backward,
        dtypes=BYTES,
    ),
    *_pair(
        "_upsample_bilinear2d_aa",
        2,
        resize.upsample_bilinear2d_aa,
        resize.upsample_bilinear2d_aa_backward,
        dtypes=BYTES,
    ),
    *_pair(
        "_upsample_bicubic2d_aa",
        2,
        resize.upsample_bicubic2d_aa,
        resize.upsample_bicubic2d_aa_backward,
        dtypes=BYTES,
    ),
    *_pair(
        "_upsample_lanczos2d_aa",
        2,
        resize.upsample_lanczos2d_aa,
        resize.upsample_lanczos2d_aa_backward,
        dtypes=BYTES,
    ),
)
