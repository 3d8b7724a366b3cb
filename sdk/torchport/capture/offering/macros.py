"""Composites that the contract has a macro for: a call of one is raised as a program of that one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import getitem
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.nn import functional as F

from torchport.capture.raising.rewrite import raise_macros
from torchport.compile.bound import Bound
from torchport.compile.reports import RaisedMacro
from torchport.contract.opset import OpSet
from torchport.contract.spec import qualified_name

Arguments = dict[str, Any]
Translated = tuple[Callable[..., Any], Arguments]

OFFERED_AS: Mapping[str, str] = {
    "aten.scaled_dot_product_attention.default": "torchport.scaled_dot_product_attention.default",
    "aten.linear.default": "torchport.linear.default",
    "aten.matmul.default": "torchport.matmul.default",
    "aten.rms_norm.default": "torchport.rms_norm.default",
    "aten.layer_norm.default": "torchport.layer_norm.default",
    "aten.group_norm.default": "torchport.group_norm.default",
    "aten.instance_norm.default": "torchport.instance_norm.default",
    "aten.batch_norm.default": "torchport.batch_norm_inference.default",
    "aten.cross_entropy_loss.default": "torchport.cross_entropy.default",
    "aten.upsample_nearest1d.vec": "torchport.interpolate.default",
    "aten.upsample_nearest2d.vec": "torchport.interpolate.default",
    "aten.upsample_nearest3d.vec": "torchport.interpolate.default",
    "aten.upsample_linear1d.vec": "torchport.interpolate.default",
    "aten.upsample_bilinear2d.vec": "torchport.interpolate.default",
    "aten.lstm.input": "torchport.lstm.default",
    "aten.gru.input": "torchport.gru.default",
}
"""Macros by the composite that they are called as."""

_REDUCTIONS = ("none", "mean", "sum")


def _cross_entropy(given: Arguments) -> Translated:
    target = {k: given[k] for k in ("target", "weight", "ignore_index", "label_smoothing")}
    return F.cross_entropy, {
        "input": given["self"],
        **target,
        "reduction": _REDUCTIONS[given["reduction"]],
    }


def _normalized(function: Callable[..., Any]) -> Callable[[Arguments], Translated]:
    def translate(given: Arguments) -> Translated:
        return function, {k: v for k, v in given.items() if k != "cudnn_enabled"}

    return translate


def _resized(mode: str) -> Callable[[Arguments], Translated]:
    def translate(given: Arguments) -> Translated:
        return F.interpolate, {
            "input": given["input"],
            "size": given["output_size"],
            "scale_factor": given["scale_factors"],
            "mode": mode,
            "align_corners": given.get("align_corners"),
        }

    return translate


_TRANSLATED: Mapping[str, Callable[[Arguments], Translated]] = {
    "aten.cross_entropy_loss.default": _cross_entropy,
    "aten.instance_norm.default": _normalized(F.instance_norm),
    "aten.batch_norm.default": _normalized(F.batch_norm),
    "aten.upsample_nearest1d.vec": _resized("nearest"),
    "aten.upsample_nearest2d.vec": _resized("nearest"),
    "aten.upsample_nearest3d.vec": _resized("nearest"),
    "aten.upsample_linear1d.vec": _resized("linear"),
    "aten.upsample_bilinear2d.vec": _resized("bilinear"),
}
"""Composites that raising knows by the function of ``torch.nn.functional`` that calls them."""


def macro_call(
    op: torch._ops.OpOverload,
    values: Sequence[Any],
    result: Any,
    backends: Sequence[Bound],
    opset: OpSet,
) -> tuple[GraphModule, list[RaisedMacro]]:
    """A program of one call, its macros raised where a backend claims them, and what was found in it.

    Args:
        op: the composite.
        values: its arguments in schema order, fake tensors among them; they are the program's inputs.
        result: the traced result.
        backends: who is asked.
        opset: the contract version that has the macros.
    """
    graph, name = Graph(), qualified_name(op)

    def node_of(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            node = graph.placeholder(f"input_{len(graph.nodes)}")
            node.meta["example_value"] = value
            return node
        return [node_of(v) for v in value] if isinstance(value, tuple | list) else value

    parameters = op._schema.arguments
    given = {a.name: node_of(v) for a, v in zip(parameters, values, strict=True)}
    target: Callable[..., Any] = op
    if name in _TRANSLATED:
        target, keywords = _TRANSLATED[name](given)
        call = graph.call_function(target, (), keywords)
    else:
        positional = tuple(given[a.name] for a in parameters if not a.kwarg_only)
        call = graph.call_function(
            op, positional, {a.name: given[a.name] for a in parameters if a.kwarg_only}
        )
    call.meta["example_value"] = result
    if isinstance(result, tuple):
        items = []
        for index, item in enumerate(result):
            items.append(graph.call_function(getitem, (call, index)))
            items[-1].meta["example_value"] = item
        graph.output(tuple(items))
    else:
        graph.output(call)
    program = GraphModule(torch.nn.Module(), graph)
    return program, raise_macros(program, backends, opset)


def run(program: GraphModule, tensors: Sequence[torch.Tensor]) -> Any:
    """Calls the nodes of a program one by one, with ``tensors`` as its inputs."""
    known: dict[Node, Any] = {}
    inputs = iter(tensors)
    for node in program.graph.nodes:
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), known.__getitem__)
        match node.op:
            case "placeholder":
                known[node] = next(inputs)
            case "call_function":
                known[node] = node.target(*args, **kwargs)
            case "call_method":
                known[node] = getattr(args[0], node.target)(*args[1:], **kwargs)
            case "output":
                return args[0]
    raise AssertionError("a graph ends with its output")
