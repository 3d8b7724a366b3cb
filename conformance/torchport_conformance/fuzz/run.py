"""Runs many generated graphs on a backend; failures are made small and told apart."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from torchport.compile.backend import Backend
from torchport.errors import OptionError, TorchportError
from torchport_conformance.fuzz.graph import Graph
from torchport_conformance.fuzz.shrink import shrink
from torchport_conformance.fuzz.trial import Outcome, claims_of, graph_of, trial
from torchport_conformance.layers.graph.runner import ProgramRunner
from torchport_conformance.subject import subject_of

_RUNS = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, TorchportError)


@dataclass(frozen=True, slots=True)
class Found:
    """A failure: the graph of ``index`` failed, ``graph`` is what is left of it.

    ``signature`` tells failures apart: the cause, and the operators of the small graph. ``reproducer`` is a
    program that runs as pasted. ``others`` are the graphs that failed in the same way.
    """

    index: int
    signature: str
    message: str
    graph: Graph
    steps_before: int
    reproducer: str
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class FuzzReport:
    """What a run found. ``ran`` graphs ran on the backend, with ``nodes`` nodes on it and ``left`` elsewhere;
    ``judged`` is the share of all elements that could be judged; ``ratio`` the largest error over its bound.
    """

    backend: str
    seed: int
    graphs: int
    ran: int
    nodes: int
    left: int
    judged: float
    ratio: float
    seconds: float
    operators: Counter[str] = field(repr=False)
    failures: tuple[Found, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether graphs ran on the backend and all were right."""
        return not self.failures and self.ran > 0

    def __str__(self) -> str:
        text = (
            f"{self.graphs} graphs of seed {self.seed}: {self.ran} ran on the backend with {self.nodes} "
            f"nodes ({self.left} left to eager PyTorch), {len(self.operators)} operators, {self.judged:.1%} "
            f"of elements judged, largest error {self.ratio:.3g} of its bound, {self.seconds:.1f} s"
        )
        return "\n".join(
            [text, *(f"failed: {f.signature} (graph {f.index}): {f.message}" for f in self.failures)]
        )


def run(
    backend: str | Backend | type[Backend],
    *,
    graphs: int = 100,
    seed: int = 0,
    on_graph: Callable[[int, bool], None] | None = None,
) -> FuzzReport:
    """Runs generated graphs on a backend, in this process.

    Args:
        backend: an installed backend's name, ``module:Class``, a class, or an instance.
        graphs: how many.
        seed: another seed gives other graphs.
        on_graph: called with the number of each graph and whether it failed.

    Raises:
        OptionError: ``graphs`` is not positive.
        RegistrationError: the backend cannot be found or loaded.
        TorchportError: the backend claims too little to grow any graph.
    """
    if graphs < 1:
        raise OptionError("a run has at least one graph", got=str(graphs))
    subject = subject_of(backend, in_process=True)[0]
    started, runner, claims = time.perf_counter(), ProgramRunner(subject), claims_of(subject)
    found: dict[str, Found] = {}
    ran = nodes = left = elements = judged = 0
    ratio, operators = 0.0, Counter[str]()
    for index in range(graphs):
        outcome = trial(runner, graph_of(claims, seed, index), seed)
        operators.update(outcome.graph.ops)
        ran += not outcome.placement.nothing
        nodes, left = nodes + outcome.placement.claimed, left + outcome.placement.left
        elements, judged = elements + outcome.elements, judged + outcome.judged
        ratio = max(ratio, outcome.ratio)
        if outcome.failed:
            _keep(found, reduced(runner, outcome, seed, index))
        if on_graph is not None:
            on_graph(index, outcome.failed)
    return FuzzReport(
        subject.text,
        seed,
        graphs,
        ran,
        nodes,
        left,
        judged / elements if elements else 0.0,
        ratio,
        time.perf_counter() - started,
        operators,
        tuple(found.values()),
    )


def replay(backend: str | Backend | type[Backend], seed: int, index: int) -> Outcome:
    """Runs one graph of an earlier run again.

    Raises:
        RegistrationError: the backend cannot be found or loaded.
        TorchportError: the backend claims too little to grow it.
    """
    subject = subject_of(backend, in_process=True)[0]
    return trial(ProgramRunner(subject), graph_of(claims_of(subject), seed, index), seed)


def reduced(runner: ProgramRunner, outcome: Outcome, seed: int, index: int) -> Found:
    """What is left of a failing graph when it is made small."""

    def fails(graph: Graph) -> bool:
        try:
            return bool(graph.steps) and trial(runner, graph, seed).cause == outcome.cause
        except _RUNS:
            return False

    small = shrink(outcome.graph, fails)
    last = trial(runner, small, seed)
    message = last.differences[0].text if last.differences else outcome.differences[0].text
    signature = f"{outcome.cause}: {' '.join(sorted(set(small.ops)))}"
    text = small.reproducer(repr(runner.subject.text), f"graph {index} of seed {seed}: {signature}")
    return Found(index, signature, message, small, len(outcome.graph.steps), text)


def _keep(found: dict[str, Found], new: Found) -> None:
    known = found.get(new.signature)
    if known is None:
        found[new.signature] = new
        return
    smaller = new if len(new.graph.steps) < len(known.graph.steps) else known
    others = (*known.others, *({known.index, new.index} - {smaller.index}))
    found[new.signature] = Found(
        smaller.index,
        smaller.signature,
        smaller.message,
        smaller.graph,
        smaller.steps_before,
        smaller.reproducer,
        tuple(sorted(others)),
    )
