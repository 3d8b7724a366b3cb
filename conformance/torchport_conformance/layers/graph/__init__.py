"""Whole programs through ``torch.compile``: aliases, writes, guards, sizes, state, what optimizers break."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torchport_conformance.layers import Request
from torchport_conformance.layers.graph.case import GraphCase
from torchport_conformance.layers.graph.generated import FUZZ, GeneratedRunner
from torchport_conformance.layers.graph.kinds import families, program_of
from torchport_conformance.layers.graph.runner import GraphRunner
from torchport_conformance.report.model import CaseResult
from torchport_conformance.subject import Subject

GENERATED: Mapping[str, int] = {"quick": 4, "inference": 60, "training": 60, "full": 100}
"""How many generated graphs each profile has."""


def cases(request: Request) -> Iterator[GraphCase]:
    """Every program of the profile; they belong to no operator."""
    for family in families():
        yield from family.cases(request.profile)
    for index in range(GENERATED.get(request.profile.name, 0)):
        yield GraphCase(FUZZ, "generated", (("seed", "0"), ("graph", str(index))))


class Runner:
    """Runs programs on a subject of any level."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self._programs, self._graphs = GraphRunner(subject, seed, program_of), GeneratedRunner(subject, seed)

    def run(self, case: GraphCase) -> CaseResult:
        """The result of one case."""
        return self._graphs.run(case) if case.kind == FUZZ else self._programs.run(case)
