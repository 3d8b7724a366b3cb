"""Whole programs through ``torch.compile``: aliases, writes, guards, sizes, state, what optimizers break."""

from __future__ import annotations

from collections.abc import Iterator

from torchport_conformance.layers import Request
from torchport_conformance.layers.graph.case import GraphCase
from torchport_conformance.layers.graph.kinds import families, program_of
from torchport_conformance.layers.graph.runner import GraphRunner
from torchport_conformance.report.model import CaseResult
from torchport_conformance.subject import Subject


def cases(request: Request) -> Iterator[GraphCase]:
    """Every program of the profile; they belong to no operator."""
    for family in families():
        yield from family.cases(request.profile)


class Runner:
    """Runs programs on a subject of any level."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self._runner = GraphRunner(subject, seed, program_of)

    def run(self, case: GraphCase) -> CaseResult:
        """The result of one case."""
        return self._runner.run(case)
