"""Runs cases in worker processes and survives what they do.

A worker announces each case before it runs it. When a worker dies or stays silent too long, the announced
case is the suspect: it is run again, alone, in a fresh worker, so that the verdict does not depend on what
ran before it. The other cases of the dead worker go on in another one.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait

from torchport.errors import RegistrationError
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.isolation.process import START_SECONDS, Nursery, WorkerProcess
from torchport_conformance.isolation.protocol import Finished, Idle, NotReady, Ready, RunCases, Setup, Started
from torchport_conformance.report.model import CaseResult, Status, result_of


@dataclass(frozen=True, slots=True)
class Limits:
    """``case_seconds`` for one case, its compilation included; ``crashes_per_op`` confirmed crashes or hangs,
    after which the rest of that operator is not run.
    """

    case_seconds: float = 30.0
    crashes_per_op: int = 3


@dataclass
class _Slot:
    """A place for one worker: what it has still to run, and what it is running."""

    worker: WorkerProcess | None = None
    queue: deque[AnyCase] = field(default_factory=deque)
    running: AnyCase | None = None
    suspect: AnyCase | None = None
    history: list[str] = field(default_factory=list)
    first_verdict: tuple[Status, str] | None = None
    deadline: float = 0.0
    busy: bool = False
    ready: bool = False


class Pool:
    """Runs chunks of cases in ``jobs`` workers; ``on_result`` gets one result per case, in no set order."""

    def __init__(
        self, setup: Setup, jobs: int, limits: Limits, on_result: Callable[[CaseResult], None]
    ) -> None:
        self._nursery = Nursery(setup)
        self._limits, self._on_result = limits, on_result
        self._slots = [_Slot() for _ in range(jobs)]
        self._chunks: deque[Sequence[AnyCase]] = deque()
        self._crashes: Counter[str] = Counter()
        self._failed_starts = 0

    def run(self, chunks: Sequence[Sequence[AnyCase]]) -> None:
        """Runs every case.

        Raises:
            RegistrationError: the backend cannot be loaded in a worker.
        """
        self._chunks.extend(chunks)
        try:
            for slot in self._slots:
                self._feed(slot)
            while any(slot.worker for slot in self._slots):
                self._step()
        finally:
            for slot in self._slots:
                if slot.worker:
                    slot.worker.kill()
            self._nursery.close()

    def _step(self) -> None:
        live = {slot.worker.connection: slot for slot in self._slots if slot.worker}
        nearest = min(slot.deadline for slot in live.values())
        for connection in wait(list(live), timeout=max(0.0, nearest - time.monotonic())):
            self._receive(live[connection])  # type: ignore[index]
        now = time.monotonic()
        for slot in live.values():
            if slot.worker and now >= slot.deadline:
                self._expire(slot)

    def _receive(self, slot: _Slot) -> None:
        assert slot.worker is not None
        try:
            message = slot.worker.connection.recv()
        except (EOFError, ConnectionResetError):
            how = slot.worker.end()
            self._lost(slot, Status.CRASHED, how)
            return
        slot.deadline = time.monotonic() + self._limits.case_seconds
        match message:
            case Ready():
                slot.ready, self._failed_starts = True, 0
                self._hand_out(slot)
            case NotReady(text=text):
                raise RegistrationError(
                    "a worker process could not load the backend",
                    got=text,
                    hint="fix the import, or run with jobs=0",
                )
            case Started(id=found):
                case = slot.suspect or slot.queue[0]
                assert case.id == found, f"expected {case.id}"
                slot.running = case
            case Finished(result=result):
                self._finish(slot, result)
            case Idle():
                slot.busy = False
                self._feed(slot)

    def _finish(self, slot: _Slot, result: CaseResult) -> None:
        slot.running = None
        if slot.suspect is None:
            slot.queue.popleft()
            slot.history.append(result.id)
        else:
            assert slot.first_verdict is not None
            status, how = slot.first_verdict
            before = ", ".join(slot.history[-3:]) or "none"
            text = f"{how}\nIt does not happen when the case runs alone; the cases before it were: {before}"
            slot.history = [slot.suspect.id]
            result = result_of(slot.suspect, status, text, cause="depends on earlier cases")
            slot.suspect = slot.first_verdict = None
            self._crashes[result.op] += 1
        self._on_result(result)

    def _expire(self, slot: _Slot) -> None:
        assert slot.worker is not None
        tail = slot.worker.stderr_tail()
        slot.worker.kill()
        how = f"no end after {self._limits.case_seconds:g} s" + (f"\n{tail}" if tail else "")
        self._lost(slot, Status.HUNG, how)

    def _lost(self, slot: _Slot, status: Status, how: str) -> None:
        """The slot's worker is gone: records a confirmed suspect, or makes the running case one."""
        slot.worker, was_ready = None, slot.ready
        slot.ready = slot.busy = False
        if not was_ready:
            self._failed_starts += 1
            if self._failed_starts > 2:
                raise RegistrationError("worker processes end before they can run a case", got=how)
        elif slot.suspect is not None:
            self._confirm(slot, slot.suspect, status, how)
            slot.suspect, slot.first_verdict = None, None
        elif slot.running is not None:
            case = slot.queue.popleft()
            if slot.history:
                slot.suspect, slot.first_verdict = case, (status, how)
            else:  # it was alone in its worker already
                self._confirm(slot, case, status, how)
        slot.running = None
        self._feed(slot)

    def _confirm(self, slot: _Slot, case: AnyCase, status: Status, how: str) -> None:
        slot.history = []
        self._crashes[case.op] += 1
        cause = how.splitlines()[0] if status is Status.CRASHED else "hang"
        self._on_result(result_of(case, status, how, cause=cause))

    def _feed(self, slot: _Slot) -> None:
        """Gives an idle slot something to do, with a worker to do it in; ends its worker when nothing is
        left.
        """
        while slot.suspect is None and not slot.queue and self._chunks:
            slot.queue.extend(self._chunks.popleft())
            self._drop_hopeless(slot)
        self._drop_hopeless(slot)
        if slot.suspect is None and not slot.queue:
            if self._chunks:
                self._feed(slot)
            elif slot.worker:
                slot.worker.kill()
                slot.worker = None
            return
        if slot.worker is None:
            slot.worker, slot.ready = WorkerProcess(self._nursery), False
            if slot.suspect is None:
                slot.history = []
            slot.deadline = time.monotonic() + START_SECONDS
        else:
            self._hand_out(slot)

    def _hand_out(self, slot: _Slot) -> None:
        if not slot.ready or slot.busy or slot.worker is None:
            return
        cases = (slot.suspect,) if slot.suspect else tuple(slot.queue)
        slot.busy = True
        slot.deadline = time.monotonic() + self._limits.case_seconds
        # A worker that is gone already is noticed by the next wait.
        slot.worker.send(RunCases(cases))

    def _drop_hopeless(self, slot: _Slot) -> None:
        """Reports, without running them, the cases of operators that have crashed or hung too often."""
        kept: deque[AnyCase] = deque()
        for case in slot.queue:
            if self._crashes[case.op] >= self._limits.crashes_per_op:
                text = f"not run: {self._crashes[case.op]} cases of {case.op} crashed or hung before it"
                self._on_result(result_of(case, Status.NOT_RUN, text, cause="operator crashes or hangs"))
            else:
                kept.append(case)
        slot.queue = kept
