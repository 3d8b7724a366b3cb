"""Whether two sizes agree, given what a graph says about its symbols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from torchport.contract.dims import SymDim
from torchport.contract.graph import Symbol


def dims_agree(declared: Any, expected: Any, symbols: Mapping[str, Symbol]) -> bool:
    """Whether a declared size can be the expected one.

    Integers must be equal. Symbolic sizes agree when their difference is provably zero. Otherwise they
    disagree when the difference is provably not zero, when one is a plain number and the other a plain
    polynomial of symbols that are not fixed, or when they differ at the symbols' hints; what is left may be
    equal under the program's guards, and is accepted.
    """
    if isinstance(declared, int) and isinstance(expected, int):
        return declared == expected
    left, right = _expression(declared), _expression(expected)
    if left is None or right is None:
        return False
    difference = sympy.expand(left - right)
    if difference.is_zero:
        return True
    if difference.is_number or difference.is_positive or difference.is_negative:
        return False
    if (left.is_number or right.is_number) and difference.is_polynomial(*difference.free_symbols):
        return False
    at_hints = difference.subs(
        {s: symbols[s.name].hint for s in difference.free_symbols if _hinted(s, symbols)}
    )
    return not at_hints.is_number or bool(at_hints.is_zero)


def _hinted(symbol: sympy.Symbol, symbols: Mapping[str, Symbol]) -> bool:
    return symbol.name in symbols and symbols[symbol.name].hint is not None


def _expression(dim: Any) -> sympy.Expr | None:
    if isinstance(dim, SymDim):
        return dim.expr
    return sympy.Integer(dim) if isinstance(dim, int) else None
