"""The loop-level IR: typed scalar expressions over loop variables.

    expr   ::= load(buffer[index], mask?)          element of a buffer; 0, and not read, where masked off
             | const(number) | symbolic(size expr) | index(index)          values that need no memory
             | check(expr, mask?, size, wrap)      an index read from memory: out of range is an error, and 0
             | where(expr, expr, expr)
             | cast(expr) | round(expr)            to expr.dtype; through a 16-bit float and back
             | bitcast(expr)
             | UNARY(expr) | BINARY(expr, expr) | TERNARY(expr, expr, expr) | COMPARE(expr, expr)
             | reduce(kind, vars, expr)            sum prod max min any argmax argmin over loop variables
    index  ::= integer polynomial of loop variables, sizes and checked values     (torchport.loops.index)
    store  ::= buffer[index] = expr                made by the scheduler

Every expression has a dtype. Operands arrive promoted: a binary operation has two operands of one dtype.
16-bit floats exist in memory only: a load gives float32, a store rounds. Booleans are their own dtype.
Integers wrap. ``max``, ``min``, ``maximum`` and ``minimum`` propagate NaN; ``argmax`` takes the first of
equal elements in row-major order, NaN first. Expressions are interned by a :class:`Builder`: equal
expressions are the same object, which is what fusion relies on to share work between the operators of a
kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from torchport.contract.symbols import SymExpr
from torchport.loops.index import Atom, Index, const, from_value, nonnegative

UNARY: Mapping[str, str] = {
    "neg": "-x; integers wrap",
    "abs": "|x|; integers wrap",
    "sign": "-1, 0 or 1; NaN gives 0 as in PyTorch",
    "not": "logical or bitwise complement",
    "floor": "toward minus infinity",
    "ceil": "toward plus infinity",
    "trunc": "toward zero",
    "nearest": "to nearest, ties to even",
    "sqrt": "correctly rounded",
    "rsqrt": "1/sqrt(x)",
    "exp": "",
    "exp2": "",
    "expm1": "",
    "log": "",
    "log1p": "",
    "log2": "",
    "log10": "",
    "sin": "",
    "cos": "",
    "tan": "",
    "asin": "",
    "acos": "",
    "atan": "",
    "sinh": "",
    "cosh": "",
    "tanh": "",
    "asinh": "",
    "acosh": "",
    "atanh": "",
    "sigmoid": "1/(1 + exp(-x)), without overflow",
    "erf": "",
    "erfc": "",
    "lgamma": "",
    "isnan": "",
    "isinf": "",
    "signbit": "",
}
"""Operations of one operand, with what is not obvious about them."""

BINARY: Mapping[str, str] = {
    "add": "integers wrap",
    "sub": "integers wrap",
    "mul": "integers wrap",
    "div": "floats only",
    "truncdiv": "integers, toward zero",
    "floordiv": "toward minus infinity",
    "mod": "sign of the divisor",
    "fmod": "sign of the dividend",
    "maximum": "NaN propagates",
    "minimum": "NaN propagates",
    "pow": "",
    "atan2": "",
    "hypot": "",
    "copysign": "",
    "nextafter": "",
    "and": "",
    "or": "",
    "xor": "",
    "shl": "",
    "shr": "arithmetic for signed operands",
}
"""Operations of two operands of one dtype; the result has that dtype."""

TERNARY: Mapping[str, str] = {"fma": "a*b + c, rounded once; floats only"}
"""Operations of three operands of one dtype."""

COMPARE = ("eq", "ne", "lt", "le", "gt", "ge")
"""Comparisons: two operands of one dtype, a boolean result; false for NaN except ``ne``."""

REDUCE = ("sum", "prod", "max", "min", "any", "argmax", "argmin")
"""Reduction kinds; ``argmax`` and ``argmin`` take the value and its row-major position and give the position.
"""

PREDICATES = frozenset(("isnan", "isinf", "signbit"))
EXPENSIVE = frozenset(
    [
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
        "sigmoid",
        "erf",
        "erfc",
        "lgamma",
        "pow",
        "atan2",
        "hypot",
        "fmod",
        "mod",
        "floordiv",
        "truncdiv",
        "nextafter",
    ]
)
"""Operations worth keeping rather than computing again."""


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """One expression. ``deps`` are the loop variables it varies with; ``depth`` counts the reductions below
    it, ``height`` the operations on the longest way down; ``heavy`` says whether one of :data:`EXPENSIVE` is
    in it.
    """

    uid: int
    op: str
    args: tuple[Expr, ...]
    dtype: torch.dtype
    attr: Any
    deps: frozenset[Atom]
    depth: int
    cost: int
    height: int
    heavy: bool

    @property
    def buffer(self) -> str:
        """Name of the buffer that a load reads."""
        return str(self.attr[0])

    @property
    def at(self) -> Index:
        """Position in elements that a load reads."""
        index: Index = self.attr[1]
        return index

    def __repr__(self) -> str:
        attr = "" if self.attr is None else f"[{self.attr}]"
        return f"{self.op}{attr}({', '.join(map(repr, self.args))})"


def compute_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype that values of ``dtype`` are computed in: float32 for 16-bit floats, else itself."""
    return torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype


def index_vars(index: Index) -> frozenset[Atom]:
    """Loop variables that an index varies with, through values read from memory as well."""
    found: set[Atom] = set()
    for leaf in index.leaves():
        if leaf.kind == "var":
            found.add(leaf)
        elif leaf.kind == "value":
            found |= leaf.payload.deps
    return frozenset(found)


def index_values(index: Index) -> tuple[Expr, ...]:
    """Expressions that an index takes its checked values from."""
    return tuple(dict.fromkeys(leaf.payload for leaf in index.leaves() if leaf.kind == "value"))


class Builder:
    """Makes interned expressions, with the few simplifications that hold exactly for every value."""

    def __init__(self) -> None:
        self._known: dict[Any, Expr] = {}

    def make(self, op: str, args: tuple[Expr, ...], dtype: torch.dtype, attr: Any = None) -> Expr:
        """The expression ``op(*args)``; the same object for the same arguments."""
        key = (op, tuple(a.uid for a in args), dtype, type(attr), repr(attr) if op == "const" else attr)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._new(op, args, dtype, attr)
        return found

    def _new(self, op: str, args: tuple[Expr, ...], dtype: torch.dtype, attr: Any) -> Expr:
        deps = frozenset[Atom]().union(*(a.deps for a in args))
        depth = max((a.depth for a in args), default=0)
        cost = sum(a.cost for a in args) + (8 if op in EXPENSIVE else 1)
        height = 1 + max((a.height for a in args), default=0)
        heavy = op in EXPENSIVE or any(a.heavy for a in args)
        if op in ("load", "index"):
            index = attr[1] if op == "load" else attr
            deps |= index_vars(index)
            inner = index_values(index)
            depth = max((depth, *(e.depth for e in inner)))
            height = max((height, *(1 + e.height for e in inner)))
            cost += sum(e.cost for e in inner) + (4 if inner else 0)
        elif op == "reduce":
            deps -= frozenset(attr[1])
            depth, cost, heavy = depth + 1, 0, False
        return Expr(len(self._known), op, args, dtype, attr, deps, depth, cost, height, heavy)

    def load(self, buffer: str, index: Index, storage: torch.dtype, mask: Expr | None = None) -> Expr:
        """Element ``index`` of ``buffer``, which holds ``storage``; 16-bit floats arrive as float32."""
        return self.make("load", (mask,) if mask else (), compute_dtype(storage), (buffer, index, storage))

    def const(self, value: bool | int | float, dtype: torch.dtype) -> Expr:
        """A number of ``dtype`` (not a 16-bit float)."""
        if dtype == torch.bool:
            return self.make("const", (), dtype, bool(value))
        return self.make("const", (), dtype, float(value) if dtype.is_floating_point else int(value))

    def scalar(self, value: bool | int | float | SymExpr, dtype: torch.dtype) -> Expr:
        """A host scalar: a number, or an expression over size symbols."""
        if not isinstance(value, SymExpr):
            return self.const(value, dtype)
        return self.make("symbolic", (), dtype, value)

    def index(self, index: Index) -> Expr:
        """An index as an int64 value."""
        if index.value is not None:
            return self.const(index.value, torch.int64)
        return self.make("index", (), torch.int64, index)

    def checked(self, value: Expr, size: Index, *, wrap: bool, mask: Expr | None = None) -> Index:
        """``value`` (any integer dtype) as a checked index into ``size`` elements; ``wrap``: negative counts
        from the end. Where ``mask`` does not hold, the index is 0 and no error.
        """
        wide = self.cast(value, torch.int64)
        if wide.op == "index" and nonnegative(wide.attr) and nonnegative(size - 1 - wide.attr):
            index: Index = wide.attr
            return index
        if (
            wide.op == "const"
            and size.value is not None
            and (-size.value if wrap else 0) <= wide.attr < size.value
        ):
            return const(wide.attr % size.value)
        found = self.make("check", (wide, mask) if mask else (wide,), torch.int64, (size, wrap))
        return from_value(f"v{found.uid}", size, found)

    def cast(self, x: Expr, dtype: torch.dtype) -> Expr:
        """``x`` converted to the dtype that ``dtype`` is computed in; converting to a 16-bit float rounds."""
        target = compute_dtype(dtype)
        if x.op == "const" and target == dtype and _castable(x.attr, dtype):
            return self.const(x.attr, target)
        out = x if x.dtype == target else self.make("cast", (x,), target)
        if (
            target == dtype
            or (out.op == "load" and out.attr[2] == dtype)
            or (out.op == "round" and out.attr == dtype)
        ):
            return out
        return self.make("round", (out,), target, dtype)

    def convert(self, x: Expr, dtype: torch.dtype) -> Expr:
        """``x`` in the dtype that ``dtype`` is computed in, without rounding to 16 bits."""
        return self.cast(x, compute_dtype(dtype))

    def bitcast(self, x: Expr, dtype: torch.dtype) -> Expr:
        """The bits of ``x`` read as another dtype of the same size."""
        return self.make("bitcast", (x,), dtype)

    def unary(self, op: str, x: Expr) -> Expr:
        """One of :data:`UNARY`."""
        return self.make(op, (x,), torch.bool if op in PREDICATES else x.dtype)

    def binary(self, op: str, a: Expr, b: Expr) -> Expr:
        """One of :data:`BINARY`."""
        if op == "mul" and b.op == "const" and b.attr == 1:
            return a
        if op == "and" and a.dtype == torch.bool and a.op == "const":
            return b if a.attr else a
        return self.make(op, (a, b), a.dtype)

    def fma(self, a: Expr, b: Expr, c: Expr) -> Expr:
        """``a*b + c`` with one rounding."""
        return self.make("fma", (a, b, c), a.dtype)

    def compare(self, op: str, a: Expr, b: Expr) -> Expr:
        """One of :data:`COMPARE`; truth values compare as 0 and 1."""
        if a.dtype == torch.bool:
            a, b = self.convert(a, torch.uint8), self.convert(b, torch.uint8)
        return self.make(op, (a, b), torch.bool)

    def where(self, condition: Expr, a: Expr, b: Expr) -> Expr:
        """``a`` where the condition holds, else ``b``."""
        if condition.op == "const":
            return a if condition.attr else b
        return a if a is b else self.make("where", (condition, a, b), a.dtype)

    def reduce(
        self, kind: str, variables: tuple[Atom, ...], args: tuple[Expr, ...], dtype: torch.dtype
    ) -> Expr:
        """A reduction over loop variables, accumulated in ``dtype``."""
        return self.make("reduce", args, dtype, (kind, variables))


def _castable(value: bool | int | float, dtype: torch.dtype) -> bool:
    if dtype.is_floating_point:
        return dtype == torch.float64 or (isinstance(value, bool | int) and abs(value) < 1 << 24)
    if dtype == torch.bool:
        return True
    info = torch.iinfo(dtype)
    return not isinstance(value, float) and info.min <= value <= info.max
