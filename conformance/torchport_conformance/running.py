"""How the cases of a plan are run: here or in workers, journalled, and only those that are missing."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from torchport.errors import OptionError
from torchport_conformance.backend_source import BackendSource
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.isolation.limits import Limits, workers_of_machine
from torchport_conformance.isolation.pool import Pool
from torchport_conformance.isolation.process import Nursery
from torchport_conformance.isolation.protocol import Setup
from torchport_conformance.journal import Header, Journal
from torchport_conformance.layers import LAYERS, Runners
from torchport_conformance.report.model import CaseResult, Status
from torchport_conformance.subject import Subject

AUTO = "auto"


def workers(jobs: int | str) -> int:
    """The number of worker processes that ``jobs`` means: itself, or as many as the machine has room for.

    Raises:
        OptionError: it is neither a number of processes nor ``auto``.
    """
    if jobs == AUTO:
        return workers_of_machine()
    try:
        count = int(jobs)
    except ValueError:
        count = -1
    if count < 0:
        raise OptionError("jobs is a number of worker processes, 0 for none, or 'auto'", got=str(jobs))
    return count


@dataclass(frozen=True, slots=True)
class Recording:
    """Where results are written as they come; ``resume`` keeps what is there.

    Raises:
        OptionError: nothing to resume from is named.
    """

    path: Path | None = None
    resume: bool = False

    def __post_init__(self) -> None:
        if self.resume and self.path is None:
            raise OptionError(
                "there is no journal to resume from", hint="give --journal FILE, or --report DIR"
            )


@dataclass(frozen=True, slots=True)
class Found:
    """Results by case id, and the seconds that they took, those of resumed runs included."""

    results: Mapping[str, CaseResult]
    seconds: float


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which cases are run: how many workers, within which limits, and from which seed; ``nursery`` is
    what forks the workers, where it has been started already.
    """

    source: BackendSource
    subject: Subject
    jobs: int
    seed: int
    limits: Limits
    nursery: Nursery | None = None


@contextlib.contextmanager
def started_nursery(
    source: BackendSource, *, jobs: int, seed: int, memory: int | None
) -> Iterator[Nursery | None]:
    """What forks workers, which imports PyTorch and the suite while its starter does something else; None
    where there are no workers.
    """
    if not jobs:
        yield None
        return
    threads = max(1, (os.cpu_count() or 1) // jobs)
    paths = tuple(dict.fromkeys(map(os.path.abspath, sys.path)))
    nursery = Nursery(Setup(paths, source, seed, threads, memory))
    try:
        yield nursery
    finally:
        nursery.close()


def run_cases(
    cases: Sequence[AnyCase],
    conditions: Conditions,
    recording: Recording,
    header: Header,
    on_result: Callable[[CaseResult], None] | None,
) -> Found:
    """Runs what the journal lacks; ``on_result`` also gets what it holds, first.

    Raises:
        ArtifactError: the journal is damaged, or of another run.
        OptionError: another run is writing to the journal.
        RegistrationError: worker processes cannot load the backend.
    """
    started = time.monotonic()
    results: dict[str, CaseResult] = {}
    with contextlib.ExitStack() as stack:
        journal = None
        if recording.path is not None:
            opened = Journal(recording.path, header, cases, resume=recording.resume)
            journal = stack.enter_context(opened)

        def collect(result: CaseResult) -> None:
            results[result.id] = result
            if journal is not None and result.id not in journal.results:
                journal.add(result)
            if on_result is not None:
                on_result(result)

        earlier = [] if journal is None else list(journal.results.values())
        for result in earlier:
            collect(result)
        missing = [case for case in cases if case.id not in results]
        if conditions.jobs:
            _run_isolated(missing, conditions, earlier, collect)
        else:
            _run_here(missing, conditions, collect)
        return Found(results, time.monotonic() - started if journal is None else journal.elapsed)


def _run_here(
    cases: Sequence[AnyCase], conditions: Conditions, collect: Callable[[CaseResult], None]
) -> None:
    runners = Runners(conditions.subject, conditions.seed)
    for position, case in enumerate(cases):
        if runners.lacks(case):
            runners.prepare(cases, position)
        collect(runners.run(case))


def _run_isolated(
    cases: Sequence[AnyCase],
    conditions: Conditions,
    earlier: Sequence[CaseResult],
    collect: Callable[[CaseResult], None],
) -> None:
    if not cases:
        return
    lost = Counter(r.op for r in earlier if r.status in (Status.CRASHED, Status.HUNG))
    with contextlib.ExitStack() as stack:
        nursery = conditions.nursery or stack.enter_context(
            started_nursery(
                conditions.source,
                jobs=conditions.jobs,
                seed=conditions.seed,
                memory=conditions.limits.memory,
            )
        )
        assert nursery is not None
        pool = Pool(nursery, conditions.jobs, conditions.limits, collect, crashes=lost)
        pool.run(chunks(cases, conditions.jobs))


def chunks(cases: Sequence[AnyCase], jobs: int) -> list[list[AnyCase]]:
    """Cases by operator, in order of their groups, so that one worker compiles a group once; few operators
    are split. Programs, of which each takes longer than many calls, come before all operators: no worker is
    left alone with them at the end.
    """
    by_op: dict[str, list[AnyCase]] = {}
    for case in sorted(cases, key=lambda case: LAYERS[case.layer].per_op):
        by_op.setdefault(case.op, []).append(case)
    parts = 1 if len(by_op) >= 4 * jobs else jobs
    found: list[list[AnyCase]] = []
    for of_op in by_op.values():
        groups: dict[object, list[AnyCase]] = {}
        for case in of_op:
            groups.setdefault(case.group, []).append(case)
        ordered = list(groups.values())
        for part in range(parts):
            chunk = [case for group in ordered[part::parts] for case in group]
            if chunk:
                found.append(chunk)
    return found
