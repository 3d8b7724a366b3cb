"""Padding by reflection and by repeating the edge, and the gradients.

Each padded dimension reads the source at an index that is a formula of its own position; the gradient adds up
what each source position was read for. Negative padding crops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import narrow, positions, widen
from torchport.contract.decompositions.windows import clamp_index, gather_axis, scatter_axis

Source = Callable[[Tensor, int], Tensor]


def _reflected(position: Tensor, size: int) -> Tensor:
    """``position`` mirrored at 0 and at ``size - 1``, for positions at most one reflection away."""
    last = torch.full((), size - 1, dtype=position.dtype, device=position.device)
    return last - torch.abs(last - torch.abs(position))


def _sources(sizes: Sequence[int], padding: Sequence[int], source: Source, like: Tensor) -> list[Tensor]:
    """The source index of every position of each padded dimension; ``padding`` lists the last one first."""
    found = []
    for axis, size in enumerate(sizes):
        before, after = padding[2 * (len(sizes) - 1 - axis)], padding[2 * (len(sizes) - 1 - axis) + 1]
        position = positions(size + before + after, like)
        found.append(source(position - before, size))
    return found


def _pad(self: Tensor, padding: Sequence[int], source: Source) -> Tensor:
    axes = len(padding) // 2
    result = self
    for axis, index in enumerate(_sources(self.shape[-axes:], padding, source, self)):
        result = gather_axis(result, self.dim() - axes + axis, index)
    return result


def _pad_backward(grad_output: Tensor, self: Tensor, padding: Sequence[int], source: Source) -> Tensor:
    axes = len(padding) // 2
    sizes = self.shape[-axes:]
    result = widen(grad_output)
    for axis, index in enumerate(_sources(sizes, padding, source, self)):
        at = self.dim() - axes + axis
        torch._check(grad_output.shape[at] == index.shape[0])
        shape = [*result.shape[:at], sizes[axis], *result.shape[at + 1 :]]
        result = scatter_axis(result, at, index, shape)
    return narrow(result, grad_output.dtype)


def reflection_pad(self: Tensor, padding: Sequence[int]) -> Tensor:
    """[…, *spatial] padded with its mirror image, the edge not repeated."""
    return _pad(self, padding, _reflected)


def reflection_pad_backward(grad_output: Tensor, self: Tensor, padding: Sequence[int]) -> Tensor:
    """Gradients added up at the position that each padded position mirrors."""
    return _pad_backward(grad_output, self, padding, _reflected)


def replication_pad(self: Tensor, padding: Sequence[int]) -> Tensor:
    """[…, *spatial] padded with its edge values."""
    return _pad(self, padding, clamp_index)


def replication_pad_backward(grad_output: Tensor, self: Tensor, padding: Sequence[int]) -> Tensor:
    """Gradients added up at the position that each padded position repeats."""
    return _pad_backward(grad_output, self, padding, clamp_index)
