"""Gathering windows: one n-dimensional indexed read that pooling gradients and resampling share.

A window along one dimension is a pair of ``[P, T]`` tensors: for each of ``P`` result positions, ``T``
candidate source positions (``int64``, in bounds) and what each counts (a mask or a weight).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, positions, zeros


def clamp_index(index: Tensor, size: int) -> Tensor:
    """``index`` forced into [0, size); ``size`` may be symbolic."""
    last = torch.full((), size - 1, dtype=index.dtype, device=index.device)
    return torch.minimum(torch.maximum(index, constant(0, index)), last)


def along(x: Tensor, axis: int, axes: int) -> Tensor:
    """A ``[P, T]`` tensor shaped to broadcast as window ``axis`` of ``axes`` in ``[P0, T0, P1, T1, …]``."""
    rows, taps = x.shape
    return x.view([1, 1] * axis + [rows, taps] + [1, 1] * (axes - 1 - axis))


def gather_windows(x: Tensor, indices: Sequence[Tensor]) -> Tensor:
    """``x`` [*lead, S0, S1, …] at one ``[P, T]`` index per trailing dimension: [*lead, P0, T0, P1, T1, …]."""
    axes = len(indices)
    lead: list[Tensor | None] = [None] * (x.dim() - axes)
    broadcast = [along(index, axis, axes) for axis, index in enumerate(indices)]
    result: Tensor = torch.ops.aten.index.Tensor(x, [*lead, *broadcast])
    return result


def sum_windows(x: Tensor, axes: int) -> Tensor:
    """Sums the taps of [*lead, P0, T0, P1, T1, …]: [*lead, P0, P1, …]."""
    lead = x.dim() - 2 * axes
    return x.sum([lead + 2 * axis + 1 for axis in range(axes)])


def product(factors: Sequence[Tensor]) -> Tensor:
    """Broadcast product of one ``[P, T]`` tensor per window axis: [P0, T0, P1, T1, …]."""
    result = along(factors[0], 0, len(factors))
    for axis, factor in enumerate(factors[1:], start=1):
        result = result * along(factor, axis, len(factors))
    return result


def conjunction(masks: Sequence[Tensor]) -> Tensor:
    """Broadcast ``and`` of one ``[P, T]`` mask per window axis: [P0, T0, P1, T1, …]."""
    result = along(masks[0], 0, len(masks))
    for axis, mask in enumerate(masks[1:], start=1):
        result = torch.bitwise_and(result, along(mask, axis, len(masks)))
    return result


def scatter_windows(values: Tensor, indices: Sequence[Tensor], shape: Sequence[int]) -> Tensor:
    """The adjoint of :func:`gather_windows`: adds [*lead, P0, T0, P1, T1, …] into zeros of ``shape``."""
    axes = len(indices)
    lead: list[Tensor | None] = [None] * (len(shape) - axes)
    broadcast = [along(index, axis, axes) for axis, index in enumerate(indices)]
    result: Tensor = torch.ops.aten.index_put.default(
        zeros(tuple(shape), values), [*lead, *broadcast], values, True
    )
    return result


def gather_axis(x: Tensor, axis: int, index: Tensor) -> Tensor:
    """``x`` at ``index`` (any shape) along one dimension, which the index's dimensions replace."""
    result: Tensor = torch.ops.aten.index.Tensor(x, [*([None] * axis), index])
    return result


def scatter_axis(values: Tensor, axis: int, index: Tensor, shape: Sequence[int]) -> Tensor:
    """The adjoint of :func:`gather_axis`: adds ``values`` into zeros of ``shape``."""
    base = zeros(tuple(shape), values)
    result: Tensor = torch.ops.aten.index_put.default(base, [*([None] * axis), index], values, True)
    return result


def packed(x: Tensor, shape: Sequence[int]) -> Tensor:
    """The elements in row-major order as ``shape``, whatever the strides of ``x``."""
    dense: Tensor = torch.ops.aten.clone.default(x, memory_format=torch.contiguous_format)
    return dense.view(list(shape))


def rows(length: int, like: Tensor) -> Tensor:
    """Positions ``int64[length, 1]``."""
    return positions(length, like).unsqueeze(1)


def _longest(parts: int, size: int) -> int:
    """The longest of ``parts`` adaptive windows over ``size`` positions; for symbolic sizes, a bound."""
    if type(parts) is int and type(size) is int:
        return max((-((-(p + 1) * size) // parts) - p * size // parts for p in range(parts)), default=0)
    return (size + parts - 1) // parts + 1


def adaptive_windows(parts: int, size: int, like: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """``parts`` windows over ``size`` positions: positions [parts, T], their mask, and lengths [parts, 1].

    Window ``p`` is ``[floor(p size / parts), ceil((p + 1) size / parts))``. The windows that contain a
    position are given by the same formula with the two sizes exchanged.
    """
    scaled = rows(parts, like) * size
    first = torch.div(scaled, parts, rounding_mode="floor")
    end = torch.div(scaled + (size + parts - 1), parts, rounding_mode="floor")
    index = first + positions(_longest(parts, size), like)
    return clamp_index(index, size), index < end, end - first
