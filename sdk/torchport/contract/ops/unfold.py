"""Sliding windows as columns, and the sums that undo them."""

from __future__ import annotations

from torchport.contract.decompositions import unfold as decompose
from torchport.contract.ops.builders import (
    ANY,
    BOOL,
    COMPLEX,
    EXACT,
    FLOATS,
    Rule,
    entry,
    summed,
    view_op,
)
from torchport.contract.spec import Category, Operand, OpSpec

GEOMETRY = {
    "kernel_size": Operand(choices=([2, 3], [1, 2])),
    "dilation": Operand(choices=([1, 1], [2, 1])),
    "padding": Operand(choices=([0, 0], [1, 2])),
    "stride": Operand(choices=([1, 1], [2, 1])),
}
PAIRS: Rule = (
    "rank(kernel_size) == 2 and rank(dilation) == 2 and rank(padding) == 2 and rank(stride) == 2",
    "one value for each of the two dimensions",
)
POSITIVE: Rule = (
    "min(kernel_size) > 0 and min(dilation) > 0 and min(stride) > 0 and min(padding) >= 0",
    "kernel, dilation and stride are positive, the padding is not negative",
)


def _count(size: str, axis: int) -> str:
    return f"conv_out({size}, kernel_size[{axis}], stride[{axis}], padding[{axis}], dilation[{axis}])"


IMAGE = (_count("size(self, -2)", 0), _count("size(self, -1)", 1))
OUTPUT = (_count("output_size[0]", 0), _count("output_size[1]", 1))
AREA = "(kernel_size[0] * kernel_size[1])"

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.im2col.default",
        category=Category.LAYOUT,
        accepts={"self": (*FLOATS, *COMPLEX, *BOOL)},
        results="same:self",
        shape=f"self[:rank(self) - 3] + [size(self, -3) * {AREA}, {IMAGE[0]} * {IMAGE[1]}]",
        numerics=EXACT,
        operands={"self": Operand("[n, c, h + 3, w + 3]"), **GEOMETRY},
        constraints=(
            ("rank(self) == 3 or rank(self) == 4", "the input is [C, H, W] or [N, C, H, W]"),
            PAIRS,
            POSITIVE,
            ("numel(self[rank(self) - 3:]) > 0", "only the batch may be empty"),
            (f"{IMAGE[0]} > 0 and {IMAGE[1]} > 0", "a window fits"),
        ),
        errors=(("rank(self) < 3 or rank(self) > 4", "the rank does not fit"),),
        decomposition=decompose.im2col,
    ),
    entry(
        "aten.col2im.default",
        category=Category.LAYOUT,
        accepts={"self": (*FLOATS, *COMPLEX, *BOOL)},
        results="same:self",
        shape=f"self[:rank(self) - 2] + [size(self, -2) // {AREA}] + output_size",
        numerics=summed(AREA, special=("narrow-accumulator",)),
        operands={
            "output_size": Operand(choices=([5, 6],)),
            **GEOMETRY,
            "self": Operand(f"=[2, 3 * {AREA}, {OUTPUT[0]} * {OUTPUT[1]}]"),
        },
        constraints=(
            ("rank(self) == 2 or rank(self) == 3", "the columns are [C, L] or [N, C, L]"),
            ("rank(output_size) == 2", "the image has two dimensions"),
            PAIRS,
            POSITIVE,
            (f"size(self, -2) % {AREA} == 0", "the columns hold whole windows"),
            ("size(self, -2) > 0", "only the batch may be empty"),
            (f"{OUTPUT[0]} > 0 and {OUTPUT[1]} > 0", "a window fits"),
            (f"size(self, -1) == {OUTPUT[0]} * {OUTPUT[1]}", "one column per window"),
        ),
        errors=(("rank(self) < 2 or rank(self) > 3", "the rank does not fit"),),
        decomposition=decompose.col2im,
    ),
    entry(
        "aten.unfold_backward.default",
        category=Category.LAYOUT,
        accepts={"grad_in": ANY},
        results="same:grad_in",
        shape="input_sizes",
        numerics=summed("size", special=("narrow-accumulator", "wraps")),
        operands={
            "input_sizes": Operand(choices=([5, 4],)),
            "dim": Operand(choices=(0, -1)),
            "size": Operand(choices=(2, 1)),
            "step": Operand(choices=(1, 2)),
            "grad_in": Operand("=unfold(input_sizes, dim, size, step)"),
        },
        constraints=(
            ("in_range(dim, rank(input_sizes))", "the dimension exists"),
            ("step > 0", "windows advance"),
            (
                "expandable(grad_in, unfold(input_sizes, dim, size, step))",
                "the gradient broadcasts to the shape of the forward result",
            ),
        ),
        decomposition=decompose.unfold_backward,
    ),
    view_op(
        "aten.unfold_copy.default",
        pattern="[n, k]",
        shape="unfold(self, dimension, size, step)",
        layout="contiguous",
        category=Category.LAYOUT,
        operands={
            "dimension": Operand(choices=(0, -1)),
            "size": Operand(choices=(2, 1)),
            "step": Operand(choices=(1, 2)),
        },
        constraints=(
            ("in_range(dimension, rank(self))", "the dimension exists"),
            ("size <= size(self, dimension) and size >= 0", "the window fits"),
            ("step > 0", "windows advance"),
        ),
        decomposition=decompose.unfold_copy,
    ),
)
