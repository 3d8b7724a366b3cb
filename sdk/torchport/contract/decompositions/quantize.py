"""Affine quantization, q = clamp(round(x / s) + z, lo, hi) and x = (q - z) s, and the choice of s and z.

The division is a product with 1 / s rounded to the dtype of s, as in PyTorch: the contract fixes the
integers.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, narrow, widen

Pair = tuple[Tensor, Tensor]


def _scalar(x: Tensor) -> Tensor:
    """A tensor of one element as a 0-d tensor."""
    return x.reshape(())


def _along(parameter: Tensor, rank: int, axis: int) -> Tensor:
    """A vector as a tensor of ``rank`` dimensions that lies along ``axis``."""
    return parameter.reshape([1] * axis + [-1] + [1] * (rank - 1 - axis))


def _bounded(q: Tensor, quant_min: int, quant_max: int) -> Tensor:
    return q.clamp(quant_min, quant_max)


# --- to and from integers (or float8) of per-tensor, per-channel, per-token and per-group parameters ---


def quantize_per_tensor(
    input: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: torch.dtype
) -> Tensor:
    """``clamp(round(x (1 / s)) + z, lo, hi)`` in float32."""
    q = torch.round(widen(input) * (1.0 / scale)) + zero_point
    return _bounded(q, quant_min, quant_max).to(dtype)


def quantize_per_tensor_tensor(
    input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int, dtype: torch.dtype
) -> Tensor:
    """The same with scale and zero point in tensors of one element; 1 / s is rounded from float64."""
    x = widen(input)
    inverse = (1.0 / _scalar(scale).to(torch.float64)).to(x.dtype)
    q = torch.round(x * inverse) + _scalar(zero_point).to(x.dtype)
    return _bounded(q, quant_min, quant_max).to(dtype)


def quantize_per_tensor_tensor2(
    input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: Tensor, quant_max: Tensor, dtype: torch.dtype
) -> Tensor:
    """The same with the bounds in tensors too."""
    x = widen(input)
    inverse = (1.0 / _scalar(scale).to(torch.float64)).to(x.dtype)
    q = torch.round(x * inverse) + _scalar(zero_point).to(x.dtype)
    low, high = _scalar(quant_min).to(x.dtype), _scalar(quant_max).to(x.dtype)
    return torch.minimum(torch.maximum(q, low), high).to(dtype)


def dequantize_per_tensor(
    input: Tensor,
    scale: float,
    zero_point: int,
    quant_min: int,
    quant_max: int,
    dtype: torch.dtype,
    *,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """``(q - z) s``, computed in float32 (float64 for a float64 result)."""
    result = out_dtype or torch.float32
    return narrow((_wide(input, result) - zero_point) * scale, result)


def dequantize_per_tensor_tensor(
    input: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    quant_min: int,
    quant_max: int,
    dtype: torch.dtype,
    *,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """The same with scale and zero point in tensors of one element."""
    result = out_dtype or torch.float32
    x = _wide(input, result)
    return narrow((x - _scalar(zero_point).to(x.dtype)) * _scalar(scale).to(x.dtype), result)


def dequantize_per_tensor_tensor2(
    input: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    quant_min: Tensor,
    quant_max: Tensor,
    dtype: torch.dtype,
    *,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """The same; the bounds describe the input and are not read."""
    return dequantize_per_tensor_tensor(input, scale, zero_point, 0, 0, dtype, out_dtype=out_dtype)


def _wide(x: Tensor, result: torch.dtype) -> Tensor:
    """``x`` in the dtype that a dequantization to ``result`` computes in."""
    return x.to(torch.float64 if result == torch.float64 else torch.float32)


def quantize_per_channel(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    axis: int,
    quant_min: int,
    quant_max: int,
    dtype: torch.dtype,
) -> Tensor:
    """``clamp(round(x (1 / s)) + z, lo, hi)`` with one scale and zero point for each index along ``axis``."""
    x = widen(input)
    inverse = _along(1.0 / scales, x.dim(), axis % x.dim())
    q = torch.round(x * inverse) + _along(zero_points, x.dim(), axis % x.dim())
    return _bounded(q, quant_min, quant_max).to(dtype)


def dequantize_per_channel(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    axis: int,
    quant_min: int,
    quant_max: int,
    dtype: torch.dtype,
    *,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """``(q - z) s`` with one scale and zero point for each index along ``axis``."""
    rank = input.dim()
    at = axis % rank
    zeros = None if zero_points is None else _along(zero_points, rank, at)
    return _dequantized(input, _along(scales, rank, at), zeros, out_dtype or torch.float32)


def _dequantized(q: Tensor, scales: Tensor, zero_points: Tensor | None, result: torch.dtype) -> Tensor:
    compute = torch.float64 if torch.float64 in (scales.dtype, result) else torch.float32
    shifted = q.to(compute)
    if zero_points is not None:
        shifted = shifted - zero_points.to(compute)
    return narrow(shifted * scales.to(compute), result)


def quantize_per_token(
    input: Tensor, scales: Tensor, zero_points: Tensor, quant_min: int, quant_max: int, dtype: torch.dtype
) -> Tensor:
    """``clamp(round(x (1 / s) + z), lo, hi)`` with parameters [..., 1] for each row of the input."""
    return _bounded(torch.round(input * (1.0 / scales) + zero_points), quant_min, quant_max).to(dtype)


def dequantize_per_token(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    quant_min: int,
    quant_max: int,
    dtype: torch.dtype,
    output_dtype: torch.dtype,
) -> Tensor:
    """``(q - z) s`` with parameters [..., 1] for each row of the input."""
    return _dequantized(input, scales, zero_points, output_dtype)


def quantize_per_channel_group(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    quant_min: int,
    quant_max: int,
    dtype: torch.dtype,
    group_size: int,
) -> Tensor:
    """``clamp(round(x (1 / s) + z), lo, hi)`` of ``input`` [n, k] with parameters [n, k / group_size]."""
    rows, columns = scales.shape
    grouped = input.reshape(rows, columns, input.shape[1] // columns)
    inverse = (1.0 / scales).unsqueeze(-1)
    q = torch.round(grouped * inverse + zero_points.unsqueeze(-1))
    return _bounded(q, quant_min, quant_max).to(dtype).reshape(input.shape)


def dequantize_per_channel_group(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    quant_min: int,
    quant_max: int,
    dtype: torch.dtype,
    group_size: int,
    output_dtype: torch.dtype,
) -> Tensor:
    """``(q - z) s`` of ``input`` [n, k] with parameters [n, k / group_size]."""
    rows, columns = scales.shape
    grouped = input.reshape(rows, columns, input.shape[1] // columns)
    zeros = None if zero_points is None else zero_points.unsqueeze(-1)
    return _dequantized(grouped, scales.unsqueeze(-1), zeros, output_dtype).reshape(input.shape)


def convert_element_type(input: Tensor, dtype: torch.dtype) -> Tensor:
    """``input`` in another dtype."""
    return input.to(dtype)


# --- parameters from the range of a tensor ---


def choose_qparams(input: Tensor, quant_min: int, quant_max: int, eps: float, dtype: torch.dtype) -> Pair:
    """``s = max((max - min) / (hi - lo), eps)`` and ``z = clamp(lo - round(min / s), lo, hi)``.

    The range is extended to hold 0. The quotient is rounded to the input's dtype, the maximum with ``eps``
    taken in float32. Returns float64[1] and int64[1].
    """
    low, high = _range(input)
    scale = _at_least(((high - low) / (quant_max - quant_min)).reshape([1]), eps)
    zero_point = quant_min - torch.round(low / scale)
    return scale.to(torch.float64), _bounded(zero_point, quant_min, quant_max).to(torch.int64)


def choose_qparams_symmetric(
    input: Tensor, quant_min: int, quant_max: int, eps: float, dtype: torch.dtype
) -> Pair:
    """``s = max(max |x| / ((hi - lo) / 2), eps)``; ``z`` is 128 for uint8, else 0."""
    low, high = _range(input)
    largest = torch.maximum(-low, high)
    scale = _at_least((largest / ((quant_max - quant_min) / 2)).reshape([1]), eps)
    zero_point = torch.full((1,), 128 if dtype == torch.uint8 else 0, dtype=torch.int64, device=input.device)
    return scale.to(torch.float64), zero_point


def _range(x: Tensor) -> Pair:
    """The least and largest element, extended to hold 0."""
    dims = list(range(x.dim()))
    zero = constant(0, x)
    return torch.minimum(x.amin(dims), zero), torch.maximum(x.amax(dims), zero)


def _at_least(scale: Tensor, eps: float) -> Tensor:
    wide = widen(scale)
    return torch.maximum(wide, constant(eps, wide))


def choose_qparams_per_token(input: Tensor, dtype: torch.dtype) -> Pair:
    """``s = max(max |x|, 1e-5) / 127`` along the last dimension and zero points 0; float32 for float16."""
    largest = input.abs().amax([-1], keepdim=True)
    if largest.dtype == torch.float16:
        largest = largest.to(torch.float32)
    scales = largest.clamp(min=1e-5) / 127
    return scales, torch.full(scales.shape, 0, dtype=scales.dtype, device=scales.device)


def choose_qparams_per_token_asymmetric(input: Tensor, dtype: torch.dtype) -> Pair:
    """``s = max((max - min) / 255, ε)`` of each row's range with 0, ε that of float32; the zero point is
    taken from the end of the range that has the larger error. Returns float64 and int64, [..., 1].
    """
    zero = constant(0, input)
    low = torch.minimum(input.amin([-1], keepdim=True), zero)
    high = torch.maximum(input.amax([-1], keepdim=True), zero)
    scale = ((high - low) / 255.0).clamp(min=torch.finfo(torch.float32).eps)
    below, above = low / scale, high / scale
    zero_point = torch.where((below - 128) + (above + 127) > 0, -128 - below, 127 - above)
    return scale.to(torch.float64), torch.round(zero_point.clamp(-128, 127)).to(torch.int64)
