"""Operators that say the same thing get one spelling before claims are made, so that backends see fewer of
them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torchport.contract.graph import Graph, Node, Value, map_values

IDENTITIES = frozenset(
    {"aten.detach.default", "aten.alias.default", "aten.lift.default", "aten.lift_fresh.default"}
)
"""In a functional graph these return their argument."""

SPELLINGS = {
    "aten._unsafe_view.default": "aten.view.default",
}
"""Operators with the schema and, in a functional graph, the meaning of another one."""


SPLITS = frozenset({"aten.split.Tensor", "aten.unsafe_split.Tensor"})
"""Splits into pieces of one length."""


def canonicalize(graph: Graph) -> Graph:
    """The same graph with identities removed and synonyms renamed.

    An identity that is returned stays, as a view that costs nothing: two results of a program are two
    tensors, which may differ in ``requires_grad`` and in what is done to them afterwards.
    """
    returned = {value.name for value in graph.output_values}
    renamed: dict[str, Value] = {}

    def current(value: Value) -> Value:
        return renamed.get(value.name, value)

    nodes: list[Node] = []
    for node in graph.nodes:
        new = node.map_values(current)
        if node.op in IDENTITIES:
            if node.results[0].name in returned:
                nodes.append(new)
                continue
            renamed[node.results[0].name] = new.inputs[0]
            continue
        if node.op in SPELLINGS:
            new = replace(new, op=SPELLINGS[node.op])
        nodes.append(_with_piece_sizes(new) if new.op in SPLITS else new)
    outputs: tuple[Any, ...] = map_values(graph.outputs, current)
    return replace(graph, nodes=tuple(nodes), outputs=outputs)


def _with_piece_sizes(node: Node) -> Node:
    """A split of a symbolic size by the sizes of its pieces: only the trace knows how many there are."""
    operand, dim = node.arg("self"), node.arg("dim")
    if not operand.tensor.shape or isinstance(operand.tensor.shape[dim], int):
        return node
    sizes = tuple(piece.tensor.shape[dim] for piece in node.results)
    arguments = (("self", operand), ("split_sizes", sizes), ("dim", dim))
    return replace(node, op="aten.split_with_sizes.default", args=arguments)
