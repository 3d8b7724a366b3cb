"""The laws of random operators: what every result satisfies, whatever the generator draws.

A law maps the operator's arguments and its result to: which elements lie in the support, how far each element
is from its mean, its variance and, where the law has a distribution function, its value there. The tests:

* every element lies in the support, and what has no variance is its mean, bit for bit (p of 0 and 1);
* the sum of the distances is within :data:`SIGMAS` standard errors of 0, and for laws with light tails
  (kurtosis at most 3) so is the sum of their squares relative to the sum of the variances;
* the empirical distribution is no further from the law's than a chance below :data:`CHANCE` allows, by the
  inequality of Dvoretzky, Kiefer, Wolfowitz and Massart, whose constant holds for every sample size;
* neighbours do not go together: the correlation with the element that lies one, a row, or a power of two
  further is within :data:`SIGMAS` of its standard errors. Rows, blocks and lanes that repeat have one of 1.

All but the first need :data:`ENOUGH_SAMPLES`. A right generator fails one test of a sample with a chance of
some 1e-11 (of 5e-10 for the mean of a skewed law), which is far below 1e-6 for all samples of a profile.
A law without moments is mapped to a uniform one by its distribution function first.

The parameters are the operator's own arguments, so one law serves all operators that draw from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

ENOUGH_SAMPLES = 1000
"""Below this number the moments of a sample are not tested."""
SIGMAS = 7.0
"""Standard errors that a sample's moments and correlations may be off."""
CHANCE = 1e-11
"""With what chance a right sample's distribution may be taken for another one."""
_LAGS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sample seen through its law; float64.

    ``inside`` tells which elements lie in the support, which ``support`` describes. ``centred`` are the
    elements less their means (of a transformed sample where the law has no moments), None where only the
    support is known; ``variance`` broadcasts to it. ``light`` says that the kurtosis is at most 3.
    """

    inside: Tensor
    support: str
    centred: Tensor | None = None
    variance: Tensor | float = 1.0
    light: bool = False
    quantile: Tensor | None = None
    discrete: bool = False


Arguments = Mapping[str, Any]
Law = Callable[[Arguments, Tensor], Drawn]


def _wide(value: Any) -> Any:
    """A parameter in float64, or as it is where it is a number."""
    return value.detach().cpu().to(torch.float64) if isinstance(value, Tensor) else value


def _get(arguments: Arguments, name: str, default: Any) -> Any:
    value = arguments.get(name)
    return default if value is None else _wide(value)


def _uniform(arguments: Arguments, x: Tensor) -> Drawn:
    return Drawn((x >= 0) & (x < 1), "[0, 1)", x - 0.5, 1.0 / 12.0, light=True, quantile=x)


def _uniform_between(arguments: Arguments, x: Tensor) -> Drawn:
    low, high = _get(arguments, "from", 0.0), _get(arguments, "to", 1.0)
    inside = (x >= low) & (x <= high)
    middle, share = x - (low + high) / 2, (x - low) / (high - low) if high > low else None
    return Drawn(inside, f"[{low}, {high}]", middle, (high - low) ** 2 / 12.0, light=True, quantile=share)


def _normal(arguments: Arguments, x: Tensor) -> Drawn:
    mean, std = _get(arguments, "mean", 0.0), _get(arguments, "std", 1.0)
    scaled = (x - mean) / std
    share = torch.special.ndtr(scaled) if bool((torch.as_tensor(std) > 0).all()) else None
    spread = std**2 * torch.ones_like(x)
    return Drawn(x.isfinite(), "the numbers", x - mean, spread, light=True, quantile=share)


def _log_normal(arguments: Arguments, x: Tensor) -> Drawn:
    mean, std = _get(arguments, "mean", 1.0), _get(arguments, "std", 2.0)
    smallest = torch.finfo(torch.float64).tiny
    centred = torch.log(x.clamp(min=smallest)) - mean
    return Drawn(x >= 0, "[0, inf)", centred, std**2, quantile=torch.special.ndtr(centred / std))


def _bernoulli(arguments: Arguments, x: Tensor) -> Drawn:
    p = _get(arguments, "p", None)
    p = _wide(arguments["self"]) if p is None else p
    spread = p * (1 - p) * torch.ones_like(x)
    return Drawn((x == 0) | (x == 1), "{0, 1}", x - p, spread, discrete=True)


def _uniform_integer(arguments: Arguments, x: Tensor) -> Drawn:
    low = _get(arguments, "low", _get(arguments, "from", 0))
    high = _get(arguments, "high", _get(arguments, "to", None))
    whole = x == x.round()
    if high is None:
        return Drawn(whole & (x >= low), f"the integers from {low}", discrete=True)
    count = high - low
    return Drawn(
        whole & (x >= low) & (x < high),
        f"the integers in [{low}, {high})",
        x - (low + high - 1) / 2,
        (count * count - 1) / 12.0,
        light=True,
        quantile=(x - low + 1) / count,
        discrete=True,
    )


def _exponential(arguments: Arguments, x: Tensor) -> Drawn:
    rate = _get(arguments, "lambd", 1.0)
    return Drawn(x >= 0, "[0, inf)", x - 1.0 / rate, 1.0 / rate**2, quantile=-torch.expm1(-rate * x))


def _cauchy(arguments: Arguments, x: Tensor) -> Drawn:
    median, sigma = _get(arguments, "median", 0.0), _get(arguments, "sigma", 1.0)
    uniform = torch.atan((x - median) / sigma) / math.pi
    return Drawn(~x.isnan(), "the numbers", uniform, 1.0 / 12.0, light=True, quantile=uniform + 0.5)


def _geometric(arguments: Arguments, x: Tensor) -> Drawn:
    p = _get(arguments, "p", 0.5)
    inside = (x >= 1) & (x == x.round())
    share = -torch.expm1(x * math.log1p(-p)) if 0.0 < p < 1.0 else None
    mean, spread = 1.0 / p, (1.0 - p) / p**2
    return Drawn(inside, "the positive integers", x - mean, spread, quantile=share, discrete=True)


def _poisson(arguments: Arguments, x: Tensor) -> Drawn:
    rate = _wide(arguments["self"])
    return Drawn((x >= 0) & (x == x.round()), "the natural numbers", x - rate, rate, discrete=True)


def _binomial(arguments: Arguments, x: Tensor) -> Drawn:
    count, p = _wide(arguments["count"]), _wide(arguments["prob"])
    inside = (x >= 0) & (x <= count) & (x == x.round())
    spread = count * p * (1 - p)
    return Drawn(inside, "the integers from 0 to count", x - count * p, spread, discrete=True)


def _gamma(arguments: Arguments, x: Tensor) -> Drawn:
    shape = _wide(arguments["self"])
    return Drawn(x >= 0, "[0, inf)", x - shape, shape, quantile=torch.special.gammainc(shape, x))


def _dirichlet(arguments: Arguments, x: Tensor) -> Drawn:
    """Only the first component is tested for its mean: the components of a point sum to 1."""
    concentration = _wide(arguments["self"])
    total = concentration.sum(-1)
    mean = concentration[..., 0] / total
    inside = (x >= 0) & (x <= 1) & ((x.sum(-1, keepdim=True) - 1).abs() <= 1e-2)
    return Drawn(inside, "the simplex", x[..., 0] - mean, mean * (1 - mean) / (total + 1))


def _permutation(arguments: Arguments, x: Tensor) -> Drawn:
    inside = x.sort()[0] == torch.arange(x.numel(), dtype=torch.float64)
    return Drawn(inside, "the permutations", discrete=True)


def _categorical(arguments: Arguments, x: Tensor) -> Drawn:
    """Indices of positive weights, all different without replacement."""
    weights = _wide(arguments["self"])
    picked = torch.gather(weights, -1, x.clamp(0, weights.shape[-1] - 1).to(torch.int64))
    inside = (x >= 0) & (x < weights.shape[-1]) & (picked > 0)
    if not arguments.get("replacement"):
        ordered = x.sort(-1)[0]
        inside = inside & (ordered.diff(dim=-1) > 0).all(-1, keepdim=True)
        return Drawn(inside, "the different indices of positive weights", discrete=True)
    positions = torch.arange(weights.shape[-1], dtype=torch.float64)
    shares = weights / weights.sum(-1, keepdim=True)
    mean = (shares * positions).sum(-1, keepdim=True)
    variance = (shares * positions**2).sum(-1, keepdim=True) - mean**2
    return Drawn(inside, "the indices of positive weights", x - mean, variance, discrete=True)


LAWS: Mapping[str, Law] = {
    "uniform": _uniform,
    "uniform-between": _uniform_between,
    "normal": _normal,
    "log-normal": _log_normal,
    "bernoulli": _bernoulli,
    "uniform-integer": _uniform_integer,
    "exponential": _exponential,
    "cauchy": _cauchy,
    "geometric": _geometric,
    "poisson": _poisson,
    "binomial": _binomial,
    "gamma": _gamma,
    "dirichlet": _dirichlet,
    "permutation": _permutation,
    "categorical": _categorical,
}
"""Laws by the keyword that ``numerics.special`` of an entry names them with."""

UNBOUNDED = frozenset({"cauchy", "log-normal", "exponential"})
"""Laws whose results may overflow a narrow dtype to infinity."""


def verdict(law: str, arguments: Arguments, got: Tensor) -> tuple[float, str]:
    """How far a result is from its law: a ratio (at most 1 is right) and a message ("" is right).

    Args:
        law: a keyword of :data:`LAWS`.
        arguments: the operator's, for the parameters.
        got: the result; the parts of a complex one are independent, each with half of the variance.
    """
    if got.numel() == 0:
        return 0.0, ""
    if got.dtype.is_complex:
        scale = math.sqrt(2.0) if law == "normal" else 1.0
        parts = torch.view_as_real(got).to(torch.float64) * scale
        found = [verdict(law, _part(arguments, i, scale), parts[..., i]) for i in (0, 1)]
        return max(found, key=lambda f: f[0])
    x = got.to(torch.float64)
    if bool(x.isnan().any()) or (law not in UNBOUNDED and bool(x.isinf().any())):
        return math.inf, "a random value is not finite"
    drawn = LAWS[law](arguments, x)
    if not bool(drawn.inside.all()):
        return math.inf, f"a random value is outside of {drawn.support}"
    if drawn.centred is None:
        return 0.0, ""
    variance = torch.as_tensor(drawn.variance, dtype=torch.float64).expand_as(drawn.centred)
    finite = drawn.centred.isfinite()
    centred = torch.where(finite, drawn.centred, 0.0)
    if drawn.discrete and bool((centred[variance == 0] != 0).any()):
        return math.inf, "a value that leaves nothing to chance is another one"
    if drawn.centred.numel() < ENOUGH_SAMPLES:
        return 0.0, ""
    total = float((variance * finite).sum())
    rounding = torch.finfo(got.dtype).eps if got.is_floating_point() else 0.0
    off = max(abs(float(centred.sum())) - rounding * float(x[x.isfinite()].abs().sum()), 0.0)
    errors = off / math.sqrt(total) if total > 0.0 else math.inf * (off > 0.0)
    if errors > SIGMAS:
        return errors / SIGMAS, f"the mean is {errors:.1f} standard errors off"
    spread = float((centred**2).sum() - centred.sum() ** 2 / centred.numel())
    ratio = spread / total if total > 0.0 else 1.0
    # The relative standard error of a sample variance is at most √(2/n) where the kurtosis is at most 3.
    if drawn.light and abs(ratio - 1.0) > SIGMAS * math.sqrt(2.0 / centred.numel()):
        return math.inf, f"the variance is {ratio:.3f} of what it should be"
    wrong = _distribution(drawn, rounding) or correlated(centred, variance)
    return (math.inf, wrong) if wrong else (errors / SIGMAS, "")


def _distribution(drawn: Drawn, rounding: float) -> str:
    """Whether the sample is too far from the law's distribution function, in words; "" where it is not."""
    if drawn.quantile is None:
        return ""
    shares, count = drawn.quantile.reshape(-1).sort()[0], drawn.quantile.numel()
    upto = torch.searchsorted(shares, shares, right=True) / count
    distance = (upto - shares).abs()
    if not drawn.discrete:
        below = torch.searchsorted(shares, shares) / count
        distance = torch.maximum(distance, (shares - below).abs())
    # A value that is rounded to its dtype moves its quantile by no more than so many units.
    allowed = math.sqrt(math.log(2.0 / CHANCE) / (2.0 * count)) + 2.0 * rounding
    worst = float(distance.max())
    return (
        f"the distribution is {worst:.3f} from the law's, {allowed:.3f} is allowed" if worst > allowed else ""
    )


def correlated(centred: Tensor, variance: Tensor) -> str:
    """Whether elements go together with others a lag further, in words; "" where they do not.

    Args:
        centred: the elements less their means, in the order of memory.
        variance: their variances.
    """
    row = centred.shape[-1] if centred.dim() else 1
    scaled = (centred / variance.clamp(min=torch.finfo(torch.float64).tiny).sqrt()).reshape(-1)
    scaled = torch.where(variance.reshape(-1) > 0, scaled, 0.0)
    # Bounded, so that the heavy tails of a law do not make a sum of products of it.
    scaled = scaled.clamp(-3.0, 3.0)
    for lag in dict.fromkeys((*_LAGS, row)):
        if scaled.numel() < ENOUGH_SAMPLES + lag:
            continue
        a, b = scaled[:-lag] - scaled[:-lag].mean(), scaled[lag:] - scaled[lag:].mean()
        size = float((a * a).mean() * (b * b).mean()) ** 0.5
        if size <= 0.0:
            continue
        found = float((a * b).mean()) / size * math.sqrt(a.numel())
        if abs(found) > SIGMAS:
            return f"elements {lag} apart go together: {abs(found):.0f} standard errors of a correlation"
    return ""


def draws_differ(law: str, arguments: Arguments, got: Tensor) -> bool:
    """Whether another draw is the same with a chance that nobody sees, by the spread of the law."""
    if law not in LAWS or got.dtype.is_complex or not got.numel():
        return False
    drawn = LAWS[law](arguments, got.to(torch.float64))
    if drawn.centred is None:
        return False
    variance = torch.as_tensor(drawn.variance, dtype=torch.float64).expand_as(drawn.centred)
    if drawn.discrete:
        return float(variance.clamp(max=1.0).sum()) > _SPREAD
    return int((variance > 0).sum()) >= _CONTINUOUS


_SPREAD = 60.0
"""A sum of variances with which integers are all drawn again with a chance below 1e-20."""
_CONTINUOUS = 32
"""The same of numbers with 8 bits or more: how many."""


def _part(arguments: Arguments, i: int, scale: float) -> Arguments:
    """Parameters of the real or the imaginary part: a complex mean has parts, and they were scaled."""
    mean = arguments.get("mean")
    if mean is None:
        return arguments
    value = mean if isinstance(mean, Tensor) and mean.is_complex() else None
    part = (mean if i == 0 else 0.0) if value is None else torch.view_as_real(value.detach().cpu())[..., i]
    return {**arguments, "mean": part * scale}
