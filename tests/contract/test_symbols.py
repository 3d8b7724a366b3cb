"""Size expressions: evaluation, sympy round trip, and what the grammar refuses."""

import pytest
import sympy

from torchport.contract.symbols import SymExpr, evaluate, from_sympy, size_symbol
from torchport.errors import ContractError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("s0", 6),
        ("2*s0 + s1 - 1", 14),
        ("s0 // 4 + s0 % 4", 3),
        ("max(s0, s1, 10) * min(s0, s1)", 30),
        ("-(s0 - s1)**2", -9),
        ("float(s0) / 4", 1.5),
        ("ceil(s0 / 4)", 2),
        ("s0 >= 2 and not s1 == 4", True),
        ("s0 < 2 or s1 < 2", False),
    ],
)
def test_evaluate(text: str, value: float) -> None:
    assert SymExpr(text).evaluate({"s0": 6, "s1": 3}) == value


@pytest.mark.parametrize(
    "text", ["s0", "2*s0 + s1", "s0 // 4", "s0 % 4", "max(s0, s1)", "s0*s1*4", "(s0 + 3) // 2 * s1"]
)
def test_sympy_round_trip_keeps_the_value(text: str) -> None:
    back = from_sympy(SymExpr(text).sympy())
    for s0 in (0, 1, 7, 16):
        for s1 in (1, 5):
            bindings = {"s0": s0, "s1": s1}
            assert evaluate(back, bindings) == SymExpr(text).evaluate(bindings)


def test_numbers_come_back_as_numbers() -> None:
    assert from_sympy(sympy.Integer(3)) == 3 and isinstance(from_sympy(sympy.Integer(3)), int)
    assert from_sympy(sympy.true) is True
    assert from_sympy(size_symbol("s0") * 0) == 0


@pytest.mark.parametrize(
    "text",
    ["", "s0 +", "f(s0)", "s0.real", "'a'", "[s0]", "__import__('os')", "lambda: 0", "s0 if s1 else 2"],
)
def test_refused(text: str) -> None:
    with pytest.raises(ContractError):
        SymExpr(text)


def test_a_missing_binding_is_named() -> None:
    with pytest.raises(ContractError, match="s1"):
        SymExpr("s0 + s1").evaluate({"s0": 1})


@pytest.mark.parametrize("text", ["1 / (s0 + 1)", "2.0 / (float(s0*s1) - 0.5)", "s0 / 2 / 3"])
def test_true_divisions_come_back_and_have_a_value_at_numbers(text: str) -> None:
    expression = SymExpr(text).sympy()
    bindings = {"s0": 4, "s1": 5}
    expected = SymExpr(text).evaluate(bindings)
    assert evaluate(from_sympy(expression), bindings) == pytest.approx(expected)
    by_name = {s: bindings[s.name] for s in expression.free_symbols}
    assert float(expression.xreplace({s: sympy.Integer(n) for s, n in by_name.items()})) == pytest.approx(
        expected
    )
