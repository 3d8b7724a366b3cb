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


def empty_permuted(
    size: Size,
    physical_layout: Sequence[int],
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Unspecified values: zeros. The strides are restored where the value leaves its region."""
    return _full(size, 0, dtype or torch.get_default_dtype(), device)


def new_empty_strided(
    self: Tensor,
    size: Size,
    stride: Size,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Unspecified values: zeros. The strides are restored where the value leaves its region."""
    return _full(size, 0, dtype or self.dtype, device or self.device)


def zero(self: Tensor) -> Tensor:
    """Zeros in self's shape and dtype."""
    return _full(self.shape, 0, self.dtype, self.device)


def new_zeros_with_same_feature_meta(self: Tensor, other: Tensor, *, self_num_batch_dims: int = 0) -> Tensor:
    """Zeros of other's shape and dtype under self's leading batch dimensions."""
    size = [*self.shape[:self_num_batch_dims], *other.shape]
    return _full(size, 0, other.dtype, other.device)


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


def _end_point(value: Number | Tensor, work: torch.dtype, like: Tensor, result: torch.dtype) -> Tensor:
    """An end of a ramp in ``work``, rounded towards zero first where the result is integral."""
    end = convert(value, work) if isinstance(value, Tensor) else scalar(value, work, like)
    return end if result.is_floating_point or result.is_complex else aten.trunc.default(end)


def _ramp(
    start: Number | Tensor, end: Number | Tensor, steps: int, result: torch.dtype, ramp: Tensor
) -> Tensor:
    """``steps`` values from ``start`` to ``end`` in float64 (complex128): the second half is counted down
    from the end, so that both ends are exact.
    """
    work = torch.complex128 if result.is_complex else torch.float64
    first, last = (_end_point(v, work, ramp, result) for v in (start, end))
    if steps <= 1:
        return aten.expand.default(first, [steps])
    i = convert(ramp, work)
    step = aten.div.Tensor(aten.sub.Tensor(last, first), scalar(steps - 1, work, ramp))
    up = aten.add.Tensor(first, aten.mul.Tensor(i, step))
    down = aten.sub.Tensor(last, aten.mul.Tensor(aten.sub.Tensor(scalar(steps - 1, work, ramp), i), step))
    return aten.where.self(aten.lt.Tensor(ramp, scalar(steps // 2, torch.int64, ramp)), up, down)


def _ramp_dtype(start: Number | Tensor, end: Number | Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """The dtype of a ramp: complex where an end is, else the default."""
    if dtype is not None:
        return dtype
    default = torch.get_default_dtype()
    is_complex = any(
        v.dtype.is_complex if isinstance(v, Tensor) else isinstance(v, complex) for v in (start, end)
    )
    return default.to_complex() if is_complex else default


def _places(start: Number | Tensor, end: Number | Tensor, steps: int, device: Device) -> Tensor:
    on = next((v.device for v in (start, end) if isinstance(v, Tensor)), None) if device is None else device
    return aten.arange.start_step(0, steps, 1, dtype=torch.int64, device=on)


def linspace(
    start: Number | Tensor,
    end: Number | Tensor,
    steps: int,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """``steps`` equally spaced values from ``start`` to ``end``; the ends may be zero-dimensional tensors."""
    result = _ramp_dtype(start, end, dtype)
    return convert(_ramp(start, end, steps, result, _places(start, end, steps, device)), result)


def logspace(
    start: Number | Tensor,
    end: Number | Tensor,
    steps: int,
    base: float = 10.0,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """``base`` to the power of :func:`linspace`."""
    result = _ramp_dtype(start, end, dtype)
    exponents = _ramp(start, end, steps, result, _places(start, end, steps, device))
    return convert(aten.pow.Tensor_Tensor(scalar(base, exponents.dtype, exponents), exponents), result)


def range_step(
    start: Number,
    end: Number,
    step: Number = 1,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """``start + i step`` up to and including ``end``, in the default float dtype unless another is asked
    for.
    """
    result = dtype or torch.get_default_dtype()
    length: Any = int((end - start) // step) + 1  # type: ignore[operator]
    ramp = aten.arange.start_step(0, length, 1, dtype=torch.int64, device=device)
    work = torch.float64 if result.is_floating_point else torch.int64
    scaled = aten.mul.Tensor(convert(ramp, work), scalar(step, work, ramp))
    return convert(aten.add.Tensor(scaled, scalar(start, work, ramp)), result)


def range_unit(start: Number, end: Number, **options: Any) -> Tensor:
    """:func:`range_step` with step 1."""
    return range_step(start, end, 1, **options)


def fill(self: Tensor, value: Number | Tensor) -> Tensor:
    """``value`` everywhere, in self's shape and dtype."""
    if isinstance(value, Tensor):
        return aten.clone.default(aten.expand.default(convert(value, self.dtype), list(self.shape)))
    return _full(self.shape, value, self.dtype, self.device)
