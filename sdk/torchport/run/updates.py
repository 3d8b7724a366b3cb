"""Functional operators that can run in the memory of their first argument, read from PyTorch's schemas.

An *update* computes the first argument (its *base*) with some elements replaced: run in place, it touches
those elements only; run functionally, it copies the base.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import torch

from torchport.contract.graph import Node, Provenance, TensorSpec, Value, contiguous_strides
from torchport.contract.spec import resolve

_SELECTORS = frozenset({"index", "indices", "positions", "mask", "src", "source"})
_REGION_OF = {
    "aten.slice_scatter.default": "aten.slice.Tensor",
    "aten.select_scatter.default": "aten.select.int",
    "aten.diagonal_scatter.default": "aten.diagonal.default",
    "aten.as_strided_scatter.default": "aten.as_strided.default",
}
"""The view that each scatter of a view writes through."""
_WHOLE = frozenset({"aten.copy.default"})
"""Writes every element: nothing of the base remains."""


@lru_cache(maxsize=1024)
def in_place_form(op: str) -> str:
    """The operator that computes ``op`` in the memory of its first argument, or the view that it writes
    through; empty when PyTorch has no such form.
    """
    if op in _REGION_OF:
        return _REGION_OF[op]
    functional = _overload(op)
    if functional is None or torch.Tag.nondeterministic_seeded in functional.tags:
        return ""
    namespace, packet, overload = op.split(".")
    name = f"{namespace}.{packet}_.{overload}"
    candidate = _overload(name) if namespace == "aten" else None
    return name if candidate is not None and _same_call(functional, candidate) else ""


def in_place(node: Node) -> tuple[Node, ...]:
    """Nodes that leave ``node``'s result in the memory of its first argument (see :func:`base_of`).

    They mutate, so they belong into a program, never into a graph.
    """
    form = in_place_form(node.op)
    if node.op not in _REGION_OF:
        return (replace(node, op=form),)
    (_, base), (_, source), *where = node.args
    result = node.results[0]
    names = [a.name for a in resolve(form)._schema.arguments]
    part = Value(f"{result.name}__part", source.spec)
    written = Value(f"{result.name}__written", source.spec)
    arguments = (("self", base), *zip(names[1:], (a for _, a in where), strict=True))
    return (
        Node(part.name, form, arguments, (part,), node.provenance),
        write(part, source, written, node.provenance),
        Node(node.name, "aten.alias.default", (("self", base),), (result,), node.provenance),
    )


def write(target: Value, source: Value, result: Value, provenance: Provenance | None = None) -> Node:
    """Copies ``source`` into the memory of ``target``; ``result`` is ``target`` afterwards."""
    arguments = (("self", target), ("src", source), ("non_blocking", False))
    return Node(result.name, "aten.copy_.default", arguments, (result,), provenance or Provenance())


def _same_call(functional: torch._ops.OpOverload, candidate: torch._ops.OpOverload) -> bool:
    """Whether ``candidate`` takes the same arguments, writes to the first and returns it."""
    wanted = [(a.name, str(a.type)) for a in functional._schema.arguments]
    arguments, returns = candidate._schema.arguments, candidate._schema.returns
    written = [a.alias_info is not None and a.alias_info.is_write for a in arguments]
    return (
        [(a.name, str(a.type)) for a in arguments] == wanted
        and written[:1] == [True]
        and not any(written[1:])
        and len(returns) == 1
        and returns[0].alias_info is not None
        and returns[0].alias_info.is_write
        and not functional._schema.returns[0].alias_info
    )


@lru_cache(maxsize=1024)
def is_update(op: str) -> bool:
    """Whether ``op`` returns its first argument with some elements replaced."""
    if op in _REGION_OF:
        return True
    schema = getattr(_overload(op), "_schema", None)
    if schema is None or op in _WHOLE or len(schema.returns) != 1 or not schema.arguments:
        return False
    chosen = {a.name for a in schema.arguments[1:]} & _SELECTORS
    return bool(chosen) and bool(in_place_form(op) or schema.arguments[0].name == "cache")


def base_of(node: Node) -> Value | None:
    """The value in whose memory ``node`` could leave its result; ``None`` when there is none.

    It has the result's dtype, device, sizes and strides, is read once (an elementwise operator may read it
    several times), and no two of its elements share memory.
    """
    if len(node.results) != 1 or node.returns_sequence or not node.args:
        return None
    base = node.args[0][1]
    if not isinstance(base, Value) or not isinstance(base.spec, TensorSpec):
        return None
    if not in_place_form(node.op) and not is_update(node.op):
        return None
    if not same_memory_layout(base.tensor, node.results[0].spec):
        return None
    count = sum(v.name == base.name for v in node.inputs)
    return base if count == 1 or _pointwise(node.op) else None


def same_memory_layout(a: TensorSpec, b: Any) -> bool:
    """Whether two tensors place the same elements alike, each at an address of its own."""
    if not isinstance(b, TensorSpec) or a.dtype != b.dtype or a.device != b.device or a.rank != b.rank:
        return False
    for n, m, s, t in zip(a.shape, b.shape, a.stride, b.stride, strict=True):
        if str(n) != str(m) or (n != 1 and str(s) != str(t)):
            return False
    return not may_overlap_itself(a)


def may_overlap_itself(spec: TensorSpec) -> bool:
    """Whether two elements of a tensor may share memory (an expanded tensor's do)."""
    if spec.is_contiguous:
        return False
    if spec.is_static:
        extent: Any = 1
        pairs: Any = zip(spec.shape, spec.stride, strict=True)
        for stride, size in sorted((t, n) for n, t in pairs if n != 1):
            if stride < extent:
                return 0 not in spec.shape
            extent = stride * (size - 1) + extent
        return False
    dims = [(n, t) for n, t in zip(spec.shape, spec.stride, strict=True) if n != 1]
    shape: tuple[Any, ...] = ()
    while dims:  # some order of the dimensions is row-major
        extent = contiguous_strides((1, *shape))[0]
        found = next((d for d in dims if str(d[1]) == str(extent)), None)
        if found is None:
            return True
        dims.remove(found)
        shape = (found[0], *shape)
    return False


def _pointwise(op: str) -> bool:
    found = _overload(op)
    return found is not None and torch.Tag.pointwise in found.tags


@lru_cache(maxsize=4096)
def _overload(name: str) -> torch._ops.OpOverload | None:
    try:
        found = resolve(name)
    except (AttributeError, ValueError):
        return None
    return found if isinstance(found, torch._ops.OpOverload) else None
