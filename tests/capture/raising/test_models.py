"""Models as they are published: what their authors wrote by hand is raised, and training is unchanged."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchport as tp

transformers = pytest.importorskip("transformers")

SIZES = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
}
GPT_SIZES = {"vocab_size": 64, "n_embd": 32, "n_layer": 1, "n_head": 4}
GROUPED = {**SIZES, "num_key_value_heads": 2}
T5_SIZES = {
    "vocab_size": 64,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 48,
    "num_layers": 1,
    "num_heads": 4,
    "decoder_start_token_id": 0,
    "pad_token_id": 0,
}
MODELS: dict[str, tuple[str, dict[str, Any], dict[str, int]]] = {
    "Llama": (
        "ForCausalLM",
        GROUPED,
        {"rms_norm": 3, "rope": 2, "scaled_dot_product_attention": 1, "swiglu": 1, "cross_entropy": 1},
    ),
    "Qwen2": (
        "ForCausalLM",
        GROUPED,
        {"rms_norm": 3, "rope": 2, "scaled_dot_product_attention": 1, "swiglu": 1, "cross_entropy": 1},
    ),
    "Gemma": (
        "ForCausalLM",
        {**GROUPED, "head_dim": 8},
        {"rms_norm": 3, "rope": 2, "scaled_dot_product_attention": 1, "geglu": 1, "cross_entropy": 1},
    ),
    "GPTNeoX": (
        "ForCausalLM",
        SIZES,
        {"layer_norm": 3, "rope": 2, "scaled_dot_product_attention": 1, "cross_entropy": 1},
    ),
    "GPT2": (
        "LMHeadModel",
        GPT_SIZES,
        {"layer_norm": 3, "scaled_dot_product_attention": 1, "gelu_tanh": 1, "cross_entropy": 1},
    ),
    "GPTJ": (
        "ForCausalLM",
        {**GPT_SIZES, "rotary_dim": 4},
        {"layer_norm": 2, "rope": 2, "scaled_dot_product_attention": 1, "gelu_tanh": 1, "cross_entropy": 1},
    ),
    "T5": (
        "ForConditionalGeneration",
        T5_SIZES,
        {"rms_norm": 7, "scaled_dot_product_attention": 3, "cross_entropy": 1},
    ),
}


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf Tensor")
@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("name", MODELS)
def test_model(run: Any, name: str, train: bool) -> None:
    head, sizes, expected = MODELS[name]
    config = getattr(transformers, f"{name}Config")(**sizes, attn_implementation="eager", use_cache=False)
    torch.manual_seed(0)
    model = getattr(transformers, f"{name}{head}")(config).train(train)
    ids = torch.randint(0, 64, (2, 8))
    backend = tp.EagerBackend(macros=True)
    compiled = torch.compile(model, backend=backend)
    found = []
    for call in (model, compiled):
        torch.manual_seed(1)
        with torch.set_grad_enabled(train):
            result = call(input_ids=ids, labels=ids)
        parameters = list(model.parameters())
        gradients = torch.autograd.grad(result.loss, parameters, allow_unused=True) if train else ()
        found.append((result.loss, result.logits, gradients))
    raised = [m.macro.split(".")[1] for m in tp.reports(backend).raised]
    assert {macro: raised.count(macro) for macro in expected} == expected
    (loss, logits, before), (compiled_loss, compiled_logits, after) = found
    torch.testing.assert_close(compiled_loss, loss, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(compiled_logits, logits, rtol=1e-5, atol=1e-5)
    largest = max((float(g.abs().max()) for g in before if g is not None), default=0.0)
    for a, b in zip(before, after, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-5 * largest)
