"""Units of roundoff, and how rounding errors of sums grow: what the contract's bounds are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.errors import ContractError

LAMBDA = 8.0
_DIGITS = {
    torch.float16: 11,
    torch.bfloat16: 8,
    torch.float32: 24,
    torch.float64: 53,
    torch.float8_e4m3fn: 4,
    torch.float8_e4m3fnuz: 4,
    torch.float8_e5m2: 3,
    torch.float8_e5m2fnuz: 3,
    torch.float8_e8m0fnu: 1,
}
_ACCUMULATOR = {
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
    torch.float8_e4m3fn: torch.float32,
    torch.float8_e4m3fnuz: torch.float32,
    torch.float8_e5m2: torch.float32,
    torch.float8_e5m2fnuz: torch.float32,
}


def unit_roundoff(dtype: torch.dtype) -> float:
    """Largest relative error of rounding to nearest: 2^-p for p significant bits."""
    return 2.0 ** -digits(dtype)


def digits(dtype: torch.dtype) -> int:
    """Significant bits of a float dtype, or of the parts of a complex one.

    Raises:
        ContractError: the contract states none.
    """
    real = dtype.to_real() if dtype.is_complex else dtype
    if real not in _DIGITS:
        raise ContractError("the contract states no precision for this dtype", got=str(dtype))
    return _DIGITS[real]


def ulp(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Spacing of ``dtype``'s numbers at |x|, as float64; the spacing of subnormals near 0 and at NaN, of the
    largest at infinity.
    """
    limits = torch.finfo(dtype.to_real() if dtype.is_complex else dtype)
    lowest, highest = (math.frexp(end)[1] for end in (limits.smallest_normal, limits.max))
    # The exponent of m * 2^e with m in [0.5, 1), read from the bits: frexp and ldexp take many passes.
    size = x.abs().to(torch.float64)
    exponent = (size.view(torch.int64) >> _MANTISSA) - (_BIAS - 1)
    exponent.masked_fill_(size.isnan(), lowest)
    power = exponent.clamp_(lowest, highest).sub_(digits(dtype))
    if lowest - digits(dtype) <= -_BIAS:
        return torch.ldexp(torch.ones_like(power, dtype=torch.float64), power)
    return power.add_(_BIAS).bitwise_left_shift_(_MANTISSA).view(torch.float64)


_MANTISSA, _BIAS = 52, 1023
"""Bits of a float64 below its exponent, and what is added to that."""


def gamma(n: int | float, u: float) -> float:
    """g(n) of :mod:`torchport.contract.numerics`: bound on the relative error of a sum of ``n`` terms with
    unit roundoff ``u``.
    """
    worst = n * u / (1.0 - n * u) if n * u < 1.0 else math.inf
    return min(worst, LAMBDA * math.sqrt(max(n, 1)) * u) if n else 0.0


def accumulator_of(dtype: torch.dtype) -> torch.dtype:
    """The dtype that the contract expects sums of ``dtype`` to be accumulated in."""
    real = dtype.to_real() if dtype.is_complex else dtype
    return _ACCUMULATOR.get(real, real)


def accumulator_for(results: Sequence[Tensor | None]) -> torch.dtype:
    """The dtype that a call with these results accumulates in; float64 where none of them is a float."""
    dtypes = (r.dtype for r in results if r is not None and r.dtype.is_floating_point)
    return accumulator_of(next(dtypes, torch.float64))
