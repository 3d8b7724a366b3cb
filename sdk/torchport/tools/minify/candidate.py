"""Smaller graphs made from a recorded one: what is cut off becomes an input holding its recorded tensor."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchport.capture.aot import CapturedGraph
from torchport.contract.graph import Graph, Value
from torchport.contract.symbols import SymExpr
from torchport.partition.regions import region_graph
from torchport.tools.minify.recording import Recording


@dataclass(frozen=True, slots=True)
class Source:
    """Where an input's tensor comes from: a recorded value, cut down to ``sizes``; or the Python expression
    ``text``, which makes it.
    """

    recorded: str = ""
    sizes: tuple[int, ...] | None = None
    text: str = ""

    def make(self, values: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """The tensor. An expression draws from PyTorch's default generator where it is random."""
        if self.text:
            made: torch.Tensor = eval(self.text, {"torch": torch})
            return made
        tensor = values[self.recorded]
        if self.sizes is None:
            return tensor
        cut = tensor[tuple(slice(0, n) for n in self.sizes)]
        steps = tensor.stride()
        order = sorted(range(cut.dim()), key=lambda d: (-steps[d], d))
        return cut.permute(order).contiguous().permute([order.index(d) for d in range(cut.dim())])


@dataclass(frozen=True, eq=False)
class Candidate:
    """A graph with the sources of its inputs, in the order of ``graph.inputs`` without constants."""

    graph: Graph
    phase: str
    sources: tuple[Source, ...]
    bindings: Mapping[str, Any]

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The inputs that are passed."""
        return tuple(v for v in self.graph.inputs if v.name not in self.graph.constants)

    def captured(self) -> CapturedGraph:
        """The graph as the pipeline takes it; symbols are passed after the tensors."""
        arguments = (*self.inputs, *(SymExpr(s.name) for s in self.graph.symbols))
        return CapturedGraph(self.phase, self.graph, arguments, {})

    def tensors(self, values: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
        """The inputs, made after seeding the default generator."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return [source.make(values) for source in self.sources]

    def numbers(self) -> list[Any]:
        """The values of the symbols."""
        return [self.bindings[s.name] for s in self.graph.symbols]


def candidate(
    recording: Recording, nodes: Collection[str], outputs: Collection[str] | None = None
) -> Candidate | None:
    """The sub-graph of the nodes with these names; ``None`` when nothing that it computes is a tensor.

    Any set of nodes makes one: values from outside are inputs. Its outputs are what was read outside of it,
    or those among them that ``outputs`` names.
    """
    kept = [n for n in recording.graph.nodes if n.name in nodes]
    graph = region_graph(recording.graph, kept)
    wanted = dict.fromkeys(v for v in graph.output_values if outputs is None or v.name in outputs)
    tensors = tuple(v for v in wanted if v.name in recording.values)
    if not tensors:
        return None
    inputs = tuple(v for v in graph.inputs if v.name in graph.constants or v.name in recording.values)
    count = sum(v.name not in graph.constants for v in inputs)
    symbols = tuple(replace(s, source=("argument", count + i)) for i, s in enumerate(graph.symbols))
    graph = Graph(inputs, graph.nodes, tensors, symbols, graph.constants)
    sources = tuple(Source(v.name) for v in inputs if v.name not in graph.constants)
    return Candidate(graph, recording.phase, sources, recording.bindings)
