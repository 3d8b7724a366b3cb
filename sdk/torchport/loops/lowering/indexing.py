"""Reads at positions that are themselves read from memory. Every such position is checked."""

from __future__ import annotations

from itertools import pairwise

import torch

from torchport.contract.graph import Node, Value
from torchport.loops.ir import Expr
from torchport.loops.lowering.definition import (
    Definition,
    Indices,
    Reader,
    RuleTable,
    Scope,
    broadcast,
    result,
)

RULES = RuleTable()
_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


@RULES.rule("aten.embedding.default")
def _embedding(node: Node, scope: Scope) -> Definition:
    weight, indices, spec = node.arg("weight"), node.arg("indices"), result(node)
    rows = scope.dim(weight.tensor.shape[0])

    def at(reader: Reader, index: Indices) -> Expr:
        row = reader.checked(reader.read(indices, index[:-1]), rows, wrap=False)
        return reader.read(weight, (row, index[-1]))

    return Definition(scope.shape(spec), spec.dtype, at)


@RULES.rule("aten.index_select.default")
def _index_select(node: Node, scope: Scope) -> Definition:
    source, indices, spec = node.args[0][1], node.arg("index"), result(node)
    rank = source.tensor.rank
    axis = node.arg("dim") % max(rank, 1)

    def at(reader: Reader, index: Indices) -> Expr:
        size = scope.dim(source.tensor.shape[axis]) if rank else scope.dim(1)
        place = (index[axis] if index else scope.dim(0),) if indices.tensor.rank else ()
        row = reader.checked(reader.read(indices, place), size, wrap=False)
        return reader.read(source, (*index[:axis], row, *index[axis + 1 :]) if rank else ())

    return Definition(scope.shape(spec), spec.dtype, at)


@RULES.rule("aten.gather.default")
def _gather(node: Node, scope: Scope) -> Definition:
    source, indices, spec = node.args[0][1], node.arg("index"), result(node)
    rank = source.tensor.rank
    axis = node.arg("dim") % max(rank, 1)

    def at(reader: Reader, index: Indices) -> Expr:
        size = scope.dim(source.tensor.shape[axis]) if rank else scope.dim(1)
        row = reader.checked(reader.read(indices, index if indices.tensor.rank else ()), size, wrap=False)
        return reader.read(source, (*index[:axis], row, *index[axis + 1 :]) if rank else ())

    return Definition(scope.shape(spec), spec.dtype, at)


def _index_check(node: Node) -> str:
    dtypes = {v.tensor.dtype for v in node.arg("indices") if isinstance(v, Value)}
    return "" if dtypes <= set(_INTEGERS) else "boolean masks give a size that depends on data"


@RULES.rule("aten.index.Tensor", check=_index_check)
def _index(node: Node, scope: Scope) -> Definition:
    source, spec = node.args[0][1], result(node)
    indices: dict[int, Value] = {a: v for a, v in enumerate(node.arg("indices")) if v is not None}
    axes = sorted(indices)
    width = max((v.tensor.rank for v in indices.values()), default=0)
    adjacent = all(b - a == 1 for a, b in pairwise(axes))
    start = axes[0] if adjacent and axes else 0

    def at(reader: Reader, index: Indices) -> Expr:
        moved = index[start : start + width]
        rest = iter((*index[:start], *index[start + width :]))
        place = []
        for axis, size in enumerate(scope.shape(source.tensor)):
            if axis in indices:
                value = indices[axis]
                element = reader.read(value, broadcast(moved, scope.shape(value.tensor)))
                place.append(reader.checked(element, size, wrap=True))
            else:
                place.append(next(rest))
        return reader.read(source, tuple(place))

    return Definition(scope.shape(spec), spec.dtype, at)
