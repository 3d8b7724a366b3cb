"""Conversions of dtype, by value and by bits. Elements lie in memory with the low byte first."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, scalar
from torchport.contract.decompositions.operators import aten
from torchport.errors import ContractError

_WORDS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def to_copy(
    self: Tensor,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: torch.memory_format | None = None,
) -> Tensor:
    """The conversion of dtype, and the order in memory where one is asked for.

    Raises:
        ContractError: ``device`` is another one: a graph computes on one device.
    """
    if device is not None and torch.device(device).type != self.device.type:
        raise ContractError(
            "a copy to another device has no decomposition",
            op="aten._to_copy.default",
            got=f"{self.device} to {device}",
            hint="copy before or after the region",
        )
    moved = self if dtype is None or dtype == self.dtype else aten._to_copy.default(self, dtype=dtype)
    if memory_format not in (None, torch.preserve_format):
        return aten.clone.default(moved, memory_format=memory_format)
    return moved if moved is not self else aten.clone.default(self)


def convert_element_type(a: Tensor, dtype: torch.dtype) -> Tensor:
    """A conversion of dtype and nothing else."""
    return aten._to_copy.default(a, dtype=dtype)


def _dense(x: Tensor, shape: list[Any]) -> Tensor:
    dense = aten.clone.default(x, memory_format=torch.contiguous_format)
    return aten.view.default(dense, shape)


def _bits(x: Tensor, dtype: torch.dtype) -> Tensor:
    """``x`` as ``dtype`` of the same width."""
    return x if x.dtype == dtype else aten.view.dtype(x, dtype)


def view_dtype(self: Tensor, dtype: torch.dtype) -> Tensor:
    """The bits of ``self`` as ``dtype``; the last dimension grows or shrinks by the ratio of the widths.

    An element is taken apart into narrower ones, and put together from them, as a 64-bit word.
    """
    if self.dtype is torch.complex128:
        halves = aten.view_as_real.default(self)
        if dtype.itemsize == 16:
            return self
        return view_dtype(_dense(halves, [*self.shape[:-1], self.shape[-1] * 2]), dtype)
    if dtype is torch.complex128:
        wide = view_dtype(self, torch.float64)
        pairs = aten.view.default(wide, [*wide.shape[:-1], wide.shape[-1] // 2, 2])
        return aten.view_as_complex.default(pairs)
    have, want = self.dtype.itemsize, dtype.itemsize
    if have == want:
        return _bits(self, dtype)
    words = convert(_bits(self, _WORDS[have]), torch.int64)
    ratio = max(have, want) // min(have, want)
    places = aten.arange.start_step(0, ratio, 1, dtype=torch.int64, device=self.device)
    places = aten.mul.Tensor(places, scalar(8 * min(have, want), torch.int64, self))
    if have > want:
        parts = aten.bitwise_right_shift.Tensor(aten.unsqueeze.default(words, -1), places)
        narrow = convert(_dense(parts, [*self.shape[:-1], self.shape[-1] * ratio]), _WORDS[want])
        return _bits(narrow, dtype)
    if have < 8:
        words = aten.bitwise_and.Tensor(words, scalar((1 << (8 * have)) - 1, torch.int64, self))
    groups = _dense(words, [*self.shape[:-1], self.shape[-1] // ratio, ratio])
    total = aten.sum.dim_IntList(aten.bitwise_left_shift.Tensor(groups, places), [-1], False)
    return _bits(convert(total, _WORDS[want]), dtype)


def view_copy_dtype(self: Tensor, dtype: torch.dtype) -> Tensor:
    """The bits of ``self`` as ``dtype``, copied."""
    return aten.clone.default(aten.view.dtype(self, dtype))
