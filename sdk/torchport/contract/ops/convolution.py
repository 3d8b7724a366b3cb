"""Convolution over one to three dimensions and its gradients. The plain ones are primitive; transposed ones
and other names decompose.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchport.contract.decompositions import convolution as decompose
from torchport.contract.ops.builders import FLOATS, INTS, Decomposition, Rule, dotted, entry
from torchport.contract.spec import Category, Operand, OpSpec, Tier, resolve

RESULT = "conv(input, weight, stride, padding, dilation, transposed, output_padding, groups)"
SPATIAL = "rank(weight) - 2"
RULES: tuple[Rule, ...] = (
    (
        "3 <= rank(weight) and rank(weight) <= 5 and rank(input) == rank(weight)",
        "the input is [N, C, *spatial] with one to three spatial dimensions",
    ),
    (
        f"(rank(stride) == 1 or rank(stride) == {SPATIAL}) and "
        f"(rank(padding) == 1 or rank(padding) == {SPATIAL}) "
        f"and (rank(dilation) == 1 or rank(dilation) == {SPATIAL})",
        "stride, padding and dilation have one value, or one per spatial dimension",
    ),
    ("groups > 0 and weight[0] % groups == 0", "the weight's first dimension divides into the groups"),
    (
        "input[1] == (weight[0] if transposed else weight[1] * groups)",
        "the input's channels are those the weight reads",
    ),
)
CHANNELS_DIFFER: Rule = (
    "rank(input) == rank(weight) and not transposed and input[1] != weight[1] * groups",
    "the input's channels are not those the weight reads",
)
FITS: Rule = (
    f"numel(weight) > 0 and min({RESULT}[2:]) > 0",
    "the kernel has elements and is no larger than the padded input",
)
UNFIT: Rule = ("rank(input) != rank(weight)", "the input has no batch dimension")
STEPS = {
    "stride": Operand(choices=([1, 1], [2, 1])),
    "padding": Operand(choices=([0, 0], [1, 2])),
    "dilation": Operand(choices=([1, 1], [1, 2])),
    "transposed": Operand(choices=(False, True)),
    "output_padding": Operand(choices=([0, 0],)),
    "groups": Operand(choices=(1,)),
}
FORWARD_LENGTH = "numel(weight)"
PLAIN: Rule = ("not transposed", "a transposed convolution is the gradient of a plain one", Tier.PRIM)
BIASED: Rule = (
    "not given(bias) or bias == [weight[1] * groups if transposed else weight[0]]",
    "one bias per output channel",
)
INTEGERS: Rule = (
    "floating(dtype(input)) or dtype(input) == 'int64' or (not transposed and max(dilation) == 1)",
    "int64 is the only integer type of dilated and of transposed convolution",
)


def _named(
    name: str, axes: int, decomposition: Decomposition, integers: Sequence[str] = ("int64",)
) -> OpSpec:
    """A convolution of one group under another name; what the schema lacks is 1 (dilation) or 0."""
    arguments = {a.name for a in resolve(f"aten.{name}.default")._schema.arguments}
    transposed = "output_padding" in arguments
    dilation = "dilation" if "dilation" in arguments else "1"
    extra = "output_padding" if transposed else "0"
    result = f"conv(self, weight, stride, padding, {dilation}, {transposed}, {extra}, 1)"
    channels = ("weight[1]", "weight[0]") if transposed else ("weight[0]", "weight[1]")
    steps = {
        "stride": Operand(choices=([1] * axes, [2] + [1] * (axes - 1))),
        "padding": Operand(choices=([0] * axes, [1] * (axes - 1) + [2])),
        "output_padding": Operand(choices=([0] * axes,)),
        "dilation": Operand(choices=([1] * axes, [1] * (axes - 1) + [2])),
    }
    sizes = "h + 4, w + 4" if axes == 2 else "d + 2, h + 4, w + 4"
    kernel = "k, l" if axes == 2 else "2, k, l"
    return entry(
        f"aten.{name}.default",
        category=Category.CONVOLUTION,
        accepts={"self": (*FLOATS, *integers), "weight": ("same:self",), "bias": ("same:self",)},
        results="same:self",
        shape=result,
        layout="eager",
        numerics=dotted(FORWARD_LENGTH, special=("wraps",)),
        operands={
            "self": Operand(f"[n, c, {sizes}]"),
            "weight": Operand(f"[c, c, {kernel}]"),
            "kernel_size": Operand(choices=("weight[2:]",)),
            "bias": Operand("[c]", optional=True),
            **{name: choice for name, choice in steps.items() if name in arguments},
        },
        constraints=(
            (
                f"rank(weight) == {axes + 2} and (rank(self) == {axes + 2} or rank(self) == {axes + 1})",
                "the input is [N, C, *spatial] or [C, *spatial]",
            ),
            ("kernel_size == weight[2:]", "the kernel's size is the weight's"),
            (f"size(self, {-1 - axes}) == {channels[1]}", "the input's channels are those the weight reads"),
            (f"not given(bias) or bias == [{channels[0]}]", "one bias per output channel"),
            (
                f"numel(weight) > 0 and numel(self) > 0 and min({result}[rank(self) - {axes}:]) > 0",
                "the kernel has elements and is no larger than the padded input",
            ),
        ),
        errors=((f"rank(weight) != {axes + 2}", "the rank does not fit"),),
        decomposition=decomposition,
    )


ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten.convolution.default",
        category=Category.CONVOLUTION,
        accepts={"input": (*FLOATS, *INTS), "weight": ("same:input",), "bias": ("same:input",)},
        results="same:input",
        shape=RESULT,
        layout="eager",
        numerics=dotted(FORWARD_LENGTH, special=("wraps",)),
        operands={
            "input": Operand("[n, c, h + 4, w + 4]"),
            "weight": Operand("[c, c, k, l]"),
            "bias": Operand("[c]", optional=True),
            **STEPS,
        },
        constraints=(
            *RULES,
            FITS,
            BIASED,
            INTEGERS,
            PLAIN,
        ),
        errors=(CHANNELS_DIFFER, UNFIT),
        prim=True,
        decomposition=decompose.convolution,
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
            (f"grad_output == {RESULT}", "the gradient has the shape of the forward result"),
            PLAIN,
            ("not output_mask[2]", "the gradient of the bias is a sum", Tier.PRIM),
        ),
        prim=True,
        decomposition=decompose.convolution_backward,
    ),
    entry(
        "aten._convolution.default",
        category=Category.CONVOLUTION,
        accepts={"input": (*FLOATS, *INTS), "weight": ("same:input",), "bias": ("same:input",)},
        results="same:input",
        shape=RESULT,
        layout="eager",
        numerics=dotted(FORWARD_LENGTH, special=("wraps",)),
        operands={
            "input": Operand("[n, c, h + 4, w + 4]"),
            "weight": Operand("[c, c, k, l]"),
            "bias": Operand("[c]", optional=True),
            **STEPS,
            "benchmark": Operand(choices=(False,)),
            "deterministic": Operand(choices=(False,)),
            "cudnn_enabled": Operand(choices=(True,)),
            "allow_tf32": Operand(choices=(True,)),
        },
        constraints=(*RULES, FITS, BIASED, INTEGERS),
        errors=(CHANNELS_DIFFER, UNFIT),
        decomposition=decompose.backend_convolution,
    ),
    _named("_slow_conv2d_forward", 2, decompose.dense_convolution, INTS),
    _named("slow_conv3d_forward", 3, decompose.dense_convolution, INTS),
    _named("slow_conv_dilated2d", 2, decompose.dilated_convolution),
    _named("slow_conv_dilated3d", 3, decompose.dilated_convolution),
    _named("slow_conv_transpose2d", 2, decompose.transposed_convolution),
    _named("slow_conv_transpose3d", 3, decompose.transposed_convolution),
    entry(
        "aten._slow_conv2d_backward.output_mask",
        category=Category.CONVOLUTION,
        accepts={"grad_output": FLOATS, "self": ("same:grad_output",), "weight": ("same:grad_output",)},
        results=("same:self", "same:weight", "same:grad_output"),
        shape=(
            "self if output_mask[0] else absent()",
            "weight if output_mask[1] else absent()",
            "[weight[0]] if output_mask[2] else absent()",
        ),
        layout=("eager",) * 3,
        numerics=dotted("numel(grad_output) + numel(weight)"),
        operands={
            "grad_output": Operand("=conv(self, weight, stride, padding, 1, False, 0, 1)"),
            "self": Operand("[n, c, h + 4, w + 4]"),
            "weight": Operand("[c, c, k, l]"),
            "kernel_size": Operand(choices=("weight[2:]",)),
            "stride": Operand(choices=([1, 1], [2, 1])),
            "padding": Operand(choices=([0, 0], [1, 2])),
            "output_mask": Operand(choices=([True, True, True], [True, False, False], [False, True, False])),
        },
        constraints=(
            ("rank(self) == 4 and rank(weight) == 4", "the input is [N, C, H, W]"),
            ("kernel_size == weight[2:]", "the kernel's size is the weight's"),
            (
                "grad_output == conv(self, weight, stride, padding, 1, False, 0, 1)",
                "the gradient has the shape of the forward result",
            ),
            ("numel(grad_output) > 0 and numel(weight) > 0", "no dimension is empty"),
        ),
        decomposition=decompose.dense_convolution_backward,
    ),
    entry(
        "aten.conv_tbc.default",
        category=Category.CONVOLUTION,
        accepts={"self": (*FLOATS, *INTS), "weight": ("same:self",), "bias": ("same:self",)},
        results="same:self",
        shape="[self[0] + 2 * pad - weight[0] + 1, self[1], weight[2]]",
        layout="eager",
        numerics=dotted("weight[0] * weight[1] + 1", special=("wraps",)),
        operands={
            "self": Operand("[t + 2, n, c]"),
            "weight": Operand("[k, c, m]"),
            "bias": Operand("[m]"),
            "pad": Operand(choices=(0, 1)),
        },
        constraints=(
            ("rank(self) == 3 and rank(weight) == 3", "the input is [T, B, C], the weight [k, C, D]"),
            ("self[2] == weight[1] and bias == [weight[2]]", "the channels fit"),
            ("pad >= 0 and self[0] + 2 * pad >= weight[0]", "the kernel fits"),
            ("numel(weight) > 0 and self[1] > 0", "only the length may be empty"),
        ),
        errors=(("rank(self) != 3", "the rank does not fit"),),
        decomposition=decompose.conv_tbc,
    ),
)
