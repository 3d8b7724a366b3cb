"""What ``torchport explain`` explains: a built-in example, or the caller's own ``module:factory``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn

from torchport.errors import UsageError
from torchport.tools.imported import imported

Example = tuple[Callable[..., Any], tuple[Any, ...]]
"""A callable and its positional arguments."""


class _Attention(nn.Module):
    """A pre-norm transformer layer: (batch, sequence, 32) to the same."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(32), nn.Linear(32, 96), nn.Linear(32, 32)
        self.mlp = nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (4, 8)).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        y: Tensor = x + self.mlp(x)
        return y


def _mlp() -> Example:
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 8), nn.Softmax(-1))
    return model, (torch.randn(4, 16),)


def _attention() -> Example:
    return _Attention(), (torch.randn(2, 8, 32),)


def _convnet() -> Example:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(128, 10),
    )
    return model, (torch.randn(2, 3, 8, 8),)


EXAMPLES: Mapping[str, Callable[[], Example]] = MappingProxyType(
    {"mlp": _mlp, "attention": _attention, "convnet": _convnet}
)
"""Small models by name, with random weights; they need no other package."""


def example(target: str) -> Example:
    """The example called ``target``, or what the factory ``module:attribute`` returns.

    A factory takes no arguments and returns a callable and a tuple of arguments.

    Raises:
        UsageError: no such example; the factory cannot be imported, or returned something else.
    """
    if ":" not in target:
        if target not in EXAMPLES:
            raise UsageError(
                f"there is no example {target!r}",
                hint=f"use one of {', '.join(EXAMPLES)}, or your own factory as module:function",
            )
        return EXAMPLES[target]()
    factory = _factory(target)
    try:
        inspect.signature(factory).bind()
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the factory {target!r} must take no arguments",
            got=str(error),
            hint="def factory(): return model, (example_input,)",
        ) from error
    made = factory()
    match made:
        case (fn, tuple() | list() as args) if callable(fn):
            return fn, tuple(args)
    raise UsageError(
        f"the factory {target!r} must return a callable and a tuple of its arguments",
        got=type(made).__name__,
        hint="def factory(): return model, (example_input,)",
    )


def _factory(target: str) -> Callable[[], Any]:
    found = imported(target, "factory")
    if not callable(found):
        raise UsageError(f"{target!r} is not callable", got=type(found).__name__)
    factory: Callable[[], Any] = found
    return factory
