"""Macros: attention and what surrounds it."""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions import macros_attention as decompose
from torchport.contract.ops.builders import ANY, BOOL, EXACT, FLAG, FLOATS, Rule
from torchport.contract.ops.macros import macro
from torchport.contract.spec import Category, Operand, OpSpec

QUERY, KEY, VALUE = "[b, h, l, d]", "[b, h, s, d]", "[b, h, s, e]"
SCORES = "query[:rank(query) - 1] + key[rank(key) - 2:rank(key) - 1]"
ATTENTION: tuple[Rule, ...] = (
    (
        "rank(query) >= 3 and rank(query) <= 4 and rank(key) == rank(query) and rank(value) == rank(query)",
        "query, key and value are [B, H, L, D] or [B, L, D]",
    ),
    ("query[0] == key[0] and key[:rank(key) - 1] == value[:rank(value) - 1]", "batch and keys agree"),
    ("query[rank(query) - 1] == key[rank(key) - 1]", "query and key have one width"),
    (
        "rank(query) < 4 or (key[1] > 0 and query[1] % key[1] == 0)",
        "the query heads are a multiple of the key heads",
    ),
    ("numel(query) > 0 and numel(key) > 0 and numel(value) > 0", "no size is 0"),
    (f"not given(attn_mask) or expandable(attn_mask, {SCORES})", "the mask broadcasts to the scores"),
    ("not (is_causal and given(attn_mask))", "a causal call has no other mask"),
    (
        "not given(attn_mask) or dtype(attn_mask) != 'float64' or dtype(query) == 'float64'",
        "the mask is no wider than the scores",
    ),
    (f"not given(dropout_mask) or dropout_mask == {SCORES}", "one dropout factor for each score"),
)
ACCEPTS = {
    "query": FLOATS,
    "key": ("same:query",),
    "value": ("same:query",),
    "attn_mask": (*FLOATS, *BOOL),
    "dropout_mask": FLOATS,
}
OPERANDS = {
    "query": Operand(QUERY, "unit"),
    "key": Operand(KEY, "unit"),
    "value": Operand(VALUE, "unit"),
    "attn_mask": Operand("[l, s]", "small", optional=True),
    "dropout_mask": Operand("[b, h, l, s]", "bool", optional=True),
    "is_causal": FLAG,
    "scale": Operand(choices=(None, 0.5)),
    "zero_masked_rows": FLAG,
}
OPTIONS = (
    "Tensor query, Tensor key, Tensor value, Tensor? attn_mask, Tensor? dropout_mask, bool is_causal, "
    "float? scale, bool zero_masked_rows"
)


def _rotary(x: str) -> tuple[Rule, ...]:
    return (
        (f"rank({x}) > 0 and {x}[rank({x}) - 1] % 2 == 0", "the last dimension is made of pairs"),
        (f"cos == sin and expandable(cos, {x})", "cos and sin have one shape, which broadcasts"),
    )


def _math_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_mask: Tensor | None,
    is_causal: bool,
    scale: float | None,
    zero_masked_rows: bool,
) -> Tensor:
    """Attention as a composite of matmul and softmax, scores in the operands' dtype as models write it."""
    factor = query.size(-1) ** -0.5 if scale is None else scale
    repeats = query.size(-3) // key.size(-3) if query.dim() == 4 else 1
    if repeats != 1:
        key, value = (x.repeat_interleave(repeats, -3) for x in (key, value))
    scores = torch.matmul(query, key.transpose(-2, -1)) * factor
    if is_causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril().logical_not()
        scores = scores.masked_fill(hidden, float("-inf"))
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(attn_mask.logical_not(), float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    if query.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()
    if zero_masked_rows and attn_mask is not None:
        weights = torch.ops.aten._safe_softmax.default(scores, -1)
    else:
        weights = torch.softmax(scores, -1)
    if dropout_mask is not None:
        weights = weights * dropout_mask
    return torch.matmul(weights.to(query.dtype), value).contiguous()


def _rope(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool) -> Tensor:
    if interleaved:
        rotated = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    else:
        a, b = x.chunk(2, -1)
        rotated = torch.cat((-b, a), -1)
    return x * cos + rotated * sin


ROTARY = {
    "cos": Operand("[l, 2*d]", "unit"),
    "sin": Operand("[l, 2*d]", "unit"),
    "interleaved": FLAG,
}

ENTRIES: tuple[OpSpec, ...] = (
    macro(
        f"scaled_dot_product_attention({OPTIONS}) -> Tensor",
        _math_attention,
        category=Category.ATTENTION,
        accepts=ACCEPTS,
        results="same:query",
        shape="query[:rank(query) - 1] + value[rank(value) - 1:]",
        operands=OPERANDS,
        constraints=ATTENTION,
        errors=(("is_causal and given(attn_mask)", "a causal call has another mask"),),
        decomposition=decompose.scaled_dot_product_attention,
    ),
    macro(
        f"scaled_dot_product_attention_backward(Tensor grad_output, {OPTIONS}) -> (Tensor, Tensor, Tensor)",
        decompose.scaled_dot_product_attention_backward,
        category=Category.ATTENTION,
        accepts={"grad_output": FLOATS, **ACCEPTS, "query": ("same:grad_output",)},
        results=("same:query", "same:key", "same:value"),
        shape=("query", "key", "value"),
        layout=("contiguous",) * 3,
        operands={"grad_output": Operand("[b, h, l, e]", "unit"), **OPERANDS},
        constraints=(
            *ATTENTION,
            (
                "grad_output == query[:rank(query) - 1] + value[rank(value) - 1:]",
                "the gradient has the shape of the result",
            ),
        ),
        decomposition=decompose.scaled_dot_product_attention_backward,
    ),
    macro(
        "rope(Tensor x, Tensor cos, Tensor sin, bool interleaved) -> Tensor",
        _rope,
        category=Category.ATTENTION,
        accepts={"x": FLOATS, "cos": FLOATS, "sin": ("same:cos",)},
        results="promote:x,cos,sin",
        shape="x",
        layout="elementwise",
        operands={"x": Operand("[b, h, l, 2*d]"), **ROTARY},
        constraints=_rotary("x"),
        errors=(("rank(x) > 0 and x[rank(x) - 1] % 2 != 0", "the last dimension is odd"),),
        decomposition=decompose.rope,
    ),
    macro(
        "rope_backward(Tensor grad_output, Tensor cos, Tensor sin, bool interleaved) -> Tensor",
        decompose.rope_backward,
        category=Category.ATTENTION,
        accepts={"grad_output": FLOATS, "cos": FLOATS, "sin": ("same:cos",)},
        results="same:grad_output",
        shape="grad_output",
        layout="elementwise",
        operands={"grad_output": Operand("[b, h, l, 2*d]"), **ROTARY},
        constraints=_rotary("grad_output"),
        decomposition=decompose.rope_backward,
    ),
    macro(
        "softcap(Tensor input, float cap) -> Tensor",
        lambda input, cap: torch.tanh(input / cap) * cap,
        category=Category.ELEMENTWISE,
        accepts={"input": FLOATS},
        results="same:input",
        shape="input",
        layout="elementwise",
        operands={"input": Operand("*S"), "cap": Operand(choices=(30.0, 2.0))},
        constraints=(("cap > 0", "the cap is positive"),),
        decomposition=decompose.softcap,
    ),
    macro(
        "kv_cache_write(Tensor cache, Tensor positions, Tensor update, int dim) -> Tensor",
        lambda cache, positions, update, dim: cache.index_copy(dim, positions, update).contiguous(),
        category=Category.INDEXING,
        accepts={"cache": ANY, "positions": ("int64",), "update": ("same:cache",)},
        results="same:cache",
        shape="cache",
        numerics=EXACT,
        operands={
            "cache": Operand("[b, h, s, d]"),
            "positions": Operand("[1]", "index(cache[2])"),
            "update": Operand("[b, h, 1, d]"),
            "dim": Operand(choices=(2, -2)),
        },
        constraints=(
            ("in_range(dim, rank(cache)) and rank(positions) == 1", "the dimension exists"),
            (
                "same_except(cache, update, dim) and size(update, dim) == positions[0]",
                "the update has one row for each position",
            ),
        ),
        errors=(("rank(positions) != 1", "positions are not a vector"),),
        decomposition=decompose.kv_cache_write,
    ),
)
