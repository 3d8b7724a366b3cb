"""Smaller sizes and plainer values: a candidate traced again with other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from torchport.contract.adapters import to_running
from torchport.contract.graph import Graph, Node, TensorSpec, Value
from torchport.contract.reference import flatten
from torchport.contract.spec import call_bound, resolve
from torchport.contract.symbols import SymExpr, evaluate
from torchport.tools.minify.candidate import Candidate, Source

Values = Mapping[str, torch.Tensor]
Fails = Callable[[Candidate], bool]

LITERAL_ELEMENTS = 32
"""The largest tensor that a script spells out."""
SMALLEST = (1, 2, 3)
"""Sizes that are tried before halves."""


def traced(found: Candidate, values: Values, *, sizes: Mapping[int, int] | None = None) -> Candidate | None:
    """The candidate with the sizes that its inputs have now, all of them numbers; ``None`` where eager
    PyTorch refuses it.

    Args:
        found: what to trace.
        values: recorded tensors.
        sizes: numbers that take the place of others in lists of integers among the arguments.
    """
    try:
        tensors = found.tensors(values)
        return _traced(found, tensors, sizes or {})
    except Exception:  # noqa: BLE001 - whatever PyTorch raises, this is no program
        return None


def _traced(found: Candidate, tensors: list[torch.Tensor], sizes: Mapping[int, int]) -> Candidate:
    env: dict[str, torch.Tensor] = dict(found.graph.constants)
    specs: dict[str, Value] = {v.name: v for v in found.graph.inputs if v.name in env}

    def define(value: Value, tensor: torch.Tensor) -> Value:
        env[value.name] = tensor
        specs[value.name] = Value(value.name, _spec(value.tensor, tensor))
        return specs[value.name]

    inputs = iter([define(v, t) for v, t in zip(found.inputs, tensors, strict=True)])
    nodes = []
    for node in found.graph.nodes:
        bound = {name: _static(arg, found.bindings, sizes) for name, arg in node.args}
        real = {name: _real(arg, env) for name, arg in bound.items()}
        with torch.no_grad():
            result = call_bound(resolve(node.op), dict(to_running(node.op, tuple(real.items()))))
        outputs = tuple(
            None if v is None or not isinstance(t, torch.Tensor) else define(v, t)
            for v, t in zip(node.outputs, flatten(result), strict=True)
        )
        args = tuple((name, _respecified(arg, specs)) for name, arg in bound.items())
        nodes.append(replace(node, args=args, outputs=outputs))
    kept = tuple(
        specs[v.name] if v.name in found.graph.constants else next(inputs) for v in found.graph.inputs
    )
    outputs_ = tuple(specs[v.name] for v in found.graph.output_values)
    graph = Graph(kept, tuple(nodes), outputs_, (), found.graph.constants)
    return Candidate(graph, found.phase, found.sources, {})


def _spec(spec: TensorSpec, tensor: torch.Tensor) -> TensorSpec:
    return spec.with_(
        shape=tuple(tensor.shape), stride=tuple(tensor.stride()), dtype=tensor.dtype, storage_offset=0
    )


def _static(arg: Any, bindings: Mapping[str, Any], sizes: Mapping[int, int], listed: bool = False) -> Any:
    if isinstance(arg, SymExpr):
        arg = evaluate(arg, bindings)
    if isinstance(arg, tuple):
        return tuple(_static(a, bindings, sizes, True) for a in arg)
    return sizes.get(arg, arg) if listed and type(arg) is int else arg


def _real(arg: Any, env: Mapping[str, torch.Tensor]) -> Any:
    if isinstance(arg, Value):
        return env[arg.name]
    return [_real(a, env) for a in arg] if isinstance(arg, tuple) else arg


def _respecified(arg: Any, specs: Mapping[str, Value]) -> Any:
    if isinstance(arg, Value):
        return specs[arg.name]
    return tuple(_respecified(a, specs) for a in arg) if isinstance(arg, tuple) else arg


def smaller_sizes(found: Candidate, values: Values, fails: Fails) -> Candidate:
    """Every size of the inputs made as small as the fault allows, equal sizes together."""
    tried: set[int] = set()
    while True:
        sizes = {d for v in found.inputs for d in _sizes(v)} - tried - {0, 1}
        if not sizes:
            return found
        size = max(sizes)
        tried.add(size)
        for new in _below(size):
            cut = traced(_cut(found, size, new), values, sizes={size: new})
            if cut is not None and fails(cut):
                found = cut
                if new not in SMALLEST:
                    tried.discard(new)
                break


def smaller_dimensions(found: Candidate, values: Values, fails: Fails) -> Candidate:
    """Every dimension of every input made as small as the fault allows, each by itself."""
    for index in range(len(found.sources)):
        for dim, size in enumerate(_sizes(found.inputs[index])):
            for new in _below(size):
                sources = list(found.sources)
                shape = list(_sizes(found.inputs[index]))
                shape[dim] = new
                sources[index] = replace(sources[index], sizes=tuple(shape))
                cut = traced(replace(found, sources=tuple(sources)), values)
                if cut is not None and fails(cut):
                    found = cut
                    break
    return found


def _sizes(value: Value) -> tuple[int, ...]:
    return tuple(int(evaluate(d, {})) for d in value.tensor.shape)


def _below(size: int) -> Iterator[int]:
    yield from (n for n in SMALLEST if n < size)
    if size // 2 > SMALLEST[-1]:
        yield size // 2


def _cut(found: Candidate, size: int, new: int) -> Candidate:
    sources = tuple(
        replace(s, sizes=tuple(new if d == size else d for d in _sizes(v)))
        for s, v in zip(found.sources, found.inputs, strict=True)
    )
    return replace(found, sources=sources)


def plainer_values(found: Candidate, values: Values, fails: Fails) -> Candidate:
    """Inputs replaced by expressions where the fault stays: random numbers, ones or zeros, else literals."""
    for index in range(len(found.sources)):
        tensor = found.tensors(values)[index]
        for text in (*_plain(tensor), *_literal(tensor)):
            sources = list(found.sources)
            sources[index] = Source(text=text)
            changed = traced(replace(found, sources=tuple(sources)), values)
            if changed is not None and fails(changed):
                found = changed
                break
    return found


def _plain(tensor: torch.Tensor) -> Iterator[str]:
    size = ", ".join(map(str, tensor.shape)) or "()"
    dtype = "" if tensor.dtype is torch.get_default_dtype() else f", dtype={tensor.dtype}"
    made = [f"torch.{name}({size}{dtype})" for name in ("ones", "zeros")]
    if tensor.is_floating_point() or tensor.is_complex():
        made.insert(0, f"torch.randn({size}{dtype})")
    for text in made:
        yield text
    if not tensor.is_contiguous():
        layout = f"{tuple(tensor.shape)}, {tensor.stride()}{dtype}"
        for text in made:
            yield f"torch.empty_strided({layout}).copy_({text})"


def _literal(tensor: torch.Tensor) -> Iterator[str]:
    if tensor.numel() <= LITERAL_ELEMENTS and not tensor.is_complex():
        numbers = str(tensor.tolist()).replace("inf", "torch.inf").replace("nan", "torch.nan")
        yield f"torch.tensor({numbers}, dtype={tensor.dtype})"


def is_static(nodes: tuple[Node, ...]) -> bool:
    """Whether no size of any operand or result is a symbol."""
    return all(s.is_static for n in nodes for s in (*n.input_specs, *n.output_specs))
