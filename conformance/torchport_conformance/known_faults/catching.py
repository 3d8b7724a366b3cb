"""Whether a profile's cases find a known fault."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import Connection

from torchport_conformance.cases.case import AnyCase
from torchport_conformance.isolation.endings import describe_exit
from torchport_conformance.isolation.forked import FORK, forked
from torchport_conformance.known_faults.backend import right_subject_of, subject_of
from torchport_conformance.known_faults.fault import KnownFault
from torchport_conformance.layers import Runners
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.subject import Subject
from torchport_conformance.suite import plan

MOST = 400
"""Cases of a profile that a fault is looked for in."""
_ISOLATED = 2
"""Cases in processes of their own."""


@dataclass(frozen=True, slots=True)
class Catch:
    """What became of a known fault: the ``cases`` of the profile that were run, what ``failed`` on the
    backend with it until one failed with the fault's cause, and what the backend without it makes of those.
    """

    fault: KnownFault
    cases: tuple[AnyCase, ...]
    failed: tuple[CaseResult, ...]
    right: tuple[CaseResult, ...]

    @property
    def named(self) -> CaseResult | None:
        """The failure that has the fault's cause."""
        return next((r for r in self.failed if self.fault.names(r.cause)), None)

    @property
    def is_clean(self) -> bool:
        """Whether the backend without the fault passes every case that the one with it failed."""
        return bool(self.right) and all(r.status is Status.PASSED for r in self.right)


def cases_for(fault: KnownFault, profile: str = "full") -> tuple[AnyCase, ...]:
    """The cases of a profile that a fault is looked for in, those first that are likely to trigger it."""
    planned = _planned(profile, fault.selection, fault.layer)
    return tuple(sorted(planned, key=lambda case: not fault.triggers(case)))[:MOST]


def caught(fault: KnownFault, profile: str = "full", *, seed: int = 0) -> Catch:
    """Runs a profile's cases on the backend with a fault, and those that failed on the one without.

    Args:
        fault: the fault.
        profile: name of a profile.
        seed: the run's, as of :func:`torchport_conformance.run`.
    """
    cases = cases_for(fault, profile)
    failed: list[CaseResult] = []
    ran: list[AnyCase] = []
    for case, result in zip(cases, _results(fault, cases, seed), strict=False):
        ran.append(case)
        if result.is_failure:
            failed.append(result)
            if fault.names(result.cause):
                break
    ids = {result.id for result in failed}
    right = tuple(_run(right_subject_of(fault), [case for case in ran if case.id in ids], seed))
    return Catch(fault, tuple(ran), tuple(failed), right)


@lru_cache(maxsize=128)
def _planned(profile: str, select: str, layer: str) -> tuple[AnyCase, ...]:
    return plan(profile, select=[select], layers=[layer]).cases


def _results(fault: KnownFault, cases: Sequence[AnyCase], seed: int) -> Iterator[CaseResult]:
    if fault.isolated:
        yield from (_in_child(fault, case, seed) for case in cases[:_ISOLATED])
    else:
        yield from _run(subject_of(fault), cases, seed)


def _in_child(fault: KnownFault, case: AnyCase, seed: int) -> CaseResult:
    """The result of a case in a process of its own, which the fault may end."""
    receiver, sender = FORK.Pipe(duplex=False)
    child = forked(_send, sender, fault, case, seed)
    sender.close()
    try:
        result: CaseResult = receiver.recv()
        return result
    except EOFError:
        child.join()
        ending = describe_exit(child.exitcode or 0)
        return result_of(case, Status.CRASHED, ending, cause=ending)
    finally:
        child.join()
        receiver.close()


def _send(sender: Connection, fault: KnownFault, case: AnyCase, seed: int) -> None:
    faulthandler.disable()  # the end of this process is expected
    sender.send(next(_run(subject_of(fault), [case], seed)))


def _run(subject: Subject, cases: Sequence[AnyCase], seed: int) -> Iterator[CaseResult]:
    runners = Runners(subject, seed)
    for case in cases:
        yield runners.run(case)
