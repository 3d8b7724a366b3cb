"""Convex regions from owners, in linear time for each owner.

The graph is contracted one owner at a time, in order of preference, after the backends' proposals. A node's
depth for an owner is the number of times the longest way to it leaves that owner; the owner's nodes of one
depth become one region. No way from such a region leaves it and comes back, because leaving raises the depth:
regions are convex, the contracted graph has no circles, and two regions of one owner that touch stay apart
only where a way through others joins them.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from torchport.contract.graph import Graph, Node, Symbol, TensorSpec, Value, symbols_in
from torchport.contract.views import is_ordered
from torchport.errors import PartitionError


@dataclass(frozen=True, eq=False)
class Segment:
    """A run of nodes with one owner: a region of backend ``owner``, or one node left to PyTorch (``owner``
    None).
    """

    owner: int | None
    nodes: tuple[Node, ...]
    label: str = ""


@dataclass(frozen=True, eq=False)
class PartitionedGraph:
    """Segments in an order that respects every data dependency and the order of random draws and effects."""

    graph: Graph
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Proposed:
    """Node names that one backend wants as one region."""

    owner: int
    nodes: frozenset[str]
    label: str


def partition(
    graph: Graph,
    owners: Mapping[str, int],
    *,
    proposals: Sequence[Proposed] = (),
    size_limits: Mapping[int, int | None] | None = None,
) -> PartitionedGraph:
    """Groups the nodes of ``graph`` into segments.

    Raises:
        PartitionError: a proposal names unknown nodes, overlaps another one, or is not convex.
    """
    units = _Units(graph, proposals)
    for owner in sorted(set(owners.values())):
        units.contract(owners, owner)
    segments: list[Segment] = []
    for unit in units.order(*units.readers()):
        inside, owned_by = units.members(unit), units.owner_of.get(unit)
        step = (None if owned_by is None else (size_limits or {}).get(owned_by)) or len(inside)
        for start in range(0, len(inside), step):
            chunk = tuple(graph.nodes[place] for place in inside[start : start + step])
            segments.append(Segment(owned_by, chunk, units.labels.get(unit, "")))
    return PartitionedGraph(graph, tuple(segments))


@dataclass(frozen=True, slots=True)
class _Edges:
    """Which node waits for which, by place in the graph: ``targets[i]`` waits for ``sources[i]``."""

    sources: list[int]
    targets: list[int]


def _dependencies(graph: Graph, place: Mapping[str, int]) -> _Edges:
    """Each node waits for the producers of its inputs and symbols, and for the ordered node before it."""
    producers = {value.name: i for i, node in enumerate(graph.nodes) for value in node.results}
    makers = {
        symbol.name: producers[source]
        for symbol in graph.symbols
        if (source := _source_value(symbol.source)) in producers
    }
    edges = _Edges([], [])
    last_ordered: int | None = None
    for i, node in enumerate(graph.nodes):
        before = [producers[value.name] for value in node.inputs if value.name in producers]
        if makers:
            used = frozenset().union(*(symbols_in(a) for _, a in node.args)) if node.args else frozenset()
            for spec in node.output_specs:
                used |= spec.symbols
            before += [makers[s] for s in used if makers.get(s, i) != i]
        if is_ordered(node):
            if last_ordered is not None:
                before.append(last_ordered)
            last_ordered = i
        edges.sources.extend(before)
        edges.targets.extend([i] * len(before))
    return edges


def _source_value(source: tuple[object, ...]) -> str:
    if source and source[0] == "solve":
        return _source_value(tuple(source[1]))  # type: ignore[arg-type]
    return str(source[1]) if len(source) > 1 and isinstance(source[1], str) else ""


class _Units:
    """What is ordered: single nodes at first, then proposals and regions in the place of their members.

    A unit's number is the place of its first member. Edges are flat lists of numbers: objects for each node
    would cost more than the algorithm, most of it in Python's garbage collector.
    """

    def __init__(self, graph: Graph, proposals: Sequence[Proposed]) -> None:
        self.names = [n.name for n in graph.nodes]
        self.place = {name: i for i, name in enumerate(self.names)}
        self.edges = _dependencies(graph, self.place)
        self.unit = list(range(len(self.names)))
        self.joined: dict[int, list[int]] = {}
        self.owner_of: dict[int, int] = {}
        self.labels: dict[int, str] = {}
        self.movable = _movable(graph, self.edges)
        for proposal in proposals:
            self.propose(proposal)

    def members(self, unit: int) -> list[int]:
        """Places of the nodes of a unit, in order."""
        return self.joined.get(unit) or [unit]

    def propose(self, proposal: Proposed) -> None:
        places = [self.place[name] for name in proposal.nodes if name in self.place]
        unknown = proposal.nodes - self.place.keys()
        taken = {self.names[i] for i in places if self.unit[i] in self.labels}
        if unknown or taken or not proposal.nodes:
            raise PartitionError(
                f"proposal {proposal.label!r} is not valid",
                got=f"unknown nodes {sorted(unknown)}, nodes of an earlier proposal {sorted(taken)}",
                hint="propose() must return disjoint, non-empty sets of node names of the graph it was given",
            )
        self.labels[self.join(sorted(places), proposal.owner)] = proposal.label

    def join(self, places: list[int], owner: int) -> int:
        """One unit of single nodes, in order."""
        unit = places[0]
        for place in places:
            self.unit[place] = unit
        self.joined[unit], self.owner_of[unit] = places, owner
        return unit

    def readers(self) -> tuple[list[int], list[int]]:
        """The units that wait for each unit: those of unit ``u`` are ``flat[start[u] : start[u + 1]]``."""
        unit, count = self.unit, [0] * (len(self.unit) + 1)
        between = [
            (unit[source], unit[target])
            for source, target in zip(self.edges.sources, self.edges.targets, strict=True)
            if unit[source] != unit[target]
        ]
        for source, _ in between:
            count[source + 1] += 1
        start = list(itertools.accumulate(count))
        flat, filled = [0] * len(between), start.copy()
        for source, target in between:
            flat[filled[source]] = target
            filled[source] += 1
        return start, flat

    def order(self, start: list[int], flat: list[int]) -> list[int]:
        """Units in dependency order, earliest first member first.

        Raises:
            PartitionError: units depend on each other in a circle (a proposal is not convex).
        """
        waiting = [0] * len(self.unit)
        for target in flat:
            waiting[target] += 1
        units = [i for i, unit in enumerate(self.unit) if unit == i]
        ready = [unit for unit in units if not waiting[unit]]
        order: list[int] = []
        while ready:
            unit = heapq.heappop(ready)
            order.append(unit)
            for target in flat[start[unit] : start[unit + 1]]:
                waiting[target] -= 1
                if not waiting[target]:
                    heapq.heappush(ready, target)
        if len(order) != len(units):
            stuck = sorted(self.names[i] for unit in units if waiting[unit] for i in self.members(unit))
            raise PartitionError(
                "regions depend on each other in a circle",
                got=", ".join(stuck[:20]),
                hint="proposals must be convex",
            )
        return order

    def contract(self, owners: Mapping[str, int], owner: int) -> None:
        """Joins the owner's single nodes of one depth."""
        start, flat = self.readers()
        order = self.order(start, flat)
        single = [unit == i and i not in self.joined for i, unit in enumerate(self.unit)]
        mine = [alone and owners.get(name) == owner for alone, name in zip(single, self.names, strict=True)]
        depth = [0] * len(mine)
        for unit in order:
            inside, left = depth[unit], depth[unit] + mine[unit]
            for target in flat[start[unit] : start[unit + 1]]:
                deep = inside if mine[target] else left
                if deep > depth[target]:
                    depth[target] = deep
        for unit in reversed(order):  # casts of all weights would be held from the first region on
            if mine[unit] and self.movable[unit]:
                targets = flat[start[unit] : start[unit + 1]]
                if targets and all(mine[target] for target in targets):
                    depth[unit] = min(depth[target] for target in targets)
        groups: dict[int, list[int]] = {}
        for unit, is_mine in enumerate(mine):
            if is_mine:
                groups.setdefault(depth[unit], []).append(unit)
        for places in groups.values():
            self.join(places, owner)


def _movable(graph: Graph, edges: _Edges) -> list[bool]:
    """Which nodes depend on graph inputs alone, and have no result among the outputs: they may be computed
    where their owner first reads them.
    """
    kept = {value.name for value in graph.output_values}
    depends = [is_ordered(node) for node in graph.nodes]
    for source, target in zip(edges.sources, edges.targets, strict=True):
        depends[target] = depends[target] or depends[source]
    return [
        not late and not any(value.name in kept for value in node.results)
        for node, late in zip(graph.nodes, depends, strict=True)
    ]


def region_graph(graph: Graph, nodes: Sequence[Node]) -> Graph:
    """The sub-graph of ``nodes``: inputs are what it reads from outside, outputs what is read outside of
    it.
    """
    inside = {n.name for n in nodes}
    produced = {v.name for n in nodes for v in n.results}
    inputs: dict[str, Value] = {}
    for node in nodes:
        for value in node.inputs:
            if value.name not in produced:
                inputs.setdefault(value.name, value)
    kept = {v.name for v in graph.output_values}
    escaping = tuple(
        v
        for n in nodes
        for v in n.results
        if v.name in kept or any(user.name not in inside for user in graph.users.get(v.name, ()))
    )
    return Graph(
        tuple(inputs.values()),
        tuple(nodes),
        escaping,
        _region_symbols(graph, inputs, nodes),
        _constants(graph, inputs),
    )


def _constants(graph: Graph, inputs: Mapping[str, Value]) -> dict[str, torch.Tensor]:
    return {name: graph.constants[name] for name in inputs if name in graph.constants}


def _region_symbols(graph: Graph, inputs: Mapping[str, Value], nodes: Sequence[Node]) -> tuple[Symbol, ...]:
    """Symbols the region uses; the source is a size of a region input where there is one."""
    if not graph.symbols:
        return ()
    used: set[str] = set()
    sources: dict[str, tuple[object, ...]] = {}
    for value in inputs.values():
        if isinstance(value.spec, TensorSpec):
            used |= value.spec.symbols
            for i, d in enumerate(value.spec.shape):
                sources.setdefault(str(d), ("size", value.name, i))
    for node in nodes:
        for _, arg in node.args:
            used |= symbols_in(arg)
        for spec in node.output_specs:
            used |= spec.symbols
    return tuple(
        Symbol(s.name, s.low, s.high, s.hint, sources.get(s.name, ()))
        for s in graph.symbols
        if s.name in used
    )
