"""PyTorch's operator tests close over the primitives: one sample of each entry and dtype class, both ways.

``torchport opset closure`` runs more samples of the same check.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import pytest
import torch
from torch import Tensor

from torchport.contract.graph import Graph, Node, TensorSpec, Value
from torchport.contract.opset import opset
from torchport.errors import UsageError
from torchport.tools.closure.check import (
    BEYOND_OPERANDS,
    UNTRACEABLE,
    Outcome,
    StageError,
    allowed_ulps,
    compare,
    error_ratio,
)
from torchport.tools.closure.observe import Ordered
from torchport.tools.closure.report import NO_SAMPLES, ClosureReport, Excluded, Open, RuleCounts
from torchport.tools.closure.runner import check_entry, closure, entry_names
from torchport.tools.closure.samples import DTYPE_CLASSES, classes_of, database, not_dense

DATA_DEPENDENT = ("DataDependentOutputException", "DynamicOutputShapeException", "GuardOnDataDependent")


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", [n for n in entry_names() if not not_dense(n)])
def test_entry(name: str) -> None:
    result = check_entry(name, 1, tuple(DTYPE_CLASSES), False, "1.0")
    assert [f"{o.dtype} {o.stage}: {o.text}" for o in result.open] == []
    if result.excluded is not None and result.excluded.kind == NO_SAMPLES:
        assert not set(classes_of(database()[name]))
        return
    assert result.samples > 0
    assert result.prims <= set(opset("1.0").prims)
    for excluded in (*result.outside, *([result.excluded] if result.excluded else ())):
        assert excluded.kind == UNTRACEABLE
        assert excluded.reason.startswith(DATA_DEPENDENT)


def test_a_report_counts_and_says_what_is_wrong() -> None:
    report = closure(["cumsum", "jiterator_unary", "item"], samples=2, classes=("float", "int"))
    assert (report.entries, report.closed, report.open) == (3, 1, ())
    assert {e.entry: e.kind for e in report.excluded} == {
        "jiterator_unary": "not dense",
        "item": "untraceable",
    }
    assert report.by_dtype["float"] >= 2 and report.gradients == 2
    assert "aten.cumsum.default" in report.prims
    assert report.rules.python > 4 and report.rules.cpp > 0 and report.rules.cpp_differences == ()
    assert report.shortcomings() == ()


def test_a_call_that_reads_beyond_its_operand_is_outside() -> None:
    result = check_entry("as_strided:partial_views", 3, ("float",), False, "1.0")
    assert result.open == [] and result.excluded is None
    assert [(o.sample, o.kind) for o in result.outside] == [(2, BEYOND_OPERANDS)]


def test_bounds_of_operators_add_up() -> None:
    def value(name: str) -> Value:
        return Value(name, TensorSpec((3,), (1,), torch.float32, "cpu"))

    x, nodes = value("x"), []
    for i in range(64):
        nodes.append(Node(f"n{i}", "aten.exp.default", (("self", x),), (value(f"n{i}"),)))
    ulps = opset("1.0").ops["aten.exp.default"].numerics.ulps["float32"]
    assert allowed_ulps(Graph((x,), tuple(nodes[:1]), ()), opset("1.0")) == 4.0
    assert allowed_ulps(Graph((x,), tuple(nodes), ()), opset("1.0")) == max(4.0, 8 * ulps)


def test_shortcomings() -> None:
    numbers = {f.name: 0 for f in fields(ClosureReport)}
    report = ClosureReport(
        **numbers
        | {
            "open": (Open("cumsum", "int", 0, "values", "off"),),
            "prims": {f"prim{i}": 1 for i in range(201)},
            "excluded": tuple(Excluded(f"e{i}", "untraceable", "why") for i in range(21)),
            "rules": RuleCounts(
                python=9, strides=5, symbolic=0, cpp=3, cpp_differences=("aten.mm.default: L0",)
            ),
        }
    )
    open_, prims, excluded, rules = report.shortcomings()
    assert "1 open" in open_ and "201" in prims and "21" in excluded and "C++" in rules


def test_an_unknown_entry_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no entry matches"):
        closure(["nothing.like.this"])


ONE = torch.ones(3)


@pytest.mark.parametrize(
    ("mine", "theirs", "truth", "allowed"),
    [
        (ONE, ONE, ONE.double(), True),
        (ONE + 1e-6, ONE, ONE.double(), False),
        (ONE + 1.9e-6, ONE + 1e-6, ONE.double(), True),
        (ONE + 4e-6, ONE + 1e-6, ONE.double(), False),
        (torch.tensor([1.0, float("nan")]), torch.ones(2), torch.ones(2).double(), False),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), None, False),
        (torch.tensor([1j]), torch.tensor([1.5j]), torch.tensor([1j], dtype=torch.complex128), True),
    ],
)
def test_errors_are_judged_by_float64(
    mine: Tensor, theirs: Tensor, truth: Tensor | None, allowed: bool
) -> None:
    assert (error_ratio(mine, theirs, truth) <= 1.0) is allowed


def test_float8_beyond_the_largest_number_is_that_number_or_nan() -> None:
    ours = torch.tensor([1.0, 448.0, 2.0]).to(torch.float8_e4m3fn)
    eager = torch.tensor([1.0, float("nan"), 2.0]).to(torch.float8_e4m3fn)
    wrong = torch.tensor([1.0, 3.0, 2.0]).to(torch.float8_e4m3fn)
    assert error_ratio(ours, eager, None) == 0.0
    assert error_ratio(wrong, eager, None) == float("inf")


@pytest.mark.parametrize(("index", "allowed"), [([0, 3], True), ([2, 3], True), ([1, 3], False)])
def test_equal_elements_may_be_chosen_in_any_order(index: list[int], allowed: bool) -> None:
    x = torch.tensor([[5, 7, 5, 9], [1, 2, 3, 0]])
    arguments = {"self": x, "k": 1, "dim": -1, "keepdim": False}
    eager = torch.kthvalue(x, 1)
    outcome = Outcome()
    spec = opset("1.0").ops["aten.kthvalue.default"]
    outcome.observed.orders.append(Ordered(spec, arguments, tuple(eager)))
    if allowed:
        compare("values", [torch.tensor(index)], [eager.indices], None, outcome)
    else:
        with pytest.raises(StageError, match="off by inf"):
            compare("values", [torch.tensor(index)], [eager.indices], None, outcome)


def test_results_of_another_shape_or_dtype_are_open() -> None:
    with pytest.raises(StageError, match=r"value 0 is torch.float32\[3\], eager's torch.float64\[3\]"):
        compare("values", [ONE], [ONE.double()], None, Outcome())
    with pytest.raises(StageError, match="gradient 0 is missing"):
        compare("gradients", [None], [ONE], None, Outcome())
