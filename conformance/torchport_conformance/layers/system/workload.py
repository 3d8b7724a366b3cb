"""The small program that system checks compile, and what they say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType

import torch

from torchport_conformance.layers.programs import Watched
from torchport_conformance.subject import Subject

ROWS, COLUMNS = 64, 32


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: nothing, what is wrong (``cause`` and ``text``), or why it was ``not_run``."""

    cause: str = ""
    text: str = ""
    not_run: str = ""


def program(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A product, elementwise operators, a softmax and sums: ``x`` [n, k], ``w`` [k, k], ``b`` [k]."""
    y = torch.relu(x @ w + b)
    return (torch.softmax(y, -1) * torch.sigmoid(y)).sum(0) + y.amax(0)


class Trial:
    """One check's subject, its program and its inputs."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self.subject, self.seed = subject, seed
        self.watched = Watched(subject)
        self._compiled = False

    def compile(self) -> Callable[..., torch.Tensor]:
        """A fresh copy of the program, compiled by the subject."""
        torch._dynamo.reset()
        self._compiled = True
        return self.watched.compile(_copy_of(program), dynamic=False)

    def inputs(self, turn: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Inputs on the subject's device, others for each turn."""
        generator = torch.Generator().manual_seed(self.seed + turn)
        shapes = ((ROWS, COLUMNS), (COLUMNS, COLUMNS), (COLUMNS,))
        x, w, b = (torch.randn(s, generator=generator).to(self.subject.device) for s in shapes)
        return x, w, b

    def wrong(self, got: torch.Tensor, turn: int = 0) -> str:
        """How far a result is from float64, where that is more than float32 explains; else empty."""
        x, w, b = (t.double().cpu() for t in self.inputs(turn))
        exact = program(x, w, b)
        if got.shape != exact.shape:
            return f"the result has the shape {list(got.shape)}, not {list(exact.shape)}"
        error = float((got.detach().cpu().double() - exact).abs().max())
        limit = 8.0 * (ROWS * COLUMNS) ** 0.5 * 2.0**-24 * float(exact.abs().max())
        return "" if error <= limit else f"a result is off by {error:.3g}, allowed {limit:.3g}"

    @property
    def claims_nothing(self) -> bool:
        """Whether the program was compiled and nothing of it ran on the backend."""
        return self.subject.backend is not None and self._compiled and not self.watched.ran().claimed


def _copy_of(fn: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """The same function with code of its own, which Dynamo does not take for the first."""
    assert isinstance(fn, FunctionType)
    return FunctionType(fn.__code__.replace(), fn.__globals__, fn.__name__)
