"""Assertions fail when they are false, through every form of them."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.decompositions import assertions

TOKEN = torch.zeros(())


def test_a_false_condition_fails_with_its_message() -> None:
    with pytest.raises(RuntimeError, match="boom"):
        assertions.functional_assert_async(torch.tensor(0), "boom", TOKEN)
    with pytest.raises(RuntimeError, match="boom"):
        assertions.functional_assert_scalar(False, "boom", TOKEN)
    with pytest.raises(RuntimeError, match="zero"):
        assertions.assert_async(torch.tensor(False))
    assert torch.equal(assertions.functional_assert_async(torch.tensor(1), "boom", TOKEN), TOKEN)


@pytest.mark.parametrize(("low", "high"), [(4, None), (None, 2), (0, 2)])
def test_a_number_outside_of_its_range_fails(low: int | None, high: int | None) -> None:
    with pytest.raises(RuntimeError, match="Invalid value range"):
        assertions.functional_constrain_range(3, low, high, TOKEN)
    with pytest.raises(RuntimeError, match="Invalid value range"):
        assertions.constrain_range_for_size(3, min=low, max=high)


def test_a_size_is_not_negative() -> None:
    with pytest.raises(RuntimeError, match="Invalid value range"):
        assertions.constrain_range_for_size(-1)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("a", "b", "close"),
    [
        ([1.0, INF], [1.0, INF], True),
        ([INF], [-INF], False),
        ([INF], [1.0], False),
        ([1.0], [INF], False),
        ([NAN], [NAN], False),
        ([1.0], [1.05], False),
    ],
)
def test_closeness_of_special_values(a: list[float], b: list[float], close: bool) -> None:
    x, y = torch.tensor(a), torch.tensor(b)
    assert assertions.allclose(x, y) is close
    assert torch.allclose(x, y) is close
    assert assertions.allclose(x, y, equal_nan=True) is torch.allclose(x, y, equal_nan=True)


def test_equality_needs_equal_shapes() -> None:
    assert assertions.equal(torch.ones(2), torch.ones(2)) is True
    assert assertions.equal(torch.ones(2), torch.ones(3)) is False
    assert assertions.equal(torch.ones(1), torch.ones(1, 1)) is False
