"""Arithmetic and comparison of sizes that may be symbolic, for the shape rules.

A size is an int, a ``torch.SymInt`` (comparisons then guard, as anywhere in PyTorch) or a :class:`SymDim`,
which wraps the sympy form of a :class:`~torchport.contract.symbols.SymExpr`. A comparison of SymDims that
cannot be decided from the expressions alone raises :class:`UndecidedError`; equality with 0 or 1 is then
assumed to be false, the assumption PyTorch makes under the name "size-oblivious".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy
import torch
from torch.utils._sympy import functions as torch_functions

from torchport.contract.symbols import SymExpr, from_sympy
from torchport.errors import ContractError


class UndecidedError(ContractError):
    """A shape rule depends on a comparison of symbolic sizes that their expressions do not decide."""


class ShapeError(ContractError):
    """The shapes given to a shape rule do not fit together; eager PyTorch raises for them too."""


@dataclass(frozen=True, slots=True)
class DataDependent:
    """A size known only when the operator has run; ``upper`` is an inclusive bound, or None."""

    upper: Any = None


class SymDim:
    """A symbolic size under evaluation: a sympy expression with Python's integer operators."""

    __slots__ = ("expr",)

    def __init__(self, expr: sympy.Expr) -> None:
        self.expr = expr

    def __repr__(self) -> str:
        return str(self.expr)

    def __hash__(self) -> int:
        return hash(self.expr)

    def __add__(self, other: Any) -> Any:
        return _wrap(self.expr + _raw(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _wrap(self.expr - _raw(other))

    def __rsub__(self, other: Any) -> Any:
        return _wrap(_raw(other) - self.expr)

    def __mul__(self, other: Any) -> Any:
        return _wrap(self.expr * _raw(other))

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return _wrap(-self.expr)

    def __floordiv__(self, other: Any) -> Any:
        return _wrap(floordiv(self.expr, _raw(other)))

    def __rfloordiv__(self, other: Any) -> Any:
        return _wrap(floordiv(_raw(other), self.expr))

    def __mod__(self, other: Any) -> Any:
        return _remainder(self.expr, _raw(other))

    def __rmod__(self, other: Any) -> Any:
        return _remainder(_raw(other), self.expr)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | SymDim):
            return False
        difference = self.expr - _raw(other)
        if not difference.is_number:
            difference = sympy.expand(difference)
        if difference.is_zero:
            return True
        if difference.is_number or difference.is_positive or difference.is_negative:
            return False
        if other in (0, 1) if isinstance(other, int) else False:
            return False
        raise UndecidedError("the rule needs to know whether two sizes are equal", got=f"{self} and {other}")

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return _sign(self.expr - _raw(other), strict=True)

    def __gt__(self, other: Any) -> bool:
        return _sign(_raw(other) - self.expr, strict=True)

    def __le__(self, other: Any) -> bool:
        return _sign(self.expr - _raw(other), strict=False)

    def __ge__(self, other: Any) -> bool:
        return _sign(_raw(other) - self.expr, strict=False)

    def __bool__(self) -> bool:
        return self != 0


class Remainder(SymDim):
    """What a division leaves: unlike a size it may well be 0 or 1."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            raise UndecidedError("the rule needs to know whether a size divides", got=f"{self} and {other}")
        return super().__eq__(other)

    def __hash__(self) -> int:
        return super().__hash__()


@lru_cache(maxsize=65536)
def floordiv(left: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
    """``left // right`` in sympy, divided exactly where that is provable."""
    exact = sympy.cancel(left / right)
    if sympy.denom(exact) == 1 and exact.is_integer:
        return sympy.expand(exact)
    return torch_functions.FloorDiv(left, right)


def _remainder(left: Any, right: Any) -> Any:
    rest = _wrap(sympy.expand(left - floordiv(left, right) * right))
    return Remainder(rest.expr) if isinstance(rest, SymDim) else rest


def _sign(difference: sympy.Expr, *, strict: bool) -> bool:
    """Whether ``difference`` < 0 (strict) or <= 0; raises :class:`UndecidedError` where that is not
    provable.
    """
    value = sympy.expand(difference)
    holds, fails = (
        (value.is_negative, value.is_nonnegative) if strict else (value.is_nonpositive, value.is_positive)
    )
    if holds:
        return True
    if fails:
        return False
    raise UndecidedError("the rule needs to know the order of two sizes", got=f"sign of {value}")


def _raw(value: Any) -> Any:
    if isinstance(value, SymDim):
        return value.expr
    if isinstance(value, DataDependent):
        raise UndecidedError("the size is known only when the operator has run")
    return sympy.Integer(value)


def _wrap(expr: sympy.Expr) -> Any:
    return int(expr) if expr.is_Integer else SymDim(expr)


@lru_cache(maxsize=65536)
def _parsed(text: str) -> Any:
    return _wrap(sympy.expand(SymExpr(text).sympy()))


def lift(dim: Any) -> Any:
    """A size in the form that rules compute on: a SymExpr becomes a :class:`SymDim`, the rest is
    unchanged.
    """
    return _parsed(dim.text) if isinstance(dim, SymExpr) else dim


def lower(dim: Any) -> Any:
    """The inverse of :func:`lift`, for results."""
    return from_sympy(dim.expr) if isinstance(dim, SymDim) else dim


def smallest(a: Any, b: Any) -> Any:
    """``min(a, b)``, symbolic where the order is not known."""
    if isinstance(a, SymDim) or isinstance(b, SymDim):
        try:
            return a if a <= b else b
        except UndecidedError:
            return _wrap(torch_functions.Min(_raw(a), _raw(b)))
    if isinstance(a, torch.SymInt) or isinstance(b, torch.SymInt):
        return torch.sym_min(a, b)
    return min(a, b)


def largest(a: Any, b: Any) -> Any:
    """``max(a, b)``, symbolic where the order is not known."""
    if isinstance(a, SymDim) or isinstance(b, SymDim):
        try:
            return a if a >= b else b
        except UndecidedError:
            return _wrap(torch_functions.Max(_raw(a), _raw(b)))
    if isinstance(a, torch.SymInt) or isinstance(b, torch.SymInt):
        return torch.sym_max(a, b)
    return max(a, b)


def equal(a: Any, b: Any) -> bool | None:
    """Whether two sizes are equal; None where that is not known."""
    if isinstance(a, DataDependent) or isinstance(b, DataDependent):
        return None
    try:
        return bool(a == b)
    except UndecidedError:
        return None


def product(dims: Any) -> Any:
    """Product of sizes; 1 of none."""
    total: Any = 1
    for dim in dims:
        total = total * dim
    return total


def wrap(dim: int, n: int) -> int:
    """``dim`` counted from the front, for a tensor of rank ``n`` (a rank of 0 counts as 1)."""
    n = max(n, 1)
    if not -n <= dim < n:
        raise ShapeError("dimension out of range", got=f"{dim} for rank {n}")
    return dim + n if dim < 0 else dim
