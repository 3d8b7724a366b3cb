"""Reductions: what is accumulated, over which axes, and what is done with the total."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchport.contract.graph import Node
from torchport.loops.index import flatten, product
from torchport.loops.ir import Expr, compute_dtype
from torchport.loops.lowering.definition import (
    Definition,
    Indices,
    Reader,
    Reduction,
    RuleTable,
    Scope,
    result,
)
from torchport.loops.lowering.elementwise import truth

RULES = RuleTable()
Map = Callable[[Reader, Expr], Expr]


def _axes(node: Node) -> tuple[int, ...]:
    rank = node.args[0][1].tensor.rank
    dims: Any = node.arg("dim")
    if dims is None or dims == () or rank == 0:
        return tuple(range(rank))
    return tuple(sorted(d % rank for d in (dims if isinstance(dims, tuple) else (dims,))))


def _reduction(
    node: Node, scope: Scope, kind: str, accumulate: torch.dtype, before: Map, finish: Map, position: int = 0
) -> Definition:
    source, spec = node.args[0][1], result(node, position)
    reduction = Reduction(
        kind,
        scope.shape(source.tensor),
        _axes(node),
        lambda reader, index: (before(reader, reader.read(source, index)),),
        accumulate,
        finish,
    )
    return Definition(scope.shape(spec), spec.dtype, reduction=reduction)


def _same(_: Reader, x: Expr) -> Expr:
    return x


@RULES.rule("aten.sum.default", "aten.sum.dim_IntList", "aten.prod.default", "aten.prod.dim_int")
def _sum(node: Node, scope: Scope) -> Definition:
    dtype = compute_dtype(result(node).dtype)
    kind = "sum" if ".sum." in node.op else "prod"
    return _reduction(node, scope, kind, dtype, lambda r, x: r.build.convert(x, dtype), _same)


@RULES.rule("aten.mean.default", "aten.mean.dim")
def _mean(node: Node, scope: Scope) -> Definition:
    shape, dtype = scope.shape(node.args[0][1].tensor), compute_dtype(result(node).dtype)
    count = product(shape[a] for a in _axes(node))

    def finish(reader: Reader, total: Expr) -> Expr:
        b = reader.build
        return b.binary("div", total, b.convert(b.index(count), dtype))

    return _reduction(node, scope, "sum", dtype, lambda r, x: r.build.convert(x, dtype), finish)


@RULES.rule("aten.amax.default", "aten.amin.default", "aten.max.default", "aten.min.default")
def _extreme(node: Node, scope: Scope) -> Definition:
    return _extreme_of(node, scope, "max" if "max" in node.op else "min")


def _extreme_of(node: Node, scope: Scope, kind: str) -> Definition:
    dtype = compute_dtype(result(node).dtype)
    if dtype != torch.bool:
        return _reduction(node, scope, kind, dtype, _same, _same)
    if kind == "max":
        return _reduction(node, scope, "any", dtype, _same, _same)
    return _reduction(node, scope, "any", dtype, _complement, _complement)


def _complement(reader: Reader, x: Expr) -> Expr:
    return reader.build.unary("not", x)


@RULES.rule(*(f"aten.any.{overload}" for overload in ("default", "dim", "dims")))
def _any(node: Node, scope: Scope) -> Definition:
    out = result(node).dtype
    return _reduction(
        node, scope, "any", torch.bool, lambda r, x: truth(r.build, x), lambda r, x: r.build.convert(x, out)
    )


@RULES.rule(*(f"aten.all.{overload}" for overload in ("default", "dim", "dims")))
def _all(node: Node, scope: Scope) -> Definition:
    out = result(node).dtype
    return _reduction(
        node,
        scope,
        "any",
        torch.bool,
        lambda r, x: r.build.unary("not", truth(r.build, x)),
        lambda r, x: r.build.convert(r.build.unary("not", x), out),
    )


def _position(node: Node, scope: Scope, kind: str, position: int) -> Definition:
    source = node.args[0][1]
    shape, axes = scope.shape(source.tensor), _axes(node)

    def body(reader: Reader, index: Indices) -> tuple[Expr, ...]:
        place = flatten([index[a] for a in axes], [shape[a] for a in axes])
        value = reader.read(source, index)
        if value.dtype == torch.bool:
            value = reader.build.convert(value, torch.uint8)
        return value, reader.build.index(place)

    reduction = Reduction(kind, shape, axes, body, torch.int64)
    spec = result(node, position)
    return Definition(scope.shape(spec), spec.dtype, reduction=reduction)


@RULES.rule("aten.argmax.default", "aten.argmin.default")
def _arg(node: Node, scope: Scope) -> Definition:
    return _position(node, scope, "argmax" if "argmax" in node.op else "argmin", 0)


@RULES.rule("aten.max.dim", "aten.min.dim")
def _with_index(node: Node, scope: Scope) -> tuple[Definition, ...]:
    kind = "max" if ".max." in node.op else "min"
    return _extreme_of(node, scope, kind), _position(node, scope, f"arg{kind}", 1)
