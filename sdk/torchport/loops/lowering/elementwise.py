"""Elementwise operators: one row of a table, or one function, for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchport.contract.graph import Node, Value
from torchport.contract.symbols import SymExpr
from torchport.loops.ir import COMPARE, Builder, Expr, compute_dtype
from torchport.loops.lowering.definition import Definition, Indices, Reader, RuleTable, Scope, operand, result
from torchport.loops.lowering.promotion import promoted

RULES = RuleTable()
Compute = Callable[..., Expr]
"""Takes the builder and the promoted operands."""


def elementwise(
    node: Node, scope: Scope, operands: tuple[Any, ...], dtype: torch.dtype, fn: Compute
) -> Definition:
    """Applies ``fn`` to operands promoted to ``dtype`` and converts to the result's dtype."""
    spec = result(node)

    def at(reader: Reader, index: Indices) -> Expr:
        values = [operand(reader, scope, a, index, dtype) for a in operands]
        return reader.build.convert(fn(reader.build, *values), spec.dtype)

    return Definition(scope.shape(spec), spec.dtype, at)


def _computed(node: Node) -> torch.dtype:
    return compute_dtype(result(node).dtype)


def _unary(fn: Compute) -> Callable[[Node, Scope], Definition]:
    return lambda node, scope: elementwise(node, scope, (node.args[0][1],), _computed(node), fn)


def _binary(fn: Compute) -> Callable[[Node, Scope], Definition]:
    return lambda node, scope: elementwise(
        node, scope, (node.args[0][1], node.args[1][1]), _computed(node), fn
    )


def _promoted(fn: Compute, count: int) -> Callable[[Node, Scope], Definition]:
    """Computes in the operands' promoted dtype, whatever the result's dtype is."""

    def rule(node: Node, scope: Scope) -> Definition:
        operands = tuple(a for _, a in node.args[:count])
        return elementwise(node, scope, operands, compute_dtype(promoted(operands)), fn)

    return rule


def _named(op: str) -> Compute:
    return lambda b, x: b.unary(op, x)


def _named2(op: str) -> Compute:
    return lambda b, x, y: b.binary(op, x, y)


_DIRECT = [
    "abs",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sqrt",
    "rsqrt",
    "erf",
    "erfc",
    "lgamma",
    "neg",
    "sigmoid",
]
for _name in _DIRECT:
    RULES.add((f"aten.{_name}.default",), _unary(_named(_name)))
for _name, _op in {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "nearest"}.items():
    RULES.add(
        (f"aten.{_name}.default",),
        _unary(lambda b, x, _op=_op: b.unary(_op, x) if x.dtype.is_floating_point else x),
    )
for _name, _op in {
    "atan2": "atan2",
    "hypot": "hypot",
    "copysign": "copysign",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
}.items():
    _overloads = (
        ("Tensor", "Scalar", "Scalar_Tensor")
        if _name.startswith("bitwise") or _name == "copysign"
        else ("default",)
    )
    RULES.add(tuple(f"aten.{_name}.{o}" for o in _overloads), _binary(_named2(_op)))


for _name in COMPARE:
    RULES.add(
        (f"aten.{_name}.Tensor", f"aten.{_name}.Scalar"),
        _promoted(lambda b, x, y, _op=_name: b.compare(_op, x, y), 2),
    )


def truth(b: Builder, x: Expr) -> Expr:
    """``x != 0``."""
    return x if x.dtype == torch.bool else b.compare("ne", x, b.const(0, x.dtype))


for _name in ("and", "or", "xor"):
    RULES.add(
        (f"aten.logical_{_name}.default",),
        _promoted(lambda b, x, y, _op=_name: b.binary(_op, truth(b, x), truth(b, y)), 2),
    )
RULES.add(("aten.logical_not.default",), _promoted(lambda b, x: b.unary("not", truth(b, x)), 1))
RULES.add(("aten.bitwise_not.default",), _unary(_named("not")))
for _name in ("isnan", "isinf"):
    RULES.add(
        (f"aten.{_name}.default",),
        _promoted(
            lambda b, x, _op=_name: (
                b.unary(_op, x) if x.dtype.is_floating_point else b.const(False, torch.bool)
            ),
            1,
        ),
    )


def _isfinite(b: Builder, x: Expr) -> Expr:
    if not x.dtype.is_floating_point:
        return b.const(True, torch.bool)
    return b.unary("not", b.binary("or", b.unary("isnan", x), b.unary("isinf", x)))


RULES.add(("aten.isfinite.default",), _promoted(_isfinite, 1))
RULES.add(
    ("aten.signbit.default",),
    _promoted(
        lambda b, x: (
            b.unary("signbit", x) if x.dtype.is_floating_point else b.compare("lt", x, b.const(0, x.dtype))
        ),
        1,
    ),
)


def _sign(b: Builder, x: Expr) -> Expr:
    return x if x.dtype == torch.bool else b.unary("sign", x)


def _relu(b: Builder, x: Expr) -> Expr:
    return b.binary("maximum", b.const(0, x.dtype), x)  # this order keeps -0.0


RULES.add(("aten.sign.default", "aten.sgn.default"), _unary(_sign))
RULES.add(("aten.relu.default",), _unary(_relu))
RULES.add(("aten.reciprocal.default",), _unary(lambda b, x: b.binary("div", b.const(1, x.dtype), x)))
RULES.add(("aten.square.default",), _unary(lambda b, x: b.binary("mul", x, x)))


def _alpha(op: str, *, reverse: bool = False) -> Callable[[Node, Scope], Definition]:
    def rule(node: Node, scope: Scope) -> Definition:
        alpha = node.arg("alpha", 1)

        def fn(b: Builder, x: Expr, y: Expr) -> Expr:
            if reverse:
                x, y = y, x
            if isinstance(alpha, SymExpr) or alpha != 1:
                if y.dtype.is_floating_point:
                    factor = b.scalar(alpha, y.dtype)
                    return b.fma(y, factor if op == "add" else b.unary("neg", factor), x)
                y = b.binary("mul", y, b.scalar(alpha, y.dtype))
            if x.dtype == torch.bool:
                return b.binary("or", x, y)
            return b.binary(op, x, y)

        return elementwise(node, scope, (node.args[0][1], node.args[1][1]), _computed(node), fn)

    return rule


RULES.add(("aten.add.Tensor", "aten.add.Scalar"), _alpha("add"))
RULES.add(("aten.sub.Tensor", "aten.sub.Scalar"), _alpha("sub"))


@RULES.rule("aten.rsub.Tensor", "aten.rsub.Scalar")
def _rsub(node: Node, scope: Scope) -> Definition:
    return _alpha("sub", reverse=True)(node, scope)


RULES.add(
    ("aten.mul.Tensor", "aten.mul.Scalar"),
    _binary(lambda b, x, y: b.binary("and" if x.dtype == torch.bool else "mul", x, y)),
)
RULES.add(("aten.div.Tensor", "aten.div.Scalar", "aten.true_divide.Tensor"), _binary(_named2("div")))


def _may_divide_by_zero(node: Node) -> str:
    """Integer division by zero is an error in eager PyTorch; generated code only divides by known numbers."""
    divisor = node.args[1][1]
    known = not isinstance(divisor, Value) and divisor != 0
    return "" if known or result(node).dtype.is_floating_point else "an integer division that may be by zero"


def floor_divide(b: Builder, x: Expr, y: Expr) -> Expr:
    """Division toward minus infinity."""
    return b.binary("floordiv", x, y)


@RULES.rule("aten.div.Tensor_mode", "aten.div.Scalar_mode", check=_may_divide_by_zero)
def _div_mode(node: Node, scope: Scope) -> Definition:
    mode = node.arg("rounding_mode")

    def fn(b: Builder, x: Expr, y: Expr) -> Expr:
        if mode == "floor":
            return floor_divide(b, x, y)
        if mode == "trunc":
            return (
                b.unary("trunc", b.binary("div", x, y))
                if x.dtype.is_floating_point
                else b.binary("truncdiv", x, y)
            )
        return b.binary("div", x, y)

    return _binary(fn)(node, scope)


RULES.add(
    ("aten.floor_divide.default", "aten.floor_divide.Scalar"), _binary(floor_divide), _may_divide_by_zero
)
RULES.add(
    ("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor"),
    _binary(_named2("mod")),
    _may_divide_by_zero,
)
RULES.add(("aten.fmod.Tensor", "aten.fmod.Scalar"), _binary(_named2("fmod")), _may_divide_by_zero)


for _name, _truth in {"maximum": "or", "minimum": "and"}.items():
    RULES.add(
        (f"aten.{_name}.default",),
        _binary(
            lambda b, x, y, _op=_name, _truth=_truth: b.binary(_truth if x.dtype == torch.bool else _op, x, y)
        ),
    )


def _sixteen_bits(node: Node) -> str:
    return "a step in a 16-bit dtype" if result(node).dtype.itemsize == 2 else ""


RULES.add(("aten.nextafter.default",), _binary(_named2("nextafter")), _sixteen_bits)


def _integer_power(node: Node) -> str:
    small = node.arg("exponent") in (1, 2, 3)
    return "" if small or result(node).dtype.is_floating_point else "an integer power"


def power(b: Builder, x: Expr, y: Expr) -> Expr:
    """``x**y``; small constant exponents become products, as in PyTorch."""
    exponent = y.attr if y.op == "const" else None
    if exponent == 1:
        return x
    if exponent in (2, 3):
        square = b.binary("mul", x, x)
        return square if exponent == 2 else b.binary("mul", square, x)
    if x.dtype.is_floating_point:
        if exponent == 0.5:
            return b.unary("sqrt", x)
        if exponent == 0:
            return b.const(1, x.dtype)
        if exponent in (-0.5, -1, -2):
            one = b.const(1, x.dtype)
            root = b.unary("sqrt", x) if exponent == -0.5 else x if exponent == -1 else b.binary("mul", x, x)
            return b.binary("div", one, root)
    return b.binary("pow", x, y)


RULES.add(
    ("aten.pow.Tensor_Scalar", "aten.pow.Tensor_Tensor", "aten.pow.Scalar"), _binary(power), _integer_power
)


def _shift(left: bool) -> Compute:
    def fn(b: Builder, x: Expr, y: Expr) -> Expr:
        bits = torch.iinfo(x.dtype).bits
        bad = b.binary(
            "or", b.compare("lt", y, b.const(0, y.dtype)), b.compare("ge", y, b.const(bits, y.dtype))
        )
        if left:
            return b.where(bad, b.const(0, x.dtype), b.binary("shl", x, b.where(bad, b.const(0, y.dtype), y)))
        top = bits - 1 if x.dtype.is_signed else 0
        shifted = b.binary("shr", x, b.where(bad, b.const(top, y.dtype), y))
        return shifted if x.dtype.is_signed else b.where(bad, b.const(0, x.dtype), shifted)

    return fn


RULES.add(("aten.bitwise_left_shift.Tensor", "aten.bitwise_left_shift.Tensor_Scalar"), _binary(_shift(True)))
RULES.add(
    ("aten.bitwise_right_shift.Tensor", "aten.bitwise_right_shift.Tensor_Scalar"), _binary(_shift(False))
)


def _pick(node: Node, scope: Scope, condition: Value, operands: tuple[Any, Any]) -> Definition:
    spec, dtype = result(node), _computed(node)

    def at(reader: Reader, index: Indices) -> Expr:
        c = operand(reader, scope, condition, index, condition.tensor.dtype)
        a, b = (operand(reader, scope, x, index, dtype) for x in operands)
        return reader.build.where(truth(reader.build, c), a, b)

    return Definition(scope.shape(spec), spec.dtype, at)


@RULES.rule("aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar")
def _where(node: Node, scope: Scope) -> Definition:
    return _pick(node, scope, node.args[0][1], (node.args[1][1], node.args[2][1]))


@RULES.rule("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def _masked_fill(node: Node, scope: Scope) -> Definition:
    return _pick(node, scope, node.arg("mask"), (node.arg("value"), node.arg("self")))


def _clamped(node: Node, scope: Scope, low: Any, high: Any) -> Definition:
    """Of two zeros the operand's is taken where the bound is a number, and the bound's where it is a tensor:
    as in PyTorch.
    """
    bounds = [(op, bound) for op, bound in (("maximum", low), ("minimum", high)) if bound is not None]

    def fn(b: Builder, x: Expr, *limits: Expr) -> Expr:
        for (op, given), limit in zip(bounds, limits, strict=True):
            x = b.binary(op, x, limit) if isinstance(given, Value) else b.binary(op, limit, x)
        return x

    return elementwise(node, scope, (node.arg("self"), *(v for _, v in bounds)), _computed(node), fn)


RULES.add(
    tuple(f"aten.{n}.{o}" for n in ("clamp", "clamp_min", "clamp_max") for o in ("default", "Tensor")),
    lambda node, scope: _clamped(node, scope, node.arg("min"), node.arg("max")),
)
RULES.add(
    ("aten.hardtanh.default",),
    lambda node, scope: _clamped(node, scope, node.arg("min_val", -1), node.arg("max_val", 1)),
)


def _scaled(op: str) -> Callable[[Node, Scope], Definition]:
    def rule(node: Node, scope: Scope) -> Definition:
        value = node.arg("value", 1)

        def fn(b: Builder, x: Expr, t1: Expr, t2: Expr) -> Expr:
            if isinstance(value, SymExpr) or value != 1:
                t1 = b.binary("mul", b.scalar(value, t1.dtype), t1)
            return b.binary("add", x, b.binary(op, t1, t2))

        return elementwise(
            node, scope, tuple(node.arg(n) for n in ("self", "tensor1", "tensor2")), _computed(node), fn
        )

    return rule


RULES.add(("aten.addcmul.default",), _scaled("mul"))
RULES.add(("aten.addcdiv.default",), _scaled("div"))


def _lerp(b: Builder, x: Expr, y: Expr, w: Expr) -> Expr:
    """PyTorch's two-sided form: exact at both ends."""
    delta, one = b.binary("sub", y, x), b.const(1, x.dtype)
    near = b.binary("add", x, b.binary("mul", w, delta))
    far = b.binary("sub", y, b.binary("mul", delta, b.binary("sub", one, w)))
    return b.where(b.compare("lt", b.unary("abs", w), b.const(0.5, x.dtype)), near, far)


@RULES.rule("aten.lerp.Scalar", "aten.lerp.Tensor")
def _lerp_rule(node: Node, scope: Scope) -> Definition:
    return elementwise(
        node, scope, tuple(node.arg(n) for n in ("self", "end", "weight")), _computed(node), _lerp
    )


@RULES.rule("aten._to_copy.default", "prims.convert_element_type.default", "aten.to.dtype")
def _to_copy(node: Node, scope: Scope) -> Definition:
    source, spec = node.args[0][1], result(node)

    def at(reader: Reader, index: Indices) -> Expr:
        return reader.build.cast(reader.read(source, index), spec.dtype)

    return Definition(scope.shape(spec), spec.dtype, at)


@RULES.rule(
    "aten.clone.default",
    "aten.contiguous.default",
    "aten.lift_fresh_copy.default",
    "aten.detach_copy.default",
)
def _clone(node: Node, scope: Scope) -> Definition:
    source, spec = node.args[0][1], result(node)
    return Definition(scope.shape(spec), spec.dtype, lambda reader, index: reader.read(source, index))


@RULES.rule(
    "aten.view.dtype",
    check=lambda node: (
        ""
        if node.args[0][1].tensor.dtype.itemsize == result(node).dtype.itemsize
        and compute_dtype(result(node).dtype) == result(node).dtype
        and compute_dtype(node.args[0][1].tensor.dtype) == node.args[0][1].tensor.dtype
        and torch.bool not in (result(node).dtype, node.args[0][1].tensor.dtype)
        else "only between 8-, 32- and 64-bit dtypes of one size"
    ),
)
def _bitcast(node: Node, scope: Scope) -> Definition:
    source, spec = node.args[0][1], result(node)

    def at(reader: Reader, index: Indices) -> Expr:
        return reader.build.bitcast(reader.read(source, index), spec.dtype)

    return Definition(scope.shape(spec), spec.dtype, at)
