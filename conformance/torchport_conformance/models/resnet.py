"""ResNet: convolutions, batch norm with running statistics, max and mean pooling, residual sums."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from torchport_conformance.models.architecture import Architecture, Batch

CLASSES, SIZE, BATCH = 10, 32, 8


def build() -> nn.Module:
    """Three stages of one basic block from transformers, 32 to 128 channels."""
    from transformers import ResNetConfig, ResNetForImageClassification

    config = ResNetConfig(
        embedding_size=32,
        hidden_sizes=[32, 64, 128],
        depths=[1, 1, 1],
        layer_type="basic",
    )
    config.num_labels = CLASSES
    return ResNetForImageClassification(config)


def batch(generator: torch.Generator) -> Batch:
    """Images float32[8, 3, 32, 32] from a normal law, and labels int64[8]."""
    images = torch.randn(BATCH, 3, SIZE, SIZE, generator=generator)
    return {"pixel_values": images, "labels": torch.randint(CLASSES, (BATCH,), generator=generator)}


ARCHITECTURE = Architecture(
    name="resnet",
    build=build,
    batch=batch,
    output=lambda result: result.logits,  # type: ignore[attr-defined]
    loss=functional.cross_entropy,
    optimizer=lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
)
