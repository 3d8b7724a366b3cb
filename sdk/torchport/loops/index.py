"""Index arithmetic: integer polynomials over loop variables and size symbols, kept in a canonical form.

Everything is an :class:`Index`: a sum of products of atoms with integer coefficients. Atoms are loop
variables, size symbols, values read from memory, and floor divisions, remainders and functions that could not
be simplified. Equal expressions compare equal, so index maps through views can be recognised as the identity.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from torchport.contract.symbols import SymExpr
from torchport.errors import LoweringError


@dataclass(frozen=True, slots=True)
class Atom:
    """Something indivisible in an index.

    ``kind``: ``var`` (a loop variable in [0, args[0])), ``sym`` (a size symbol, at least ``low``), ``value``
    (an element read from memory, in [0, args[0])), ``div``, ``mod``, ``min``, ``max`` (of ``args``). ``name``
    orders and prints atoms. ``payload`` says how an element is read, and two that are read otherwise are two:
    results are kept across graphs, whose names are the same.
    """

    kind: str
    name: str
    args: tuple[Index, ...] = ()
    low: int = 0
    payload: Any = None
    digest: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", hash((self.kind, self.name, self.args)))

    def __hash__(self) -> int:
        return self.digest

    def __str__(self) -> str:
        match self.kind:
            case "var" | "sym" | "value":
                return self.name
            case "div" | "mod":
                return f"({self.args[0]} {'//' if self.kind == 'div' else '%'} {self.args[1]})"
            case _:
                return f"{self.kind}({', '.join(map(str, self.args))})"


Monomial = tuple[Atom, ...]


class Index:
    """An integer polynomial. Immutable; build it from :func:`const`, :func:`var`, :func:`symbol` and
    operators.
    """

    __slots__ = ("_hash", "_terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self._terms = {m: c for m, c in terms.items() if c}
        self._hash = hash(frozenset(self._terms.items()))

    @property
    def terms(self) -> Mapping[Monomial, int]:
        """Coefficient by monomial; the empty monomial is the constant."""
        return self._terms

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and (
            self is other or (self._hash == other._hash and self._terms == other._terms)
        )

    def __add__(self, other: Index | int) -> Index:
        other = const(other)
        if not other._terms:
            return self
        if not self._terms:
            return other
        terms = dict(self._terms)
        for m, c in other._terms.items():
            terms[m] = terms.get(m, 0) + c
        return Index(terms)

    def __mul__(self, other: Index | int) -> Index:
        other = const(other)
        if other is ONE:
            return self
        if self is ONE:
            return other
        terms: dict[Monomial, int] = {}
        for m1, c1 in self._terms.items():
            for m2, c2 in other._terms.items():
                m = _product(m1, m2)
                terms[m] = terms.get(m, 0) + c1 * c2
        return Index(terms)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Index:
        return Index({m: -c for m, c in self._terms.items()})

    def __sub__(self, other: Index | int) -> Index:
        return self + -const(other)

    def __rsub__(self, other: int) -> Index:
        return const(other) - self

    @property
    def value(self) -> int | None:
        """The number, when there are no atoms."""
        if not self._terms:
            return 0
        return self._terms.get(()) if len(self._terms) == 1 else None

    def atoms(self) -> Iterator[Atom]:
        """Atoms at the top level, with repeats."""
        for m in self._terms:
            yield from m

    def leaves(self) -> Iterator[Atom]:
        """Variables, symbols and values at any depth, with repeats."""
        for atom in self.atoms():
            if atom.kind in ("var", "sym", "value"):
                yield atom
            else:
                for a in atom.args:
                    yield from a.leaves()

    def coefficient(self, atom: Atom) -> Index | None:
        """``c`` where the index is ``c*atom + rest`` and neither has the atom; ``None`` where it is not of
        that form.
        """
        out: dict[Monomial, int] = {}
        for m, c in self._terms.items():
            count = sum(a == atom for a in m)
            if count > 1 or any(a.kind not in ("var", "sym") and _mentions(a, atom) for a in m if a != atom):
                return None
            if count:
                out[tuple(a for a in m if a != atom)] = c
        return Index(out)

    def without(self, atom: Atom) -> Index:
        """The terms that do not have ``atom`` as a factor."""
        return Index({m: c for m, c in self._terms.items() if atom not in m})

    def replace(self, mapping: Mapping[Atom, Index]) -> Index:
        """Substitutes atoms and simplifies again."""
        if not any(a in mapping for a in self.leaves()):
            return self
        total = ZERO
        for m, c in self._terms.items():
            product = const(c)
            for atom in m:
                product = product * _replace_atom(atom, mapping)
            total = total + product
        return total

    def __str__(self) -> str:
        if not self._terms:
            return "0"
        parts = []
        for m, c in self.ordered():
            factors = [str(a) for a in m]
            if c != 1 or not factors:
                factors.insert(0, str(c))
            parts.append("*".join(factors))
        return " + ".join(parts)

    __repr__ = __str__

    def ordered(self) -> list[tuple[Monomial, int]]:
        """Terms in a fixed order that does not depend on how the index was built."""
        return sorted(self._terms.items(), key=lambda t: (not t[0], [str(a) for a in t[0]]))


def _product(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    return tuple(sorted((*a, *b), key=lambda x: (x.kind, x.name, x.digest)))


def _mentions(atom: Atom, wanted: Atom) -> bool:
    return (
        any(leaf == wanted for a in atom.args for leaf in a.leaves())
        if atom.kind in ("div", "mod", "min", "max")
        else False
    )


def _replace_atom(atom: Atom, mapping: Mapping[Atom, Index]) -> Index:
    if atom in mapping:
        return mapping[atom]
    if atom.kind in ("var", "sym", "value"):
        return Index({(atom,): 1})
    a, b = (x.replace(mapping) for x in atom.args)
    match atom.kind:
        case "div":
            return floordiv(a, b)
        case "mod":
            return modulo(a, b)
        case _:
            return minimum(a, b) if atom.kind == "min" else maximum(a, b)


_SMALL = {n: Index({(): n}) for n in range(-16, 4097)}
ZERO, ONE = _SMALL[0], _SMALL[1]


def const(value: Index | int) -> Index:
    """A number as an index."""
    if isinstance(value, Index):
        return value
    return _SMALL.get(value) or Index({(): value})


def var(name: str, size: Index) -> Index:
    """A loop variable that runs over [0, size)."""
    return Index({(Atom("var", name, (size,)),): 1})


def symbol(name: str, low: int = 0) -> Index:
    """A size symbol that is at least ``low``."""
    return Index({(Atom("sym", name, low=low),): 1})


def from_value(name: str, size: Index, payload: Any) -> Index:
    """An element read from memory, known to be in [0, size). ``payload`` says how it is read."""
    return Index({(Atom("value", name, (size,), payload=payload),): 1})


def only_atom(index: Index) -> Atom:
    """The atom of an index that is exactly one atom."""
    ((monomial, coefficient),) = index.terms.items()
    (atom,) = monomial
    assert coefficient == 1
    return atom


def product(items: Iterable[Index]) -> Index:
    """The product; 1 for none."""
    total = ONE
    for item in items:
        total = total * item
    return total


def exact_quotient(p: Index, d: Index) -> Index | None:
    """``q`` with ``p == q*d`` as polynomials, else ``None``."""
    if d == ONE:
        return p
    if p == d:
        return ONE
    if not p.terms:
        return ZERO
    if len(d.terms) != 1:
        return _long_quotient(p, d) if d.terms else None
    ((dm, dc),) = d.terms.items()
    out = {}
    for m, c in p.terms.items():
        q = _divide(m, dm)
        if q is None or c % dc:
            return None
        out[q] = c // dc
    return Index(out)


def _long_quotient(p: Index, d: Index) -> Index | None:
    """Division by more than one term: leading terms first, in the order of degrees."""
    atoms = sorted({*p.atoms(), *d.atoms()}, key=str)

    def rank(monomial: Monomial) -> tuple[int, ...]:
        return (len(monomial), *map(monomial.count, atoms))

    lead = max(d.terms, key=rank)
    quotient, rest = ZERO, p
    while rest.terms:
        first = max(rest.terms, key=rank)
        q, (times, left) = _divide(first, lead), divmod(rest.terms[first], d.terms[lead])
        if q is None or left:
            return None
        step = Index({q: times})
        quotient, rest = quotient + step, rest - step * d
    return quotient


def _divide(m: Monomial, d: Monomial) -> Monomial | None:
    rest = list(m)
    for atom in d:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _split(p: Index, d: Index) -> tuple[Index, Index]:
    """``(q, r)`` with ``p == q*d + r`` and ``r`` as small as the terms show."""
    quotient, rest = ZERO, ZERO
    if len(d.terms) == 1:
        ((dm, dc),) = d.terms.items()
        for m, c in p.terms.items():
            q = _divide(m, dm)
            if q is not None and c % dc == 0:
                quotient += Index({q: c // dc})
            elif q is not None and not m and dc > 0:
                quotient += const(c // dc)
                rest += const(c % dc)
            else:
                rest += Index({m: c})
        return quotient, rest
    rest = p
    for atom in dict.fromkeys(p.atoms()):
        factor = rest.coefficient(atom)
        if factor is not None and factor.terms and (times := exact_quotient(factor, d)) is not None:
            quotient += times * Index({(atom,): 1})
            rest = rest.without(atom)
    if rest == d:
        return quotient + ONE, ZERO
    return quotient, rest


@lru_cache(maxsize=65536)
def floordiv(p: Index, d: Index) -> Index:
    """``floor(p / d)`` for ``d > 0``."""
    if d == ONE or not p.terms:
        return p
    if nonnegative(p) and nonnegative(d - 1 - p):
        return ZERO
    q, r = _split(p, d)
    if not r.terms or (nonnegative(r) and nonnegative(d - 1 - r)):
        return q
    r, d = _cancel(r, d)
    if d == ONE:
        return q + r
    return q + Index({(Atom("div", "div", (r, d)),): 1})


@lru_cache(maxsize=65536)
def modulo(p: Index, d: Index) -> Index:
    """``p - d*floor(p / d)`` for ``d > 0``."""
    if nonnegative(p) and nonnegative(d - 1 - p):
        return p
    _, r = _split(p, d)
    if not r.terms or d == ONE:
        return ZERO
    if nonnegative(r) and nonnegative(d - 1 - r):
        return r
    return Index({(Atom("mod", "mod", (r, d)),): 1})


def _cancel(r: Index, d: Index) -> tuple[Index, Index]:
    """Divides ``r`` and ``d`` by a factor ``g`` of ``d`` where what remains of ``r`` is in [0, g)."""
    for m, c in r.terms.items():
        g = Index({tuple(a for a in m if a.kind == "sym"): abs(c)})
        if g == ONE or (small := exact_quotient(d, g)) is None:
            continue
        q, rest = _split(r, g)
        if nonnegative(rest) and nonnegative(g - 1 - rest):
            return q, small
    return r, d


def minimum(a: Index, b: Index) -> Index:
    """The smaller one."""
    if nonnegative(b - a):
        return a
    return b if nonnegative(a - b) else Index({(Atom("min", "min", (a, b)),): 1})


def maximum(a: Index, b: Index) -> Index:
    """The larger one."""
    if nonnegative(a - b):
        return a
    return b if nonnegative(b - a) else Index({(Atom("max", "max", (a, b)),): 1})


@lru_cache(maxsize=65536)
def nonnegative(p: Index) -> bool:
    """True where ``p >= 0`` can be shown for every value of its variables and symbols."""
    for _ in range(16):
        if p.value is not None:
            return p.value >= 0
        open_atoms = [a for a in p.atoms() if a.kind != "sym"]
        if not open_atoms:
            break
        atom = min(open_atoms, key=lambda a: a.kind == "div")  # bounds of the others may have quotients
        c = p.coefficient(atom)
        if c is None:
            return False
        low, high = _bounds(atom)
        rest = p.without(atom)
        if low is not None and nonnegative(c):
            p = rest + c * low
        elif high is not None and nonnegative(-c):
            p = rest + c * high
        else:
            return False
    else:
        return False
    shifted = ZERO
    for monomial, coefficient in p.terms.items():
        term = const(coefficient)
        for atom in monomial:
            term = term * (Index({(atom,): 1}) + atom.low)
        shifted = shifted + term
    return all(c >= 0 for c in shifted.terms.values())


def _bounds(atom: Atom) -> tuple[Index | None, Index | None]:
    match atom.kind:
        case "var" | "value":
            return ZERO, atom.args[0] - 1
        case "mod":
            return ZERO, atom.args[1] - 1
        case "div" if nonnegative(atom.args[0]):
            d = atom.args[1].value
            top = upper_bound(atom.args[0])
            return ZERO, const(top // d) if d and top is not None else None
        case "min" if all(nonnegative(a) for a in atom.args):
            return ZERO, atom.args[0]
        case "max" if any(nonnegative(a) for a in atom.args):
            return ZERO, None
        case _:
            return None, None


def upper_bound(p: Index) -> int | None:
    """A number that ``p`` never exceeds, where one can be shown from static sizes."""
    total = 0
    for m, c in p.terms.items():
        top = 1
        for atom in m:
            high = _bounds(atom)[1]
            if high is None or high.value is None or c < 0:
                return None
            top *= high.value
        total += c * top
    return total


def from_dim(dim: int | SymExpr | Index, lows: Mapping[str, int] | None = None) -> Index:
    """A size, stride or offset of a contract graph as an index. ``lows`` holds lower bounds of symbols.

    Raises:
        LoweringError: the expression is not an integer polynomial with floor divisions, remainders, min or
        max.
    """
    if isinstance(dim, Index):
        return dim
    if not isinstance(dim, SymExpr):
        return const(int(dim))
    return _from_ast(ast.parse(dim.text, mode="eval").body, dim.text, lows or {})


_BINARY: dict[type, Callable[[Index, Index], Index]] = {
    ast.Add: Index.__add__,
    ast.Sub: Index.__sub__,
    ast.Mult: Index.__mul__,
    ast.FloorDiv: floordiv,
    ast.Mod: modulo,
}


def _from_ast(node: ast.AST, text: str, lows: Mapping[str, int]) -> Index:
    match node:
        case ast.Constant(value=int(number)):
            return const(number)
        case ast.Name(id=name):
            return symbol(name, lows.get(name, 0))
        case ast.UnaryOp(operand=operand):
            return -_from_ast(operand, text, lows)
        case ast.BinOp(left=left, right=ast.Constant(value=int(power)), op=ast.Pow()) if power >= 0:
            return product([_from_ast(left, text, lows)] * power)
        case ast.BinOp(left=left, right=right, op=op) if type(op) in _BINARY:
            return _BINARY[type(op)](_from_ast(left, text, lows), _from_ast(right, text, lows))
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[first, *rest]):
            total = _from_ast(first, text, lows)
            for item in rest:
                total = (minimum if name == "min" else maximum)(total, _from_ast(item, text, lows))
            return total
        case ast.Call(func=ast.Name(id="int" | "trunc"), args=[only]):
            return _from_ast(only, text, lows)
        case _:
            raise LoweringError("this size expression has no integer index form", got=text)


def flatten(indices: Sequence[Index], shape: Sequence[Index]) -> Index:
    """The row-major position of ``indices`` in ``shape``."""
    total = ZERO
    for i, size in zip(indices, shape, strict=True):
        total = total * size + i
    return total


def unflatten(position: Index, shape: Sequence[Index]) -> tuple[Index, ...]:
    """Indices into ``shape`` of a row-major position."""
    out: list[Index] = []
    for axis in range(len(shape) - 1, -1, -1):
        if axis == 0:
            out.append(position if shape[0] != ONE else ZERO)
        else:
            out.append(modulo(position, shape[axis]))
            position = floordiv(position, shape[axis])
    return tuple(reversed(out))


def evaluate(p: Index, bindings: Mapping[str, int]) -> int:
    """The value of an index over size symbols alone."""
    return sum(c * math.prod(_evaluate_atom(a, bindings) for a in m) for m, c in p.terms.items())


def _evaluate_atom(atom: Atom, bindings: Mapping[str, int]) -> int:
    if atom.kind == "sym":
        return bindings[atom.name]
    args = [evaluate(a, bindings) for a in atom.args]
    match atom.kind:
        case "div":
            return args[0] // args[1]
        case "mod":
            return args[0] % args[1]
        case "min" | "max":
            return min(args) if atom.kind == "min" else max(args)
    raise LoweringError("a loop variable has no value outside its loop", got=str(atom))
