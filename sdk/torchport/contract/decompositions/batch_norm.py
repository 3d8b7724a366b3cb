"""Further forms of batch normalization, by those in ``normalization``."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from torchport.contract.decompositions.normalization import (
    BatchNormResult,
    Gradients3,
    batch_norm_no_stats,
    batch_norm_no_training,
    native_batch_norm_backward,
)
from torchport.contract.decompositions.reduction import var_mean


def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> BatchNormResult:
    """Batch normalization by the batch's statistics, or by the running ones where it is not training."""
    if running_mean is None or running_var is None:
        return batch_norm_no_stats(input, weight, bias, training, momentum, eps)
    return batch_norm_no_training(input, weight, bias, running_mean, running_var, momentum, eps)


def batch_norm_update_stats(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float
) -> tuple[Tensor, Tensor]:
    """Mean and biased variance of each channel."""
    variance, mean = var_mean(input, [0, *range(2, input.dim())], correction=0)
    return mean, variance


def batch_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_var: Tensor | None,
    update: bool,
    eps: float,
    output_mask: Sequence[bool],
    reserve: Tensor,
) -> Gradients3:
    """As :func:`native_batch_norm_backward`; ``save_var`` holds rstd and the reserve is unused."""
    return native_batch_norm_backward(
        grad_out, input, weight, running_mean, running_var, save_mean, save_var, update, eps, output_mask
    )
