"""Writes to graph inputs: AOTAutograd ends a graph with copies into them; here they become data.

The graph stays functional. For each mutated input it has one more output, after the program's own: the value
that the input has in the end.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch._functorch._aot_autograd import descriptors
from torch._functorch._aot_autograd.schemas import OutputType
from torch._guards import TracingContext

from torchport.capture.lazy_bits import lazy
from torchport.contract.graph import Alias, Graph, Node, TensorSpec, Value, map_values
from torchport.run.updates import is_update

_COPY = "aten.copy_.default"
_REBUILT = (OutputType.alias_of_input, OutputType.is_input)


def split_writes(graph: Graph, fakes: Mapping[str, Any]) -> tuple[Graph, tuple[str, ...]]:
    """The functional graph, and the names of the inputs that its last outputs are written to.

    Nodes after the copy into an input read the written value. An output that is the input itself means its
    old value, as everything else in the graph does. Copies into anything but an input (AOTAutograd makes
    none), or into one whose memory does not hold its values, stay where they are.
    """
    inputs = {v.name for v in graph.inputs if not lazy(fakes.get(v.name))}
    if not any(_target(n, inputs) for n in graph.nodes):
        return graph, ()
    written: dict[str, Value] = {}
    nodes: list[Node] = []

    def current(value: Value) -> Value:
        return written.get(value.name, value)

    for original in graph.nodes:
        node = original.map_values(current) if written else original
        target = _target(original, inputs)
        if target:
            source = node.arg("src")
            written[target] = source
            written.update({v.name: source for v in node.results})
        else:
            nodes.append(node)
    targets = tuple(name for name in written if name in inputs)
    old = {name: value for name, value in written.items() if name not in inputs}
    returned = map_values(graph.outputs, lambda value: old.get(value.name, value))
    outputs = (*returned, *(written[name] for name in targets))
    return _marked(replace(graph, nodes=tuple(nodes), outputs=outputs), len(targets)), targets


def _marked(graph: Graph, count: int) -> Graph:
    """The graph with ``alias = may`` on the updates whose results are the last ``count`` outputs, and on the
    updates that those update: they may be left in an input's memory. What such an update writes is not copied
    first.
    """
    names: set[str] = set()
    sources: set[str] = set()
    for value in graph.outputs[len(graph.outputs) - count :]:
        node = graph.producers.get(value.name) if isinstance(value, Value) else None
        while node is not None and is_update(node.op) and node.results[0].name not in names:
            names.add(node.results[0].name)
            sources.add(node.name)
            node = graph.producers.get(node.args[0][1].name)

    def marked(value: Any) -> Any:
        if not isinstance(value, Value) or value.name not in names:
            return value
        return Value(value.name, value.tensor.with_(alias=Alias.MAY))

    def written(node: Node) -> Node:
        return node.map_values(lambda v: _original(graph, v)) if node.name in sources else node

    nodes = tuple(
        replace(written(n).map_values(marked), outputs=tuple(map(marked, n.outputs))) for n in graph.nodes
    )
    return replace(graph, nodes=nodes, outputs=tuple(map(marked, graph.outputs)))


def _target(node: Node, inputs: set[str]) -> str:
    """The input that ``node`` copies a whole value of the same kind into; empty when it does not."""
    if node.op != _COPY:
        return ""
    target, source = node.arg("self"), node.arg("src")
    if target.name not in inputs or not isinstance(source.spec, TensorSpec):
        return ""
    same = source.tensor.dtype == target.tensor.dtype and _text(source) == _text(target)
    return target.name if same else ""


def _text(value: Value) -> list[str]:
    return [str(d) for d in value.tensor.shape]


def _original(graph: Graph, value: Value) -> Value:
    """What ``value`` is a plain copy of: ``x[a:b] = y`` copies ``y`` into shape and dtype of ``x[a:b]``."""
    node = graph.producers.get(value.name)
    if node is None or node.op != "aten.copy.default":
        return value
    source = node.arg("src")
    return source if source.tensor.dtype == value.tensor.dtype and _text(source) == _text(value) else value


class OutputUse(enum.StrEnum):
    """What the caller of an AOTAutograd graph does with an output.

    ``kept``: it is the program's or saved for backward, so its memory is its own. ``rebuilt``: it is an input
    or a view of one, which the caller makes anew from that input. ``copied``: it is copied into an input.
    """

    KEPT = "kept"
    REBUILT = "rebuilt"
    COPIED = "copied"


def output_uses(gm: torch.fx.GraphModule) -> tuple[OutputUse, ...]:
    """The use of each output of an AOTAutograd graph; ``kept`` where nothing is known.

    Must be called inside an AOTAutograd compiler callback, where the tracing context describes the graph.
    """
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context is not None else None
    infos = metadata.output_info if metadata is not None else ()
    output = next(n for n in gm.graph.nodes if n.op == "output")
    count, found = len(output.args[0]), output.meta.get("desc") or ()
    if len(found) != count:
        return (OutputUse.KEPT,) * count
    return tuple(_use(descriptor, infos) for descriptor in found)


def _use(descriptor: Any, infos: Sequence[Any]) -> OutputUse:
    match descriptor:
        case descriptors.InputMutationAOTOutput():
            return OutputUse.COPIED
        case descriptors.PlainAOTOutput(idx=index) if index < len(infos):
            return OutputUse.REBUILT if infos[index].output_type in _REBUILT else OutputUse.KEPT
    return OutputUse.KEPT
