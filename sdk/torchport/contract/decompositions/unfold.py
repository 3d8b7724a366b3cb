"""Sliding windows as columns (im2col), and the sums that undo them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import narrow, positions, widen
from torchport.contract.decompositions.windows import (
    gather_windows,
    packed,
    rows,
    scatter_axis,
    scatter_windows,
)


def _windows(
    sizes: Sequence[int],
    kernel: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    like: Tensor,
) -> list[Tensor]:
    """Positions ``[P, K]`` in the padded image that each window reads, for both dimensions."""
    found = []
    for axis, size in enumerate(sizes):
        span = dilation[axis] * (kernel[axis] - 1) + 1
        count = (size + 2 * padding[axis] - span) // stride[axis] + 1
        found.append(rows(count, like) * stride[axis] + positions(kernel[axis], like) * dilation[axis])
    return found


def im2col(
    self: Tensor,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> Tensor:
    """The windows of [N, C, H, W] (or [C, H, W]) as columns: [N, C·kh·kw, windows]."""
    index = _windows(self.shape[-2:], kernel_size, dilation, padding, stride, self)
    padded = aten.constant_pad_nd.default(self, [padding[1], padding[1], padding[0], padding[0]], 0)
    taken = gather_windows(padded, index)  # [..., C, P0, K0, P1, K1]
    lead = self.dim() - 2
    ordered = taken.permute([*range(lead), lead + 1, lead + 3, lead, lead + 2])
    channels = self.shape[-3] * kernel_size[0] * kernel_size[1]
    windows = index[0].shape[0] * index[1].shape[0]
    return packed(ordered, [*self.shape[:-3], channels, windows])


def col2im(
    self: Tensor,
    output_size: Sequence[int],
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> Tensor:
    """The sum of the columns [N, C·kh·kw, windows] at the positions they were taken from: [N, C, H, W]."""
    index = _windows(output_size, kernel_size, dilation, padding, stride, self)
    lead = [
        *self.shape[:-2],
    ]
    channels = self.shape[-2] // (kernel_size[0] * kernel_size[1])
    lead.append(channels)
    counts = [i.shape[0] for i in index]
    columns = packed(widen(self), [*lead, *kernel_size, *counts])
    n = len(lead)
    ordered = columns.permute([*range(n), n + 2, n, n + 3, n + 1])
    padded = [size + 2 * pad for size, pad in zip(output_size, padding, strict=True)]
    summed = scatter_windows(ordered, index, [*lead, *padded])
    crop = [-padding[1], -padding[1], -padding[0], -padding[0]]
    return narrow(aten.constant_pad_nd.default(summed, crop, 0), self.dtype)


def unfold_backward(grad_in: Tensor, input_sizes: Sequence[int], dim: int, size: int, step: int) -> Tensor:
    """The sum of windows [..., P, ..., size] at the positions they were taken from: ``input_sizes``."""
    if not input_sizes:
        return grad_in.squeeze([0])
    at = dim % len(input_sizes)
    index = rows(grad_in.shape[at], grad_in) * step + positions(size, grad_in)
    last = grad_in.dim() - 1
    sizes = [grad_in.shape[d] if d == at else n for d, n in enumerate(input_sizes)]
    windows = widen(grad_in).expand([*sizes, size]).permute([*range(at + 1), last, *range(at + 1, last)])
    return narrow(scatter_axis(windows, at, index, input_sizes), grad_in.dtype)


def unfold_copy(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """:func:`unfold <torchport.contract.decompositions.layout.unfold>` into memory of its own."""
    windows = aten.unfold.default(self, dimension, size, step)
    return aten.clone.default(windows, memory_format=torch.contiguous_format)
