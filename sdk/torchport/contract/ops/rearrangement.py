"""Elements moved between channels and space, and quarter turns."""

from __future__ import annotations

from torchport.contract.decompositions import rearrangement as decompose
from torchport.contract.ops.builders import Rule, view_op
from torchport.contract.spec import Category, Operand, OpSpec

SHUFFLED = (
    "self[:rank(self) - 3] + [size(self, -3) // (upscale_factor * upscale_factor), "
    "size(self, -2) * upscale_factor, size(self, -1) * upscale_factor]"
)
UNSHUFFLED = (
    "self[:rank(self) - 3] + [size(self, -3) * downscale_factor * downscale_factor, "
    "size(self, -2) // downscale_factor, size(self, -1) // downscale_factor]"
)
IMAGE: Rule = ("rank(self) >= 3", "the input is [*, C, H, W]")

ENTRIES: tuple[OpSpec, ...] = (
    view_op(
        "aten.pixel_shuffle.default",
        category=Category.LAYOUT,
        layout="eager",
        pattern="[*B, 4 * c, h, w]",
        shape=SHUFFLED,
        operands={"upscale_factor": Operand(choices=(2, 1))},
        constraints=(
            IMAGE,
            (
                "upscale_factor > 0 and size(self, -3) % (upscale_factor * upscale_factor) == 0",
                "the channels divide by the square of the factor",
            ),
        ),
        decomposition=decompose.pixel_shuffle,
    ),
    view_op(
        "aten.pixel_unshuffle.default",
        category=Category.LAYOUT,
        layout="eager",
        pattern="[*B, c, 2 * h, 2 * w]",
        shape=UNSHUFFLED,
        operands={"downscale_factor": Operand(choices=(2, 1))},
        constraints=(
            IMAGE,
            (
                "downscale_factor > 0 and size(self, -2) % downscale_factor == 0 "
                "and size(self, -1) % downscale_factor == 0",
                "height and width divide by the factor",
            ),
        ),
        decomposition=decompose.pixel_unshuffle,
    ),
    view_op(
        "aten.channel_shuffle.default",
        category=Category.LAYOUT,
        layout="eager",
        pattern="[n, 6, h, w]",
        shape="self",
        operands={"groups": Operand(choices=(2, 3, 1))},
        constraints=(
            ("rank(self) >= 3", "the input is [N, C, *]"),
            ("groups > 0 and self[1] % groups == 0", "the channels divide by the groups"),
        ),
        decomposition=decompose.channel_shuffle,
    ),
    view_op(
        "aten.rot90.default",
        category=Category.LAYOUT,
        layout="eager",
        shape="transpose(self, dims[0], dims[1]) if k % 2 == 1 else self",
        operands={
            "k": Operand(choices=(1, 2, 3, 0, -1)),
            "dims": Operand(choices=([0, 1], [-1, 0])),
        },
        constraints=(
            ("rank(dims) == 2 and rank(self) >= 2", "there is a plane to turn in"),
            ("distinct(dims, rank(self))", "two different dimensions"),
        ),
        decomposition=decompose.rot90,
    ),
)
