"""Gradients of select, slice and diagonal: zeros with the gradient in place."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.layout import diagonal_scatter
from torchport.contract.decompositions.precision import constant, larger, positions, zeros
from torchport.contract.decompositions.windows import clamp_index


def _pad_dim(x: Tensor, dim: int, before: int, after: int) -> Tensor:
    pads = [0, 0] * (x.dim() - 1 - dim) + [before, after]
    result: Tensor = torch.ops.aten.constant_pad_nd.default(x, pads, 0)
    return result


def _from_end(index: int, size: int) -> int:
    """A Python index counted from the start; symbolic ones are non-negative already."""
    return index + size if isinstance(index, int) and index < 0 else index


def select_backward(grad_output: Tensor, input_sizes: Sequence[int], dim: int, index: int) -> Tensor:
    """Zeros of ``input_sizes`` with ``grad_output`` at ``index`` of ``dim``."""
    dim = dim % len(input_sizes)
    size = input_sizes[dim]
    first = _from_end(index, size)
    return _pad_dim(grad_output.unsqueeze(dim), dim, first, size - first - 1)


def slice_backward(
    grad_output: Tensor, input_sizes: Sequence[int], dim: int, start: int, end: int, step: int
) -> Tensor:
    """Zeros of ``input_sizes`` with ``grad_output`` at ``start, start + step, …`` of ``dim``.

    ``end`` follows from the size of ``grad_output``.
    """
    dim = dim % len(input_sizes)
    size, taken = input_sizes[dim], grad_output.size(dim)
    if type(taken) is int and taken == 0:
        return zeros(tuple(input_sizes), grad_output)
    first = _from_end(start, size)
    if isinstance(start, int) and start < 0:
        first = larger(first, 0)
    if step == 1:
        return _pad_dim(grad_output, dim, first, size - first - taken)
    offset = positions(size, grad_output) - first
    source = torch.div(offset, step, rounding_mode="floor")
    present = torch.bitwise_and(offset >= 0, torch.bitwise_and(offset - source * step == 0, source < taken))
    lead: list[Tensor | None] = [None] * dim
    values = torch.ops.aten.index.Tensor(grad_output, [*lead, clamp_index(source, taken)])
    mask = present.view([-1] + [1] * (grad_output.dim() - 1 - dim))
    return torch.where(mask, values, constant(0, values))


def diagonal_backward(
    grad_output: Tensor, input_sizes: Sequence[int], offset: int, dim1: int, dim2: int
) -> Tensor:
    """Zeros of ``input_sizes`` with ``grad_output`` on a diagonal."""
    return diagonal_scatter(zeros(tuple(input_sizes), grad_output), grad_output, offset, dim1, dim2)
