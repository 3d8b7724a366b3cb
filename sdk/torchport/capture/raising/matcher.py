"""Finds where a pattern's formula is computed in a graph, and whether it may be replaced there.

A match is used only if nothing outside it can tell: no intermediate has another reader, nothing that it
reads is written to between its first node and its last, and autocast and the gradient mode are the same all
along.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, Node

from torchport.capture.raising.patterns import (
    COMMUTATIVE,
    Apply,
    Capture,
    Constant,
    Named,
    Pattern,
    Sequence,
    Wrapped,
)
from torchport.capture.raising.vocabulary import Call, name_of, value_of, view
from torchport.capture.tracing import id_of_storage

TOLERANCE = 2.0**-24
MODE_CHANGES = frozenset(
    {"_enter_autocast", "_exit_autocast", "_set_grad_enabled", "set_grad_enabled", "_enter_inference_mode"}
)
"""Calls after which the same operator means something else."""


@dataclass(frozen=True, slots=True)
class State:
    """What a partial match has bound: captures, named nodes, and the nodes that it covers."""

    captures: Mapping[str, Any]
    names: Mapping[str, Node]
    inside: frozenset[Node]

    def covering(self, *nodes: Node) -> State:
        """With more nodes covered."""
        return State(self.captures, self.names, self.inside.union(nodes))


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A pattern found at ``root``."""

    pattern: Pattern
    root: Node
    captures: Mapping[str, Any]
    names: Mapping[str, Node]
    inside: frozenset[Node]


class Scene:
    """One graph prepared for matching: canonical views, positions, modes and writes.

    Args:
        graph: the graph; nodes have ``example_value`` or ``val``.
    """

    def __init__(self, graph: Graph) -> None:
        self.views: dict[Node, Call | None] = {}
        self.position: dict[Node, int] = {}
        self.mode: dict[Node, int] = {}
        self.autocast: dict[Node, bool] = {}
        self.writes: list[tuple[int, frozenset[int], Node]] = []
        mode, depth = 0, 0
        for index, node in enumerate(graph.nodes):
            name = name_of(node)
            if name in MODE_CHANGES:
                mode += 1
                depth += (name == "_enter_autocast") - (name == "_exit_autocast")
            self.position[node], self.mode[node] = index, mode
            self.autocast[node] = depth > 0
            written = written_by(node)
            if written:
                self.writes.append((index, storages(written), node))

    def call(self, node: Node) -> Call | None:
        """The canonical view of a node."""
        if node not in self.views:
            self.views[node] = view(node)
        return self.views[node]

    def find(self, pattern: Pattern, root: Node) -> Match | None:
        """The first way in which ``pattern`` matches at ``root`` and may be replaced."""
        tree, value = pattern.tree, value_of(root)
        if not isinstance(value, torch.Tensor):
            return None  # a list, taken out of what an operator returned
        for state in self._match(tree, root, State({}, {}, frozenset()), value.dtype, True):
            match = Match(pattern, root, state.captures, state.names, state.inside)
            if root in state.inside and self.replaceable(match):
                return match
        return None

    def replaceable(self, match: Match) -> bool:
        """Whether nobody outside can tell that the intermediates are gone."""
        siblings = {match.names[name] for name, _, _ in match.pattern.siblings}
        for node in match.inside:
            if node is match.root:
                continue
            for user in node.users:
                if user not in match.inside and not (node in siblings and name_of(user) == "getitem"):
                    return False
        if len({self.mode[node] for node in match.inside}) != 1:
            return False
        first = min(self.position[node] for node in match.inside)
        last = self.position[match.root]
        read = storages([c for c in match.captures.values() if isinstance(c, Node)])
        return not any(
            first <= index <= last and written & read and node not in match.inside
            for index, written, node in self.writes
        )

    # --- one node against one pattern ---

    def _match(self, tree: Any, value: Any, state: State, result: torch.dtype, root: bool) -> Iterator[State]:
        match tree:
            case Capture(name=name, number=number):
                if not number or is_number(value):
                    yield from self._capture(name, value, state)
            case Constant(value=wanted):
                if same_constant(wanted, value):
                    yield state
            case Sequence(items=items):
                if isinstance(value, tuple | list) and len(value) == len(items):
                    yield from self._all(list(zip(items, value, strict=True)), state, result)
            case Named(name=name, inner=inner):
                if isinstance(value, Node):
                    named = State(state.captures, {**state.names, name: value}, state.inside)
                    yield from self._match(inner, value, named, result, root)
            case Wrapped(kind=kind, inner=inner):
                yield from self._wrapped(kind, inner, value, state, result, root)
            case Apply():
                if isinstance(value, Node):
                    yield from self._apply(tree, value, state, result, root)

    @staticmethod
    def _capture(name: str, value: Any, state: State) -> Iterator[State]:
        if name not in state.captures:
            yield State({**state.captures, name: value}, state.names, state.inside)
        elif state.captures[name] is value or (
            not isinstance(value, Node) and same_constant(state.captures[name], value)
        ):
            yield state

    def _all(self, pairs: list[tuple[Any, Any]], state: State, result: torch.dtype) -> Iterator[State]:
        if not pairs:
            yield state
            return
        (tree, value), rest = pairs[0], pairs[1:]
        for found in self._match(tree, value, state, result, False):
            yield from self._all(rest, found, result)

    def _apply(
        self, tree: Apply, node: Node, state: State, result: torch.dtype, root: bool
    ) -> Iterator[State]:
        call = self.call(node)
        if call is None:
            return
        if not root and self._transparent(call, node):
            yield from self._apply(tree, call.args["x"], state.covering(node, *call.also), result, False)
            return
        if call.op != tree.op:
            return
        inside = state.covering(node, *call.also)
        pairs = [(pattern, call.args.get(name)) for name, pattern in tree.arguments]
        yield from self._all(pairs, inside, result)
        if tree.op in COMMUTATIVE:
            (first, a), (second, b) = pairs[:2]
            yield from self._all([(first, b), (second, a), *pairs[2:]], inside, result)

    @staticmethod
    def _transparent(call: Call, node: Node) -> bool:
        """Nodes that change no value: copies, dropout that is off, conversions to the dtype there is."""
        source = call.args.get("x")
        if not isinstance(source, Node):
            return False
        return call.op == "identity" or (call.op == "cast" and value_of(source).dtype == call.args["dtype"])

    def _wrapped(
        self, kind: str, inner: Any, value: Any, state: State, result: torch.dtype, root: bool
    ) -> Iterator[State]:
        call = self.call(value) if isinstance(value, Node) else None
        through = None
        if call is not None and kind == "shared":
            through = self._repeated(call, value)
        elif call is not None and call.op == "cast":
            source, target = value_of(call.args["x"]).dtype, call.args["dtype"]
            wider = source.is_floating_point and _holds(target, source)
            if wider if kind == "wide" else target == result and source != target:
                through = (call.args["x"], (value,))
        if through is not None:
            yield from self._match(inner, through[0], state.covering(*through[1]), result, False)
        if not (root and kind == "narrow" and through is not None):
            yield from self._match(inner, value, state, result, root)

    def _repeated(self, call: Call, node: Node) -> tuple[Node, tuple[Node, ...]] | None:
        """``x`` [B, K, S, D] behind its repetition to [B, K·n, S, D], every head n times in a row."""
        if call.op == "repeat_interleave":
            if call.args["dim"] == -3 and isinstance(call.args["repeats"], int):
                return call.args["x"], (node,)
            return None
        if call.op != "reshape" or not isinstance(call.args["x"], Node):
            return None
        expanded = self.call(call.args["x"])
        if expanded is None or expanded.op != "expand" or not isinstance(expanded.args["x"], Node):
            return None
        inserted = self.call(expanded.args["x"])
        if inserted is None or not isinstance(inserted.args.get("x"), Node):
            return None
        source = inserted.args["x"]
        before, grown, after = value_of(source), value_of(call.args["x"]), value_of(node)
        whole = slice(None, None, None)
        new_axis = (inserted.op == "unsqueeze" and inserted.args["dim"] == -3) or (
            inserted.op == "getitem"
            and list(inserted.args["index"])
            in (
                [whole, whole, None, whole, whole],
                [whole, whole, None],
                [Ellipsis, None, whole, whole],
            )
        )
        if not new_axis or before.dim() != 4 or grown.dim() != 5 or after.dim() != 4:
            return None
        b, k, s, d = before.shape
        n = grown.shape[2]
        if tuple(grown.shape) != (b, k, n, s, d) or tuple(after.shape) != (b, k * n, s, d):
            return None
        return source, (node, call.args["x"], expanded.args["x"])


def is_number(value: Any) -> bool:
    """Whether a value is a Python number, or a float that Dynamo keeps symbolic."""
    if isinstance(value, Node):
        return isinstance(value_of(value), float | torch.SymFloat)
    return isinstance(value, int | float) and not isinstance(value, bool)


def same_constant(wanted: Any, value: Any) -> bool:
    """Whether two constants are one; numbers may differ in the 25th bit."""
    if isinstance(wanted, Node) or isinstance(value, Node):
        return False
    if isinstance(wanted, bool) or isinstance(value, bool) or not isinstance(wanted, int | float):
        return type(wanted) is type(value) and bool(wanted == value)
    if not isinstance(value, int | float):
        return False
    return wanted == value or math.isclose(wanted, value, rel_tol=TOLERANCE, abs_tol=0.0)


def written_by(node: Node) -> list[Node]:
    """Nodes whose memory a node writes to: in-place methods and operators, ``out=``, item assignment, and
    every tensor that is given to what is not known.
    """
    name = name_of(node)
    tensors = [n for n in node.all_input_nodes if isinstance(value_of(n), torch.Tensor)]
    if node.op in ("placeholder", "output", "get_attr") or not tensors:
        return []
    if isinstance(node.target, torch._ops.OpOverload):
        return tensors if node.target._schema.is_mutable else []
    if not name or "out" in node.kwargs:
        return tensors
    in_place = name.endswith("_") and not name.endswith("__")
    if in_place or name in (
        "setitem",
        "iadd",
        "isub",
        "imul",
        "itruediv",
        "ifloordiv",
        "ipow",
        "imod",
        "iand",
        "ior",
        "ixor",
        "ilshift",
        "irshift",
        "imatmul",
    ):
        return tensors[:1]
    if name == "batch_norm":
        return [n for n in node.args[1:3] if isinstance(n, Node)]
    return tensors[:1] if node.kwargs.get("inplace") is True else []


def storages(nodes: list[Node]) -> frozenset[int]:
    """Identities of the memory behind nodes; views share it."""
    found = set()
    for node in nodes:
        value = value_of(node)
        if isinstance(value, torch.Tensor):
            found.add(id_of_storage(value))
    return frozenset(found)


def _holds(target: torch.dtype, source: torch.dtype) -> bool:
    """Whether ``target`` has every value of the floating-point ``source``. (8-bit floats do not promote.)"""
    if target == source:
        return True
    return (target.is_floating_point or target.is_complex) and target.itemsize > source.itemsize
