"""One graph on a subject: the graph with a number of a seed, and how it went."""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.contract.graph import Node
from torchport.contract.reference import flatten
from torchport.contract.spec import resolve
from torchport.errors import TorchportError
from torchport_conformance.fuzz.generate import Claims, Generator
from torchport_conformance.fuzz.graph import Graph, Ref, live
from torchport_conformance.layers.graph.observation import observe
from torchport_conformance.layers.graph.program import Call, Program
from torchport_conformance.layers.graph.runner import Placement, ProgramRunner
from torchport_conformance.layers.graph.verdict import Difference
from torchport_conformance.propagation.worlds import Worlds
from torchport_conformance.subject import Subject

_TRIES = 12
_STEPS = (2, 9)
_NO_REPORT = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, TorchportError)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a graph went. ``pytorchs`` are differences that PyTorch shows without a backend. ``judged`` of
    ``elements`` could be judged; ``ratio`` is the largest error over its bound.
    """

    graph: Graph
    differences: tuple[Difference, ...]
    pytorchs: tuple[Difference, ...]
    placement: Placement
    ratio: float
    elements: int
    judged: int

    @property
    def failed(self) -> bool:
        """Whether something differs from eager."""
        return bool(self.differences)

    @property
    def cause(self) -> str:
        """The cause of the first difference."""
        return self.differences[0].cause if self.differences else ""


def claims_of(subject: Subject) -> Claims:
    """What a subject runs: what its backend claims, or everything where it is not asked."""
    if subject.backend is None:
        return lambda node: True
    backend, target = subject.backend, subject.backend.targets()[0]

    def claims(node: Node) -> bool:
        return backend.claims(node, target).accepted

    return claims


def graph_of(claims: Claims, seed: int, index: int) -> Graph:
    """The graph with a number of a seed: a function of these and of what is claimed.

    Raises:
        TorchportError: the backend claims too little to grow any.
    """
    for attempt in range(_TRIES):
        draws = random.Random(f"{seed}:{index}:{attempt}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grown = Generator(claims, draws).graph(draws.randint(*_STEPS))
            graph = None if grown is None else settled(live(grown))
        if graph is not None:
            return graph
    raise TorchportError(
        "no graph could be grown from what the backend claims", got=f"graph {index} of {seed}"
    )


def settled(graph: Graph) -> Graph | None:
    """The graph as eager PyTorch runs it, backward included: without further sizes that eager refuses; None
    where it refuses all, or where too little could be judged.
    """
    if not graph.steps or not graph.results or not _runs(graph):
        return None
    sizes = tuple(s for s in graph.sizes if _runs(graph.resized(dict(s))))
    return Graph(graph.inputs, graph.steps, graph.results, sizes, graph.dynamic)


def _runs(graph: Graph) -> bool:
    try:
        fn, given = graph.function(), [i.tensor() for i in graph.inputs]
        worlds = Worlds(0, pairs=1)
        seen = observe(lambda: fn(*given), given, worlds)
    except _NO_REPORT:
        return False
    return not (seen.raised or seen.backward_raised or seen.derailed)


def program_of(graph: Graph) -> Program:
    """The graph as a program of one call for each set of sizes."""

    def call(sizes: Sequence[tuple[int, int]]) -> Call:
        resized = graph.resized(dict(sizes))
        text = f"sizes {dict(sizes)}" if sizes else ""
        return Call(lambda draws: [i.tensor().to(draws.device) for i in resized.inputs], text)

    calls = [call(()), *map(call, graph.sizes)]
    if graph.sizes:
        calls.append(call(()))
    return Program(graph.function, calls, graph.dynamic)


def trial(runner: ProgramRunner, graph: Graph, seed: int) -> Outcome:
    """Runs a graph on a subject and compares it with eager PyTorch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        comparison, placement, _ = runner.compare(program_of(graph), seed)
    return Outcome(
        graph,
        tuple(comparison.differences),
        tuple(comparison.pytorchs),
        placement,
        comparison.ratio,
        comparison.elements,
        comparison.judged,
    )


def values_of(graph: Graph) -> list[Any]:
    """What eager PyTorch computes for every value of a graph, arguments included, before any later write."""
    values: list[Any] = [i.tensor().detach() for i in graph.inputs]
    seen: list[Any] = [v.clone() for v in values]

    def concrete(argument: Any) -> Any:
        if isinstance(argument, Ref):
            return values[argument.number]
        return [concrete(a) for a in argument] if isinstance(argument, tuple) else argument

    with torch.no_grad():
        for step in graph.steps:
            result = resolve(step.op)(**{n: concrete(a) for n, a in step.arguments})
            results = () if step.in_place else flatten(result)
            values += results
            seen += [v.clone() if isinstance(v, torch.Tensor) else v for v in results]
    return seen
