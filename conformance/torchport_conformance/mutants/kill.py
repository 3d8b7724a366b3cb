"""Kill runs: every mutant against the cases of its operator, until one fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from multiprocessing.connection import wait
from pathlib import Path

from torchport.errors import OptionError
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.layers import layer_named
from torchport_conformance.mutants.journal import Header, Journal
from torchport_conformance.mutants.mutant import Mutant, frozen
from torchport_conformance.mutants.table import Fate, KillTable
from torchport_conformance.mutants.trial import OP_LAYERS, Running, Trial
from torchport_conformance.suite import plan

_POLL_SECONDS = 1.0


def run(
    profile: str = "quick",
    *,
    chosen: Sequence[Mutant] | None = None,
    layers: Sequence[str] = OP_LAYERS,
    stop_at_first: bool = True,
    seed: int = 0,
    shard: tuple[int, int] = (1, 1),
    jobs: int = 1,
    journal: Path | None = None,
    resume: bool = False,
    seconds: float | None = None,
    hints: Mapping[str, Collection[str]] | None = None,
    on_fate: Callable[[Fate], None] | None = None,
) -> KillTable:
    """Runs mutants against the cases of their operators, each in a process of its own.

    A mutant is killed when a case fails, crashes or hangs on it, and not on the kernel without the fault; an
    excused defect of eager PyTorch and a case that the suite could not judge kill nothing.

    Args:
        profile: name of a profile.
        chosen: the mutants; by default the published list.
        layers: names of layers that have cases of single operators; mutants of programs have their own.
        stop_at_first: ends a mutant's run with the first case that kills it; without, every case is run, and
            the table tells which cases kill nothing.
        seed: the run's, as of :func:`torchport_conformance.run`.
        shard: ``(i, n)``: the i-th of n parts of the mutants, counted from 1.
        jobs: mutants that are tried at the same time.
        journal: a file that fates are written to as they come.
        resume: keep what the journal holds, and run the rest.
        seconds: begin no trial later than this; what was not begun is missing from the table.
        hints: for a mutant's id, ids of cases that are run first where the profile has them: those that
            killed it elsewhere.
        on_fate: called with each mutant's fate as it comes; with those of the journal first.

    Raises:
        OptionError: unknown profile or layer, or a shard or number of jobs that makes no sense.
        ArtifactError: the journal is damaged, or of another run.
    """
    profile_named(profile)
    for name in layers:
        if not layer_named(name).per_op:
            raise OptionError("a layer without cases of single operators", got=name)
    index, count = shard
    if not 1 <= index <= count:
        raise OptionError("a shard is i/n with 1 <= i <= n", got=f"{index}/{count}")
    if jobs < 1:
        raise OptionError("mutants need a process of their own", got=f"jobs {jobs}", hint="1 or more")
    listed = tuple(frozen() if chosen is None else chosen)[index - 1 :: count]
    started, fates = time.monotonic(), dict[str, Fate]()
    with ExitStack() as stack:
        log = None
        if journal is not None:
            header = Header.of(profile, seed, layers, stop_at_first=stop_at_first)
            log = stack.enter_context(Journal(journal, header, resume=resume))
            fates.update({m.id: log.fates[m.id] for m in listed if m.id in log.fates})
        for fate in fates.values():
            if on_fate is not None:
                on_fate(fate)

        def collect(fate: Fate) -> None:
            fates[fate.mutant] = fate
            if log is not None:
                log.add(fate)
            if on_fate is not None:
                on_fate(fate)

        first = {name: frozenset(ids) for name, ids in (hints or {}).items()}
        waiting = [
            Trial(m, profile, layers, stop_at_first, seed, first.get(m.id, frozenset()))
            for m in listed
            if m.id not in fates
        ]
        until = None if seconds is None else started + seconds
        _run_all(waiting, jobs, until, collect)
    kept = tuple(fates[m.id] for m in listed if m.id in fates)
    table = KillTable(profile, seed, kept, time.monotonic() - started)
    return table if stop_at_first else table.with_idle_cases()


def _run_all(
    trials: Sequence[Trial], jobs: int, until: float | None, collect: Callable[[Fate], None]
) -> None:
    if not trials:
        return
    # What planning reads once is read before processes are forked.
    plan(trials[0].profile, select=["aten.relu.default"], layers=["op"])
    waiting = list(reversed(trials))
    running: list[Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs and (until is None or time.monotonic() < until):
                running.append(Running(waiting.pop()))
            if not running:
                return
            wait([r.connection for r in running], _POLL_SECONDS)
            for each in list(running):
                fate = each.advance()
                if fate is not None:
                    running.remove(each)
                    collect(fate)
    finally:
        for each in running:
            each.end()


def fate_of(mutant: Mutant, profile: str, *, stop_at_first: bool = True, seed: int = 0) -> Fate:
    """What became of one mutant."""
    return run(profile, chosen=[mutant], stop_at_first=stop_at_first, seed=seed).fates[0]
