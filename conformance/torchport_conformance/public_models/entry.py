"""What one line of the table of public architectures says, and how it becomes a model with random weights."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

Batch = Mapping[str, torch.Tensor]
"""Keyword arguments of the model, and ``labels`` for the loss where it takes some."""
MASKED_OUT = -100
"""The label of a position that a loss over tokens ignores; ``cross_entropy``'s own default."""
MOVE = 0.05
"""How far weights are moved from what their model starts with, in standard deviations of a normal law."""


class Family(enum.StrEnum):
    """What a model reads."""

    ENCODER = "text encoder"
    DECODER = "text decoder"
    SEQ2SEQ = "sequence to sequence"
    VISION = "vision"
    AUDIO = "audio"
    MULTIMODAL = "multimodal"


@dataclass(frozen=True, slots=True)
class Sizes:
    """The two sizes that change between calls; inputs without a sequence ignore ``length``."""

    batch: int
    length: int


FIRST, SECOND = Sizes(batch=3, length=12), Sizes(batch=4, length=15)
"""No size is 0, 1 or equal to another one, so that no two of them are taken for the same symbol."""

InputMaker = Callable[[Sizes, torch.Generator], Batch]


@dataclass(frozen=True, slots=True)
class Loss:
    """A scalar from what a model returned.

    ``apply(output, labels)`` must not cast, or there is no float64 reference. ``output`` is the field of the
    model's result that it is computed from.
    """

    output: str
    apply: Callable[[torch.Tensor, torch.Tensor | None], torch.Tensor]

    def __call__(self, result: Any, labels: torch.Tensor | None) -> torch.Tensor:
        """The loss of a model's result."""
        return self.apply(getattr(result, self.output), labels)


def _over_classes(logits: torch.Tensor, labels: torch.Tensor | None) -> torch.Tensor:
    assert labels is not None, "the input maker draws no labels"
    return functional.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=MASKED_OUT)


def _mean_sine(output: torch.Tensor, labels: torch.Tensor | None) -> torch.Tensor:
    return output.sin().mean()


def class_loss(output: str = "logits") -> Loss:
    """Cross entropy; classes are the last dimension, and those before it are positions with a label."""
    return Loss(output, _over_classes)


def sine_loss(output: str = "last_hidden_state") -> Loss:
    """The mean sine: a loss without labels, whose gradient differs from element to element.

    It suits hidden states, which a last normalization has brought to a mean and a square that carry nothing.
    """
    return Loss(output, _mean_sine)


@dataclass(frozen=True, slots=True)
class PublicModel:
    """A public architecture in a small configuration.

    Args:
        name: how users ask for it.
        family: what it reads.
        config: name of its configuration class in transformers.
        model: name of its model class in transformers.
        overrides: arguments of the configuration that make it small.
        inputs: draws a batch of the given sizes on the CPU; integers are int64, floats are float32.
        loss: what is trained.
    """

    name: str
    family: Family
    config: str
    model: str
    overrides: Mapping[str, Any]
    inputs: InputMaker
    loss: Loss

    def build(self, seed: int = 0, move: float = MOVE) -> TrainedModel:
        """The model with the weights of ``seed``; torch's generator is left as it was.

        Nothing random is left in its forward, and no weight stays at the zero or one that it starts with:
        each is moved by ``move`` standard deviations of a normal law.
        """
        import transformers

        config = getattr(transformers, self.config)(**self.overrides)
        without_randomness(config)
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(seed)
            model = getattr(transformers, self.model)(config)
            for parameter in model.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=move)
        return TrainedModel(self.loss, model)

    def batch(self, sizes: Sizes, seed: int = 0) -> Batch:
        """A batch, the same one for the same seed and sizes."""
        return self.inputs(sizes, torch.Generator().manual_seed(seed))


class TrainedModel(nn.Module):
    """A model whose forward returns its result, and in training mode its loss and its result."""

    def __init__(self, loss: Loss, model: nn.Module) -> None:
        super().__init__()
        self.loss, self.model = loss, model

    def forward(self, *, labels: torch.Tensor | None = None, **inputs: torch.Tensor) -> Any:
        """The model's own result (inference), or ``(loss, result)`` (training)."""
        result = self.model(**inputs)
        return (self.loss(result, labels), result) if self.training else result


def without_randomness(config: Any) -> None:
    """Sets every probability of a configuration to zero, those of its parts included."""
    settings = vars(config)
    for name, value in settings.items():
        if hasattr(value, "to_dict"):
            without_randomness(value)
        elif isinstance(value, float) and ("drop" in name or name.endswith("_prob")):
            settings[name] = 0.0


def tensors_of(result: Any, name: str = "output") -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor of a model's result with its path, such as ``output logits``."""
    if isinstance(result, torch.Tensor):
        yield name, result
    elif isinstance(result, Mapping):
        for key, value in result.items():
            yield from tensors_of(value, f"{name} {key}" if name == "output" else f"{name}.{key}")
    elif isinstance(result, tuple | list):
        for index, value in enumerate(result):
            yield from tensors_of(value, f"{name}[{index}]")
