"""Where a case is: what a worker that hangs or crashes was doing."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Stage(enum.IntEnum):
    """What of a case is running. The text says it in a message: "no end after 30 s, in compile()"."""

    START = 0
    PREPARE = 1
    CLAIM = 2
    COMPILE = 3
    RUN = 4
    JUDGE = 5
    DONE = 6
    UNKNOWN = 7

    def __str__(self) -> str:
        return _TEXTS[self]


_TEXTS = {
    Stage.START: "before the backend was called",
    Stage.PREPARE: "while it and the cases after it were compiled together",
    Stage.CLAIM: "in claims()",
    Stage.COMPILE: "in compile() or load()",
    Stage.RUN: "while it ran",
    Stage.JUDGE: "while the suite judged it",
    Stage.DONE: "after it had ended",
    Stage.UNKNOWN: "at a stage that is not known",
}


def _ignore(stage: Stage) -> None:
    """What hears of stages where nobody listens."""


_observer: ContextVar[Callable[[Stage], None]] = ContextVar("stage observer", default=_ignore)


def enter(stage: Stage) -> None:
    """Says that the running case has come to ``stage``."""
    _observer.get()(stage)


@contextmanager
def observed(by: Callable[[Stage], None]) -> Iterator[None]:
    """``by`` hears of every stage until the context ends."""
    token = _observer.set(by)
    try:
        yield
    finally:
        _observer.reset(token)
