"""Kill runs: every mutant against the cases of its operator, until one fails."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from multiprocessing.connection import Connection

from torchport.errors import OptionError
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.layers import Runners
from torchport_conformance.mutants.kernel import ANY_DTYPE
from torchport_conformance.mutants.mutant import Mutant, frozen
from torchport_conformance.mutants.table import Fate, KillTable
from torchport_conformance.report.model import CaseResult
from torchport_conformance.subject import dynamo_subject
from torchport_conformance.suite import Plan, plan, run_plan

LAYERS = ("op",)
"""Layers whose cases of the operator a mutant is run against."""
_FORK = multiprocessing.get_context("fork")
_MUTANT_SECONDS = 300.0
_ISOLATED_CASES = 24
_ISOLATED_SECONDS = 5.0


def run(
    profile: str = "quick",
    *,
    chosen: Sequence[Mutant] | None = None,
    stop_at_first: bool = True,
    seed: int = 0,
    shard: tuple[int, int] = (1, 1),
    on_fate: Callable[[Fate], None] | None = None,
) -> KillTable:
    """Runs mutants against the cases of their operators.

    A mutant is killed when a case fails, crashes or hangs on it; an excused defect of eager PyTorch and a
    case that the suite could not judge kill nothing. Mutants that end their process run in processes of
    their own.

    Args:
        profile: name of a profile.
        chosen: the mutants; by default the published list.
        stop_at_first: ends a mutant's run with the first case that kills it; without, every case is run, and
            the table tells which cases kill nothing.
        seed: the run's, as of :func:`torchport_conformance.run`.
        shard: ``(i, n)``: the i-th of n parts of the mutants, counted from 1.
        on_fate: called with each mutant's fate as it comes.

    Raises:
        OptionError: unknown profile, or a shard that makes no sense.
    """
    profile_named(profile)
    index, count = shard
    if not 1 <= index <= count:
        raise OptionError("a shard is i/n with 1 <= i <= n", got=f"{index}/{count}")
    started, fates = time.perf_counter(), []
    for mutant in (frozen() if chosen is None else chosen)[index - 1 :: count]:
        fates.append(fate_of(mutant, profile, stop_at_first=stop_at_first, seed=seed))
        if on_fate is not None:
            on_fate(fates[-1])
    return KillTable(profile, seed, tuple(fates), time.perf_counter() - started)


def fate_of(mutant: Mutant, profile: str, *, stop_at_first: bool = True, seed: int = 0) -> Fate:
    """What became of one mutant, in a process of its own: some faults read what is not theirs."""
    cases = cases_of(mutant, profile)
    receiver, sender = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=_report, args=(sender, mutant, cases, profile, stop_at_first, seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads; the child starts none
        child.start()
    sender.close()
    running, started = "", time.perf_counter()
    try:
        while receiver.poll(_MUTANT_SECONDS):
            message = receiver.recv()
            if isinstance(message, Fate):
                return message
            running = message
        cause = "hung"
    except EOFError:
        cause = "crashed"
    finally:
        child.kill()
        child.join()
        receiver.close()
    seconds = time.perf_counter() - started
    return Fate(mutant.id, profile, running, "op", cause, 1, len(cases), seconds, (running,))


def _report(
    sender: Connection, mutant: Mutant, cases: Sequence[AnyCase], profile: str, stop: bool, seed: int
) -> None:
    """Runs the cases, and says which is next before each, then the fate."""
    started, ran = time.perf_counter(), 0
    failed: list[CaseResult] = []
    for result in _results(mutant, cases, seed, sender.send):
        ran += 1
        if result.is_failure:
            failed.append(result)
            if stop:
                break
    first = failed[0] if failed else None
    sender.send(
        Fate(
            mutant=mutant.id,
            profile=profile,
            killer="" if first is None else first.id,
            layer="" if first is None else first.layer,
            cause="" if first is None else first.cause,
            cases=ran,
            available=len(cases),
            seconds=time.perf_counter() - started,
            killers=() if stop else tuple(r.id for r in failed),
        )
    )


def cases_of(mutant: Mutant, profile: str) -> list[AnyCase]:
    """The cases in which a mutant's fault is planted, those first that are of its kind."""
    found = [c for c in _cases(mutant.op, profile) if mutant.dtype in (ANY_DTYPE, c.dtype)]
    return sorted(found, key=lambda case: not _telling(mutant, case))


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


@lru_cache(maxsize=8)
def _cases(op: str, profile: str) -> tuple[AnyCase, ...]:
    return plan(profile, select=[op], layers=LAYERS).cases


def _results(
    mutant: Mutant, cases: Sequence[AnyCase], seed: int, announce: Callable[[str], None]
) -> Iterator[CaseResult]:
    backend = mutant.backend()
    if mutant.planted.isolated:
        planned = Plan(profile_named("quick"), tuple(cases[:_ISOLATED_CASES]), 1)
        yield from run_plan(backend, planned, jobs=1, seed=seed, case_seconds=_ISOLATED_SECONDS).results
        return
    runners = Runners(dynamo_subject(backend), seed)
    for case in cases:
        announce(case.id)
        yield runners.run(case)
