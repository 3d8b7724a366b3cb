"""Adaptive average pooling and the gradients of max and average pooling.

Gradients are written as gathers: each input position reads the few windows that can cover it. Nothing is
scattered, so the result is deterministic and every element is independent of the others.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import constant, narrow, positions, widen
from torchport.contract.decompositions.windows import (
    adaptive_windows,
    along,
    clamp_index,
    conjunction,
    gather_windows,
    product,
    rows,
    sum_windows,
)


def _per_axis(values: int | Sequence[int], axes: int) -> list[int]:
    """A pooling argument as one value per axis: an int or a single-element list applies to all."""
    if isinstance(values, int):
        return [values] * axes
    return list(values) * axes if len(values) == 1 else list(values)


def _covering(
    size: int, pooled: int, kernel: int, stride: int, padding: int, dilation: int, *, like: Tensor
) -> tuple[Tensor, Tensor]:
    """For each input position the windows that may cover it, ``[size, T]``, and whether each exists."""
    taps = dilation * (kernel - 1) // stride + 1
    newest = torch.div(rows(size, like) + padding, stride, rounding_mode="floor")
    window = newest - positions(taps, like)
    return window, torch.bitwise_and(window >= 0, window < pooled)


def _max_pool_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    indices: Tensor,
    axes: int,
) -> Tensor:
    kernel = _per_axis(kernel_size, axes)
    steps = _per_axis(stride, axes) if stride else kernel
    pads, dilations = _per_axis(padding, axes), _per_axis(dilation, axes)
    sizes, pooled = self.shape[-axes:], grad_output.shape[-axes:]
    geometry = zip(sizes, pooled, kernel, steps, pads, dilations, strict=True)
    windows = [_covering(*axis, like=grad_output) for axis in geometry]
    index = [clamp_index(window, count) for (window, _), count in zip(windows, pooled, strict=True)]
    flat = along(rows(sizes[-1], self), axes - 1, axes)
    for axis in range(axes - 1):
        flat = flat + along(rows(sizes[axis], self) * math.prod(sizes[axis + 1 :]), axis, axes)
    chosen = gather_windows(indices, index) == flat
    exists = conjunction([valid for _, valid in windows])
    g = gather_windows(widen(grad_output), index)
    taken = torch.where(torch.bitwise_and(chosen, exists), g, constant(0, g))
    return narrow(sum_windows(taken, axes), grad_output.dtype)


def max_pool2d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    indices: Tensor,
) -> Tensor:
    """Sum of the gradients of the windows whose maximum is at this position ([…, H, W])."""
    return _max_pool_backward(grad_output, self, kernel_size, stride, padding, dilation, indices, 2)


def max_pool3d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    indices: Tensor,
) -> Tensor:
    """Sum of the gradients of the windows whose maximum is at this position ([…, D, H, W])."""
    return _max_pool_backward(grad_output, self, kernel_size, stride, padding, dilation, indices, 3)


def _quotient(total: Tensor, count: Tensor) -> Tensor:
    """``total / count``; integers round towards zero."""
    if total.dtype.is_floating_point:
        return total / count
    # Windows that no element counts in are masked afterwards; integers cannot be divided by their count.
    counted = torch.where(count == 0, constant(1, count), count)
    return torch.div(total, counted, rounding_mode="trunc")


def _avg_pool_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    count_include_pad: bool,
    divisor_override: int | None,
    axes: int,
) -> Tensor:
    kernel = _per_axis(kernel_size, axes)
    steps = _per_axis(stride, axes) if stride else kernel
    pads = _per_axis(padding, axes)
    index, exists, counts = [], [], []
    for size, pooled, k, step, pad in zip(
        self.shape[-axes:], grad_output.shape[-axes:], kernel, steps, pads, strict=True
    ):
        window, valid = _covering(size, pooled, k, step, pad, 1, like=grad_output)
        first = window * step - pad
        index.append(clamp_index(window, pooled))
        exists.append(torch.bitwise_and(valid, first + k > rows(size, grad_output)))
        counts.append(_window_length(first, k, size, pad, count_include_pad))
    g = widen(grad_output)
    spread = gather_windows(g, index)
    count = constant(divisor_override, g) if divisor_override is not None else product(counts).to(g.dtype)
    spread = _quotient(spread, count)
    taken = torch.where(conjunction(exists), spread, constant(0, spread))
    return narrow(sum_windows(taken, axes), grad_output.dtype)


def _window_length(first: Tensor, kernel: int, size: int, padding: int, count_include_pad: bool) -> Tensor:
    """How many elements a window starting at ``first`` averages along one axis.

    Positions past ``size + padding``, which ``ceil_mode`` can reach, never count.
    """

    def at_most(x: Tensor, limit: int) -> Tensor:
        return torch.minimum(x, torch.full((), limit, dtype=x.dtype, device=x.device))

    if count_include_pad:
        return at_most(first + kernel, size + padding) - first
    return at_most(first + kernel, size) - torch.maximum(first, constant(0, first))


def _avg_pool(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    axes: int,
) -> Tensor:
    kernel = _per_axis(kernel_size, axes)
    steps = _per_axis(stride, axes) if stride else kernel
    pads = _per_axis(padding, axes)
    window_sums = aten.avg_pool2d.default if axes == 2 else aten.avg_pool3d.default
    total = window_sums(widen(self), kernel, steps, pads, ceil_mode, True, 1)
    if divisor_override is not None:
        count = constant(divisor_override, total)
    else:
        lengths = []
        geometry = zip(self.shape[-axes:], total.shape[-axes:], kernel, steps, pads, strict=True)
        for axis, (size, pooled, k, step, pad) in enumerate(geometry):
            first = positions(pooled, self) * step - pad
            length = _window_length(first, k, size, pad, count_include_pad)
            lengths.append(length.view([-1] + [1] * (axes - 1 - axis)))
        count = functools.reduce(torch.mul, lengths).to(total.dtype)
    return narrow(_quotient(total, count), self.dtype)


def avg_pool2d(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Window sums divided by the number of elements that count; integers round towards zero."""
    return _avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


def avg_pool3d(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """As :func:`avg_pool2d` over three dimensions."""
    return _avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


def avg_pool2d_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    """Sum over the windows that cover a position of their gradient divided by their element count."""
    return _avg_pool_backward(
        grad_output, self, kernel_size, stride, padding, count_include_pad, divisor_override, 2
    )


def avg_pool3d_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    """As :func:`avg_pool2d_backward` over three dimensions."""
    return _avg_pool_backward(
        grad_output, self, kernel_size, stride, padding, count_include_pad, divisor_override, 3
    )


def _divides(parts: int, size: int) -> bool:
    return type(parts) is int and type(size) is int and parts > 0 and size % parts == 0


def _adaptive_avg_pool(self: Tensor, output_size: Sequence[int]) -> Tensor:
    axes = len(output_size)
    lead, sizes = self.shape[:-axes], self.shape[-axes:]
    x = widen(self)
    if all(type(parts) is int and parts == 1 for parts in output_size):
        return narrow(x.mean(list(range(-axes, 0)), keepdim=True), self.dtype)
    if all(_divides(parts, size) for parts, size in zip(output_size, sizes, strict=True)):
        split = [d for parts, size in zip(output_size, sizes, strict=True) for d in (parts, size // parts)]
        taps = [len(lead) + 2 * axis + 1 for axis in range(axes)]
        return narrow(x.view([*lead, *split]).mean(taps), self.dtype)
    windows = [adaptive_windows(parts, size, x) for parts, size in zip(output_size, sizes, strict=True)]
    values = gather_windows(x, [index for index, _, _ in windows])
    inside = torch.where(conjunction([mask for _, mask, _ in windows]), values, constant(0, values))
    counts = product([length for _, _, length in windows])
    shape = [counts.shape[2 * axis] for axis in range(axes)]
    return narrow(sum_windows(inside, axes) / counts.view(shape).to(x.dtype), self.dtype)


def _adaptive_avg_pool_backward(grad_output: Tensor, self: Tensor, axes: int) -> Tensor:
    sizes, pooled = self.shape[-axes:], grad_output.shape[-axes:]
    g = widen(grad_output)
    lengths = [
        adaptive_windows(parts, size, g)[2].view([1] * axis + [parts] + [1] * (axes - 1 - axis))
        for axis, (parts, size) in enumerate(zip(pooled, sizes, strict=True))
    ]
    for length in lengths:
        g = g / length.to(g.dtype)
    windows = [adaptive_windows(size, parts, g) for parts, size in zip(pooled, sizes, strict=True)]
    values = gather_windows(g, [index for index, _, _ in windows])
    inside = torch.where(conjunction([mask for _, mask, _ in windows]), values, constant(0, values))
    return narrow(sum_windows(inside, axes), grad_output.dtype)


def adaptive_avg_pool2d(self: Tensor, output_size: Sequence[int]) -> Tensor:
    """Means over ``output_size`` nearly equal windows of the last two dimensions."""
    return _adaptive_avg_pool(self, output_size)


def adaptive_avg_pool3d(self: Tensor, output_size: Sequence[int]) -> Tensor:
    """Means over ``output_size`` nearly equal windows of the last three dimensions."""
    return _adaptive_avg_pool(self, output_size)


def adaptive_avg_pool2d_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """Sum over the windows that contain a position of their gradient divided by their length."""
    return _adaptive_avg_pool_backward(grad_output, self, 2)


def adaptive_avg_pool3d_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """As :func:`adaptive_avg_pool2d_backward` over three dimensions."""
    return _adaptive_avg_pool_backward(grad_output, self, 3)
