"""Updates in place as C++: a loop over what is written, which touches nothing else of the base.

Only for static sizes and plain copies; other updates run in PyTorch's in-place forms. All indices are checked
before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch

from torchport.contract.graph import Graph, Node, TensorSpec, Value
from torchport_reference.openmp_cpu.printer import NAME

_INDEX = {
    torch.int64: "int64_t",
    torch.int32: "int32_t",
    torch.int16: "int16_t",
    torch.int8: "int8_t",
    torch.uint8: "uint8_t",
}
_RESHAPES = ("aten.view.default", "aten.unsqueeze.default", "aten.squeeze.dim", "aten.squeeze.dims")
_BITS = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}


@dataclass(frozen=True)
class Update:
    """``source`` is C++ with :data:`NAME` for its name; its buffers are ``reads``, then the base. ``checks``
    are the errors by number from 1; ``work`` counts the elements that are written.
    """

    source: str
    reads: tuple[Value, ...]
    checks: tuple[str, ...]
    work: int


@dataclass(frozen=True)
class _Form:
    """Elements of ``written`` over ``shape``, and where they go: a C++ index for each dimension of the base.
    ``indices`` are read, each with the size it must be below and whether it may count from the end.
    """

    written: Value
    shape: tuple[int, ...]
    place: tuple[str, ...]
    indices: tuple[tuple[Value, int, bool], ...] = ()


def print_update(node: Node) -> Update | None:
    """The loop of an update in place; ``None`` where it has a form that is not covered."""
    make = _FORMS.get(node.op)
    if make is None or not all(s.is_static for s in (*node.input_specs, *node.output_specs)):
        return None
    base: Value = node.args[0][1]
    form = make(node, base.tensor) if base.tensor.rank else None
    if form is None or form.written.tensor.dtype != base.tensor.dtype:
        return None
    if base.tensor.dtype.itemsize not in _BITS:
        return None
    reads = (form.written, *(v for v, _, _ in form.indices))
    element = _BITS[base.tensor.dtype.itemsize]
    lines = [f"const {element}* s = (const {element}*)p[0];", f"{element}* b = ({element}*)p[{len(reads)}];"]
    checks = []
    for number, (value, size, wraps) in enumerate(form.indices, 1):
        kind = _INDEX[value.tensor.dtype]
        lines.append(f"const {kind}* x{number} = (const {kind}*)p[{number}];")
        names = [f"k{a}" for a in range(value.tensor.rank)]
        at = _offset(names, value.tensor)
        low = -size if wraps else 0
        test = f"const int64_t v = x{number}[{at}]; if (v < {low} || v >= {size})"
        body = f"{{ {test} {{ *(int64_t*)p[{len(reads) + 1}] = {number}; return; }} }}"
        lines += _loops(names, value.tensor.shape, [body])
        checks.append(f"an index is out of range for a dimension of size {size}")
    names = [f"i{a}" for a in range(len(form.shape))]
    target = _offset(form.place, base.tensor)
    source = _offset(_broadcast(names, form.written.tensor), form.written.tensor)
    lines += _loops(names, form.shape, [f"b[{target}] = s[{source}];"])
    text = "\n".join(f"  {line}" for line in lines)
    header = f"// {node.op.removeprefix('aten.')}, in place\nKERNEL {NAME}(void** p, const int64_t* n) {{"
    return Update(f"{header}\n{text}\n}}\n", reads, tuple(checks), prod(form.shape))


def same_elements(graph: Graph, value: Value) -> Value:
    """What ``value`` is another shape of, if both are row-major: the same elements in the same order."""
    node = graph.producers.get(value.name)
    while node is not None and node.op in _RESHAPES:
        base: Value = node.args[0][1]
        if not (value.tensor.is_contiguous and base.tensor.is_contiguous):
            break
        value, node = base, graph.producers.get(base.name)
    return value


def _loops(names: Sequence[str], shape: Sequence[Any], body: Sequence[str]) -> list[str]:
    heads = [f"for (int64_t {n} = 0; {n} < {size}; ++{n})" for n, size in zip(names, shape, strict=True)]
    return [*heads, *body]


def _offset(place: Sequence[str], spec: TensorSpec) -> str:
    terms = [f"({i}) * {t}" for i, n, t in zip(place, spec.shape, spec.stride, strict=True) if n != 1]
    return " + ".join(terms) or "0"


def _broadcast(names: Sequence[str], spec: TensorSpec) -> list[str]:
    return list(names[len(names) - spec.rank :])


def _read(number: int, value: Value, names: Sequence[str], size: int, wraps: bool) -> str:
    """An index read from memory, at a point of the space that it is broadcast to."""
    at = _offset(_broadcast(names, value.tensor), value.tensor)
    read = f"(int64_t)x{number}[{at}]"
    return f"{read} + ({read} < 0 ? {size} : 0)" if wraps else read


def _slice(node: Node, base: TensorSpec) -> _Form | None:
    written, axis = node.arg("src"), node.arg("dim") % base.rank
    bounds = (node.arg("start"), node.arg("end"), node.arg("step"))
    if not all(b is None or isinstance(b, int) for b in bounds) or node.arg("step") < 1:
        return None
    size: Any = base.shape[axis]
    start, stop, step = slice(*bounds).indices(size)
    if len(range(start, stop, step)) != written.tensor.shape[axis]:
        return None
    place = [f"i{a}" for a in range(base.rank)]
    place[axis] = f"{start} + {step} * i{axis}"
    return _Form(written, written.tensor.shape, tuple(place))


def _select(node: Node, base: TensorSpec) -> _Form | None:
    written, axis, index = node.arg("src"), node.arg("dim") % base.rank, node.arg("index")
    if not isinstance(index, int):
        return None
    place = [f"i{a}" for a in range(base.rank - 1)]
    size: Any = base.shape[axis]
    place.insert(axis, str(index % size))
    return _Form(written, written.tensor.shape, tuple(place))


def _index_copy(node: Node, base: TensorSpec) -> _Form | None:
    written, axis, index = node.arg("source"), node.arg("dim") % base.rank, node.arg("index")
    if written.tensor.rank != base.rank or index.tensor.rank != 1:
        return None
    size: Any = base.shape[axis]
    place = [f"i{a}" for a in range(base.rank)]
    place[axis] = _read(1, index, [f"i{axis}"], size, wraps=False)
    return _Form(written, written.tensor.shape, tuple(place), ((index, size, False),))


def _index_put(node: Node, base: TensorSpec) -> _Form | None:
    written = node.arg("values")
    found = {a: v for a, v in enumerate(node.arg("indices")) if v is not None}
    if node.arg("accumulate") or not found or any(v.tensor.dtype not in _INDEX for v in found.values()):
        return None
    axes = sorted(found)
    width = max(v.tensor.rank for v in found.values())
    chosen: Any = torch.broadcast_shapes(*(v.tensor.shape for v in found.values()))
    start = axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0
    rest = [base.shape[a] for a in range(base.rank) if a not in found]
    shape: Any = (*rest[:start], *chosen, *rest[start:])
    if written.tensor.rank > len(shape):
        return None
    names = [f"i{a}" for a in range(len(shape))]
    moved, others = names[start : start + width], iter([*names[:start], *names[start + width :]])
    indices = tuple((found[a], base.shape[a], True) for a in axes)
    numbers = {axis: number for number, axis in enumerate(axes, 1)}
    place = [
        _read(numbers[a], found[a], moved, base.shape[a], wraps=True) if a in found else next(others)  # type: ignore[arg-type]
        for a in range(base.rank)
    ]
    return _Form(written, shape, tuple(place), indices)  # type: ignore[arg-type]


_FORMS: dict[str, Callable[[Node, TensorSpec], _Form | None]] = {
    "aten.slice_scatter.default": _slice,
    "aten.select_scatter.default": _select,
    "aten.index_copy.default": _index_copy,
    "aten.index_put.default": _index_put,
}
