"""Random operators from uniform and normal numbers, random integers and gamma numbers.

Uniform numbers are drawn in the dtype of the result where the law is bounded above (rounding a wider number
could return the bound itself), and in a dtype of at least float32 where their resolution decides how far the
tail reaches. The formulas invert the distribution function: Devroye, "Non-Uniform Random Variate Generation"
(1986), chapter II.2. Generators are not part of the contract: a value follows the law, not a stream.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, scalar, work_dtype
from torchport.contract.decompositions.operators import aten, several

Layout = torch.layout | None
Device = torch.device | None
Size = Sequence[Any]


def _uniform(size: Size, dtype: torch.dtype, device: Device) -> Tensor:
    return aten.rand.default(list(size), dtype=dtype, device=device)


def _normal(size: Size, dtype: torch.dtype, device: Device) -> Tensor:
    return aten.randn.default(list(size), dtype=dtype, device=device)


def rand(
    size: Size,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Uniform numbers; both parts of a complex one are."""
    result = dtype or torch.get_default_dtype()
    return aten.view_as_complex.default(_uniform([*size, 2], result.to_real(), device))


def randn(
    size: Size,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Normal numbers; a complex one has two independent parts of variance 1/2."""
    real = (dtype or torch.get_default_dtype()).to_real()
    parts = _normal([*size, 2], real, device)
    return aten.view_as_complex.default(aten.mul.Tensor(parts, scalar(math.sqrt(0.5), real, parts)))


def _random_like(op: str) -> Any:
    def decomposition(
        self: Tensor,
        *,
        dtype: torch.dtype | None = None,
        layout: Layout = None,
        device: Device = None,
        pin_memory: bool | None = None,
        memory_format: torch.memory_format | None = None,
    ) -> Tensor:
        draw = getattr(aten, op).default
        result: Tensor = draw(list(self.shape), dtype=dtype or self.dtype, device=device or self.device)
        return result

    return decomposition


rand_like, randn_like = _random_like("rand"), _random_like("randn")


def randint(
    high: Any,
    size: Size,
    *,
    dtype: torch.dtype | None = torch.int64,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Integers in [0, high)."""
    return aten.randint.low(0, high, list(size), dtype=dtype, device=device)


def randint_like(self: Tensor, high: Any, **options: Any) -> Tensor:
    """Integers in [0, high) in self's shape."""
    return randint_like_low(self, 0, high, **options)


def randint_like_low(
    self: Tensor,
    low: Any,
    high: Any,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
    memory_format: torch.memory_format | None = None,
) -> Tensor:
    """Integers in [low, high) in self's shape."""
    return aten.randint.low(
        low, high, list(self.shape), dtype=dtype or self.dtype, device=device or self.device
    )


def randint_like_tensor(
    self: Tensor,
    high: Tensor,
    *,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
    memory_format: torch.memory_format | None = None,
) -> Tensor:
    """Integers in [0, high), ``high`` a tensor of one element: a uniform float64 times it, rounded down."""
    drawn = _uniform(self.shape, torch.float64, device or self.device)
    bound = aten.view.default(convert(high, torch.float64), [])
    return convert(aten.floor.default(aten.mul.Tensor(drawn, bound)), dtype or self.dtype)


def randperm(
    n: Any,
    *,
    dtype: torch.dtype | None = torch.int64,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """A permutation of 0 … n-1: the order of n uniform numbers."""
    order = several(aten.sort.stable, _uniform([n], torch.float64, device), stable=True, dim=0)[1]
    return convert(order, dtype or torch.int64)


def bernoulli_p(self: Tensor, p: float = 0.5, *, generator: Any = None) -> Tensor:
    """1 with probability p: a uniform number below p."""
    drawn = _uniform(self.shape, torch.float32, self.device)
    return convert(aten.lt.Tensor(drawn, scalar(p, torch.float32, self)), self.dtype)


def bernoulli(self: Tensor, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element states."""
    drawn = _uniform(self.shape, torch.float64, self.device)
    return convert(aten.lt.Tensor(drawn, convert(self, torch.float64)), self.dtype)


def bernoulli_tensor(self: Tensor, p: Tensor, *, generator: Any = None) -> Tensor:
    """1 with the probabilities ``p``, which broadcast to self, in self's shape and dtype."""
    drawn = _uniform(self.shape, torch.float64, self.device)
    return convert(aten.lt.Tensor(drawn, convert(p, torch.float64)), self.dtype)


def _random_integers(self: Tensor, low: int, high: int | None) -> Tensor:
    """Integers in [low, high) in self's shape and dtype; ``None`` is one above the largest that the dtype
    holds exactly.
    """
    if high is None:
        if self.dtype.is_floating_point:
            high = 2 ** {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24}.get(self.dtype, 53) + 1
        else:
            largest = 1 if self.dtype is torch.bool else torch.iinfo(self.dtype).max
            high = min(largest + 1, 2**63 - 1)
    return aten.randint.low(low, high, list(self.shape), dtype=self.dtype, device=self.device)


def random_integers(self: Tensor, *, generator: Any = None) -> Tensor:
    """Integers from 0 to the largest that self's dtype holds exactly."""
    return _random_integers(self, 0, None)


def random_from(self: Tensor, from_: int, to: int | None, *, generator: Any = None) -> Tensor:
    """Integers in [from, to)."""
    return _random_integers(self, from_, to)


def random_to(self: Tensor, to: int, *, generator: Any = None) -> Tensor:
    """Integers in [0, to)."""
    return _random_integers(self, 0, to)


def uniform(self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Any = None) -> Tensor:
    """``from + (to - from) u``; where rounding would reach ``to``, ``from`` instead."""
    if self.dtype.is_complex:
        parts = _between([*self.shape, 2], self.dtype.to_real(), self.device, from_, to)
        return aten.view_as_complex.default(parts)
    return _between(self.shape, self.dtype, self.device, from_, to)


def _between(size: Size, dtype: torch.dtype, device: Device, low: float, high: float) -> Tensor:
    u = _uniform(size, dtype, device)
    work = work_dtype(dtype)
    start = scalar(low, work, u)
    scaled = aten.mul.Tensor(convert(u, work), scalar(high - low, work, u))
    result = convert(aten.add.Tensor(start, scaled), dtype)
    reached = aten.ge.Tensor(result, scalar(high, dtype, u))
    return aten.where.self(reached, scalar(low, dtype, u), result)


def _affine_normal(mean: Any, std: Any, size: Size, dtype: torch.dtype, device: Device) -> Tensor:
    """``mean + std z`` in ``dtype``, computed in its work dtype."""
    work = work_dtype(dtype)
    z = _normal(size, work, device)

    def parameter(value: Any) -> Tensor:
        return convert(value, work) if isinstance(value, Tensor) else scalar(value, work, z)

    return convert(aten.add.Tensor(aten.mul.Tensor(z, parameter(std)), parameter(mean)), dtype)


def normal_tensors(mean: Tensor, std: Tensor, *, generator: Any = None) -> Tensor:
    """Normal numbers of the broadcast shape, in mean's dtype."""
    size = torch.broadcast_shapes(mean.shape, std.shape)
    return _affine_normal(mean, std, size, mean.dtype, mean.device)


def normal_mean(mean: Tensor, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Normal numbers of one deviation."""
    return _affine_normal(mean, std, mean.shape, mean.dtype, mean.device)


def normal_std(mean: float, std: Tensor, *, generator: Any = None) -> Tensor:
    """Normal numbers of one mean."""
    return _affine_normal(mean, std, std.shape, std.dtype, std.device)


def normal(
    mean: float,
    std: float,
    size: Size,
    *,
    generator: Any = None,
    dtype: torch.dtype | None = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Normal numbers of one mean and deviation."""
    return _affine_normal(mean, std, size, dtype or torch.get_default_dtype(), device)


def normal_functional(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Normal numbers in self's shape and dtype."""
    return _affine_normal(mean, std, self.shape, self.dtype, self.device)


def _log_complement(self: Tensor) -> Tensor:
    """``log(1 - u)`` of uniform numbers, at most 0 and finite, in self's work dtype."""
    work = work_dtype(self.dtype) if self.dtype.is_floating_point else torch.float32
    return aten.log1p.default(aten.neg.default(_uniform(self.shape, work, self.device)))


def exponential(self: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """``-log(1 - u) / lambd``."""
    logarithm = _log_complement(self)
    return convert(aten.div.Tensor(logarithm, scalar(-lambd, logarithm.dtype, self)), self.dtype)


def geometric(self: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """The number of trials up to the first success: ``ceil(log(1 - u) / log(1 - p))``, at least 1."""
    logarithm = _log_complement(self)
    work = logarithm.dtype
    failures = math.log1p(-p) if p < 1.0 else -math.inf
    trials = aten.ceil.default(aten.div.Tensor(logarithm, scalar(failures, work, self)))
    return convert(aten.maximum.default(trials, scalar(1.0, work, self)), self.dtype)


def cauchy(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Tensor:
    """``median + sigma tan(π (u - 1/2))``."""
    work = work_dtype(self.dtype)
    u = _uniform(self.shape, work, self.device)
    angle = aten.mul.Tensor(aten.sub.Tensor(u, scalar(0.5, work, u)), scalar(math.pi, work, u))
    scaled = aten.mul.Tensor(aten.tan.default(angle), scalar(sigma, work, u))
    return convert(aten.add.Tensor(scaled, scalar(median, work, u)), self.dtype)


def log_normal(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Tensor:
    """``exp(mean + std z)``."""
    exponent = _affine_normal(mean, std, self.shape, work_dtype(self.dtype), self.device)
    return convert(aten.exp.default(exponent), self.dtype)


def sample_dirichlet(self: Tensor, generator: Any = None) -> Tensor:
    """Gamma numbers divided by their sum over the last dimension (Devroye, chapter XI.4)."""
    drawn = aten._standard_gamma.default(self)
    return aten.div.Tensor(drawn, aten.sum.dim_IntList(drawn, [-1], True))


def multinomial(
    self: Tensor, num_samples: Any, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """Indices drawn with the probabilities that the last dimension's weights state.

    With replacement by inversion: the place of a uniform number times the sum among the running sums. Without
    replacement by an exponential race: ``w / e`` with exponential e, its largest elements first (Efraimidis
    and Spirakis, "Weighted random sampling with a reservoir", 2006, algorithm A).
    """
    weights = convert(self, torch.float64)
    if replacement:
        totals = aten.cumsum.default(weights, -1)
        u = _uniform([*self.shape[:-1], num_samples], torch.float64, self.device)
        whole = aten.slice.Tensor(totals, -1, self.shape[-1] - 1, self.shape[-1])
        found = aten.searchsorted.Tensor(totals, aten.mul.Tensor(u, whole), right=True)
        return found
    race = aten.neg.default(
        aten.log1p.default(aten.neg.default(_uniform(self.shape, torch.float64, self.device)))
    )
    tiny = scalar(torch.finfo(torch.float64).tiny, torch.float64, self)
    keys = aten.div.Tensor(weights, aten.maximum.default(race, tiny))
    return several(aten.topk.default, keys, num_samples, -1, True, True)[1]
