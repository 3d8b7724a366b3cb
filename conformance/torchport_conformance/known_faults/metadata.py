"""Compilers that return the right values with other strides, or with another mind about gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, fx

from torchport_conformance.known_faults.fault import in_compiler

_Spoil = Callable[[Any, tuple[Any, ...]], Any]


class _Spoiled(fx.Interpreter):
    """Runs a graph with eager PyTorch, and spoils the result of one operator."""

    def __init__(self, module: fx.GraphModule, op: str, spoil: _Spoil) -> None:
        super().__init__(module)
        self.op, self.spoil = op, spoil

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = super().call_function(target, args, kwargs)
        return self.spoil(result, args) if str(target) == self.op else result


def _spoiling(module: fx.GraphModule, op: str, spoil: _Spoil) -> Callable[..., Any]:
    return _Spoiled(module, op, spoil).run


def _packing(module: fx.GraphModule, op: str) -> Callable[..., Any]:
    return _spoiling(module, op, lambda result, args: result.clone(memory_format=torch.contiguous_format))


@in_compiler(
    "aten.convolution_backward.default",
    "wrong-output-stride",
    layer="metadata",
    cases=r"float32",
    cause="wrong strides",
)
def b119(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """Where layouts are optimized, the gradient of a convolution's operand comes back channels-last."""

    def spoil(result: Any, args: tuple[Any, ...]) -> Any:
        given, *rest = result
        if given is not None and given.dim() == 4:
            given = given.to(memory_format=torch.channels_last)
        return (given, *rest)

    return _spoiling(module, "aten.convolution_backward.default", spoil)


@in_compiler(
    "autograd.Function",
    "saved-tensor-mutation",
    layer="graph",
    select="graph:autograd/forms",
    cases=r"form=backward-writes-saved,layout=contiguous,dtype=float32",
    cause=".+",
)
def b132(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """A backward that writes to what was saved for it, which is also a result, cannot be cut out of the
    graph.
    """
    functions = [n for n in module.graph.nodes if "autograd_function_apply" in str(n.target)]
    if any("add_" in str(n.target) for part in module.children() for n in _nodes(part)) and functions:
        raise RuntimeError("a node of the backward graph is an output of the forward graph")
    return module.forward


def _nodes(part: torch.nn.Module) -> Sequence[fx.Node]:
    return list(part.graph.nodes) if isinstance(part, fx.GraphModule) else []


@in_compiler(
    "aten.detach.default",
    "requires-grad-meta",
    layer="graph",
    select="graph:autograd/forms",
    cases=r"form=value-and-detached",
    cause=".+",
)
def b154(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """A value and what was detached from it come back as one detached object."""

    def run(*args: Any) -> Any:
        results = list(module(*args))
        for i, value in enumerate(results):
            for other in results:
                if _is_detached(value, other):
                    results[i] = other
        return tuple(results)

    return run


def _is_detached(value: Any, other: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and isinstance(other, Tensor)
        and value.requires_grad
        and not other.requires_grad
        and value.shape == other.shape
        and torch.equal(value.detach(), other)
    )


@in_compiler(
    "aten.detach.default",
    "requires-grad-meta",
    layer="graph",
    select="graph:autograd/forms",
    cases=r"form=detach-in-place",
    cause=".+",
)
def b155(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """What was detached in place still requires a gradient."""
    return _Attached(module).run


class _Attached(fx.Interpreter):
    def call_method(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return args[0] if target == "detach_" else super().call_method(target, args, kwargs)


@in_compiler(
    "aten._unsafe_index.Tensor",
    "fake-stride-mismatch",
    layer="metadata",
    cases=r"more\.",
    cause="wrong strides",
)
def b197(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """The kernel keeps the order of its operand's dimensions, which the shape function does not promise."""

    def spoil(result: Any, args: tuple[Any, ...]) -> Any:
        in_order = args[0].is_contiguous() or result.dim() < 2
        return result if in_order else result.mT.contiguous().mT

    return _spoiling(module, "aten._unsafe_index.Tensor", spoil)


@in_compiler(
    "aten.constant_pad_nd.default",
    "fake-stride-mismatch",
    layer="metadata",
    cases=r"channels_last|transposed|reversed",
    cause="wrong strides",
)
def b199(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """A padded tensor is packed, where PyTorch keeps the memory format."""
    return _packing(module, "aten.constant_pad_nd.default")


@in_compiler(
    "aten.clone.default",
    "wrong-output-stride",
    layer="metadata",
    cases=r"transposed|unit_strides|channels_last",
    cause="wrong strides",
)
def b200(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """A compiled copy of a permuted tensor, or of one with odd strides of size 1, is packed."""
    return _packing(module, "aten.clone.default")


FAULTS = (b119, b132, b154, b155, b197, b199, b200)
