"""The graphs that a program hands to a backend, with every tensor that eager PyTorch computes in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchport.capture.aot import CapturedGraph, Runner
from torchport.compile.backend import Backend
from torchport.compile.region import Region
from torchport.contract.graph import Graph, ScalarSpec, TensorSpec, Value
from torchport.contract.symbols import SymExpr, evaluate
from torchport.dynamo import DynamoBackend, capturing
from torchport.run.program import OpStep, Program, build
from torchport.tools.dynamo_records import isolated
from torchport.tools.explain import call_with_gradients
from torchport.tools.undisturbed import undisturbed

INTEGERS_BELOW = 2
"""Integer inputs of a region that came without tensors: indices into the smallest of dimensions."""


@dataclass(frozen=True, eq=False)
class Recording:
    """One graph of a program. ``values`` has each tensor of the graph by name, as eager PyTorch computed it;
    ``bindings`` the values of its symbols.
    """

    phase: str
    graph: Graph
    values: Mapping[str, torch.Tensor]
    bindings: Mapping[str, Any]


def record(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    backend: str | Backend | type[Backend] | DynamoBackend,
    *,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
    gradients: bool = True,
) -> tuple[Recording, ...]:
    """Runs a program once in eager PyTorch, graph by graph as ``backend`` would be given them; backward too
    where an output needs gradients.

    Raises:
        TorchportError: the capture failed.
    """
    found: list[Recording] = []
    entry = capturing(backend, lambda captured: _recorder(captured, found), options)
    with undisturbed(fn, args, kwargs):
        compiled = isolated(fn, entry, dynamic=dynamic)
        if gradients:
            call_with_gradients(compiled, args, kwargs)
        else:
            compiled(*args, **kwargs)
    return tuple(found)


def from_region(region: Region, inputs: Sequence[torch.Tensor] | None = None, seed: int = 0) -> Recording:
    """A region as a recording; inputs that are not given are random, symbols have their example values."""
    graph = region.graph
    bindings = {s.name: s.hint if s.hint is not None else max(s.low, 2) for s in graph.symbols}
    wanted = [v for v in graph.inputs if v.name not in graph.constants]
    given = list(inputs) if inputs is not None else random_inputs([v.tensor for v in wanted], bindings, seed)
    values = {v.name: t for v, t in zip(wanted, given, strict=True)}
    arguments = (*wanted, *(SymExpr(s.name) for s in graph.symbols))
    symbols = tuple(replace(s, source=("argument", len(wanted) + i)) for i, s in enumerate(graph.symbols))
    captured = CapturedGraph(region.phase, replace(graph, symbols=symbols), arguments, {})
    found: list[Recording] = []
    _recorder(captured, found)([*values.values(), *(bindings[s.name] for s in graph.symbols)])
    return found[0]


def random_inputs(specs: Sequence[TensorSpec], bindings: Mapping[str, Any], seed: int) -> list[torch.Tensor]:
    """Tensors with the sizes, strides and dtypes of ``specs``."""
    made = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for spec in specs:
            size, stride = ([evaluate(d, bindings) for d in dims] for dims in (spec.shape, spec.stride))
            tensor = torch.empty_strided(size, stride, dtype=spec.dtype, device=spec.device)
            if spec.dtype.is_floating_point or spec.dtype.is_complex:
                tensor.copy_(torch.randn(size, dtype=torch.complex64 if spec.dtype.is_complex else None))
            else:
                tensor.copy_(torch.randint(0, INTEGERS_BELOW, size))
            made.append(tensor)
    return made


def _recorder(captured: CapturedGraph, found: list[Recording]) -> Runner:
    """Runs a captured graph operator by operator; the first call is kept."""
    graph = captured.graph
    results = tuple(v for n in graph.nodes for v in n.results)
    kept = tuple(v for v in (*graph.inputs, *results) if v.name not in graph.constants)
    symbols = tuple(SymExpr(s.name) for s in graph.symbols)
    call = build(
        Program(
            captured.arguments,
            tuple(OpStep(n) for n in graph.nodes),
            (*graph.outputs, *kept, *symbols),
            graph.symbols,
            graph.constants,
            f"recorded_{captured.phase}",
        )
    )
    positions = {a.name: i for i, a in enumerate(captured.arguments) if isinstance(a, Value)}
    first = True

    def run(args: list[Any]) -> Sequence[Any]:
        nonlocal first
        given = {
            a.name: duplicate(x)
            for a, x in zip(captured.arguments, args, strict=True)
            if first and isinstance(a, Value) and isinstance(x, torch.Tensor)
        }
        written = [args[positions[name]] for name in captured.writes]
        everything = call(args)
        outputs = everything[: len(graph.outputs)]
        returned = outputs[: len(outputs) - len(written)]
        for tensor, final in zip(written, outputs[len(returned) :], strict=True):
            tensor.copy_(final)
        if first:
            first = False
            computed = everything[len(outputs) : len(outputs) + len(kept)]
            values = {
                v.name: duplicate(t)
                for v, t in zip(kept, computed, strict=True)
                if isinstance(t, torch.Tensor)
            }
            numbers = everything[len(outputs) + len(kept) :]
            bindings = dict(zip((s.name for s in graph.symbols), numbers, strict=True))
            bindings |= {
                v.spec.expr.text: t
                for v, t in zip(kept, computed, strict=True)
                if isinstance(v.spec, ScalarSpec) and isinstance(v.spec.expr, SymExpr)
            }
            found.append(Recording(captured.phase, graph, values | given, bindings))
        return returned

    return run


def duplicate(tensor: torch.Tensor) -> torch.Tensor:
    """A copy with the same sizes and strides in memory of its own."""
    source = tensor.detach().resolve_conj().resolve_neg()
    if source.numel() == 0:
        return torch.empty_strided(source.shape, source.stride(), dtype=source.dtype, device=source.device)
    span = 1 + sum((n - 1) * step for n, step in zip(source.shape, source.stride(), strict=True))
    memory = source.as_strided((span,), (1,), source.storage_offset()).clone()
    return memory.as_strided(source.shape, source.stride(), 0)
