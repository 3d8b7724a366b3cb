"""Pooling that names the element it took: adaptive and fractional maxima, their gradients, and unpooling.

Indices count the elements of the pooled dimensions of the input in row-major order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import constant, larger, narrow, positions, widen
from torchport.contract.decompositions.windows import (
    adaptive_windows,
    along,
    clamp_index,
    conjunction,
    gather_windows,
    packed,
)


def _taps_last(x: Tensor, axes: int) -> Tensor:
    """[*lead, P0, T0, P1, T1, …] as [*lead, P0, P1, …, T0·T1·…]."""
    lead = x.dim() - 2 * axes
    rows = [lead + 2 * axis for axis in range(axes)]
    ordered = x.permute([*range(lead), *rows, *(row + 1 for row in rows)])
    return packed(ordered, [*ordered.shape[: lead + axes], math.prod(ordered.shape[lead + axes :])])


def _largest(values: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """The first largest value along the last dimension, and what ``index`` holds there."""
    chosen = torch.argmax(values, -1, keepdim=True)
    last = values.dim() - 1
    taken = torch.gather(values, -1, chosen), torch.gather(index.expand(values.shape), -1, chosen)
    return taken[0].squeeze([last]), taken[1].squeeze([last])


def adaptive_max_pool(self: Tensor, output_size: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Maxima over ``output_size`` nearly equal windows of the trailing dimensions, and their indices."""
    axes = len(output_size)
    sizes = self.shape[-axes:]
    windows = [adaptive_windows(parts, size, self) for parts, size in zip(output_size, sizes, strict=True)]
    values = gather_windows(self, [index for index, _, _ in windows])
    inside = conjunction([mask for _, mask, _ in windows])
    values = torch.where(inside, values, constant(-math.inf, values))
    flat = along(windows[0][0], 0, axes)
    for axis in range(1, axes):
        flat = flat * sizes[axis] + along(windows[axis][0], axis, axes)
    return _largest(_taps_last(values, axes), _taps_last(flat, axes))


def _put_back(values: Tensor, indices: Tensor, sizes: Sequence[int], *, add: bool) -> Tensor:
    """[*lead, *pooled] at ``indices`` of zeros [*lead, *sizes]: added up, or the last one kept."""
    axes = len(sizes)
    lead = list(values.shape[:-axes])
    count = math.prod(values.shape[-axes:])
    base = torch.full([*lead, math.prod(sizes)], 0, dtype=values.dtype, device=values.device)
    flat, where = packed(values, [*lead, count]), packed(indices, [*lead, count])
    put = aten.scatter_add.default if add else aten.scatter.src
    return put(base, len(lead), where, flat).view([*lead, *sizes])


def _max_pool_backward(grad_output: Tensor, indices: Tensor, sizes: Sequence[int]) -> Tensor:
    summed = _put_back(widen(grad_output), indices, sizes, add=True)
    return narrow(summed, grad_output.dtype)


def adaptive_max_pool2d_backward(grad_output: Tensor, self: Tensor, indices: Tensor) -> Tensor:
    """Gradients added up at the positions of the maxima ([…, H, W])."""
    return _max_pool_backward(grad_output, indices, self.shape[-2:])


def adaptive_max_pool3d_backward(grad_output: Tensor, self: Tensor, indices: Tensor) -> Tensor:
    """Gradients added up at the positions of the maxima ([…, D, H, W])."""
    return _max_pool_backward(grad_output, indices, self.shape[-3:])


def _fractional_starts(sample: Tensor, size: int, pooled: int, kernel: int) -> Tensor:
    """First positions [*lead, pooled] of pseudo-random windows, by one uniform number a channel [*lead, 1].

    With α = (size - kernel) / (pooled - 1), window i starts at ⌊α (i + u)⌋ - ⌊α u⌋ and the last one ends at
    the end (Graham, *Fractional Max-Pooling*, 2014, §2.1). Computed in the dtype of the sample.
    """
    i = positions(pooled, sample)
    span = constant(0, sample) + (size - kernel)
    alpha = span / (constant(0, sample) + larger(pooled - 1, 1))
    start = torch.trunc((sample + i.to(sample.dtype)) * alpha) - torch.trunc(sample * alpha)
    final = torch.full((), size - kernel, dtype=torch.int64, device=sample.device)
    return clamp_index(torch.where(i == pooled - 1, final, start.to(torch.int64)), size - kernel + 1)


def _fractional_max_pool(
    self: Tensor, kernel: Sequence[int], pooled: Sequence[int], random_samples: Tensor, order: Sequence[int]
) -> tuple[Tensor, Tensor]:
    axes = len(kernel)
    lead, sizes = list(self.shape[:-axes]), self.shape[-axes:]
    samples = random_samples if random_samples.dim() == len(lead) + 1 else random_samples.squeeze([0])
    flat = torch.full((), 0, dtype=torch.int64, device=self.device)
    for axis in range(axes):
        sample = aten.slice.Tensor(samples, len(lead), order[axis], order[axis] + 1)
        start = _fractional_starts(sample, sizes[axis], pooled[axis], kernel[axis])
        index = start.unsqueeze(len(lead) + 1) + positions(kernel[axis], self)
        ones = [1] * axis, [1] * (axes - 1 - axis)
        shape = [*lead, *ones[0], pooled[axis], *ones[1], *ones[0], kernel[axis], *ones[1]]
        flat = flat * sizes[axis] + index.view(shape)
    taps = packed(flat, [*lead, *pooled, math.prod(kernel)])
    source = packed(self, [*lead, math.prod(sizes)])
    picked = torch.gather(source, len(lead), packed(taps, [*lead, math.prod(pooled) * math.prod(kernel)]))
    return _largest(picked.view(taps.shape), taps)


def fractional_max_pool2d(
    self: Tensor, kernel_size: Sequence[int], output_size: Sequence[int], random_samples: Tensor
) -> tuple[Tensor, Tensor]:
    """Maxima of pseudo-random windows of [N, C, H, W], and their indices; samples [N, C, 2] for W and H."""
    return _fractional_max_pool(self, kernel_size, output_size, random_samples, (1, 0))


def fractional_max_pool3d(
    self: Tensor, kernel_size: Sequence[int], output_size: Sequence[int], random_samples: Tensor
) -> tuple[Tensor, Tensor]:
    """Maxima of pseudo-random windows of [N, C, D, H, W]; samples [N, C, 3] for D, H and W."""
    return _fractional_max_pool(self, kernel_size, output_size, random_samples, (0, 1, 2))


def fractional_max_pool2d_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Sequence[int],
    output_size: Sequence[int],
    indices: Tensor,
) -> Tensor:
    """Gradients added up at the positions of the maxima ([…, H, W])."""
    return _max_pool_backward(grad_output, indices, self.shape[-2:])


def fractional_max_pool3d_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Sequence[int],
    output_size: Sequence[int],
    indices: Tensor,
) -> Tensor:
    """Gradients added up at the positions of the maxima ([…, D, H, W])."""
    return _max_pool_backward(grad_output, indices, self.shape[-3:])


def max_unpool2d(self: Tensor, indices: Tensor, output_size: Sequence[int]) -> Tensor:
    """Values put where ``indices`` says in zeros of ``output_size`` ([…, H, W])."""
    return _put_back(self, indices, output_size, add=False)


def max_unpool3d(
    self: Tensor, indices: Tensor, output_size: Sequence[int], stride: Sequence[int], padding: Sequence[int]
) -> Tensor:
    """Values put where ``indices`` says in zeros of ``output_size`` ([…, D, H, W])."""
    return _put_back(self, indices, output_size, add=False)
