"""Cross entropy of a linear layer without the whole matrix of logits in memory: ``torch_nn``, from PyTorch
2.13 on.

The operators with ``reduction`` also return the gradients, for an upstream gradient of 1, that are asked
for. ``batch_chunk_size``, ``acc_policy`` and ``acc_dtype`` choose how PyTorch's kernel goes about it;
``allow_retain_graph`` is read by its autograd formula only. None of them changes what is computed.
"""

from __future__ import annotations

from torchport.contract.decompositions import linear_cross_entropy as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, Rule, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

ACCEPTS = {
    "input": FLOATS,
    "linear_weight": ("same:input",),
    "target": ("int64",),
    "linear_bias": FLOATS,
    "weight": FLOATS,
}
OPERANDS = {
    "input": Operand("[n, k]", "unit"),
    "linear_weight": Operand("[c, k]"),
    "target": Operand("[n]", "index(linear_weight[0])"),
    "linear_bias": Operand("[c]", optional=True),
    "weight": Operand("[c]", "positive", optional=True),
}
IGNORED = Operand(choices=(-100, 1))
CHUNKING = {
    "batch_chunk_size": Operand(choices=(2, 64)),
    "acc_policy": Operand(choices=("'accurate'", "'balanced'", "'compact'")),
    "acc_dtype": Operand(choices=("dtype(input)", "float32")),
}
ACCUMULATES = (
    "acc_dtype == dtype(input) or"
    " acc_dtype == 'float32' and (dtype(input) == 'float16' or dtype(input) == 'bfloat16')"
)
CONSTRAINTS: tuple[Rule, ...] = (
    ("rank(input) == 2", "the input is [N, K]"),
    ("rank(linear_weight) == 2", "the layer's weight is [C, K]"),
    ("input[1] == linear_weight[1]", "the layer takes as many features as the input has"),
    ("linear_weight[0] > 0", "there is a class"),
    ("target == [input[0]]", "one target per row"),
    ("not given(linear_bias) or linear_bias == [linear_weight[0]]", "one bias per class"),
    ("not given(weight) or weight == [linear_weight[0]]", "one weight per class"),
    ("batch_chunk_size > 0", "a chunk has a row"),
    (
        "acc_policy == 'accurate' or acc_policy == 'balanced' or acc_policy == 'compact'",
        "the policy is resolved",
    ),
    (ACCUMULATES, "sums are accumulated in the input's dtype, or in float32 for 16-bit inputs"),
)
ERRORS: tuple[Rule, ...] = (
    ("rank(input) != 2 or rank(linear_weight) != 2", "the input or the layer's weight is no matrix"),
    (
        "input[0] > 0 and input[1] != linear_weight[1]",
        "the input has another number of features than the layer",
    ),
    (
        "given(linear_bias) and linear_bias != linear_weight[:-1]",
        "the bias does not match the classes",
    ),
    ("batch_chunk_size == 0", "a chunk without rows"),
    ("acc_policy == 'auto'", "the policy is still to be chosen"),
    (f"not ({ACCUMULATES})", "the accumulator's dtype does not go with the input's"),
)

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "torch_nn._linear_cross_entropy_batch_chunked.default",
        category=Category.LOSS,
        accepts=ACCEPTS,
        results=("same:input",) * 4,
        shape=(
            "[]",
            "input if compute_input_grad else [0, 0]",
            "linear_weight if compute_linear_weight_grad else [0, 0]",
            "linear_weight[:-1] if compute_linear_bias_grad else [0]",
        ),
        layout=("contiguous",) * 4,
        numerics=derived(narrow="sums"),
        operands={
            **OPERANDS,
            "reduction": Operand(choices=("'mean'", "'sum'")),
            "ignore_index": IGNORED,
            "label_smoothing": Operand(choices=(0.0,)),
            **CHUNKING,
            "allow_retain_graph": FLAG,
            "compute_input_grad": FLAG,
            "compute_linear_weight_grad": FLAG,
            "compute_linear_bias_grad": FLAG,
        },
        constraints=(
            *CONSTRAINTS,
            ("reduction == 'mean' or reduction == 'sum'", "the loss is one number"),
            ("label_smoothing == 0.0", "labels are not smoothed"),
        ),
        errors=(*ERRORS, ("label_smoothing > 0.0", "labels are smoothed")),
        decomposition=decompose.linear_cross_entropy,
    ),
    entry(
        "torch_nn._linear_cross_entropy_batch_chunked_no_reduction.default",
        category=Category.LOSS,
        accepts=ACCEPTS,
        results="same:input",
        shape="input[:1]",
        numerics=derived(narrow="sums"),
        operands={**OPERANDS, "ignore_index": IGNORED, **CHUNKING},
        constraints=CONSTRAINTS,
        errors=ERRORS,
        decomposition=decompose.linear_cross_entropy_no_reduction,
    ),
)
