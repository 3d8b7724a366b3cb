"""Assertions and host constraints. An operator with a token returns the token, so that it has an order."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, isnan, scalar
from torchport.contract.decompositions.operators import aten

Scalar = Any


def assert_async(self: Tensor) -> None:
    """Fails when the one element of ``self`` is zero."""
    torch.ops.aten._assert_async.msg(self, "the asserted value is zero")


def functional_assert_async(self: Tensor, assert_msg: str, dep_token: Tensor) -> Tensor:
    """Fails with the message when the one element of ``self`` is zero."""
    torch.ops.aten._assert_async.msg(self, assert_msg)
    return aten.clone.default(dep_token)


def functional_assert_scalar(self: Scalar, assert_msg: str, dep_token: Tensor) -> Tensor:
    """Fails with the message when the number is zero or false."""
    torch.ops.aten._assert_scalar.default(self, assert_msg)
    return aten.clone.default(dep_token)


def constrain_range_for_size(size: Scalar, *, min: int | None = None, max: int | None = None) -> None:
    """The number is a size in [min, max]; it is never negative."""
    lowest = 0 if min is None else min
    torch.ops.aten.sym_constrain_range.default(size, min=lowest, max=max)


def functional_constrain_range(size: Scalar, min: int | None, max: int | None, dep_token: Tensor) -> Tensor:
    """The number lies in [min, max]."""
    torch.ops.aten.sym_constrain_range.default(size, min=min, max=max)
    return aten.clone.default(dep_token)


def functional_constrain_range_for_size(
    size: Scalar, min: int | None, max: int | None, dep_token: Tensor
) -> Tensor:
    """The number is a size in [min, max]."""
    constrain_range_for_size(size, min=min, max=max)
    return aten.clone.default(dep_token)


def assert_tensor_metadata(
    a: Tensor,
    size: Any = None,
    stride: Any = None,
    dtype: torch.dtype | None = None,
    *,
    device: torch.device | None = None,
    layout: torch.layout | None = None,
) -> None:
    """Nothing to do at run time: a graph's values have the sizes, strides and dtypes that it states."""


def make_dep_token(
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    memory_format: torch.memory_format | None = None,
) -> Tensor:
    """A token of unspecified value: zero."""
    return aten.full.default([], 0, dtype=dtype or torch.get_default_dtype(), device=device)


def equal(self: Tensor, other: Tensor) -> Any:
    """Whether shapes and all elements are equal, as a host value."""
    if self.dim() != other.dim() or any(a != b for a, b in zip(self.shape, other.shape, strict=True)):
        return False
    same = aten.eq.Tensor(self, other)
    return aten._local_scalar_dense.default(aten.all.default(same))


def allclose(
    self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether ``|a - b| <= atol + rtol |b|`` for all elements, as a host value."""
    exact = aten.eq.Tensor(self, other)
    work = self.dtype if self.dtype.is_floating_point else torch.float64
    a, b = convert(self, work), convert(other, work)
    distance = aten.abs.default(aten.sub.Tensor(a, b))
    share = aten.abs.default(aten.mul.Tensor(b, scalar(rtol, work, b)))
    near = aten.le.Tensor(distance, aten.add.Tensor(share, scalar(atol, work, b)))
    finite = aten.lt.Tensor(distance, scalar(math.inf, work, b))
    close = aten.bitwise_or.Tensor(exact, aten.bitwise_and.Tensor(near, finite))
    if equal_nan:
        close = aten.bitwise_or.Tensor(close, aten.bitwise_and.Tensor(isnan(a), isnan(b)))
    return aten._local_scalar_dense.default(aten.all.default(close))
