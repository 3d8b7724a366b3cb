"""Decompositions of special functions: Bessel and Airy functions, gamma and normal distribution functions.

Formulas are from the NIST Digital Library of Mathematical Functions (DLMF); the polynomials are of
:mod:`torchport.contract.decompositions.special_tables`. Every branch is evaluated for every element and the
right one selected. Integers are promoted to the default float dtype; 16-bit floats compute in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions import special_tables as tables
from torchport.contract.decompositions.elementwise import convert, float_result, isnan, scalar, work_dtype
from torchport.contract.decompositions.operators import aten

_TWO_OVER_PI = 2.0 / math.pi


def _function(f: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """``f`` on the operand in its compute dtype, rounded once to the result's.

    The operand is given by position or by its name in the schema, which is not the same for all.
    """

    def decomposition(*operands: Tensor, **named: Tensor) -> Tensor:
        (x,) = (*operands, *named.values())
        dtype = float_result(x.dtype)
        return convert(f(convert(x, work_dtype(dtype))), dtype)

    decomposition.__doc__ = f.__doc__
    decomposition.__name__ = f.__name__
    return decomposition


def horner(coefficients: Sequence[float], t: Tensor) -> Tensor:
    """The polynomial with these coefficients, the constant first, by Horner's rule."""
    total = scalar(coefficients[-1], t.dtype, t)
    for c in reversed(coefficients[:-1]):
        total = total * t + c
    return total


def _signed(value: Tensor, x: Tensor) -> Tensor:
    return torch.where(x < 0, torch.neg(value), value)


# --- modified Bessel functions (DLMF 10.25 and 10.40) -----------------------------------------------------


def _scaled_i0(size: Tensor) -> Tensor:
    near = horner(tables.I0_NEAR, size / 4 - 1)
    far = horner(tables.I0_FAR, 16 / size - 1) / torch.sqrt(size)
    return torch.where(size <= 8, near, far)


def _scaled_i1(size: Tensor) -> Tensor:
    near = horner(tables.I1_NEAR, size / 4 - 1) * size
    far = horner(tables.I1_FAR, 16 / size - 1) / torch.sqrt(size)
    return torch.where(size <= 8, near, far)


def _unscaled(value: Tensor, size: Tensor) -> Tensor:
    """``exp(size)·value`` in two steps, so that the exponential does not overflow before the result."""
    half = torch.exp(size * 0.5)
    return half * (half * value)


@_function
def i0(x: Tensor) -> Tensor:
    """I0: ``exp(|x|)`` times a smooth function; NaN at infinity."""
    size = torch.abs(x)
    return _unscaled(_scaled_i0(size), size)


@_function
def i0e(x: Tensor) -> Tensor:
    """``exp(-|x|) I0(x)``."""
    return _scaled_i0(torch.abs(x))


@_function
def i1(x: Tensor) -> Tensor:
    """I1, an odd function; NaN at infinity."""
    size = torch.abs(x)
    return _signed(_unscaled(_scaled_i1(size), size), x)


@_function
def i1e(x: Tensor) -> Tensor:
    """``exp(-|x|) I1(x)``."""
    return _signed(_scaled_i1(torch.abs(x)), x)


def _logarithm(x: Tensor) -> Tensor:
    """``log(x / 2)``, 0 at 0, where it is multiplied by 0."""
    return torch.where(x == 0, scalar(0.0, x.dtype, x), torch.log(x * 0.5))


def _k0_near(x: Tensor) -> Tensor:
    t = x * x * 0.5 - 1
    return horner(tables.K0_REST, t) - torch.log(x * 0.5) * horner(tables.K0_LOG, t)


def _k1_near(x: Tensor) -> Tensor:
    t = x * x * 0.5 - 1
    return horner(tables.K1_REST, t) / torch.abs(x) + _logarithm(x) * (x * horner(tables.K1_LOG, t))


@_function
def k0(x: Tensor) -> Tensor:
    """K0: a logarithm and a power series up to 2 (DLMF 10.31.2), ``exp(-x) / sqrt(x)`` beyond."""
    far = torch.exp(torch.neg(x)) * (horner(tables.K0_FAR, 4 / x - 1) / torch.sqrt(x))
    return torch.where(x <= 2, _k0_near(x), far)


@_function
def k1(x: Tensor) -> Tensor:
    """K1: ``1 / x``, a logarithm and a power series up to 2 (DLMF 10.31.1), ``exp(-x) / sqrt(x)`` beyond."""
    far = torch.exp(torch.neg(x)) * (horner(tables.K1_FAR, 4 / x - 1) / torch.sqrt(x))
    return torch.where(x <= 2, _k1_near(x), far)


@_function
def scaled_k0(x: Tensor) -> Tensor:
    """``exp(x) K0(x)``."""
    far = horner(tables.K0_FAR, 4 / x - 1) / torch.sqrt(x)
    return torch.where(x <= 2, torch.exp(x) * _k0_near(x), far)


@_function
def scaled_k1(x: Tensor) -> Tensor:
    """``exp(x) K1(x)``."""
    far = horner(tables.K1_FAR, 4 / x - 1) / torch.sqrt(x)
    return torch.where(x <= 2, torch.exp(x) * _k1_near(x), far)


# --- Bessel functions of the first and second kind --------------------------------------------------------


def _rotated(x: Tensor, order: int) -> tuple[Tensor, Tensor]:
    """Cosine and sine of ``x - (order / 2 + 1/4) π``, times √2, without the error of the difference."""
    cosine, sine = torch.cos(x), torch.sin(x)
    if order == 0:
        return cosine + sine, sine - cosine
    return sine - cosine, torch.neg(cosine + sine)


def _amplitudes(x: Tensor, order: int) -> tuple[Tensor, Tensor]:
    """P and Q of DLMF 10.17.3, times ``1 / sqrt(π x)``."""
    p, q = ((tables.P0_FAR, tables.Q0_FAR), (tables.P1_FAR, tables.Q1_FAR))[order]
    ratio = 5 / x
    t = ratio * ratio * 2 - 1
    scale = torch.rsqrt(x) * (1.0 / math.sqrt(math.pi))
    return horner(p, t) * scale, horner(q, t) / x * scale


def _first_kind(x: Tensor, order: int) -> Tensor:
    p, q = _amplitudes(x, order)
    cosine, sine = _rotated(x, order)
    return p * cosine - q * sine


def _second_kind(x: Tensor, order: int) -> Tensor:
    p, q = _amplitudes(x, order)
    cosine, sine = _rotated(x, order)
    return p * sine + q * cosine


def _j_near(x: Tensor, order: int) -> Tensor:
    """J0, or J1 over x, up to 5: its first two zeros are factored out, so that it is accurate near them."""
    rest, zeros = ((tables.J0_NEAR, tables.J0_ZEROS), (tables.J1_NEAR, tables.J1_ZEROS))[order]
    square = x * x
    return (square - zeros[0]) * (square - zeros[1]) * horner(rest, square * (2.0 / 25.0) - 1)


@_function
def bessel_j0(x: Tensor) -> Tensor:
    """J0: a polynomial up to 5, amplitude and phase (DLMF 10.17.3) beyond."""
    size = torch.abs(x)
    return torch.where(size <= 5, _j_near(size, 0), _first_kind(size, 0))


@_function
def bessel_j1(x: Tensor) -> Tensor:
    """J1: a polynomial up to 5, amplitude and phase (DLMF 10.17.3) beyond."""
    size = torch.abs(x)
    return torch.where(size <= 5, _j_near(size, 1) * x, _signed(_first_kind(size, 1), x))


@_function
def bessel_y0(x: Tensor) -> Tensor:
    """Y0: ``(2/π) log(x / 2) J0`` and a polynomial up to 5 (DLMF 10.8.2), amplitude and phase beyond."""
    logarithm = torch.log(x * 0.5) * _TWO_OVER_PI
    near = logarithm * _j_near(x, 0) + horner(tables.Y0_REST, x * x * (2.0 / 25.0) - 1)
    return torch.where(x <= 5, near, _second_kind(x, 0))


@_function
def bessel_y1(x: Tensor) -> Tensor:
    """Y1: ``(2/π)(log(x / 2) J1 - 1/x)`` and a polynomial up to 5 (DLMF 10.8.1), then amplitude and phase."""
    rest = horner(tables.Y1_REST, x * x * (2.0 / 25.0) - 1)
    smooth = x * (rest + _logarithm(x) * _TWO_OVER_PI * _j_near(x, 1))
    near = smooth - _TWO_OVER_PI / torch.where(x == 0, torch.abs(x), x)
    return torch.where(x <= 5, near, _second_kind(x, 1))


@_function
def spherical_bessel_j0(x: Tensor) -> Tensor:
    """``sin(x) / x``, 1 at 0 and 0 at infinity."""
    zero, one = scalar(0.0, x.dtype, x), scalar(1.0, x.dtype, x)
    value = torch.where(x == 0, one, torch.sin(x) / x)
    return torch.where(torch.abs(x) == math.inf, zero, value)


@_function
def airy_ai(x: Tensor) -> Tensor:
    """Ai: polynomials on [-4, 2], DLMF 9.7.5 above and 9.7.9 below; NaN at infinity."""
    size = torch.abs(x)
    root = torch.sqrt(size)
    zeta = torch.minimum(size * root * (2.0 / 3.0), scalar(torch.finfo(x.dtype).max, x.dtype, x))
    quarter = torch.sqrt(root) * math.sqrt(math.pi)
    two, four = 2 / size, 4 / size
    decay = horner(tables.AIRY_DECAY, two * torch.sqrt(two) * 2 - 1)
    above = torch.exp(torch.neg(zeta)) * (decay / (quarter * 2))
    t = four * four * four * 2 - 1
    cosine, sine = _rotated(zeta, 0)
    wave = horner(tables.AIRY_COSINE, t) * cosine + horner(tables.AIRY_SINE, t) / zeta * sine
    below = wave * math.sqrt(0.5) / quarter
    middle = torch.where(
        x < 0, horner(tables.AIRY_NEGATIVE, x * 0.5 + 1), horner(tables.AIRY_POSITIVE, x - 1)
    )
    return torch.where(x < -4, below, torch.where(x > 2, above, middle)) + (x - x)


# --- gamma, entropy, normal distribution ------------------------------------------------------------------


@_function
def entr(x: Tensor) -> Tensor:
    """``-x log(x)``, 0 at 0 and -inf below."""
    zero, low = scalar(0.0, x.dtype, x), scalar(-math.inf, x.dtype, x)
    value = torch.where(x > 0, torch.neg(x) * torch.log(x), torch.where(x == 0, zero, low))
    return torch.where(isnan(x), x, value)


@_function
def log_ndtr(x: Tensor) -> Tensor:
    """Logarithm of the normal distribution function, by ``erfcx`` in the lower tail."""
    scaled = x * math.sqrt(0.5)
    tail = torch.log(aten.special_erfcx.default(torch.neg(scaled)) * 0.5) - scaled * scaled
    return torch.where(x < -1, tail, torch.log1p(torch.erfc(scaled) * -0.5))


def polygamma(n: int, self: Tensor) -> Tensor:
    """The derivatives of ``digamma``: ``(-1)^(n+1) n! ζ(n+1, x)`` (DLMF 5.15.1 and 25.11.12)."""
    dtype = float_result(self.dtype)
    work = work_dtype(dtype)
    x = convert(self, work)
    if n == 0:
        return convert(torch.digamma(x), dtype)
    factor = float(math.factorial(n)) if n <= 170 else math.inf
    value = aten.special_zeta.default(scalar(float(n + 1), work, x), x)
    return convert(value * (factor if n % 2 else -factor), dtype)


def mvlgamma(self: Tensor, p: int) -> Tensor:
    """``p (p - 1) / 4 log π`` and the sum of ``lgamma(x - j / 2)`` over j < p (DLMF 35.3.4)."""
    dtype = float_result(self.dtype)
    x = convert(self, work_dtype(dtype))
    total = torch.lgamma(x)
    for j in range(1, p):
        total = total + torch.lgamma(x - j / 2)
    return convert(total + p * (p - 1) / 4 * math.log(math.pi), dtype)
