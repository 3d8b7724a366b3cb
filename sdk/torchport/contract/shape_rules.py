"""The shape-rule language: how :attr:`OpSpec.shape` and :attr:`Constraint.text` are written and evaluated.

A rule is one expression in Python's expression syntax over the operator's schema arguments:

    rule := atom | rule op rule | not rule | -rule | rule "if" rule "else" rule
    op   := + - * // %  ==  !=  <  <=  >  >=  and  or
    atom := integer | float | 'text' | True | False | None | argument | atom[rule] | atom[rule:rule]
          | "[" rule, … "]" | function "(" rule, … ")" | "dtype" "(" argument ")"

Values are integers, floats, booleans, strings, None and lists. A tensor argument *is* its list of sizes, so
``self[0]`` is a size, ``self[:-1]`` the leading sizes and ``self == other`` compares shapes; a list of
tensors is a list of lists. ``+`` on lists concatenates. ``dtype(self)`` is the dtype's name ("none" for
None; of a list, the names joined by commas). ``given(x)`` tells whether an optional argument was given.
Functions live in a namespace of their own (:data:`~torchport.contract.shape_functions.FUNCTIONS`), so an
argument called ``index`` does not hide the function ``index``. There are no loops and no user functions: the
tree can be printed as C++.

As a shape, a rule gives a list of sizes; ``absent()`` (None) for an output that is not there; a list of
such lists for an operator that returns a list of tensors. A size known only at run time is
``data_dependent(upper bound)``. As a constraint, a rule gives a boolean.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch

from torchport.contract.dims import DataDependent, ShapeError, UndecidedError, lift, lower
from torchport.contract.graph import ScalarSpec, TensorSpec, Value, dtype_name
from torchport.contract.shape_functions import FUNCTIONS
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError

__all__ = ["Bindings", "DataDependent", "ShapeError", "ShapeRule", "UndecidedError", "bind", "parse"]

_ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.UnaryOp,
    ast.USub,
    ast.Not,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.Compare,
    ast.Eq,
    ast.NotEq,
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
    ast.IfExp,
    ast.Subscript,
    ast.Slice,
    ast.List,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
)


@dataclass(frozen=True, slots=True)
class Bindings:
    """Arguments in the form rules compute on: tensors as tuples of sizes, and the dtype name of each tensor
    argument.
    """

    values: Mapping[str, Any]
    dtypes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShapeRule:
    """A parsed rule. ``tree`` is the syntax tree (only the node kinds of the grammar); ``names`` the
    arguments it reads.
    """

    text: str
    tree: ast.expr
    names: tuple[str, ...]
    dtype_names: tuple[str, ...]
    function: Callable[..., Any]

    def value(self, bindings: Bindings | Mapping[str, Any]) -> Any:
        """The rule's value; symbolic sizes come back as :class:`~torchport.contract.symbols.SymExpr`.

        Raises:
            ShapeError: the arguments do not fit together.
            UndecidedError: the value depends on an undecidable comparison of symbols.
            ContractError: an argument that the rule reads is not bound, or has the wrong kind.
        """
        return _lowered(self.raw(bindings))

    def raw(self, bindings: Bindings | Mapping[str, Any]) -> Any:
        """The value before symbolic sizes are turned back into SymExpr."""
        bound = bindings if isinstance(bindings, Bindings) else bind(bindings)
        try:
            arguments = [bound.values[n] for n in self.names]
            dtypes = [bound.dtypes[n] for n in self.dtype_names]
        except KeyError as missing:
            raise ContractError(f"argument {missing} is not bound", got=f"rule {self.text}") from None
        try:
            return self.function(*arguments, *dtypes)
        except (TypeError, IndexError, ZeroDivisionError, AttributeError, ValueError, OverflowError) as error:
            shown = ", ".join(f"{n}={v}" for n, v in zip(self.names, arguments, strict=True))
            raise ShapeError(f"rule {self.text} does not apply: {error}", got=shown) from error

    def evaluate(
        self, bindings: Bindings | Mapping[str, Any], listed: bool = False
    ) -> list[list[Any] | None]:
        """Shapes of the outputs the rule describes: one, or one per tensor of a returned list.

        Sizes are ints, SymInts, SymExprs or :class:`~torchport.contract.dims.DataDependent`; ``None`` is an
        absent output. ``listed``: the output is a list of tensors, which may be empty. Raises as
        :meth:`value`.
        """
        result = self.value(bindings)
        if result is None:
            return [None]
        if not isinstance(result, list):
            raise ContractError("the rule gives no shape", got=f"{self.text} = {result!r}")
        return result if listed or any(isinstance(d, list) for d in result) else [result]

    def holds(self, bindings: Bindings | Mapping[str, Any]) -> bool | None:
        """Truth of a constraint; None where symbols leave it open. Arguments that do not fit make it
        false.
        """
        try:
            return bool(self.raw(bindings))
        except UndecidedError:
            return None
        except ShapeError:
            return False


def _lowered(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_lowered(v) for v in value]
    return lower(value)


class _Compiler(ast.NodeTransformer):
    """Renames functions and dtype reads, turns lists into tuples, and checks that only the grammar is
    used.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: dict[str, None] = {}
        self.dtypes: dict[str, None] = {}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, _ALLOWED):
            raise ContractError(
                f"{type(node).__name__} is not part of the shape-rule language", got=self.text
            )
        return super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, int | float | str | None):
            raise ContractError("only numbers, texts, booleans and None are literals", got=self.text)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        self.names[node.id] = None
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        return ast.Tuple([self.visit(e) for e in node.elts], ast.Load())

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if len(node.ops) != 1:
            raise ContractError("comparisons are not chained in the shape-rule language", got=self.text)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise ContractError("calls are FUNCTION(arguments), by position", got=self.text)
        if node.func.id == "dtype":
            if len(node.args) != 1 or not isinstance(node.args[0], ast.Name):
                raise ContractError("dtype() takes the name of an argument", got=self.text)
            self.dtypes[node.args[0].id] = None
            return ast.Name(f"dtype_of_{node.args[0].id}", ast.Load())
        if node.func.id not in FUNCTIONS:
            known = ", ".join(sorted(FUNCTIONS))
            raise ContractError(f"unknown function {node.func.id!r}", got=self.text, hint=f"one of: {known}")
        return ast.Call(ast.Name(f"fn_{node.func.id}", ast.Load()), [self.visit(a) for a in node.args], [])


_SCOPE = {"__builtins__": {}, **{f"fn_{name}": function for name, function in FUNCTIONS.items()}}


@cache
def parse(text: str) -> ShapeRule:
    """The rule written as ``text``.

    Raises:
        ContractError: not an expression of the language.
    """
    try:
        tree = ast.parse(text, mode="eval")
        compiler = _Compiler(text)
        body = compiler.visit(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ContractError(f"not a shape rule: {error}", got=text[:200]) from None
    names, dtypes = tuple(compiler.names), tuple(compiler.dtypes)
    parameters = [ast.arg(n) for n in names] + [ast.arg(f"dtype_of_{n}") for n in dtypes]
    function = ast.Lambda(ast.arguments([], parameters, None, [], [], None, []), body)
    code = compile(ast.fix_missing_locations(ast.Expression(function)), "<shape rule>", "eval")
    return ShapeRule(text, tree.body, names, dtypes, eval(code, dict(_SCOPE)))


def bind(arguments: Mapping[str, Any]) -> Bindings:
    """Bindings for arguments given as tensors, specs, graph values, numbers, dtypes, or lists of these."""
    dtypes: dict[str, str] = {}
    values = {name: _bound(name, value, dtypes) for name, value in arguments.items()}
    dtypes.update({name: "none" for name, value in arguments.items() if value is None})
    return Bindings(values, dtypes)


def _bound(name: str, value: Any, dtypes: dict[str, str]) -> Any:
    if isinstance(value, Value):
        value = value.spec
    if isinstance(value, TensorSpec | torch.Tensor):
        dtypes.setdefault(name, dtype_name(value.dtype))
        return tuple(map(lift, value.shape))
    if isinstance(value, ScalarSpec):
        return lift(value.expr)
    if isinstance(value, SymExpr):
        return lift(value)
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    if isinstance(value, tuple | list):
        each: list[dict[str, str]] = [{} for _ in value]
        sizes = tuple(_bound(name, v, found) for v, found in zip(value, each, strict=True))
        if any(each) or all(v is None for v in value):
            dtypes[name] = ",".join(found.get(name, "none") for found in each)
        return sizes
    return value
