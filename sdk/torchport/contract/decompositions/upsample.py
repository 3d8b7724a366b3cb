"""Nearest and (bi)linear resampling of the trailing dimensions and their gradients.

Source positions are computed in float32, as the operators do (linear ones on float64 tensors use float64),
because which pixel is read depends on that rounding.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, larger, narrow, positions, smaller, widen
from torchport.contract.decompositions.windows import (
    clamp_index,
    gather_windows,
    product,
    scatter_windows,
    sum_windows,
)


def ratio(size: int, output: int, scale: float | None) -> float:
    """Source positions per output position: the inverse of a given scale, else that of the sizes."""
    return 1 / scale if scale is not None and scale > 0 else size / output


def unequal(sizes: Sequence[int], outputs: Sequence[int]) -> int:
    """1 if any size changes, else 0; no guard is made for symbolic sizes."""
    difference = 0
    for size, output in zip(sizes, outputs, strict=True):
        difference = difference + larger(size - output, output - size)
    return smaller(difference, 1)


def ratio_of_change(size: int, output: int, scale: float | None, changes: int) -> float:
    """:func:`ratio`, but 1 where ``changes`` is 0: a given scale does not apply to equal sizes."""
    return changes * ratio(size, output, scale) + (1 - changes)


def computed(x: Tensor) -> Tensor:
    """``x`` in the dtype that it is resampled in: uint8 and 16-bit floats in float32."""
    return x.to(torch.float32) if x.dtype == torch.uint8 else widen(x)


def rounded(x: Tensor, dtype: torch.dtype) -> Tensor:
    """``x`` in ``dtype``; to the nearest uint8, halves up, saturated."""
    if dtype != torch.uint8:
        return narrow(x, dtype)
    nearest = torch.floor(x + 0.5)
    return torch.minimum(torch.maximum(nearest, constant(0, x)), constant(255, x)).to(dtype)


def _nearest(size: int, output: int, step: float, shift: float, like: Tensor) -> Tensor:
    """Source index of each output position, ``int64[output, 1]``: ``floor((o + shift) step)``."""
    o = positions(output, like).to(torch.float32)
    source = (o + shift if shift else o) * step
    return clamp_index(torch.floor(source).to(torch.int64), size).unsqueeze(1)


def _simple_ratio(size: int, output: int, scale: float | None) -> float:
    """:func:`ratio`, but a given scale does not apply where the size stays or doubles."""
    doubles = 1 - unequal([2 * size], [output])
    step = ratio_of_change(size, output, scale, unequal([size], [output]))
    return doubles * 0.5 + (1 - doubles) * step


def _linear(
    size: int, output: int, align_corners: bool, scale: float | None, like: Tensor
) -> tuple[Tensor, Tensor]:
    """The two source positions of each output position and their weights, both [output, 2]."""
    o = positions(output, like).to(torch.float64 if like.dtype == torch.float64 else torch.float32)
    if align_corners:
        source = o * ((size - 1) / larger(output - 1, 1))
    else:
        step = ratio_of_change(size, output, scale, unequal([size], [output]))
        source = torch.maximum((o + 0.5) * step - 0.5, constant(0, o))
    low = clamp_index(torch.floor(source).to(torch.int64), size)
    high = clamp_index(low + 1, size)
    fraction = torch.minimum(torch.maximum(source - low.to(o.dtype), constant(0, o)), constant(1, o))
    fraction = narrow(fraction, like.dtype)
    weights = torch.cat([(constant(1, fraction) - fraction).unsqueeze(1), fraction.unsqueeze(1)], 1)
    return torch.cat([low.unsqueeze(1), high.unsqueeze(1)], 1), weights


def _with_taps(x: Tensor, axes: int) -> Tensor:
    """[*lead, P0, P1, …] as [*lead, P0, 1, P1, 1, …]."""
    for axis in range(axes):
        x = x.unsqueeze(x.dim() - axes + 1 + axis) if axis < axes - 1 else x.unsqueeze(x.dim())
    return x


def _upsample_nearest(
    self: Tensor, output_size: Sequence[int], scales: Sequence[float | None], *, centred: bool = False
) -> Tensor:
    """``centred`` reads the source pixel at each pixel's centre, else the one at its corner."""
    axes = len(output_size)
    sizes = self.shape[-axes:]
    # The two-dimensional operator and the gradients ignore a given scale where it cannot matter much.
    step = _simple_ratio if axes == 2 and not centred else ratio
    index = [
        _nearest(s, o, step(s, o, f), 0.5 if centred else 0.0, self)
        for s, o, f in zip(sizes, output_size, scales, strict=True)
    ]
    return gather_windows(self, index).squeeze([self.dim() - axes + 2 * axis + 1 for axis in range(axes)])


def _upsample_nearest_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales: Sequence[float | None],
    *,
    centred: bool = False,
) -> Tensor:
    axes = len(output_size)
    g = widen(grad_output)
    step = ratio if centred else _simple_ratio
    index = [
        _nearest(s, o, step(s, o, f), 0.5 if centred else 0.0, g)
        for s, o, f in zip(input_size[-axes:], output_size, scales, strict=True)
    ]
    return narrow(scatter_windows(_with_taps(g, axes), index, input_size), grad_output.dtype)


def _upsample_linear(
    self: Tensor, output_size: Sequence[int], align_corners: bool, scales: Sequence[float | None]
) -> Tensor:
    axes = len(output_size)
    x = computed(self)
    taps = [
        _linear(size, output, align_corners, scale, x)
        for size, output, scale in zip(self.shape[-axes:], output_size, scales, strict=True)
    ]
    values = gather_windows(x, [index for index, _ in taps]) * product([weight for _, weight in taps])
    return rounded(sum_windows(values, axes), self.dtype)


def _upsample_linear_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales: Sequence[float | None],
) -> Tensor:
    axes = len(output_size)
    g = widen(grad_output)
    taps = [
        _linear(size, output, align_corners, scale, g)
        for size, output, scale in zip(input_size[-axes:], output_size, scales, strict=True)
    ]
    values = _with_taps(g, axes) * product([weight for _, weight in taps])
    return narrow(scatter_windows(values, [index for index, _ in taps], input_size), grad_output.dtype)


def upsample_nearest1d(self: Tensor, output_size: Sequence[int], scales: float | None = None) -> Tensor:
    """[N, C, W] resampled to ``output_size`` by the nearest lower source position."""
    return _upsample_nearest(self, output_size, [scales])


def upsample_nearest1d_backward(
    grad_output: Tensor, output_size: Sequence[int], input_size: Sequence[int], scales: float | None = None
) -> Tensor:
    """Gradients added up at the source position that each output read."""
    return _upsample_nearest_backward(grad_output, output_size, input_size, [scales])


def upsample_nearest2d(
    self: Tensor, output_size: Sequence[int], scales_h: float | None = None, scales_w: float | None = None
) -> Tensor:
    """[N, C, H, W] resampled to ``output_size`` by the nearest lower source position."""
    return _upsample_nearest(self, output_size, [scales_h, scales_w])


def upsample_nearest2d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """Gradients added up at the source position that each output read."""
    return _upsample_nearest_backward(grad_output, output_size, input_size, [scales_h, scales_w])


def upsample_linear1d(
    self: Tensor, output_size: Sequence[int], align_corners: bool, scales: float | None = None
) -> Tensor:
    """[N, C, W] resampled to ``output_size`` by linear interpolation."""
    return _upsample_linear(self, output_size, align_corners, [scales])


def upsample_linear1d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales: float | None = None,
) -> Tensor:
    """The adjoint of :func:`upsample_linear1d`."""
    return _upsample_linear_backward(grad_output, output_size, input_size, align_corners, [scales])


def upsample_bilinear2d(
    self: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, H, W] resampled to ``output_size`` by bilinear interpolation."""
    return _upsample_linear(self, output_size, align_corners, [scales_h, scales_w])


def upsample_bilinear2d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """The adjoint of :func:`upsample_bilinear2d`."""
    return _upsample_linear_backward(
        grad_output, output_size, input_size, align_corners, [scales_h, scales_w]
    )


def upsample_nearest3d(
    self: Tensor,
    output_size: Sequence[int],
    scales_d: float | None = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, D, H, W] resampled to ``output_size`` by the nearest lower source position."""
    return _upsample_nearest(self, output_size, [scales_d, scales_h, scales_w])


def upsample_nearest3d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_d: float | None = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """Gradients added up at the source position that each output read."""
    return _upsample_nearest_backward(grad_output, output_size, input_size, [scales_d, scales_h, scales_w])


def upsample_nearest_exact1d(
    self: Tensor,
    output_size: Sequence[int],
    scales: float | None = None,
) -> Tensor:
    """[N, C, W] resampled to ``output_size`` by the source pixel at each pixel's centre."""
    return _upsample_nearest(self, output_size, [scales], centred=True)


def upsample_nearest_exact1d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales: float | None = None,
) -> Tensor:
    """Gradients added up at the source position that each output read."""
    return _upsample_nearest_backward(grad_output, output_size, input_size, [scales], centred=True)


def upsample_nearest_exact2d(
    self: Tensor,
    output_size: Sequence[int],
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, H, W] resampled to ``output_size`` by the source pixel at each pixel's centre."""
    return _upsample_nearest(self, output_size, [scales_h, scales_w], centred=True)


def upsample_nearest_exact2d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """Gradients added up at the source position that each output read."""
    return _upsample_nearest_backward(
        grad_output, output_size, input_size, [scales_h, scales_w], centred=True
    )


def upsample_nearest_exact3d(
    self: Tensor,
    output_size: Sequence[int],
    scales_d: float | None = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, D, H, W] resampled to ``output_size`` by the source pixel at each pixel's centre."""
    return _upsample_nearest(self, output_size, [scales_d, scales_h, scales_w], centred=True)


def upsample_nearest_exact3d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_d: float | None = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """Gradients added up at the source position that each output read."""
    return _upsample_nearest_backward(
        grad_output, output_size, input_size, [scales_d, scales_h, scales_w], centred=True
    )


def upsample_trilinear3d(
    self: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales_d: float | None = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """[N, C, D, H, W] resampled to ``output_size`` by trilinear interpolation."""
    return _upsample_linear(self, output_size, align_corners, [scales_d, scales_h, scales_w])


def upsample_trilinear3d_backward(
    grad_output: Tensor,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scales_d: float | None = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """The adjoint of :func:`upsample_trilinear3d`."""
    return _upsample_linear_backward(
        grad_output, output_size, input_size, align_corners, [scales_d, scales_h, scales_w]
    )
