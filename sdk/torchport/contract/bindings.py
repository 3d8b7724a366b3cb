"""Graphs with numbers in place of symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torchport.contract.graph import Graph, Node, ScalarSpec, TensorSpec, Value
from torchport.contract.symbols import SymExpr, evaluate


class Binding:
    """Replaces symbols by numbers, each value once.

    Args:
        numbers: the value of every symbol that occurs, by name.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self.numbers = numbers
        self._values: dict[str, Value] = {}

    def graph(self, graph: Graph) -> Graph:
        """``graph`` with static sizes, strides, offsets and arguments, and without symbols."""
        return Graph(
            tuple(self.value(v) for v in graph.inputs),
            tuple(self.node(n) for n in graph.nodes),
            tuple(self.argument(o) for o in graph.outputs),
            (),
            graph.constants,
        )

    def node(self, node: Node) -> Node:
        """One call, with what it reads and makes."""
        return Node(
            node.name,
            node.op,
            tuple((name, self.argument(arg)) for name, arg in node.args),
            tuple(None if v is None else self.value(v) for v in node.outputs),
            node.provenance,
            node.returns_sequence,
        )

    def value(self, value: Value) -> Value:
        """The value of the same name with a static spec."""
        found = self._values.get(value.name)
        if found is None:
            found = self._values[value.name] = Value(value.name, self._spec(value.spec))
        return found

    def argument(self, arg: Any) -> Any:
        """An argument, at any depth of tuples."""
        if isinstance(arg, Value):
            return self.value(arg)
        if isinstance(arg, tuple):
            return tuple(self.argument(a) for a in arg)
        return evaluate(arg, self.numbers)

    def _spec(self, spec: TensorSpec | ScalarSpec) -> TensorSpec | ScalarSpec:
        if isinstance(spec, ScalarSpec):
            return replace(spec, expr=evaluate(spec.expr, self.numbers))
        if spec.is_static:
            return spec
        return spec.with_(
            shape=tuple(evaluate(d, self.numbers) for d in spec.shape),
            stride=tuple(evaluate(d, self.numbers) for d in spec.stride),
            storage_offset=evaluate(spec.storage_offset, self.numbers),
        )


def symbols_of(node: Node) -> frozenset[str]:
    """Names of the symbols in a call: in its arguments, in what it reads and in what it makes."""
    found: set[str] = set()

    def visit(arg: Any) -> None:
        if isinstance(arg, SymExpr):
            found.update(arg.symbols)
        elif isinstance(arg, tuple):
            for item in arg:
                visit(item)

    for _, arg in node.args:
        visit(arg)
    for spec in (*node.input_specs, *node.output_specs):
        if not spec.is_static:
            found.update(spec.symbols)
    return frozenset(found)
