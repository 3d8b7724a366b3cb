"""Layer, group, batch and RMS normalization and their gradients.

Moments are computed by the corrected two-pass algorithm (Chan, Golub and LeVeque, "Algorithms for computing
the sample variance", 1983): the rounding error of the mean, itself measured as the mean of the deviations, is
subtracted from the deviations and from the variance. A plain second pass loses digits when the mean is large
against the spread. The second pass reads the data once: its two sums are over the same deviations.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import compute_dtype, narrow, widen

Gradients3 = tuple[Tensor | None, Tensor | None, Tensor | None]
BatchNormResult = tuple[Tensor, Tensor, Tensor]


def _moments(x: Tensor, dims: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """Deviations from the mean, mean and biased variance over ``dims``, which are kept with size 1."""
    rough = x.mean(dims, keepdim=True)
    deviation = x - rough
    shift = deviation.mean(dims, keepdim=True)
    variance = (deviation * deviation).mean(dims, keepdim=True) - shift * shift
    return deviation - shift, rough + shift, variance


def _statistics_dtype(input: Tensor, *parameters: Tensor | None) -> torch.dtype:
    """Dtype of saved mean and rstd.

    On CPU that of the parameters when there are any, else the input's; elsewhere the compute dtype.
    """
    if input.device.type != "cpu":
        return compute_dtype(input.dtype)
    return next((p.dtype for p in parameters if p is not None), input.dtype)


def _affine(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, shape: Sequence[int] | None = None
) -> Tensor:
    """``x weight + bias``, the parameters viewed as ``shape`` where their own does not broadcast."""

    def parameter(p: Tensor) -> Tensor:
        return widen(p) if shape is None else widen(p).view(shape)

    if weight is not None:
        x = x * parameter(weight)
    if bias is not None:
        x = x + parameter(bias)
    return x


def _sum_to(x: Tensor, dims: list[int]) -> Tensor:
    """Sum over ``dims``; unlike ``aten.sum``, no dims means no sum."""
    return x.sum(dims) if dims else x


def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """``(x - mean) rstd weight + bias`` over the last dimensions, mean and ``rstd = 1 / sqrt(var + eps)``."""
    x = widen(input)
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    centred, mean, variance = _moments(x, dims)
    rstd = torch.rsqrt(variance + eps)
    output = _affine(centred * rstd, weight, bias)
    statistics = _statistics_dtype(input, weight, bias)
    return narrow(output, input.dtype), narrow(mean, statistics), narrow(rstd, statistics)


def native_layer_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Sequence[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    output_mask: Sequence[bool],
) -> Gradients3:
    """With ``h = (x - mean) rstd`` and ``g' = g weight``: ``rstd (g' - mean(g') - h mean(g' h))``.

    The gradients of weight and bias are ``sum(g h)`` and ``sum(g)``.
    """
    g, rstd = widen(grad_out), widen(rstd)
    outer = input.dim() - len(normalized_shape)
    outer_dims, inner_dims = list(range(outer)), list(range(outer, input.dim()))
    normalized = (widen(input) - widen(mean)) * rstd
    grad_input = grad_weight = grad_bias = None
    if output_mask[0]:
        scaled = g if weight is None else g * widen(weight)
        average = scaled.mean(inner_dims, keepdim=True)
        projection = (scaled * normalized).mean(inner_dims, keepdim=True)
        grad_input = narrow((scaled - average - normalized * projection) * rstd, input.dtype)
    if output_mask[1] and weight is not None:
        grad_weight = narrow(_sum_to(g * normalized, outer_dims), weight.dtype)
    if output_mask[2] and bias is not None:
        grad_bias = narrow(_sum_to(g, outer_dims), bias.dtype)
    return grad_input, grad_weight, grad_bias


def fused_rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, eps: float | None
) -> tuple[Tensor, Tensor]:
    """``x rstd weight`` with ``rstd = 1 / sqrt(mean(x²) + eps)``.

    ``eps`` defaults to the machine epsilon of the compute dtype.
    """
    x = widen(input)
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    rstd = torch.rsqrt((x * x).mean(dims, keepdim=True) + (torch.finfo(x.dtype).eps if eps is None else eps))
    return narrow(_affine(x * rstd, weight, None), input.dtype), rstd


def fused_rms_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Sequence[int],
    rstd: Tensor,
    weight: Tensor | None,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None]:
    """With ``h = x rstd`` and ``g' = g weight``: ``rstd (g' - h mean(g' h))``; ``sum(g h)`` for weight."""
    g, rstd = widen(grad_out), widen(rstd)
    outer = input.dim() - len(normalized_shape)
    normalized = widen(input) * rstd
    grad_input = grad_weight = None
    if output_mask[0]:
        scaled = g if weight is None else g * widen(weight)
        projection = (scaled * normalized).mean(list(range(outer, input.dim())), keepdim=True)
        grad_input = narrow((scaled - normalized * projection) * rstd, input.dtype)
    if output_mask[1] and weight is not None:
        grad_weight = narrow(_sum_to(g * normalized, list(range(outer))), weight.dtype)
    return grad_input, grad_weight


def _grouped_shape(input: Tensor, N: int, C: int, group: int) -> list[int]:
    """[N, group, C / group, spatial…]: splitting the channels is a view whatever the strides are."""
    return [N, group, C // group, *input.shape[2:]]


def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalization over each group of channels; mean and rstd are [N, group]."""
    x = widen(input).view(_grouped_shape(input, N, C, group))
    centred, mean, variance = _moments(x, list(range(2, x.dim())))
    rstd = torch.rsqrt(variance + eps)
    per_channel = [1, C] + [1] * (input.dim() - 2)
    output = _affine((centred * rstd).view(input.shape), weight, bias, per_channel)
    statistics = _statistics_dtype(input, weight, bias)
    saved = (narrow(s.view([N, group]), statistics) for s in (mean, rstd))
    return narrow(output, input.dtype), *saved  # type: ignore[return-value]


def native_group_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    output_mask: Sequence[bool],
) -> Gradients3:
    """One pass over the data: ``sum(g)`` and ``sum(g h)`` per channel serve all three gradients."""
    shape = _grouped_shape(input, N, C, group)
    spatial = list(range(3, len(shape)))
    per_group = [N, group] + [1] * (len(shape) - 2)
    rstd = widen(rstd).view(per_group)
    g = widen(grad_out).view(shape)
    normalized = (widen(input).view(shape) - widen(mean).view(per_group)) * rstd
    sum_g = g.sum(spatial, keepdim=True) if spatial else g
    sum_gh = (g * normalized).sum(spatial, keepdim=True) if spatial else g * normalized
    grad_input = grad_weight = grad_bias = None
    if output_mask[0]:
        scaled, scaled_g, scaled_gh = g, sum_g, sum_gh
        if weight is not None:
            w = widen(weight).view([1, group, C // group] + [1] * len(spatial))
            scaled, scaled_g, scaled_gh = g * w, sum_g * w, sum_gh * w
        count = max(C // group * HxW, 1)
        average = scaled_g.sum([2], keepdim=True) / count
        projection = scaled_gh.sum([2], keepdim=True) / count
        grad = (scaled - average - normalized * projection) * rstd
        grad_input = narrow(grad.view(input.shape), input.dtype)
    parameter_dtype = input.dtype if weight is None else weight.dtype
    if output_mask[1] and weight is not None:
        grad_weight = narrow(sum_gh.sum([0]).view([C]), parameter_dtype)
    if output_mask[2]:
        grad_bias = narrow(sum_g.sum([0]).view([C]), parameter_dtype)
    return grad_input, grad_weight, grad_bias


def _channel_shape(input: Tensor) -> list[int]:
    return [1, input.shape[1]] + [1] * (input.dim() - 2)


def _all_but_channels(input: Tensor) -> list[int]:
    return [0, *range(2, input.dim())]


def _normalize_by_running(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor, eps: float
) -> Tensor:
    shape = _channel_shape(input)
    rstd = torch.rsqrt(widen(variance) + eps)
    normalized = (widen(input) - widen(mean).view(shape)) * rstd.view(shape)
    return narrow(_affine(normalized, weight, bias, shape), input.dtype)


def _normalize_by_batch(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Output, mean, rstd and biased variance, the last three [C] in the compute dtype."""
    channels = [input.shape[1]]
    centred, mean, variance = _moments(widen(input), _all_but_channels(input))
    rstd = torch.rsqrt(variance + eps)
    output = narrow(_affine(centred * rstd, weight, bias, _channel_shape(input)), input.dtype)
    return output, mean.view(channels), rstd.view(channels), variance.view(channels)


def _updated_statistics(
    input: Tensor, running_mean: Tensor, running_var: Tensor, mean: Tensor, variance: Tensor, momentum: float
) -> tuple[Tensor, Tensor]:
    """Running mean and (unbiased) running variance after one step of the exponential average."""
    count = input.numel() // input.shape[1]
    unbiased = variance * count / (count - 1)
    new_mean = widen(running_mean) * (1 - momentum) + mean * momentum
    new_var = widen(running_var) * (1 - momentum) + unbiased * momentum
    return narrow(new_mean, running_mean.dtype), narrow(new_var, running_var.dtype)


def batch_norm_no_stats(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, training: bool, momentum: float, eps: float
) -> BatchNormResult:
    """Batch normalization without running statistics; returns output, mean and rstd of the batch."""
    output, mean, rstd, _ = _normalize_by_batch(input, weight, bias, eps)
    statistics = _statistics_dtype(input, weight, bias)
    return output, narrow(mean, statistics), narrow(rstd, statistics)


def batch_norm_no_training(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> BatchNormResult:
    """Normalization by the running statistics; the saved statistics are empty."""
    output = _normalize_by_running(input, weight, bias, running_mean, running_var, eps)
    statistics = _statistics_dtype(input, weight, bias, running_mean)
    empty = torch.full((0,), 0, dtype=statistics, device=input.device)
    return output, empty, torch.full((0,), 0, dtype=statistics, device=input.device)


def batch_norm_functional(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Output, saved mean and rstd, and the new running mean and variance (unchanged when not training)."""
    if not training:
        output, mean, rstd = batch_norm_no_training(
            input, weight, bias, running_mean, running_var, momentum, eps
        )
        return output, mean, rstd, running_mean.clone(), running_var.clone()
    output, mean, rstd, variance = _normalize_by_batch(input, weight, bias, eps)
    statistics = _statistics_dtype(input, weight, bias, running_mean)
    updated = _updated_statistics(input, running_mean, running_var, mean, variance, momentum)
    return output, narrow(mean, statistics), narrow(rstd, statistics), *updated


def _empty_reserve(input: Tensor) -> Tensor:
    return torch.full((0,), 0, dtype=torch.uint8, device=input.device)


def batch_norm_with_update_functional(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Training batch normalization with an empty reserve and the new running statistics."""
    output, mean, rstd, new_mean, new_var = batch_norm_functional(
        input, weight, bias, running_mean, running_var, True, momentum, eps
    )
    return output, mean, rstd, _empty_reserve(input), new_mean, new_var


def batch_norm_no_update(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Normalization by the running statistics, or by the batch when there are none, with an empty reserve."""
    if running_mean is None or running_var is None:
        return *batch_norm_no_stats(input, weight, bias, True, momentum, eps), _empty_reserve(input)
    result = batch_norm_no_training(input, weight, bias, running_mean, running_var, momentum, eps)
    return *result, _empty_reserve(input)


def native_batch_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: bool,
    eps: float,
    output_mask: Sequence[bool],
) -> Gradients3:
    """With ``h = (x - mean) rstd``: ``weight rstd (g - mean(g) - h mean(g h))``, ``sum(g h)`` and ``sum(g)``.

    When not training, mean and rstd are constants (the running statistics) and the two means drop out.
    """
    shape, dims = _channel_shape(input), _all_but_channels(input)
    if train:
        assert save_mean is not None and save_invstd is not None, "training saves its statistics"
        mean, rstd = widen(save_mean).view(shape), widen(save_invstd).view(shape)
    else:
        assert running_mean is not None and running_var is not None, "evaluation has running statistics"
        mean, rstd = widen(running_mean).view(shape), torch.rsqrt(widen(running_var) + eps).view(shape)
    g = widen(grad_out)
    normalized = (widen(input) - mean) * rstd
    sum_g = g.sum(dims, keepdim=True)
    sum_gh = (g * normalized).sum(dims, keepdim=True)
    parameter_dtype = input.dtype if weight is None else weight.dtype
    grad_input = grad_weight = grad_bias = None
    if output_mask[0]:
        scale = rstd if weight is None else rstd * widen(weight).view(shape)
        if train:
            count = input.numel() // input.shape[1]
            grad = (g - sum_g / count - normalized * (sum_gh / count)) * scale
        else:
            grad = g * scale
        grad_input = narrow(grad, input.dtype)
    if output_mask[1]:
        grad_weight = narrow(sum_gh.view([input.shape[1]]), parameter_dtype)
    if output_mask[2]:
        grad_bias = narrow(sum_g.view([input.shape[1]]), parameter_dtype)
    return grad_input, grad_weight, grad_bias
