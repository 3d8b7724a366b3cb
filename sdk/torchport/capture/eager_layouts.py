"""Results that eager PyTorch returns in another layout than it traces: they get eager's on the way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch._functorch._aot_autograd import descriptors
from torch._prims_common import suggest_memory_format

from torchport.contract.fx_import import tensor_spec
from torchport.contract.graph import Graph, Node, Provenance, Value

_AS_SUGGESTED = frozenset(
    {
        "aten.roll.default",
        "aten.native_batch_norm.default",
        "aten._native_batch_norm_legit.default",
        "aten._native_batch_norm_legit.no_stats",
        "aten._native_batch_norm_legit_functional.default",
        "aten._native_batch_norm_legit_no_training.default",
        "aten._batch_norm_with_update_functional.default",
        "aten._batch_norm_no_update.default",
    }
)
"""Eager returns the memory format that the first operand suggests; tracing keeps all its strides, or none."""
_ROW_MAJOR = frozenset({"aten.isin.Tensor_Tensor", "aten.log_sigmoid_forward.default"})
"""Eager returns a row-major result; tracing keeps the operand's strides."""
_ROW_MAJOR_OF_COMPLEX = frozenset({"aten.angle.default"})
"""The same where the operand is complex."""


def as_eager_returns(graph: Graph, gm: torch.fx.GraphModule, fakes: Mapping[str, Any]) -> Graph:
    """The graph with its own results (not those saved for backward) in the layout that eager gives them.

    Args:
        graph: the contract graph of ``gm``.
        gm: an AOTAutograd graph, whose output node describes each output.
        fakes: the traced tensor behind each value.
    """
    found = next(n for n in gm.graph.nodes if n.op == "output").meta.get("desc") or ()
    outputs, nodes = list(graph.outputs), list(graph.nodes)
    for index, descriptor in enumerate(found):
        value = outputs[index]
        if not isinstance(descriptor, descriptors.PlainAOTOutput) or not isinstance(value, Value):
            continue
        node = graph.producers.get(value.name)
        wanted = _memory_format(node, fakes) if node is not None and value is node.outputs[0] else None
        if wanted is None or fakes[value.name].is_contiguous(memory_format=wanted):
            continue
        spec = tensor_spec(torch.empty_like(fakes[value.name], memory_format=wanted))
        result = Value(f"{value.name}__as_eager", spec)
        arguments = (("self", value), ("memory_format", wanted))
        nodes.append(Node(result.name, "aten.clone.default", arguments, (result,), Provenance()))
        outputs[index] = result
    return replace(graph, nodes=tuple(nodes), outputs=tuple(outputs))


def _memory_format(node: Node, fakes: Mapping[str, Any]) -> torch.memory_format | None:
    """The memory format of the first result in eager, where it is not the traced one; None: as traced."""
    if node.op in _ROW_MAJOR or (
        node.op in _ROW_MAJOR_OF_COMPLEX and fakes[node.inputs[0].name].is_complex()
    ):
        return torch.contiguous_format
    if node.op in _AS_SUGGESTED:
        return suggest_memory_format(fakes[node.inputs[0].name])
    return None
