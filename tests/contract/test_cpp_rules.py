"""The C++ shape rules are the Python ones."""

from __future__ import annotations

from typing import Any

import pytest

from torchport.contract.cpp.evaluator import CppEvaluator, encoded_call, expected
from torchport.contract.cpp.header import PATH, header_text
from torchport.contract.opset import opset
from torchport.contract.shape_rules import bind

OPS = opset("1.0").ops


@pytest.fixture(scope="module")
def evaluator(tmp_path_factory: pytest.TempPathFactory) -> CppEvaluator:
    return CppEvaluator(tmp_path_factory.mktemp("shape_rules"))


def test_header_is_current() -> None:
    assert PATH.read_text(encoding="utf-8") == header_text(opset("1.0")), "make gen rewrites it"


def test_every_operator_over_drawn_operands(evaluator: CppEvaluator, draw: Any, dtypes: Any) -> None:
    pairs, operators = [], set()
    for name, spec in OPS.items():
        for dtype in dtypes(spec):
            for arguments in draw(spec, dtype, limit=16):
                bound = bind(arguments)
                pairs.append((encoded_call(name, bound), expected(spec, bound)))
                operators.add(name)
            if name in operators:
                break
    assert operators == set(OPS)
    assert sum(wanted != "!" for _, wanted in pairs) > 3 * len(OPS)
    assert evaluator.differences(pairs) == []


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("aten.cat.default", {"tensors": [(2, 3), (4, 3)], "dim": -2}, "L1 L2 I6 I3 -"),
        ("aten.view.default", {"self": (2, 6), "size": [3, -1]}, "L1 L2 I3 I4 -"),
        ("aten.mm.default", {"self": (2, 3), "mat2": (4, 5)}, "L1 L2 I2 I5 mm.C2"),
    ],
)
def test_known_answers(evaluator: CppEvaluator, name: str, arguments: dict[str, Any], answer: str) -> None:
    call = encoded_call(name, bind(arguments))
    call = call.rsplit(" ", 1)[0] + f" {len(arguments)} " + " ".join(f"{k} float32" for k in arguments)
    (got,) = evaluator.answers([call])
    assert got == answer


def test_an_unknown_operator_is_an_error(evaluator: CppEvaluator) -> None:
    assert evaluator.answers(["aten.nothing.default 0 0"]) == [
        "! the operator is not in the contract: aten.nothing.default"
    ]


BIG = 2**63 - 1


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("aten.arange.start_step", {"start": -BIG - 1, "end": 0, "step": -1}),
        ("aten.arange.start_step", {"start": 0.0, "end": 1e300, "step": 1.0}),
        ("aten.unbind.int", {"self": (BIG,), "dim": 0}),
        ("aten.split.Tensor", {"self": (BIG,), "split_size": 1, "dim": 0}),
    ],
)
def test_numbers_beyond_any_tensor_are_errors(
    evaluator: CppEvaluator, name: str, values: dict[str, Any]
) -> None:
    """Neither a signal nor a list that fills the memory."""
    call = encoded_call(name, bind(values))
    (got,) = evaluator.answers([call])
    assert got.startswith("!"), got
