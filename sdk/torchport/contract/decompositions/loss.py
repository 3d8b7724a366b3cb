"""Losses and their gradients. ``reduction``: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, narrow, positions, widen, zeros

NONE, MEAN, SUM = 0, 1, 2


def _reduce(loss: Tensor, reduction: int) -> Tensor:
    dims = list(range(loss.dim()))
    if reduction == MEAN:
        return loss.mean(dims)
    return loss.sum(dims) if reduction == SUM else loss


def _spread(slope: Tensor, grad_output: Tensor, reduction: int) -> Tensor:
    """``grad_output`` times ``slope``, divided by the element count for a mean."""
    grad = slope * widen(grad_output)
    return grad / slope.numel() if reduction == MEAN else grad


def mse_loss(self: Tensor, target: Tensor, reduction: int = MEAN) -> Tensor:
    """``(x - t)²``."""
    difference = widen(self) - widen(target)
    return narrow(_reduce(difference * difference, reduction), self.dtype)


def mse_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
    """``2 g (x - t)``."""
    return narrow(_spread((widen(self) - widen(target)) * 2, grad_output, reduction), self.dtype)


def smooth_l1_loss(self: Tensor, target: Tensor, reduction: int = MEAN, beta: float = 1.0) -> Tensor:
    """``d² / (2 beta)`` for ``d = |x - t|`` below ``beta``, else ``d - beta / 2``."""
    distance = torch.abs(widen(self) - widen(target))
    loss = torch.where(distance < beta, distance * distance * 0.5 / beta, distance - 0.5 * beta)
    return narrow(_reduce(loss, reduction), self.dtype)


def smooth_l1_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, beta: float
) -> Tensor:
    """``g (x - t) / beta`` within ``beta``, else ``±g``."""
    difference = widen(self) - widen(target)
    outer = torch.where(difference <= -beta, constant(-1, difference), difference / beta)
    slope = torch.where(difference >= beta, constant(1, difference), outer)
    return narrow(_spread(slope, grad_output, reduction), self.dtype)


def huber_loss(self: Tensor, target: Tensor, reduction: int = MEAN, delta: float = 1.0) -> Tensor:
    """``d² / 2`` for ``d = |x - t|`` up to ``delta``, else ``delta (d - delta / 2)``."""
    distance = torch.abs(widen(self) - widen(target))
    loss = torch.where(distance <= delta, distance * distance * 0.5, (distance - 0.5 * delta) * delta)
    return narrow(_reduce(loss, reduction), self.dtype)


def huber_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float
) -> Tensor:
    """``g clamp(x - t, -delta, delta)``."""
    difference = widen(self) - widen(target)
    clipped = torch.minimum(
        torch.maximum(difference, constant(-delta, difference)), constant(delta, difference)
    )
    return narrow(_spread(clipped, grad_output, reduction), self.dtype)


def soft_margin_loss(self: Tensor, target: Tensor, reduction: int = MEAN) -> Tensor:
    """``log(1 + exp(-t x))``, written so that no exponential overflows."""
    margin = widen(self) * widen(target)
    loss = torch.log1p(torch.exp(torch.neg(torch.abs(margin)))) - torch.minimum(margin, constant(0, margin))
    return narrow(_reduce(loss, reduction), self.dtype)


def soft_margin_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
    """``-g t σ(-t x)``."""
    negative = torch.neg(widen(target))
    slope = negative * torch.sigmoid(negative * widen(self))
    return narrow(_spread(slope, grad_output, reduction), self.dtype)


def binary_cross_entropy(
    self: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = MEAN
) -> Tensor:
    """``-(t log p + (1 - t) log(1 - p))``, each logarithm at least -100."""
    p, t = widen(self), widen(target)
    floor = constant(-100, p)
    log_p = torch.maximum(torch.log(p), floor)
    log_q = torch.maximum(torch.log1p(torch.neg(p)), floor)
    loss = (t - 1) * log_q - t * log_p
    if weight is not None:
        loss = loss * widen(weight)
    return narrow(_reduce(loss, reduction), self.dtype)


def binary_cross_entropy_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = MEAN
) -> Tensor:
    """``g (p - t) / max(p (1 - p), 1e-12)``."""
    p = widen(self)
    slope = (p - widen(target)) / torch.maximum((constant(1, p) - p) * p, constant(1e-12, p))
    if weight is not None:
        slope = slope * widen(weight)
    return narrow(_spread(slope, grad_output, reduction), self.dtype)


def binary_cross_entropy_with_logits(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = MEAN,
) -> Tensor:
    """``(1 - t) x - w log σ(x)`` with ``w = 1 + (pos_weight - 1) t``."""
    x, t = widen(self), widen(target)
    log_sigmoid = torch.minimum(x, constant(0, x)) - torch.log1p(torch.exp(torch.neg(torch.abs(x))))
    if pos_weight is not None:
        log_sigmoid = log_sigmoid * ((widen(pos_weight) - 1) * t + 1)
    loss = (constant(1, t) - t) * x - log_sigmoid
    if weight is not None:
        loss = loss * widen(weight)
    return narrow(_reduce(loss, reduction), self.dtype)


def _class_dim(self: Tensor) -> int:
    return 0 if self.dim() == 1 else 1


def _per_class(vector: Tensor, self: Tensor) -> Tensor:
    """A [C] tensor shaped to broadcast against ``self`` along the class dimension."""
    shape = [1] * self.dim()
    shape[_class_dim(self)] = -1
    return vector.view(shape)


def _gather_classes(values: Tensor, index: Tensor) -> Tensor:
    dim = _class_dim(values)
    return torch.gather(values, dim, index.unsqueeze(dim)).squeeze((dim,))


def _nll_loss(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> tuple[Tensor, Tensor]:
    x = widen(self)
    kept = target != ignore_index
    index = torch.where(kept, target, constant(0, target)).to(torch.int64)
    picked = torch.neg(_gather_classes(x, index))
    zero = constant(0, x)
    if weight is None:
        counted = torch.where(kept, constant(1, x), zero)
        loss = torch.where(kept, picked, zero)
    else:
        counted = torch.where(kept, torch.ops.aten.index.Tensor(widen(weight), [index]), zero)
        loss = torch.where(kept, picked * counted, zero)
    dims = list(range(target.dim()))
    if reduction == NONE:
        total = counted if self.dim() == 1 else zeros((), x)
        return narrow(loss, self.dtype), narrow(total, self.dtype)
    total = counted.sum(dims)
    result = loss.sum(dims)
    if reduction == MEAN:
        result = result / total
    return narrow(result, self.dtype), narrow(total, self.dtype)


def _nll_loss_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> Tensor:
    dim = _class_dim(self)
    g = widen(grad_output)
    if reduction == MEAN:
        g = g / widen(total_weight)
    if g.dim() > 0:
        g = g.unsqueeze(dim)
    g = torch.neg(g)
    if weight is not None:
        g = g * _per_class(widen(weight), self)
    expected = target.unsqueeze(dim)
    chosen = torch.bitwise_and(
        _per_class(positions(self.size(dim), target), self) == expected, expected != ignore_index
    )
    return narrow(torch.where(chosen, g, constant(0, g)), self.dtype)


def nll_loss_forward(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """``-weight[t] x[t]`` for [N, C] or [C] log-probabilities, and the sum of the weights that counted."""
    return _nll_loss(self, target, weight, reduction, ignore_index)


def nll_loss_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> Tensor:
    """``-weight g`` at the target class, else 0: a comparison per element, which fuses, not a scatter."""
    return _nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight)


def nll_loss2d_forward(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """:func:`nll_loss_forward` for [N, C, H, W]."""
    return _nll_loss(self, target, weight, reduction, ignore_index)


def nll_loss2d_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> Tensor:
    """:func:`nll_loss_backward` for [N, C, H, W]."""
    return _nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight)
