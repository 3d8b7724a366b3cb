"""Runs cases in worker processes and survives what they do.

A worker marks each case that it comes to. When it dies, stays silent too long or holds too much memory, the
marked case is the suspect, and :mod:`~torchport_conformance.isolation.attribution` finds out what is to
blame. The other cases of the lost worker go on in another one.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from multiprocessing.connection import wait

from torchport.errors import RegistrationError
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.isolation import linux
from torchport_conformance.isolation.attribution import (
    Answer,
    Investigation,
    Loss,
    investigate,
    tried_alone,
    unconfirmed,
)
from torchport_conformance.isolation.channel import Channel, Garbled
from torchport_conformance.isolation.endings import OUT_OF_MEMORY
from torchport_conformance.isolation.limits import Limits, share_of_memory
from torchport_conformance.isolation.process import START_SECONDS, Nursery, WorkerProcess
from torchport_conformance.isolation.protocol import Finished, Idle, NotReady, Ready, RunCases
from torchport_conformance.isolation.slot import Slot
from torchport_conformance.layers import CASES_AHEAD
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.stages import Stage

OPERATOR_GIVEN_UP = "operator crashes or hangs"
RUN_GIVEN_UP = "too many lost workers"

_TOGETHER_TIMES = 10.0
"""Compiling for many cases at once may take this many times the limit of a case."""
_LINGER = 0.2
_WATCH_SECONDS = 0.5
_FAILED_STARTS = 3
_PROBE_TIMES = 6.0
"""No more is asked about a lost worker after this many times the limit of a case."""


class Pool:
    """Runs chunks of cases in ``jobs`` workers, which a nursery forks; ``on_result`` gets one result per
    case, in no set order.

    ``crashes`` are confirmed crashes and hangs by operator of an earlier part of the same run.
    """

    def __init__(
        self,
        nursery: Nursery,
        jobs: int,
        limits: Limits,
        on_result: Callable[[CaseResult], None],
        *,
        crashes: Mapping[str, int] | None = None,
    ) -> None:
        self._nursery = nursery
        self._limits, self._on_result = limits, on_result
        self._memory = limits.memory or share_of_memory(jobs)
        self._slots = [Slot() for _ in range(jobs)]
        self._chunks: deque[Sequence[AnyCase]] = deque()
        self._crashes: Counter[str] = Counter(crashes)
        self._lost_workers = self._failed_starts = 0
        self._ever_ready = False
        self._given_up = ""
        self._watch_at = 0.0

    def run(self, chunks: Sequence[Sequence[AnyCase]]) -> None:
        """Runs every case.

        Raises:
            RegistrationError: the backend cannot be loaded in a worker.
        """
        self._chunks.extend(chunks)
        try:
            for slot in self._slots:
                self._advance(slot)
            while any(slot.active for slot in self._slots):
                self._step()
        finally:
            for slot in self._slots:
                if slot.worker:
                    slot.worker.kill()

    def _step(self) -> None:
        """Waits for the next thing that happens, and does what it asks for."""
        live = [(slot, slot.worker) for slot in self._slots if slot.worker]
        waiting = [slot.start_at for slot in self._slots if slot.active and not slot.worker]
        until = min([self._watch_at, *waiting, *(slot.deadline for slot, _ in live)])
        sources = [s for _, w in live for s in (w.channel, w.output) if not getattr(s, "ended", False)]
        found = wait(sources, timeout=max(0.0, until - time.monotonic()))  # type: ignore[arg-type]
        ready: Sequence[object] = found
        for slot, worker in live:
            if worker.output in ready:
                worker.output.read()
            if worker.channel in ready:
                self._listen(slot, worker.channel)
        now = time.monotonic()
        for slot, worker in live:
            if slot.worker is worker and now >= slot.deadline:
                self._expire(slot, worker)
        if now >= self._watch_at:
            self._watch()
        for slot in self._slots:
            if slot.worker is None and slot.active and now >= slot.start_at:
                self._advance(slot)

    def _listen(self, slot: Slot, channel: Channel) -> None:
        try:
            messages = channel.arrived()
        except EOFError:
            self._ended(slot)
            return
        except Garbled as error:
            assert slot.worker is not None
            at = slot.at()
            trace = f"{error}\n{slot.worker.kill()}".strip()
            self._lost(slot, at, Status.CRASHED, "wrote into the suite's connection", trace)
            return
        slot.deadline, slot.prolonged = time.monotonic() + self._limits.case_seconds, False
        for message in messages:
            match message:
                case Ready():
                    slot.ready, self._failed_starts, self._ever_ready = True, 0, True
                    self._advance(slot)
                case NotReady(text=text):
                    self._not_ready(slot, text)
                case Finished(result=result):
                    self._finish(slot, result)
                case Idle():
                    slot.busy = False
                    self._idle(slot)
            if slot.worker is None or slot.worker.channel is not channel:
                return

    def _finish(self, slot: Slot, result: CaseResult) -> None:
        case = slot.batch[slot.done]
        assert case.id == result.id, f"expected {case.id}, got {result.id}"
        slot.done += 1
        if not slot.question:
            self._release(slot)
            slot.held = result
            slot.queue.popleft()
            slot.history.append(case)
            slot.losses = 0

    def _idle(self, slot: Slot) -> None:
        if slot.question:
            self._retire(slot)
            self._answer(slot, Answer())
            return
        if slot.stale:
            self._retire(slot)
        self._advance(slot)

    def _ended(self, slot: Slot) -> None:
        assert slot.worker is not None
        at = slot.at()
        cause, trace = slot.worker.end()
        self._lost(slot, at, Status.CRASHED, cause, trace)

    def _expire(self, slot: Slot, worker: WorkerProcess) -> None:
        at = slot.at()
        seconds = self._limits.case_seconds if slot.ready else START_SECONDS
        if at is not None and at[1] is Stage.PREPARE:
            seconds *= _TOGETHER_TIMES
            longer = slot.deadline - self._limits.case_seconds + seconds
            if not slot.prolonged:
                slot.prolonged, slot.deadline = True, longer
                return
        self._lost(slot, at, Status.HUNG, f"no end after {seconds:g} s", worker.expire())

    def _watch(self) -> None:
        """Ends workers that hold more memory than they may; renews those that have come to hold much."""
        self._watch_at = time.monotonic() + _WATCH_SECONDS
        held = linux.memory_of_groups()
        for slot in self._slots:
            worker = slot.worker
            if worker is None:
                continue
            if held[worker.pid] > self._memory:
                at = slot.at()
                numbers = f"{held[worker.pid] / 2**30:.1f} GiB, and it may hold {self._memory / 2**30:.1f}"
                cause = f"{OUT_OF_MEMORY}: the process held {numbers}"
                self._lost(slot, at, Status.CRASHED, cause, worker.kill())
            elif held[worker.pid] > self._memory / 2:
                slot.stale = True

    def _lost(
        self, slot: Slot, at: tuple[AnyCase, Stage] | None, status: Status, how: str, trace: str
    ) -> None:
        """The slot's worker is gone: what it was at becomes a suspect, or answers a question."""
        was_ready = slot.ready
        slot.vacate()
        if not was_ready or at is None:
            self._not_started(slot, f"{how}\n{trace}".strip())
            return
        case, stage = at
        cause = "hang" if status is Status.HUNG else how.partition(": the ")[0]
        loss = Loss(status, cause, f"{how}, {stage}", trace)
        if slot.question:
            self._answer(slot, Answer(loss, case))
            return
        self._lost_workers += 1
        self._back_off(slot)
        if slot.queue and slot.queue[0] is case:
            slot.queue.popleft()
            self._release(slot)
        else:  # it had ended, and its result was held
            slot.held = None
            slot.history.pop()
        slot.suspicion = (case, loss)
        slot.investigation = self._investigation(case, loss, slot, stage)
        slot.history.clear()
        if self._lost_workers > self._limits.restarts:
            self._give_up(f"{self._lost_workers} workers were lost")
        else:
            self._answer(slot, None)

    def _investigation(self, case: AnyCase, loss: Loss, slot: Slot, stage: Stage) -> Investigation:
        if stage is Stage.PREPARE:
            slot.apart = True
            return tried_alone(case, loss)
        seconds = _PROBE_TIMES * self._limits.case_seconds
        return investigate(case, tuple(slot.history), loss, probes=self._limits.probes, seconds=seconds)

    def _answer(self, slot: Slot, answer: Answer | None) -> None:
        """Hands an answer to the slot's investigation, which asks again or comes to a result."""
        assert slot.investigation is not None
        try:
            slot.question = next(slot.investigation) if answer is None else slot.investigation.send(answer)
        except StopIteration as end:
            slot.question, slot.investigation, slot.suspicion = (), None, None
            result: CaseResult = end.value
            self._crashes[result.op] += 1
            self._on_result(result)
        self._advance(slot)

    def _not_ready(self, slot: Slot, text: str) -> None:
        """A worker says that it cannot load or reset the backend."""
        if not self._ever_ready:
            raise RegistrationError(
                "a worker process could not load the backend",
                got=text,
                hint="fix the import, or run with jobs=0",
            )
        self._retire(slot)
        self._not_started(slot, text)

    def _not_started(self, slot: Slot, how: str) -> None:
        """A worker was lost before it could run a case."""
        self._failed_starts += 1
        self._back_off(slot)
        if self._failed_starts < _FAILED_STARTS:
            return
        if not self._ever_ready:
            raise RegistrationError("worker processes end before they can run a case", got=how)
        self._give_up(f"workers can no longer be started: {how}")

    def _back_off(self, slot: Slot) -> None:
        slot.losses += 1
        if slot.losses > 1:
            pause = self._limits.backoff_seconds * 2.0 ** (slot.losses - 2)
            slot.start_at = time.monotonic() + min(pause, self._limits.backoff_limit)

    def _give_up(self, why: str) -> None:
        """Nothing more is started; suspects are blamed as they stand, and the rest is not run."""
        self._given_up = self._given_up or why
        for slot in self._slots:
            if slot.suspicion is not None:
                case, loss = slot.suspicion
                if slot.worker:
                    self._retire(slot)
                slot.question, slot.investigation, slot.suspicion = (), None, None
                self._on_result(unconfirmed(case, loss, "not tried alone: the run was given up"))
            if slot.worker is None:
                self._refill(slot)

    def _advance(self, slot: Slot) -> None:
        """Gives a slot that waits something to do, with a worker to do it in; ends its worker when nothing is
        left.
        """
        if slot.busy:
            return
        if not slot.question:
            self._refill(slot)
            if not slot.queue:
                self._retire(slot)
                return
        if slot.worker is None:
            if time.monotonic() >= slot.start_at:
                slot.worker = WorkerProcess(self._nursery, reset=self._lost_workers > 0)
                slot.deadline = time.monotonic() + START_SECONDS
        elif slot.ready:
            cases = slot.question or tuple(islice(slot.queue, CASES_AHEAD))
            slot.deadline = time.monotonic() + self._limits.case_seconds
            first = slot.hand_out(cases)
            together = not (slot.question or slot.apart)
            slot.worker.send(RunCases(first, cases, together, _LINGER if slot.question else 0.0))

    def _retire(self, slot: Slot) -> None:
        """Ends a worker that is well; its last result counts."""
        if slot.worker:
            slot.worker.kill()
            slot.vacate()
        slot.history.clear()
        self._release(slot)

    def _release(self, slot: Slot) -> None:
        if slot.held is not None:
            held, slot.held = slot.held, None
            self._on_result(held)

    def _refill(self, slot: Slot) -> None:
        """Takes chunks until there is a case to run; reports, without running them, the cases of operators
        that have crashed or hung too often, and all of them once the run is given up.
        """
        while True:
            kept: deque[AnyCase] = deque()
            for case in slot.queue:
                count = self._crashes[case.op]
                if self._given_up:
                    text = f"not run: {self._given_up}"
                    self._on_result(result_of(case, Status.NOT_RUN, text, cause=RUN_GIVEN_UP))
                elif count >= self._limits.crashes_per_op:
                    text = f"not run: {count} cases of {case.op} crashed or hung before it"
                    self._on_result(result_of(case, Status.NOT_RUN, text, cause=OPERATOR_GIVEN_UP))
                else:
                    kept.append(case)
            slot.queue = kept
            if kept or not self._chunks:
                return
            slot.queue.extend(self._chunks.popleft())
