"""Layers of conformance: what each makes cases from, and what runs them.

One line of :data:`LAYERS` adds one.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, Protocol, runtime_checkable

from torchport.contract.spec import OpSpec
from torchport.errors import OptionError
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.report.model import CaseResult
from torchport_conformance.subject import Subject


@dataclass(frozen=True, slots=True)
class Request:
    """What cases are asked for: a profile, and the operators that the run is about."""

    profile: Profile
    specs: Sequence[OpSpec]


class LayerRunner(Protocol):
    """Runs cases of one layer. What the subject raises becomes a failure of the case."""

    def run(self, case: Any) -> CaseResult:
        """The result of one case."""


@runtime_checkable
class Prepares(Protocol):
    """A runner that compiles for several cases at once, which saves time and changes no result."""

    def lacks(self, case: Any) -> bool:
        """Whether ``prepare`` has something to do for a case. Calls nothing of the subject."""

    def prepare(self, cases: Iterable[Any]) -> None:
        """Compiles for the next cases, as many as make sense; raises nothing."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A named layer.

    ``module`` has ``cases(request)`` and ``Runner(subject, seed)``; ``per_op`` says that its cases are made
    operator by operator, so that a shard needs those of its own operators only. ``at_levels`` is the module
    whose ``Runner`` runs them at the levels ``inductor`` and ``device``; empty where they are about claims.
    """

    name: str
    module: str
    at_levels: str = ""
    per_op: bool = True

    def cases(self, request: Request) -> Iterator[AnyCase]:
        """The layer's cases in a fixed order."""
        found: Iterator[AnyCase] = importlib.import_module(self.module).cases(request)
        return found

    def runner(self, subject: Subject, seed: int) -> LayerRunner:
        """What runs them."""
        module = self.at_levels if subject.backend is None else self.module
        made: LayerRunner = importlib.import_module(module).Runner(subject, seed)
        return made


_LAYERS = "torchport_conformance.layers"
LAYERS: Mapping[str, Layer] = {
    layer.name: layer
    for layer in (
        Layer("op", f"{_LAYERS}.op", "torchport_conformance.levels"),
        Layer("metadata", f"{_LAYERS}.metadata", f"{_LAYERS}.metadata"),
        Layer("decomposition", f"{_LAYERS}.decomposition"),
        Layer("autograd", f"{_LAYERS}.autograd", f"{_LAYERS}.autograd"),
        Layer("graph", f"{_LAYERS}.graph", f"{_LAYERS}.graph", per_op=False),
        Layer("model", f"{_LAYERS}.model", per_op=False),
        Layer("system", f"{_LAYERS}.system", f"{_LAYERS}.system", per_op=False),
    )
}
"""Every layer by name, in the order in which a run goes through them."""


def layer_named(name: str) -> Layer:
    """The layer called ``name``.

    Raises:
        OptionError: there is none.
    """
    if name not in LAYERS:
        raise OptionError(f"conformance has no layer {name!r}", hint=f"one of: {', '.join(LAYERS)}")
    return LAYERS[name]


CASES_AHEAD = 1000
"""Cases among which a runner looks for what it can compile together."""


class Runners:
    """One runner per layer, made when its first case comes."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self._subject, self._seed = subject, seed
        self._made: dict[str, LayerRunner] = {}

    def run(self, case: AnyCase) -> CaseResult:
        """The result of a case of any layer."""
        return self._runner(case).run(case)

    def lacks(self, case: AnyCase) -> bool:
        """Whether it is worth calling :meth:`prepare` before a case."""
        runner = self._runner(case)
        return isinstance(runner, Prepares) and runner.lacks(case)

    def prepare(self, cases: Sequence[AnyCase], start: int = 0) -> None:
        """Compiles together for cases from ``start`` on that are of one layer."""
        runner, layer = self._runner(cases[start]), cases[start].layer
        assert isinstance(runner, Prepares)
        following = islice(cases, start, start + CASES_AHEAD)
        runner.prepare(takewhile(lambda case: case.layer == layer, following))

    def _runner(self, case: AnyCase) -> LayerRunner:
        if case.layer not in self._made:
            self._made[case.layer] = layer_named(case.layer).runner(self._subject, self._seed)
        return self._made[case.layer]
