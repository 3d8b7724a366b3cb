"""Which elements of a result are outside of their bounds."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from torchport.contract.numerics import judge
from torchport.contract.opset import opset
from torchport.contract.reference import reference
from torchport.contract.wrong_elements import outside


def masks(op: str, arguments: dict[str, Any], *got: torch.Tensor) -> list[Any]:
    spec = opset().ops[op]
    found = outside(spec, arguments, list(got), reference(spec, arguments))
    return [None if m is None else m.tolist() for m in found]


def test_elements_of_floats_complex_numbers_and_integers() -> None:
    x, y = torch.tensor([1.0, 2.0, torch.nan]), torch.tensor([1.0, 1.0, 1.0])
    arguments = {"self": x, "other": y, "alpha": 1}
    assert masks("aten.add.Tensor", arguments, torch.tensor([2.0, 3.5, torch.nan])) == [[False, True, False]]
    assert masks("aten.add.Tensor", arguments, torch.tensor([torch.nan, 3.0, 0.0])) == [[True, False, True]]
    z = torch.tensor([1 + 1j, 2 - 1j])
    doubled = {"self": z, "other": z, "alpha": 1}
    assert masks("aten.add.Tensor", doubled, torch.tensor([2 + 2j, 4 + 2j])) == [[False, True]]
    whole = {"self": torch.tensor([1, 2]), "other": torch.tensor([3, 4]), "alpha": 1}
    assert masks("aten.add.Tensor", whole, torch.tensor([4, 7])) == [[False, True]]


def test_no_elements_where_a_law_or_what_is_pointed_at_decides() -> None:
    square = torch.eye(2)
    assert masks("aten.linalg_inv_ex.default", {"A": square, "check_errors": False}, square, square) == [
        None,
        None,
    ]
    ties = {"self": torch.tensor([1.0, 1.0]), "dim": 0, "descending": False}
    assert masks("aten.sort.default", ties, torch.tensor([1.0, 2.0]), torch.tensor([1, 0])) == [
        [False, True],
        None,
    ]


def test_the_order_of_equal_elements_is_open_where_a_sort_is_not_stable() -> None:
    spec = opset().ops["aten.sort.stable"]
    arguments = {"self": torch.tensor([2.0, 1.0, 2.0]), "stable": False, "dim": 0, "descending": False}
    values = torch.tensor([1.0, 2.0, 2.0])
    assert judge(spec, arguments, [values, torch.tensor([1, 2, 0])]).ok
    assert not judge(spec, arguments, [values, torch.tensor([0, 1, 2])]).ok
    assert not judge(spec, {**arguments, "stable": True}, [values, torch.tensor([1, 2, 0])]).ok


def test_a_format_without_infinities_has_nan_for_them() -> None:
    spec = opset().ops["aten.select_scatter.default"]
    target = torch.zeros(2, 2).to(torch.float8_e5m2fnuz)
    arguments = {"self": target, "src": torch.tensor([torch.inf, 1.0]), "dim": 0, "index": 0}
    right = torch.tensor([[torch.nan, 1.0], [0.0, 0.0]]).to(torch.float8_e5m2fnuz)
    assert judge(spec, arguments, [right]).ok
    assert not judge(spec, arguments, [target]).ok


def test_what_an_integer_cannot_hold_becomes_any_number_and_nothing_else_does() -> None:
    spec = opset().ops["aten.select_scatter.default"]
    target = torch.zeros(2, 3, dtype=torch.int32)
    arguments = {"self": target, "src": torch.tensor([torch.nan, 3.0, 1e20]), "dim": 0, "index": 1}
    for number in (0, -(2**31), 5):
        right = torch.tensor([[0, 0, 0], [number, 3, number]], dtype=torch.int32)
        assert judge(spec, arguments, [right]).ok
    for wrong in ([[0, 0, 0], [0, 4, 0]], [[1, 0, 0], [0, 3, 0]]):
        assert not judge(spec, arguments, [torch.tensor(wrong, dtype=torch.int32)]).ok


@pytest.mark.parametrize("kernel", ["bilinear", "bicubic", "lanczos"])
def test_a_pixel_that_is_no_number_may_count_where_its_weight_is_zero(kernel: str) -> None:
    op, image = f"aten._upsample_{kernel}2d_aa.default", torch.ones(1, 1, 8, 8)
    image[0, 0, 3, 3] = torch.inf
    arguments = {
        "self": image,
        "output_size": [16, 16],
        "align_corners": False,
        "scales_h": None,
        "scales_w": None,
    }
    (exact,) = reference(opset().ops[op], arguments)
    assert exact is not None
    # Left out, the pixel is missed where it has a weight; everywhere, it is seen where it has none.
    for got, near, far in (
        (exact.to(torch.float32), False, False),
        (torch.ones(1, 1, 16, 16), True, False),
        (torch.full((1, 1, 16, 16), torch.inf), False, True),
    ):
        (found,) = masks(op, arguments, got)
        assert (found[0][0][6][6], found[0][0][15][15]) == (near, far)


def test_a_weight_of_zero_has_no_sign() -> None:
    op, image = "aten._upsample_lanczos2d_aa.default", torch.zeros(1, 1, 1, 15)
    image[..., 10] = torch.inf  # a multiple of the kernel's zeros away from all but one result
    arguments = {
        "self": image,
        "output_size": [1, 5],
        "align_corners": False,
        "scales_h": None,
        "scales_w": None,
    }
    (exact,) = reference(opset().ops[op], arguments)
    assert exact is not None and not exact[..., 2].isfinite().any()
    for value in (torch.inf, -torch.inf, torch.nan, 0.0):
        got = exact.to(torch.float32)
        got[..., 2] = value
        assert not any(masks(op, arguments, got)[0][0][0][0])
    got[..., 3] = -torch.inf
    assert masks(op, arguments, got)[0][0][0][0] == [False, False, False, True, False]


def test_experts_that_are_as_probable_may_stand_in_any_order() -> None:
    op, logits = "torchport.expert_dispatch.default", torch.tensor([[120.0, -40.0, -200.0, 1.0]])
    arguments = {"router_logits": logits, "k": 4, "renormalize": False}
    for experts, right in (
        ([0, 3, 1, 2], True),
        ([0, 2, 3, 1], True),
        ([3, 0, 1, 2], False),
        ([0, 1, 1, 2], False),
        ([0, 3, 1, 4], False),
    ):
        got = torch.tensor([experts])
        weights = logits.softmax(-1).gather(-1, got.clamp(max=3))
        count = torch.bincount(got.reshape(-1), minlength=4)[:4]
        found = masks(op, arguments, weights, got, got.reshape(-1).argsort(stable=True), count)
        assert any(any(row) for row in found[1]) != right, experts
    wrong_order = masks(
        op,
        arguments,
        logits.softmax(-1).sort(descending=True)[0],
        torch.tensor([[0, 2, 3, 1]]),
        torch.tensor([0, 1, 2, 3]),
        torch.ones(4, dtype=torch.int64),
    )
    assert any(wrong_order[2])
