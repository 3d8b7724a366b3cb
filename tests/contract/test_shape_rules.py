"""The shape-rule language: grammar, values on ints, SymInts and symbols, and refusals."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from torchport.contract.dims import DataDependent, ShapeError, UndecidedError
from torchport.contract.graph import Symbol, TensorSpec
from torchport.contract.shape_functions import FUNCTIONS
from torchport.contract.shape_rules import bind, parse
from torchport.contract.symbol_checks import dims_agree
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError

S0, S1 = SymExpr("s0"), SymExpr("s1")


def tensor(*shape: Any, dtype: torch.dtype = torch.float32) -> TensorSpec:
    return TensorSpec(tuple(shape), (1,) * len(shape), dtype)


def value(text: str, **arguments: Any) -> Any:
    return parse(text).value(arguments)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("self[0] * 2 + self[-1] // 3 - self[1] % 2", 4 + 1 - 1),
        ("[1] + self[1:] + [rank(self)]", [1, 3, 5, 3]),
        ("self[0] == 2 and not self[1] != 3 or False", True),
        ("9 if given(other) else 7", 7),
        ("numel(self)", 30),
        ("dtype(self)", "float32"),
        ("floating(dtype(self)) and itemsize(dtype(self)) == 4", True),
        ("shape(self) == [2, 3, 5]", True),
        ("min(self[0], self[1], 1) + max(4, self[2]) + abs(-2)", 8),
        ("sum(self) + len([1, 2])", 12),
        ("strides(self)", [15, 5, 1]),
        ("ceil_div(7, 2)", 4),
        ("'text'", "text"),
    ],
)
def test_values(text: str, expected: Any) -> None:
    assert value(text, self=tensor(2, 3, 5), other=None) == expected


def test_an_argument_does_not_hide_the_function_of_its_name() -> None:
    assert value("repeat(self, repeat)", self=tensor(5, 4), repeat=[2, 3]) == [10, 12]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "self[",
        "lambda: 0",
        "[x for x in self]",
        "self.shape",
        "nope(self)",
        "rank(self=1)",
        "1 < 2 < 3",
        "{1: 2}",
        "f'{self}'",
        "2 ** 3",
        "__import__('os')",
        "dtype(1)",
        "b'x'",
        "(x := 1)",
        "*self",
        "1j",
        "(" * 500,
    ],
)
def test_what_is_not_in_the_language(text: str) -> None:
    with pytest.raises(ContractError):
        parse(text)


def test_the_tree_holds_the_documented_nodes_only() -> None:
    rule = parse("broadcast(self, other) if rank(self) > 0 else [1] + other[1:]")
    kinds = {type(n).__name__ for n in ast.walk(rule.tree)}
    assert kinds <= {
        "IfExp",
        "Call",
        "Name",
        "Load",
        "Compare",
        "Gt",
        "Constant",
        "BinOp",
        "Add",
        "List",
        "Subscript",
        "Slice",
    }
    assert rule.names == ("self", "other")


def test_every_function_is_documented() -> None:
    assert [n for n, f in FUNCTIONS.items() if not f.__doc__ and n not in ("min", "max", "sum")] == []


def test_missing_and_unfit_arguments() -> None:
    with pytest.raises(ContractError, match="'other' is not bound"):
        value("other", self=tensor(2))
    with pytest.raises(ShapeError, match="does not apply"):
        value("self[3]", self=tensor(2))
    with pytest.raises(ContractError, match="gives no shape"):
        parse("rank(self)").evaluate({"self": tensor(2)})


def test_evaluate_is_one_shape_per_output() -> None:
    assert parse("self").evaluate({"self": tensor(2, 3)}) == [[2, 3]]
    assert parse("split(self, 2, 0)").evaluate({"self": tensor(5, 3)}) == [[2, 3], [2, 3], [1, 3]]
    assert parse("absent()").evaluate({}) == [None]
    assert parse("[]").evaluate({}) == [[]]
    assert parse("[data_dependent(numel(self)), 2]").evaluate({"self": tensor(4)}) == [[DataDependent(4), 2]]


def test_symbols() -> None:
    x = tensor(S0, 4, S1)
    assert value("[self[0] * self[1], self[2]]", self=x) == [SymExpr("4*s0"), S1]
    assert value("view(self, [-1, 4])", self=tensor(S0, 8)) == [SymExpr("2*s0"), 4]
    assert value("broadcast(self, other)", self=x, other=tensor(1, S1)) == [S0, 4, S1]
    assert value("cat([self, other], 0)", self=tensor(S0, 2), other=tensor(3, 2)) == [SymExpr("3 + s0"), 2]
    assert value("slice(self, 0, 1, 9223372036854775807, 1)", self=tensor(S0)) != [S0]
    assert parse("self[0] == other[0]").holds(bind({"self": x, "other": tensor(S1)})) is None
    assert parse("self[0] == other[0] + 1").holds(bind({"self": x, "other": x})) is False
    assert parse("self[0] >= 0").holds(bind({"self": x})) is True
    with pytest.raises(UndecidedError):
        value("1 if self[0] < self[2] else 2", self=x)


def test_sizes_of_symbols_are_not_taken_for_one() -> None:
    """As PyTorch's size-oblivious reasoning has it: a symbolic size broadcasts as a size, and is not
    squeezed.
    """
    assert value("squeeze(self)", self=tensor(1, S0, 1)) == [S0]
    assert value("broadcast(self, other)", self=tensor(S0), other=tensor(1)) == [S0]


def test_whether_a_symbolic_size_divides_is_open() -> None:
    even = parse("x[0] % 2 == 0")
    assert even.holds(bind({"x": tensor(S0)})) is None
    assert even.holds(bind({"x": tensor(SymExpr("2*s0"))})) is True
    assert even.holds(bind({"x": tensor(SymExpr("2*s0 + 1"))})) is False


def test_torch_symints_guard_and_stay_symbolic() -> None:
    env = ShapeEnv(duck_shape=False)
    mode = FakeTensorMode(shape_env=env)
    x, y = (mode.from_tensor(torch.empty(5, 7)) for _ in range(2))
    shape = value("broadcast(self, other)", self=x, other=y)
    assert all(isinstance(d, torch.SymInt) for d in shape)
    assert len(env.guards) == 2


SHAPES = st.lists(st.integers(1, 4), min_size=0, max_size=4)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(SHAPES, SHAPES)
def test_broadcast_is_pytorchs(a: list[int], b: list[int]) -> None:
    try:
        expected: Any = list(torch.broadcast_shapes(a, b))
    except RuntimeError:
        expected = None
    rule = parse("broadcast(self, other)")
    if expected is None:
        with pytest.raises(ShapeError):
            rule.evaluate({"self": tensor(*a), "other": tensor(*b)})
    else:
        assert rule.evaluate({"self": tensor(*a), "other": tensor(*b)}) == [expected]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.integers(0, 6), st.integers(-8, 8) | st.none(), st.integers(-8, 8) | st.none(), st.integers(1, 4))
def test_slices_are_pythons(n: int, start: int | None, end: int | None, step: int) -> None:
    got = value("slice(self, 0, start, end, step)", self=tensor(n), start=start, end=end, step=step)
    assert got == [len(range(n)[start:end:step])]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.integers(1, 12),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(1, 2),
    st.booleans(),
)
def test_pooling_is_pytorchs(n: int, k: int, s: int, p: int, d: int, ceil: bool) -> None:
    try:
        expected = list(torch.nn.functional.max_pool1d(torch.zeros(1, 1, n), k, s, p, d, ceil).shape)[2]
    except RuntimeError:
        return
    assert value("pool_out(self[0], k, s, p, d, c)", self=tensor(n), k=k, s=s, p=p, d=d, c=ceil) == expected


def test_agreement_of_sizes() -> None:
    from torchport.contract.dims import lift

    symbols = {
        "s0": Symbol("s0", 2, None, 6),
        "s1": Symbol("s1", 2, None, 6),
        "u0": Symbol("u0", 0, None, None),
    }

    def agree(a: Any, b: Any) -> bool:
        return dims_agree(lift(a), lift(b), symbols)

    assert agree(SymExpr("2*s0 + s0"), SymExpr("3*s0"))
    assert agree(SymExpr("s0//2*2"), S0), "open, and equal at the hint"
    assert not agree(SymExpr("s0//4*4"), S0), "open, and different at the hint"
    assert agree(S0, S1)
    assert agree(SymExpr("u0"), S0), "no hint refutes it"
    assert not agree(S0, SymExpr("s0 + 1"))
    assert not agree(6, S0)
    assert not agree(6, 7)


def test_a_number_can_be_divided_by_a_symbolic_size() -> None:
    """As inferred sizes of empty tensors are."""
    assert value("view(self, size)", self=tensor(S0, 0, SymExpr("s1")), size=(-1, SymExpr("s1"))) == [
        0,
        SymExpr("s1"),
    ]
