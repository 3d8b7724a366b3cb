"""Truth values, integer powers, divisions by zero, steps: exact in generated code, or left to eager."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves

import torchport as tp


def ordered(a: torch.Tensor, b: torch.Tensor) -> Any:
    comparisons = (a < b, a <= b, a > b, a >= b, a == b, a != b)
    return comparisons, torch.maximum(a, b), torch.minimum(a, b), a.max(0), a.min(1), a.amax(1), a.signbit()


def powers(i: torch.Tensor, j: torch.Tensor) -> Any:
    return i**2, i**3, i**j, 2**j, i > (i * 0 + 3)


def same(fn: Any, *inputs: torch.Tensor) -> tp.Reports:
    torch._dynamo.reset()
    reports = tp.reports("torchport_openmp")
    reports.clear()
    for got, wanted in zip(
        tree_leaves(torch.compile(fn, backend="torchport_openmp")(*inputs)),
        tree_leaves(fn(*inputs)),
        strict=True,
    ):
        assert got.dtype == wanted.dtype and torch.equal(got, wanted)
    return reports


def test_truth_values_are_compared_in_generated_code() -> None:
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.rand(7, 21, generator=generator) > 0.5 for _ in range(2))
    assert same(ordered, a, b).claimed_share == 1.0


def test_integer_powers_are_exact_and_general_ones_are_left_to_eager() -> None:
    generator = torch.Generator().manual_seed(0)
    i, j = (torch.randint(0, high, (7, 21), dtype=torch.uint8, generator=generator) for high in (256, 6))
    assert same(powers, i, j).fallback_ops == {"aten.pow.Tensor_Tensor": 1, "aten.pow.Scalar": 1}


def test_an_integer_division_by_zero_is_the_error_it_is_in_eager() -> None:
    x, y = torch.tensor([1, 5]), torch.tensor([0, 1])
    for fn in (torch.floor_divide, torch.remainder, torch.fmod):
        torch._dynamo.reset()
        with pytest.raises(RuntimeError, match="ZeroDivision"):
            torch.compile(fn, backend="torchport_openmp")(x, y)
    assert same(lambda a: (a // 3, a % -3, a.fmod(2)), x).claimed_share == 1.0


def test_a_step_in_a_16_bit_dtype_is_one_of_that_dtype() -> None:
    x, y = torch.tensor([1.0, -2.0]).bfloat16(), torch.tensor([2.0, 0.0]).bfloat16()
    assert same(torch.nextafter, x, y).claimed_share == 0.0
