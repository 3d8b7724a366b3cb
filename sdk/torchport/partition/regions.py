"""Convex regions from owners, in near-linear time.

Every node gets a level: the largest level among its inputs, one more where the owner changes along the edge.
Nodes with the same owner and level form a group; levels never fall along an edge, so a group is convex.
Groups of one owner are then merged where no path leaves and returns. Backend proposals come first and are
checked for convexity.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from torchport.contract.graph import Graph, Node, Symbol, TensorSpec, Value, symbols_in
from torchport.contract.views import is_ordered
from torchport.errors import PartitionError

MERGE_LIMIT = 2048
"""Above this many groups merging is skipped: it is quadratic in the number of groups."""


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
    edges = _dependencies(graph)
    group_of, members, owner_of, labels = _proposed(graph, proposals)
    _grow(graph, owners, edges, group_of, members, owner_of)
    if len(members) <= MERGE_LIMIT:
        _merge(graph, edges, group_of, members, owner_of, frozenset(labels))
    order = _order(graph, edges, group_of, members)
    nodes = {n.name: n for n in graph.nodes}
    position = {n.name: i for i, n in enumerate(graph.nodes)}
    segments: list[Segment] = []
    for group in order:
        inside = sorted(members[group], key=position.__getitem__)
        limit = (size_limits or {}).get(owner_of[group]) if owner_of[group] is not None else 1  # type: ignore[arg-type]
        step = limit or len(inside)
        for start in range(0, len(inside), step):
            chunk = tuple(nodes[name] for name in inside[start : start + step])
            segments.append(Segment(owner_of[group], chunk, labels.get(group, "")))
    return PartitionedGraph(graph, tuple(segments))


def _dependencies(graph: Graph) -> dict[str, tuple[str, ...]]:
    """Names of the nodes each node waits for: producers of its inputs, and the ordered node before it."""
    producers = graph.producers
    symbol_makers: dict[str, str] = {}
    for symbol in graph.symbols:
        maker = producers.get(_source_value(symbol.source))
        if maker is not None:
            symbol_makers[symbol.name] = maker.name
    found: dict[str, tuple[str, ...]] = {}
    last_ordered: str | None = None
    for node in graph.nodes:
        before = {producers[v.name].name: None for v in node.inputs if v.name in producers}
        if symbol_makers:
            used = frozenset().union(*(symbols_in(a) for _, a in node.args)) if node.args else frozenset()
            for spec in node.output_specs:
                used |= spec.symbols
            before.update(
                {symbol_makers[s]: None for s in used if symbol_makers.get(s, node.name) != node.name}
            )
        if is_ordered(node):
            if last_ordered is not None:
                before[last_ordered] = None
            last_ordered = node.name
        found[node.name] = tuple(before)
    return found


def _source_value(source: tuple[object, ...]) -> str:
    if source and source[0] == "solve":
        return _source_value(tuple(source[1]))  # type: ignore[arg-type]
    return str(source[1]) if len(source) > 1 and isinstance(source[1], str) else ""


def _proposed(
    graph: Graph, proposals: Sequence[Proposed]
) -> tuple[dict[str, int], list[list[str]], list[int | None], dict[int, str]]:
    group_of: dict[str, int] = {}
    members: list[list[str]] = []
    owner_of: list[int | None] = []
    labels: dict[int, str] = {}
    known = {n.name for n in graph.nodes}
    for proposal in proposals:
        unknown, taken = proposal.nodes - known, proposal.nodes & group_of.keys()
        if unknown or taken or not proposal.nodes:
            raise PartitionError(
                f"proposal {proposal.label!r} is not valid",
                got=f"unknown nodes {sorted(unknown)}, nodes of an earlier proposal {sorted(taken)}",
                hint="propose() must return disjoint, non-empty sets of node names of the graph it was given",
            )
        group_of.update(dict.fromkeys(proposal.nodes, len(members)))
        labels[len(members)] = proposal.label
        members.append(sorted(proposal.nodes))
        owner_of.append(proposal.owner)
    return group_of, members, owner_of, labels


def _grow(
    graph: Graph,
    owners: Mapping[str, int],
    edges: Mapping[str, tuple[str, ...]],
    group_of: dict[str, int],
    members: list[list[str]],
    owner_of: list[int | None],
) -> None:
    """Groups by (owner, level). A node that nobody owns is a group of its own, as is each proposal."""
    fixed = dict(group_of)
    level: dict[str, int] = {}
    keys: dict[tuple[int, int], int] = {}
    for node in graph.nodes:
        owner = owners.get(node.name)
        mine = ("proposal", fixed[node.name]) if node.name in fixed else ("owner", owner)
        depth = 0
        for before in edges[node.name]:
            other_owner = owners.get(before)
            other = ("proposal", fixed[before]) if before in fixed else ("owner", other_owner)
            depth = max(depth, level[before] + (other != mine))
        level[node.name] = depth
        if node.name in fixed:
            continue
        if owner is None:
            group_of[node.name] = len(members)
            members.append([node.name])
            owner_of.append(None)
            continue
        group = keys.setdefault((owner, depth), len(members))
        if group == len(members):
            members.append([])
            owner_of.append(owner)
        members[group].append(node.name)
        group_of[node.name] = group


def _merge(
    graph: Graph,
    edges: Mapping[str, tuple[str, ...]],
    group_of: dict[str, int],
    members: list[list[str]],
    owner_of: list[int | None],
    fixed: frozenset[int],
) -> None:
    """Merges neighbouring groups of one owner where no path leaves and returns. Ancestors are kept as bit
    sets.
    """
    before = _group_edges(edges, group_of, len(members))
    order = _topological(before, members, {n.name: i for i, n in enumerate(graph.nodes)})
    ancestors = [0] * len(members)
    for group in order:
        for other in before[group]:
            ancestors[group] |= ancestors[other] | (1 << other)
    waiting = [group for group in order if owner_of[group] is not None and group not in fixed]
    while waiting:  # a merger can only make room for mergers of the groups that it touches
        touched: set[int] = set()
        for group in waiting:
            target = _mergeable(group, before, ancestors, owner_of, fixed) if members[group] else None
            if target is not None:
                _absorb(target, group, before, ancestors, members, group_of)
                touched.add(target)
                touched.update(g for g in range(len(members)) if target in before[g])
        waiting = [g for g in order if g in touched and owner_of[g] is not None and g not in fixed]


def _mergeable(
    group: int,
    before: list[set[int]],
    ancestors: list[int],
    owner_of: list[int | None],
    fixed: frozenset[int],
) -> int | None:
    """A group that ``group`` reads from, of the same owner, with no path between them through a third one."""
    for other in sorted(before[group]):
        if owner_of[other] != owner_of[group] or other in fixed:
            continue
        if not any(ancestors[x] >> other & 1 for x in before[group] if x != other):
            return other
    return None


def _absorb(
    into: int,
    group: int,
    before: list[set[int]],
    ancestors: list[int],
    members: list[list[str]],
    group_of: dict[str, int],
) -> None:
    """Merges ``group`` into ``into`` and keeps edges and ancestor sets true for every other group."""
    members[into] += members[group]
    group_of.update(dict.fromkeys(members[group], into))
    members[group] = []
    before[into] |= before[group] - {into}
    added = (ancestors[group] | ancestors[into]) & ~((1 << into) | (1 << group))
    ancestors[into] = added
    for other in range(len(members)):
        if group in before[other]:
            before[other].discard(group)
            before[other].add(into)
        if ancestors[other] >> group & 1 or ancestors[other] >> into & 1:
            ancestors[other] = (ancestors[other] | added | (1 << into)) & ~(1 << group)
    before[into].discard(into)


def _group_edges(
    edges: Mapping[str, tuple[str, ...]], group_of: Mapping[str, int], count: int
) -> list[set[int]]:
    before: list[set[int]] = [set() for _ in range(count)]
    for name, others in edges.items():
        before[group_of[name]].update(group_of[o] for o in others if group_of[o] != group_of[name])
    return before


def _topological(
    before: Sequence[set[int]], members: Sequence[Sequence[str]], position: Mapping[str, int]
) -> list[int]:
    """Groups in dependency order, earliest first member first.

    Raises:
        PartitionError: groups depend on each other in a circle (a proposal is not convex).
    """
    after: list[list[int]] = [[] for _ in before]
    for group, others in enumerate(before):
        for other in others:
            after[other].append(group)
    waiting = [len(others) for others in before]
    first = [min((position[m] for m in names), default=0) for names in members]
    ready = [(first[g], g) for g, n in enumerate(waiting) if n == 0 and members[g]]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, group = heapq.heappop(ready)
        order.append(group)
        for other in after[group]:
            waiting[other] -= 1
            if waiting[other] == 0:
                heapq.heappush(ready, (first[other], other))
    if len(order) != sum(1 for names in members if names):
        stuck = sorted(m for g, names in enumerate(members) if waiting[g] > 0 for m in names)
        raise PartitionError(
            "regions depend on each other in a circle",
            got=", ".join(stuck[:20]),
            hint="proposals must be convex",
        )
    return order


def _order(
    graph: Graph,
    edges: Mapping[str, tuple[str, ...]],
    group_of: Mapping[str, int],
    members: Sequence[Sequence[str]],
) -> list[int]:
    before = _group_edges(edges, group_of, len(members))
    return _topological(before, members, {n.name: i for i, n in enumerate(graph.nodes)})


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
