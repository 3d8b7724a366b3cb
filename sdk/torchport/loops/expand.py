"""Expansion: the value of a graph node at an index of a kernel's iteration space, as one loop expression.

Views are folded into indices, members of the kernel and inlined nodes become part of the expression,
everything else is a load. Because expressions are interned, members that read the same element share it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import torch

from torchport.contract.graph import Graph, Node, Value
from torchport.loops.index import ONE, ZERO, Atom, Index, nonnegative, only_atom, product, var
from torchport.loops.ir import Builder, Expr, index_values
from torchport.loops.lowering import lower_node, not_covered, supported_ops
from torchport.loops.lowering.definition import Definition, Indices, Scope
from torchport.loops.lowering.views import remap

REPEATABLE = 3
"""Cost from which a member of a kernel is computed at one place only."""


class NotFusable(Exception):
    """A value cannot be computed inside the kernel that asked for it; it has to be read from memory."""


@dataclass(frozen=True, slots=True)
class Dim:
    """A dimension of an iteration space: loop variable, size, and whether reductions run over it."""

    var: Atom
    size: Index
    reduced: bool


@dataclass(frozen=True)
class Space:
    """An iteration space in logical (row-major) order."""

    dims: tuple[Dim, ...]

    @staticmethod
    def of(sizes: tuple[tuple[Index, bool], ...]) -> Space:
        """A space with fresh variables; dimensions of size 1 are left out."""
        kept = [(s, r) for s, r in sizes if s != ONE]
        return Space(tuple(Dim(only_atom(var(f"i{k}", s)), s, r) for k, (s, r) in enumerate(kept)))

    @property
    def sizes(self) -> Indices:
        """Sizes of all dimensions."""
        return tuple(d.size for d in self.dims)

    @property
    def at(self) -> Indices:
        """The current point."""
        return tuple(Index({(d.var,): 1}) for d in self.dims)

    @property
    def total(self) -> Index:
        """Number of points."""
        return product(self.sizes)

    @property
    def rows(self) -> Index:
        """Number of points of the dimensions that are not reduced."""
        return product(d.size for d in self.dims if not d.reduced)

    @property
    def reduced(self) -> tuple[Atom, ...]:
        """Variables that reductions run over."""
        return tuple(d.var for d in self.dims if d.reduced)

    def place(self, shape: Indices) -> Indices | None:
        """The current point as an index of a value of full or of row size; ``None`` if it is neither."""
        count = product(shape)
        if count == self.total:
            return remap(self.at, self.sizes, shape)
        if count == self.rows:
            kept = [d for d in self.dims if not d.reduced]
            return remap(tuple(Index({(d.var,): 1}) for d in kept), tuple(d.size for d in kept), shape)
        return None

    def column_place(self, shape: Indices) -> Indices:
        """The current point's reduced coordinates as an index of a value that keeps exactly those."""
        swept = [d for d in self.dims if d.reduced]
        return remap(tuple(Index({(d.var,): 1}) for d in swept), tuple(d.size for d in swept), shape)


class Program:
    """A graph with a definition for every result that has a rule. Nodes without one, and those named in
    ``outside``, run outside generated code.
    """

    def __init__(self, graph: Graph, outside: Collection[str] = ()) -> None:
        self.graph = graph
        self.scope = Scope({s.name: s.low for s in graph.symbols})
        self.hints = {s.name: s.hint or max(s.low, 64) for s in graph.symbols}
        self.build = Builder()
        self.definitions: dict[str, Definition] = {}
        for node in graph.nodes:
            if node.name not in outside and node.op in supported_ops() and not not_covered(node):
                for value, definition in zip(node.outputs, lower_node(node, self.scope), strict=True):
                    if value is not None:
                        self.definitions[value.name] = _without_trivial_reduction(definition)

    def is_loop(self, node: Node) -> bool:
        """Whether generated code computes this node."""
        return bool(node.results) and node.results[0].name in self.definitions

    def is_view(self, node: Node) -> bool:
        """Whether a node only changes which element is read."""
        return self.is_loop(node) and all(self.definitions[v.name].view for v in node.results)


def _without_trivial_reduction(d: Definition) -> Definition:
    """A reduction over dimensions of size 1 is elementwise."""
    r = d.reduction
    if r is None or any(r.source[a] != ONE for a in r.axes):
        return d

    def at(reader: Expander, index: Indices) -> Expr:
        kept = iter(d.kept(index))
        source = tuple(ZERO if a in r.axes else next(kept) for a in range(len(r.source)))
        values = r.body(reader, source)
        return r.finish(reader, reader.build.convert(values[-1], r.accumulate))

    return Definition(d.shape, d.dtype, at)  # type: ignore[arg-type]


class Expander:
    """Expands values over one iteration space. ``members`` are nodes computed here, ``inline`` nodes computed
    anywhere.

    Raises (from :meth:`read`):
        NotFusable: a reduction is read at another row than the current one, or costly work would be repeated.
    """

    def __init__(self, program: Program, space: Space, members: set[str], inline: Mapping[str, bool]) -> None:
        self.program, self.space, self.members, self.inline = program, space, members, inline
        self.build = program.build
        self.loads: dict[str, Value] = {}
        self._known: dict[tuple[str, Indices, int], Expr] = {}
        self._used: set[str] = set()
        self._places: dict[str, set[Indices]] = {}
        self._mask: Expr | None = None

    def read(self, value: Value, at: Indices) -> Expr:
        """Element ``at`` of a value, in the dtype it is computed in."""
        key = (value.name, at, self._mask.uid if self._mask else -1)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._expand(value, at)
        return found

    def used(self, node: Node) -> bool:
        """Whether a result of ``node`` is part of what was expanded."""
        return any(v.name in self._used for v in node.results)

    def _expand(self, value: Value, at: Indices) -> Expr:
        self._used.add(value.name)
        node = self.program.graph.producers.get(value.name)
        member = node is not None and node.name in self.members
        if node is None or not (member or self.inline.get(node.name)):
            return self._load(value, at)
        definition = self.program.definitions[value.name]
        if definition.reduction is not None:
            if not member:
                return self._load(value, at)
            return self._reduce(definition, at)
        assert definition.at is not None
        expr = definition.at(self, at)
        if member and expr.cost >= REPEATABLE:
            places = self._places.setdefault(value.name, set())
            places.add(at)
            if len(places) > 1:
                raise NotFusable(f"{value.name} would be computed twice")
        return expr

    def _load(self, value: Value, at: Indices) -> Expr:
        self.loads[value.name] = value
        spec = value.tensor
        position = ZERO
        for i, size, stride in zip(at, spec.shape, self.program.scope.strides(spec), strict=True):
            if size != 1:
                position = position + i * stride
        return self.build.load(value.name, position, spec.dtype, self._readable(position))

    def _readable(self, position: Index) -> Expr | None:
        """The mask of a load. Where an index was out of range it is 0, which an empty dimension lacks too."""
        mask = self._mask
        for index in index_values(position):
            size = index.attr[0]
            if not nonnegative(size - 1):
                some = self.build.compare("gt", self.build.index(size), self.build.const(0, torch.int64))
                mask = some if mask is None else self.build.binary("and", mask, some)
        return mask

    def _reduce(self, definition: Definition, at: Indices) -> Expr:
        r, space = definition.reduction, self.space
        assert r is not None
        if product(r.source) != space.total:
            raise NotFusable("the reduction runs over another space")
        source = remap(space.at, space.sizes, r.source)
        sizes = self._kept_sizes(definition)
        wanted = tuple(ZERO if s == ONE else i for i, s in zip(definition.kept(at), sizes, strict=True))
        kept = (i for a, i in enumerate(source) if a not in r.axes)
        actual = tuple(ZERO if s == ONE else i for i, s in zip(kept, sizes, strict=True))
        if wanted != actual:
            raise NotFusable("the reduction is read at another row")
        return self._total(definition, source, space.reduced)

    def _total(self, definition: Definition, source: Indices, over: tuple[Atom, ...]) -> Expr:
        """The reduction over the variables ``over``, which must be exactly those that its axes vary with."""
        r = definition.reduction
        assert r is not None
        kept = {leaf for a, i in enumerate(source) if a not in r.axes for leaf in i.leaves()}
        swept = {leaf for a in r.axes for leaf in source[a].leaves() if leaf.kind == "var"}
        if kept & set(over) or not swept <= set(over):
            raise NotFusable("the reduction runs over other dimensions")
        mask, self._mask = self._mask, None
        try:
            values = r.body(self, source)
        finally:
            self._mask = mask
        return r.finish(self, self.build.reduce(r.kind, over, values, r.accumulate))

    @staticmethod
    def _kept_sizes(definition: Definition) -> Indices:
        r = definition.reduction
        assert r is not None
        return tuple(s for a, s in enumerate(r.source) if a not in r.axes)

    def masked(self, condition: Expr, body: Callable[[], Expr]) -> Expr:
        """``body()``, in which nothing is read from memory where the condition does not hold."""
        if condition.op == "const" and condition.attr:
            return body()
        outer = self._mask
        self._mask = condition if outer is None else self.build.binary("and", outer, condition)
        try:
            return body()
        finally:
            self._mask = outer

    def checked(self, value: Expr, size: Index, *, wrap: bool) -> Index:
        """An integer value as an index into ``size`` elements; out of range is an error of the kernel."""
        return self.build.checked(value, size, wrap=wrap, mask=self._mask)

    def is_column(self, value: Value) -> bool:
        """Whether a value is a reduction over the rows of this space, one result per reduced coordinate."""
        r = self.program.definitions[value.name].reduction
        if r is None or not self.space.reduced or product(r.source) != self.space.total:
            return False
        source = remap(self.space.at, self.space.sizes, r.source)
        swept = {leaf for a in r.axes for leaf in source[a].leaves() if leaf.kind == "var"}
        return bool(swept) and not swept & set(self.space.reduced)

    def column(self, value: Value) -> Expr:
        """A reduction over the rows of this space."""
        definition = self.program.definitions[value.name]
        self._used.add(value.name)
        assert definition.reduction is not None
        source = remap(self.space.at, self.space.sizes, definition.reduction.source)
        return self._total(definition, source, tuple(d.var for d in self.space.dims if not d.reduced))

    def at_point(self, value: Value) -> Expr:
        """A value at the current point of the space."""
        if self.is_column(value):
            return self.column(value)
        place = self.space.place(self.program.scope.shape(value.tensor))
        if place is None:
            raise NotFusable("the value has neither the size of the space nor of its rows")
        return self.read(value, place)


def sources(expr: Expr) -> tuple[Expr, ...]:
    """Every load below an expression, once each."""
    seen: dict[int, Expr] = {}

    def visit(e: Expr) -> None:
        if e.uid in seen:
            return
        seen[e.uid] = e
        for a in operands(e):
            visit(a)

    visit(expr)
    return tuple(e for e in seen.values() if e.op == "load")


def operands(e: Expr) -> tuple[Expr, ...]:
    """Direct operands of an expression, those inside its index included."""
    if e.op not in ("load", "index"):
        return e.args
    index: Index = e.attr[1] if e.op == "load" else e.attr
    return e.args + tuple(dict.fromkeys(leaf.payload for leaf in index.leaves() if leaf.kind == "value"))
