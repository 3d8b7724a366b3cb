"""Softmax and log-softmax: the row maximum is subtracted first, so no row overflows."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, narrow, widen, zeros


def _is_empty(x: Tensor, dim: int) -> bool:
    """Whether the reduced dimension is known to be empty (a symbolic one is taken to be non-empty)."""
    return x.dim() > 0 and type(x.size(dim)) is int and x.size(dim) == 0


def _result_dtype(self: Tensor, half_to_float: bool) -> torch.dtype:
    return torch.float32 if half_to_float else self.dtype


def softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """``exp(x - m) / sum(exp(x - m))`` over ``dim``, ``m`` the maximum; ``half_to_float``: float32 result."""
    dtype = _result_dtype(self, half_to_float)
    x = widen(self)
    if _is_empty(x, dim):
        return narrow(zeros(x.shape, x), dtype)
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return narrow(e / e.sum(dim, keepdim=True), dtype)


def log_softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """``(x - m) - log(sum(exp(x - m)))`` over ``dim``, ``m`` the maximum."""
    dtype = _result_dtype(self, half_to_float)
    x = widen(self)
    if _is_empty(x, dim):
        return narrow(zeros(x.shape, x), dtype)
    shifted = x - x.amax(dim, keepdim=True)
    return narrow(shifted - torch.log(torch.exp(shifted).sum(dim, keepdim=True)), dtype)


def softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype) -> Tensor:
    """``y (g - sum(g y))`` from the forward result ``y``."""
    g, y = widen(grad_output), widen(output)
    return narrow(y * (g - (g * y).sum(dim, keepdim=True)), input_dtype)


def log_softmax_backward_data(
    grad_output: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype
) -> Tensor:
    """``g - exp(y) sum(g)`` from the forward result ``y``."""
    g, y = widen(grad_output), widen(output)
    return narrow(g - torch.exp(y) * g.sum(dim, keepdim=True), input_dtype)


def safe_softmax(self: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """Softmax whose rows of only ``-inf`` are zero instead of NaN."""
    result_dtype = self.dtype if dtype is None else dtype
    x = widen(narrow(self, result_dtype))
    if _is_empty(x, dim):
        return narrow(zeros(x.shape, x), result_dtype)
    m = x.amax(dim, keepdim=True)
    e = torch.exp(x - m)
    y = torch.where(m == -math.inf, constant(0, x), e / e.sum(dim, keepdim=True))
    return narrow(y, result_dtype)
