"""Activation functions and their derivatives: elementwise, except ``glu``, which halves one dimension."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, float_result
from torchport.contract.decompositions.precision import constant, narrow, widen

_SQRT_HALF = math.sqrt(0.5)
_INV_SQRT_2PI = 1 / math.sqrt(2 * math.pi)
_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_TANH_CUBIC = 0.044715  # the cubic coefficient of the tanh approximation of GELU (Hendrycks and Gimpel, 2016)


def _one_minus(x: Tensor) -> Tensor:
    return constant(1, x) - x


def _conjugate(x: Tensor) -> Tensor:
    """The conjugate of a complex tensor, any other tensor itself."""
    return torch.conj_physical(x) if x.is_complex() else x


def relu(self: Tensor) -> Tensor:
    """``max(x, 0)``; NaN stays NaN."""
    return torch.maximum(self, constant(0, self))


def sigmoid(self: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``."""
    dtype = float_result(self.dtype)
    x = widen(convert(self, dtype))
    return narrow(torch.reciprocal(torch.exp(torch.neg(x)) + 1), dtype)


def gelu(self: Tensor, *, approximate: str = "none") -> Tensor:
    """``x Φ(x)``, Φ by erf, or by its tanh approximation."""
    x = widen(self)
    if approximate == "tanh":
        inner = (x + x * x * x * _TANH_CUBIC) * _SQRT_2_OVER_PI
        return narrow(x * 0.5 * (torch.tanh(inner) + 1), self.dtype)
    return narrow(x * 0.5 * (torch.erf(x * _SQRT_HALF) + 1), self.dtype)


def gelu_backward(grad_output: Tensor, self: Tensor, *, approximate: str = "none") -> Tensor:
    """``g (Φ(x) + x φ(x))`` and the derivative of the tanh form."""
    g, x = widen(grad_output), widen(self)
    if approximate == "tanh":
        square = x * x
        t = torch.tanh((x + square * x * _TANH_CUBIC) * _SQRT_2_OVER_PI)
        inner_slope = (square * (3 * _TANH_CUBIC) + 1) * _SQRT_2_OVER_PI
        slope = (t + 1) * 0.5 + x * 0.5 * _one_minus(t * t) * inner_slope
        return narrow(g * slope, self.dtype)
    cdf = (torch.erf(x * _SQRT_HALF) + 1) * 0.5
    pdf = torch.exp(x * x * -0.5) * _INV_SQRT_2PI
    return narrow(g * (cdf + x * pdf), self.dtype)


def silu(self: Tensor) -> Tensor:
    """``x σ(x)``."""
    x = widen(self)
    return narrow(x * torch.sigmoid(x), self.dtype)


def silu_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """``g σ(x) (1 + x (1 - σ(x)))``; nothing is conjugated for complex numbers, as in PyTorch's operator."""
    g, x = widen(grad_output), widen(self)
    s = torch.sigmoid(x)
    return narrow(g * s * (x * _one_minus(s) + 1), grad_output.dtype)


def sigmoid_backward(grad_output: Tensor, output: Tensor) -> Tensor:
    """``g (1 - y) y`` from the forward result ``y``."""
    g, y = widen(grad_output), widen(output)
    return narrow(g * _conjugate(_one_minus(y) * y), grad_output.dtype)


def tanh_backward(grad_output: Tensor, output: Tensor) -> Tensor:
    """``g (1 - y²)`` from the forward result ``y``."""
    g, y = widen(grad_output), widen(output)
    return narrow(g * _conjugate(_one_minus(y * y)), grad_output.dtype)


def threshold(self: Tensor, threshold: float, value: float) -> Tensor:
    """``x`` where it exceeds ``threshold`` (or is NaN), else ``value``."""
    return torch.where(self <= threshold, constant(value, self), self)


def threshold_backward(grad_output: Tensor, self: Tensor, threshold: float) -> Tensor:
    """``g`` where ``x`` exceeds ``threshold`` (or is NaN), else 0."""
    return torch.where(self <= threshold, constant(0, grad_output), grad_output)


def leaky_relu(self: Tensor, negative_slope: float = 0.01) -> Tensor:
    """``x`` where positive, else ``negative_slope x``."""
    x = widen(self)
    return narrow(torch.where(x > 0, x, x * negative_slope), self.dtype)


def leaky_relu_backward(
    grad_output: Tensor, self: Tensor, negative_slope: float, self_is_result: bool
) -> Tensor:
    """``g`` where ``x`` is positive, else ``negative_slope g``; input and result have the same sign."""
    g = widen(grad_output)
    return narrow(torch.where(self > 0, g, g * negative_slope), grad_output.dtype)


def elu(self: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    """``scale x`` where positive, else ``scale alpha (exp(input_scale x) - 1)``."""
    x = widen(self)
    negative = torch.expm1(x * input_scale) * (alpha * scale)
    return narrow(torch.where(x > 0, x * scale, negative), self.dtype)


def elu_backward(
    grad_output: Tensor,
    alpha: float,
    scale: float,
    input_scale: float,
    is_result: bool,
    self_or_result: Tensor,
) -> Tensor:
    """Derivative of :func:`elu` from its input or, with ``is_result``, from its result."""
    g, x = widen(grad_output), widen(self_or_result)
    if is_result:
        negative = g * input_scale * (x + alpha * scale)
    else:
        negative = g * (input_scale * alpha * scale) * torch.exp(x * input_scale)
    return narrow(torch.where(x > 0, g * scale, negative), grad_output.dtype)


def celu(self: Tensor, alpha: float = 1.0) -> Tensor:
    """``x`` where positive, else ``alpha (exp(x / alpha) - 1)``."""
    x = widen(self)
    return narrow(torch.where(x > 0, x, torch.expm1(x * (1 / alpha)) * alpha), self.dtype)


def hardtanh(self: Tensor, min_val: float = -1, max_val: float = 1) -> Tensor:
    """``x`` clamped to [min_val, max_val]; NaN stays NaN."""
    return torch.minimum(torch.maximum(self, constant(min_val, self)), constant(max_val, self))


def hardtanh_backward(grad_output: Tensor, self: Tensor, min_val: float, max_val: float) -> Tensor:
    """``g`` strictly inside the interval, else 0."""
    outside = torch.bitwise_or(self <= min_val, self >= max_val)
    return torch.where(outside, constant(0, grad_output), grad_output)


def _clamp_to_six(x: Tensor) -> Tensor:
    return torch.minimum(torch.maximum(x + 3, constant(0, x)), constant(6, x))


def hardsigmoid(self: Tensor) -> Tensor:
    """``clamp(x + 3, 0, 6) / 6``."""
    return narrow(_clamp_to_six(widen(self)) / 6, self.dtype)


def hardsigmoid_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """``g / 6`` for -3 < x < 3, else 0."""
    g, x = widen(grad_output), widen(self)
    inside = torch.bitwise_and(x > -3, x < 3)
    return narrow(torch.where(inside, g / 6, constant(0, g)), grad_output.dtype)


def hardswish(self: Tensor) -> Tensor:
    """``x clamp(x + 3, 0, 6) / 6``."""
    x = widen(self)
    return narrow(x * _clamp_to_six(x) / 6, self.dtype)


def hardswish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """0 up to -3, ``g (x / 3 + 1/2)`` up to 3, ``g`` beyond."""
    g, x = widen(grad_output), widen(self)
    middle = torch.where(x < 3, g * (x / 3 + 0.5), g)
    return narrow(torch.where(x <= -3, constant(0, g), middle), grad_output.dtype)


def softplus(self: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """``log(1 + exp(beta x)) / beta``, linear where ``beta x`` exceeds ``threshold``."""
    x = widen(self)
    scaled = x * beta
    return narrow(torch.where(scaled > threshold, x, torch.log1p(torch.exp(scaled)) / beta), self.dtype)


def softplus_backward(grad_output: Tensor, self: Tensor, beta: float, threshold: float) -> Tensor:
    """``g σ(beta x)``, ``g`` in the linear part."""
    g, x = widen(grad_output), widen(self)
    scaled = x * beta
    return narrow(torch.where(scaled > threshold, g, g * torch.sigmoid(scaled)), grad_output.dtype)


def mish(self: Tensor) -> Tensor:
    """``x tanh(log(1 + exp(x)))``."""
    x = widen(self)
    return narrow(x * torch.tanh(torch.log1p(torch.exp(x))), self.dtype)


def mish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """``g (t + x σ(x) (1 - t²))`` with ``t = tanh(softplus(x))``."""
    g, x = widen(grad_output), widen(self)
    t = torch.tanh(torch.log1p(torch.exp(x)))
    return narrow(g * (t + x * torch.sigmoid(x) * _one_minus(t * t)), grad_output.dtype)


def log_sigmoid_forward(self: Tensor) -> tuple[Tensor, Tensor]:
    """``log σ(x)`` and a buffer for its backward: ``exp(-|x|)`` on CPU, empty on other devices."""
    x = widen(self)
    decay = torch.exp(torch.neg(torch.abs(x)))
    output = torch.minimum(x, constant(0, x)) - torch.log1p(decay)
    buffer = narrow(decay, self.dtype) if self.device.type == "cpu" else self.new_zeros((0,))
    return narrow(output, self.dtype), buffer


def log_sigmoid_backward(grad_output: Tensor, self: Tensor, buffer: Tensor) -> Tensor:
    """``g σ(-x)``, from ``buffer = exp(-|x|)`` on CPU, from ``x`` alone on devices whose buffer is empty."""
    g, x = widen(grad_output), widen(self)
    if self.device.type != "cpu":
        return narrow(g * torch.sigmoid(torch.neg(x)), grad_output.dtype)
    z = widen(buffer)
    return narrow(g * (torch.where(x < 0, constant(1, z), z) / (z + 1)), grad_output.dtype)


def prelu_kernel(self: Tensor, weight: Tensor) -> Tensor:
    """``x`` where positive, else ``weight x``; ``weight`` broadcasts to ``self``."""
    x, w = widen(self), widen(weight)
    return narrow(torch.where(x > 0, x, x * w), self.dtype)


def prelu_kernel_backward(grad_output: Tensor, self: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of :func:`prelu_kernel`, both of the shape of ``self``."""
    g, x, w = widen(grad_output), widen(self), widen(weight)
    positive = x > 0
    grad_input = torch.where(positive, g, g * w)
    grad_weight = torch.where(positive, constant(0, g), g * x)
    return narrow(grad_input, self.dtype), narrow(grad_weight, self.dtype)


def softshrink(self: Tensor, lambd: float = 0.5) -> Tensor:
    """``x`` moved towards zero by ``lambd`` and 0 in between; NaN stays NaN."""
    x = widen(self)
    shrunk = torch.where(x > 0, x - lambd, x + lambd)
    return narrow(torch.where(torch.abs(x) <= lambd, constant(0, x), shrunk), self.dtype)


def softshrink_backward(grad_output: Tensor, self: Tensor, lambd: float) -> Tensor:
    """``g`` outside [-lambd, lambd], else 0."""
    return torch.where(torch.abs(self) <= lambd, constant(0, grad_output), grad_output)


def hardshrink(self: Tensor, lambd: float = 0.5) -> Tensor:
    """``x`` outside [-lambd, lambd], else 0."""
    return torch.where(torch.abs(self) <= lambd, constant(0, self), self)


def hardshrink_backward(grad_out: Tensor, self: Tensor, lambd: float) -> Tensor:
    """``g`` outside [-lambd, lambd], else 0."""
    return torch.where(torch.abs(self) <= lambd, constant(0, grad_out), grad_out)


def _halves(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    half = x.size(dim) // 2
    slice_ = torch.ops.aten.slice.Tensor
    return slice_(x, dim, 0, half), slice_(x, dim, half, 2 * half)


def glu(self: Tensor, dim: int = -1) -> Tensor:
    """``a σ(b)`` for the two halves ``a``, ``b`` of ``self`` along ``dim``."""
    a, b = _halves(self, dim)
    return narrow(widen(a) * torch.sigmoid(widen(b)), self.dtype)


def glu_backward(grad_output: Tensor, self: Tensor, dim: int) -> Tensor:
    """Gradient of :func:`glu`, of the shape of ``self``."""
    g = widen(grad_output)
    a, b = (widen(half) for half in _halves(self, dim))
    s = torch.sigmoid(b)
    grad_a = g * s
    grad_b = grad_a * _one_minus(s) * a
    return narrow(torch.cat([grad_a, grad_b], dim), self.dtype)


def glu_jvp(glu: Tensor, x: Tensor, dx: Tensor, dim: int) -> Tensor:
    """Tangent of :func:`glu`: ``da σ(b) + a σ(b) (1 - σ(b)) db``; ``glu = a σ(b)`` is the forward result."""
    da, db = (widen(half) for half in _halves(dx, dim))
    s = torch.sigmoid(widen(_halves(x, dim)[1]))
    return narrow(da * s + widen(glu) * (db - db * s), glu.dtype)


def glu_backward_jvp(
    grad_x: Tensor, grad_glu: Tensor, x: Tensor, dgrad_glu: Tensor, dx: Tensor, dim: int
) -> Tensor:
    """Tangent of :func:`glu_backward`, whose halves are ``p = g s`` and ``q = g a s (1 - s)``, ``s = σ(b)``.

    Of ``grad_x`` = (p, q) only p is read; ``dgrad_glu`` and ``dx`` are the tangents of ``g`` and ``x``:
    ``dp = dg s + p (1 - s) db`` and ``dq = dg a s (1 - s) + p (1 - s) (da + a (1 - 2 s) db)``.
    """
    p, dg = widen(_halves(grad_x, dim)[0]), widen(dgrad_glu)
    a, b = (widen(half) for half in _halves(x, dim))
    da, db = (widen(half) for half in _halves(dx, dim))
    s = torch.sigmoid(b)
    rest = db - db * s
    first = dg * s + p * rest
    second = s * _one_minus(s) * (dg * a) + p * (_one_minus(s) * da + a * (_one_minus(s + s) * rest))
    return narrow(torch.cat([first, second], dim), grad_x.dtype)


def logit_backward(grad_output: Tensor, self: Tensor, eps: float | None = None) -> Tensor:
    """``g / (x (1 - x))``: NaN outside of [0, 1], or with ``eps`` 0 outside of [eps, 1 - eps]."""
    g, x = widen(grad_output), widen(self)
    low, outside = (0.0, math.nan) if eps is None or eps < 0 else (eps, 0.0)
    inside = torch.bitwise_and(x >= low, x <= 1.0 - low)
    slope = g / (x * _one_minus(x))
    return narrow(torch.where(inside, slope, constant(outside, x)), grad_output.dtype)


def rrelu_with_noise_functional(
    self: Tensor,
    noise: Tensor,
    lower: float = 0.125,
    upper: float = 1 / 3,
    training: bool = False,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """``x`` where positive, else ``r x`` with ``r`` uniform in [lower, upper], the mean when not training.

    The second result is ``r``, 1 where ``x`` is positive; when not training it is ``noise`` unchanged.
    """
    if not training:
        return leaky_relu(self, (lower + upper) / 2), torch.clone(noise)
    x = widen(self)
    drawn = torch.rand(list(self.shape), dtype=x.dtype, device=self.device) * (upper - lower) + lower
    slope = narrow(torch.where(x <= 0, drawn, constant(1, x)), self.dtype)
    return narrow(torch.where(x <= 0, x * widen(slope), x), self.dtype), slope


def rrelu_with_noise_backward(
    grad_output: Tensor,
    self: Tensor,
    noise: Tensor,
    lower: float,
    upper: float,
    training: bool,
    self_is_result: bool,
) -> Tensor:
    """``g noise`` when training, else the gradient of ``leaky_relu`` at the mean slope."""
    if training:
        return narrow(widen(grad_output) * widen(noise), grad_output.dtype)
    return leaky_relu_backward(grad_output, self, (lower + upper) / 2, self_is_result)
