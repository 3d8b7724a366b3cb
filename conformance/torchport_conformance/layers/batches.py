"""Cases that are compiled together, since ``torch.compile`` costs more than what it compiles here.

Operators of one graph that share nothing do not disturb each other. What is not settled in a graph of many
is tried in two of half the size, down to a graph of its own. A failure is reported as it is there; what fails
beside others only is a failure of its own kind.
"""

from __future__ import annotations

import abc
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Generic, TypeVar

from torchport.contract.capture_defects import capture_defect
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.execution import describe
from torchport_conformance.layers.excuses import REFUSED, UNDECLARED, anonymous
from torchport_conformance.layers.programs import Refusals, Watched
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.subject import Subject

C = TypeVar("C", bound=AnyCase)
P = TypeVar("P")
BATCH = 24
"""Cases of one graph: the fixed cost of compiling is then a small part."""
EXCEPTION = "exception"
"""The cause of a failure in which the compiled function raised."""


def raised(error: Exception) -> str:
    """The message of a failure in which the compiled function raised."""
    return f"the compiled function raised {describe(error)}"


def _as_pytorch(failed: CaseResult) -> CaseResult:
    """A failure that PyTorch's own compiler shows as well."""
    defect = capture_defect(failed.op)
    cause = f"{UNDECLARED}: {failed.cause}" if defect is None else defect.text
    text = f'torch.compile(backend="aot_eager") does the same\n{failed.message}'
    return replace(failed, status=Status.EAGER_DEFECT, message=text, cause=cause)


def _middle(ops: Sequence[str]) -> int:
    """Where cases of these operators are cut in two: between two operators, if it can be near the middle."""
    half = (len(ops) + 1) // 2
    between = [i for i in range(1, len(ops)) if ops[i] != ops[i - 1]]
    nearest = min(between, key=lambda i: abs(i - half), default=half)
    return nearest if abs(nearest - half) <= len(ops) // 3 else half


class Batches(Generic[C, P]):
    """A layer's runner that compiles cases which were announced in graphs of many.

    A layer says what a prepared case is (``P``), how several are run in one graph, and whether a failure is
    PyTorch's own.
    """

    layer: str

    def __init__(self, subject: Subject, seed: int) -> None:
        self.subject, self.seed = subject, seed
        self.watched, self.refusals = Watched(subject), Refusals(subject)
        self._results: dict[str, CaseResult] = {}

    # --- what a layer has to say ---

    @abc.abstractmethod
    def ready(self, case: C) -> P | CaseResult:
        """The case with its operands; a result where there is nothing to compile. Raises what the suite's own
        faults raise.
        """

    @abc.abstractmethod
    def judge(self, prepared: Sequence[P]) -> dict[str, CaseResult]:
        """Results by id, from one graph, less those of several cases that it does not tell apart. Raises
        whatever the subject raises, and where several cases do not make one graph: each break would trace all
        that follow it again.
        """

    def kin(self, prepared: P) -> str | None:
        """Cases of one kin can be compiled beside each other; one of none is compiled alone."""
        return ""

    def excuse(self, prepared: P, failed: CaseResult) -> CaseResult:
        """A failure; a defect of PyTorch where its own compiler without a backend fails in the same way, by a
        declaration or by none (:data:`UNDECLARED`). A call that PyTorch refuses before the backend sees it is
        unclaimed.
        """
        try:
            (found,) = self._control([prepared]).values()
            same = failed.cause != EXCEPTION and found.message == failed.message
        except Exception as error:  # noqa: BLE001 - PyTorch cannot compile the case either
            same = failed.cause == EXCEPTION and anonymous(failed.message) == anonymous(raised(error))
        if not same:
            return failed
        if failed.cause == EXCEPTION and self.subject.backend is not None and not self.watched.ran().claimed:
            return replace(failed, status=Status.UNCLAIMED, cause=REFUSED)
        return _as_pytorch(failed)

    def _control(self, prepared: Sequence[P]) -> dict[str, CaseResult]:
        """What PyTorch's own compiler without a backend makes of cases."""
        subject = Subject("aot_eager", "dynamo", self.subject.device, None, "aot_eager")
        return type(self)(subject, self.seed).judge(prepared)

    # --- what a run calls ---

    def lacks(self, case: C) -> bool:
        """Whether :meth:`prepare` has something to do for a case."""
        return case.id not in self._results

    def prepare(self, cases: Iterable[C]) -> None:
        """Runs the first of these cases together; :meth:`run` gives out their results."""
        self._settle([case for case in islice(cases, BATCH) if case.id not in self._results])

    def run(self, case: C) -> CaseResult:
        """The result of a case, which is run alone if it was not prepared."""
        if case.id not in self._results:
            self._settle([case])
        return self._results.pop(case.id)

    def _settle(self, cases: Sequence[C]) -> None:
        started = time.perf_counter()
        prepared: dict[str, tuple[C, P]] = {}
        for case in cases:
            try:
                found = self.ready(case)
            except Exception as error:  # noqa: BLE001 - counted as the suite's own failure, never a pass
                found = result_of(case, Status.SUITE, f"the suite raised {describe(error)}", cause="suite")
            if isinstance(found, CaseResult):
                self._results[case.id] = found
            else:
                prepared[case.id] = (case, found)
        kins: dict[str, dict[str, tuple[C, P]]] = {}
        for i, (case, p) in prepared.items():
            kin = self.kin(p)
            if kin is None:
                self._results[i] = self._alone(case, p)
            else:
                kins.setdefault(kin, {})[i] = (case, p)
        for together in kins.values():
            self._together(together)
        seconds = (time.perf_counter() - started) / len(cases)
        for case in cases:
            self._results[case.id] = replace(self._results[case.id], seconds=seconds)

    def _together(self, prepared: Mapping[str, tuple[C, P]]) -> None:
        if len(prepared) < 2:
            self._results.update({i: self._alone(*found) for i, found in prepared.items()})
            return
        try:
            found = self.judge([p for _, p in prepared.values()])
        except Exception:  # noqa: BLE001 - whose fault it is shows when each is compiled alone
            found = {}
        self._results.update(found)
        self._confirm({i: r for i, r in found.items() if r.status is Status.FAILED}, prepared)
        rest = [i for i in prepared if i not in found]
        half = _middle([prepared[i][0].op for i in rest])
        parts = (rest,) if found else (rest[:half], rest[half:])
        for part in parts:
            self._together({i: prepared[i] for i in part})

    def _confirm(self, suspected: Mapping[str, CaseResult], beside: Mapping[str, tuple[C, P]]) -> None:
        """Settles failures of a graph: those of PyTorch's own compiler all at once, the others alone."""
        shared = {}
        if suspected:
            with suppress(Exception):  # what PyTorch cannot compile beside others is looked at alone
                shared = self._control([beside[i][1] for i in suspected])
        for i, failed in suspected.items():
            same = i in shared and shared[i].message == failed.message
            self._results[i] = _as_pytorch(failed) if same else self._confirmed(failed, beside, i)

    def _alone(self, case: C, prepared: P) -> CaseResult:
        self.watched.forget()
        try:
            result = self.judge([prepared])[case.id]
        except Exception as error:  # noqa: BLE001 - what a compiler raises is its result
            result = result_of(case, Status.FAILED, raised(error), cause=EXCEPTION)
        return self.excuse(prepared, result) if result.status is Status.FAILED else result

    def _confirmed(
        self, suspected: CaseResult, beside: Mapping[str, tuple[C, P]], case_id: str
    ) -> CaseResult:
        alone = self._alone(*beside[case_id])
        if alone.status is not Status.PASSED:
            return alone
        others = ", ".join(dict.fromkeys(c.op for c, _ in beside.values() if c.id != case_id))
        text = f"{suspected.message}\nIt is right in a graph of its own; here it was beside {others}"
        return replace(suspected, message=text, cause="depends on the graph around it")
