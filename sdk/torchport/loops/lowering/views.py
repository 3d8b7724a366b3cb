"""Views and layout changes: index maps of their operand. Nothing is moved unless a consumer needs it in
memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchport.contract.graph import Node, Value
from torchport.loops.index import (
    ONE,
    ZERO,
    Index,
    const,
    flatten,
    floordiv,
    maximum,
    minimum,
    modulo,
    nonnegative,
    unflatten,
)
from torchport.loops.ir import Builder, Expr
from torchport.loops.lowering.definition import Definition, Indices, Reader, RuleTable, Scope, operand, result

RULES = RuleTable()
_BEYOND = const(1 << 62)
IndexMap = Callable[[Indices], Indices]


def _view(node: Node, scope: Scope, mapped: IndexMap, position: int = 0) -> Definition:
    source, spec = node.args[0][1], result(node, position)

    def at(reader: Reader, index: Indices) -> Expr:
        return reader.read(source, mapped(index))

    return Definition(scope.shape(spec), spec.dtype, at, view=True)


def _axis(node: Node, name: str = "dim", default: int = 0) -> int:
    rank = node.args[0][1].tensor.rank
    axis: int = node.arg(name, default)
    return axis + rank if axis < 0 else axis


@RULES.rule("aten.view.default", "aten._unsafe_view.default", "aten.reshape.default")
def _reshape(node: Node, scope: Scope) -> Definition:
    old, new = scope.shape(node.args[0][1].tensor), scope.shape(result(node))
    return _view(node, scope, lambda index: remap(index, new, old))


def remap(index: Indices, shape: Indices, source: Indices) -> Indices:
    """An index into ``shape`` as one into ``source``, which holds the same elements in row-major order."""
    given = [(i, size) for i, size in zip(index, shape, strict=True) if size != ONE]
    wanted = [size for size in source if size != ONE]
    shared = min(len(given), len(wanted))
    head = next((k for k in range(shared) if given[k][1] != wanted[k]), shared)
    rest = shared - head
    tail = next((k for k in range(rest) if given[-1 - k][1] != wanted[-1 - k]), rest)
    middle = given[head : len(given) - tail]
    position = flatten([i for i, _ in middle], [size for _, size in middle])
    found = iter(
        (
            *(i for i, _ in given[:head]),
            *unflatten(position, wanted[head : len(wanted) - tail]),
            *(i for i, _ in given[len(given) - tail :]),
        )
    )
    return tuple(ZERO if size == ONE else next(found) for size in source)


@RULES.rule("aten.alias.default", "aten.detach.default", "aten.lift_fresh.default")
def _same(node: Node, scope: Scope) -> Definition:
    return _view(node, scope, lambda index: index)


def _permuted(node: Node, scope: Scope, order: list[int]) -> Definition:
    inverse = [order.index(axis) for axis in range(len(order))]
    return _view(node, scope, lambda index: tuple(index[i] for i in inverse))


@RULES.rule("aten.permute.default")
def _permute(node: Node, scope: Scope) -> Definition:
    rank = node.args[0][1].tensor.rank
    return _permuted(node, scope, [d % rank for d in node.arg("dims")])


@RULES.rule("aten.t.default", "aten.transpose.int")
def _transpose(node: Node, scope: Scope) -> Definition:
    order = list(range(node.args[0][1].tensor.rank))
    if len(order) > 1:
        a, b = (_axis(node, "dim0"), _axis(node, "dim1")) if node.op == "aten.transpose.int" else (0, 1)
        order[a], order[b] = order[b], order[a]
    return _permuted(node, scope, order)


@RULES.rule("aten.expand.default")
def _expand(node: Node, scope: Scope) -> Definition:
    old, new = scope.shape(node.args[0][1].tensor), scope.shape(result(node))
    offset = len(new) - len(old)
    return _view(
        node, scope, lambda index: tuple(ZERO if s == ONE else index[offset + d] for d, s in enumerate(old))
    )


@RULES.rule("aten.unsqueeze.default")
def _unsqueeze(node: Node, scope: Scope) -> Definition:
    rank = node.args[0][1].tensor.rank + 1
    axis = node.arg("dim") % rank
    return _view(node, scope, lambda index: (*index[:axis], *index[axis + 1 :]))


@RULES.rule("aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims")
def _squeeze(node: Node, scope: Scope) -> Definition:
    shape = scope.shape(node.args[0][1].tensor)
    given: Any = node.arg("dim", tuple(range(len(shape))))
    axes = {d % len(shape) for d in (given if isinstance(given, tuple) else (given,))} if shape else set()
    dropped = {a for a in axes if shape[a] == ONE}

    def mapped(index: Indices) -> Indices:
        rest = iter(index)
        return tuple(ZERO if a in dropped else next(rest) for a in range(len(shape)))

    return _view(node, scope, mapped)


def _start(scope: Scope, value: Any, size: Index, default: Index) -> Index:
    """A slice bound as eager clamps it."""
    if value is None:
        return default
    bound = scope.dim(value)
    if not nonnegative(bound):  # the quotient is -1 for a negative bound and 0 for any other
        bound = bound - size * floordiv(bound, _BEYOND)
    return maximum(minimum(bound, size), ZERO)


@RULES.rule("aten.slice.Tensor")
def _slice(node: Node, scope: Scope) -> Definition:
    axis, step = _axis(node), scope.dim(node.arg("step", 1))
    start = _start(scope, node.arg("start"), scope.dim(node.args[0][1].tensor.shape[axis]), ZERO)
    return _view(node, scope, lambda index: (*index[:axis], index[axis] * step + start, *index[axis + 1 :]))


@RULES.rule("aten.select.int")
def _select(node: Node, scope: Scope) -> Definition:
    axis = _axis(node)
    at = scope.dim(node.arg("index"))
    if not nonnegative(at):
        at = at + scope.dim(node.args[0][1].tensor.shape[axis])
    return _view(node, scope, lambda index: (*index[:axis], at, *index[axis:]))


def _unequal_pieces(node: Node) -> str:
    shapes = {spec.shape for spec in node.output_specs}
    return "pieces of different sizes, which are no results of one kernel" if len(shapes) > 1 else ""


@RULES.rule("aten.split.Tensor", "aten.split_with_sizes.default", check=_unequal_pieces)
def _split(node: Node, scope: Scope) -> tuple[Definition, ...]:
    axis, start, out = _axis(node), ZERO, []
    for position, value in enumerate(node.outputs):
        assert value is not None

        def mapped(index: Indices, start: Index = start) -> Indices:
            return (*index[:axis], index[axis] + start, *index[axis + 1 :])

        out.append(_view(node, scope, mapped, position))
        start = start + scope.dim(value.tensor.shape[axis])
    return tuple(out)


@RULES.rule("aten.unbind.int")
def _unbind(node: Node, scope: Scope) -> tuple[Definition, ...]:
    axis = _axis(node)

    def mapped(position: int) -> IndexMap:
        return lambda index: (*index[:axis], ZERO + position, *index[axis:])

    return tuple(_view(node, scope, mapped(p), p) for p in range(len(node.outputs)))


@RULES.rule("aten.diagonal.default")
def _diagonal(node: Node, scope: Scope) -> Definition:
    rank, offset = node.args[0][1].tensor.rank, node.arg("offset", 0)
    a, b = _axis(node, "dim1", 0), _axis(node, "dim2", 1)

    def mapped(index: Indices) -> Indices:
        rest = iter(index[:-1])
        where = {a: index[-1] + max(-offset, 0), b: index[-1] + max(offset, 0)}
        return tuple(where[d] if d in where else next(rest) for d in range(rank))

    return _view(node, scope, mapped)


@RULES.rule("aten.flip.default")
def _flip(node: Node, scope: Scope) -> Definition:
    shape = scope.shape(node.args[0][1].tensor)
    axes = {d % len(shape) for d in node.arg("dims")} if shape else set()
    return _view(node, scope, lambda i: tuple(shape[a] - 1 - x if a in axes else x for a, x in enumerate(i)))


@RULES.rule("aten.roll.default")
def _roll(node: Node, scope: Scope) -> Definition:
    shape = scope.shape(node.args[0][1].tensor)
    shifts, dims = [scope.dim(s) for s in node.arg("shifts")], node.arg("dims") or ()

    def mapped(index: Indices) -> Indices:
        if not dims:
            total = flatten(index, shape) - shifts[0]
            return unflatten(modulo(total, flatten([s - 1 for s in shape], shape) + 1), shape)
        out = list(index)
        for shift, d in zip(shifts, dims, strict=True):
            out[d % len(shape)] = modulo(out[d % len(shape)] - shift, shape[d % len(shape)])
        return tuple(out)

    return _view(node, scope, mapped)


@RULES.rule("aten.repeat.default")
def _repeat(node: Node, scope: Scope) -> Definition:
    old = scope.shape(node.args[0][1].tensor)
    return _view(
        node,
        scope,
        lambda index: tuple(modulo(i, s) for i, s in zip(index[len(index) - len(old) :], old, strict=True)),
    )


def _as_strided_check(node: Node) -> str:
    return "" if node.args[0][1].tensor.is_contiguous else "only of a contiguous tensor"


@RULES.rule("aten.as_strided.default", check=_as_strided_check)
def _as_strided(node: Node, scope: Scope) -> Definition:
    source = node.args[0][1].tensor
    offset = node.arg("storage_offset")
    start = scope.dim(0 if offset is None else offset) - scope.dim(source.storage_offset)
    strides, shape = [scope.dim(s) for s in node.arg("stride")], scope.shape(source)

    def mapped(index: Indices) -> Indices:
        position = start
        for i, stride in zip(index, strides, strict=True):
            position = position + i * stride
        return unflatten(position, shape)

    return _view(node, scope, mapped)


def inside(b: Builder, i: Index, low: Index, high: Index) -> Expr:
    """``low <= i < high`` as an expression; constant where it can be shown."""
    test = b.const(True, torch.bool)
    if not nonnegative(i - low):
        test = b.binary("and", test, b.compare("ge", b.index(i), b.index(low)))
    if not nonnegative(high - 1 - i):
        test = b.binary("and", test, b.compare("lt", b.index(i), b.index(high)))
    return test


@RULES.rule("aten.cat.default")
def _cat(node: Node, scope: Scope) -> Definition:
    spec = result(node)
    pieces: list[Value] = [
        v for v in node.args[0][1] if not (v.tensor.rank == 1 and v.tensor.shape == (0,) and spec.rank != 1)
    ]
    axis = node.arg("dim", 0) % max(spec.rank, 1)

    def at(reader: Reader, index: Indices) -> Expr:
        ends, start = [], ZERO
        for piece in pieces:
            size = scope.dim(piece.tensor.shape[axis])
            ends.append((piece, start, start + size))
            start = start + size
        out = reader.build.const(0, reader.build.convert(reader.build.const(0, torch.bool), spec.dtype).dtype)
        for position, (piece, low, high) in enumerate(reversed(ends)):
            if low == high:
                continue
            test = inside(reader.build, index[axis], low, high)
            local = (*index[:axis], index[axis] - low, *index[axis + 1 :])

            def body(piece: Value = piece, local: Indices = local) -> Expr:
                return reader.build.convert(reader.read(piece, local), spec.dtype)

            value = reader.masked(test, body)
            out = value if position == 0 else reader.build.where(test, value, out)
        return out

    return Definition(scope.shape(spec), spec.dtype, at)


@RULES.rule("aten.stack.default")
def _stack(node: Node, scope: Scope) -> Definition:
    spec = result(node)
    axis = node.arg("dim", 0) % spec.rank

    def at(reader: Reader, index: Indices) -> Expr:
        rest = (*index[:axis], *index[axis + 1 :])
        values = [reader.build.convert(reader.read(v, rest), spec.dtype) for v in node.args[0][1]]
        out = values[-1]
        for position in range(len(values) - 2, -1, -1):
            out = reader.build.where(
                inside(reader.build, index[axis], ZERO + position, ZERO + position + 1), values[position], out
            )
        return out

    return Definition(scope.shape(spec), spec.dtype, at)


@RULES.rule("aten.constant_pad_nd.default")
def _pad(node: Node, scope: Scope) -> Definition:
    spec, source = result(node), node.args[0][1]
    pads = [scope.dim(p) for p in node.arg("pad")]
    before = {spec.rank - 1 - k: pads[2 * k] for k in range(len(pads) // 2)}

    def at(reader: Reader, index: Indices) -> Expr:
        b = reader.build
        local = tuple(i - before[a] if a in before else i for a, i in enumerate(index))
        test = b.const(True, torch.bool)
        for axis in before:
            test = b.binary("and", test, inside(b, local[axis], ZERO, scope.dim(source.tensor.shape[axis])))
        value = reader.masked(test, lambda: reader.read(source, local))
        return b.where(test, value, b.scalar(node.arg("value", 0), value.dtype))

    return Definition(scope.shape(spec), spec.dtype, at)


def _scatter_rule(
    start_of: Callable[[Node, Scope, int], tuple[Index, Index, Index]], *, keeps_axis: bool
) -> Any:
    def rule(node: Node, scope: Scope) -> Definition:
        source, spec, axis = node.arg("src"), result(node), _axis(node)
        start, stop, step = start_of(node, scope, axis)

        def at(reader: Reader, index: Indices) -> Expr:
            b, i = reader.build, index[axis]
            test = inside(b, i, start, stop)
            if step != ONE:
                on_step = b.compare("eq", b.index(modulo(i - start, step)), b.const(0, torch.int64))
                test = b.binary("and", test, on_step)
            local = (floordiv(i - start, step),) if keeps_axis else ()
            inner = (*index[:axis], *local, *index[axis + 1 :])
            new = reader.masked(test, lambda: operand(reader, scope, source, inner, spec.dtype))
            return b.where(test, new, reader.read(node.args[0][1], index))

        return Definition(scope.shape(spec), spec.dtype, at)

    return rule


def _slice_bounds(node: Node, scope: Scope, axis: int) -> tuple[Index, Index, Index]:
    size = scope.dim(node.args[0][1].tensor.shape[axis])
    start = _start(scope, node.arg("start"), size, ZERO)
    return start, _start(scope, node.arg("end"), size, size), scope.dim(node.arg("step", 1))


def _select_bounds(node: Node, scope: Scope, axis: int) -> tuple[Index, Index, Index]:
    at = scope.dim(node.arg("index"))
    if not nonnegative(at):
        at = at + scope.dim(node.args[0][1].tensor.shape[axis])
    return at, at + 1, ONE


RULES.add(("aten.slice_scatter.default",), _scatter_rule(_slice_bounds, keeps_axis=True))
RULES.add(("aten.select_scatter.default",), _scatter_rule(_select_bounds, keeps_axis=False))
