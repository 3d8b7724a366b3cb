"""Runs a graph node by node in eager PyTorch and holds every call against the contract's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from torchport.contract.cpp.evaluator import encoded_call, expected
from torchport.contract.graph import Graph, Node, Opaque, TensorSpec, Value, dtype_name
from torchport.contract.layout_rules import is_row_major
from torchport.contract.opset import OpSet
from torchport.contract.shape_rules import bind
from torchport.contract.spec import OpSpec, call_bound, resolve


class RuleError(Exception):
    """Eager PyTorch's result is not what the trace or the contract's rules say."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """One call of an operator that may put equal elements in any order, with eager's results."""

    spec: OpSpec
    arguments: Mapping[str, Any]
    results: tuple[Any, ...]


@dataclass(slots=True)
class Observed:
    """Counts of compared calls, ``symbolic`` those of verified calls with a symbolic size.

    ``encoded`` has each different call once, with the Python rules' answer, for the C++ rules.
    """

    calls: int = 0
    strides: int = 0
    symbolic: int = 0
    encoded: dict[str, str] = field(default_factory=dict)
    orders: list[Ordered] = field(default_factory=list)


def run_observed(
    graph: Graph, arguments: Sequence[Any], flat: Sequence[Any], opset: OpSet, observed: Observed
) -> list[Any]:
    """The outputs of ``graph`` for the call arguments ``flat``.

    The trace's specs agree with the contract's rules where the graph is verified; here eager's results are
    compared with the specs, and with the layout rules.

    Raises:
        RuleError: a result has another shape, dtype or stride than stated.
    """
    env: dict[str, Any] = dict(graph.constants)
    for argument, value in zip(arguments, flat, strict=True):
        if isinstance(argument, Value):
            env[argument.name] = value

    def real(arg: Any) -> Any:
        if isinstance(arg, Value):
            return env[arg.name]
        if isinstance(arg, Opaque):
            return arg.payload
        return [real(a) for a in arg] if isinstance(arg, tuple) else arg

    for node in graph.nodes:
        op = resolve(node.op)
        given = {name: real(arg) for name, arg in node.args}
        result = call_bound(op, given)
        results = result if node.returns_sequence else (result,)
        for value, got in zip(node.outputs, results, strict=False):
            if value is not None:
                env[value.name] = got
        entry = opset.ops.get(node.op)
        if entry is not None and entry.numerics.kind == "order":
            observed.orders.append(Ordered(entry, given, tuple(results)))
        as_stated = all(_has_strides(env[v.name], v.spec) for v in node.inputs)
        _compare(node, results, opset, observed, as_stated)
    return [real(out) for out in graph.outputs]


def _has_strides(value: Any, spec: Any) -> bool:
    """Whether a tensor has the strides of its spec.

    Eager's kernels and PyTorch's shape functions may differ in them; the layout rules are about the operands
    that there are.
    """
    if not isinstance(value, Tensor) or not isinstance(spec, TensorSpec):
        return True
    pairs = zip(spec.shape, value.stride(), spec.stride, strict=True)
    return all(n == 1 or a == b for n, a, b in pairs)


def _compare(node: Node, results: Sequence[Any], opset: OpSet, observed: Observed, as_stated: bool) -> None:
    spec = opset.ops.get(node.op)
    if spec is None:
        return
    arguments = dict(node.args)
    inputs = node.input_specs
    for index, (value, got) in enumerate(zip(node.outputs, results, strict=False)):
        if value is None or not isinstance(value.spec, TensorSpec) or not isinstance(got, Tensor):
            continue
        wanted = value.spec
        if tuple(got.shape) != wanted.shape or got.dtype != wanted.dtype:
            raise RuleError(f"{node}: eager's output {index} is {dtype_name(got.dtype)}{list(got.shape)}")
        layout = spec.layout[min(index, len(spec.layout) - 1)]
        if as_stated and is_row_major(layout, arguments, inputs):
            observed.strides += 1
            if not got.is_contiguous():
                raise RuleError(
                    f"{node}: eager's output {index} has strides {got.stride()}, the rule says row-major"
                )
    observed.calls += 1
    if spec.tier.value != "macro":
        bound = bind(arguments)
        observed.encoded.setdefault(encoded_call(spec.name, bound), expected(spec, bound))
