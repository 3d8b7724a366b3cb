"""Tensors that PyTorch keeps conjugated or negated by a bit: kernels get values, never memory as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from torchport.contract.fx_import import tensor_spec
from torchport.contract.graph import Graph, Node, Provenance, Value
from torchport.contract.views import is_view

_RESOLVERS = (
    ("aten.resolve_conj.default", torch.Tensor.is_conj),
    ("aten.resolve_neg.default", torch.Tensor.is_neg),
)
_WRITES = "aten.copy_.default"


def lazy(tensor: Any) -> bool:
    """Whether the memory of a tensor does not hold its values: a conjugation or a negation is pending."""
    return isinstance(tensor, torch.Tensor) and (tensor.is_conj() or tensor.is_neg())


def resolved(graph: Graph, fakes: Mapping[str, Any]) -> Graph:
    """The same graph with pending conjugations and negations carried out before anything computes with them.

    Views, outputs and what is written into an input stay as they are. ``fakes`` has the traced tensor behind
    each value.
    """
    pending = {name for name, tensor in fakes.items() if lazy(tensor)}
    if not pending:
        return graph
    plain: dict[str, Value] = {}
    nodes: list[Node] = []

    def resolve(value: Value) -> Value:
        if value.name not in pending or value.name in plain:
            return plain.get(value.name, value)
        current = value
        for op, has_bit in _RESOLVERS:
            if has_bit(fakes[value.name]):
                spec = tensor_spec(torch.empty_like(fakes[value.name]))
                result = Value(f"{current.name}__resolved", spec)
                nodes.append(Node(result.name, op, (("self", current),), (result,), Provenance()))
                current = result
        plain[value.name] = current
        return current

    for node in graph.nodes:
        nodes.append(node if is_view(node.op) or node.op == _WRITES else node.map_values(resolve))
    return replace(graph, nodes=tuple(nodes))
