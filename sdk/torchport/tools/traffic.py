"""Bytes that operators read and write, from the specs of their operands."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from torchport.contract.graph import Graph, Node, TensorSpec
from torchport.contract.symbols import evaluate


def hints_of(graph: Graph) -> dict[str, int]:
    """The example value of each symbol of a graph; its least value where it has none."""
    return {s.name: s.hint if s.hint is not None else s.low for s in graph.symbols}


def tensor_bytes(spec: TensorSpec, hints: Mapping[str, int]) -> int:
    """Bytes of the elements of a tensor; a size that is not known counts as 1."""
    known = {name: hints.get(name, 1) for name in spec.symbols}
    return prod(int(evaluate(size, known)) for size in spec.shape) * spec.dtype.itemsize


def node_bytes(node: Node, hints: Mapping[str, int]) -> int:
    """Bytes of the distinct tensors that a node reads, and of those that it writes."""
    values = {v.name: v.spec for v in (*node.inputs, *node.results)}
    return sum(tensor_bytes(spec, hints) for spec in values.values() if isinstance(spec, TensorSpec))
