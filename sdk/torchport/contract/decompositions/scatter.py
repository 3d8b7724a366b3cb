"""Decompositions of scatters along one dimension.

A scatter that is not a sum over the operand itself becomes one that is: what the operand holds at the
positions that are written is first replaced by the neutral element, and a mean is a sum divided by a count.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, scalar
from torchport.contract.decompositions.indexing import from_front, vector
from torchport.contract.decompositions.layout import front, reshaped
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import narrow, widen
from torchport.contract.spec import resolve


def _lined_up(self: Tensor, dim: int, index: Tensor, src: Tensor) -> tuple[Tensor, int, Tensor, Tensor]:
    """Operand, dimension, int64 index and source, scalars as vectors."""
    data, where, values = vector(self), vector(convert(index, torch.int64)), vector(src)
    return data, front(dim, data.dim()), where, values


def scatter_src(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Scalars as vectors, the index as int64; no index writes nothing."""
    data, at, where, values = _lined_up(self, dim, index, src)
    if where.dim() != data.dim():
        return aten.clone.default(self)
    return _as(self, aten.scatter.src(data, at, where, values))


def _as(self: Tensor, result: Tensor) -> Tensor:
    return result if self.dim() else aten.view.default(result, [])


def scatter_value(self: Tensor, dim: int, index: Tensor, value: Number) -> Tensor:
    """One value written at every index."""
    source = aten.full.default(list(index.shape), value, dtype=self.dtype, device=self.device)
    return aten.scatter.src(self, dim, index, source)


def scatter_add(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``src`` added at the indices."""
    return aten.scatter_reduce.two(self, dim, index, src, "sum", include_self=True)


def least(dtype: torch.dtype) -> Number:
    """The neutral element of the maximum."""
    if dtype is torch.bool:
        return False
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


def greatest(dtype: torch.dtype) -> Number:
    """The neutral element of the minimum."""
    if dtype is torch.bool:
        return True
    return math.inf if dtype.is_floating_point else torch.iinfo(dtype).max


def scatter_reduce(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Values of one position combined: ``sum``, ``prod``, ``mean``, ``amax`` or ``amin``.

    ``include_self=False`` leaves out what the operand holds at the positions that are written. The mean of
    integers is rounded down.
    """
    data, at, where, values = _lined_up(self, dim, index, src)
    if where.dim() != data.dim():
        return aten.clone.default(self)
    return _as(self, _reduced(data, at, where, values, reduce, include_self))


def _reduced(data: Tensor, at: int, where: Tensor, values: Tensor, reduce: str, include_self: bool) -> Tensor:
    if reduce == "mean":
        return _mean(data, at, where, values, include_self)
    if not include_self:
        neutral = {
            "sum": lambda dtype: 0,
            "prod": lambda dtype: 1,
            "amax": least,
            "amin": greatest,
        }[reduce](data.dtype)
        data = scatter_value(data, at, where, neutral)
    if reduce == "sum":
        return aten.scatter_reduce.two(data, at, where, values, "sum", include_self=True)
    result: Tensor = resolve(f"torchport.scatter_{reduce}.default")(data, at, where, values)
    return result


def _mean(data: Tensor, at: int, where: Tensor, values: Tensor, include_self: bool) -> Tensor:
    total = _reduced(widen(data), at, where, widen(values), "sum", include_self)
    ones = aten.full.default(list(data.shape), 1, dtype=torch.int64, device=data.device)
    each = aten.full.default(list(where.shape), 1, dtype=torch.int64, device=data.device)
    count = convert(_reduced(ones, at, where, each, "sum", include_self), total.dtype)
    if data.dtype.is_floating_point or data.dtype.is_complex:
        return narrow(aten.div.Tensor(total, count), data.dtype)
    return aten.div.Tensor_mode(total, count, rounding_mode="floor")


_REDUCE = {"add": "sum", "multiply": "prod"}


def scatter_reduced(self: Tensor, dim: int, index: Tensor, src: Tensor, *, reduce: str) -> Tensor:
    """``src`` added or multiplied at the indices."""
    return aten.scatter_reduce.two(self, dim, index, src, _REDUCE[reduce], include_self=True)


def scatter_value_reduced(self: Tensor, dim: int, index: Tensor, value: Number, *, reduce: str) -> Tensor:
    """One value added or multiplied at every index."""
    source = aten.full.default(list(index.shape), value, dtype=self.dtype, device=self.device)
    return aten.scatter_reduce.two(self, dim, index, source, _REDUCE[reduce], include_self=True)


def _by_slice(
    self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool
) -> Tensor:
    """Slices of ``source`` combined with the slices of ``self`` that a vector names."""
    data, values = vector(self), source
    at = front(dim, data.dim())
    if values.dim() != data.dim():
        values = aten.unsqueeze.default(values, at)
    where = vector(convert(index, torch.int64))
    where = aten.view.default(where, [-1 if d == at else 1 for d in range(data.dim())])
    where = aten.expand.default(where, list(values.shape))
    return _as(self, aten.scatter_reduce.two(data, at, where, values, reduce, include_self=include_self))


def index_add(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """``alpha·source`` added to the slices named by ``index``."""
    scaled = source if alpha == 1 else aten.mul.Tensor(source, scalar(alpha, source.dtype, source))
    return _by_slice(self, dim, index, scaled, "sum", True)


def index_reduce(
    self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Slices of ``source`` combined with the slices named by ``index``, as in ``scatter_reduce``."""
    return _by_slice(self, dim, index, source, reduce, include_self)


def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Elements written (or added) by their row-major position."""
    flat = reshaped(self, [-1])
    where = from_front(reshaped(index, [-1]), flat.shape[0])
    values = reshaped(source, [-1])
    if accumulate:
        flat = aten.scatter_reduce.two(flat, 0, where, values, "sum", include_self=True)
    else:
        flat = aten.scatter.src(flat, 0, where, values)
    return aten.view.default(flat, list(self.shape))
