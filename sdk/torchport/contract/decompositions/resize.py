"""Bicubic and antialiased resampling of [N, C, H, W] and their gradients, one dimension after the other.

A resampled dimension is a pair of ``[output, T]`` tensors: source positions and weights. Kernels: Keys,
*Cubic Convolution Interpolation for Digital Image Processing*, IEEE Trans. ASSP 29(6), 1981, eq. 15 (with a
free parameter a); Duchon, *Lanczos Filtering in One and Two Dimensions*, J. Appl. Meteorology 18, 1979.
Antialiasing stretches the kernel by the ratio of the sizes where the image shrinks, and normalises the
weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, larger, narrow, positions, smaller, widen
from torchport.contract.decompositions.upsample import computed, ratio_of_change, rounded, unequal
from torchport.contract.decompositions.windows import clamp_index, gather_axis, rows, scatter_axis

Taps = tuple[Tensor, Tensor]


def cubic(distance: Tensor, a: float) -> Tensor:
    """Keys' kernel at ``distance`` >= 0."""
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    outer = torch.where(distance >= 2, constant(0, distance), far)
    return torch.where(distance >= 1, outer, near)


def cubic_slope(distance: Tensor, a: float) -> Tensor:
    """The derivative of :func:`cubic`, for distances below 2."""
    near = (3 * (a + 2) * distance - 2 * (a + 3)) * distance
    far = (3 * distance - 10) * distance * a + 8 * a
    return torch.where(distance < 1, near, far)


def _sinc(x: Tensor) -> Tensor:
    scaled = x * math.pi
    away = torch.where(x == 0, constant(1, x), scaled)
    return torch.where(x == 0, constant(1, x), torch.sin(away) / away)


def _lanczos(distance: Tensor) -> Tensor:
    value = _sinc(distance) * _sinc(distance / 3)
    return torch.where(distance < 3, value, constant(0, distance))


@dataclass(frozen=True, slots=True)
class Kernel:
    """A resampling kernel: its width at ratio 1 and its value at a distance >= 0."""

    width: int
    value: Callable[[Tensor], Tensor]


TRIANGLE = Kernel(2, lambda d: torch.maximum(constant(1, d) - d, constant(0, d)))
CUBIC = Kernel(4, lambda d: cubic(d, -0.5))
LANCZOS = Kernel(6, _lanczos)


def _bicubic_taps(size: int, output: int, align_corners: bool, step: float, like: Tensor) -> Taps:
    """The four neighbours of each output position, the edge repeated, and Keys' weights with a = -3/4."""
    o = positions(output, like).to(like.dtype)
    aligned = (size - 1) / larger(output - 1, 1)
    source = o * aligned if align_corners else (o + 0.5) * step - 0.5
    low = torch.floor(source)
    offset = positions(4, like) - 1
    index = low.to(torch.int64).unsqueeze(1) + offset
    distance = torch.abs((source - low).unsqueeze(1) - offset.to(like.dtype))
    return clamp_index(index, size), cubic(distance, -0.75)


def _antialiased_taps(
    size: int,
    output: int,
    align_corners: bool,
    scale: float | None,
    step: float,
    kernel: Kernel,
    like: Tensor,
) -> Taps:
    """The source positions under a stretched kernel around each output position, and normalised weights."""
    if align_corners:
        shrink = (size - 1) * smaller(output - 1, 1) / larger(output - 1, 1)
        support = _half_width(kernel.width, size - 1, larger(output - 1, 1))
    else:
        shrink = step
        support = _half_width(kernel.width, size, output)
        if scale is not None and scale > 0:
            support = math.ceil(max(1 / scale, 1.0) * kernel.width / 2)
    stretch = torch.maximum(torch.full((), shrink, dtype=like.dtype, device=like.device), constant(1, like))
    reach = stretch * (kernel.width / 2)
    centre = (rows(output, like).to(like.dtype) + 0.5) * shrink
    first = clamp_index((centre - reach + 0.5).to(torch.int64), size)
    end = clamp_index((centre + reach + 0.5).to(torch.int64), size + 1)
    index = first + positions(2 * support + 1, like)
    distance = torch.abs((index.to(like.dtype) - centre + 0.5) / stretch)
    weight = torch.where(index < end, kernel.value(distance), constant(0, like))
    total = weight.sum([1], keepdim=True)
    return clamp_index(index, size), weight / torch.where(total == 0, constant(1, total), total)


def _half_width(width: int, size: int, output: int) -> int:
    """``ceil(width max(size / output, 1) / 2)`` for sizes that may be symbolic."""
    return larger((width * size + 2 * output - 1) // (2 * output), width // 2)


def _resample(x: Tensor, taps: Sequence[Taps]) -> Tensor:
    """[…, *sizes] with each trailing dimension replaced by weighted sums of itself, the last one first."""
    axes = len(taps)
    for axis in reversed(range(axes)):
        at = x.dim() - axes + axis
        index, weight = taps[axis]
        weighted = gather_axis(x, at, index) * weight.view([*weight.shape, *([1] * (axes - 1 - axis))])
        x = weighted.sum([at + 1])
    return x


def _resample_backward(grad: Tensor, taps: Sequence[Taps], sizes: Sequence[int]) -> Tensor:
    """The adjoint of :func:`_resample`."""
    axes = len(taps)
    for axis in range(axes):
        at = grad.dim() - axes + axis
        index, weight = taps[axis]
        spread = grad.unsqueeze(at + 1) * weight.view([*weight.shape, *([1] * (axes - 1 - axis))])
        grad = scatter_axis(spread, at, index, [*grad.shape[:at], sizes[axis], *grad.shape[at + 1 :]])
    return grad


def _taps(
    sizes: Sequence[int],
    output_size: Sequence[int],
    align_corners: bool,
    scales: Sequence[float | None],
    kernel: Kernel | None,
    changes: Sequence[int],
    like: Tensor,
) -> list[Taps]:
    """``kernel`` None is bicubic, not antialiased; ``changes`` is 0 where a given scale does not apply."""
    found = []
    for size, output, scale, change in zip(sizes, output_size, scales, changes, strict=True):
        step = ratio_of_change(size, output, scale, change)
        if kernel is None:
            found.append(_bicubic_taps(size, output, align_corners, step, like))
        else:
            found.append(_antialiased_taps(size, output, align_corners, scale, step, kernel, like))
    return found


def _resized(
    self: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales: Sequence[float | None],
    kernel: Kernel | None,
) -> Tensor:
    x, sizes = computed(self), self.shape[-2:]
    # A dimension whose size stays as it is is left alone by the antialiased operators and for bytes; the
    # gradients, and the bicubic operator otherwise, do not look at one dimension alone.
    changes = [
        1 if kernel is None and self.dtype != torch.uint8 else unequal([size], [output])
        for size, output in zip(sizes, output_size, strict=True)
    ]
    taps = _taps(sizes, output_size, align_corners, scales, kernel, changes, x)
    return rounded(_resample(x, taps), self.dtype)


def _resized_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales: Sequence[float | None],
    kernel: Kernel | None,
) -> Tensor:
    g, sizes = widen(grad_output), input_size[-2:]
    # The gradient of the bicubic operator copies where both sizes stay as they are; the operator does not.
    change = unequal(sizes, output_size) if kernel is None else 1
    taps = _taps(sizes, output_size, align_corners, scales, kernel, [change, change], g)
    return narrow(_resample_backward(g, taps, sizes), grad_output.dtype)


def upsample_bicubic2d(
    self: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, H, W] resampled to ``output_size`` by bicubic interpolation."""
    return _resized(self, output_size, align_corners, [scales_h, scales_w], None)


def upsample_bicubic2d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """The adjoint of :func:`upsample_bicubic2d`."""
    return _resized_backward(grad_output, output_size, input_size, align_corners, [scales_h, scales_w], None)


def upsample_bilinear2d_aa(
    self: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, H, W] resampled to ``output_size`` by antialiased bilinear interpolation."""
    return _resized(self, output_size, align_corners, [scales_h, scales_w], TRIANGLE)


def upsample_bilinear2d_aa_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """The adjoint of :func:`upsample_bilinear2d_aa`."""
    return _resized_backward(
        grad_output, output_size, input_size, align_corners, [scales_h, scales_w], TRIANGLE
    )


def upsample_bicubic2d_aa(
    self: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, H, W] resampled to ``output_size`` by antialiased bicubic interpolation."""
    return _resized(self, output_size, align_corners, [scales_h, scales_w], CUBIC)


def upsample_bicubic2d_aa_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """The adjoint of :func:`upsample_bicubic2d_aa`."""
    return _resized_backward(grad_output, output_size, input_size, align_corners, [scales_h, scales_w], CUBIC)


def upsample_lanczos2d_aa(
    self: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, H, W] resampled to ``output_size`` by a Lanczos kernel of three lobes."""
    return _resized(self, output_size, align_corners, [scales_h, scales_w], LANCZOS)


def upsample_lanczos2d_aa_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """The adjoint of :func:`upsample_lanczos2d_aa`."""
    return _resized_backward(
        grad_output, output_size, input_size, align_corners, [scales_h, scales_w], LANCZOS
    )
