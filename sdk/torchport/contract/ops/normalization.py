"""Layer, group, batch and RMS normalization and their gradients."""

from __future__ import annotations

from torchport.contract.decompositions import batch_norm as decompose_batch, normalization as decompose
from torchport.contract.ops.builders import FLOATS, Rule, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

EPS = Operand(choices=(1e-5, 1e-3))
MOMENTUM = Operand(choices=(0.1, 0.5))
MEAN_AND_RSTD = ("infinite-mean@1", "unspecified-if-empty@1", "unspecified-if-empty@2")
MASK3 = Operand(choices=([True, True, True], [True, False, False], [False, True, True]))
PARAMETER = (*FLOATS,)
PARAMETERS_MATCH: Rule = (
    "not given(weight) or dtype(weight) == dtype(input) or dtype(weight) == 'float32'",
    "parameters have the input's dtype, or float32 beside a 16-bit input",
)
STATISTICS = "same:weight|same:bias|same:input"
LAST = "[size(input, rank(input) - 1)]"
TAIL: Rule = (
    "rank(normalized_shape) > 0 and rank(input) >= rank(normalized_shape) and "
    "input[rank(input) - rank(normalized_shape):] == normalized_shape",
    "the input ends in normalized_shape",
)
TAIL_ERROR: Rule = (
    "rank(normalized_shape) == 0 or rank(input) < rank(normalized_shape) or "
    "input[rank(input) - rank(normalized_shape):] != normalized_shape",
    "the input does not end in normalized_shape",
)
ROW_LENGTH = "numel(normalized_shape)"
PER_ROW = "input[:rank(input) - rank(normalized_shape)] + fill(rank(normalized_shape), 1)"


def _fits(parameter: str, shape: str) -> Rule:
    return (f"not given({parameter}) or {parameter} == {shape}", f"{parameter} has shape {shape}")


LAYER = (
    entry(
        "aten.native_layer_norm.default",
        category=Category.NORMALIZATION,
        accepts={"input": FLOATS, "weight": PARAMETER, "bias": ("same:weight",)},
        results=("same:input", STATISTICS, STATISTICS),
        shape=("input", PER_ROW, PER_ROW),
        layout=("contiguous",) * 3,
        numerics=derived(special=MEAN_AND_RSTD),
        operands={
            "input": Operand("[*B, n]"),
            "normalized_shape": Operand(choices=(LAST,)),
            "weight": Operand("[n]", optional=True),
            "bias": Operand("[n]", optional=True),
            "eps": EPS,
        },
        constraints=(
            TAIL,
            _fits("weight", "normalized_shape"),
            _fits("bias", "normalized_shape"),
            PARAMETERS_MATCH,
        ),
        errors=(TAIL_ERROR,),
        decomposition=decompose.native_layer_norm,
    ),
    entry(
        "aten.native_layer_norm_backward.default",
        category=Category.NORMALIZATION,
        accepts={
            "grad_out": FLOATS,
            "input": ("same:grad_out",),
            "mean": FLOATS,
            "rstd": ("same:mean",),
            "weight": PARAMETER,
            "bias": ("same:weight",),
        },
        results=("same:input", "same:weight|same:input", "same:bias|same:input"),
        shape=(
            "input if output_mask[0] else absent()",
            "weight if output_mask[1] and given(weight) else absent()",
            "bias if output_mask[2] and given(bias) else absent()",
        ),
        layout=("contiguous",) * 3,
        numerics=derived(narrow="sums"),
        operands={
            "grad_out": Operand("[*B, n]"),
            "input": Operand("[*B, n]"),
            "normalized_shape": Operand(choices=(LAST,)),
            "mean": Operand("[*B, 1]", "unit"),
            "rstd": Operand("[*B, 1]", "probability"),
            "weight": Operand("[n]"),
            "bias": Operand("[n]"),
            "output_mask": MASK3,
        },
        constraints=(
            TAIL,
            ("grad_out == input", "the gradient has the shape of the input"),
            (f"mean == {PER_ROW} and rstd == mean", "one mean and one rstd per row"),
            _fits("weight", "normalized_shape"),
            _fits("bias", "normalized_shape"),
            PARAMETERS_MATCH,
        ),
        decomposition=decompose.native_layer_norm_backward,
    ),
    entry(
        "aten._fused_rms_norm.default",
        category=Category.NORMALIZATION,
        accepts={"input": FLOATS, "weight": ("same:input",)},
        results=("same:input", "opmath:input"),
        shape=("input", PER_ROW),
        layout=("contiguous",) * 2,
        numerics=derived(special=("own-eps",)),
        operands={
            "input": Operand("[*B, n]"),
            "normalized_shape": Operand(choices=(LAST,)),
            "weight": Operand("[n]", optional=True),
            "eps": Operand(choices=(1e-5, None)),
        },
        constraints=(TAIL, _fits("weight", "normalized_shape")),
        errors=(TAIL_ERROR,),
        decomposition=decompose.fused_rms_norm,
    ),
    entry(
        "aten._fused_rms_norm_backward.default",
        category=Category.NORMALIZATION,
        accepts={
            "grad_out": FLOATS,
            "input": ("same:grad_out",),
            "rstd": ("float32", "float64"),
            "weight": ("same:grad_out",),
        },
        results=("same:input", "same:weight|same:input"),
        shape=(
            "input if output_mask[0] else absent()",
            "weight if output_mask[1] and given(weight) else absent()",
        ),
        layout=("contiguous",) * 2,
        numerics=derived(),
        operands={
            "grad_out": Operand("[*B, n]"),
            "input": Operand("[*B, n]"),
            "normalized_shape": Operand(choices=(LAST,)),
            "rstd": Operand("[*B, 1]", "probability"),
            "weight": Operand("[n]", optional=True),
            "output_mask": Operand(choices=([True, True],)),
        },
        constraints=(
            TAIL,
            ("grad_out == input", "the gradient has the shape of the input"),
            (f"rstd == {PER_ROW}", "one rstd per row"),
            _fits("weight", "normalized_shape"),
        ),
        decomposition=decompose.fused_rms_norm_backward,
    ),
)

GROUP_MEANS: Rule = ("mean == [N, group] and rstd == mean", "one mean and one rstd per sample and group")
GROUPS: tuple[Rule, ...] = (
    ("rank(input) >= 2 and input[0] == N and input[1] == C", "the input is [N, C, …]"),
    ("numel(input[2:]) == HxW", "HxW is the product of the spatial sizes"),
    ("group > 0 and C % group == 0", "the channels divide into the groups"),
)
GROUP_SIZES = {
    "N": Operand(choices=("input[0]",)),
    "C": Operand(choices=("input[1]",)),
    "HxW": Operand(choices=("numel(input[2:])",)),
    "group": Operand(choices=(1, "input[1]")),
}

GROUP = (
    entry(
        "aten.native_group_norm.default",
        category=Category.NORMALIZATION,
        accepts={"input": FLOATS, "weight": PARAMETER, "bias": ("same:weight",)},
        results=("same:input", STATISTICS, STATISTICS),
        shape=("input", "[N, group]", "[N, group]"),
        layout=("like:input", "contiguous", "contiguous"),
        numerics=derived(special=MEAN_AND_RSTD),
        operands={
            "input": Operand("[n, c, *S]"),
            "weight": Operand("[c]", optional=True),
            "bias": Operand("[c]", optional=True),
            **GROUP_SIZES,
            "eps": EPS,
        },
        constraints=(*GROUPS, _fits("weight", "[C]"), _fits("bias", "[C]"), PARAMETERS_MATCH),
        errors=(("group > 0 and C % group != 0", "the channels do not divide into the groups"),),
        decomposition=decompose.native_group_norm,
    ),
    entry(
        "aten.native_group_norm_backward.default",
        category=Category.NORMALIZATION,
        accepts={
            "grad_out": FLOATS,
            "input": ("same:grad_out",),
            "mean": FLOATS,
            "rstd": ("same:mean",),
            "weight": PARAMETER,
        },
        results=("same:input", "same:weight|same:input", "same:weight|same:input"),
        shape=(
            "input if output_mask[0] else absent()",
            "[C] if output_mask[1] else absent()",
            "[C] if output_mask[2] else absent()",
        ),
        layout=("like:input", "contiguous", "contiguous"),
        numerics=derived(),
        operands={
            "grad_out": Operand("[n, c, *S]"),
            "input": Operand("[n, c, *S]"),
            "mean": Operand("=[input[0], 1]", "unit"),
            "rstd": Operand("=[input[0], 1]", "probability"),
            "weight": Operand("[c]"),
            **GROUP_SIZES,
            "group": Operand(choices=(1,)),
            "output_mask": MASK3,
        },
        constraints=(
            *GROUPS,
            ("grad_out == input", "the gradient has the shape of the input"),
            GROUP_MEANS,
            _fits("weight", "[C]"),
            PARAMETERS_MATCH,
        ),
        decomposition=decompose.native_group_norm_backward,
    ),
)

IMAGES = Operand("[n, c, *S]")
CHANNEL = Operand("[c]", optional=True)
BATCH_STATISTICS = "same:weight|same:bias|same:running_mean|same:input"
CHANNELS: tuple[Rule, ...] = (
    ("rank(input) >= 2", "the input is [N, C, …]"),
    ("numel(input) > 0", "the input has elements"),
    *(_fits(p, "input[1:2]") for p in ("weight", "bias")),
    PARAMETERS_MATCH,
)
RUNNING: tuple[Rule, ...] = (
    (
        "running_mean == input[1:2] and running_var == running_mean",
        "one running mean and variance per channel",
    ),
)
PER_CHANNEL = "input[1:2]"
BATCH_LENGTH = "numel(input) // input[1]"
BATCH_ACCEPTS = {"input": FLOATS, "weight": PARAMETER, "bias": ("same:weight",)}
RUNNING_ACCEPTS = {
    **BATCH_ACCEPTS,
    "running_mean": ("same:weight",),
    "running_var": ("same:running_mean",),
}
RUNNING_OPERANDS = {
    "input": IMAGES,
    "weight": CHANNEL,
    "bias": CHANNEL,
    "running_mean": Operand("[c]"),
    "running_var": Operand("[c]", "positive"),
}
NO_CHANNELS: Rule = ("numel(input) == 0", "an empty input has no statistics")
BATCH_NUMERICS = derived()

BATCH = (
    entry(
        "aten._native_batch_norm_legit_functional.default",
        category=Category.NORMALIZATION,
        accepts=RUNNING_ACCEPTS,
        results=("same:input", BATCH_STATISTICS, BATCH_STATISTICS, "same:running_mean", "same:running_var"),
        shape=(
            "input",
            f"{PER_CHANNEL} if training else [0]",
            f"{PER_CHANNEL} if training else [0]",
            "running_mean",
            "running_var",
        ),
        layout=("like:input", *("contiguous",) * 4),
        numerics=derived(special=("infinite-mean@1", "infinite-mean@3")),
        operands={
            **RUNNING_OPERANDS,
            "training": Operand(choices=(True, False)),
            "momentum": MOMENTUM,
            "eps": EPS,
        },
        constraints=(*CHANNELS, *RUNNING),
        errors=(NO_CHANNELS,),
        decomposition=decompose.batch_norm_functional,
    ),
    entry(
        "aten._native_batch_norm_legit.no_stats",
        category=Category.NORMALIZATION,
        accepts=BATCH_ACCEPTS,
        results=("same:input", STATISTICS, STATISTICS),
        shape=("input", PER_CHANNEL, PER_CHANNEL),
        layout=("like:input", "contiguous", "contiguous"),
        numerics=derived(special=("infinite-mean@1",)),
        operands={
            "input": IMAGES,
            "weight": CHANNEL,
            "bias": CHANNEL,
            "training": Operand(choices=(True,)),
            "momentum": MOMENTUM,
            "eps": EPS,
        },
        constraints=(*CHANNELS, ("training", "there are no running statistics to use instead")),
        errors=(NO_CHANNELS,),
        decomposition=decompose.batch_norm_no_stats,
    ),
    entry(
        "aten._native_batch_norm_legit_no_training.default",
        category=Category.NORMALIZATION,
        accepts=RUNNING_ACCEPTS,
        results=("same:input", BATCH_STATISTICS, BATCH_STATISTICS),
        shape=("input", "[0]", "[0]"),
        layout=("like:input", "contiguous", "contiguous"),
        numerics=BATCH_NUMERICS,
        operands={**RUNNING_OPERANDS, "momentum": MOMENTUM, "eps": EPS},
        constraints=(*CHANNELS, *RUNNING),
        decomposition=decompose.batch_norm_no_training,
    ),
    entry(
        "aten._batch_norm_with_update_functional.default",
        category=Category.NORMALIZATION,
        accepts=RUNNING_ACCEPTS,
        results=(
            "same:input",
            BATCH_STATISTICS,
            BATCH_STATISTICS,
            "uint8",
            "same:running_mean",
            "same:running_var",
        ),
        shape=("input", PER_CHANNEL, PER_CHANNEL, "[0]", "running_mean", "running_var"),
        layout=("like:input", *("contiguous",) * 5),
        numerics=derived(special=("infinite-mean@1", "infinite-mean@4")),
        operands={**RUNNING_OPERANDS, "momentum": MOMENTUM, "eps": EPS},
        constraints=(*CHANNELS, *RUNNING),
        errors=(NO_CHANNELS,),
        decomposition=decompose.batch_norm_with_update_functional,
    ),
    entry(
        "aten._batch_norm_no_update.default",
        category=Category.NORMALIZATION,
        accepts=RUNNING_ACCEPTS,
        results=("same:input", BATCH_STATISTICS, BATCH_STATISTICS, "uint8"),
        shape=("input", "[0]", "[0]", "[0]"),
        layout=("like:input", *("contiguous",) * 3),
        numerics=BATCH_NUMERICS,
        operands={**RUNNING_OPERANDS, "momentum": MOMENTUM, "eps": EPS},
        constraints=(
            *CHANNELS,
            ("given(running_mean) and given(running_var)", "running statistics exist"),
            *RUNNING,
        ),
        decomposition=decompose.batch_norm_no_update,
    ),
    entry(
        "aten.native_batch_norm_backward.default",
        category=Category.NORMALIZATION,
        accepts={
            "grad_out": FLOATS,
            "input": ("same:grad_out",),
            "weight": PARAMETER,
            "running_mean": ("same:weight",),
            "running_var": ("same:weight",),
            "save_mean": FLOATS,
            "save_invstd": ("same:save_mean",),
        },
        results=("same:input", "same:weight|same:input", "same:weight|same:input"),
        shape=(
            "input if output_mask[0] else absent()",
            f"{PER_CHANNEL} if output_mask[1] else absent()",
            f"{PER_CHANNEL} if output_mask[2] else absent()",
        ),
        layout=("like:input", "contiguous", "contiguous"),
        numerics=derived(),
        operands={
            "grad_out": IMAGES,
            "input": IMAGES,
            "weight": CHANNEL,
            "running_mean": Operand("[c]", "unit"),
            "running_var": Operand("[c]", "positive"),
            "save_mean": Operand("[c]", "unit"),
            "save_invstd": Operand("[c]", "probability"),
            "train": Operand(choices=(True, False)),
            "eps": EPS,
            "output_mask": MASK3,
        },
        constraints=(
            ("rank(input) >= 2 and numel(input) > 0", "the input is [N, C, …] and has elements"),
            ("grad_out == input", "the gradient has the shape of the input"),
            _fits("weight", "input[1:2]"),
            PARAMETERS_MATCH,
            (
                "not train or (given(save_mean) and given(save_invstd) and save_mean == input[1:2])",
                "training saved its statistics",
            ),
            (
                "train or (given(running_mean) and given(running_var) and running_mean == input[1:2])",
                "evaluation has running statistics",
            ),
        ),
        decomposition=decompose.native_batch_norm_backward,
    ),
)

LEGACY_BATCH = (
    entry(
        "aten.native_batch_norm.default",
        category=Category.NORMALIZATION,
        accepts=RUNNING_ACCEPTS,
        results=("same:input", BATCH_STATISTICS, BATCH_STATISTICS),
        shape=(
            "input",
            f"{PER_CHANNEL} if training else [0]",
            f"{PER_CHANNEL} if training else [0]",
        ),
        layout=("like:input", "contiguous", "contiguous"),
        numerics=derived(special=("infinite-mean@1",)),
        operands={
            **RUNNING_OPERANDS,
            "running_mean": CHANNEL,
            "running_var": Operand("[c]", "positive", optional=True),
            "training": Operand(choices=(True, False)),
            "momentum": MOMENTUM,
            "eps": EPS,
        },
        constraints=(
            *CHANNELS,
            (
                "given(running_mean) == given(running_var) and given(running_mean) == (not training)",
                "running statistics are used or there are none: to update them is not functional",
            ),
            ("training or running_mean == input[1:2] and running_var == running_mean", RUNNING[0][1]),
        ),
        errors=(NO_CHANNELS,),
        decomposition=decompose_batch.native_batch_norm,
    ),
    entry(
        "aten.batch_norm_update_stats.default",
        category=Category.NORMALIZATION,
        accepts={"input": FLOATS, "running_mean": ("same:input",), "running_var": ("same:input",)},
        results=("same:input", "same:input"),
        shape=(PER_CHANNEL, PER_CHANNEL),
        layout=("contiguous", "contiguous"),
        numerics=derived(special=("infinite-mean@0",)),
        operands={
            "input": IMAGES,
            "running_mean": Operand(choices=(None,)),
            "running_var": Operand(choices=(None,)),
            "momentum": MOMENTUM,
        },
        constraints=(
            ("rank(input) >= 2 and numel(input) > 0", "the input is [N, C, …] and has elements"),
            (
                "not given(running_mean) and not given(running_var)",
                "to update running statistics is not functional",
            ),
        ),
        decomposition=decompose_batch.batch_norm_update_stats,
    ),
    entry(
        "aten.batch_norm_backward.default",
        category=Category.NORMALIZATION,
        accepts={
            "grad_out": FLOATS,
            "input": ("same:grad_out",),
            "weight": PARAMETER,
            "running_mean": ("same:weight",),
            "running_var": ("same:weight",),
            "save_mean": FLOATS,
            "save_var": ("same:save_mean",),
            "reserve": ("uint8",),
        },
        results=("same:input", "same:weight|same:input", "same:weight|same:input"),
        shape=(
            "input if output_mask[0] else absent()",
            f"{PER_CHANNEL} if output_mask[1] else absent()",
            f"{PER_CHANNEL} if output_mask[2] else absent()",
        ),
        layout=("like:input", "contiguous", "contiguous"),
        numerics=derived(),
        operands={
            "grad_out": IMAGES,
            "input": IMAGES,
            "weight": Operand("[c]"),
            "running_mean": Operand("[c]", "unit"),
            "running_var": Operand("[c]", "positive"),
            "save_mean": Operand("[c]", "unit"),
            "save_var": Operand("[c]", "probability"),
            "update": Operand(choices=(True, False)),
            "eps": EPS,
            "output_mask": MASK3,
            "reserve": Operand("[0]"),
        },
        constraints=(
            ("rank(input) >= 2 and numel(input) > 0", "the input is [N, C, …] and has elements"),
            ("grad_out == input", "the gradient has the shape of the input"),
            _fits("weight", "input[1:2]"),
            PARAMETERS_MATCH,
            (
                "not update or (given(save_mean) and given(save_var) and save_mean == input[1:2])",
                "training saved its statistics",
            ),
            (
                "update or (given(running_mean) and given(running_var) and running_mean == input[1:2])",
                "evaluation has running statistics",
            ),
        ),
        decomposition=decompose_batch.batch_norm_backward,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*LAYER, *GROUP, *BATCH, *LEGACY_BATCH)
