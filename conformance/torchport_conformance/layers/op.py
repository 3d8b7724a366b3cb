"""Single operators in one-node regions, with each operand's values, dtype and layout varied; calls that have
to be refused; calls at the edges of what a backend declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchport_conformance.boundary_execution import BoundaryRunner
from torchport_conformance.cases.boundaries import BoundaryCase
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.collectives import CollectiveCase, collective_cases_for
from torchport_conformance.cases.errors import ErrorCase, error_cases_for
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.cases.host import HostCase, host_cases_for
from torchport_conformance.cases.opinfo import opinfo_cases_for
from torchport_conformance.collective_execution import CollectiveRunner
from torchport_conformance.error_execution import CompiledErrorRunner, ErrorRunner
from torchport_conformance.execution import CaseRunner
from torchport_conformance.host_execution import HostRunner
from torchport_conformance.layers import Request
from torchport_conformance.report.model import CaseResult
from torchport_conformance.subject import Subject

OpCase = Case | ErrorCase | HostCase | CollectiveCase | BoundaryCase
"""What this layer runs. Boundary cases belong to a backend, and are made when it is known."""


def cases(request: Request) -> Iterator[OpCase]:
    """The cases of every operator of the request."""
    for spec in request.specs:
        yield from cases_for(spec, request.profile)
        yield from opinfo_cases_for(spec.name, request.profile)
        yield from host_cases_for(spec, request.profile)
        yield from collective_cases_for(spec, request.profile)
        yield from error_cases_for(spec.name, request.profile)


class Runner:
    """Runs cases on the first target of a backend."""

    def __init__(self, subject: Subject, seed: int) -> None:
        assert subject.backend is not None
        self._runner = CaseRunner(subject.backend, seed)
        self._errors = ErrorRunner(subject.backend, seed)
        self._compiled_errors = CompiledErrorRunner(subject, seed)
        self._host = HostRunner(subject, seed)
        self._collectives = CollectiveRunner(subject)
        self._boundaries = BoundaryRunner(subject.backend, self._runner, seed)

    def run(self, case: OpCase) -> CaseResult:
        """The result of one case."""
        if isinstance(case, ErrorCase):
            return self._errors.run(case) if case.road == "region" else self._compiled_errors.run(case)
        if isinstance(case, HostCase):
            return self._host.run(case)
        if isinstance(case, CollectiveCase):
            return self._collectives.run(case)
        if isinstance(case, BoundaryCase):
            return self._boundaries.run(case)
        return self._runner.run(case)

    def lacks(self, case: OpCase) -> bool:
        """Whether :meth:`prepare` has something to do for a case."""
        return isinstance(case, Case) and self._runner.lacks(case)

    def prepare(self, cases: Iterable[OpCase]) -> None:
        """Compiles for the next cases together."""
        self._runner.prepare(case for case in cases if isinstance(case, Case))
