"""What waivers make of the results of a run, and what the results make of the waivers."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from torchport_conformance.cases.case import AnyCase
from torchport_conformance.isolation.pool import RUN_GIVEN_UP
from torchport_conformance.layers import LAYERS
from torchport_conformance.report.model import CaseResult, Status
from torchport_conformance.specs import selected
from torchport_conformance.waivers.predicate import Predicate
from torchport_conformance.waivers.reading import Waiver, Waivers


class State(enum.StrEnum):
    """What became of a waiver."""

    USED = "used"
    UNEXPECTED_PASS = "unexpected pass"  # every case it matches passed: it is to be deleted
    EXPIRED = "expired"  # its last day is over: it excuses nothing
    UNMATCHED = "unmatched"  # no case that ran failed in the way that it is about
    UNDECIDED = "undecided"  # the run is a part of what it is about, and nothing of it failed


POLICY_OF: Mapping[State, str] = {
    State.UNEXPECTED_PASS: "unexpected_pass",
    State.EXPIRED: "expired",
    State.UNMATCHED: "unmatched",
}
"""The setting that decides whether a state makes the run fail."""


@dataclass(frozen=True, slots=True)
class Use:
    """A waiver and its run: ``cases`` failures that it excused, ``passed`` cases that it matches and that
    passed. ``fails`` says whether its state makes the run fail.
    """

    waiver: Waiver
    state: State
    cases: int
    passed: int
    fails: bool

    def as_dict(self) -> dict[str, Any]:
        """The entry of the report."""
        return {
            "name": self.waiver.name,
            "predicate": self.waiver.predicate.as_dict(),
            "reason": self.waiver.reason,
            "owner": self.waiver.owner,
            "link": self.waiver.link,
            "expires": self.waiver.expires.isoformat(),
            "state": str(self.state),
            "cases": self.cases,
            "passed": self.passed,
            "fails": self.fails,
        }


def apply_waivers(
    waivers: Waivers,
    cases: Sequence[AnyCase],
    results: Sequence[CaseResult],
    *,
    scope: Mapping[str, Any],
    today: date,
) -> tuple[tuple[CaseResult, ...], tuple[Use, ...]]:
    """Results with the failures that a waiver excuses marked, each under the first waiver that does, and what
    became of each waiver.

    Args:
        waivers: the file.
        cases: of the run.
        results: of the cases, in the same order.
        scope: what was asked for, as in the report.
        today: the day that the waivers are held against.
    """
    excused, used = list(results), []
    for waiver in waivers.entries:
        over = waiver.is_over(today)
        found = _Counts()
        for i, (case, result) in enumerate(zip(cases, results, strict=True)):
            if not waiver.predicate.is_about(case):
                continue
            found.passed += result.status is Status.PASSED
            if _may_be_waived(result):
                if not waiver.predicate.names_cause(result.cause):
                    found.otherwise += 1
                    continue
                found.failed += 1
                if not over and excused[i].status is not Status.WAIVED:
                    found.excused += 1
                    excused[i] = _waived(result, waiver)
        state = State.EXPIRED if over else found.state(decided=_decides(scope, waiver.predicate))
        fails = POLICY_OF.get(state) in waivers.failing
        used.append(Use(waiver, state, found.excused, found.passed, fails))
    return tuple(excused), tuple(used)


@dataclass
class _Counts:
    passed: int = 0
    failed: int = 0
    otherwise: int = 0
    excused: int = 0

    def state(self, *, decided: bool) -> State:
        if self.failed:
            return State.USED
        if not decided:
            return State.UNDECIDED
        return State.UNEXPECTED_PASS if self.passed and not self.otherwise else State.UNMATCHED


def _decides(scope: Mapping[str, Any], predicate: Predicate) -> bool:
    """Whether a run of this scope has every case that the predicate could match."""
    if scope["sample"] < 1 or scope["shard"] != "1/1":
        return False
    if scope["layers"] is not None and not set(predicate.layer or LAYERS) <= set(scope["layers"]):
        return False
    if scope["select"] is None:
        return True
    whole = tuple(text for text in scope["select"] if not set("[:") & set(text))
    about = {spec.name for spec in selected(None) if predicate.is_about_op(spec.name)}
    return bool(predicate.op and about) and about <= {spec.name for spec in selected(whole)}


def _may_be_waived(result: CaseResult) -> bool:
    """What failed, or was not run for what its operator did; not what a run that was given up never tried."""
    return result.is_failure and not (result.status is Status.NOT_RUN and result.cause == RUN_GIVEN_UP)


def _waived(result: CaseResult, waiver: Waiver) -> CaseResult:
    text = f"{result.status}, waived by {waiver.owner} until {waiver.expires}: {waiver.reason}"
    return replace(result, status=Status.WAIVED, message=f"{text}\n{result.message}")
