"""The declarative predicate language of ``KernelTable.op(when=...)``.

Grammar: comparisons (``== != < <= > >= in``), ``& | not`` (also spelled ``and or``; they bind weaker than
comparisons), arithmetic (``+ - * // %``), numbers, strings, ``True False None``, tuples, and the names

- ``rank``, ``numel``, ``contiguous``, ``dtype`` and ``dim(i)`` of the first tensor argument,
- every schema argument: scalars by value, tensors with ``.rank .numel .contiguous .dtype`` and ``NAME[i]``
  for sizes.

A predicate is data: its text goes into cache keys, and conformance can test just inside and just outside of
it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from torchport.contract.graph import Node, TensorSpec, Value, dtype_name
from torchport.contract.spec import resolve
from torchport.contract.symbols import SymExpr
from torchport.errors import CompileError


class Undecided(Exception):
    """The predicate depends on a symbolic size whose value is not known."""


_ALLOWED = (
    ast.Expression,
    ast.Compare,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.UnaryOp,
    ast.Not,
    ast.USub,
    ast.BinOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.Tuple,
    ast.Load,
    ast.Eq,
    ast.NotEq,
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
    ast.In,
    ast.NotIn,
    ast.Is,
    ast.IsNot,
)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_FIRST = ("rank", "numel", "contiguous", "dtype")
_OPERATIONS: dict[type[ast.AST], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
}


@dataclass(frozen=True, slots=True)
class Predicate:
    """A parsed predicate; ``text`` is as it was written."""

    text: str

    def __post_init__(self) -> None:
        _parse(self.text)

    def holds(self, node: Node) -> bool:
        """The predicate's value for a node.

        Raises:
            Undecided: a symbolic size decides it.
            CompileError: it uses a name that the operator does not have.
        """
        try:
            return bool(_Evaluation(node, self.text).value(_parse(self.text).body))
        except (TypeError, ZeroDivisionError) as error:
            raise CompileError(
                f"a kernel's `when` cannot be evaluated: {error}", op=node.op, got=self.text
            ) from error

    @property
    def conjuncts(self) -> tuple[Predicate, ...]:
        """The parts that ``and`` joins at the top, each a predicate; itself where it has no such parts."""
        body = _parse(self.text).body
        if isinstance(body, ast.BoolOp) and isinstance(body.op, ast.And):
            return tuple(Predicate(ast.unparse(part)) for part in body.values)
        return (self,)

    @property
    def constants(self) -> frozenset[Any]:
        """The numbers and texts that it compares with."""
        return frozenset(t.value for t in ast.walk(_parse(self.text)) if isinstance(t, ast.Constant))

    @property
    def names(self) -> frozenset[str]:
        """The names that it reads."""
        return frozenset(t.id for t in ast.walk(_parse(self.text)) if isinstance(t, ast.Name))

    def check_names(self, op: str) -> None:
        """Checks that the predicate uses only names that the operator has.

        Raises:
            CompileError: it uses another one.
        """
        known = {*_FIRST, "dim", *(a.name for a in resolve(op)._schema.arguments)}
        for tree in ast.walk(_parse(self.text)):
            if isinstance(tree, ast.Name) and tree.id not in known:
                raise CompileError(
                    f"a kernel's `when` uses {tree.id!r}, which the operator does not have",
                    op=op,
                    got=self.text,
                    hint=f"names: {', '.join(sorted(known))}",
                )


@lru_cache(maxsize=1024)
def _parse(text: str) -> ast.Expression:
    spelled = re.sub(r"\s*&\s*", " and ", re.sub(r"\s*\|\s*", " or ", text.strip()))
    try:
        tree = ast.parse(spelled, mode="eval")
    except SyntaxError as error:
        raise CompileError("a kernel's `when` cannot be parsed", got=text) from error
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise CompileError(f"{type(node).__name__} is not allowed in a kernel's `when`", got=text)
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name)
            and node.func.id == "dim"
            and len(node.args) == 1
            and not node.keywords
        ):
            raise CompileError(
                "the only function in a kernel's `when` is dim(i)",
                got=text,
                hint="dim(i) is a size of the first tensor; sizes of another argument are NAME[i]",
            )
    return tree


class _Evaluation:
    def __init__(self, node: Node, text: str) -> None:
        self.node, self.text = node, text
        self.first = next(iter(node.input_specs), None)

    def value(self, tree: ast.AST) -> Any:
        match tree:
            case ast.Constant(value):
                return value
            case ast.Tuple(elts):
                return tuple(self.value(e) for e in elts)
            case ast.Name(name):
                return self.name(name)
            case ast.Attribute(inner, attribute):
                return self.property(self.value(inner), attribute)
            case ast.Subscript(inner, index):
                return self.size(self.value(inner), self.value(index))
            case ast.Call(_, [argument]):
                return self.size(self.first, self.value(argument))
            case ast.UnaryOp(ast.Not(), operand):
                return not self.decided(self.value(operand))
            case ast.UnaryOp(_, operand):
                return -self.decided(self.value(operand))
            case ast.BoolOp(ast.And(), operands):
                return all(self.decided(self.value(o)) for o in operands)
            case ast.BoolOp(_, operands):
                return any(self.decided(self.value(o)) for o in operands)
            case ast.BinOp(left, operation, right):
                a, b = self.decided(self.value(left)), self.decided(self.value(right))
                # What is computed from a missing dimension is missing, too.
                return None if a is None or b is None else _OPERATIONS[type(operation)](a, b)
            case ast.Compare(left, operations, rights):
                return self.compare(left, operations, rights)
        raise CompileError("a kernel's `when` cannot be evaluated", op=self.node.op, got=self.text)

    def compare(self, left: ast.AST, operations: list[ast.cmpop], rights: list[ast.expr]) -> bool:
        current = self.decided(self.value(left))
        for operation, right in zip(operations, rights, strict=True):
            other = self.decided(self.value(right))
            if isinstance(operation, _ORDERS) and (current is None or other is None):
                return False
            if not _OPERATIONS[type(operation)](current, other):
                return False
            current = other
        return True

    def name(self, name: str) -> Any:
        arguments = self.node.arguments
        if name in arguments:
            value = arguments[name]
            return value.spec if isinstance(value, Value) else value
        if name in _FIRST:
            return self.property(self.first, name)
        raise CompileError(
            f"a kernel's `when` uses {name!r}, which the operator does not have",
            op=self.node.op,
            got=self.text,
            hint=f"names: {', '.join((*_FIRST, 'dim(i)', *arguments))}",
        )

    def property(self, spec: Any, attribute: str) -> Any:
        if not isinstance(spec, TensorSpec) or attribute not in _FIRST:
            raise CompileError(f"no {attribute!r} of a tensor argument here", op=self.node.op, got=self.text)
        if attribute == "rank":
            return spec.rank
        if attribute == "contiguous":
            return spec.is_contiguous
        if attribute == "dtype":
            return dtype_name(spec.dtype)
        count = 1
        for size in spec.shape:
            count *= self.decided(size)
        return count

    def size(self, spec: Any, index: Any) -> Any:
        if (
            not isinstance(spec, TensorSpec)
            or not isinstance(index, int)
            or not -spec.rank <= index < spec.rank
        ):
            return None  # a missing dimension compares unequal to every size
        return spec.shape[index]

    @staticmethod
    def decided(value: Any) -> Any:
        if isinstance(value, SymExpr):
            raise Undecided(value.text)
        return value
