"""Operators that say the same thing get one spelling before claims are made, so that backends see fewer of
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy

from torchport.contract.graph import Graph, Node, Value, map_values
from torchport.contract.symbols import SymExpr, from_sympy

IDENTITIES = frozenset(
    {"aten.detach.default", "aten.alias.default", "aten.lift.default", "aten.lift_fresh.default"}
)
"""In a functional graph these return their argument."""

SPELLINGS = {
    "aten._unsafe_view.default": "aten.view.default",
}
"""Operators with the schema and, in a functional graph, the meaning of another one."""


INDICES = {
    "aten.slice_backward.default": ("start",),
    "aten.select_backward.default": ("index",),
    "aten.slice_scatter.default": ("start", "end"),
    "aten.select_scatter.default": ("index",),
}
"""Arguments that count from the end where they are negative, by operator."""

SPLITS = frozenset({"aten.split.Tensor", "aten.unsafe_split.Tensor"})
"""Splits into pieces of one length."""


def canonicalize(graph: Graph) -> Graph:
    """The same graph with identities removed and synonyms renamed.

    An identity that is returned stays, as a view that costs nothing: two results of a program are two
    tensors, which may differ in ``requires_grad`` and in what is done to them afterwards.
    """
    returned = {value.name for value in graph.output_values}
    hints = {symbol.name: symbol.hint for symbol in graph.symbols if symbol.hint is not None}
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
        if new.op in INDICES:
            new = _from_the_start(new, hints)
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


def _from_the_start(node: Node, hints: Mapping[str, int]) -> Node:
    """The node with symbolic indices counted from the start.

    PyTorch has guarded on their sign when it traced the view that the node belongs to, so that it is that of
    the example's sizes.
    """
    sizes = node.arg("input_sizes") if "backward" in node.op else node.arg("self").tensor.shape
    size = sizes[node.arg("dim")] if sizes else 1

    def counted(name: str, argument: Any) -> Any:
        if name not in INDICES[node.op] or not isinstance(argument, SymExpr):
            return argument
        if not argument.symbols <= hints.keys() or argument.evaluate(hints) >= 0:
            return argument
        whole = size.sympy() if isinstance(size, SymExpr) else sympy.Integer(size)
        return from_sympy(argument.sympy() + whole)

    return replace(node, args=tuple((name, counted(name, argument)) for name, argument in node.args))
