"""The normalizations as one operator each, with gradients, over the parts that ATen's own forms have."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

from torchport.contract.decompositions import normalization
from torchport.contract.decompositions.precision import constant, narrow, widen


def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, eps: float) -> Tensor:
    """``x / sqrt(mean(x²) + eps) weight`` over the last dimensions."""
    return normalization.fused_rms_norm(input, normalized_shape, weight, eps)[0]


def rms_norm_backward(
    grad_output: Tensor, input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor]:
    """With ``h = x r`` and ``g' = g weight``: ``r (g' - h mean(g' h))`` and ``sum(g h)``.

    Without a weight the second result is empty.
    """
    x, g = widen(input), widen(grad_output)
    inner = list(range(input.dim() - len(normalized_shape), input.dim()))
    rstd = torch.rsqrt((x * x).mean(inner, keepdim=True) + eps)
    normalized = x * rstd
    scaled = g if weight is None else g * widen(weight)
    grad = (scaled - normalized * (scaled * normalized).mean(inner, keepdim=True)) * rstd
    if weight is None:
        return narrow(grad, input.dtype), torch.full((0,), 0, dtype=input.dtype, device=input.device)
    outer = list(range(inner[0]))
    grad_weight = (g * normalized).sum(outer) if outer else g * normalized
    return narrow(grad, input.dtype), narrow(grad_weight, weight.dtype)


def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    """``(x - mean) / sqrt(var + eps) weight + bias`` over the last dimensions."""
    return normalization.native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    """Normalization over each group of channels of [N, C, …]."""
    n, c = input.shape[:2]
    contiguous = input if input.is_contiguous() else input.clone(memory_format=torch.contiguous_format)
    pixels = prod(input.shape[2:])
    return normalization.native_group_norm(contiguous, weight, bias, n, c, pixels, num_groups, eps)[0]


def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """Normalization over the spatial dimensions of each sample and channel: a group for each channel."""
    return group_norm(input, input.shape[1], weight, bias, eps)


def batch_norm_inference(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, var: Tensor, eps: float
) -> Tensor:
    """``(x - mean) / sqrt(var + eps) weight + bias`` per channel, by the running statistics."""
    result = normalization.batch_norm_no_training(input, weight, bias, mean, var, 0.0, eps)[0]
    return result if result.is_contiguous() else result.clone(memory_format=torch.contiguous_format)


def batch_norm_training(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalization by the batch's statistics, and the new running mean and (unbiased) variance."""
    output, _, _, mean, var = normalization.batch_norm_functional(
        input, weight, bias, running_mean, running_var, True, momentum, eps
    )
    if not output.is_contiguous():
        output = output.clone(memory_format=torch.contiguous_format)
    return output, mean, var


def l2_normalize(input: Tensor, dim: int, eps: float) -> Tensor:
    """``x / max(sqrt(sum(x²)), eps)`` over one dimension."""
    x = widen(input)
    norm = torch.sqrt((x * x).sum([dim], keepdim=True))
    return narrow(x / torch.maximum(norm, constant(eps, norm)), input.dtype)
