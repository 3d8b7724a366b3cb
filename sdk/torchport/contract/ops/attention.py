"""Scaled dot-product attention as PyTorch selects it on CPU, and its gradient."""

from __future__ import annotations

from torchport.contract.decompositions import attention as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, Rule, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

QUERY, KEY = "[b, h, l, d]", "[b, h, s, d]"
MASK = Operand("[l, s]", optional=True)
RULES: tuple[Rule, ...] = (
    ("rank(query) == 4 and rank(key) == 4 and key == value", "query, key and value are [B, H, L, D]"),
    ("query[0] == key[0] and query[3] == key[3]", "query and key share batch and width"),
    ("key[1] > 0 and query[1] % key[1] == 0", "the query heads are a multiple of the key heads"),
    ("dropout_p == 0", "this form has no dropout"),
    ("numel(query) > 0 and numel(key) > 0", "no size is 0"),
    (
        "not given(attn_mask) or ((rank(attn_mask) == 2 or rank(attn_mask) == 4) and "
        "expandable(attn_mask, [query[0], query[1], query[2], key[2]]))",
        "the mask is of rank 2 or 4 and broadcasts to [B, H, L, S]",
    ),
)
ERRORS: tuple[Rule, ...] = (
    ("rank(query) != 4", "the query is not [B, H, L, D]"),
    ("rank(query) == 4 and dropout_p > 0", "this form has no dropout"),
)
OPTIONS = {
    "dropout_p": Operand(choices=(0.0,)),
    "is_causal": FLAG,
    "attn_mask": MASK,
    "scale": Operand(choices=(None, 0.5)),
}
PRODUCTS = {"query": Operand(QUERY, "unit"), "key": Operand(KEY, "unit"), "value": Operand(KEY, "unit")}
FORWARD = "aten._scaled_dot_product_flash_attention_for_cpu.default"
LENGTH = "4 * (query[3] + key[2])"

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        FORWARD,
        category=Category.ATTENTION,
        accepts={
            "query": FLOATS,
            "key": ("same:query",),
            "value": ("same:query",),
            "attn_mask": FLOATS,
        },
        results=("same:query", "opmath:query"),
        shape=("query", "query[:3]"),
        layout=("eager", "eager"),
        numerics=derived(),
        operands={**PRODUCTS, **OPTIONS},
        constraints=RULES,
        errors=ERRORS,
        decomposition=decompose.flash_attention_for_cpu,
    ),
    entry(
        "aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
        category=Category.ATTENTION,
        accepts={
            "grad_out": FLOATS,
            "query": ("same:grad_out",),
            "key": ("same:grad_out",),
            "value": ("same:grad_out",),
            "out": ("same:grad_out",),
            "logsumexp": ("float32", "float64"),
            "attn_mask": FLOATS,
        },
        results=("same:query", "same:key", "same:value"),
        shape=("query", "key", "value"),
        layout=("eager",) * 3,
        numerics=derived(),
        operands={
            "grad_out": Operand(QUERY, "unit"),
            **PRODUCTS,
            "out": Operand(QUERY, f"result({FORWARD}, 0)"),
            "logsumexp": Operand("[b, h, l]", f"result({FORWARD}, 1)"),
            **OPTIONS,
        },
        constraints=(
            *RULES,
            ("grad_out == query and out == query", "gradient and result have the shape of the query"),
            ("logsumexp == query[:3]", "one logsumexp per row"),
        ),
        decomposition=decompose.flash_attention_for_cpu_backward,
    ),
)
