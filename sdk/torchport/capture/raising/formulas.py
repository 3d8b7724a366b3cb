"""What is raised to which macro: the composites that programs call by name, and the forms that people write.

Adding a form is one line here. Labels are given in order: ``rms_norm.P1`` and so on.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import torch

from torchport.capture.raising.patterns import Argument, Compute, Pattern, size_of

Captures = Mapping[str, Any]
Row = tuple[Any, ...]
"""Macro, formula, arguments and, where there are some, conditions, siblings and writes of a pattern."""
Rows = Sequence[Row]
LARGE = -65504.0
"""The most negative number of float16: what is filled in where a score must not count."""


LAST: Mapping[str, Argument] = {"normalized_shape": "[size(input, rank(input) - 1)]"}
SQUARES = "mean(wide(input) ** 2, -1, keepdim=True) + number(eps)"
RMS = (
    f"wide(input) * rsqrt({SQUARES})",
    f"wide(input) / sqrt({SQUARES})",
    f"wide(input) * (1 / sqrt({SQUARES}))",
)
MEAN = "mean(wide(input), -1, keepdim=True)"
CENTRED = f"(wide(input) - {MEAN})"
VARIANCES = (
    f"mean({CENTRED} ** 2, -1, keepdim=True)",
    "var(wide(input), -1, correction=0, keepdim=True)",
)
LAYER = tuple(
    form.format(v)
    for v in VARIANCES
    for form in (f"{CENTRED} / sqrt({{}} + number(eps))", f"{CENTRED} * rsqrt({{}} + number(eps))")
)


def _default_eps(c: Captures) -> Any:
    """The epsilon of the dtype that the operator computes in, where none is given."""
    dtype = c["input"].dtype
    wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
    return torch.finfo(wide).eps if c["eps"] is None else c["eps"]


NORMALIZATIONS: Rows = (
    *(("rms_norm", f"narrow(weight * narrow({core}))", LAST) for core in RMS),
    *(("rms_norm", f"narrow({core})", LAST) for core in RMS),
    (
        "rms_norm",
        "rms_norm(input, shape, weight, eps)",
        {"normalized_shape": lambda c: list(c["shape"]), "eps": _default_eps},
    ),
    *(("layer_norm", f"narrow(narrow(weight * narrow({core})) + bias)", LAST) for core in LAYER),
    *(("layer_norm", f"narrow(weight * narrow({core}))", LAST) for core in LAYER),
    *(("layer_norm", f"narrow({core})", LAST) for core in LAYER),
    (
        "layer_norm",
        "layer_norm(input, shape, weight, bias, eps)",
        {"normalized_shape": lambda c: list(c["shape"])},
    ),
    ("group_norm", "group_norm(input, num_groups, weight, bias, eps)", {}),
    ("instance_norm", "instance_norm(input, None, None, weight, bias, True, momentum, eps)", {}),
    ("batch_norm_inference", "batch_norm(input, mean, var, weight, bias, False, momentum, eps)", {}),
    (
        "batch_norm_training",
        "batch_norm(input, running_mean, running_var, weight, bias, True, momentum, eps)",
        {},
        (("given(running_mean) and given(running_var)", "there are running statistics"),),
        (),
        (("running_mean", 1), ("running_var", 2)),
    ),
    ("l2_normalize", "normalize(input, 2.0, dim, eps)", {}),
    (
        "l2_normalize",
        "input / clamp_min(norm(input, 2, dim, keepdim=True), number(eps))",
        {},
    ),
)

INNER = (
    *(f"0.7978845608028654 * (input + 0.044715 * {cube})" for cube in ("input ** 3", "(input ** 2 * input)")),
    "input * 0.7978845608028654 * (1 + 0.044715 * input * input)",
    "0.7978845608028654 * input * (1 + 0.044715 * input ** 2)",
)
OUTER = (
    "0.5 * input * (1 + tanh({}))",
    "0.5 * (input * (1 + tanh({})))",
    "input * (0.5 * (1 + tanh({})))",
)

GATES: Rows = (
    ("silu_and_mul", "silu(half(input, 0)) * half(input, 1)", {}),
    ("swiglu", "silu(gate) * up", {}),
    ("swiglu", "gate * sigmoid(gate) * up", {}),
    ("swiglu", "gate / (1 + exp(-gate)) * up", {}),
    ("geglu", "gelu(gate, approximate) * up", {}),
    *(("gelu_tanh", outer.format(inner), {}) for outer in OUTER for inner in INNER),
    ("gelu_tanh", "gelu(input, 'tanh')", {}),
    ("relu_squared", "relu(input) ** 2", {}),
    ("softcap", "tanh(input / number(cap)) * number(cap)", {}),
)

HALVES = "cat([-half(wide(x), 1), half(wide(x), 0)], -1)"
PAIRS = "flatten(stack([-every_other(wide(x), 1), every_other(wide(x), 0)], -1), -2)"
ROTARY: Rows = (
    ("rope", f"narrow(wide(x) * wide(cos) + {HALVES} * wide(sin))", {"interleaved": False}),
    ("rope", f"narrow(wide(x) * wide(cos) + {PAIRS} * wide(sin))", {"interleaved": True}),
)

PRODUCT = "matmul(query, transpose(shared(key), -2, -1))"
SCALES: tuple[tuple[str, Argument], ...] = (
    (f"{PRODUCT} * number(scale)", "scale"),
    (f"{PRODUCT} / number(divisor)", lambda c: 1.0 / c["divisor"]),
    ("matmul(query * number(scale), transpose(shared(key), -2, -1))", "scale"),
    ("matmul(query / number(divisor), transpose(shared(key), -2, -1))", lambda c: 1.0 / c["divisor"]),
    (PRODUCT, 1.0),
)
DIVIDED = ("divisor != 0.0", "the scores are divided by a number that is not 0")


def _no_wider(mask: str) -> tuple[str, str]:
    """The scores stay in the dtype that attention computes in."""
    return (f"dtype({mask}) != 'float64' or dtype(query) == 'float64'", f"{mask} does not widen the scores")


SQUARE = "n == [query[rank(query) - 2], key[rank(key) - 2]]"
CAUSAL: tuple[tuple[str, str], ...] = (
    (SQUARE, "the triangle has the size of the scores"),
    (f"fill <= {LARGE}", "what is filled in vanishes in the softmax"),
)
HIDDEN = (
    "eq(tril(ones(n, dtype=kind)), 0)",
    "logical_not(tril(ones(n, dtype=bool_dtype)))",
    "triu(ones(n, dtype=bool_dtype), 1)",
)
MASKS: tuple[tuple[str, Mapping[str, Argument], tuple[tuple[str, str], ...]], ...] = (
    *(
        (f"masked_fill({{}}, {hidden}, number(fill))", {"attn_mask": None, "is_causal": True}, CAUSAL)
        for hidden in HIDDEN
    ),
    ("{} + triu(full(n, number(fill), dtype=kind), 1)", {"attn_mask": None, "is_causal": True}, CAUSAL),
    (
        "masked_fill({}, hidden, number(fill))",
        {"attn_mask": Compute(torch.logical_not, ("hidden",)), "is_causal": False},
        (
            ("fill < 0.0 and fill * 0.5 == fill", "the fill is minus infinity"),
            ("dtype(hidden) == 'bool'", "a mask is boolean"),
        ),
    ),
    (
        "{} + bias + attn_mask",
        {"attn_mask": Compute(torch.add, ("bias", "attn_mask")), "is_causal": False},
        (
            ("floating(dtype(bias)) and floating(dtype(attn_mask))", "what is added are floats"),
            _no_wider("bias"),
            _no_wider("attn_mask"),
        ),
    ),
    (
        "{} + attn_mask",
        {"is_causal": False},
        (("floating(dtype(attn_mask))", "what is added is a float"), _no_wider("attn_mask")),
    ),
    ("{}", {"attn_mask": None, "is_causal": False}, ()),
)


def _attention() -> list[Row]:
    """Every scale with every mask, with and without dropout."""
    found: list[Row] = []
    for (mask, masked, conditions), (scores, scale) in itertools.product(MASKS, SCALES):
        weights = f"narrow(softmax(wide({mask.format(scores)}), -1, dtype=softmax_dtype))"
        arguments = {**masked, "scale": scale, "zero_masked_rows": False}
        if "divisor" in scores:
            conditions = (*conditions, DIVIDED)
        for dropped in (f"(drop := dropout({weights}, number(p)))", weights):
            drawn = {"dropout_mask": _dropped if dropped is not weights else None}
            formula = f"matmul({dropped}, shared(value))"
            found.append(("scaled_dot_product_attention", formula, {**arguments, **drawn}, conditions))
    return found


def _factors(query: torch.Tensor, key: torch.Tensor, p: float) -> torch.Tensor:
    """What dropout multiplies the scores with: 0 or 1 / (1 - p), drawn as ``F.dropout`` draws it for them."""
    shape = [*query.shape[:-1], key.shape[-2]]
    ones = torch.ones(shape, dtype=query.dtype, device=query.device)
    return torch.nn.functional.dropout(ones, p, training=True)


def _dropped(c: Captures) -> Compute | None:
    return None if c["p"] == 0 else Compute(_factors, ("query", "key", c["p"]), at="drop")


def _dropped_by_name(c: Captures) -> Compute | None:
    return None if c["p"] == 0 else Compute(_factors, ("query", "key", c["p"]))


REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
NOTHING_IGNORED = -(2**63)
"""An ``ignore_index`` that no target has, for forms that ignore nothing."""
ROWS = (("rank(input) == 2 and n == input[0]", "one score of each row is picked"),)
MATRIX = (("rank(input) == 2", "the scores are a matrix"),)


def _from_the_front(target: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """Classes that an index counts from the end, as classes."""
    return torch.where(target < 0, target + scores.shape[-1], target)


MEAN_LOSS: Mapping[str, Argument] = {
    "reduction": 1,
    "ignore_index": NOTHING_IGNORED,
    "label_smoothing": 0.0,
}
SCORES = "log_softmax(wide(input), -1, dtype=softmax_dtype)"
INDEXED: Mapping[str, Argument] = {**MEAN_LOSS, "target": Compute(_from_the_front, ("target", "input"))}
PICKED = (
    ("getitem({}, [arange(n), target])", INDEXED, ROWS),
    ("squeeze(gather({}, -1, unsqueeze(target, -1)), -1)", MEAN_LOSS, MATRIX),
    ("gather({}, -1, unsqueeze(target, -1))", MEAN_LOSS, MATRIX),
)


def _losses() -> list[Row]:
    found: list[Row] = []
    for pick, arguments, conditions in PICKED:
        for form in ("-mean({})", "mean(-{})"):
            formula = f"narrow({form.format(pick.format(SCORES))})"
            found.append(("cross_entropy", formula, arguments, conditions))
    for pick, arguments, conditions in PICKED[:2]:
        formula = f"mean(logsumexp(input, -1) - {pick.format('input')})"
        found.append(("cross_entropy", formula, arguments, conditions))
    named = {"reduction": lambda c: REDUCTIONS[c["reduction"]]}
    log_likelihood = f"nll_loss({SCORES}, target, weight, ignore_index=ignore_index, reduction=reduction)"
    found.append(("cross_entropy", log_likelihood, {**named, "label_smoothing": 0.0}, MATRIX))
    by_name = (
        "cross_entropy(input, target, weight, ignore_index=ignore_index, reduction=reduction, "
        "label_smoothing=label_smoothing)"
    )
    found.append(("cross_entropy", by_name, named, ()))
    return found


def _new_size(c: Captures) -> list[int] | None:
    spatial = c["input"].shape[2:]
    if c["size"] is not None:
        return list(c["size"]) if isinstance(c["size"], tuple | list) else [c["size"]] * len(spatial)
    return [math.floor(n * f) for n, f in zip(spatial, _scales(c) or (), strict=True)]


def _scales(c: Captures) -> list[float] | None:
    if c["size"] is not None:
        return None
    factor = c["factor"]
    given = list(factor) if isinstance(factor, tuple | list) else [factor] * (c["input"].dim() - 2)
    return [float(f) for f in given]


LINEAR_MODES = (
    ("mode == 'linear' or mode == 'bilinear'", "linear in each dimension"),
    ("given(size) != given(factor)", "a size or a factor"),
)
NEAREST = (("given(size) != given(factor)", "a size or a factor"),)
RESIZE: Mapping[str, Argument] = {"size": _new_size, "scales": _scales}
LAYERS: Rows = (
    ("linear", "linear(input, weight, bias)", {}),
    ("matmul", "matmul(self, other)", {}),
    (
        "scaled_dot_product_attention",
        "scaled_dot_product_attention(query, key, value, attn_mask, number(p), is_causal, scale, gqa)",
        {"dropout_mask": _dropped_by_name, "zero_masked_rows": True},
    ),
    (
        "embedding_bag",
        "embedding_bag(indices, weight, offsets, mode=mode, per_sample_weights=per_sample_weights)",
        {"mean": lambda c: c["mode"] == "mean"},
        (("mode == 'sum' or mode == 'mean'", "a sum or a mean"),),
    ),
    (
        "interpolate",
        "interpolate(input, size, factor, 'nearest')",
        {**RESIZE, "linear": False, "align_corners": False},
        NEAREST,
    ),
    (
        "interpolate",
        "interpolate(input, size, factor, mode, align_corners)",
        {**RESIZE, "linear": True, "align_corners": lambda c: bool(c["align_corners"])},
        LINEAR_MODES,
    ),
    ("kv_cache_write", "index_copy(cache, dim, positions, update)", {}),
    ("quantized_linear", "linear(input, cast(weight, dtype=kind) * scales, bias)", {"zero_points": None}),
    (
        "quantized_linear",
        "linear(input, (cast(weight, dtype=kind) - cast(zero_points, dtype=kind)) * scales, bias)",
        {},
    ),
)

PROBABILITIES = "softmax(wide(router_logits), -1, dtype=softmax_dtype)"
EXPERTS = (("experts", 1, 1),)
DISPATCH: Rows = (
    (
        "expert_dispatch",
        f"item((experts := topk({PROBABILITIES}, k, -1)), 0) / "
        f"sum(item((experts := topk({PROBABILITIES}, k, -1)), 0), -1, keepdim=True)",
        {"renormalize": True},
        (),
        EXPERTS,
    ),
    (
        "expert_dispatch",
        f"item((experts := topk({PROBABILITIES}, k, -1)), 0)",
        {"renormalize": False},
        (),
        EXPERTS,
    ),
)


def _labelled(rows: Rows) -> tuple[Pattern, ...]:
    counts: Counter[str] = Counter()
    found = []
    for macro, formula, arguments, *rest in rows:
        counts[macro] += 1
        label = f"{macro}.P{counts[macro]}"
        found.append(Pattern(label, macro, formula, arguments, *rest))
    return tuple(found)


@cache
def patterns() -> tuple[Pattern, ...]:
    """Every pattern, larger formulas first."""
    rows = (*NORMALIZATIONS, *GATES, *ROTARY, *_attention(), *_losses(), *LAYERS, *DISPATCH)
    return tuple(sorted(_labelled(rows), key=lambda p: -size_of(p.tree)))
