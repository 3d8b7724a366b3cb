"""Convolution over one to three dimensions, plain and transposed, and its gradients: primitives."""

from __future__ import annotations

from torchport.contract.ops.builders import FLOATS, Rule, dotted, entry
from torchport.contract.spec import Category, Operand, OpSpec

RESULT = "conv(input, weight, stride, padding, dilation, transposed, output_padding, groups)"
SPATIAL = "rank(weight) - 2"
RULES: tuple[Rule, ...] = (
    (
        "3 <= rank(weight) and rank(weight) <= 5 and "
        "(rank(input) == rank(weight) or rank(input) == rank(weight) - 1)",
        "the input is [N, C, *spatial] or [C, *spatial] with one to three spatial dimensions",
    ),
    (
        f"(rank(stride) == 1 or rank(stride) == {SPATIAL}) and "
        f"(rank(padding) == 1 or rank(padding) == {SPATIAL}) "
        f"and (rank(dilation) == 1 or rank(dilation) == {SPATIAL})",
        "stride, padding and dilation have one value, or one per spatial dimension",
    ),
    ("groups > 0 and weight[0] % groups == 0", "the weight's first dimension divides into the groups"),
    (
        f"size(input, rank(input) - 1 - ({SPATIAL})) == (weight[0] if transposed else weight[1] * groups)",
        "the input's channels are those the weight reads",
    ),
)
CHANNELS_DIFFER: Rule = (
    "rank(input) == rank(weight) and not transposed and "
    f"size(input, rank(input) - 1 - ({SPATIAL})) != weight[1] * groups",
    "the input's channels are not those the weight reads",
)
FITS: Rule = (
    f"numel(weight) > 0 and min({RESULT}[rank(input) - ({SPATIAL}):]) > 0",
    "the kernel has elements and is no larger than the padded input",
)
BATCHED: Rule = ("rank(input) == rank(weight)", "the input has a batch dimension")
STEPS = {
    "stride": Operand(choices=([1, 1], [2, 1])),
    "padding": Operand(choices=([0, 0], [1, 2])),
    "dilation": Operand(choices=([1, 1], [1, 2])),
    "transposed": Operand(choices=(False, True)),
    "output_padding": Operand(choices=([0, 0],)),
    "groups": Operand(choices=(1,)),
}
FORWARD_LENGTH = "numel(weight)"

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.convolution.default",
        category=Category.CONVOLUTION,
        accepts={"input": FLOATS, "weight": ("same:input",), "bias": ("same:input",)},
        results="same:input",
        shape=RESULT,
        layout="eager",
        numerics=dotted(FORWARD_LENGTH),
        operands={
            "input": Operand("[n, c, h + 4, w + 4]"),
            "weight": Operand("[c, c, k, l]"),
            "bias": Operand("[c]", optional=True),
            **STEPS,
        },
        constraints=(
            *RULES,
            FITS,
            (
                "not given(bias) or bias == [weight[1] * groups if transposed else weight[0]]",
                "one bias per output channel",
            ),
        ),
        errors=(CHANNELS_DIFFER,),
        prim=True,
    ),
    entry(
        "aten.convolution_backward.default",
        category=Category.CONVOLUTION,
        accepts={"grad_output": FLOATS, "input": ("same:grad_output",), "weight": ("same:grad_output",)},
        results=("same:input", "same:weight", "same:grad_output"),
        shape=(
            "input if output_mask[0] else absent()",
            "weight if output_mask[1] else absent()",
            "[weight[1] * groups if transposed else weight[0]] if output_mask[2] else absent()",
        ),
        layout=("eager",) * 3,
        numerics=dotted("numel(grad_output) + numel(weight)"),
        operands={
            "grad_output": Operand(f"={RESULT}"),
            "input": Operand("[n, c, h + 4, w + 4]"),
            "weight": Operand("[c, c, k, l]"),
            "bias_sizes": Operand(choices=("[weight[0]]",)),
            **STEPS,
            "output_mask": Operand(choices=([True, True, True], [True, False, False], [False, True, False])),
        },
        constraints=(
            *RULES,
            FITS,
            BATCHED,
            (f"grad_output == {RESULT}", "the gradient has the shape of the forward result"),
        ),
        prim=True,
    ),
)
