"""Single operators in one-node regions, with each operand's values, dtype and layout varied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchport_conformance.cases.case import Case
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.execution import CaseRunner
from torchport_conformance.layers import Request
from torchport_conformance.report.model import CaseResult
from torchport_conformance.subject import Subject


def cases(request: Request) -> Iterator[Case]:
    """The cases of every operator of the request."""
    for spec in request.specs:
        yield from cases_for(spec, request.profile)


class Runner:
    """Runs cases on the first target of a backend."""

    def __init__(self, subject: Subject, seed: int) -> None:
        assert subject.backend is not None
        self._runner = CaseRunner(subject.backend, seed)

    def run(self, case: Case) -> CaseResult:
        """The result of one case."""
        return self._runner.run(case)

    def lacks(self, case: Case) -> bool:
        """Whether :meth:`prepare` has something to do for a case."""
        return self._runner.lacks(case)

    def prepare(self, cases: Iterable[Case]) -> None:
        """Compiles for the next cases together."""
        self._runner.prepare(cases)
