"""Buffers of one graph: which placements backends are offered, which hold, and what is still copied."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torchport.compile.artifact import InProcess
from torchport.compile.bound import Bound
from torchport.compile.package import CompiledRegion, Part
from torchport.compile.reports import BufferCopy
from torchport.contract.graph import Alias, Graph, Node, TensorSpec, Value
from torchport.contract.symbols import evaluate
from torchport.partition.regions import PartitionedGraph, Segment
from torchport.partition.reinplace import Placement, Placements, Way, place, writes_of
from torchport.run.program import OpStep
from torchport.run.updates import in_place, is_update, write


@dataclass(frozen=True, slots=True)
class InputWrites:
    """What a graph does to its caller's tensors: its last outputs are the final values of the inputs
    ``targets``. For each output before those, ``rebuilt`` says whether the caller makes it from an input, and
    ``copied`` whether the caller copies it into one.
    """

    targets: tuple[str, ...] = ()
    rebuilt: tuple[bool, ...] = ()
    copied: tuple[bool, ...] = ()


@dataclass(frozen=True, eq=False)
class Buffers:
    """A graph's regions and operators in order, each writing where it may, then the copies into inputs that
    are left; the graph's own outputs; what is copied in each call, and how many values are not.
    """

    parts: tuple[Part, ...]
    outputs: tuple[Any, ...]
    copies: tuple[BufferCopy, ...]
    in_place: int


def offers(partitioned: PartitionedGraph, writes: InputWrites, backends: Sequence[Bound]) -> Placements:
    """The placements that hold if every backend that knows of donations takes what it is offered."""
    graph, segments = partitioned.graph, partitioned.segments

    def accepts(index: int, placement: Placement) -> bool:
        owner = segments[index].owner
        if owner is None or placement.way is not Way.DONATED:
            return True
        capabilities = backends[owner].capabilities
        return capabilities.donation and (
            capabilities.layouts != "contiguous" or _value(graph, placement.base).tensor.is_contiguous
        )

    return place(graph, segments, writes.targets, writes.rebuilt, accepts=accepts)


def donate(region: Graph, placements: Placements) -> tuple[Graph, tuple[tuple[str, str], ...]]:
    """A region's graph with what it is offered marked in its specs, and the pairs (output, input)."""
    inputs = {v.name for v in region.inputs}
    pairs = tuple(
        (p.value, p.base)
        for p in placements.of(region.output_values)
        if p.way is Way.DONATED and p.base in inputs
    )
    if not pairs:
        return region, ()
    changed = {
        **{out: Alias.MAY for out, _ in pairs},
        **{base: Alias.DONATED for _, base in pairs},
    }

    def marked(value: Value) -> Value:
        alias = changed.get(value.name)
        return value if alias is None else Value(value.name, value.tensor.with_(alias=alias))

    nodes = tuple(
        replace(n.map_values(marked), outputs=tuple(None if v is None else marked(v) for v in n.outputs))
        for n in region.nodes
    )
    outputs = tuple(marked(v) if isinstance(v, Value) else v for v in region.outputs)
    graph = replace(region, inputs=tuple(map(marked, region.inputs)), nodes=nodes, outputs=outputs)
    return graph, pairs


Segments = Sequence[tuple[Segment, CompiledRegion | None]]


def settle(graph: Graph, segments: Segments, writes: InputWrites) -> Buffers:
    """Where everything is written, given the code that was compiled."""
    placements = _settled(graph, segments, writes)
    parts = _parts(graph, segments, placements)
    last, outputs = _write_backs(graph, writes, placements)
    copies = _copies(graph, segments, writes, placements)
    return Buffers((*parts, *last), outputs, copies, len(placements.by_value))


def _settled(graph: Graph, segments: Segments, writes: InputWrites) -> Placements:

    def accepts(index: int, placement: Placement) -> bool:
        region = segments[index][1]
        if region is None:
            return True
        if placement.way is Way.DONATED:
            return (placement.value, placement.base) in _taken(region)
        return placement.way is Way.DESTINATION and _has_destinations(region)

    opaque = {i for i, (_, region) in enumerate(segments) if region and not _has_destinations(region)}
    return place(
        graph, [s for s, _ in segments], writes.targets, writes.rebuilt, accepts=accepts, opaque=opaque
    )


def _has_destinations(region: CompiledRegion) -> bool:
    return not isinstance(region.code, InProcess) or region.code.destination


def _taken(region: CompiledRegion) -> frozenset[tuple[str, str]]:
    """Pairs (output, input) that the region's code keeps in one place."""
    inputs, outputs = region.region.input_values, region.region.output_values
    return frozenset((outputs[out].name, inputs[base].name) for out, base in region.code.aliases.items())


def _parts(graph: Graph, segments: Segments, placements: Placements) -> list[Part]:
    parts: list[Part] = []
    for segment, region in segments:
        if region is None:
            for node in segment.nodes:
                placed = placements.of(node.results)
                parts += [OpStep(n) for n in (in_place(node) if placed else (node,))]
            continue
        found = [placements.by_value.get(v.name) for v in region.region.output_values]
        homes = tuple(None if p is None else _value(graph, p.base) for p in found)
        parts.append(replace(region, homes=homes) if any(found) else region)
    return parts


def _value(graph: Graph, name: str) -> Value:
    made = graph.producers.get(name)
    values = graph.inputs if made is None else made.results
    return next(v for v in values if v.name == name)


def _write_backs(
    graph: Graph, writes: InputWrites, placements: Placements
) -> tuple[list[Part], tuple[Any, ...]]:
    """What is left to copy at the end of the graph, and the graph's own outputs.

    A value that shares memory with an input that is overwritten here, and that is returned or written to
    another input, is copied aside first.
    """
    final = writes_of(graph, writes.targets)
    left = [w for w in final if w.value != w.target and placements.home(w.value.name) != w.target.name]
    late = {w.target.name for w in left}
    saved: dict[str, Part] = {}

    def aside(value: Value) -> Value:
        if late.isdisjoint(placements.homes(value.name)):
            return value
        result = Value(f"{value.name}__aside", value.spec)
        arguments = (("self", value), ("memory_format", None))
        saved[result.name] = OpStep(Node(result.name, "aten.clone.default", arguments, (result,)))
        return result

    outputs: list[Any] = []
    for index, value in enumerate(graph.outputs[: len(graph.outputs) - len(final)]):
        rebuilt = index < len(writes.rebuilt) and writes.rebuilt[index]
        outputs.append(aside(value) if isinstance(value, Value) and not rebuilt else value)
    written = [
        OpStep(write(w.target, aside(w.value), Value(f"{w.target.name}__written", w.target.spec)))
        for w in left
    ]
    return [*saved.values(), *written], tuple(outputs)


_MOVES = frozenset({"aten._to_copy.default", "prims.device_put.default"})


def _copies(
    graph: Graph, segments: Segments, writes: InputWrites, placements: Placements
) -> tuple[BufferCopy, ...]:
    hints = {s.name: s.hint or max(s.low, 1) for s in graph.symbols}
    found: dict[tuple[str, str], BufferCopy] = {}

    def count(kind: str, value: Value, reason: str) -> None:
        found.setdefault((kind, value.name), BufferCopy(kind, _shown(value), size(value, hints), reason))

    where = {n.name: i for i, (s, _) in enumerate(segments) for n in s.nodes}
    for item in writes_of(graph, writes.targets):
        value = item.value
        if value == item.target:
            continue
        reason = placements.reasons.get(value.name, "")
        if placements.home(value.name) != item.target.name:
            count("write-back", item.target, reason or "the value is written to another input too")
        for base in _bases_copied(graph, value, where, segments, placements):
            count("base", base, reason or "the base is needed afterwards")
    outputs = graph.outputs[: len(graph.outputs) - len(writes.targets)]
    for output, copied in zip(outputs, writes.copied, strict=False):
        if copied and isinstance(output, Value):
            count("epilogue", output, "it takes part in autograd: AOTAutograd writes it after the graph")
    for node in graph.nodes:
        if node.op in _MOVES and node.input_specs[0].device != node.output_specs[0].device:
            text = f"from {node.input_specs[0].device} to {node.output_specs[0].device}"
            count("transfer", node.results[0], text)
    return tuple(found.values())


def _bases_copied(
    graph: Graph,
    value: Value,
    where: Mapping[str, int],
    segments: Segments,
    placements: Placements,
) -> list[Value]:
    """Bases of the updates that lead to ``value`` and do not run in place, one for each segment."""
    found: list[Value] = []
    while (producer := graph.producers.get(value.name)) is not None and is_update(producer.op):
        index, placed = where[producer.name], placements.by_value.get(value.name)
        while (step := graph.producers.get(value.name)) is not None and where[step.name] == index:
            if not is_update(step.op):
                break
            value = step.args[0][1]
            if segments[index][0].owner is None:
                break
        if placed is None or placed.way is Way.DESTINATION:
            found.append(value)
    return found


def _shown(value: Value) -> str:
    return (isinstance(value.spec, TensorSpec) and value.spec.name) or value.name


def size(value: Value, hints: Mapping[str, int]) -> int:
    """Bytes of a value; 0 for a host scalar. Symbolic sizes count as their example values."""
    spec = value.spec
    if not isinstance(spec, TensorSpec):
        return 0
    return math.prod(int(evaluate(d, hints)) for d in spec.shape) * spec.dtype.itemsize
