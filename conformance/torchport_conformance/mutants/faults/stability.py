"""Formulas that are right on paper and lose their digits, overflow, or divide by zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.mutants.fault import Fault, floats_of, named
from torchport_conformance.mutants.kernel import Call

Formula = Callable[[Call], Sequence[Tensor]]


def _formula(formula: Formula) -> Callable[[Call, str], None]:
    """A kernel that computes floating operands by a formula of its own in float32, and others right."""

    def plant(call: Call, variant: str) -> None:
        first = call.tensors()[0][1]
        call.write(formula(call) if first.is_floating_point() and first.numel() else call.right())

    return plant


def _self(call: Call) -> Tensor:
    x = call.tensors()[0][1]
    return x.float() if x.element_size() < 4 else x


def _softmax(call: Call) -> list[Tensor]:
    e = _self(call).exp()
    return [e / e.sum(call.arguments["dim"], keepdim=True) if e.dim() else torch.ones_like(e)]


def _log_softmax(call: Call) -> list[Tensor]:
    return [torch.softmax(_self(call), call.arguments["dim"]).log()]


def _logsumexp(call: Call) -> list[Tensor]:
    x = _self(call)
    dim = call.arguments["dim"] if x.dim() else []
    return [x.exp().sum(dim, keepdim=call.arguments["keepdim"]).log()]


def _log_running_sum(call: Call) -> list[Tensor]:
    x = _self(call)
    return [x.exp().cumsum(call.arguments["dim"]).log() if x.dim() else x]


def _expm1(call: Call) -> list[Tensor]:
    return [_self(call).exp() - 1]


def _log1p(call: Call) -> list[Tensor]:
    return [(1 + _self(call)).log()]


def _erfc(call: Call) -> list[Tensor]:
    return [1 - torch.erf(_self(call))]


def _tanh(call: Call) -> list[Tensor]:
    e = (2 * _self(call)).exp()
    return [(e - 1) / (e + 1)]


def _sigmoid(call: Call) -> list[Tensor]:
    e = _self(call).exp()
    return [e / (1 + e)]


def _asinh(call: Call) -> list[Tensor]:
    x = _self(call)
    return [(x + (x * x + 1).sqrt()).log()]


def _hypot(call: Call) -> list[Tensor]:
    x, y = call.arguments["self"], call.arguments["other"]
    return [(x * x + y * y).sqrt()]


def _logaddexp(call: Call) -> list[Tensor]:
    return [(call.arguments["self"].exp() + call.arguments["other"].exp()).log()]


def _softplus(call: Call) -> list[Tensor]:
    beta = call.arguments["beta"]
    return [(1 + (_self(call) * beta).exp()).log() / beta]


def _log_sigmoid(call: Call) -> list[Tensor]:
    return [torch.sigmoid(_self(call)).log(), *call.right()[1:]]


def _gelu_tanh(call: Call) -> list[Tensor]:
    x = _self(call)
    if call.arguments["approximate"] != "tanh":
        return call.right()
    e = (2 * 0.7978845608028654 * (x + 0.044715 * x * x * x)).exp()
    return [0.5 * x * (1 + (e - 1) / (e + 1))]


def _silu(call: Call) -> list[Tensor]:
    x = _self(call)
    return [x * x.exp() / (1 + x.exp())]


def _norm(call: Call) -> list[Tensor]:
    """Squares overflow and underflow in the operand's dtype."""
    x = call.tensors()[0][1]
    given = call.arguments
    if given.get("ord", 2) != 2:
        return call.right()
    dims = given.get("dim")
    dims = list(range(x.dim())) if dims is None else list(dims)
    return [(x * x).sum(dims, keepdim=given["keepdim"]).sqrt() if dims else x.abs()]


def _moments(x: Tensor, dims: Sequence[int], keepdim: bool = True) -> tuple[Tensor, Tensor]:
    """Mean, and variance as the mean square less the square of the mean."""
    over = list(dims)
    mean = x.mean(over, keepdim=keepdim)
    return mean, ((x * x).mean(over, keepdim=keepdim) - mean * mean).clamp(min=0)


def _variance(call: Call) -> list[Tensor]:
    x, dims = _self(call), call.arguments["dim"]
    dims = list(range(x.dim())) if dims is None or not len(dims) else list(dims)
    if not dims:
        return call.right()
    mean, biased = _moments(x, dims, call.arguments["keepdim"])
    count = x.numel() // max(mean.numel(), 1)
    correction = call.arguments["correction"]
    divisor = max(count - (1 if correction is None else correction), 0)
    variance = biased * count / divisor if divisor else torch.full_like(biased, torch.nan)
    first = variance.sqrt() if "std" in call.spec.name else variance
    return [first, mean] if "mean" in call.spec.name else [first]


def _layer_norm(call: Call) -> list[Tensor]:
    x, given = _self(call), call.arguments
    dims = list(range(x.dim() - len(given["normalized_shape"]), x.dim()))
    mean, variance = _moments(x, dims)
    return _normalized(call, x, mean, variance.clamp(min=1e-6), given["weight"], given["bias"])


def _normalized(
    call: Call, x: Tensor, mean: Tensor, variance: Tensor, weight: Any, bias: Any
) -> list[Tensor]:
    scale = (variance + call.arguments["eps"]).rsqrt()
    result = (x - mean) * scale
    result = result if weight is None else result * weight
    result = result if bias is None else result + bias
    return [part.reshape(out.shape) for part, out in zip((result, mean, scale), call.outs, strict=True)]


def _group_norm(call: Call) -> list[Tensor]:
    x, given = _self(call), call.arguments
    rows = x.reshape(given["N"] * given["group"], -1)
    mean, variance = _moments(rows, [1])
    channels = (1, given["C"], *[1] * (x.dim() - 2))
    scale = (variance + given["eps"]).rsqrt()
    result = ((rows - mean) * scale).reshape(x.shape)
    for name, join in (("weight", torch.mul), ("bias", torch.add)):
        if given[name] is not None:
            result = join(result, given[name].reshape(channels))
    return [part.reshape(out.shape) for part, out in zip((result, mean, scale), call.outs, strict=True)]


def _statistics_unbiased(call: Call, variant: str) -> None:
    """Batches are normalized by the unbiased variance."""
    results = call.right()
    x = call.tensors()[0][1]
    count = x.numel() // max(x.shape[1], 1) if x.dim() > 1 else 0
    if call.arguments.get("training", True) and count > 1:
        results = [results[0] * ((count - 1) / count) ** 0.5, *results[1:]]
    call.write(results)


def _statistics_kept(call: Call, variant: str) -> None:
    """Running statistics stay what they were."""
    results = list(call.right())
    given = [call.arguments.get(n) for n in ("running_mean", "running_var")]
    for i, old in zip((-2, -1), given, strict=True):
        if old is not None and results[i].shape == old.shape:
            results[i] = old
    call.write(results)


def _fault(name: str, text: str, formula: Formula, *ops: str, kind: str = "numerical-stability") -> Fault:
    return Fault(name, text, (kind,), _formula(formula), named(*ops), floats_of)


FAULTS = (
    _fault(
        "softmax-overflows",
        "softmax without the largest taken off",
        _softmax,
        "_softmax.default",
        "_safe_softmax.default",
    ),
    _fault("log-of-softmax", "log_softmax as the logarithm of softmax", _log_softmax, "_log_softmax.default"),
    _fault("logsumexp-overflows", "logsumexp without the largest taken off", _logsumexp, "logsumexp.default"),
    _fault(
        "running-logsumexp-overflows",
        "logcumsumexp by a running sum",
        _log_running_sum,
        "logcumsumexp.default",
        "_logcumsumexp.default",
    ),
    _fault("expm1-cancels", "expm1 as exp(x) - 1", _expm1, "expm1.default"),
    _fault("log1p-cancels", "log1p as log(1 + x)", _log1p, "log1p.default"),
    _fault("erfc-cancels", "erfc as 1 - erf(x)", _erfc, "erfc.default"),
    _fault("tanh-overflows", "tanh by exponentials", _tanh, "tanh.default"),
    _fault("sigmoid-overflows", "sigmoid by exp(x)", _sigmoid, "sigmoid.default"),
    _fault("asinh-cancels", "asinh by one logarithm", _asinh, "asinh.default"),
    _fault("hypot-overflows", "hypot by squares", _hypot, "hypot.default"),
    _fault("logaddexp-overflows", "logaddexp by exponentials", _logaddexp, "logaddexp.default"),
    _fault("softplus-overflows", "softplus without its threshold", _softplus, "softplus.default"),
    _fault(
        "log-of-sigmoid",
        "log_sigmoid as the logarithm of sigmoid",
        _log_sigmoid,
        "log_sigmoid_forward.default",
    ),
    _fault("gelu-overflows", "gelu's tanh by exponentials", _gelu_tanh, "gelu.default"),
    _fault("silu-overflows", "silu by exp(x)", _silu, "silu.default"),
    _fault("norm-overflows", "a norm by squares in the operand's dtype", _norm, "linalg_vector_norm.default"),
    _fault(
        "variance-cancels",
        "a variance as the mean square less the squared mean",
        _variance,
        "var.correction",
        "std.correction",
        "var_mean.correction",
        "std_mean.correction",
        kind="cancellation",
    ),
    _fault(
        "layer-norm-cancels",
        "layer norm by the mean square, bounded from below",
        _layer_norm,
        "native_layer_norm.default",
        kind="cancellation",
    ),
    _fault(
        "group-norm-cancels",
        "group norm by the mean square",
        _group_norm,
        "native_group_norm.default",
        kind="cancellation",
    ),
    Fault(
        "batch-statistics-unbiased",
        "batches are normalized by the unbiased variance",
        ("batchnorm-stats",),
        _statistics_unbiased,
        named(
            "_native_batch_norm_legit_functional.default",
            "_native_batch_norm_legit.no_stats",
            "_batch_norm_with_update_functional.default",
            "native_batch_norm.default",
        ),
        floats_of,
    ),
    Fault(
        "running-statistics-kept",
        "running statistics are not updated",
        ("batchnorm-stats", "alias-write-lost"),
        _statistics_kept,
        named("_native_batch_norm_legit_functional.default", "_batch_norm_with_update_functional.default"),
        floats_of,
    ),
)
