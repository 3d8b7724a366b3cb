"""Index arithmetic against brute force: every simplification must hold for every value of the variables."""

from __future__ import annotations

import itertools
import random

import pytest

from torchport.contract.symbols import SymExpr
from torchport.loops.index import (
    ONE,
    ZERO,
    Index,
    const,
    evaluate,
    exact_quotient,
    flatten,
    floordiv,
    from_dim,
    from_value,
    maximum,
    minimum,
    modulo,
    nonnegative,
    only_atom,
    symbol,
    unflatten,
    var,
)
from torchport.loops.lowering.views import remap


def at(index: Index, **values: int) -> int:
    """The value of an index with loop variables bound to numbers."""
    atoms = {leaf: const(values[leaf.name]) for leaf in index.leaves() if leaf.name in values}
    return evaluate(index.replace(atoms), {})


@pytest.mark.parametrize("seed", range(40))
def test_simplifications_hold_for_every_point(seed: int) -> None:
    rng = random.Random(seed)
    sizes = {"i": rng.randint(1, 5), "j": rng.randint(1, 6)}
    variables = [var(name, const(size)) for name, size in sizes.items()]
    p = const(rng.randint(-7, 7))
    for v in variables:
        p = p + v * rng.randint(-12, 12)
    d = rng.randint(1, 12)
    results = {
        "floordiv": (floordiv(p, const(d)), lambda x: x // d),
        "modulo": (modulo(p, const(d)), lambda x: x % d),
        "minimum": (minimum(p, const(d)), lambda x: min(x, d)),
        "maximum": (maximum(p, const(d)), lambda x: max(x, d)),
        "nested": (modulo(floordiv(p, const(d)) + 3, const(5)), lambda x: (x // d + 3) % 5),
    }
    for i, j in itertools.product(range(sizes["i"]), range(sizes["j"])):
        for name, (index, expected) in results.items():
            assert at(index, i=i, j=j) == expected(at(p, i=i, j=j)), (name, str(p), d)
    if nonnegative(p):
        assert all(at(p, i=i, j=j) >= 0 for i, j in itertools.product(range(sizes["i"]), range(sizes["j"])))


@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 5), (6,), (2, 1, 3, 2)])
def test_unflatten_undoes_flatten(shape: tuple[int, ...]) -> None:
    sizes = tuple(map(const, shape))
    indices = tuple(var(f"i{k}", s) for k, s in enumerate(sizes))
    expected = tuple(ZERO if s == 1 else i for i, s in zip(indices, shape, strict=True))
    assert unflatten(flatten(expected, sizes), sizes) == expected


def test_a_symbolic_view_is_recognised_as_the_identity() -> None:
    batch, length = symbol("s0", 2), symbol("s1", 2)
    b, s, d = var("b", batch), var("s", length), var("d", const(64))
    position = flatten((b, s, d), (batch, length, const(64)))
    assert unflatten(position, (batch * length, const(64))) == (b * length + s, d)
    row = var("r", batch * length)
    back = unflatten(flatten((row, d), (batch * length, const(64))), (batch, length, const(64)))
    assert back == (floordiv(row, length), modulo(row, length), d)


def test_size_expressions_are_read_exactly() -> None:
    index = from_dim(SymExpr("(s0*s1 + 3)//4 + max(s0, 2) % 5"))
    for s0, s1 in itertools.product((2, 5, 9), (1, 4)):
        assert evaluate(index, {"s0": s0, "s1": s1}) == (s0 * s1 + 3) // 4 + max(s0, 2) % 5


def test_quotients_are_exact_or_none() -> None:
    s = symbol("s0", 2)
    assert exact_quotient(s * 12, const(4)) == s * 3
    assert exact_quotient(s * s * 6, s * 3) == s * 2
    assert exact_quotient(s * 6 + 1, const(3)) is None
    assert exact_quotient(s, s) == ONE
    t = symbol("s1", 2)
    assert exact_quotient((s - 1) * (t * 32 + s), s - 1) == t * 32 + s
    assert exact_quotient((s * t - 1) * (s + t), s + t) == s * t - 1
    assert exact_quotient((s - 1) * t + 1, s - 1) is None
    assert exact_quotient(s * t, s * 2 - 1) is None


def test_rows_of_a_size_with_several_terms_are_found_again() -> None:
    batch, length = symbol("s0", 2), floordiv(symbol("s1", 130) - 127, const(64)) - 1
    b, c, i = var("b", batch), var("c", const(8)), var("i", length)
    position = flatten((b, c, i), (batch, const(8), length))
    assert unflatten(position, (batch * 8, length)) == (b * 8 + c, i)
    assert remap((b, c, i), (batch, const(8), length), (batch, ONE, const(8), length)) == (b, ZERO, c, i)


def test_a_coefficient_is_refused_where_the_variable_hides_in_a_quotient() -> None:
    i = var("i", const(100))
    assert (i * 7 + 3).coefficient(only_atom(i)) == const(7)
    assert (i + floordiv(i, const(3))).coefficient(only_atom(i)) is None


def test_elements_that_are_read_otherwise_are_not_confused_across_graphs() -> None:
    size, of_one, of_other = const(12), object(), object()
    for payload in (of_one, of_other):
        element = from_value("v1", size, payload)
        for result in (floordiv(element, const(5)), modulo(element, const(5))):
            (leaf,) = result.leaves()
            assert leaf.payload is payload
