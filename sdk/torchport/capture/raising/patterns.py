"""The language of raising patterns: a formula as a person writes it, read into a tree.

    weight * narrow(wide(x) * rsqrt(mean(wide(x) ** 2, -1, keepdim=True) + eps))

* A name is a capture: a value of the graph or a constant, the same one wherever the name occurs.
* ``+ - * / **`` and function calls are operators of :mod:`torchport.capture.raising.vocabulary`; products and
  sums match in both orders. What a call does not mention has the operator's default.
* ``wide(p)`` is ``p``, perhaps converted to a float dtype that holds all its values; ``narrow(p)`` is ``p``,
  perhaps converted to the dtype of the whole result; ``shared(p)`` is ``p``, perhaps repeated along the
  heads as grouped-query attention does.
* ``number(n)`` captures a Python number only; ``(name := p)`` names the node that ``p`` matches.
* Numbers agree to 24 bits.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from torchport.capture.raising.vocabulary import SIGNATURES
from torchport.errors import CaptureError

WRAPPERS = ("wide", "narrow", "shared")
COMMUTATIVE = ("add", "mul")
_EXTRA = {"half": "x which", "every_other": "x which", "item": "x which"}
_OPERATORS: Mapping[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.USub: "neg",
}


@dataclass(frozen=True, slots=True)
class Capture:
    """A name; ``number`` restricts it to Python numbers."""

    name: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal."""

    value: Any


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of patterns."""

    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Wrapped:
    """``wide``, ``narrow`` or ``shared`` around a pattern."""

    kind: str
    inner: Any


@dataclass(frozen=True, slots=True)
class Named:
    """A pattern whose node gets a name."""

    name: str
    inner: Any


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator applied to patterns, by parameter."""

    op: str
    arguments: tuple[tuple[str, Any], ...]


@cache
def parse_formula(text: str) -> Any:
    """The tree of a formula.

    Raises:
        CaptureError: not a formula of the language.
    """
    try:
        return _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, KeyError, ValueError) as error:
        raise CaptureError(f"not a pattern: {error}", got=text) from None


def _read(node: ast.expr) -> Any:
    match node:
        case ast.Name(id=name):
            return Capture(name)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            return Constant(-value)  # type: ignore[operator]
        case ast.Constant(value=value):
            return Constant(value)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return Sequence(tuple(map(_read, items)))
        case ast.NamedExpr(target=ast.Name(id=name), value=inner):
            return Named(name, _read(inner))
        case ast.BinOp(left=left, op=op, right=right):
            name = _OPERATORS[type(op)]
            names = parameters(name)
            return _apply(name, {names[0]: _read(left), names[1]: _read(right)})
        case ast.UnaryOp(op=op, operand=operand):
            return _apply(_OPERATORS[type(op)], {"x": _read(operand)})
        case ast.Call(func=ast.Name(id="number"), args=[ast.Name(id=name)]):
            return Capture(name, number=True)
        case ast.Call(func=ast.Name(id=kind), args=[inner]) if kind in WRAPPERS:
            return Wrapped(kind, _read(inner))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            given = dict(zip(parameters(name), map(_read, args), strict=False))
            given.update({k.arg: _read(k.value) for k in keywords if k.arg})
            return _apply(name, given)
    raise ValueError(f"{type(node).__name__} has no meaning here")


def _apply(name: str, given: dict[str, Any]) -> Apply:
    arguments = []
    for parameter in _signature(name).split(" "):
        key, _, default = parameter.lstrip("*").partition("=")
        if key in given:
            arguments.append((key, given.pop(key)))
        elif default:
            arguments.append((key, Constant(ast.literal_eval(default))))
        else:
            raise ValueError(f"{name}() needs {key!r}")
    if given:
        raise ValueError(f"{name}() has no {sorted(given)}")
    return Apply(name, tuple(arguments))


def _signature(name: str) -> str:
    return _EXTRA[name] if name in _EXTRA else SIGNATURES[name]


def parameters(name: str) -> list[str]:
    """Parameter names of a canonical operator, in order."""
    return [p.lstrip("*").partition("=")[0] for p in _signature(name).split(" ")]


def size_of(tree: Any) -> int:
    """How many operators a pattern has; larger patterns are tried first."""
    match tree:
        case Apply(arguments=arguments):
            return 1 + sum(size_of(a) for _, a in arguments)
        case Wrapped(inner=inner) | Named(inner=inner):
            return size_of(inner)
        case Sequence(items=items):
            return sum(map(size_of, items))
    return 0


Argument = Any
"""See :attr:`Pattern.arguments`."""


@dataclass(frozen=True, slots=True)
class Compute:
    """An argument that is a new node: a function of PyTorch and its arguments, names being captures.

    ``at`` names the node of the match in whose place it is computed, so that random numbers are drawn in the
    program's order.
    """

    target: Any
    args: tuple[Any, ...]
    at: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A formula and the macro call that it means.

    Attributes:
        label: such as ``rms_norm.P1``; it appears in reports.
        macro: name of the macro, without namespace.
        formula: text in the language above.
        arguments: what each argument of the macro is: a capture, else an expression of the shape-rule
            language over the captures, another literal, a ``Compute``, or a function of the captures by
            name. An argument that is not listed is the capture of its name, else None.
        conditions: further (rule, prose) pairs in the shape-rule language over the captures.
        writes: captures that the program overwrites, and the output of the macro that they then hold.
        siblings: results besides the root's: (name of the node that holds them, item, output of the macro).
    """

    label: str
    macro: str
    formula: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    conditions: tuple[tuple[str, str], ...] = ()
    siblings: tuple[tuple[str, int, int], ...] = ()
    writes: tuple[tuple[str, int], ...] = ()

    @property
    def tree(self) -> Any:
        """The parsed formula."""
        return parse_formula(self.formula)
