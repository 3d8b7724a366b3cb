"""GPT-2: a causal decoder with learned positions, fused qkv projection and tanh-gelu."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from torchport_conformance.models.architecture import Architecture, Batch

VOCABULARY, LENGTH, BATCH = 512, 64, 4


def build() -> nn.Module:
    """Two layers of width 128 from transformers; no dropout, so that every run draws the same numbers."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=LENGTH,
        n_embd=128,
        n_layer=2,
        n_head=4,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    return GPT2LMHeadModel(config)


def batch(generator: torch.Generator) -> Batch:
    """Token ids int64[4, 64], and the same ids as labels."""
    ids = torch.randint(VOCABULARY, (BATCH, LENGTH), generator=generator)
    return {"input_ids": ids, "labels": ids}


def next_token_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy of each token given those before it; logits [n, t, v], labels int64[n, t]."""
    return functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


ARCHITECTURE = Architecture(
    name="gpt2",
    build=build,
    batch=batch,
    output=lambda result: result.logits,  # type: ignore[attr-defined]
    loss=next_token_loss,
    optimizer=lambda parameters: torch.optim.AdamW(parameters, lr=1e-3),
)
