"""Attention of the device kernels, forward and backward, and pieces of transformer layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torchport.contract import library
from torchport.contract.decompositions import fused_attention as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, NOTHING, Decomposition, Rule, derived, entry
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

HALVES = ("float16", "bfloat16")
EXACTLY = derived(special=("by-decomposition",))
QUERY, KEY = "[b, h, l, d]", "[b, h, s, d]"
BY_LENGTH, KEY_BY_LENGTH = "[b, l, h, d]", "[b, s, h, d]"
SCALE = Operand(choices=(None, 0.5))
ZERO = Operand(choices=(0.0,))
BIAS = Operand("[b, h, l, s]", optional=True)
WORD = Operand("[]", "index(1)")
PAIR = Operand("[2]", "index(1)")
NO_DEBUG: Rule = ("not return_debug_mask", "the mask for debugging is not part of the contract")
ALL = Operand(choices=((True, True, True, True),))
TIED = {"key": ("same:query",), "value": ("same:query",)}

KEYED_UNIFORM = library.define(
    "keyed_uniform(SymInt[] size, Tensor seed, Tensor offset) -> Tensor", decompose.keyed_uniform
)


def _shapes(groups: bool, square: bool, heads: int = 1, length: int = 2) -> tuple[Rule, ...]:
    """What query, key and value have in common; ``heads`` and ``length`` are their dimensions."""
    equal = (
        f"key[{heads}] > 0 and query[{heads}] % key[{heads}] == 0"
        if groups
        else f"query[{heads}] == key[{heads}]"
    )
    rules: tuple[Rule, ...] = (
        ("rank(query) == 4 and rank(key) == 4 and key == value", "key and value have one shape"),
        ("query[0] == key[0] and query[3] == key[3]", "query and key share batch and width"),
        (equal, "the query heads are a multiple of the key heads" if groups else "the heads are as many"),
        ("numel(query) > 0 and numel(key) > 0", "no size is 0"),
        ("dropout_p >= 0 and dropout_p < 1", "a probability of being dropped"),
    )
    if square:
        rules += (
            (
                f"not is_causal or query[{length}] == key[{length}]",
                "a causal mask is of as many keys as queries",
            ),
        )
    return rules


NOT_FOUR: Rule = ("rank(query) != 4", "the query is not of rank 4")


def _attention(
    name: str,
    decomposition: Decomposition,
    *,
    dtypes: Sequence[str],
    results: Sequence[str],
    shapes: Sequence[str],
    operands: Mapping[str, Operand],
    constraints: Sequence[Rule],
    accepts: Mapping[str, Sequence[str]] | None = None,
) -> OpSpec:
    return entry(
        f"aten.{name}.default",
        category=Category.ATTENTION,
        accepts={"query": dtypes, **TIED, **(accepts or {})},
        results=results,
        shape=shapes,
        layout=("eager",) * len(shapes),
        numerics=EXACTLY,
        operands=operands,
        constraints=constraints,
        errors=(NOT_FOUR,),
        decomposition=decomposition,
    )


UNIT = {"query": Operand(QUERY, "unit"), "key": Operand(KEY, "unit"), "value": Operand(KEY, "unit")}
BY_LENGTH_UNIT = {
    "query": Operand(BY_LENGTH, "unit"),
    "key": Operand(KEY_BY_LENGTH, "unit"),
    "value": Operand(KEY_BY_LENGTH, "unit"),
}
FLASH_RESULTS = (
    "same:query",
    "float32",
    "int32",
    "int32",
    "int64",
    "int64",
    "uint64",
    "uint64",
    "same:query",
)
FLASH_SHAPES = (
    "query", "query[:3]", "absent()", "absent()", "absent()", "absent()", "[2]", "[]", "[0]",
)  # fmt: skip
PLAIN_RESULTS = ("same:query", "float32", "int32", "int32", "int64", "int64", "int64", "int64", "same:query")
PLAIN_SHAPES = (
    "query", "query[:3]", "absent()", "absent()", "absent()", "absent()", "[]", "[]", "absent()",
)  # fmt: skip
PADDED = (
    "[query[0], query[1], ceil_div(query[2], 32) * 32] if compute_log_sumexp else [query[0], query[1], 0]"
)
ON_BIAS: Rule = (
    "not given(attn_bias) or expandable(attn_bias, [query[0], query[1], query[2], key[2]])",
    "the bias broadcasts to the scores",
)
FORWARD_OPTIONS = {"dropout_p": ZERO, "is_causal": FLAG, "scale": SCALE}

FORWARDS = (
    _attention(
        "_scaled_dot_product_flash_attention",
        decompose.flash,
        dtypes=HALVES,
        results=FLASH_RESULTS,
        shapes=FLASH_SHAPES,
        operands={**UNIT, **FORWARD_OPTIONS},
        constraints=(*_shapes(True, True), NO_DEBUG),
    ),
    _attention(
        "_scaled_dot_product_efficient_attention",
        decompose.efficient,
        dtypes=(*HALVES, "float32"),
        results=("same:query", "float32", "int64", "int64"),
        shapes=("query", PADDED, "[]", "[]"),
        operands={**UNIT, "attn_bias": BIAS, "compute_log_sumexp": FLAG, **FORWARD_OPTIONS},
        accepts={"attn_bias": ("same:query",)},
        constraints=(*_shapes(False, False), ON_BIAS),
    ),
    _attention(
        "_scaled_dot_product_fused_attention_overrideable",
        decompose.overrideable,
        dtypes=(*HALVES, "float32"),
        results=PLAIN_RESULTS,
        shapes=PLAIN_SHAPES,
        operands={**UNIT, "attn_bias": BIAS, **FORWARD_OPTIONS},
        accepts={"attn_bias": ("same:query",)},
        constraints=(*_shapes(False, False), ON_BIAS, NO_DEBUG),
    ),
    _attention(
        "_scaled_dot_product_cudnn_attention",
        decompose.cudnn,
        dtypes=HALVES,
        results=PLAIN_RESULTS,
        shapes=("query", "query[:3] + [1]", *PLAIN_SHAPES[2:]),
        operands={
            **UNIT,
            "attn_bias": BIAS,
            "compute_log_sumexp": Operand(choices=(True,)),
            **FORWARD_OPTIONS,
        },
        accepts={"attn_bias": ("same:query",)},
        constraints=(
            *_shapes(True, True),
            ON_BIAS,
            NO_DEBUG,
            ("compute_log_sumexp", "the logsumexp is computed"),
        ),
    ),
    _attention(
        "_flash_attention_forward",
        decompose.flash_forward,
        dtypes=HALVES,
        results=("same:query", "float32", "uint64", "uint64", "same:query"),
        shapes=("query", "[query[0], query[2], query[1]]", "[2]", "[]", "[0]"),
        operands={
            **BY_LENGTH_UNIT,
            "cum_seq_q": NOTHING,
            "cum_seq_k": NOTHING,
            "max_q": Operand(choices=("query[1]",)),
            "max_k": Operand(choices=("key[1]",)),
            "dropout_p": ZERO,
            "is_causal": FLAG,
            "return_debug_mask": Operand(choices=(False,)),
            "scale": SCALE,
        },
        accepts={"cum_seq_q": ("int32",), "cum_seq_k": ("int32",)},
        constraints=(
            *_shapes(True, True, heads=2, length=1),
            NO_DEBUG,
            ("not given(cum_seq_q) and not given(cum_seq_k)", "the sequences of a batch have one length"),
            (
                "not given(window_size_left) and not given(window_size_right) and not given(seqused_k) and "
                "not given(alibi_slopes) and not given(block_table) and not given(num_splits)",
                "every query sees every key, or every earlier one",
            ),
        ),
    ),
    _attention(
        "_efficient_attention_forward",
        decompose.efficient_forward,
        dtypes=(*HALVES, "float32"),
        results=("same:query", "float32", "int64", "int64", "int64", "int64"),
        shapes=(
            "query",
            "[query[0], query[2], ceil_div(query[1], 32) * 32 if compute_log_sumexp else 0]",
            "[]",
            "[]",
            "absent()",
            "absent()",
        ),
        operands={
            **BY_LENGTH_UNIT,
            "bias": BIAS,
            "cu_seqlens_q": NOTHING,
            "cu_seqlens_k": NOTHING,
            "max_seqlen_q": NOTHING,
            "max_seqlen_k": NOTHING,
            "dropout_p": ZERO,
            "custom_mask_type": Operand(choices=(0, 1)),
            "compute_log_sumexp": FLAG,
            "scale": SCALE,
        },
        accepts={"bias": ("same:query",), "cu_seqlens_q": ("int32",), "cu_seqlens_k": ("int32",)},
        constraints=(
            *_shapes(False, False, heads=2, length=1),
            (
                "not given(bias) or expandable(bias, [query[0], query[2], query[1], key[1]])",
                "the bias broadcasts to the scores",
            ),
            ("custom_mask_type == 0 or custom_mask_type == 1", "no mask, or causal from the first key"),
            (
                "not given(cu_seqlens_q) and not given(cu_seqlens_k) and not given(seqlen_k)",
                "the sequences of a batch have one length",
            ),
            ("not given(window_size)", "every query sees every key, or every earlier one"),
        ),
    ),
)

SAVED = {
    "max_q": Operand(choices=("query[2]",)),
    "max_k": Operand(choices=("key[2]",)),
    "dropout_p": ZERO,
    "is_causal": FLAG,
    "scale": SCALE,
}
RESULT = {"out": Operand(QUERY, "unit"), "logsumexp": Operand("[b, h, l]", "positive")}
GRADIENTS = ("same:query", "same:key", "same:value")
ON_GRADIENT: Rule = ("out == query", "the result has the shape of the query")
SEQUENCES = {"cum_seq_q": ("int32",), "cum_seq_k": ("int32",)}
GIVEN = {"cum_seq_q": Operand("[b]", optional=True), "cum_seq_k": Operand("[b]", optional=True)}
STATE = {"philox_seed": ("int64",), "philox_offset": ("int64",)}
STATE_OPERANDS = {"philox_seed": WORD, "philox_offset": WORD}

BACKWARDS = (
    _attention(
        "_scaled_dot_product_flash_attention_backward",
        decompose.flash_backward,
        dtypes=HALVES,
        results=GRADIENTS,
        shapes=("query", "key", "value"),
        operands={
            "grad_out": Operand(QUERY, "unit"),
            **UNIT,
            **RESULT,
            **GIVEN,
            **SAVED,
            "philox_seed": PAIR,
            "philox_offset": WORD,
        },
        accepts={
            "grad_out": ("same:query",),
            "out": ("same:query",),
            "logsumexp": ("float32",),
            **SEQUENCES,
            "philox_seed": ("uint64",),
            "philox_offset": ("uint64",),
        },
        constraints=(
            *_shapes(True, True),
            ("grad_out == query", "the gradient has the shape of the query"),
            ON_GRADIENT,
            ("logsumexp == query[:3]", "one logsumexp for each row"),
        ),
    ),
    _attention(
        "_scaled_dot_product_efficient_attention_backward",
        decompose.efficient_backward,
        dtypes=(*HALVES, "float32"),
        results=(*GRADIENTS, "same:attn_bias|same:query"),
        shapes=(
            "query",
            "key",
            "value",
            "attn_bias if given(attn_bias) and grad_input_mask[3] else absent()",
        ),
        operands={
            "grad_out_": Operand(QUERY, "unit"),
            **UNIT,
            "attn_bias": BIAS,
            "out": RESULT["out"],
            "logsumexp": Operand("=[query[0], query[1], ceil_div(query[2], 32) * 32]", "positive"),
            **STATE_OPERANDS,
            "dropout_p": ZERO,
            "grad_input_mask": ALL,
            "is_causal": FLAG,
            "scale": SCALE,
        },
        accepts={
            "grad_out_": ("same:query",),
            "attn_bias": ("same:query",),
            "out": ("same:query",),
            "logsumexp": ("float32",),
            **STATE,
        },
        constraints=(
            *_shapes(False, False),
            ON_BIAS,
            ("grad_out_ == query", "the gradient has the shape of the query"),
            ON_GRADIENT,
            (
                "logsumexp == [query[0], query[1], ceil_div(query[2], 32) * 32]",
                "one logsumexp for each row, padded",
            ),
        ),
    ),
    _attention(
        "_scaled_dot_product_fused_attention_overrideable_backward",
        decompose.overrideable_backward,
        dtypes=(*HALVES, "float32"),
        results=(*GRADIENTS, "same:attn_bias|same:query"),
        shapes=(
            "query",
            "key",
            "value",
            "attn_bias if given(attn_bias) and grad_input_mask[3] else absent()",
        ),
        operands={
            "grad_out": Operand(QUERY, "unit"),
            **UNIT,
            "attn_bias": BIAS,
            "grad_input_mask": ALL,
            **RESULT,
            **GIVEN,
            **SAVED,
            **STATE_OPERANDS,
        },
        accepts={
            "grad_out": ("same:query",),
            "attn_bias": ("same:query",),
            "out": ("same:query",),
            "logsumexp": ("float32",),
            **SEQUENCES,
            **STATE,
        },
        constraints=(
            *_shapes(False, False),
            ON_BIAS,
            ("grad_out == query", "the gradient has the shape of the query"),
            ON_GRADIENT,
            ("logsumexp == query[:3]", "one logsumexp for each row"),
        ),
    ),
    _attention(
        "_scaled_dot_product_cudnn_attention_backward",
        decompose.cudnn_backward,
        dtypes=HALVES,
        results=GRADIENTS,
        shapes=("query", "key", "value"),
        operands={
            "grad_out": Operand(QUERY, "unit"),
            **UNIT,
            "out": RESULT["out"],
            "logsumexp": Operand("[b, h, l, 1]", "positive"),
            **STATE_OPERANDS,
            "attn_bias": BIAS,
            **GIVEN,
            **SAVED,
        },
        accepts={
            "grad_out": ("same:query",),
            "out": ("same:query",),
            "logsumexp": ("float32",),
            **STATE,
            "attn_bias": ("same:query",),
            **SEQUENCES,
        },
        constraints=(
            *_shapes(True, True),
            ON_BIAS,
            ("grad_out == query", "the gradient has the shape of the query"),
            ON_GRADIENT,
            ("logsumexp == query[:3] + [1]", "one logsumexp for each row"),
        ),
    ),
    _attention(
        "_flash_attention_backward",
        decompose.flash_forward_backward,
        dtypes=HALVES,
        results=GRADIENTS,
        shapes=("query", "key", "value"),
        operands={
            "grad_out": Operand(BY_LENGTH, "unit"),
            **BY_LENGTH_UNIT,
            "out": Operand(BY_LENGTH, "unit"),
            "logsumexp": RESULT["logsumexp"],
            **GIVEN,
            "max_q": Operand(choices=("query[1]",)),
            "max_k": Operand(choices=("key[1]",)),
            "dropout_p": ZERO,
            "is_causal": FLAG,
            "rng_state": PAIR,
            "unused": WORD,
            "scale": SCALE,
        },
        accepts={
            "grad_out": ("same:query",),
            "out": ("same:query",),
            "logsumexp": ("float32",),
            **SEQUENCES,
            "rng_state": ("uint64",),
            "unused": ("uint64",),
        },
        constraints=(
            *_shapes(True, True, heads=2, length=1),
            ("grad_out == query", "the gradient has the shape of the query"),
            ON_GRADIENT,
            ("logsumexp == [query[0], query[2], query[1]]", "one logsumexp for each row"),
            ("not given(window_size_left) and not given(window_size_right)", "every query sees every key"),
        ),
    ),
)

PIECES = (
    entry(
        "aten._transform_bias_rescale_qkv.default",
        category=Category.ATTENTION,
        accepts={"qkv": FLOATS, "qkv_bias": ("same:qkv",)},
        results=("same:qkv",) * 3,
        shape=("[qkv[0], num_heads, qkv[1], qkv[2] // (3 * num_heads)]",) * 3,
        layout=("eager",) * 3,
        numerics=derived(),
        operands={
            "qkv": Operand("[b, l, 12*d]"),
            "qkv_bias": Operand("[12*d]"),
            "num_heads": Operand(choices=(1, 2)),
        },
        constraints=(
            ("rank(qkv) == 3 and qkv_bias == [qkv[2]]", "query, key and value side by side, and their bias"),
            ("num_heads > 0 and qkv[2] % (3 * num_heads) == 0", "the width divides into heads"),
        ),
        errors=(("qkv_bias != [qkv[2]]", "the bias has another width"),),
        decomposition=decompose.transform_bias_rescale_qkv,
    ),
    entry(
        "aten._masked_scale.default",
        category=Category.ELEMENTWISE,
        accepts={"self": FLOATS, "mask": ("uint8",)},
        results="same:self",
        shape="self",
        layout="eager",
        numerics=derived(special=("by-decomposition",)),
        operands={
            "self": Operand("*S"),
            "mask": Operand("*S", "bool"),
            "scale": Operand(choices=(2.0, 1.25)),
        },
        constraints=(("self == mask", "one flag for each element"),),
        errors=(("self != mask", "the mask has another shape"),),
        decomposition=decompose.masked_scale,
    ),
    entry(
        "aten._fused_dropout.default",
        category=Category.RANDOM,
        accepts={"self": FLOATS},
        results=("same:self", "uint8"),
        shape=("self", "self"),
        layout=("eager", "eager"),
        numerics=Numerics("law", special=("unspecified-values",)),
        deterministic=False,
        operands={"self": Operand("*S"), "p": Operand(choices=(0.5, 0.9)), "generator": NOTHING},
        constraints=(
            ("p > 0 and p <= 1", "a probability of being kept"),
            ("not given(generator)", "the generator is the device's own"),
        ),
        errors=(("p <= 0 or p > 1", "not a probability of being kept"),),
        decomposition=decompose.fused_dropout,
    ),
    entry(
        KEYED_UNIFORM,
        category=Category.RANDOM,
        accepts={"seed": ("int64",), "offset": ("int64",)},
        results="float32",
        shape="size",
        numerics=Numerics("law", special=("uniform",)),
        deterministic=False,
        operands={
            "size": Operand(choices=((3, 4), (2000,))),
            "seed": Operand("[]", "index(1000)"),
            "offset": Operand("[]", "index(10)"),
        },
        constraints=(("rank(seed) == 0 and rank(offset) == 0", "one seed and offset"),),
        errors=(("rank(seed) != 0", "several seeds"),),
        prim=True,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*FORWARDS, *BACKWARDS, *PIECES)
