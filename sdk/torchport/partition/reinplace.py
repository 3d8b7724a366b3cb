"""Reinplacing: which values of a functional graph may be left in the memory of another one.

A graph that writes to its inputs says so by extra outputs (:mod:`torchport.capture.writes`). Run as it
stands, each costs a copy of the whole input, and an update of a few elements copies its base before. Here a
value is given the memory of what it replaces, wherever nothing can tell the difference:

- the two place their elements alike, each at an address of its own;
- whatever shares that memory (views included) is read for the last time before, or by the same call;
- no output that the caller keeps shares it;
- the call reads nothing else that shares it.

All other inputs are taken not to overlap a written one: AOTAutograd merges those that do into one input.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from torchport.contract.graph import Graph, Node, Value
from torchport.contract.views import is_view
from torchport.partition.regions import Segment
from torchport.run.updates import base_of, in_place_form, is_update, same_memory_layout


class Way(enum.StrEnum):
    """How a value comes into the memory of another one.

    ``operator``: PyTorch's in-place form of one operator. ``donated``: the region reads the memory and may
    overwrite it, if its backend can. ``destination``: the region does not read it; it is given as the output.
    """

    OPERATOR = "operator"
    DONATED = "donated"
    DESTINATION = "destination"


@dataclass(frozen=True, slots=True)
class Placement:
    """``value`` takes the memory of ``base``, which holds what ``home`` names: itself, or a graph input."""

    value: str
    base: str
    home: str
    way: Way


@dataclass(frozen=True, slots=True)
class Write:
    """The graph input ``target`` ends with ``value``."""

    target: Value
    value: Value


@dataclass(frozen=True, eq=False)
class Placements:
    """Placements by value name, and for each value that should have had one and has none, the reason.

    ``views`` has for each value the names of the values that it is a view of, or its own.
    """

    by_value: Mapping[str, Placement]
    reasons: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def home(self, value: str) -> str:
        """The name whose memory ``value`` is in at the end: a graph input's, or a value's own."""
        found = self.by_value.get(value)
        return value if found is None else found.home

    def homes(self, value: str) -> frozenset[str]:
        """The names whose memory ``value``, a view perhaps, is in at the end."""
        return frozenset(self.home(root) for root in self.views.get(value, (value,)))

    def of(self, values: Iterable[Value]) -> tuple[Placement, ...]:
        """Placements of these values, in order."""
        return tuple(self.by_value[v.name] for v in values if v.name in self.by_value)


Accepts = Callable[[int, Placement], bool]
"""Whether the segment at a position runs as a placement says."""


def writes_of(graph: Graph, targets: Sequence[str]) -> tuple[Write, ...]:
    """The writes of a graph whose last outputs are the final values of the inputs ``targets``."""
    inputs = {v.name: v for v in graph.inputs}
    values = graph.outputs[len(graph.outputs) - len(targets) :]
    return tuple(Write(inputs[name], value) for name, value in zip(targets, values, strict=True))  # type: ignore[arg-type]


def place(
    graph: Graph,
    segments: Sequence[Segment],
    targets: Sequence[str],
    shareable: Sequence[bool],
    *,
    accepts: Accepts = lambda position, placement: True,
    opaque: Collection[int] = (),
) -> Placements:
    """Places the values of ``graph``, which runs as ``segments`` in order.

    Args:
        graph: the graph; its last outputs are what is written to ``targets``.
        segments: regions and single nodes, in execution order.
        targets: names of the inputs that are written to.
        shareable: for each output before those, whether the caller rebuilds it from an input; it does not
            where this is shorter.
        accepts: asked for every placement that nothing in the graph speaks against.
        opaque: positions of segments whose results may share memory with anything that they read.

    Returns:
        Sound placements; the same arguments give the same ones.
    """
    if not targets and not any(_may_gain(s) for s in segments):
        return Placements({})
    return _Search(graph, segments, targets, shareable, accepts, frozenset(opaque)).run()


def _may_gain(segment: Segment) -> bool:
    return segment.owner is None and is_update(segment.nodes[0].op)


class _Search:
    def __init__(
        self,
        graph: Graph,
        segments: Sequence[Segment],
        targets: Sequence[str],
        shareable: Sequence[bool],
        accepts: Accepts,
        opaque: frozenset[int],
    ) -> None:
        self.graph, self.segments, self.accepts = graph, segments, accepts
        self.inputs = {v.name: v for v in graph.inputs}
        self.writes = writes_of(graph, targets)
        self.position = {n.name: i for i, s in enumerate(segments) for n in s.nodes}
        self.memory = _memory(graph, segments, opaque)
        self.reads: dict[str, list[tuple[int, Value, str]]] = {}
        for index, segment in enumerate(segments):
            for node in segment.nodes:
                for value in node.inputs:
                    for root in self.memory[value.name]:
                        self.reads.setdefault(root, []).append((index, value, node.op))
        self.kept: dict[str, str] = {}
        own = len(graph.outputs) - len(targets)
        for index, output in enumerate(graph.outputs[:own]):
            rebuilt = index < len(shareable) and shareable[index]
            if isinstance(output, Value) and not rebuilt:
                self.kept.update(dict.fromkeys(self.memory[output.name], "it is an output too"))
        self.found: dict[str, Placement] = {}
        self.reasons: dict[str, str] = {}

    def run(self) -> Placements:
        for write in self.writes:
            if write.value.name == write.target.name or write.value.name in self.found:
                continue
            reason = self.settle(write.value, write.target)
            if reason:
                self.reasons[write.value.name] = reason
        for segment in self.segments:
            if _may_gain(segment):
                self.reuse(segment.nodes[0])
        return Placements(self.found, self.reasons, _memory(self.graph, self.segments, frozenset()))

    # --- writes -----------------------------------------------------------------------------------------

    def settle(self, value: Value, target: Value) -> str:
        """Places ``value`` in the memory of the input ``target``; the reason when it cannot be."""
        producer = self.graph.producers.get(value.name)
        if producer is None:
            return "another input's value is written as it is"
        if is_view(producer.op):
            return "the new value is a view of another one"
        if len(self.memory[value.name]) != 1:
            return "what computes it returns tensors of its own and does not write in place"
        if value.name in self.kept:
            return self.kept[value.name]
        if not same_memory_layout(target.tensor, value.spec):
            return "the input and the new value differ in layout"
        index = self.position[producer.name]
        base = self.base(value, index)
        below = "" if base is None or base.name in self.inputs else self.settle(base, target)
        held = {target.name, *(n for n, p in self.found.items() if p.home == target.name)}
        reason = self.blocked(value, index, held, {w.value.name for w in self.writes if w.target == target})
        if reason:
            return reason
        shared = self.shared(index, held)
        if not shared:
            way, base_name = Way.DESTINATION, target.name
            if self.segments[index].owner is None:
                return below or "PyTorch computes it in new memory"
        elif len(shared) == 1 and same_memory_layout(target.tensor, next(iter(shared.values())).spec):
            way, base_name = Way.DONATED, next(iter(shared))
            if self.segments[index].owner is None:
                way = Way.OPERATOR
                if base is None or base.name != base_name or not in_place_form(producer.op):
                    return f"{producer.op} has no in-place form for these operands"
            if base_name not in held:
                return f"{base_name}, a view of it, is read by the same call"
        else:
            return f"the same call reads it in several ways: {', '.join(sorted(shared))}"
        placement = Placement(value.name, base_name, target.name, way)
        if not self.accepts(index, placement):
            return "the backend does not write in place"
        self.found[value.name] = placement
        return ""

    def base(self, value: Value, index: int) -> Value | None:
        """What ``value`` is an update of, followed back to where its segment begins."""
        current: Value | None = value
        while current is not None:
            producer = self.graph.producers.get(current.name)
            if producer is None or self.position[producer.name] != index:
                return current
            step = base_of(producer)
            if step is None or not (is_update(producer.op) or self.segments[index].owner is None):
                return None
            current = step
        return None

    def shared(self, index: int, held: Collection[str]) -> dict[str, Value]:
        """Values from outside that the segment reads and that share memory with ``held``."""
        made = {v.name for n in self.segments[index].nodes for v in n.results}
        return {
            v.name: v
            for n in self.segments[index].nodes
            for v in n.inputs
            if v.name not in made and not self.memory[v.name].isdisjoint(held)
        }

    def blocked(self, value: Value, index: int, held: Collection[str], finals: Collection[str]) -> str:
        """Why the memory that ``held`` name must not be overwritten by the segment at ``index``."""
        for name in held:
            if name in self.kept:
                return f"{name}: {self.kept[name]}"
            for place, reader, op in self.reads.get(name, ()):
                if place > index:
                    return f"{reader.name} is read later, by {op}"
        for write in self.writes:
            if write.value.name not in finals and not self.memory[write.value.name].isdisjoint(held):
                return f"its old value is written to {write.target.name}"
        return ""

    # --- intermediates ----------------------------------------------------------------------------------

    def reuse(self, node: Node) -> None:
        """Lets an update that PyTorch runs overwrite its base, where that is new memory that dies here."""
        base = base_of(node)
        if base is None or node.results[0].name in self.found or not in_place_form(node.op):
            return
        producer = self.graph.producers.get(base.name)
        if producer is None or is_view(producer.op) or self.memory[base.name] != {base.name}:
            return
        index = self.position[node.name]
        home = self.found[base.name].home if base.name in self.found else base.name
        held = {base.name, home, *(n for n, p in self.found.items() if p.home == home)}
        if home in self.inputs or self.blocked(node.results[0], index, held, ()):
            return
        if set(self.shared(index, held)) != {base.name}:
            return
        placement = Placement(node.results[0].name, base.name, home, Way.OPERATOR)
        if self.accepts(index, placement):
            self.found[placement.value] = placement


def _memory(graph: Graph, segments: Sequence[Segment], opaque: frozenset[int]) -> dict[str, frozenset[str]]:
    """For each value, the names of the values whose memory it may be in: itself, or what it is a view of."""
    memory = {v.name: frozenset((v.name,)) for v in graph.inputs}
    for index, segment in enumerate(segments):
        for node in segment.nodes:
            read = frozenset[str]().union(*(memory[v.name] for v in node.inputs))
            for value in node.results:
                if is_view(node.op):
                    memory[value.name] = read
                elif index in opaque or _unknown(node):
                    memory[value.name] = read | {value.name}
                else:
                    memory[value.name] = frozenset((value.name,))
    return memory


def _unknown(node: Node) -> bool:
    """Whether an operator might return one of its arguments: PyTorch's own do so only where they say it."""
    return node.op.partition(".")[0] not in ("aten", "prims", "torchport", "_c10d_functional")
