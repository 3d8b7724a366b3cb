"""Sums of float32 are as good as float64 totals of short blocks, in every form that a kernel can have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

ROUNDING = 2.0**-24


def crossed(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Sums of rows and of columns in one kernel."""
    return x * x.sum(1, keepdim=True), x.sum(0), (x * x).sum(0)


def statistics(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.sum((0, 2, 3)), (x * x).sum((0, 2, 3))


FORMS: dict[str, tuple[Callable[..., Any], tuple[int, ...], bool]] = {
    "columns": (lambda x: (x.sum(0), x.mean(0)), (50000, 24), False),
    "columns, split": (lambda x: (x.sum(0),), (300000, 3), False),
    "rows": (lambda x: (x.sum(1),), (40, 30000), False),
    "rows, split": (lambda x: (x.sum(), x.mean()), (700000,), False),
    "rows and columns": (crossed, (20000, 16), False),
    "channels first": (statistics, (40, 3, 60, 50), False),
    "channels last": (statistics, (40, 24, 30, 50), True),
}


@pytest.mark.parametrize(
    ("form", "mode"), [*((form, "fake") for form in FORMS), ("columns", "symbolic"), ("rows", "symbolic")]
)
def test_the_error_of_a_sum_does_not_grow_with_its_length(
    form: str, mode: str, compiled: Callable[..., Any]
) -> None:
    fn, shape, last = FORMS[form]
    # Terms of one sign, whose roundings go one way: one float32 total is off by thousands of ulp.
    x = torch.full(shape, 0.1)
    x = x.to(memory_format=torch.channels_last) if last else x
    for got, exact in zip(compiled(fn, x, mode=mode)(x), fn(x.double()), strict=True):
        error = float(((got - exact) / exact).abs().max())
        assert error <= 20 * ROUNDING


def test_a_float32_total_would_not_do() -> None:
    term = np.float32(0.1)
    total, exact = np.cumsum(np.full(50000, term))[-1], 50000 * float(term)
    assert total.dtype == np.float32
    assert abs(float(total) - exact) / exact > 1000 * ROUNDING


def test_a_sum_may_pass_the_range_of_float32_on_its_way(compiled: Callable[..., Any]) -> None:
    x = torch.zeros(4, 2048)
    x[:, 0], x[:, 1024], x[:, 2047] = 3e38, 3e38, -3e38
    [got] = compiled(lambda x: (x.sum(1),), x)(x)
    assert torch.equal(got, torch.full((4,), 3e38))
