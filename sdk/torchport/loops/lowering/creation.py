"""Operators that make values out of nothing: constants, ranges, triangles."""

from __future__ import annotations

from typing import Any

import torch

from torchport.contract.graph import Node
from torchport.loops.ir import Expr, compute_dtype
from torchport.loops.lowering.definition import Definition, Indices, Reader, RuleTable, Scope, operand, result

RULES = RuleTable()


def _filled(node: Node, scope: Scope, value: Any) -> Definition:
    spec = result(node)

    def at(reader: Reader, index: Indices) -> Expr:
        return operand(reader, scope, value, index, compute_dtype(spec.dtype))

    return Definition(scope.shape(spec), spec.dtype, at)


@RULES.rule(
    "aten.full.default",
    "aten.full_like.default",
    "aten.new_full.default",
    "aten.fill.Scalar",
    "aten.fill.Tensor",
)
def _full(node: Node, scope: Scope) -> Definition:
    return _filled(node, scope, node.arg("fill_value", node.arg("value")))


@RULES.rule("aten.scalar_tensor.default")
def _scalar_tensor(node: Node, scope: Scope) -> Definition:
    return _filled(node, scope, node.arg("s"))


RULES.add(
    (
        *(f"aten.{name}.default" for name in ("zeros", "zeros_like", "new_zeros", "empty_like", "new_empty")),
        *("aten.empty_strided.default", "aten.empty.memory_format"),
    ),
    lambda node, scope: _filled(node, scope, 0),
)
RULES.add(
    tuple(f"aten.{name}.default" for name in ("ones", "ones_like", "new_ones")),
    lambda node, scope: _filled(node, scope, 1),
)


@RULES.rule("aten.arange.default", "aten.arange.start", "aten.arange.start_step")
def _arange(node: Node, scope: Scope) -> Definition:
    start, step, spec = node.arg("start", 0), node.arg("step", 1), result(node)
    dtype = compute_dtype(spec.dtype)

    def at(reader: Reader, index: Indices) -> Expr:
        b = reader.build
        fractions = any(isinstance(x, float) for x in (start, step))
        if not dtype.is_floating_point and not fractions:
            return b.convert(b.index(index[0] * scope.dim(step) + scope.dim(start)), dtype)
        # Integers of a broken step are rounded once, as they come, and not the step.
        wide = torch.float64
        position = b.convert(b.index(index[0]), wide)
        return b.convert(
            b.binary("add", b.scalar(start, wide), b.binary("mul", position, b.scalar(step, wide))), dtype
        )

    return Definition(scope.shape(spec), spec.dtype, at)


@RULES.rule("prims.iota.default")
def _iota(node: Node, scope: Scope) -> Definition:
    start, step, spec = scope.dim(node.arg("start")), scope.dim(node.arg("step")), result(node)
    return Definition(
        scope.shape(spec),
        spec.dtype,
        lambda reader, index: reader.build.convert(reader.build.index(index[0] * step + start), spec.dtype),
    )


def _triangle(compare: str) -> Any:
    def rule(node: Node, scope: Scope) -> Definition:
        spec, source, diagonal = result(node), node.args[0][1], scope.dim(node.arg("diagonal", 0))

        def at(reader: Reader, index: Indices) -> Expr:
            b = reader.build
            keep = b.compare(compare, b.index(index[-1] - index[-2]), b.index(diagonal))
            value = reader.read(source, index)
            return b.where(keep, value, b.const(0, value.dtype))

        return Definition(scope.shape(spec), spec.dtype, at)

    return rule


RULES.add(("aten.tril.default",), _triangle("le"))
RULES.add(("aten.triu.default",), _triangle("ge"))
