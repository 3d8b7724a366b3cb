"""BERT: a bidirectional encoder with an attention mask, three embeddings and post-layer norm."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from torchport_conformance.models.architecture import Architecture, Batch

VOCABULARY, LENGTH, BATCH = 512, 64, 4
MASKED_OUT = -100
"""The label of a position that the loss ignores; cross_entropy's own default."""


def build() -> nn.Module:
    """Two layers of width 128 from transformers; no dropout, so that every run draws the same numbers."""
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=512,
        max_position_embeddings=LENGTH,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return BertForMaskedLM(config)


def batch(generator: torch.Generator) -> Batch:
    """Token ids and attention mask int64[4, 64], unequal lengths; labels on about a sixth of the tokens."""
    ids = torch.randint(1, VOCABULARY, (BATCH, LENGTH), generator=generator)
    lengths = torch.randint(LENGTH // 2, LENGTH + 1, (BATCH, 1), generator=generator)
    mask = (torch.arange(LENGTH) < lengths).long()
    chosen = (torch.rand(BATCH, LENGTH, generator=generator) < 0.15) & mask.bool()
    return {"input_ids": ids, "attention_mask": mask, "labels": ids.masked_fill(~chosen, MASKED_OUT)}


def masked_token_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy over the labelled positions; logits [n, t, v], labels int64[n, t]."""
    return functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=MASKED_OUT)


ARCHITECTURE = Architecture(
    name="bert",
    build=build,
    batch=batch,
    output=lambda result: result.logits,  # type: ignore[attr-defined]
    loss=masked_token_loss,
    optimizer=lambda parameters: torch.optim.AdamW(parameters, lr=1e-3),
)
