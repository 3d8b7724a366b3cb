"""Window functions of signal processing, computed in float64 and rounded once.

A periodic window is the symmetric one of one more point without its last. Formulas: Harris, "On the use of
windows for harmonic analysis with the discrete Fourier transform", Proc. IEEE 66(1), 1978.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, scalar
from torchport.contract.decompositions.operators import aten

Device = torch.device | None


def _points(length: int, device: Device) -> Tensor:
    return convert(aten.arange.start_step(0, length, 1, dtype=torch.int64, device=device), torch.float64)


def _short(length: int, dtype: torch.dtype, device: Device) -> Tensor:
    """The windows of no points and of one, which is 1."""
    return aten.full.default([length], 1, dtype=dtype, device=device)


def _cosines(length: int, periodic: bool, terms: tuple[float, ...], options: dict[str, Any]) -> Tensor:
    """``a0 - a1 cos(2πn/N) + a2 cos(4πn/N)`` with ``N`` the number of steps."""
    dtype, device = options.get("dtype") or torch.get_default_dtype(), options.get("device")
    if length <= 1:
        return _short(length, dtype, device)
    n = _points(length, device)
    steps = length if periodic else length - 1
    total = scalar(terms[0], torch.float64, n)
    for order, weight in enumerate(terms[1:], 1):
        angle = aten.mul.Tensor(n, scalar(2.0 * math.pi * order / steps, torch.float64, n))
        term = aten.mul.Tensor(aten.cos.default(angle), scalar(weight, torch.float64, n))
        total = aten.sub.Tensor(total, term) if order % 2 else aten.add.Tensor(total, term)
    return convert(total, dtype)


def hann(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """``(1 - cos(2πn/N)) / 2``."""
    return _cosines(window_length, periodic, (0.5, 0.5), options)


def hamming(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **options: Any
) -> Tensor:
    """``alpha - beta cos(2πn/N)``."""
    return _cosines(window_length, periodic, (alpha, beta), options)


def blackman(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """``0.42 - 0.5 cos(2πn/N) + 0.08 cos(4πn/N)``."""
    return _cosines(window_length, periodic, (0.42, 0.5, 0.08), options)


def bartlett(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """``1 - |2n/N - 1|``."""
    dtype, device = options.get("dtype") or torch.get_default_dtype(), options.get("device")
    if window_length <= 1:
        return _short(window_length, dtype, device)
    n = _points(window_length, device)
    steps = window_length if periodic else window_length - 1
    one = scalar(1.0, torch.float64, n)
    slope = aten.sub.Tensor(aten.mul.Tensor(n, scalar(2.0 / steps, torch.float64, n)), one)
    return convert(aten.sub.Tensor(one, aten.abs.default(slope)), dtype)


def kaiser(window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any) -> Tensor:
    """``I0(beta √(1 - (2n/N - 1)²)) / I0(beta)``."""
    dtype, device = options.get("dtype") or torch.get_default_dtype(), options.get("device")
    if window_length <= 1:
        return _short(window_length, dtype, device)
    n = _points(window_length, device)
    steps = window_length if periodic else window_length - 1
    one, zero = (scalar(v, torch.float64, n) for v in (1.0, 0.0))
    slope = aten.sub.Tensor(aten.mul.Tensor(n, scalar(2.0 / steps, torch.float64, n)), one)
    inside = aten.maximum.default(aten.sub.Tensor(one, aten.mul.Tensor(slope, slope)), zero)
    height = aten.mul.Tensor(aten.sqrt.default(inside), scalar(beta, torch.float64, n))
    top = aten.i0.default(scalar(beta, torch.float64, n))
    return convert(aten.div.Tensor(aten.i0.default(height), top), dtype)
