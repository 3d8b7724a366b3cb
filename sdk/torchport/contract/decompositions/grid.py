"""Sampling at positions given by a grid, over two and three dimensions, its gradients, and affine grids.

Grid coordinates are in [-1, 1], the last spatial dimension first. Along each dimension an output reads a few
taps: source positions, whether they are inside, and weights, all ``[N, *out, T]``. Positions that are not
finite read outside, with weights that may be NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.precision import (
    constant,
    larger,
    narrow,
    positions,
    smaller,
    widen,
    zeros,
)
from torchport.contract.decompositions.resize import cubic, cubic_slope
from torchport.contract.decompositions.windows import clamp_index

BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2
_KEYS = -0.75
_FAR = 2.0**30
_OUTSIDE = -100.0


@dataclass(frozen=True, slots=True)
class Taps:
    """What is read along one dimension; ``slope`` is the derivative of the weight by the coordinate."""

    index: Tensor
    inside: Tensor
    weight: Tensor
    slope: Tensor


def _clipped(x: Tensor, size: int) -> Tensor:
    """``x`` forced into [0, size - 1]; NaN is 0."""
    return torch.minimum(torch.where(x > 0, x, constant(0, x)), _scalar(size - 1, x))


def _scalar(value: float, like: Tensor) -> Tensor:
    return torch.full((), value, dtype=like.dtype, device=like.device)


def _padded(x: Tensor, size: int, padding_mode: int, align_corners: bool) -> tuple[Tensor, Tensor]:
    """A position moved to where padding reads it, and the derivative of that."""
    one = constant(1, x).expand(x.shape)
    if padding_mode == ZEROS:
        return x, one
    if padding_mode == REFLECTION:
        low = 0.0 if align_corners else -0.5
        span = larger(size - 1, 1) if align_corners else size
        away = torch.abs(x - low)
        turns = torch.floor(away / span)
        within = away - turns * span
        odd = turns - torch.floor(turns / 2) * 2 == 1
        sign = torch.where(x < low, -one, one)
        one = torch.where(odd, -sign, sign)
        x = torch.where(odd, _scalar(span, x) - within, within) + low
    between = torch.bitwise_and(x > 0, x < size - 1)
    return _clipped(x, size), torch.where(between, one, constant(0, x))


def _safe(x: Tensor) -> Tensor:
    return torch.where(torch.abs(x) <= _FAR, x, constant(_OUTSIDE, x))


def _taps(grid: Tensor, size: int, mode: int, padding_mode: int, align_corners: bool) -> Taps:
    """The taps of one dimension of ``size`` for its grid coordinate [N, *out]."""
    factor = (size - 1) / 2 if align_corners else size / 2
    x = (grid + 1) * factor
    if not align_corners:
        x = x - 0.5
    if mode == BICUBIC:
        low = torch.floor(x).unsqueeze(-1)
        offset = (positions(4, grid) - 1).to(x.dtype)
        signed = (x.unsqueeze(-1) - low) - offset
        source, _ = _padded(low + offset, size, padding_mode, align_corners)
        weight = cubic(torch.abs(signed), _KEYS)
        slope = cubic_slope(torch.abs(signed), _KEYS) * torch.sign(signed)
    else:
        x, moved = _padded(x, size, padding_mode, align_corners)
        x, moved = x.unsqueeze(-1), moved.unsqueeze(-1)
        if mode == NEAREST:
            source = torch.round(x)
            weight, slope = constant(1, x).expand(x.shape), constant(0, x).expand(x.shape)
        else:
            low = torch.floor(x)
            source = torch.cat([low, low + 1], -1)
            weight = torch.cat([constant(1, x) - (x - low), x - low], -1)
            slope = torch.cat([-moved, moved], -1)
    source = _safe(source)
    inside = torch.bitwise_and(source >= 0, source <= size - 1)
    return Taps(clamp_index(source.to(torch.int64), size), inside, weight, slope * factor)


def _along(x: Tensor, axis: int, axes: int) -> Tensor:
    """[N, *out, T] as [N, *out, 1, …, T, …, 1], at tap dimension ``axis`` of ``axes``."""
    return x.view([*x.shape[:-1], *([1] * axis), x.shape[-1], *([1] * (axes - 1 - axis))])


class _Sampler:
    """The taps of every spatial dimension of an input [N, C, *sizes] under a grid [N, *out, axes]."""

    def __init__(
        self, input: Tensor, grid: Tensor, mode: int, padding_mode: int, align_corners: bool
    ) -> None:
        self.axes = axes = input.dim() - 2
        g = widen(grid)
        self.taps = [
            _taps(g.select(-1, axes - 1 - axis), input.shape[2 + axis], mode, padding_mode, align_corners)
            for axis in range(axes)
        ]
        batch = positions(input.shape[0], input).view([-1] + [1] * (2 * axes))
        self.indices = [batch, None, *(_along(t.index, axis, axes) for axis, t in enumerate(self.taps))]
        inside = _along(self.taps[0].inside, 0, axes)
        for axis in range(1, axes):
            inside = torch.bitwise_and(inside, _along(self.taps[axis].inside, axis, axes))
        self.inside = inside.unsqueeze(-1)

    def weights(self, differentiated: int | None = None) -> Tensor:
        """Products of weights [N, *out, T…, 1]; of dimension ``differentiated`` the slopes instead."""
        factors = [t.slope if axis == differentiated else t.weight for axis, t in enumerate(self.taps)]
        result = _along(factors[0], 0, self.axes)
        for axis in range(1, self.axes):
            result = result * _along(factors[axis], axis, self.axes)
        return result.unsqueeze(-1)

    def read(self, x: Tensor) -> Tensor:
        """What every tap reads, channels last; 0 outside: [N, *out, T…, C]."""
        values = aten.index.Tensor(x, self.indices)
        return torch.where(self.inside, values, constant(0, values))

    def add(self, values: Tensor, shape: Sequence[int]) -> Tensor:
        """The adjoint of :meth:`read`."""
        kept = torch.where(self.inside, values, constant(0, values))
        return aten.index_put.default(zeros(tuple(shape), values), self.indices, kept, True)


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """[N, C, *sizes] sampled at [N, *out, axes]: [N, C, *out].

    ``interpolation_mode``: 0 linear, 1 nearest (ties to even), 2 bicubic (Keys, a = -3/4). ``padding_mode``:
    0 reads zeros outside, 1 the edge, 2 the mirror image.
    """
    sampler = _Sampler(input, grid, interpolation_mode, padding_mode, align_corners)
    axes = sampler.axes
    values = sampler.read(widen(input)) * sampler.weights()
    sampled = values.sum([1 + axes + axis for axis in range(axes)])
    return narrow(sampled.permute([0, 1 + axes, *range(1, 1 + axes)]), input.dtype)


def _gradients(
    grad_output: Tensor, input: Tensor, grid: Tensor, mode: int, padding_mode: int, align_corners: bool
) -> tuple[Tensor, Tensor]:
    sampler = _Sampler(input, grid, mode, padding_mode, align_corners)
    axes = sampler.axes
    g = widen(grad_output).permute([0, *range(2, 2 + axes), 1])
    g = g.view([*g.shape[:-1], *([1] * axes), g.shape[-1]])
    by_input = sampler.add(g * sampler.weights(), input.shape)
    if mode == NEAREST:
        return narrow(by_input, input.dtype), zeros(grid.shape, grid)
    product = sampler.read(widen(input)) * g
    taps = [1 + axes + axis for axis in range(axes + 1)]
    by_grid = [(product * sampler.weights(axis)).sum(taps) for axis in reversed(range(axes))]
    return narrow(by_input, input.dtype), narrow(
        torch.cat([x.unsqueeze(-1) for x in by_grid], -1), grid.dtype
    )


def grid_sampler_backward(
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor]:
    """Gradients of :func:`grid_sampler` by the input (None where the mask says so) and by the grid.

    Nearest has none by the grid; a clipped coordinate has none either.
    """
    by_input, by_grid = _gradients(grad_output, input, grid, interpolation_mode, padding_mode, align_corners)
    return (by_input if output_mask[0] else None), by_grid


def _base(length: int, align_corners: bool, like: Tensor) -> Tensor:
    """The coordinates in [-1, 1] of ``length`` positions: their centres, or from corner to corner."""
    i = positions(length, like).to(like.dtype)
    if align_corners:
        return i * (2 / larger(length - 1, 1)) - smaller(length - 1, 1)
    return (i * 2 + 1) / length - 1


def affine_grid_generator(theta: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """The grid [N, *sizes, axes] of affine maps [N, axes, axes + 1] for an image [N, C, *sizes]."""
    axes = len(size) - 2
    matrix = widen(theta)
    lead = [matrix.shape[0], *([1] * axes), axes]
    result = matrix.select(2, axes).reshape(lead)
    for column in range(axes):
        axis = axes - 1 - column
        base = _base(size[2 + axis], align_corners, matrix).view([-1] + [1] * (axes - axis))
        result = result + base * matrix.select(2, column).reshape(lead)
    return narrow(result.expand([size[0], *size[2:], axes]), theta.dtype)
