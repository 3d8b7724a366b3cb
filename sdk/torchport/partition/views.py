"""Views at region borders are left to PyTorch, where they cost nothing, instead of being copied out of a
region.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from torchport.contract.graph import Graph, Node, Value, map_values
from torchport.contract.views import is_ordered, is_view


def split_border_views(graph: Graph, owners: Mapping[str, int]) -> Graph:
    """Gives a claimed view an unowned twin for the readers outside its owner, and drops nodes that nobody
    reads.

    The claimed view stays for the readers that have the same owner. The twin is computed by PyTorch from the
    same base, so a region never copies out a value that is only another view of what it reads or writes
    anyway.
    """
    views = {
        value.name: node
        for node in graph.nodes
        if node.name in owners and is_view(node.op)
        for value in node.results
    }
    wanted: set[str] = set()

    def twin(value: Value) -> Value:
        return Value(f"{value.name}__free", value.spec)

    def outside(owner: int | None, value: Value) -> Value:
        """What a reader with this owner reads instead of ``value``."""
        view = views.get(value.name)
        if view is None or (owner is not None and owners[view.name] == owner):
            return value
        wanted.add(value.name)
        return twin(value)

    if not views:
        return drop_unread(graph)
    outputs = map_values(graph.outputs, lambda value: outside(None, value))
    rewritten: list[Node] = []
    for node in reversed(graph.nodes):
        owner = owners.get(node.name)
        if any(value.name in wanted for value in node.results):
            moved = node.map_values(lambda value: outside(None, value))
            outputs_of = tuple(None if value is None else twin(value) for value in node.outputs)
            rewritten.append(replace(moved, name=f"{node.name}__free", outputs=outputs_of))
        reads_view = any(value.name in views for value in node.inputs)
        rewritten.append(
            node.map_values(lambda value, owner=owner: outside(owner, value)) if reads_view else node
        )
    return drop_unread(replace(graph, nodes=tuple(reversed(rewritten)), outputs=outputs))


def drop_unread(graph: Graph) -> Graph:
    """The graph without nodes whose results nobody reads; nodes with effects or random draws stay."""
    read = {value.name for value in graph.output_values}
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if is_ordered(node) or any(value.name in read for value in node.results):
            kept.append(node)
            read.update(value.name for value in node.inputs)
    sources = {part for symbol in graph.symbols for part in symbol.source if isinstance(part, str)}
    if any(
        value.name in sources and value.name not in read for node in graph.nodes for value in node.results
    ):
        return graph
    return replace(graph, nodes=tuple(reversed(kept)))
