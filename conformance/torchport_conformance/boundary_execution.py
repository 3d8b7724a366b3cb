"""Cases at the edges of what a backend declares: inside is owed and right, outside is not claimed."""

from __future__ import annotations

from dataclasses import replace

from torchport.compile.backend import Backend
from torchport.compile.reason import Reason
from torchport_conformance.cases.boundaries import BoundaryCase
from torchport_conformance.execution import CaseRunner, describe
from torchport_conformance.regions import build_region
from torchport_conformance.report.model import CaseResult, Status, result_of


class BoundaryRunner:
    """Runs boundary cases with a runner of ordinary ones."""

    def __init__(self, backend: Backend, runner: CaseRunner, seed: int) -> None:
        self.backend, self.runner, self.seed = backend, runner, seed
        self.target = backend.targets()[0]

    def run(self, case: BoundaryCase) -> CaseResult:
        """Inside, the result of the call, which may not be refused; outside, whether it is refused."""
        if case.inside:
            return self._inside(case)
        try:
            node = build_region(case.case, self.seed, symbolic=False, device=self.target.device).node
        except Exception as error:  # noqa: BLE001 - counted as the suite's own failure, never a pass
            return result_of(case, Status.SUITE, f"the suite raised {describe(error)}", cause="suite")
        try:
            claim = self.backend.claims(node, self.target)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a vendor's claims may raise anything
            return result_of(case, Status.FAILED, f"claims() raised {describe(error)}", cause="exception")
        if not claim.accepted:
            return result_of(case, Status.PASSED, "")
        text = f"claimed outside of what is declared: {case.declared}"
        return result_of(case, Status.FAILED, text, cause="claimed outside its declaration")

    def _inside(self, case: BoundaryCase) -> CaseResult:
        found = self.runner.run(case.case)
        named = replace(found, id=case.id, label=case.declared)
        if found.status is Status.UNCLAIMED and (not case.of_rank or found.cause == Reason.RANK):
            text = f"declared and not claimed: {case.declared} holds, and claims() answers {found.message}"
            return replace(named, status=Status.FAILED, message=text, cause="declared and not claimed")
        if found.is_failure:
            return replace(named, message=f"within {case.declared}: {found.message}")
        return named
