"""Which case a lost worker is to be blamed on: the one that it was at, alone, or an earlier one.

A question is a sequence of cases for a fresh worker. The last of them is always the suspect; the answer says
whether the worker was lost again. A verdict therefore does not depend on what happened to run before.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from torchport_conformance.cases.case import AnyCase
from torchport_conformance.report.model import CaseResult, Status, result_of


@dataclass(frozen=True, slots=True)
class Loss:
    """How a worker was lost: ``cause`` is short and stable, ``how`` says at which stage of the case too, and
    ``trace`` where in the code, or what was printed last.
    """

    status: Status
    cause: str
    how: str
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question came to: the loss, and the case that the worker was at; None where it lived on."""

    loss: Loss | None = None
    at: AnyCase | None = None


Investigation = Generator[tuple[AnyCase, ...], Answer, CaseResult]
"""Yields questions, is sent answers, returns the suspect's result."""


def tried_alone(suspect: AnyCase, loss: Loss) -> Investigation:
    """Runs a suspect alone that was lost while cases after it were compiled together with it."""
    alone = yield (suspect,)
    if alone.loss is not None:
        return _verdict(suspect, alone.loss)
    return _result(suspect, loss, ", not when it is compiled alone", "compiled together")


def investigate(
    suspect: AnyCase, earlier: Sequence[AnyCase], loss: Loss, *, probes: int, seconds: float
) -> Investigation:
    """Runs the suspect alone; if that is well, looks for the earlier case that it depends on.

    Args:
        suspect: the case that the worker was at.
        earlier: what had run in the worker, oldest first, as far as it is remembered.
        loss: how the worker was lost.
        probes: at most this many questions after the first.
        seconds: no further question after this time.
    """
    if not earlier:
        return _verdict(suspect, loss)
    alone = yield (suspect,)
    if alone.loss is not None:
        return _verdict(suspect, alone.loss)
    until = time.monotonic() + seconds
    asked = 0

    def may_ask() -> bool:
        return asked < probes and time.monotonic() < until

    after = f"after {len(earlier)} others, not alone"
    if not may_ask():
        return _dependent(suspect, loss, after)
    whole = yield (*earlier, suspect)
    asked += 1
    if whole.at is not suspect:
        seen = "not in a second run of the same cases either"
        if whole.at is not None:
            seen = f"a second run of the same cases ended at {whole.at.id}"
        return _dependent(suspect, loss, f"{after}; {seen}", cause="does not repeat")
    # It happens with all of ``earlier[low:]`` before it, and does not with ``earlier[high:]``.
    low, high = 0, len(earlier)
    while high - low > 1 and may_ask():
        middle = (low + high) // 2
        answer = yield (*earlier[middle:], suspect)
        asked += 1
        low, high = (middle, high) if answer.at is suspect else (low, middle)
    if high - low > 1:
        between = f"{earlier[low].id} and {earlier[high - 1].id}"
        return _dependent(suspect, loss, f"{after}; what it depends on ran between {between}")
    culprit = earlier[low]
    if low < len(earlier) - 1:
        pair = yield (culprit, suspect)
        if pair.at is not suspect:
            text = f"{after}; {culprit.id} and those after it are needed"
            return _dependent(suspect, loss, text, cause="depends on earlier cases")
    return _dependent(suspect, loss, f"after {culprit.id}, not alone")


def unconfirmed(suspect: AnyCase, loss: Loss, why: str) -> CaseResult:
    """The result of a suspect that is not asked about."""
    return _result(suspect, loss, f" ({why})", loss.cause)


def _verdict(suspect: AnyCase, loss: Loss) -> CaseResult:
    return _result(suspect, loss, "", loss.cause)


def _dependent(
    suspect: AnyCase, loss: Loss, when: str, *, cause: str = "depends on earlier cases"
) -> CaseResult:
    return _result(suspect, loss, f": {when}", cause)


def _result(suspect: AnyCase, loss: Loss, when: str, cause: str) -> CaseResult:
    text = f"{loss.how}{when}" + (f"\n{loss.trace}" if loss.trace else "")
    return result_of(suspect, loss.status, text, cause=cause)
