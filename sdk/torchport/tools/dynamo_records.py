"""What Dynamo itself recorded about a program: graph breaks, frames it gave up, recompilations.

The only module of the tools that reads Dynamo's own records.
"""

from __future__ import annotations

import copy
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._dynamo import pgo, utils

UNNAMED_CAUSES = {"generic_jump": "Data-dependent branching"}
"""Causes that Dynamo records under the name of an instruction, as it words them elsewhere."""


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """A place where Dynamo ends a graph, or leaves a whole frame to Python.

    ``source`` is ``file:line`` of the user's program, ``code`` that line's text, ``hint`` what Dynamo
    advises, ``count`` how often.
    """

    cause: str
    source: str
    code: str = ""
    hint: str = ""
    count: int = 1

    def __str__(self) -> str:
        return f"{self.cause} at {self.source}" + (f": {self.code}" if self.code else "")


@dataclass(frozen=True, slots=True)
class Recompile:
    """A function that was compiled again, and the guard that had failed."""

    function: str
    source: str
    guard: str


@dataclass(slots=True)
class DynamoRecords:
    """Filled when the context of :func:`recorded` ends."""

    breaks: tuple[GraphBreak, ...] = ()
    recompiles: tuple[Recompile, ...] = ()
    metrics: list[Any] = field(default_factory=list)


@contextmanager
def recorded() -> Iterator[DynamoRecords]:
    """Reads what Dynamo records while this is open."""
    records = DynamoRecords()
    known = {id(m) for m in utils.get_compilation_metrics()}
    first = len(utils.graph_break_reasons)
    try:
        yield records
    finally:
        records.metrics = [m for m in utils.get_compilation_metrics() if id(m) not in known]
        records.breaks = _breaks(utils.graph_break_reasons[first:], records.metrics)
        records.recompiles = tuple(
            Recompile(str(m.co_name), f"{m.co_filename}:{m.co_firstlineno}", str(m.recompile_reason))
            for m in records.metrics
            if m.recompile_reason
        )


def _breaks(reasons: Sequence[Any], metrics: Sequence[Any]) -> tuple[GraphBreak, ...]:
    counted: Counter[GraphBreak] = Counter()
    for reason in reasons:
        frame = reason.user_stack[-1] if reason.user_stack else None
        where = f"{frame.filename}:{frame.lineno}" if frame is not None else ""
        counted[_worded(str(reason.reason), where, (frame.line or "") if frame is not None else "")] += 1
    places = {(found.cause, found.source) for found in counted}
    for metric in metrics:
        if metric.fail_reason:
            where = f"{metric.fail_user_frame_filename}:{metric.fail_user_frame_lineno}"
            found = _worded(str(metric.fail_reason), where, "")
            if (found.cause, found.source) not in places:
                counted[found] += 1
    return tuple(
        GraphBreak(b.cause, b.source, b.code, b.hint, count)
        for b, count in sorted(counted.items(), key=_place)
    )


def _place(item: tuple[GraphBreak, int]) -> tuple[int, str]:
    return -item[1], item[0].source


def _worded(text: str, source: str, code: str) -> GraphBreak:
    lines = [line.strip() for line in text.splitlines()]
    hints = [line.removeprefix("Hint:").strip() for line in lines if line.startswith("Hint:")]
    named = [h for h in hints if "config." in h or "torch.cond" in h] or hints
    cause = lines[0] if lines else ""
    return GraphBreak(
        UNNAMED_CAUSES.get(cause.partition(" ")[0], cause), source, code.strip(), named[0] if named else ""
    )


@contextmanager
def dynamo_kept() -> Iterator[None]:
    """Dynamo's counters, its list of graph breaks and the sizes it has seen change are afterwards as they
    were.
    """
    counters = {name: Counter(counter) for name, counter in utils.counters.items()}
    reasons = list(utils.graph_break_reasons)
    sizes = copy.deepcopy(dict(pgo.get_code_state()))
    try:
        yield
    finally:
        utils.counters.clear()
        utils.counters.update(counters)
        utils.graph_break_reasons[:] = reasons
        pgo.get_code_state().clear()
        pgo.get_code_state().update(sizes)


def isolated(fn: Callable[..., Any], backend: Any, *, dynamic: bool | None) -> Callable[..., Any]:
    """``torch.compile(fn)`` whose compiled code counts against nobody's limit of recompilations.

    PyTorch before 2.13 keeps all compiled code of a function in one list.
    """
    apart = "isolate_recompiles" in inspect.signature(torch.compile).parameters
    options: dict[str, Any] = {"isolate_recompiles": True} if apart else {}
    compiled: Callable[..., Any] = torch.compile(fn, backend=backend, dynamic=dynamic, **options)
    return compiled
