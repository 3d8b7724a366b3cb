"""Symbolic sizes: immutable integer (or float) expressions over named symbols, with a Python-like text form.

The text form is what appears in serialized regions. Its grammar: integer and float literals, symbol names,
unary ``-``, ``+ - * / // % **``, parentheses, and the functions ``min max abs float int sqrt ceil floor
trunc``. Runtime assertions also use comparisons with ``and``, ``or`` and ``not``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy
import torch
from torch.utils._sympy import functions as torch_functions
from torch.utils._sympy.printers import PythonPrinter
from torch.utils._sympy.symbol import SymT, prefix_str

from torchport.errors import ContractError

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "float": float,
    "int": int,
    "sqrt": math.sqrt,
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
}
_SYMPY_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": torch_functions.Min,
    "max": torch_functions.Max,
    "abs": sympy.Abs,
    "float": torch_functions.ToFloat,
    "int": torch_functions.TruncToInt,
    "sqrt": torch_functions.OpaqueUnaryFn_sqrt,
    "ceil": torch_functions.CeilToInt,
    "floor": torch_functions.FloorToInt,
    "trunc": torch_functions.TruncToInt,
}
_NODES = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.USub,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.Call,
    ast.Compare,
    ast.Eq,
    ast.NotEq,
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.Not,
)
_RELATIONS: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Eq: sympy.Eq,
    ast.NotEq: sympy.Ne,
    ast.Lt: sympy.Lt,
    ast.LtE: sympy.Le,
    ast.Gt: sympy.Gt,
    ast.GtE: sympy.Ge,
}


@lru_cache(maxsize=4096)
def _parse(text: str) -> tuple[ast.Expression, frozenset[str]]:
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise ContractError("not a size expression", got=text) from error
    names = set()
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise ContractError(f"{type(node).__name__} is not allowed in a size expression", got=text)
        if isinstance(node, ast.Constant) and type(node.value) not in (int, float):
            raise ContractError("only numbers are allowed in a size expression", got=text)
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        ):
            raise ContractError("unknown function in a size expression", got=text)
        if isinstance(node, ast.Name) and node.id not in _FUNCTIONS:
            names.add(node.id)
    return tree, frozenset(names)


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Callable[[Mapping[str, int]], Any]:
    tree, _ = _parse(text)
    code = compile(tree, "<size expression>", "eval")
    return lambda bindings: eval(code, {"__builtins__": {}, **_FUNCTIONS}, dict(bindings))


@dataclass(frozen=True, slots=True)
class SymExpr:
    """An expression over symbols, such as ``s0*4 + 1``. Equal texts are equal expressions."""

    text: str

    def __post_init__(self) -> None:
        _parse(self.text)

    @property
    def symbols(self) -> frozenset[str]:
        """Names of the symbols that occur."""
        return _parse(self.text)[1]

    def evaluate(self, bindings: Mapping[str, int]) -> Any:
        """The value under ``bindings`` (symbol name to integer)."""
        missing = self.symbols - bindings.keys()
        if missing:
            raise ContractError(f"unbound symbols {sorted(missing)}", got=self.text)
        return _compiled(self.text)(bindings)

    def sympy(self) -> sympy.Expr:
        """The same expression in sympy; symbols are integers, non-negative where the name starts with
        ``s``.
        """
        tree, names = _parse(self.text)
        scope: dict[str, Any] = dict(_SYMPY_FUNCTIONS)
        scope.update({name: size_symbol(name) for name in names})
        return sympy.sympify(_sympy_eval(tree.body, scope))

    def __str__(self) -> str:
        return self.text


Scalar = int | SymExpr


def is_float(name: str) -> bool:
    """Whether a symbol stands for a float: a Python float argument, or one read out of a tensor."""
    return name.startswith((prefix_str[SymT.FLOAT], prefix_str[SymT.UNBACKED_FLOAT]))


def size_symbol(name: str) -> sympy.Symbol:
    """The sympy symbol that stands for a size called ``name``."""
    return sympy.Symbol(name, integer=True, nonnegative=True)


def _sympy_eval(node: ast.AST, scope: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return sympy.sympify(node.value)
    if isinstance(node, ast.Name):
        return scope[node.id]
    if isinstance(node, ast.Compare):
        if len(node.ops) != 1:
            raise ContractError("chained comparisons are not allowed in a size expression")
        operands = [_sympy_eval(n, scope) for n in (node.left, *node.comparators)]
        return _RELATIONS[type(node.ops[0])](*operands)
    if isinstance(node, ast.BoolOp):
        return (sympy.And if isinstance(node.op, ast.And) else sympy.Or)(
            *[_sympy_eval(v, scope) for v in node.values]
        )
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return sympy.Not(_sympy_eval(node.operand, scope))
    if isinstance(node, ast.UnaryOp):
        return -_sympy_eval(node.operand, scope)
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return scope[node.func.id](*[_sympy_eval(a, scope) for a in node.args])
    assert isinstance(node, ast.BinOp)
    left, right = _sympy_eval(node.left, scope), _sympy_eval(node.right, scope)
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv():
            return torch_functions.FloorDiv(left, right)
        case ast.Mod():
            return torch_functions.Mod(left, right)
        case ast.Div():
            return _quotient(left, right)
        case _:
            return left**right


_FLOATING = (sympy.Float, torch_functions.ToFloat, torch_functions.IntTrueDiv, torch_functions.FloatTrueDiv)


def _quotient(left: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
    """The true division, which PyTorch writes differently for integers and for floats."""
    floating = sympy.sympify(left).has(*_FLOATING) or sympy.sympify(right).has(*_FLOATING)
    divide = torch_functions.FloatTrueDiv if floating else torch_functions.IntTrueDiv
    return divide(left, right)


class _TextPrinter(PythonPrinter):
    """Prints sympy in the grammar above."""

    def _print_ToFloat(self, expr: sympy.Expr) -> str:
        return f"float({self._print(expr.args[0])})"

    def _print_OpaqueUnaryFn_sqrt(self, expr: sympy.Expr) -> str:
        return f"sqrt({self._print(expr.args[0])})"

    def _print_TruncToInt(self, expr: sympy.Expr) -> str:
        return f"trunc({self._print(expr.args[0])})"

    def _print_CeilToInt(self, expr: sympy.Expr) -> str:
        return f"ceil({self._print(expr.args[0])})"

    def _print_FloorToInt(self, expr: sympy.Expr) -> str:
        return f"floor({self._print(expr.args[0])})"


_PRINTER = _TextPrinter()


def from_sympy(expr: sympy.Expr) -> Scalar | float:
    """An int or float where the expression is a number, else a :class:`SymExpr`."""
    if expr in (sympy.true, sympy.false):
        return bool(expr)
    if expr.is_Integer:
        return int(expr)
    if expr.is_Float or expr.is_Rational:
        return float(expr)
    return _printed(expr)


@lru_cache(maxsize=65536)
def _printed(expr: sympy.Expr) -> SymExpr:
    return SymExpr(_PRINTER.doprint(expr))


def from_torch(value: Any) -> Any:
    """A Python number for int/float/bool; a number or :class:`SymExpr` for SymInt and SymFloat."""
    if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
        return from_sympy(value.node.expr)
    return value


def evaluate(value: Any, bindings: Mapping[str, int]) -> Any:
    """``value`` itself when it is a number, its value under ``bindings`` when it is symbolic."""
    return value.evaluate(bindings) if isinstance(value, SymExpr) else value
