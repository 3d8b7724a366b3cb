"""One step of an optimizer over lists of parameters (the fused forms), and loss scaling for mixed precision.

A step with ``found_inf`` 1 changes nothing. Gradients are divided by ``grad_scale`` first, and returned so.
Bias corrections ``1 - β^t`` are ``-expm1(t log β)``: the power would lose digits where β is near 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, narrow, widen

Tensors = Sequence[Tensor]
Rate = float | Tensor


def _rate(lr: Rate, like: Tensor) -> Rate:
    return lr.to(like.dtype) if isinstance(lr, Tensor) else lr


def _gradient(grad: Tensor, grad_scale: Tensor | None, maximize: bool) -> tuple[Tensor, Tensor]:
    """The unscaled gradient, and the direction of descent."""
    g = widen(grad)
    if grad_scale is not None:
        g = g / grad_scale.to(g.dtype)
    return g, -g if maximize else g


class _Step:
    """Rounds new values to the dtype of the old, and keeps the old ones where the step is skipped."""

    def __init__(self, found_inf: Tensor | None) -> None:
        self.skip = None if found_inf is None else found_inf.reshape(()) == 1

    def __call__(self, new: Tensor, old: Tensor) -> Tensor:
        rounded = narrow(new, old.dtype)
        return rounded if self.skip is None else torch.where(self.skip, old, rounded)


def _correction(beta: float, step: Tensor) -> Tensor:
    """``1 - β^t``."""
    if beta == 0:
        return constant(1, step)
    return -torch.expm1(step * math.log(beta))


def _adam(
    parameters: Tensors,
    grads: Tensors,
    means: Tensors,
    squares: Tensors,
    largest: Tensors,
    steps: Tensors,
    lr: Rate,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    grad_scale: Tensor | None,
    found_inf: Tensor | None,
    *,
    decoupled: bool,
) -> tuple[list[Tensor], list[Tensor], list[Tensor], list[Tensor], list[Tensor]]:
    """Adam (Kingma and Ba, ICLR 2015, algorithm 1; AMSGrad: Reddi et al., ICLR 2018, algorithm 2).

    ``decoupled``: the parameter decays by itself (Loshchilov and Hutter, ICLR 2019, algorithm 2, line 12),
    else through the gradient.
    """
    keep = _Step(found_inf)
    outputs: tuple[list[Tensor], ...] = ([], [], [], [], [])
    for i, (parameter, grad, mean, square) in enumerate(zip(parameters, grads, means, squares, strict=True)):
        unscaled, g = _gradient(grad, grad_scale, maximize)
        p, rate, step = widen(parameter), _rate(lr, g), steps[i].reshape(()).to(g.dtype)
        if weight_decay != 0 and decoupled:
            p = p - p * (rate * weight_decay)
        elif weight_decay != 0:
            g = g + p * weight_decay
        m = widen(mean) * beta1 + g * (1 - beta1)
        v = widen(square) * beta2 + g * g * (1 - beta2)
        second = v
        if amsgrad:
            second = torch.maximum(widen(largest[i]), v)
        denominator = torch.sqrt(second) / torch.sqrt(_correction(beta2, step)) + eps
        p = p - m / denominator * (rate / _correction(beta1, step))
        pairs = [(p, parameter), (unscaled, grad), (m, mean), (v, square)]
        if i < len(largest):
            pairs.append((second if amsgrad else widen(largest[i]), largest[i]))
        for output, (new, old) in zip(outputs, pairs, strict=False):
            output.append(keep(new, old))
    return outputs  # type: ignore[return-value]


def fused_adam(
    self: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    max_exp_avg_sqs: Tensors,
    state_steps: Tensors,
    *,
    lr: Rate,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor], list[Tensor], list[Tensor]]:
    """New parameters, unscaled gradients, and new first, second and largest second moments."""
    return _adam(
        self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps,
        amsgrad, maximize, grad_scale, found_inf, decoupled=False,
    )  # fmt: skip


def fused_adamw(
    self: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    max_exp_avg_sqs: Tensors,
    state_steps: Tensors,
    *,
    lr: Rate,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor], list[Tensor], list[Tensor]]:
    """The same with weight decay of the parameters themselves."""
    return _adam(
        self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps,
        amsgrad, maximize, grad_scale, found_inf, decoupled=True,
    )  # fmt: skip


def fused_sgd(
    self: Tensors,
    grads: Tensors,
    momentum_buffer_list: Tensors,
    *,
    weight_decay: float,
    momentum: float,
    lr: Rate,
    dampening: float,
    nesterov: bool,
    maximize: bool,
    is_first_step: bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """``b ← μ b + (1 - d) g`` (g at the first step), ``p ← p - λ (b or g + μ b)``: parameters, gradients, b.

    Nesterov's form: Sutskever et al., ICML 2013, §2, in the variables of torch.optim.SGD.
    """
    keep = _Step(found_inf)
    outputs: tuple[list[Tensor], list[Tensor], list[Tensor]] = ([], [], [])
    for i, (parameter, grad) in enumerate(zip(self, grads, strict=True)):
        unscaled, g = _gradient(grad, grad_scale, maximize)
        p = widen(parameter)
        if weight_decay != 0:
            g = g + p * weight_decay
        if momentum != 0:
            old = momentum_buffer_list[i]
            buffer = g if is_first_step else widen(old) * momentum + g * (1 - dampening)
            g = g + buffer * momentum if nesterov else buffer
            outputs[2].append(keep(buffer, old))
        elif i < len(momentum_buffer_list):
            outputs[2].append(momentum_buffer_list[i].clone())
        outputs[0].append(keep(p - g * _rate(lr, g), parameter))
        outputs[1].append(keep(unscaled, grad))
    return outputs


def fused_adagrad(
    self: Tensors,
    grads: Tensors,
    state_sums: Tensors,
    state_steps: Tensors,
    *,
    lr: Rate,
    lr_decay: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor], list[Tensor]]:
    """``s ← s + g²``, ``p ← p - λ / (1 + (t - 1) η) g / (√s + ε)`` (Duchi et al., JMLR 12, 2011).

    Returns parameters, gradients, sums and (unchanged) steps.
    """
    parameters, unscaled, sums = _adagrad(
        self, grads, state_sums, state_steps, lr, lr_decay, weight_decay, eps, maximize, grad_scale, found_inf
    )
    return parameters, unscaled, sums, [step.clone() for step in state_steps]


def fused_adagrad_tensor_lr(
    self: Tensors,
    grads: Tensors,
    state_sums: Tensors,
    state_steps: Tensors,
    *,
    lr: Tensor,
    lr_decay: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """The same without the steps."""
    return _adagrad(
        self, grads, state_sums, state_steps, lr, lr_decay, weight_decay, eps, maximize, grad_scale, found_inf
    )


def _adagrad(
    parameters: Tensors,
    grads: Tensors,
    sums: Tensors,
    steps: Tensors,
    lr: Rate,
    lr_decay: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
    grad_scale: Tensor | None,
    found_inf: Tensor | None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    keep = _Step(found_inf)
    outputs: tuple[list[Tensor], list[Tensor], list[Tensor]] = ([], [], [])
    for parameter, grad, total, step in zip(parameters, grads, sums, steps, strict=True):
        unscaled, g = _gradient(grad, grad_scale, maximize)
        p = widen(parameter)
        if weight_decay != 0:
            g = g + p * weight_decay
        s = widen(total) + g * g
        decay = (step.reshape(()).to(g.dtype) - 1.0) * lr_decay + 1.0
        p = p - g / (torch.sqrt(s) + eps) * (_rate(lr, g) / decay)
        for output, (new, old) in zip(outputs, ((p, parameter), (unscaled, grad), (s, total)), strict=True):
            output.append(keep(new, old))
    return outputs


# --- loss scaling (Micikevicius et al., "Mixed precision training", ICLR 2018, §3.2) ---


def unscale(self: Tensors, found_inf: Tensor, inv_scale: Tensor) -> tuple[list[Tensor], Tensor]:
    """Every tensor times ``inv_scale``; ``found_inf`` becomes 1 where a value is not finite."""
    results = []
    found = found_inf != 0
    for x in self:
        wide = widen(x)
        results.append(narrow(wide * inv_scale.reshape(()).to(wide.dtype), x.dtype))
        finite = wide.abs() < math.inf
        bad = torch.logical_not(finite)
        found = torch.logical_or(found, bad.any() if x.dim() else bad)
    one = torch.full((), 1.0, dtype=found_inf.dtype, device=found_inf.device)
    return results, torch.where(found, one, found_inf)


def update_scale(
    self: Tensor,
    growth_tracker: Tensor,
    found_inf: Tensor,
    scale_growth_factor: float,
    scale_backoff_factor: float,
    growth_interval: int,
) -> tuple[Tensor, Tensor]:
    """The new scale and count of steps in a row that were finite.

    A step that was not finite multiplies the scale by the backoff factor; the ``growth_interval``-th finite
    one in a row multiplies it by the growth factor, if the product is finite. Both start a new count.
    """
    bad = found_inf != 0
    count = growth_tracker + 1
    full = count == growth_interval
    grown = self * scale_growth_factor
    grown = torch.where(grown.abs() < math.inf, grown, self)
    scale = torch.where(bad, self * scale_backoff_factor, torch.where(full, grown, self))
    zero = constant(0, growth_tracker)
    return scale, torch.where(torch.logical_or(bad, full), zero, count)
