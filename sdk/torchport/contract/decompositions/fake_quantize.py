"""Fake quantization: quantize and dequantize in floats, with the mask that gradients pass through.

With ``q = z + round(x (1 / s))``, 1 / s a float32: the result is ``(clamp(q, lo, hi) - z) s`` and the mask is
``lo <= q <= hi``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, narrow, widen

Pair = tuple[Tensor, Tensor]
SMALLEST_SCALE = 6.1e-5
"""Scales below this are raised to it, and the range with them (PyTorch's moving-average observer)."""


def _along(parameter: Tensor, x: Tensor, axis: int) -> Tensor:
    rank = x.dim()
    at = axis % rank
    return parameter.reshape([1] * at + [-1] + [1] * (rank - 1 - at))


def _quantized(x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
    """``q``; a zero point that is a float is added before rounding, as PyTorch does."""
    scaled = widen(x) * (1.0 / scale)
    z = zero_point.to(scaled.dtype)
    return torch.round(scaled + z) if zero_point.is_floating_point() else torch.round(scaled) + z


def _fake(x: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int) -> Pair:
    """Result and mask, ``scale`` and ``zero_point`` broadcasting to ``x``."""
    scale = scale.to(torch.float32)
    q = _quantized(x, scale, zero_point)
    inside = torch.logical_and(q >= quant_min, q <= quant_max)
    shifted = q.clamp(quant_min, quant_max) - zero_point.to(q.dtype)
    return narrow(shifted * scale, x.dtype), inside


def per_tensor(self: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> Pair:
    """One scale and zero point for all."""
    s = torch.full((), scale, dtype=torch.float32, device=self.device)
    z = torch.full((), zero_point, dtype=torch.int64, device=self.device)
    return _fake(self, s, z, quant_min, quant_max)


def per_tensor_tensor_qparams(
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    fake_quant_enabled: Tensor,
    quant_min: int,
    quant_max: int,
) -> Pair:
    """The same with parameters in tensors of one element; where not enabled, ``self`` and ones."""
    fake, inside = _fake(self, scale.reshape(()), zero_point.reshape(()), quant_min, quant_max)
    enabled = fake_quant_enabled.reshape(()) != 0
    return torch.where(enabled, fake, self), torch.logical_or(inside, torch.logical_not(enabled))


def per_channel(
    self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Pair:
    """One scale and zero point for each index along ``axis``."""
    return _fake(self, _along(scale, self, axis), _along(zero_point, self, axis), quant_min, quant_max)


def fake_quant_per_channel(
    input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """The result alone; zero points are truncated to integers."""
    return per_channel(input, scales, zero_points.to(torch.int32), axis, quant_min, quant_max)[0]


def _rounded(zero_point: Tensor, quant_min: int, quant_max: int) -> Tensor:
    return torch.round(widen(zero_point)).clamp(quant_min, quant_max).to(torch.int32)


def learnable_per_tensor(
    self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int, grad_factor: float = 1.0
) -> Tensor:
    """Parameters that are trained: the zero point is a float that is rounded and clamped here."""
    z = _rounded(zero_point.reshape(()), quant_min, quant_max)
    return _fake(self, scale.reshape(()), z, quant_min, quant_max)[0]


def learnable_per_channel(
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    axis: int,
    quant_min: int,
    quant_max: int,
    grad_factor: float = 1.0,
) -> Tensor:
    """The same for each index along ``axis``."""
    z = _rounded(zero_point, quant_min, quant_max)
    return per_channel(self, scale, z, axis, quant_min, quant_max)[0]


def _gradients(
    grad: Tensor,
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Elementwise gradients of x, scale and zero point, by the straight-through estimator.

    Inside of the range: g, ``g ((q - z) - x / s)`` and 0. Outside: 0, ``g (bound - z)`` and ``-g s``. The
    first two are in Esser et al., "Learned step size quantization", ICLR 2020, §2.1; ``grad_factor`` is its
    scale.
    """
    q = _quantized(x, scale, zero_point)
    inside = torch.logical_and(q >= quant_min, q <= quant_max)
    kept = q.clamp(quant_min, quant_max) - zero_point.to(q.dtype)
    zero = constant(0, x)
    slope = torch.where(inside, (kept * scale - x) * (1.0 / scale), kept)
    return (
        torch.where(inside, grad, zero),
        grad * slope * grad_factor,
        torch.where(inside, zero, -(grad * scale) * grad_factor),
    )


def learnable_per_tensor_backward(
    grad: Tensor,
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    quant_min: int,
    quant_max: int,
    grad_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of input, scale [1] and zero point [1]."""
    z = _rounded(zero_point.reshape(()), quant_min, quant_max)
    of_x, of_scale, of_zero = _gradients(grad, self, scale.reshape(()), z, quant_min, quant_max, grad_factor)
    dims = list(range(self.dim()))
    return of_x, of_scale.sum(dims).reshape([1]), of_zero.sum(dims).reshape([1])


def learnable_per_channel_backward(
    grad: Tensor,
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    axis: int,
    quant_min: int,
    quant_max: int,
    grad_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of input, scales and zero points."""
    z = _rounded(zero_point, quant_min, quant_max)
    of_x, of_scale, of_zero = _gradients(
        grad, self, _along(scale, self, axis), _along(z, self, axis), quant_min, quant_max, grad_factor
    )
    dims = [d for d in range(self.dim()) if d != axis % self.dim()]
    if dims:
        of_scale, of_zero = of_scale.sum(dims), of_zero.sum(dims)
    return of_x, of_scale, of_zero


# --- a moving-average observer and the fake quantization by what it observed ---


def moving_average(
    self: Tensor,
    observer_on: Tensor,
    fake_quant_on: Tensor,
    running_min: Tensor,
    running_max: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool = False,
    symmetric_quant: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Result, mask, and the new running minimum, maximum, scale and zero point.

    Observing replaces an infinite running extreme by the data's and moves a finite one by ``averaging_const``
    of the difference. Scale and zero point follow from the two where fake quantization is on. Both switches
    are tensors of one element.
    """
    observing, faking = observer_on.reshape(()) != 0, fake_quant_on.reshape(()) != 0
    axis = ch_axis % self.dim()
    dims = [d for d in range(self.dim()) if not per_row_fake_quant or d != axis]
    low, high = (
        e.reshape(running_min.shape) if e.dim() != running_min.dim() else e
        for e in (self.amin(dims), self.amax(dims))
    )
    new_min = torch.where(observing, _moved(running_min, low, averaging_const), running_min)
    new_max = torch.where(observing, _moved(running_max, high, averaging_const), running_max)
    found_scale, found_zero = _parameters(new_min, new_max, quant_min, quant_max, symmetric_quant)
    new_scale = torch.where(faking, found_scale.to(scale.dtype), scale)
    new_zero = torch.where(faking, found_zero.to(zero_point.dtype), zero_point)
    s, z = (_along(p, self, ch_axis) if per_row_fake_quant else p.reshape(()) for p in (new_scale, new_zero))
    fake, inside = _fake(self, s, z, quant_min, quant_max)
    mask = torch.logical_or(inside, torch.logical_not(faking))
    return torch.where(faking, fake, self), mask, new_min, new_max, new_scale, new_zero


def _moved(running: Tensor, seen: Tensor, factor: float) -> Tensor:
    return torch.where(torch.isinf(running), seen, running + (seen - running) * factor)


def _parameters(minimum: Tensor, maximum: Tensor, quant_min: int, quant_max: int, symmetric: bool) -> Pair:
    """Scale and zero point of a range, in float64.

    The range is extended to hold 0; a degenerate scale is 0.1; a scale below :data:`SMALLEST_SCALE` is raised
    to it by widening the range. The zero point is that of the end with the smaller error.
    """
    low, high = (e.to(torch.float64) for e in (minimum, maximum))
    zero = constant(0, low)
    low, high = torch.minimum(low, zero), torch.maximum(high, zero)
    both = torch.logical_and(low < 0, high > 0)
    if symmetric:
        half = (quant_max - quant_min) // 2
        largest = torch.maximum((low / -(half + 1)).abs(), (high / half).abs())
        low = torch.where(both, largest * -(half + 1), low)
        high = torch.where(both, largest * half, high)
    steps = quant_max - quant_min
    scale = (high - low) / steps
    single = scale.to(torch.float32)
    degenerate = torch.logical_or(single == 0, torch.isinf(1.0 / single))
    scale = torch.where(degenerate, constant(0.1, scale), scale)
    small = scale < SMALLEST_SCALE
    grown = SMALLEST_SCALE / scale
    span = constant(SMALLEST_SCALE * steps, low)
    raised_high = torch.where(low == 0, span, torch.where(high == 0, high, high * grown))
    raised_low = torch.where(low == 0, low, torch.where(high == 0, -span, low * grown))
    low, high = torch.where(small, raised_low, low), torch.where(small, raised_high, high)
    scale = torch.where(small, constant(SMALLEST_SCALE, scale), scale)
    below, above = low / scale, high / scale
    closer = abs(quant_min) - below.abs() < abs(quant_max) - above.abs()
    zero_point = torch.where(closer, quant_min - below, quant_max - above)
    if symmetric:
        middle = constant((quant_min + quant_max) / 2, zero_point)
        zero_point = torch.where(both, middle, zero_point)
    return scale, torch.round(zero_point).clamp(quant_min, quant_max)
