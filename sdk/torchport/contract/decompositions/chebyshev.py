"""Chebyshev polynomials of four kinds, whose degree is an operand, and their shifted forms.

The degree is rounded towards zero; of a negative degree the polynomial is 0. Up to degree 12 the polynomials
come from their recurrence, and beyond from closed forms: with x = cos θ, ``cos nθ``, ``sin (n+1)θ / sin θ``,
``cos (n+½)θ / cos ½θ`` and ``sin (n+½)θ / sin ½θ`` (DLMF 18.5.1 to 18.5.4), hyperbolic
for x beyond -1 and 1.
The forms of negative x follow from ``T_n(-x) = (-1)^n T_n(x)``, the same of U, and
``V_n(-x) = (-1)^n W_n(x)``. Where the recurrence overflows and subtracts infinities the closed form is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import float_pair, scalar

RECURRENT = 12
"""The highest degree that is computed by recurrence."""


def _first(kind: str, x: Tensor) -> Tensor:
    """The polynomial of degree 1."""
    match kind:
        case "t":
            return x
        case "u":
            return x + x
        case "v":
            return x + x - 1
        case _:
            return x + x + 1


def _recurrence(kind: str, x: Tensor, n: Tensor) -> Tensor:
    """``p_{k+1} = 2x p_k - p_{k-1}``, selected by degree; 0 for a negative one."""
    zero, one = scalar(0.0, x.dtype, x), scalar(1.0, x.dtype, x)
    double = x + x
    before, current = one, _first(kind, x)
    result = torch.where(n == 0, one, zero)
    for degree in range(1, RECURRENT + 1):
        result = torch.where(n == degree, current, result)
        before, current = current, double * current - before
    return result


def _inside(kind: str, x: Tensor, n: Tensor) -> Tensor:
    """Closed form for x between -1 and 1."""
    theta = torch.acos(x)
    match kind:
        case "t":
            return torch.cos(n * theta)
        case "u":
            return torch.sin((n + 1) * theta) / torch.sin(theta)
        case "v":
            return torch.cos((n + 0.5) * theta) / torch.cos(theta * 0.5)
        case _:
            return torch.sin((n + 0.5) * theta) / torch.sin(theta * 0.5)


def _outside(kind: str, size: Tensor, n: Tensor) -> Tensor:
    """Closed form for x > 1: hyperbolic near 1, where powers cancel, and by powers of ``x + sqrt(x² - 1)``
    beyond, which lose fewer digits than the hyperbolic functions of a large argument.
    """
    eta = torch.acosh(size)
    root = torch.sqrt(size - 1) * torch.sqrt(size + 1)
    z = size + root
    match kind:
        case "t":
            near, m = torch.cosh(n * eta), n
            scale = scalar(0.5, size.dtype, size)
        case "u":
            near, m = torch.sinh((n + 1) * eta) / torch.sinh(eta), n + 1
            scale = 0.5 / root
        case "v":
            near, m = torch.cosh((n + 0.5) * eta) / torch.cosh(eta * 0.5), n + 0.5
            scale = torch.sqrt(0.5 / (size + 1))
        case _:
            near, m = torch.sinh((n + 0.5) * eta) / torch.sinh(eta * 0.5), n + 0.5
            scale = torch.sqrt(0.5 / (size - 1))
    grown, decayed = torch.pow(z, m), torch.pow(z, torch.neg(m))
    combined = grown + decayed if kind in "tv" else grown - decayed
    return torch.where(size < 1.25, near, combined * scale)


def _at_one(kind: str, n: Tensor) -> Tensor:
    match kind:
        case "u":
            return n + 1
        case "w":
            return n + n + 1
        case _:
            return scalar(1.0, n.dtype, n)


def _closed(kind: str, x: Tensor, n: Tensor) -> Tensor:
    size = torch.abs(x)
    odd = n - torch.floor(n * 0.5) * 2
    sign = odd * -2 + 1
    mirror = {"v": "w", "w": "v"}.get(kind, kind)

    def mirrored(f: Callable[[str], Tensor]) -> Tensor:
        """``f`` of the kind that holds on either side of 0."""
        return torch.where(x < 0, sign * f(mirror), f(kind))

    outer = mirrored(lambda k: _outside(k, size, n))
    edge = mirrored(lambda k: _at_one(k, n))
    return torch.where(size < 1, _inside(kind, x, n), torch.where(size == 1, edge, outer))


def chebyshev(kind: str, *, shifted: bool = False) -> Callable[..., Tensor]:
    """The decomposition of one family; ``kind`` is t, u, v or w; ``shifted`` takes 2x - 1 for x."""

    def decomposition(x: Tensor | Any, n: Tensor | Any) -> Tensor:
        point, degree, _ = float_pair(x, n)
        degree = torch.trunc(degree)
        if shifted:
            point = point + point - 1
        closed = _closed(kind, point, degree)
        recurrent = _recurrence(kind, point, degree)
        lost = torch.bitwise_or(degree > RECURRENT, recurrent != recurrent)
        return torch.where(lost, closed, recurrent)

    return decomposition
