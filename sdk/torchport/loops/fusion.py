"""Fusion: which nodes share a kernel, what is computed again rather than stored, and in which order kernels
run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from torchport.contract.graph import Graph, Node, Value
from torchport.contract.views import is_view
from torchport.loops.expand import Expander, NotFusable, Program, Space, sources
from torchport.loops.index import Index, evaluate, exact_quotient, product
from torchport.loops.ir import Expr

MAX_MEMBERS, MAX_HEIGHT, MAX_DEPTH = 96, 64, 8
"""Nodes in one kernel, operations that wait for each other, and reductions that do; beyond that the C++
compiler's time grows faster than memory traffic shrinks.
"""


@dataclass(frozen=True)
class Store:
    """An element that a kernel writes for each point (``full``) or each row of its space."""

    value: Value
    index: Index
    expr: Expr


@dataclass(frozen=True)
class Kernel:
    """Fused nodes: an iteration space and what is stored. ``reads`` are the buffers it loads from."""

    space: Space
    stores: tuple[Store, ...]
    reads: tuple[Value, ...]
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Fused:
    """Kernels and outside nodes in execution order; outside nodes may read views of what is stored."""

    steps: tuple[Kernel | Node, ...]
    program: Program


@dataclass(eq=False)
class _Group:
    nodes: list[Node]
    space: Space | None
    expander: Expander | None
    order: int
    roots: set[str] = field(default_factory=set)


def shares_memory(node: Node) -> bool:
    """Whether a node's results are views of its first argument when PyTorch runs it."""
    return is_view(node.op) or node.op == "aten._unsafe_view.default"


def alias_root(graph: Graph, value: Value) -> Value:
    """The value whose memory ``value`` is a view of; itself when it is not a view."""
    node = graph.producers.get(value.name)
    while node is not None and shares_memory(node):
        value = node.args[0][1]
        node = graph.producers.get(value.name)
    return value


def fuse(
    graph: Graph,
    stored: Iterable[Value],
    *,
    outside: Collection[str] = (),
    once: Collection[str] = (),
) -> Fused:
    """Groups a graph's nodes into kernels.

    Args:
        graph: a contract graph; nodes without a lowering rule stay as they are.
        stored: values that must exist in memory at the end.
        outside: names of nodes that stay as they are though they have a rule.
        once: names of values that are never computed again, since what they are made of does not last.
    """
    return _Fusion(Program(graph, outside), {v.name for v in stored}, once).run()


class _Fusion:
    def __init__(self, program: Program, stored: set[str], once: Collection[str]) -> None:
        self.program, self.graph = program, program.graph
        self.required, self.once = set(stored), once
        self.by_name = {n.name: n for n in self.graph.nodes}
        self.position = {n.name: k for k, n in enumerate(self.graph.nodes)}
        self.inline: dict[str, bool] = {}
        self.group: dict[str, _Group] = {}
        self.loading: dict[str, set[str]] = {}
        self.readers: dict[str, set[str]] = {}
        self._needs: dict[str, tuple[str, ...]] = {}

    def run(self) -> Fused:
        for node in self.graph.nodes:
            if not self.program.is_loop(node):
                self.required |= {alias_root(self.graph, v).name for v in node.inputs}
        for node in self.graph.nodes:
            self.inline[node.name] = self.program.is_view(node) or (
                self.program.is_loop(node)
                and not any(v.name in self.once for v in node.results)
                and self._cheap(node)
            )
        for node in self.graph.nodes:
            if self._grouped(node):
                for name in self._needed(node.name):
                    self.readers.setdefault(name, set()).add(node.name)
        for node in self.graph.nodes:
            if self._grouped(node):
                self._place(node)
        groups = self._ordered()
        loaded = set(self.required)
        steps: list[Kernel | Node] = []
        for group in reversed(groups):
            if group.space is None:
                steps.append(group.nodes[0])
                loaded |= {alias_root(self.graph, v).name for v in group.nodes[0].inputs}
                continue
            kernel = self._finish(group, loaded)
            if kernel is not None:
                steps.append(kernel)
                loaded |= {v.name for v in kernel.reads}
        return Fused(tuple(reversed(steps)), self.program)

    def _grouped(self, node: Node) -> bool:
        return not self.inline[node.name] or any(v.name in self.required for v in node.results)

    def _cheap(self, node: Node) -> bool:
        """Whether computing a node again costs no more memory traffic than reading its stored result."""
        if any(self.program.definitions[v.name].reduction for v in node.results):
            return False
        shape = self.program.scope.shape(node.results[0].tensor)
        space = Space.of(tuple((s, False) for s in shape))
        try:
            expr = Expander(self.program, space, set(), {**self.inline, node.name: True}).at_point(
                node.results[0]
            )
        except NotFusable:
            return False
        size = self._count(product(shape))
        read = sum(min(self._touched(e), size) * e.attr[2].itemsize for e in sources(expr))
        return expr.cost <= 12 and not expr.heavy and read <= size * node.results[0].tensor.dtype.itemsize

    def _touched(self, load: Expr) -> int:
        return self._count(product(a.args[0] for a in load.deps))

    def _count(self, index: Index) -> int:
        return evaluate(index, self.program.hints)

    # --- grouping -------------------------------------------------------------------------------------------

    def _needed(self, name: str) -> tuple[str, ...]:
        """Nodes whose stored results a node reads, through everything that is inlined."""
        found = self._needs.get(name)
        if found is None:
            names: dict[str, None] = {}
            outside = not self.program.is_loop(self.by_name[name])
            for value in self.by_name[name].inputs:
                producer = self.graph.producers.get(
                    alias_root(self.graph, value).name if outside else value.name
                )
                if producer is None:
                    continue
                if outside or not self.inline[producer.name]:
                    names[producer.name] = None
                else:
                    names.update(dict.fromkeys(self._needed(producer.name)))
            found = self._needs[name] = tuple(names)
        return found

    def _own_space(self, node: Node) -> Space:
        value = node.results[0]
        definition = self.program.definitions[value.name]
        if definition.reduction is not None:
            r = definition.reduction
            return Space.of(tuple((s, a in r.axes) for a, s in enumerate(r.source)))
        return Space.of(tuple((s, False) for s in definition.shape))

    def _place(self, node: Node) -> None:
        if not self.program.is_loop(node):
            self.group[node.name] = _Group([node], None, None, self.position[node.name])
            return
        space = self._own_space(node)
        group = _Group(
            [node], space, Expander(self.program, space, {node.name}, self.inline), self.position[node.name]
        )
        self.group[node.name] = group
        candidates = {id(g): g for n in self._needed(node.name) if (g := self.group[n]).space is not None}
        candidates.update({id(g): g for g in self._siblings(group)})
        for other in sorted(candidates.values(), key=lambda g: -self.position[g.nodes[-1].name]):
            merged = self._merge(other, self.group[node.name])
            if merged is not None:
                for n in merged.nodes:
                    self.group[n.name] = merged
        self._note_loads(self.group[node.name])

    def _siblings(self, group: _Group) -> Iterator[_Group]:
        """Groups over as many points that load a buffer of that size which ``group`` loads too."""
        assert group.space is not None and group.expander is not None
        for value in group.nodes[0].results:
            group.expander.at_point(value)
        for name in group.expander.loads:
            for member in sorted(self.loading.get(name, ())):
                other = self.group[member]
                if other.space is not None and other.space.total == group.space.total:
                    yield other

    def _note_loads(self, group: _Group) -> None:
        assert group.space is not None and group.expander is not None
        for name, value in group.expander.loads.items():
            if product(self.program.scope.shape(value.tensor)) == group.space.total:
                self.loading.setdefault(name, set()).add(group.nodes[0].name)

    def _merge(self, a: _Group, b: _Group) -> _Group | None:
        if len(a.nodes) + len(b.nodes) > MAX_MEMBERS or a.space is None or b.space is None:
            return None
        space = joined(a.space, b.space)
        if space is None or self._cyclic(a, b):
            return None
        nodes = sorted(
            {n.name: n for n in (*a.nodes, *b.nodes)}.values(), key=lambda n: self.position[n.name]
        )
        members = {n.name for n in nodes}
        base = a.expander
        if base is None or len(b.nodes) > 1 or space.dims != a.space.dims:
            base, todo = Expander(self.program, space, members, self.inline), nodes
        else:
            base.members |= members
            todo = b.nodes
        try:
            for n in todo:
                read_outside = n is nodes[-1] or not self.readers.get(n.name, set()) <= members
                for v in n.results:
                    if read_outside or v.name in self.required:
                        expr = base.at_point(v)
                        if expr.height > MAX_HEIGHT or expr.depth > MAX_DEPTH:
                            raise NotFusable("the expression is too deep")
        except NotFusable:
            base.members -= {n.name for n in b.nodes}
            return None
        return _Group(nodes, space, base, min(a.order, b.order))

    def _predecessors(self, group: _Group) -> Iterator[_Group]:
        for node in group.nodes:
            for name in self._needed(node.name):
                yield self.group[name]

    def _cyclic(self, a: _Group, b: _Group) -> bool:
        """Whether something outside both lies on a path between them."""
        return self._reached(a, b) or self._reached(b, a)

    def _reached(self, source: _Group, target: _Group) -> bool:
        oldest = self.position[source.nodes[0].name]
        stack = [g for g in self._predecessors(target) if g is not source and g is not target]
        seen: set[int] = set()
        while stack:
            group = stack.pop()
            if id(group) in seen or self.position[group.nodes[-1].name] < oldest:
                continue
            seen.add(id(group))
            for before in self._predecessors(group):
                if before is source:
                    return True
                if before is not target:
                    stack.append(before)
        return False

    def _ordered(self) -> list[_Group]:
        done: dict[int, _Group] = {}
        for start in sorted({id(g): g for g in self.group.values()}.values(), key=lambda g: g.order):
            stack: list[tuple[_Group, Iterator[_Group]]] = [(start, self._predecessors(start))]
            entered = {id(start)}
            while stack:
                group, before = stack[-1]
                if id(group) in done:
                    stack.pop()
                    continue
                following = next((g for g in before if id(g) not in done and id(g) not in entered), None)
                if following is None:
                    done[id(group)] = group
                    stack.pop()
                else:
                    entered.add(id(following))
                    stack.append((following, self._predecessors(following)))
        return list(done.values())

    # --- kernels --------------------------------------------------------------------------------------------

    def _finish(self, group: _Group, loaded: set[str]) -> Kernel | None:
        assert group.space is not None
        expander = Expander(self.program, group.space, {n.name for n in group.nodes}, self.inline)
        stores = []
        for node in group.nodes:
            for value in node.results:
                if value.name in loaded:
                    stores.append(self._store(expander, value))
        if not stores:
            return None
        nodes = tuple(n for n in group.nodes if expander.used(n))
        return Kernel(group.space, tuple(stores), tuple(expander.loads.values()), nodes)

    def _store(self, expander: Expander, value: Value) -> Store:
        scope = self.program.scope
        column = expander.is_column(value)
        shape = scope.shape(value.tensor)
        place = expander.space.column_place(shape) if column else expander.space.place(shape)
        assert place is not None
        index = Index({})
        for i, size, stride in zip(place, value.tensor.shape, scope.strides(value.tensor), strict=True):
            if size != 1:
                index = index + i * stride
        return Store(value, index, expander.column(value) if column else expander.read(value, place))


def joined(a: Space, b: Space) -> Space | None:
    """The space that serves nodes of both: the same points with common dimension boundaries, or rows of one
    of them.
    """
    if a.total == b.total:
        dims = _refined(a, b)
        if dims is not None:
            return Space.of(dims)
    if a.reduced and not b.reduced and b.total == a.rows:
        return a
    if b.reduced and not a.reduced and a.total == b.rows:
        return b
    return None


def _refined(a: Space, b: Space) -> tuple[tuple[Index, bool], ...] | None:
    left, right = list(a.dims), list(b.dims)
    crossed = bool(a.reduced and b.reduced) and left[-1].reduced != right[-1].reduced
    if crossed and right[-1].reduced:  # the space that reduces its last dimension gives the rows
        a, b, left, right = b, a, right, left
    out: list[tuple[Index, bool]] = []
    size_l: Index | None = None
    size_r: Index | None = None
    while left or right:
        if not left or not right:
            return None
        size_l = left[-1].size if size_l is None else size_l
        size_r = right[-1].size if size_r is None else size_r
        reduced_l, reduced_r = left[-1].reduced, right[-1].reduced
        if a.reduced and b.reduced and (reduced_l != reduced_r) != crossed:
            return None
        flag = reduced_l or (reduced_r and not crossed)
        if size_l == size_r:
            out.append((size_l, flag))
            size_l = size_r = None
            left.pop()
            right.pop()
        elif (rest := exact_quotient(size_r, size_l)) is not None:
            out.append((size_l, flag))
            size_l, size_r = None, rest
            left.pop()
        elif (rest := exact_quotient(size_l, size_r)) is not None:
            out.append((size_r, flag))
            size_l, size_r = rest, None
            right.pop()
        else:
            return None
    # More dimensions than either has means that the two walk the points in different orders.
    return tuple(reversed(out)) if len(out) <= max(len(a.dims), len(b.dims)) else None
