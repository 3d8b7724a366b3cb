"""Cross entropy of a linear layer, ``x Wᵀ + b`` against class indices, with its gradients.

Chunks of the batch, the policy of accumulation and the accumulator's dtype are latitude of whoever computes
it: the formulas here are over the whole batch, and float16 and bfloat16 are computed in float32.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import compute_dtype, constant, narrow, positions, zeros


@dataclass(frozen=True, slots=True)
class _Rows:
    """What each row of the batch gives, in the compute dtype.

    ``nll`` is ``-log softmax(x Wᵀ + b)[target]``, ``counted`` the class weight of the target (0 where the row
    is ignored), ``exponentials`` the numerators of the softmax and ``denominator`` their sum.
    """

    nll: Tensor
    counted: Tensor
    exponentials: Tensor
    denominator: Tensor


def _rows(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    linear_bias: Tensor | None,
    weight: Tensor | None,
    ignore_index: int,
) -> _Rows:
    dtype = compute_dtype(input.dtype)
    logits = torch.mm(narrow(input, dtype), torch.permute(narrow(linear_weight, dtype), (1, 0)))
    if linear_bias is not None:
        logits = logits + narrow(linear_bias, dtype)
    shifted = logits - torch.amax(logits, 1, keepdim=True)
    exponentials = torch.exp(shifted)
    denominator = exponentials.sum((1,), keepdim=True)
    kept = target != ignore_index
    index = torch.where(kept, target, constant(0, target))
    picked = torch.gather(shifted, 1, index.unsqueeze(1))
    class_weight = constant(1, logits) if weight is None else torch.ops.aten.index.Tensor(weight, [index])
    return _Rows(
        nll=(torch.log(denominator) - picked).squeeze((1,)),
        counted=torch.where(kept, narrow(class_weight, dtype), constant(0, logits)),
        exponentials=exponentials,
        denominator=denominator,
    )


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    linear_bias: Tensor | None,
    weight: Tensor | None,
    reduction: str,
    ignore_index: int,
    label_smoothing: float,
    batch_chunk_size: int,
    acc_policy: str,
    acc_dtype: torch.dtype,
    allow_retain_graph: bool,
    compute_input_grad: bool,
    compute_linear_weight_grad: bool,
    compute_linear_bias_grad: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The loss of [n, k] inputs and [c, k] weights, and its gradients for an upstream gradient of 1.

    With v the class weight of each row's target, divided by their sum for a mean (NaN where that is 0), and
    p the softmax: the loss is ``Σ v nll``, the slope of the logits ``g = v (p - onehot(target))``, and the
    gradients are ``g W`` of the input, ``gᵀ x`` of the weight and ``Σ_n g`` of the bias. A gradient that is
    not asked for has no elements. Labels are not smoothed.
    """
    rows = _rows(input, linear_weight, target, linear_bias, weight, ignore_index)
    loss, share = (rows.nll * rows.counted).sum((0,)), rows.counted
    if reduction == "mean":
        total = share.sum((0,))
        total = torch.where(total == 0, constant(math.nan, total), total)
        loss, share = loss / total, share / total
    grad_input, grad_weight, grad_bias = zeros((0, 0), input), zeros((0, 0), input), zeros((0,), input)
    if compute_input_grad or compute_linear_weight_grad or compute_linear_bias_grad:
        dtype = share.dtype
        chosen = positions(linear_weight.shape[0], target) == target.unsqueeze(1)
        softmax = rows.exponentials / rows.denominator
        slope = (softmax - chosen.to(dtype)) * share.unsqueeze(1)
        if compute_input_grad:
            grad_input = narrow(torch.mm(slope, narrow(linear_weight, dtype)), input.dtype)
        if compute_linear_weight_grad:
            grad_weight = narrow(torch.mm(torch.permute(slope, (1, 0)), narrow(input, dtype)), input.dtype)
        if compute_linear_bias_grad:
            grad_bias = narrow(slope.sum((0,)), input.dtype)
    return narrow(loss, input.dtype), grad_input, grad_weight, grad_bias


def linear_cross_entropy_no_reduction(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    linear_bias: Tensor | None,
    weight: Tensor | None,
    ignore_index: int,
    batch_chunk_size: int,
    acc_policy: str,
    acc_dtype: torch.dtype,
) -> Tensor:
    """The loss of each of n rows: the class weight of its target times ``-log softmax(x Wᵀ + b)[target]``."""
    rows = _rows(input, linear_weight, target, linear_bias, weight, ignore_index)
    return narrow(rows.nll * rows.counted, input.dtype)
