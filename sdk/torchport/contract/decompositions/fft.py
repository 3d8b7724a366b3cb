"""Decompositions of the discrete Fourier transforms and of their sample frequencies.

The primitives are the forward transform of complex numbers, of reals to half of the spectrum along one
dimension, and back; none of them scales. With F the forward transform, the backward one is
``conj(F(conj(x)))``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.complex_numbers import conjugate, of_parts, scaled_by_real
from torchport.contract.decompositions.elementwise import convert, scalar, work_dtype
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import positions

UNSCALED, BY_ROOT, BY_LENGTH = 0, 1, 2


def _scaled(x: Tensor, sizes: Sequence[Any], normalization: int) -> Tensor:
    """``x`` over n (or over √n), n the product of ``sizes``, which may be symbolic."""
    if normalization == UNSCALED:
        return x
    dtype = x.dtype.to_real()
    count: Any = 1
    for size in sizes:
        count = count * size
    length = scalar(count, dtype, x)
    factor = aten.rsqrt.default(length) if normalization == BY_ROOT else aten.reciprocal.default(length)
    return scaled_by_real(x, factor) if x.dtype.is_complex else aten.mul.Tensor(x, factor)


def c2c(self: Tensor, dim: Sequence[int], normalization: int, forward: bool) -> Tensor:
    """``Σ x[j] exp(∓2πi jk/n)`` along ``dim``, scaled as ``normalization`` says."""
    if not dim:
        return aten.clone.default(self)
    plain = self if forward else conjugate(self)
    result = aten._fft_c2c.default(plain, dim, UNSCALED, True)
    return _scaled(result if forward else conjugate(result), [self.shape[d] for d in dim], normalization)


def r2c(self: Tensor, dim: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    """The forward transform of reals: half of the spectrum along the last of ``dim``, or all of it."""
    if not onesided:
        pairs = of_parts(self, aten.full_like.default(self, 0))
        return c2c(pairs, dim, normalization, True)
    result = aten._fft_r2c.default(self, dim[-1:], UNSCALED, True)
    if len(dim) > 1:
        result = aten._fft_c2c.default(result, dim[:-1], UNSCALED, True)
    return _scaled(result, [self.shape[d] for d in dim], normalization)


def c2r(self: Tensor, dim: Sequence[int], normalization: int, last_dim_size: Any) -> Tensor:
    """The backward transform of half a spectrum to ``last_dim_size`` reals along the last of ``dim``.

    The imaginary parts of what would have to be real are ignored, along the last dimension only.
    """
    half = c2c(self, dim[:-1], UNSCALED, False) if len(dim) > 1 else self
    result = aten._fft_c2r.default(half, dim[-1:], UNSCALED, last_dim_size)
    return _scaled(result, [*(self.shape[d] for d in dim[:-1]), last_dim_size], normalization)


def _frequencies(index: Tensor, n: int, d: float, dtype: torch.dtype | None) -> Tensor:
    result = torch.get_default_dtype() if dtype is None else dtype
    work = work_dtype(result)
    factor = scalar(1.0 / (n * d) if n else 0.0, work, index)
    return convert(aten.mul.Tensor(convert(index, work), factor), result)


def _zeros(device: Any) -> Tensor:
    return aten.full.default([], 0, dtype=torch.int64, device=device)


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: torch.dtype | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """``[0, 1, … (n-1)//2, -(n//2), … -1] / (n·d)``."""
    index = positions(n, _zeros(device))
    wrapped = aten.sub.Tensor(index, scalar(n, torch.int64, index))
    late = aten.ge.Tensor(index, scalar((n + 1) // 2, torch.int64, index))
    return _frequencies(aten.where.self(late, wrapped, index), n, d, dtype)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: torch.dtype | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """``[0, 1, … n//2] / (n·d)``."""
    return _frequencies(positions(n // 2 + 1, _zeros(device)), n, d, dtype)
