"""Macros: products, gates, losses, bags, resampling and recurrences."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from torchport.contract.decompositions import macros_layers as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, Decomposition, Rule, derived
from torchport.contract.ops.macros import macro
from torchport.contract.spec import Category, Operand, OpSpec

REDUCTIONS = ("none", "mean", "sum")
WIDTH = "input[rank(input) - 1]"
LINEAR_SHAPE = "input[:rank(input) - 1] + weight[:1]"


def _quantized_linear(
    input: Tensor, weight: Tensor, scales: Tensor, zero_points: Tensor | None, bias: Tensor | None
) -> Tensor:
    groups = weight.unflatten(1, (scales.size(1), -1)).to(scales.dtype)
    if zero_points is not None:
        groups = groups - zero_points.to(scales.dtype).unsqueeze(-1)
    wide = (groups * scales.unsqueeze(-1)).flatten(1).to(input.dtype)
    return F.linear(input, wide, bias).contiguous()


def _expert_dispatch(router_logits: Tensor, k: int, renormalize: bool) -> tuple[Tensor, ...]:
    weights, experts = torch.softmax(router_logits, -1).topk(k, -1)
    if renormalize:
        weights = weights / weights.sum(-1, keepdim=True)
    order = experts.flatten().argsort(stable=True)
    counts = F.one_hot(experts.flatten(), router_logits.size(1)).sum(0)
    return weights, experts, order, counts


PRODUCTS = (
    macro(
        "linear(Tensor input, Tensor weight, Tensor? bias) -> Tensor",
        lambda input, weight, bias: F.linear(input, weight, bias).contiguous(),
        category=Category.CONTRACTION,
        accepts={"input": FLOATS, "weight": ("same:input",), "bias": ("same:input",)},
        results="same:input",
        shape=LINEAR_SHAPE,
        operands={
            "input": Operand("[*S, k]"),
            "weight": Operand("[m, k]"),
            "bias": Operand("[m]", optional=True),
        },
        constraints=(
            ("rank(input) > 0 and rank(weight) == 2", "the weight is a matrix"),
            (f"{WIDTH} == weight[1]", "the input ends in the weight's columns"),
            ("not given(bias) or bias == weight[:1]", "one bias for each row of the weight"),
        ),
        errors=(
            (
                f"rank(input) > 0 and rank(weight) == 2 and {WIDTH} != weight[1]",
                "the inner sizes are not equal",
            ),
        ),
        decomposition=decompose.linear,
    ),
    macro(
        "matmul(Tensor self, Tensor other) -> Tensor",
        lambda self, other: torch.matmul(self, other).contiguous(),
        category=Category.CONTRACTION,
        accepts={"self": FLOATS, "other": ("same:self",)},
        results="same:self",
        shape=(
            "broadcast(self[:rank(self) - 2], other[:rank(other) - 2]) + "
            "(self[rank(self) - 2:rank(self) - 1] if rank(self) > 1 else []) + "
            "(other[rank(other) - 1:] if rank(other) > 1 else [])"
        ),
        operands={"self": Operand("[*S, n, k]"), "other": Operand("[k, m]")},
        constraints=(
            ("rank(self) > 0 and rank(other) > 0", "no operand is 0-dimensional"),
            (
                "self[rank(self) - 1] == (other[rank(other) - 2] if rank(other) > 1 else other[0])",
                "the inner sizes are equal",
            ),
        ),
        errors=(("rank(self) == 0 or rank(other) == 0", "an operand is 0-dimensional"),),
        decomposition=decompose.matmul,
    ),
    macro(
        "quantized_linear(Tensor input, Tensor weight, Tensor scales, Tensor? zero_points, Tensor? bias) "
        "-> Tensor",
        _quantized_linear,
        category=Category.CONTRACTION,
        accepts={
            "input": FLOATS,
            "weight": ("int8", "uint8"),
            "scales": ("same:input",),
            "zero_points": ("same:weight",),
            "bias": ("same:input",),
        },
        results="same:input",
        shape=LINEAR_SHAPE,
        operands={
            "input": Operand("[*B, n, 2*k]"),
            "weight": Operand("[m, 2*k]"),
            "scales": Operand("[m, 2]", "probability"),
            "zero_points": Operand("[m, 2]", optional=True),
            "bias": Operand("[m]", optional=True),
        },
        constraints=(
            ("rank(input) > 0 and rank(weight) == 2 and rank(scales) == 2", "weight and scales are matrices"),
            (f"{WIDTH} == weight[1]", "the input ends in the weight's columns"),
            (
                "scales[0] == weight[0] and scales[1] > 0 and weight[1] % scales[1] == 0",
                "a scale for each row and group of columns",
            ),
            ("not given(zero_points) or zero_points == scales", "a zero point for each scale"),
            ("not given(bias) or bias == weight[:1]", "one bias for each row of the weight"),
        ),
        errors=(
            (
                "rank(scales) == 2 and rank(weight) == 2 and scales[0] != weight[0]",
                "the scales do not fit the rows",
            ),
        ),
        decomposition=decompose.quantized_linear,
    ),
    macro(
        "expert_dispatch(Tensor router_logits, int k, bool renormalize) -> (Tensor, Tensor, Tensor, Tensor)",
        _expert_dispatch,
        category=Category.ORDER,
        accepts={"router_logits": ("float32", "float64")},
        results=("same:router_logits", "int64", "int64", "int64"),
        shape=(
            "[router_logits[0], k]",
            "[router_logits[0], k]",
            "[router_logits[0] * k]",
            "router_logits[1:]",
        ),
        layout=("contiguous",) * 4,
        operands={
            "router_logits": Operand("[n, b]"),
            "k": Operand(choices=(1, "router_logits[1]")),
            "renormalize": FLAG,
        },
        constraints=(
            ("rank(router_logits) == 2 and numel(router_logits) > 0", "a row of logits for each token"),
            ("0 < k and k <= router_logits[1]", "there are k experts"),
        ),
        errors=(("rank(router_logits) == 2 and k > router_logits[1]", "there are fewer than k experts"),),
        decomposition=decompose.expert_dispatch,
    ),
)


def _gate(
    schema: str,
    implementation: Decomposition,
    decomposition: Decomposition,
    *,
    extra: dict[str, Operand] | None = None,
) -> OpSpec:
    """A function of two tensors of one shape."""
    return macro(
        schema,
        implementation,
        category=Category.ELEMENTWISE,
        accepts={"gate": FLOATS, "up": ("same:gate",)},
        results="same:gate",
        shape="gate",
        layout="elementwise",
        operands={"gate": Operand("*S"), "up": Operand("*S"), **(extra or {})},
        constraints=(("gate == up", "gate and up have one shape"),),
        errors=(("gate != up", "gate and up have different shapes"),),
        decomposition=decomposition,
    )


def _activation(schema: str, implementation: Decomposition, decomposition: Decomposition) -> OpSpec:
    return macro(
        schema,
        implementation,
        category=Category.ELEMENTWISE,
        accepts={"input": FLOATS},
        results="same:input",
        shape="input",
        layout="elementwise",
        operands={"input": Operand("*S")},
        decomposition=decomposition,
    )


def _silu_and_mul(input: Tensor) -> Tensor:
    gate, up = input.chunk(2, -1)
    return (F.silu(gate) * up).contiguous()


GATES = (
    _gate(
        "swiglu(Tensor gate, Tensor up) -> Tensor",
        lambda gate, up: F.silu(gate) * up,
        decompose.swiglu,
    ),
    macro(
        "swiglu_backward(Tensor grad_output, Tensor gate, Tensor up) -> (Tensor, Tensor)",
        decompose.swiglu_backward,
        category=Category.ELEMENTWISE,
        accepts={"grad_output": FLOATS, "gate": ("same:grad_output",), "up": ("same:grad_output",)},
        results=("same:gate", "same:up"),
        shape=("gate", "up"),
        layout=("contiguous",) * 2,
        operands={"grad_output": Operand("*S"), "gate": Operand("*S"), "up": Operand("*S")},
        constraints=(("gate == up and grad_output == gate", "all operands have one shape"),),
        decomposition=decompose.swiglu_backward,
    ),
    _gate(
        "geglu(Tensor gate, Tensor up, str approximate) -> Tensor",
        lambda gate, up, approximate: F.gelu(gate, approximate=approximate) * up,
        decompose.geglu,
        extra={"approximate": Operand(choices=("'none'", "'tanh'"))},
    ),
    macro(
        "silu_and_mul(Tensor input) -> Tensor",
        _silu_and_mul,
        category=Category.ELEMENTWISE,
        accepts={"input": FLOATS},
        results="same:input",
        shape="input[:rank(input) - 1] + [input[rank(input) - 1] // 2]",
        operands={"input": Operand("[*S, 2*d]")},
        constraints=(
            ("rank(input) > 0 and input[rank(input) - 1] % 2 == 0", "the last dimension has two halves"),
        ),
        errors=(("rank(input) == 0", "there is no dimension to halve"),),
        decomposition=decompose.silu_and_mul,
    ),
    _activation(
        "gelu_tanh(Tensor input) -> Tensor",
        lambda input: F.gelu(input, approximate="tanh"),
        decompose.gelu_tanh,
    ),
    _activation(
        "relu_squared(Tensor input) -> Tensor",
        lambda input: F.relu(input).square(),
        decompose.relu_squared,
    ),
)

CLASS_DIM = "(0 if rank(input) == 1 else 1)"
ROWS = f"drop(input, {CLASS_DIM})"
LOSS_RULES: tuple[Rule, ...] = (
    ("rank(input) > 0 and numel(input) > 0", "the input has classes and rows"),
    (f"target == {ROWS}", "one target per row"),
    (f"not given(weight) or weight == [size(input, {CLASS_DIM})]", "one weight per class"),
    ("0 <= reduction and reduction <= 2", "reduction is none, mean or sum"),
    ("0.0 <= label_smoothing and label_smoothing <= 1.0", "smoothing is a fraction"),
)
LOSS_OPERANDS = {
    "input": Operand("[n, c, *B]"),
    "target": Operand("[n, *B]", f"index(size(input, {CLASS_DIM}))"),
    "weight": Operand("[c]", "positive", optional=True),
    "reduction": Operand(choices=(1, 0, 2)),
    "ignore_index": Operand(choices=(-100, 0)),
    "label_smoothing": Operand(choices=(0.0, 0.1)),
}
LOSS_SHAPE = f"{ROWS} if reduction == 0 else []"


def _cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore: int, smoothing: float
) -> Tensor:
    return F.cross_entropy(
        input,
        target,
        weight,
        ignore_index=ignore,
        reduction=REDUCTIONS[reduction],
        label_smoothing=smoothing,
    ).contiguous()


def _embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor | None, per_sample_weights: Tensor | None, mean: bool
) -> Tensor:
    if mean and per_sample_weights is not None:
        rows = F.embedding(indices, weight) * per_sample_weights.unsqueeze(-1)
        return rows.mean(1).contiguous()
    return F.embedding_bag(
        indices,
        weight,
        offsets,
        mode="mean" if mean else "sum",
        per_sample_weights=per_sample_weights,
    ).contiguous()


def _interpolate(
    input: Tensor, size: Sequence[int], linear: bool, align_corners: bool, scales: Sequence[float] | None
) -> Tensor:
    given = [None] * (input.dim() - 2) if scales is None else list(scales)
    aten = torch.ops.aten
    if linear:
        op = aten.upsample_linear1d.default if input.dim() == 3 else aten.upsample_bilinear2d.default
        result: Tensor = op(input, list(size), align_corners, *given)
    else:
        op = aten.upsample_nearest1d.default if input.dim() == 3 else aten.upsample_nearest2d.default
        result = op(input, list(size), *given)
    return result.contiguous()


LAYERS = (
    macro(
        "cross_entropy(Tensor input, Tensor target, Tensor? weight, int reduction, int ignore_index, "
        "float label_smoothing) -> Tensor",
        _cross_entropy,
        category=Category.LOSS,
        accepts={"input": FLOATS, "target": ("int64",), "weight": ("same:input",)},
        results="same:input",
        shape=LOSS_SHAPE,
        operands=LOSS_OPERANDS,
        constraints=LOSS_RULES,
        errors=((f"rank(target) > 0 and target != {ROWS}", "the targets do not match the rows"),),
        decomposition=decompose.cross_entropy,
    ),
    macro(
        "cross_entropy_backward(Tensor grad_output, Tensor input, Tensor target, Tensor? weight, "
        "int reduction, int ignore_index, float label_smoothing) -> Tensor",
        decompose.cross_entropy_backward,
        category=Category.LOSS,
        accepts={
            "grad_output": FLOATS,
            "input": ("same:grad_output",),
            "target": ("int64",),
            "weight": ("same:input",),
        },
        results="same:input",
        shape="input",
        operands={"grad_output": Operand(f"={LOSS_SHAPE}"), **LOSS_OPERANDS},
        constraints=(
            *LOSS_RULES,
            (f"grad_output == ({LOSS_SHAPE})", "the gradient has the shape of the loss"),
        ),
        decomposition=decompose.cross_entropy_backward,
    ),
    macro(
        "embedding_bag(Tensor weight, Tensor indices, Tensor? offsets, Tensor? per_sample_weights, "
        "bool mean) -> Tensor",
        _embedding_bag,
        category=Category.INDEXING,
        accepts={
            "weight": FLOATS,
            "indices": ("int64", "int32"),
            "offsets": ("same:indices",),
            "per_sample_weights": ("same:weight",),
        },
        results="same:weight",
        shape="[(offsets[0] if given(offsets) else indices[0]), weight[1]]",
        operands={
            "weight": Operand("[n, d]"),
            "indices": Operand("[l]", "index(weight[0])"),
            "offsets": Operand("[b]", "index(1)", optional=True),
            "per_sample_weights": Operand("[l]", optional=True),
            "mean": FLAG,
        },
        constraints=(
            ("rank(weight) == 2 and numel(weight) > 0 and numel(indices) > 0", "the weight is a matrix"),
            (
                "(rank(indices) == 1 and rank(offsets) == 1) if given(offsets) else rank(indices) == 2",
                "the indices are a matrix, or a vector with offsets",
            ),
            ("not given(per_sample_weights) or per_sample_weights == indices", "a factor for each index"),
            ("not (mean and given(per_sample_weights))", "factors are for sums"),
        ),
        errors=(("rank(indices) == 1 and not given(offsets)", "flat indices have no offsets"),),
        decomposition=decompose.embedding_bag,
    ),
    macro(
        "interpolate(Tensor input, SymInt[] size, bool linear, bool align_corners, float[]? scales) "
        "-> Tensor",
        _interpolate,
        category=Category.POOLING,
        accepts={"input": FLOATS},
        results="same:input",
        shape="input[:2] + size",
        # The weights of the neighbours come from positions, which are rounded to float32 first.
        numerics=derived(32),
        operands={
            "input": Operand("[n, c, h, w]"),
            "size": Operand(choices=([7, 3], "[2 * input[2], 2 * input[3]]")),
            "linear": FLAG,
            "align_corners": FLAG,
            "scales": Operand(choices=(None,)),
        },
        constraints=(
            (
                "(rank(input) == 3 or rank(input) == 4) and rank(size) == rank(input) - 2",
                "the input is [N, C, W] or [N, C, H, W] and has a new size for each spatial dimension",
            ),
            ("numel(input) > 0 and min(size) > 0", "no size is 0"),
            ("linear or not align_corners", "corners are aligned by linear interpolation only"),
            ("not given(scales) or len(scales) == rank(size)", "one factor for each spatial dimension"),
        ),
        errors=(("rank(size) != rank(input) - 2", "the sizes do not fit the rank"),),
        decomposition=decompose.interpolate,
    ),
)

BATCH = "input[0 if batch_first else 1]"
SEQUENCE = "[input[0], input[1], h[1]]"


def _recurrence_rules(gates: int) -> tuple[Rule, ...]:
    return (
        ("rank(input) == 3 and rank(h) == 2 and numel(input) > 0", "the input is [T, B, I] or [B, T, I]"),
        (f"h[0] == {BATCH}", "a state for each sequence"),
        (
            f"weight_ih == [{gates} * h[1], input[2]] and weight_hh == [{gates} * h[1], h[1]]",
            f"the weights have {gates} gates",
        ),
        (
            f"given(bias_ih) == given(bias_hh) and (not given(bias_ih) or bias_ih == [{gates} * h[1]])",
            "both or no biases",
        ),
        (f"not given(bias_hh) or bias_hh == [{gates} * h[1]]", "a bias for each gate"),
    )


def _recurrence_operands(gates: int, *states: str) -> dict[str, Operand]:
    return {
        "input": Operand("[t, t, i]", "unit"),
        **{name: Operand("[t, d]", "unit") for name in states},
        "weight_ih": Operand(f"[{gates}*d, i]", "unit"),
        "weight_hh": Operand(f"[{gates}*d, d]", "unit"),
        "bias_ih": Operand(f"[{gates}*d]", "unit"),
        "bias_hh": Operand(f"[{gates}*d]", "unit"),
        "batch_first": FLAG,
        "reverse": FLAG,
    }


WEIGHTS = (
    "Tensor weight_ih, Tensor weight_hh, Tensor? bias_ih, Tensor? bias_hh, bool batch_first, bool reverse"
)


def _flat(*weights: Tensor | None) -> list[Tensor]:
    return [w for w in weights if w is not None]


def _turned(x: Tensor, batch_first: bool, reverse: bool) -> Tensor:
    return x.flip(1 if batch_first else 0) if reverse else x


def _lstm(
    input: Tensor,
    h: Tensor,
    c: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    batch_first: bool,
    reverse: bool,
) -> tuple[Tensor, ...]:
    sequence, last, cell = torch.ops.aten.lstm.input(
        _turned(input, batch_first, reverse),
        [h.unsqueeze(0), c.unsqueeze(0)],
        _flat(w_ih, w_hh, b_ih, b_hh),
        b_ih is not None,
        1,
        0.0,
        False,
        False,
        batch_first,
    )
    return _turned(sequence, batch_first, reverse).contiguous(), last[0].clone(), cell[0].clone()


def _gru(
    input: Tensor,
    h: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    batch_first: bool,
    reverse: bool,
) -> tuple[Tensor, ...]:
    sequence, last = torch.ops.aten.gru.input(
        _turned(input, batch_first, reverse),
        h.unsqueeze(0),
        _flat(w_ih, w_hh, b_ih, b_hh),
        b_ih is not None,
        1,
        0.0,
        False,
        False,
        batch_first,
    )
    return _turned(sequence, batch_first, reverse).contiguous(), last[0].clone()


RECURRENT_ACCEPTS = {
    "weight_ih": ("same:input",),
    "weight_hh": ("same:input",),
    "bias_ih": ("same:input",),
    "bias_hh": ("same:input",),
}
RECURRENT = (
    macro(
        f"lstm(Tensor input, Tensor h, Tensor c, {WEIGHTS}) -> (Tensor, Tensor, Tensor)",
        _lstm,
        category=Category.SCAN,
        accepts={"input": FLOATS, "h": ("same:input",), "c": ("same:input",), **RECURRENT_ACCEPTS},
        results=("same:input", "same:h", "same:c"),
        shape=(SEQUENCE, "h", "c"),
        layout=("contiguous",) * 3,
        operands=_recurrence_operands(4, "h", "c"),
        constraints=(*_recurrence_rules(4), ("c == h", "cell and hidden state have one shape")),
        errors=(("rank(input) != 3", "the input is not a batch of sequences"),),
        decomposition=decompose.lstm,
    ),
    macro(
        f"gru(Tensor input, Tensor h, {WEIGHTS}) -> (Tensor, Tensor)",
        _gru,
        category=Category.SCAN,
        accepts={"input": FLOATS, "h": ("same:input",), **RECURRENT_ACCEPTS},
        results=("same:input", "same:h"),
        shape=(SEQUENCE, "h"),
        layout=("contiguous",) * 2,
        operands=_recurrence_operands(3, "h"),
        constraints=_recurrence_rules(3),
        errors=(("rank(input) != 3", "the input is not a batch of sequences"),),
        decomposition=decompose.gru,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*PRODUCTS, *GATES, *LAYERS, *RECURRENT)
