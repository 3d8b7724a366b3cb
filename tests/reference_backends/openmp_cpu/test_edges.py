"""Zeros keep their sign as in PyTorch, and functions reach the ends of their range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

NAN, INF = float("nan"), float("inf")
ZEROS = [(0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_bounds_choose_between_zeros_as_eager_does(dtype: torch.dtype, compiled: Callable[..., Any]) -> None:
    # Whole vectors: in what is left of a row eager chooses otherwise.
    x, y = (torch.tensor(column * 8, dtype=dtype) for column in map(list, zip(*ZEROS, strict=True)))

    def fn(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        numbers = x.clamp(0.0, 6.0), x.clamp_min(-0.0), x.clamp_max(0.0), F.hardtanh(x, 0.0, 6.0), x.relu()
        return *numbers, x.clamp(min=y), x.clamp(max=y), torch.clamp(x, y, y), torch.clamp_min(x, y)

    for got, want in zip(compiled(fn, x, y)(x, y), fn(x, y), strict=True):
        assert torch.equal(got.signbit(), want.signbit())
        assert not got.any()


def test_hyperbolic_functions_of_float64_reach_the_ends_of_their_range(compiled: Callable[..., Any]) -> None:
    large = torch.tensor([1e154, 1e155, 1e200, 1.7e308, 2.0**499, 2.0**501], dtype=torch.float64).repeat(3)
    asinh, negative, acosh = compiled(lambda x: (x.asinh(), (-x).asinh(), x.acosh()), large)(large)
    exact = large.log() + torch.tensor(2.0, dtype=torch.float64).log()
    for got in (asinh, -negative, acosh):
        torch.testing.assert_close(got, exact, rtol=1e-15, atol=0)
    # Just below the logarithm of twice the largest number, and just above it.
    edge = torch.tensor([700.5, 710.0, 710.47, 710.48, 711.0], dtype=torch.float64).repeat(4)
    half = (edge / 2).exp() * 0.5
    want = torch.where(edge < 710.4758, half * (edge / 2).exp(), torch.inf)
    sinh, negative, cosh = compiled(lambda x: (x.sinh(), (-x).sinh(), x.cosh()), edge)(edge)
    for got in (sinh, -negative, cosh):
        torch.testing.assert_close(got, want, rtol=1e-13, atol=0)


@pytest.mark.parametrize("source", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_floats_that_an_integer_can_hold_lose_their_fraction(
    source: torch.dtype, compiled: Callable[..., Any]
) -> None:
    """To the ends of every range; zeros of both signs are 0, and what is not a number is true."""
    targets = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)
    numbers = [
        0.0,
        -0.0,
        0.75,
        -0.75,
        1.5,
        -1.5,
        126.5,
        -127.5,
        254.5,
        255.0,
        32767.0,
        -32768.0,
        2.0**30,
        -(2.0**31),
    ]
    x = torch.tensor([*numbers, 2.0**62, -(2.0**63), NAN, INF, -INF] * 2, dtype=torch.float64).to(source)
    results = compiled(lambda x: (*(x.to(dtype) for dtype in targets), x.to(torch.bool)), x)(x)
    for dtype, got in zip(targets, results, strict=False):
        whole, info = x.double().trunc(), torch.iinfo(dtype)
        held = (whole >= info.min) & (whole < 2.0 ** (info.bits - dtype.is_signed))
        assert torch.equal(got[held].double(), whole[held])
        assert int(held.sum()) >= 12
    assert torch.equal(results[-1], x != 0)


def test_masks_of_two_registers_hold_nothing_else(compiled: Callable[..., Any]) -> None:
    """Compilers may keep half of a mask in a byte: what lies beside it on the stack must not enter."""
    parts = [torch.randn(4, 64, 4, 32) for _ in range(3)]

    def joined(*given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        whole = torch.cat([part.reshape(256, 128) for part in given], 1)
        return whole, whole.sum(0)

    wanted, exact = joined(*(part.double() for part in parts))
    run = compiled(joined, *parts)
    for _ in range(30):
        whole, total = run(*parts)
        assert torch.equal(whole.double(), wanted)
        assert float((total.double() - exact).abs().max()) < 1e-4
