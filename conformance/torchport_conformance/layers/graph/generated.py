"""Generated graphs as cases: :mod:`torchport_conformance.fuzz` with one graph a case."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace

from torchport.errors import TorchportError
from torchport_conformance.layers.graph.case import GraphCase
from torchport_conformance.layers.graph.runner import ProgramRunner, excused
from torchport_conformance.obligation import FELL_BACK
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.subject import Subject

FUZZ = "fuzz"


class GeneratedRunner:
    """Runs generated graphs on a subject."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self._runner, self._seed = ProgramRunner(subject), seed

    def run(self, case: GraphCase) -> CaseResult:
        """The result of one case; a failing graph is made small, and its reproducer is in the message."""
        started = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = self._run(case)
            except Exception as error:  # noqa: BLE001 - counted as the suite's own failure, never a pass
                text = f"the suite raised {type(error).__name__}: {error}"
                result = result_of(case, Status.SUITE, text, cause="suite")
        return replace(result, seconds=time.perf_counter() - started)

    def _run(self, case: GraphCase) -> CaseResult:
        # Imported where it is needed: the generator reads the contract's cases.
        from torchport_conformance.fuzz.run import reduced
        from torchport_conformance.fuzz.trial import claims_of, graph_of, trial

        seed, index = int(case.choices["seed"]) + self._seed, int(case.choices["graph"])
        try:
            graph = graph_of(claims_of(self._runner.subject), seed, index)
        except TorchportError as error:
            return result_of(case, Status.UNCLAIMED, str(error), cause="too little is claimed")
        outcome = trial(self._runner, graph, seed)
        if outcome.failed:
            found = reduced(self._runner, outcome, seed, index)
            text = f"{found.signature}: {found.message}; {outcome.placement}\n{found.reproducer}"
            return result_of(case, Status.FAILED, text, cause=outcome.cause)
        if outcome.pytorchs:
            return excused(case, outcome.pytorchs, outcome.placement, outcome.graph.ops)
        if outcome.placement.nothing:
            return result_of(case, Status.UNCLAIMED, str(outcome.placement), cause="left to eager PyTorch")
        if outcome.placement.refused:
            return result_of(case, Status.UNCLAIMED, outcome.placement.refused, cause=FELL_BACK)
        passed = result_of(case, Status.PASSED, str(outcome.placement))
        return replace(passed, bound_ratio=outcome.ratio if outcome.judged else None)
