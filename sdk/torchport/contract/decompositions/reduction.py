"""Decompositions of reductions, scans and orderings.

Sums are accumulated in float32 for the 16-bit dtypes (``sum.dim_IntList`` is asked for the wide dtype).
Variances are two-pass with the residual of the mean corrected, after Chan, Golub and LeVeque, "Algorithms
for computing the sample variance" (1983), eq. 1.7: the plain two-pass form loses digits where the mean is
large against the deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import (
    Number,
    convert,
    float_result,
    isinf,
    isnan,
    scalar,
    work_dtype,
)
from torchport.contract.decompositions.operators import aten, several

Dims = Sequence[int] | int | None


def all_dims(self: Tensor) -> list[int]:
    """Every dimension."""
    return list(range(self.dim()))


def listed(self: Tensor, dim: Dims) -> list[int]:
    """The reduced dimensions, counted from the front; None and an empty list mean all."""
    if dim is None:
        return all_dims(self)
    dims = [dim] if isinstance(dim, int) else list(dim)
    return [d % max(self.dim(), 1) for d in dims] if dims else all_dims(self)


def count(self: Tensor, dims: Sequence[int]) -> Any:
    """Number of elements that one result is made of; an int or a SymInt."""
    n: Any = 1
    for d in dims:
        n = n * (self.shape[d] if self.dim() else 1)
    return n


def sum_all(self: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """Sum of all elements."""
    return aten.sum.dim_IntList(self, all_dims(self), False, dtype=dtype)


def mean(self: Tensor, dim: Dims, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    """Sum divided by count."""
    result = self.dtype if dtype is None else dtype
    work = work_dtype(result)
    dims = listed(self, dim)
    total = aten.sum.dim_IntList(convert(self, work), dims, keepdim)
    return convert(aten.div.Tensor(total, scalar(count(self, dims), work, self)), result)


def mean_all(self: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """Mean of all elements."""
    return mean(self, None, False, dtype=dtype)


_WIDER = {torch.uint16: torch.int64, torch.uint32: torch.int64, torch.uint64: torch.int64}
"""Where comparisons of the unsigned dtypes are done: a conversion keeps what is not zero."""


def nonzero_mask(self: Tensor) -> Tensor:
    """Which elements are not zero, as bool."""
    if self.dtype is torch.bool:
        return self
    narrow_float = self.dtype.is_floating_point and self.dtype.itemsize == 1
    x = convert(self, torch.float32 if narrow_float else _WIDER.get(self.dtype, self.dtype))
    return aten.ne.Tensor(x, scalar(0, x.dtype, x))


def any_dims(self: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether some element is nonzero."""
    hits = aten.sum.dim_IntList(nonzero_mask(self), listed(self, dim), keepdim, dtype=torch.int64)
    result = aten.ne.Tensor(hits, scalar(0, torch.int64, self))
    return convert(result, torch.uint8) if self.dtype is torch.uint8 else result


def all_true(self: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether no element is zero."""
    zero = scalar(0, torch.int64, self)
    missing = aten.eq.Tensor(convert(nonzero_mask(self), torch.int64), zero)
    misses = aten.sum.dim_IntList(missing, listed(self, dim), keepdim, dtype=torch.int64)
    result = aten.eq.Tensor(misses, zero)
    return convert(result, torch.uint8) if self.dtype is torch.uint8 else result


def count_nonzero(self: Tensor, dim: Dims = None) -> Tensor:
    """Number of nonzero elements."""
    return aten.sum.dim_IntList(nonzero_mask(self), listed(self, dim), False, dtype=torch.int64)


def prod_all(self: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """Product of all elements."""
    return aten.prod.dim_int(
        aten.view.default(aten.clone.default(self, memory_format=torch.contiguous_format), [-1]),
        0,
        False,
        dtype=dtype,
    )


def var_mean(
    self: Tensor, dim: Dims = None, *, correction: Number | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Variance and mean; the divisor is the count less ``correction`` (1 by default), at least 0.

    A complex variance is that of the real part plus that of the imaginary part.
    """
    if self.dtype.is_complex:
        return _complex_var_mean(self, dim, correction, keepdim)
    work = work_dtype(self.dtype)
    x = convert(self, work)
    dims = listed(self, dim)
    n = count(self, dims)
    divisor = scalar(n, work, self)
    average = aten.div.Tensor(aten.sum.dim_IntList(x, dims, True), divisor)
    residual = aten.sub.Tensor(x, average)
    drift = aten.sum.dim_IntList(residual, dims, True)
    squares = aten.sum.dim_IntList(aten.mul.Tensor(residual, residual), dims, True)
    spread = aten.sub.Tensor(squares, aten.div.Tensor(aten.mul.Tensor(drift, drift), divisor))
    freedom = aten.sub.Tensor(divisor, scalar(1 if correction is None else correction, work, self))
    freedom = aten.maximum.default(freedom, scalar(0, work, self))
    variance = aten.div.Tensor(spread, freedom)
    results = (variance, average) if keepdim else tuple(drop_dims(r, dims) for r in (variance, average))
    return convert(results[0], self.dtype), convert(results[1], self.dtype)


def _complex_var_mean(
    self: Tensor, dim: Dims, correction: Number | None, keepdim: bool
) -> tuple[Tensor, Tensor]:
    if self.dim() == 0:
        row = aten.unsqueeze.default(self, 0)
        return _complex_var_mean(row, [0], correction, False)
    parts = aten.view_as_real.default(self)
    variance, average = var_mean(parts, listed(self, dim), correction=correction, keepdim=keepdim)
    return aten.sum.dim_IntList(variance, [-1], False), aten.view_as_complex.default(average)


def drop_dims(x: Tensor, dims: Sequence[int]) -> Tensor:
    """Removes reduced dimensions that were kept at size 1."""
    return aten.squeeze.dims(x, list(dims)) if x.dim() and len(dims) else x


def var(self: Tensor, dim: Dims = None, *, correction: Number | None = None, keepdim: bool = False) -> Tensor:
    """Variance."""
    return var_mean(self, dim, correction=correction, keepdim=keepdim)[0]


def std(self: Tensor, dim: Dims = None, *, correction: Number | None = None, keepdim: bool = False) -> Tensor:
    """Standard deviation."""
    return std_mean(self, dim, correction=correction, keepdim=keepdim)[0]


def std_mean(
    self: Tensor, dim: Dims = None, *, correction: Number | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean."""
    work = convert(self, work_dtype(self.dtype))
    variance, average = var_mean(work, dim, correction=correction, keepdim=keepdim)
    real = self.dtype.to_real() if self.dtype.is_complex else self.dtype
    return convert(aten.sqrt.default(variance), real), convert(average, self.dtype)


def _extreme_dim(values: Any, indices: Any) -> Any:
    def decomposition(self: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        if self.dim() == 0:
            return aten.clone.default(self), scalar(0, torch.int64, self)
        if self.dtype is torch.bool:
            wide = convert(self, torch.uint8)
            return convert(values(wide, [dim], keepdim), torch.bool), indices(wide, dim, keepdim)
        return values(self, [dim], keepdim), indices(self, dim, keepdim)

    return decomposition


max_dim = _extreme_dim(aten.amax.default, aten.argmax.default)
min_dim = _extreme_dim(aten.amin.default, aten.argmin.default)


def max_all(self: Tensor) -> Tensor:
    """The largest element."""
    return aten.amax.default(self, all_dims(self), False)


def min_all(self: Tensor) -> Tensor:
    """The smallest element."""
    return aten.amin.default(self, all_dims(self), False)


def aminmax(self: Tensor, *, dim: int | None = None, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest element."""
    dims = all_dims(self) if dim is None or self.dim() == 0 else [dim]
    return aten.amin.default(self, dims, keepdim), aten.amax.default(self, dims, keepdim)


def logsumexp(self: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """``log(sum(exp(x)))`` from the largest element (of the real parts); an infinite one is not
    subtracted.
    """
    dtype = float_result(self.dtype)
    work = work_dtype(dtype)
    x = convert(self, work)
    dims = listed(self, dim)
    real = aten.select.int(aten.view_as_real.default(x), -1, 0) if work.is_complex else x
    peak = aten.amax.default(real, dims, True)
    finite = convert(aten.where.self(isinf(peak), scalar(0.0, real.dtype, self), peak), work)
    total = aten.sum.dim_IntList(aten.exp.default(aten.sub.Tensor(x, finite)), dims, True)
    result = aten.add.Tensor(aten.log.default(total), finite)
    return convert(result if keepdim else drop_dims(result, dims), dtype)


def sort(self: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, ...]:
    """The stable sort is a sort."""
    return several(aten.sort.stable, self, stable=True, dim=dim, descending=descending)


def cummin(self: Tensor, dim: int) -> tuple[Tensor, ...]:
    """Running minimum as the reflected running maximum; exact for floats and for signed integers but the
    smallest.
    """
    if self.dtype is torch.bool or self.dtype is torch.uint8:
        mirrored = aten.sub.Tensor(scalar(255, torch.int64, self), convert(self, torch.int64))
        values, indices = several(aten.cummax.default, mirrored, dim)
        return convert(aten.sub.Tensor(scalar(255, torch.int64, self), values), self.dtype), indices
    reflect = aten.neg.default if self.dtype.is_floating_point else aten.bitwise_not.default
    values, indices = several(aten.cummax.default, reflect(self), dim)
    return reflect(values), indices


def nan_sum(
    self: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Tensor:
    """Sum with NaN counted as 0."""
    kept = (
        aten.where.self(isnan(self), scalar(0, self.dtype, self), self)
        if self.dtype.is_floating_point
        else self
    )
    return aten.sum.dim_IntList(kept, listed(self, dim), keepdim, dtype=dtype)


def aminmax_all(self: Tensor) -> tuple[Tensor, Tensor]:
    """The smallest and the largest element."""
    return aminmax(self)


def aminmax_dim(self: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest element along one dimension."""
    return aminmax(self, dim=dim, keepdim=keepdim)


def logcumsumexp(self: Tensor, dim: int) -> Tensor:
    """The running logarithm of the sum of exponentials."""
    return aten.logcumsumexp.default(self, dim)


def hash_tensor(self: Tensor, dim: Dims = None, *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """The exclusive or of the elements as 64-bit words, a word for each result.

    A float is the word of its float64, an integer of its int64. Each bit of the result is the parity of a
    sum: the bits are spread over a last dimension of 64, summed, and put together again.
    """
    if self.dtype.is_floating_point:
        words = aten.view.dtype(convert(self, torch.float64), torch.int64)
    else:
        words = convert(self, torch.int64)
    places = aten.arange.start_step(0, 64, 1, dtype=torch.int64, device=self.device)
    one = scalar(1, torch.int64, self)
    wide = aten.unsqueeze.default(words, -1)
    bits = aten.bitwise_and.Tensor(aten.bitwise_right_shift.Tensor(wide, places), one)
    dims = listed(self, dim) if self.dim() else []
    counts = aten.sum.dim_IntList(bits, dims, keepdim) if dims else bits
    parities = aten.bitwise_left_shift.Tensor(aten.bitwise_and.Tensor(counts, one), places)
    return convert(aten.sum.dim_IntList(parities, [-1], False), torch.uint64)


def is_all_true(self: Tensor) -> Tensor:
    """Whether every element is true."""
    return all_true(self)


def is_any_true(self: Tensor) -> Tensor:
    """Whether some element is true."""
    return any_dims(self)
