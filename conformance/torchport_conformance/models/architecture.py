"""What a model has to say about itself to be trained and judged, and where models are found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import torch
from torch import nn

from torchport.errors import TorchportError

Batch = Mapping[str, torch.Tensor]
"""Keyword arguments of the model, and ``labels`` for the loss."""


class ModelError(TorchportError):
    """A model is not known, or it does not do what its entry says."""

    stage = "models"


@dataclass(frozen=True, slots=True)
class Architecture:
    """One model in a small configuration, with random weights.

    Args:
        name: how users ask for it.
        build: makes the module; it draws its weights from torch's global generator.
        batch: ``batch(generator)`` draws one training batch on the CPU; integers are int64, floats are
            float32.
        output: the tensor that inference is judged on, from what the module returned.
        loss: ``loss(output, labels)`` in the dtype of the output: it must not cast, or there is no float64
            reference.
        optimizer: makes an optimizer for 20 steps over parameters.
    """

    name: str
    build: Callable[[], nn.Module]
    batch: Callable[[torch.Generator], Batch]
    output: Callable[[object], torch.Tensor]
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]

    def model(self, seed: int = 0) -> ModelWithLoss:
        """The model with the weights of ``seed``; torch's generator is left as it was."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return ModelWithLoss(self, self.build())

    def batches(self, count: int, seed: int = 0) -> tuple[Batch, ...]:
        """``count`` training batches, the same ones for the same seed."""
        generator = torch.Generator().manual_seed(seed)
        return tuple(self.batch(generator) for _ in range(count))


class ModelWithLoss(nn.Module):
    """A model whose ``forward`` returns its judged output, or the loss when it is given ``labels``."""

    def __init__(self, architecture: Architecture, model: nn.Module) -> None:
        super().__init__()
        self.architecture, self.model = architecture, model

    def forward(self, *, labels: torch.Tensor | None = None, **inputs: torch.Tensor) -> torch.Tensor:
        """The output (inference) or the scalar loss (training), in the dtype of the parameters."""
        output = self.architecture.output(self.model(**inputs))
        return output if labels is None else self.architecture.loss(output, labels)


def inputs_of(batch: Batch) -> Batch:
    """A batch without its labels: what inference takes."""
    return {name: tensor for name, tensor in batch.items() if name != "labels"}


@cache
def architectures() -> Mapping[str, Architecture]:
    """Every architecture by name, in the order of their module names."""
    package = importlib.import_module("torchport_conformance.models")
    modules = (
        importlib.import_module(f"{package.__name__}.{m.name}")
        for m in pkgutil.iter_modules(package.__path__)
    )
    found = (m.ARCHITECTURE for m in modules if hasattr(m, "ARCHITECTURE"))
    return {a.name: a for a in found}


def architecture(name: str) -> Architecture:
    """One architecture by name.

    Raises:
        ModelError: there is none of that name.
    """
    known = architectures()
    if name not in known:
        raise ModelError("no such model", got=repr(name), hint=f"known models: {', '.join(known)}")
    return known[name]
