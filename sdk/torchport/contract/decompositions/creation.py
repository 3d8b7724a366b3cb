"""Decompositions of operators that make tensors, and of conversions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, scalar
from torchport.contract.decompositions.operators import aten
from torchport.contract.dtype_rules import scalar_dtype

Layout = torch.layout | None
Device = torch.device | None
Size = Sequence[Any]


def _full(size: Size, value: Number, dtype: torch.dtype, device: Device) -> Tensor:
    return aten.full.default(list(size), value, dtype=dtype, device=device)


def _constant(value: Number) -> Any:
    """Decomposition of a factory whose every element is ``value``."""

    def decomposition(
        size: Size,
        *,
        dtype: torch.dtype | None = None,
        layout: Layout = None,
        device: Device = None,
        pin_memory: bool | None = None,
        memory_format: torch.memory_format | None = None,
    ) -> Tensor:
        return _full(size, value, dtype or torch.get_default_dtype(), device)

    return decomposition


def _constant_like(value: Number) -> Any:
    """Decomposition of a factory shaped as another tensor."""

    def decomposition(
        self: Tensor,
        *,
        dtype: torch.dtype | None = None,
        layout: Layout = None,
        device: Device = None,
        pin_memory: bool | None = None,
        memory_format: torch.memory_format | None = None,
    ) -> Tensor:
        return _full(self.shape, value, dtype or self.dtype, device or self.device)

    return decomposition


def _constant_new(value: Number) -> Any:
    """Decomposition of a factory that takes dtype and device from another tensor."""

    def decomposition(
        self: Tensor,
        size: Size,
        *,
        dtype: torch.dtype | None = None,
        layout: Layout = None,
        device: Device = None,
        pin_memory: bool | None = None,
    ) -> Tensor:
        return _full(size, value, dtype or self.dtype, device or self.device)

    return decomposition


zeros, ones = _constant(0), _constant(1)
zeros_like, ones_like = _constant_like(0), _constant_like(1)
new_zeros, new_ones = _constant_new(0), _constant_new(1)


def empty_strided(
    size: Size,
    stride: Size,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Unspecified values: zeros. The strides are restored where the value leaves its region."""
    return _full(size, 0, dtype or torch.get_default_dtype(), device)


def full_like(
    self: Tensor,
    fill_value: Number,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
    memory_format: torch.memory_format | None = None,
) -> Tensor:
    """One value in another tensor's shape."""
    return _full(self.shape, fill_value, dtype or self.dtype, device or self.device)


def new_full(
    self: Tensor,
    size: Size,
    fill_value: Number,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """One value in another tensor's dtype."""
    return _full(size, fill_value, dtype or self.dtype, device or self.device)


def scalar_tensor(
    s: Number,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """A zero-dimensional tensor."""
    return _full([], s, dtype or torch.get_default_dtype(), device)


def arange_start_step(
    start: Number,
    end: Number,
    step: Number = 1,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """``start + i·step`` over an integer ramp, in int64 or in float64 rounded once."""
    given = [scalar_dtype(v, torch.get_default_dtype()) for v in (start, end, step)]
    floating = any(d.is_floating_point for d in given)
    result = dtype or (torch.get_default_dtype() if floating else torch.int64)
    length: Any = int(-((start - end) // step)) if floating else -((start - end) // step)  # type: ignore[operator]
    ramp = aten.arange.start_step(0, length, 1, dtype=torch.int64, device=device)
    work = torch.float64 if floating else torch.int64
    scaled = aten.mul.Tensor(convert(ramp, work), scalar(step, work, ramp))
    return convert(aten.add.Tensor(scaled, scalar(start, work, ramp)), result)


def arange_start(start: Number, end: Number, **options: Any) -> Tensor:
    """A ramp with step 1."""
    return arange_start_step(start, end, 1, **options)


def arange(end: Number, **options: Any) -> Tensor:
    """A ramp from 0 with step 1."""
    return arange_start_step(0, end, 1, **options)


def eye(n: Any, **options: Any) -> Tensor:
    """The identity matrix."""
    return eye_m(n, n, **options)


def eye_m(
    n: Any,
    m: Any,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Ones on the diagonal of an n × m matrix."""
    result = dtype or torch.get_default_dtype()
    rows = aten.arange.start_step(0, n, 1, dtype=torch.int64, device=device)
    columns = aten.arange.start_step(0, m, 1, dtype=torch.int64, device=device)
    return convert(aten.eq.Tensor(aten.unsqueeze.default(rows, 1), columns), result)


def linspace(
    start: Number,
    end: Number,
    steps: int,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """``steps`` values from ``start`` to ``end``: the second half is counted down from the end, so that
    both are exact.
    """
    result = dtype or torch.get_default_dtype()
    ramp = aten.arange.start_step(0, steps, 1, dtype=torch.int64, device=device)
    work = torch.float64
    i = convert(ramp, work)
    first, last = scalar(start, work, ramp), scalar(end, work, ramp)
    if steps <= 1:
        return convert(aten.expand.default(first, [steps]), result)
    step = aten.div.Tensor(aten.sub.Tensor(last, first), scalar(steps - 1, work, ramp))
    up = aten.add.Tensor(first, aten.mul.Tensor(i, step))
    down = aten.sub.Tensor(last, aten.mul.Tensor(aten.sub.Tensor(scalar(steps - 1, work, ramp), i), step))
    return convert(
        aten.where.self(aten.lt.Tensor(ramp, scalar(steps // 2, torch.int64, ramp)), up, down), result
    )


def bernoulli_p(self: Tensor, p: float = 0.5, *, generator: Any = None) -> Tensor:
    """1 with probability p: a uniform number below p."""
    drawn = aten.rand.default(list(self.shape), dtype=torch.float32, device=self.device)
    return convert(aten.lt.Tensor(drawn, scalar(p, torch.float32, self)), self.dtype)


def bernoulli(self: Tensor, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element states."""
    drawn = aten.rand.default(list(self.shape), dtype=torch.float64, device=self.device)
    return convert(aten.lt.Tensor(drawn, convert(self, torch.float64)), self.dtype)


def _random_like(op: str) -> Any:
    def decomposition(
        self: Tensor,
        *,
        dtype: torch.dtype | None = None,
        layout: Layout = None,
        device: Device = None,
        pin_memory: bool | None = None,
        memory_format: torch.memory_format | None = None,
    ) -> Tensor:
        draw = getattr(aten, op).default
        result: Tensor = draw(list(self.shape), dtype=dtype or self.dtype, device=device or self.device)
        return result

    return decomposition


rand_like, randn_like = _random_like("rand"), _random_like("randn")


def convert_element_type(a: Tensor, dtype: torch.dtype) -> Tensor:
    """A conversion of dtype and nothing else."""
    return aten._to_copy.default(a, dtype=dtype)


def fill(self: Tensor, value: Number | Tensor) -> Tensor:
    """``value`` everywhere, in self's shape and dtype."""
    if isinstance(value, Tensor):
        return aten.clone.default(aten.expand.default(convert(value, self.dtype), list(self.shape)))
    return _full(self.shape, value, self.dtype, self.device)
