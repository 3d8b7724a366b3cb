"""Products of finite numbers whose partial products may be past the range of float64 where they are not."""

from __future__ import annotations

import torch
from torch import Tensor

_HALF_RANGE = 2048
"""An exponent whose power of two is past the range of float64 in both directions."""


def wide_product(x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """The product over a dimension, or over all elements, with exponents kept apart: 0 where a factor is 0,
    and an infinity only where the product is past the range.

    Args:
        x: finite numbers, float64 or complex128.
        dim: as of ``aten.prod``; None for all elements.
        keepdim: as of ``aten.prod``.
    """
    flat = x.reshape(-1) if dim is None or x.dim() == 0 else x.movedim(dim, -1)
    value, exponent = _split(flat, torch.zeros(flat.shape, dtype=torch.int64))
    while value.shape[-1] > 1:
        if value.shape[-1] % 2:
            value = torch.cat([value, torch.ones_like(value[..., :1])], -1)
            exponent = torch.cat([exponent, torch.zeros_like(exponent[..., :1])], -1)
        value, exponent = _split(value[..., ::2] * value[..., 1::2], exponent[..., ::2] + exponent[..., 1::2])
    if not value.shape[-1]:
        value, exponent = value.new_ones((*value.shape[:-1], 1)), exponent.new_zeros((*value.shape[:-1], 1))
    found = _joined(value[..., 0], exponent[..., 0])
    return found.unsqueeze(dim) if keepdim and dim is not None and x.dim() else found


def _split(x: Tensor, exponent: Tensor) -> tuple[Tensor, Tensor]:
    """``x`` with parts below 1, and what is to be added to its exponent."""
    size = torch.maximum(x.real.abs(), x.imag.abs()) if x.is_complex() else x.abs()
    own = torch.frexp(size)[1].to(torch.int64)
    return _joined(x, -own), exponent + own


def _joined(x: Tensor, exponent: Tensor) -> Tensor:
    """``x`` times a power of two, of a real number or of both parts of a complex one."""
    if x.is_complex():
        return torch.complex(_joined(x.real, exponent), _joined(x.imag, exponent))
    near = exponent.clamp(-_HALF_RANGE, _HALF_RANGE)
    first = near.div(2, rounding_mode="floor")
    # Two steps, neither of which is past the range where the result is not; 0 stays 0.
    found = torch.ldexp(torch.ldexp(x, first), near - first)
    return torch.where(x == 0, x, found)
