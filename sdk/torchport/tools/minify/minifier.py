"""``tp.minify``: finds what is wrong with a program on a backend, and the few nodes that show it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from torchport.compile.region import Region
from torchport.contract.graph import Graph
from torchport.errors import UsageError
from torchport.tools.explain import plain
from torchport.tools.minify.candidate import Candidate, candidate
from torchport.tools.minify.isolation import Apart, Here, Judge, WorkerError
from torchport.tools.minify.recording import Recording, from_region, record
from torchport.tools.minify.reduce import smallest
from torchport.tools.minify.rule import is_random, tensor_outputs
from torchport.tools.minify.script import shows_fault, write_script
from torchport.tools.minify.simplify import (
    is_static,
    plainer_values,
    smaller_dimensions,
    smaller_sizes,
    traced,
)
from torchport.tools.minify.spelling import named, spelled
from torchport.tools.minify.subject import ACCURACY, Fault, Subject

TIMEOUT = 120.0
"""Seconds that one candidate may take."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reduction is: candidates tested, nodes left, seconds so far and, as a guess, to go."""

    step: str
    tests: int
    nodes: int
    seconds: float
    seconds_left: float


@dataclass(frozen=True, eq=False)
class Minified:
    """A fault and the least program that shows it.

    ``fault`` is ``None`` where nothing is wrong. ``nodes`` are those that are left of ``nodes_before`` in the
    ``phase`` graph; ``script`` is where the standalone script lies, and ``verified`` says that it was run
    and showed the fault.
    """

    backend: str
    fault: Fault | None
    phase: str = ""
    nodes: tuple[str, ...] = ()
    nodes_before: int = 0
    graph: Graph | None = None
    script: Path | None = None
    verified: bool = False
    isolated: bool = False
    tests: int = 0
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        fault = None if self.fault is None else {"kind": self.fault.kind, "text": self.fault.text}
        return {
            "format": "torchport-minified",
            "format_version": 1,
            "backend": self.backend,
            "fault": fault,
            "phase": self.phase,
            "nodes": list(self.nodes),
            "nodes_before": self.nodes_before,
            "graph": None if self.graph is None else str(self.graph),
            "script": None if self.script is None else str(self.script),
            "verified": self.verified,
            "isolated": self.isolated,
            "tests": self.tests,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        if self.fault is None:
            return f"{self.backend}: nothing is wrong"
        count = f"{len(self.nodes)} of {self.nodes_before} nodes"
        lines = [f"{self.backend}: {self.fault}", f"{count} of the {self.phase} graph show it:"]
        lines += [f"  {node}" for node in (self.graph.nodes if self.graph is not None else ())]
        if self.script is not None:
            lines.append(
                f"{self.script}{'' if self.verified else ' (which did not show it when it was run)'}"
            )
        lines.append(f"{self.tests} candidates in {self.seconds:.0f} s")
        return "\n".join(lines)


def minify(
    fn: Callable[..., Any] | Region,
    args: Sequence[Any] | None = None,
    backend: Any = "",
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
    output: str | Path | None = None,
    isolate: bool | None = None,
    timeout: float = TIMEOUT,
    progress: Callable[[Progress], None] | None = None,
) -> Minified:
    """Looks for a crash or a wrong result of ``fn(*args)`` on a backend, forward and backward; reduces it.

    The graphs that the backend would be given are recorded in eager PyTorch; the backend then runs parts of
    them on recorded tensors. A result is wrong by the rule of :mod:`torchport.tools.minify.rule`.

    Args:
        fn: a callable, or a :class:`Region`.
        args: its arguments; tensors for a region, random ones by default.
        backend: a backend's name, ``module:attribute``, a class, an instance, or whatever ``torch.compile``
            takes.
        kwargs: keyword arguments.
        dynamic: as for ``torch.compile``.
        options: the backend's options.
        output: where to write the script; ``None`` writes none.
        isolate: run candidates in another process, where one that dies does no harm. By default wherever the
            backend can be taken there.
        timeout: seconds that one candidate may take, in another process.
        progress: called before each candidate.

    Raises:
        UsageError: the program makes no graph, or the backend cannot be imported.
        WorkerError: ``isolate`` is set and the backend cannot be taken to another process.
        TorchportError: the capture failed.
    """
    started = time.monotonic()
    text, subject = backend, Subject.of(named(backend), options)
    if isinstance(fn, Region):
        recordings: tuple[Recording, ...] = (from_region(fn, args),)
    else:
        recordings = record(
            plain(fn), args or (), kwargs or {}, subject.entry, dynamic=dynamic, options=options
        )
    if not recordings:
        raise UsageError(
            "the program makes no graph", hint="torchport explain says where Dynamo gives it up, and why"
        )
    values = {f"{i}/{n}": t for i, r in enumerate(recordings) for n, t in r.values.items()}
    search = _Search(subject, started, progress or (lambda step: None))
    with _judge(subject, values, timeout, isolate) as judge:
        search.judge = judge
        for index, recording in enumerate(recordings):
            found = search.whole(index, recording)
            if found is None:
                continue
            least = search.reduce(index, recording, found, values)
            search.tell("script", least)
            return _finished(search, recording, least, values, text, output, timeout)
    return Minified(
        search.name, None, tests=search.tests, seconds=time.monotonic() - started, isolated=search.isolated
    )


def _judge(subject: Subject, values: Mapping[str, torch.Tensor], timeout: float, isolate: bool | None) -> Any:
    if isolate is False:
        return nullcontext(Here(subject, values))
    try:
        return Apart(subject, values, timeout)
    except WorkerError:
        if isolate:
            raise
        return nullcontext(Here(subject, values))


def _finished(
    search: _Search,
    recording: Recording,
    least: Candidate,
    values: Mapping[str, torch.Tensor],
    backend: Any,
    output: str | Path | None,
    timeout: float,
) -> Minified:
    assert search.fault is not None
    path, verified = None if output is None else Path(output).resolve(), False
    if path is not None:
        source = spelled(backend)
        for as_region in (False, True):
            written = write_script(
                path,
                least,
                least.tensors(values),
                search.last,
                source,
                opset=search.opset.version,
                options=search.subject.options if search.subject.compiler is None else None,
                as_region=as_region,
                timeout=timeout,
            )
            verified = written and source is not None and shows_fault(path, search.last, timeout)
            if verified or source is None:
                break
    return Minified(
        search.name,
        search.last,
        recording.phase,
        tuple(n.op for n in least.graph.nodes),
        len(recording.graph.nodes),
        least.graph,
        path,
        verified,
        search.isolated,
        search.tests,
        time.monotonic() - search.started,
    )


@dataclass(eq=False)
class _Search:
    """The state of one reduction."""

    subject: Subject
    started: float
    progress: Callable[[Progress], None]
    judge: Judge = field(init=False)
    tests: int = 0
    spent: float = 0.0
    fault: Fault | None = None

    def __post_init__(self) -> None:
        self.known: dict[Any, bool] = {}
        self.opset = self.subject.opset

    @property
    def name(self) -> str:
        return str(self.subject.compiler) if self.subject.compiler is not None else self.subject.entry.name

    @property
    def isolated(self) -> bool:
        return isinstance(self.judge, Apart)

    def tell(self, step: str, found: Candidate) -> None:
        """Reports; the tests to come are guessed from what is left."""
        count = len(found.graph.nodes)
        rest = 2 * math.log2(count + 1) + min(count, 8) + 4 * len(found.sources)
        each = self.spent / self.tests if self.tests else 0.5
        now = time.monotonic() - self.started
        self.progress(Progress(step, self.tests, count, now, rest * each))

    def ask(self, step: str, found: Candidate, *, values: bool) -> Fault | None:
        self.tell(step, found)
        before = time.monotonic()
        fault = self.judge.judge(found, values=values)
        self.tests += 1
        self.spent += time.monotonic() - before
        return fault

    def whole(self, index: int, recording: Recording) -> Candidate | None:
        """The graph as it is, where something is wrong with it."""
        nodes = self.eligible(recording, values=False)
        found = _placed(candidate(recording, nodes), index)
        if found is None:
            return None
        fault = self.ask(f"{recording.phase} graph", found, values=False)
        if fault is None:
            found = _placed(candidate(recording, self.eligible(recording, values=True)), index)
            fault = None if found is None else self.ask(f"{recording.phase} graph", found, values=True)
        if fault is None:
            return None
        self.fault = self.last = fault
        return found

    def eligible(self, recording: Recording, *, values: bool) -> list[str]:
        """Nodes that candidates may have. Where values are compared, random ones are taken as recorded."""
        return [
            n.name
            for n in recording.graph.nodes
            if tensor_outputs(n) and not (values and is_random(n, self.opset))
        ]

    def fails(self, step: str, found: Candidate | None) -> bool:
        """Whether a candidate shows the same fault."""
        assert self.fault is not None
        if found is None:
            return False
        fault = self.ask(step, found, values=self.fault.kind == ACCURACY)
        if fault is None or (fault.kind, fault.key) != (self.fault.kind, self.fault.key):
            return False
        self.last = fault
        return True

    def reduce(
        self, index: int, recording: Recording, whole: Candidate, values: Mapping[str, torch.Tensor]
    ) -> Candidate:
        """The least candidate: nodes, outputs, symbols, sizes, values."""
        known: dict[frozenset[str], bool] = {}

        def nodes_fail(nodes: Sequence[str]) -> bool:
            key = frozenset(nodes)
            if key not in known:
                known[key] = self.fails("nodes", _placed(candidate(recording, key), index))
            return known[key]

        nodes = smallest([n.name for n in whole.graph.nodes], nodes_fail)
        least = _placed(candidate(recording, nodes), index)
        assert least is not None
        outputs = smallest(
            [v.name for v in least.graph.output_values],
            lambda kept: self.fails("outputs", _placed(candidate(recording, nodes, kept), index)),
        )
        least = _placed(candidate(recording, nodes, outputs), index)
        assert least is not None
        static = traced(least, values)
        if static is not None and (is_static(least.graph.nodes) or self.fails("sizes", static)):
            least = smaller_sizes(static, values, lambda found: self.fails("sizes", found))
            least = smaller_dimensions(least, values, lambda found: self.fails("sizes", found))
            least = plainer_values(least, values, lambda found: self.fails("values", found))
        self.fails("result", least)
        return least


def _placed(found: Candidate | None, index: int) -> Candidate | None:
    """The candidate with the names that recorded tensors have among those of all graphs."""
    if found is None:
        return None
    return replace(found, sources=tuple(replace(s, recorded=f"{index}/{s.recorded}") for s in found.sources))
