"""A place for one worker: what it has still to run, what it is running, and what is being found out."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from torchport_conformance.cases.case import AnyCase
from torchport_conformance.isolation.attribution import Investigation, Loss
from torchport_conformance.isolation.process import WorkerProcess
from torchport_conformance.report.model import CaseResult
from torchport_conformance.stages import Stage

REMEMBERED = 256
"""How many of a worker's latest cases are kept to look for the one that a loss depends on."""


@dataclass
class Slot:
    """State of one place.

    ``batch`` is what the worker was handed last, ``done`` how many of it have ended. ``held`` is the latest
    result: it is passed on when the worker has outlived it, since a case can end and leave something running
    that ends the process. ``question`` is what an ``investigation`` asks, to be run in a fresh worker.
    ``apart`` says that a worker was lost while it compiled for several cases at once, which is not tried
    again here; ``prolonged`` that it was given more time for that.
    """

    worker: WorkerProcess | None = None
    ready: bool = False
    busy: bool = False
    stale: bool = False
    queue: deque[AnyCase] = field(default_factory=deque)
    batch: Sequence[AnyCase] = ()
    done: int = 0
    handed: int = 0
    history: deque[AnyCase] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    held: CaseResult | None = None
    suspicion: tuple[AnyCase, Loss] | None = None
    investigation: Investigation | None = None
    question: tuple[AnyCase, ...] = ()
    deadline: float = 0.0
    start_at: float = 0.0
    apart: bool = False
    prolonged: bool = False
    losses: int = 0

    @property
    def active(self) -> bool:
        """Whether there is anything left to do here."""
        return bool(self.worker or self.question or self.queue)

    def at(self) -> tuple[AnyCase, Stage] | None:
        """The case that the worker is at, or has just ended, and its stage; None before its first."""
        assert self.worker is not None
        if not self.batch:
            return None
        index, stage = self.worker.place
        if self.done and (index == self.handed + self.done - 1 or self.done == len(self.batch)):
            return self.batch[self.done - 1], Stage.DONE
        if index == self.handed + self.done:
            return self.batch[self.done], stage
        begun = self.done or index == self.handed - 1
        return self.batch[self.done], Stage.START if begun else Stage.UNKNOWN

    def hand_out(self, cases: Sequence[AnyCase]) -> int:
        """Notes what the worker is handed next; returns the number of its first case."""
        self.handed += len(self.batch)
        self.batch, self.done, self.busy = cases, 0, True
        return self.handed

    def vacate(self) -> None:
        """Notes that the worker is gone."""
        self.worker = None
        self.ready = self.busy = self.stale = False
        self.batch, self.done, self.handed = (), 0, 0
