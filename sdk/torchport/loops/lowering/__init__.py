"""Lowering of contract nodes to loop expressions: one rule an operator, in the module of its kind."""

from __future__ import annotations

from torchport.contract.graph import Node
from torchport.loops.lowering import creation, elementwise, indexing, reductions, views
from torchport.loops.lowering.definition import Definition, Rule, Scope

_TABLES = (elementwise.RULES, views.RULES, reductions.RULES, indexing.RULES, creation.RULES)
_RULES: dict[str, Rule] = {name: fn for table in _TABLES for name, fn in table.items()}
_CHECKS = {name: check for table in _TABLES for name, check in table.checks.items()}


def supported_ops() -> frozenset[str]:
    """Names of the operators that have a lowering rule."""
    return frozenset(_RULES)


def not_covered(node: Node) -> str:
    """Why this node's arguments are not covered by its operator's rule; empty when they are."""
    check = _CHECKS.get(node.op)
    return check(node) if check else ""


def lower_node(node: Node, scope: Scope) -> tuple[Definition, ...]:
    """One definition per result of a node whose operator is in :func:`supported_ops`."""
    out = _RULES[node.op](node, scope)
    return out if isinstance(out, tuple) else (out,)
