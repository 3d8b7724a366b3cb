"""Index expressions as C++: as one int64_t, or as a vector when they vary with the vectorised loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from torchport.contract.symbols import SymExpr
from torchport.errors import CompileError
from torchport.loops.index import Atom, Index, nonnegative

ValueName = Callable[[Atom], str]
"""C++ text of an element read from memory: an int64_t expression, or a vector's name."""


def scalar(index: Index, value: ValueName) -> str:
    """``index`` as an ``int64_t`` expression."""
    if not index.terms:
        return "0"
    parts = []
    for monomial, coefficient in index.ordered():
        factors = [_atom(a, value) for a in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, str(coefficient))
        parts.append(" * ".join(factors))
    return " + ".join(parts)


def _group(index: Index, value: ValueName) -> str:
    text = scalar(index, value)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _atom(atom: Atom, value: ValueName) -> str:
    match atom.kind:
        case "var" | "sym":
            return atom.name
        case "value":
            return value(atom)
        case "div" | "mod":
            a, b = (_group(x, value) for x in atom.args)
            if nonnegative(atom.args[0]):
                return f"({a} {'/' if atom.kind == 'div' else '%'} {b})"
            return f"tp::{'floordiv' if atom.kind == 'div' else 'mod'}(int64_t({a}), int64_t({b}))"
        case _:
            a, b = (_group(x, value) for x in atom.args)
            return f"tp::{'smaller' if atom.kind == 'min' else 'larger'}({a}, {b})"


def vector(index: Index, lane: Atom, value: ValueName, varies: Callable[[Atom], bool]) -> str:
    """``index`` as a ``tp::vec<int64_t>``; ``varies`` says which values differ from lane to lane."""

    def mentions(atom: Atom) -> bool:
        if atom.kind in ("var", "sym"):
            return atom == lane
        if atom.kind == "value":
            return varies(atom)
        return any(mentions(leaf) for a in atom.args for leaf in a.leaves())

    def lanes_of(atom: Atom) -> str:
        if not mentions(atom):
            return f"i64({_atom(atom, value)})"
        match atom.kind:
            case "var":
                return f"tp::iota<int64_t>({lane.name})"
            case "value":
                return value(atom)
            case "div" | "mod":
                a, b = (convert(x) for x in atom.args)
                return f"tp::{'floordiv' if atom.kind == 'div' else 'mod'}({a}, {b})"
            case _:
                a, b = (convert(x) for x in atom.args)
                return f"tp::{'minimum' if atom.kind == 'min' else 'maximum'}({a}, {b})"

    def convert(part: Index) -> str:
        same = Index({m: c for m, c in part.terms.items() if not any(mentions(a) for a in m)})
        parts = [f"i64({scalar(same, value)})"] if same.terms or same == part else []
        for monomial, coefficient in part.ordered():
            if any(mentions(a) for a in monomial):
                factors = [lanes_of(a) for a in monomial]
                if coefficient != 1:
                    factors.insert(0, f"i64({coefficient})")
                parts.append(" * ".join(factors))
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"

    return convert(index)


_OPERATORS: Mapping[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_FUNCTIONS: Mapping[str, str] = {
    "sqrt": "__builtin_sqrt",
    "abs": "__builtin_fabs",
    "floor": "__builtin_floor",
    "ceil": "__builtin_ceil",
    "trunc": "__builtin_trunc",
    "int": "__builtin_trunc",
    "float": "double",
}


def symbolic(expr: SymExpr) -> str:
    """A size expression as a C++ ``double`` expression over the symbols' names.

    Raises:
        CompileError: the expression uses something that has no C++ form here.
    """

    def convert(node: ast.AST) -> str:
        match node:
            case ast.Constant(value=number):
                return f"double({number!r})"
            case ast.Name(id=name):
                return f"double({name})"
            case ast.UnaryOp(operand=operand):
                return f"-({convert(operand)})"
            case ast.BinOp(left=left, right=right, op=ast.FloorDiv()):
                return f"__builtin_floor(({convert(left)}) / ({convert(right)}))"
            case ast.BinOp(left=left, right=right, op=ast.Mod()):
                a, b = convert(left), convert(right)
                return f"(({a}) - ({b}) * __builtin_floor(({a}) / ({b})))"
            case ast.BinOp(left=left, right=right, op=ast.Pow()):
                return f"__builtin_pow({convert(left)}, {convert(right)})"
            case ast.BinOp(left=left, right=right, op=op) if type(op) in _OPERATORS:
                return f"({convert(left)} {_OPERATORS[type(op)]} {convert(right)})"
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[a, b]):
                return f"__builtin_f{name}({convert(a)}, {convert(b)})"
            case ast.Call(func=ast.Name(id=name), args=[a]) if name in _FUNCTIONS:
                return f"{_FUNCTIONS[name]}({convert(a)})"
        raise CompileError("a size expression has no C++ form", got=expr.text)

    return convert(ast.parse(expr.text, mode="eval").body)
