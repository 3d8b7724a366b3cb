"""One mutant's trial, in a process of its own: cases of its operator, layer by layer, until one fails.

Some faults read what is not theirs, write past their results, hang or exit. The process says which case it is
about to run, so that whoever waits for it can tell which one ended it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from torchport_conformance.cases.case import AnyCase
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.isolation.forked import FORK, forked
from torchport_conformance.layers import LAYERS, Runners
from torchport_conformance.mutants import programs
from torchport_conformance.mutants.backend import OneOperator
from torchport_conformance.mutants.kernel import ANY_DTYPE
from torchport_conformance.mutants.mutant import Mutant
from torchport_conformance.mutants.programs import ProgramFault
from torchport_conformance.mutants.table import Fate
from torchport_conformance.report.model import CaseResult
from torchport_conformance.subject import Subject, dynamo_subject, subject_of
from torchport_conformance.suite import Plan, plan, run_plan

OP_LAYERS = tuple(layer.name for layer in LAYERS.values() if layer.per_op)
"""Layers that have cases of single operators, in the order in which they are run."""
HUNG, CRASHED = "hung", "crashed"
_CASE_SECONDS = 120.0
_ISOLATED_CASES = 24
_ISOLATED_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried on a mutant: a profile's cases in these layers, those of ``first`` before all others;
    ``stop_at_first`` ends it with the first that fails.
    """

    mutant: Mutant
    profile: str
    layers: Sequence[str] = OP_LAYERS
    stop_at_first: bool = True
    seed: int = 0
    first: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_of_program(self) -> bool:
        """Whether the fault is one of a compiler of programs."""
        return isinstance(self.mutant.planted, ProgramFault)

    def cases(self, layer: str) -> list[AnyCase]:
        """The layer's cases that the fault is planted in, telling ones first."""
        mutant = self.mutant
        found = plan(self.profile, select=[mutant.op], layers=[layer]).cases
        fitting = [c for c in found if mutant.dtype in (ANY_DTYPE, c.dtype)]
        return sorted(fitting, key=lambda case: (case.id not in self.first, not _telling(mutant, case)))

    def in_layers(self) -> Sequence[str]:
        """The layers that have cases for the mutant."""
        return [self.mutant.planted.level] if self.is_of_program else self.layers

    def faulty(self) -> Subject:
        """The mutant."""
        planted = self.mutant.planted
        if isinstance(planted, ProgramFault):
            return planted.subject()
        return dynamo_subject(self.mutant.backend())

    def right(self) -> Subject:
        """The same without the fault."""
        return programs.right() if self.is_of_program else dynamo_subject(OneOperator(self.mutant.op))


class Running:
    """A trial in a process of its own.

    Attributes:
        connection: becomes ready when there is something for :meth:`advance`.
    """

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.connection, sender = FORK.Pipe(duplex=False)
        self._case, self._layer, self._ran = "", "", 0
        self._started = self._heard = time.monotonic()
        self._process = forked(_report, sender, trial)
        sender.close()

    def advance(self) -> Fate | None:
        """The fate, when it is known. Takes what the process has said; waits for nothing."""
        try:
            while self.connection.poll():
                message = self.connection.recv()
                if isinstance(message, Fate):
                    self.end()
                    return message
                self._layer, self._case = message
                self._ran += 1
                self._heard = time.monotonic()
        except EOFError:
            return self._lost(CRASHED)
        return self._lost(HUNG) if time.monotonic() - self._heard > _CASE_SECONDS else None

    def end(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.join()
        self.connection.close()

    def _lost(self, how: str) -> Fate:
        """A case ended the process; whether it does so without the fault, too, is tried."""
        self.end()
        trial, case, seconds = self.trial, self._case, time.monotonic() - self._started
        if not case or _ends_process(trial, self._layer, case):
            text = f"{how} {'at ' + case if case else 'before its first case'} without the fault, too"
            return Fate(trial.mutant.id, trial.profile, cases=self._ran, seconds=seconds, unjudged=text)
        return Fate(
            trial.mutant.id,
            trial.profile,
            killer=case,
            layer=self._layer,
            cause=how,
            cases=self._ran,
            seconds=seconds,
            killers=() if trial.stop_at_first else (case,),
        )


def _ends_process(trial: Trial, layer: str, case_id: str) -> bool:
    """Whether a case crashes or hangs on the right kernel."""
    child = forked(_run_right, trial, layer, case_id)
    child.join(_CASE_SECONDS)
    code = child.exitcode
    if code is None:
        child.kill()
        child.join()
    return code != 0


def _run_right(trial: Trial, layer: str, case_id: str) -> None:
    case = next(c for c in trial.cases(layer) if c.id == case_id)
    Runners(trial.right(), trial.seed).run(case)


def _report(sender: Connection, trial: Trial) -> None:
    """Sends layer and id of each case before it runs, then the fate. The reader may have gone."""
    with suppress(BrokenPipeError):
        sender.send(carried_out(trial, lambda layer, case: sender.send((layer, case))))


def carried_out(trial: Trial, announce: Callable[[str, str], None]) -> Fate:
    """Runs a trial in this process.

    A case kills the mutant when it fails on it and not on the right kernel; an excused defect of eager
    PyTorch and a case that the suite could not judge kill nothing.

    Args:
        trial: what is tried.
        announce: called with layer and id of each case before it runs.
    """
    started, ran, available = time.monotonic(), 0, 0
    killers: list[CaseResult] = []
    idle: list[str] = []
    false_alarms = 0
    right = Runners(trial.right(), trial.seed)
    for layer in trial.in_layers():
        cases = trial.cases(layer)
        available += len(cases)
        by_id = {case.id: case for case in cases}
        for result in _results(trial, cases, announce):
            ran += 1
            if not result.is_failure:
                idle.append(result.id)
                continue
            if right.run(by_id[result.id]).is_failure:
                false_alarms += 1
                continue
            killers.append(result)
            if trial.stop_at_first:
                break
        if killers and trial.stop_at_first:
            break
    first = killers[0] if killers else None
    return Fate(
        mutant=trial.mutant.id,
        profile=trial.profile,
        killer="" if first is None else first.id,
        layer="" if first is None else first.layer,
        cause="" if first is None else first.cause,
        cases=ran,
        available=available,
        seconds=time.monotonic() - started,
        killers=() if trial.stop_at_first else tuple(r.id for r in killers),
        idle=() if trial.stop_at_first else tuple(idle),
        false_alarms=false_alarms,
    )


def _results(
    trial: Trial, cases: Sequence[AnyCase], announce: Callable[[str, str], None]
) -> Iterator[CaseResult]:
    if trial.mutant.planted.isolated:
        planned = Plan(profile_named(trial.profile), tuple(cases[:_ISOLATED_CASES]), 1)
        opened = subject_of(trial.mutant.backend(), in_process=False)
        found = run_plan(opened, planned, jobs=1, seed=trial.seed, case_seconds=_ISOLATED_SECONDS)
        yield from found.results
        return
    runners = Runners(trial.faulty(), trial.seed)
    for i, case in enumerate(cases):
        announce(case.layer, case.id)
        if case.layer != "op" and runners.lacks(case):
            runners.prepare(cases, i)
        yield runners.run(case)


def _telling(mutant: Mutant, case: AnyCase) -> bool:
    """Whether a fault is likely to show in a case; only the order of the cases depends on it."""
    words = _TELLING.get(mutant.fault.split("-")[0], ())
    return any(word in case.id for word in words)


_TELLING = {
    "empty": ("=0", "[0", "0,", "0]"),
    "crashes": ("[0", "0,", "0]"),
    "nan": ("nan",),
    "inf": ("inf",),
    "zero": ("-0",),
    "tie": ("ties",),
    "integer": ("extreme",),
    "int64": ("extreme",),
    "saturates": ("extreme",),
    "grid": ("65537",),
    "long": ("65537",),
}
"""What the ids of telling cases contain, by the first word of a fault's name."""
