"""What a graph computes in eager PyTorch and in float64: the two that a result is judged against."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.contract import reference as contract
from torchport.contract.adapters import to_running
from torchport.contract.graph import Graph, Node, TensorSpec, Value
from torchport.contract.opset import OpSet
from torchport.contract.roundoff import accumulator_of, gamma, unit_roundoff
from torchport.contract.spec import OpSpec, call_bound, resolve
from torchport.contract.symbols import SymExpr, evaluate
from torchport.contract.views import is_view
from torchport.run.program import OpStep, Program, build
from torchport.tools.minify.candidate import Candidate

EAGER_FACTOR = 2.0
HUGE = 2.0**100
"""Elements beyond this (masks of the largest number) are judged apart from the others."""


@dataclass(frozen=True, eq=False)
class Expected:
    """One output: eager's tensor, the same in float64, and what rounding may add to eager's error."""

    name: str
    eager: torch.Tensor
    exact: torch.Tensor
    bound: torch.Tensor


def expected(found: Candidate, tensors: Sequence[torch.Tensor], opset: OpSet) -> tuple[Expected, ...]:
    """Eager and float64 results of a candidate.

    Raises:
        Exception: whatever PyTorch raises where the graph cannot be run.
    """
    eager = run_eager(found, tensors)
    wide = _Wide(found, tensors, opset)
    wide.run()
    return tuple(
        Expected(v.name, result, wide.values[v.name], wide.bound(v, result.dtype))
        for v, result in zip(found.graph.output_values, eager, strict=True)
    )


def run_eager(found: Candidate, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The outputs of a candidate, operator by operator in eager PyTorch."""
    captured, graph = found.captured(), found.graph
    steps = tuple(OpStep(n) for n in graph.nodes)
    program = Program(
        captured.arguments, steps, graph.outputs, graph.symbols, graph.constants, "minify_reference"
    )
    with torch.no_grad():
        return build(program)([*tensors, *found.numbers()])


def wrong(results: Sequence[torch.Tensor], wanted: Sequence[Expected]) -> str:
    """What the float64 rule objects to in ``results``; empty when nothing.

    For each element: |ours - f64| <= 2 max|eager - f64| + bound. Integers and truth values have to be those
    of eager wherever eager and float64 agree; NaN and infinities where both have them.
    """
    if len(results) != len(wanted):
        return f"{len(results)} outputs instead of {len(wanted)}"
    for ours, item in zip(results, wanted, strict=True):
        text = _wrong(ours, item)
        if text:
            return f"{item.name}: {text}"
    return ""


def _wrong(ours: Any, item: Expected) -> str:
    if not isinstance(ours, torch.Tensor):
        return f"{type(ours).__name__} instead of a tensor"
    eager, exact = item.eager.detach().cpu(), item.exact.detach().cpu()
    if ours.dtype != eager.dtype or ours.shape != eager.shape:
        return f"{ours.dtype} {list(ours.shape)} instead of {eager.dtype} {list(eager.shape)}"
    got = ours.detach().cpu()
    if got.numel() == 0:
        return ""
    if not (got.is_floating_point() or got.is_complex()):
        agreed = exact.to(eager.dtype) == eager
        bad = agreed & (got != eager)
        return f"{int(bad.sum())} of {got.numel()} elements differ" if bool(bad.any()) else ""
    if got.is_complex():
        got, eager, exact = (torch.view_as_real(t.resolve_conj()) for t in (got, eager, exact))
        bound = item.bound.cpu().unsqueeze(-1)
    else:
        bound = item.bound.cpu()
    got, eager, exact = got.double(), eager.double(), exact.double()
    settled = exact.isfinite() & eager.isfinite()
    same_special = ~settled & ((exact == eager) | (exact.isnan() & eager.isnan()))
    bad = same_special & ~((got == exact) | (got.isnan() & exact.isnan())) | settled & ~got.isfinite()
    if bool(bad.any()):
        return f"{int(bad.sum())} of {got.numel()} elements are NaN or infinite in other places"
    error = torch.where(settled, (got - exact).abs(), 0.0)
    noise = torch.where(settled, (eager - exact).abs(), 0.0)
    huge = exact.abs() >= HUGE
    allowed = bound + EAGER_FACTOR * torch.where(huge, _largest(noise, huge), _largest(noise, ~huge))
    ratio = torch.where(error > 0, error / allowed.clamp(min=torch.finfo(torch.float64).tiny), 0.0)
    if float(ratio.max()) <= 1.0:
        return ""
    worst = int(ratio.argmax())
    return (
        f"error {error.flatten()[worst]:.3g}, allowed {allowed.expand_as(error).flatten()[worst]:.3g} "
        f"(eager's largest: {float(noise.max()):.3g})"
    )


def _largest(x: torch.Tensor, where: torch.Tensor) -> float:
    return float(x[where].max()) if bool(where.any()) else 0.0


class _Wide:
    """A graph in float64, one contract reference after the other."""

    def __init__(self, found: Candidate, tensors: Sequence[torch.Tensor], opset: OpSet) -> None:
        self.graph: Graph = found.graph
        self.opset, self.bindings = opset, dict(found.bindings)
        given = {v.name: t for v, t in zip(found.inputs, tensors, strict=True)}
        self.values = {name: widen(t) for name, t in {**given, **found.graph.constants}.items()}
        self.terms = 0

    def run(self) -> None:
        for node in self.graph.nodes:
            for value, result in zip(node.outputs, self.results(node), strict=False):
                if value is not None and isinstance(result, torch.Tensor):
                    self.values[value.name] = widen(result)

    def results(self, node: Node) -> tuple[Any, ...]:
        spec = self.opset.ops.get(node.op)
        with torch.no_grad():
            if spec is not None and "own-precision" not in spec.numerics.special:
                arguments = self.arguments(node, self.values)
                self.terms = max(self.terms, _terms(spec, arguments))
                return contract.reference(spec, arguments)
            own = {
                v.name: self.values[v.name].to(v.tensor.dtype) for v in node.inputs if v.name in self.values
            }
            result = call_bound(
                resolve(node.op), dict(to_running(node.op, tuple(self.arguments(node, own).items())))
            )
            return contract.flatten(result)

    def arguments(self, node: Node, values: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        def concrete(arg: Any) -> Any:
            if isinstance(arg, Value):
                return values[arg.name]
            if isinstance(arg, SymExpr):
                return evaluate(arg, self.bindings)
            return [concrete(a) for a in arg] if isinstance(arg, tuple) else arg

        return {name: concrete(arg) for name, arg in node.args}

    def bound(self, value: Value, dtype: torch.dtype) -> torch.Tensor:
        """gamma(terms + depth) times the scale: the largest of the result, and of what the operator that made
        it adds up.
        """
        exact = self.values[value.name]
        if not (dtype.is_floating_point or dtype.is_complex):
            return torch.zeros(exact.shape, dtype=torch.float64)
        size = exact.abs().double().nan_to_num(nan=0.0, posinf=0.0)
        ordinary = size[size < HUGE]
        scale = torch.maximum(size, ordinary.max() if ordinary.numel() else size.new_zeros(()))
        maker = self.maker(value.name)
        if maker is not None:
            scale = torch.maximum(scale, self.summed(maker, scale))
        growth = gamma(self.terms + len(self.graph.nodes), unit_roundoff(accumulator_of(dtype)))
        return scale * (growth + 2 * unit_roundoff(dtype))

    def maker(self, name: str) -> Node | None:
        """The node that computed the elements of a value, through views."""
        node = self.graph.producers.get(name)
        while node is not None and is_view(node.op) and node.inputs:
            node = self.graph.producers.get(node.inputs[0].name)
        return node

    def summed(self, node: Node, scale: torch.Tensor) -> torch.Tensor:
        spec = self.opset.ops.get(node.op)
        if spec is None or spec.numerics.kind not in ("dot", "reduction"):
            return scale
        arguments = self.arguments(node, self.values)
        results = contract.reference(spec, arguments)
        sizes = [m for m in contract.magnitude(spec, arguments, results) if m is not None]
        largest = max((float(m.abs().max()) for m in sizes if m.numel()), default=0.0)
        return torch.full_like(scale, largest if math.isfinite(largest) else 0.0)


def _terms(spec: OpSpec, arguments: Mapping[str, Any]) -> int:
    return contract.length(spec, arguments)


def widen(tensor: torch.Tensor) -> torch.Tensor:
    """Floats in float64, complex numbers in complex128, others as they are."""
    if tensor.is_complex():
        return tensor.detach().to(torch.complex128)
    return tensor.detach().to(torch.float64) if tensor.is_floating_point() else tensor.detach()


def is_random(node: Node, opset: OpSet) -> bool:
    """Whether a node's values are not determined by its operands: they are taken as recorded."""
    spec = opset.ops.get(node.op)
    return spec is not None and spec.numerics.kind == "law"


def tensor_outputs(node: Node) -> tuple[Value, ...]:
    """Outputs that are tensors."""
    return tuple(v for v in node.results if isinstance(v.spec, TensorSpec))
