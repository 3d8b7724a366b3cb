"""What optimizers fold: constants that are NaN, products with zero, identities, literals out of range."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph.program import Choices, Draws, Kind, Program, one

KIND = Kind("constant")

_IDENTITIES: dict[str, Callable[[Tensor], Any]] = {
    "times-zero": lambda x: x * 0,
    "zero-times": lambda x: 0 * x,
    "zeros-times": lambda x: torch.zeros_like(x) * x,
    "minus-itself": lambda x: x - x,
    "over-itself": lambda x: x / x,
    "to-the-zero": lambda x: x**0,
    "plus-zero": lambda x: x + 0.0,
    "minus-zero": lambda x: x - 0.0,
    "times-one": lambda x: x * 1,
    "over-one": lambda x: x / 1,
    "power-one": lambda x: x.pow(1),
    "root-squared": lambda x: x.abs().sqrt().square(),
    "negated-twice": lambda x: x.neg().neg(),
    "maximum-of-itself": lambda x: torch.maximum(x, x),
    "clamp-crossed": lambda x: x.clamp(min=0, max=-1),
    "clamp-one-side": lambda x: (x.clamp(min=0.5), x.clamp(max=0.5)),
    "relu": lambda x: x.relu(),
    "equals-itself": lambda x: x == x,
    "differs-from-itself": lambda x: x != x,
    "greater-or-equal": lambda x: x >= x,
    "over-zero": lambda x: x / 0,
    "where-nan": lambda x: torch.where(x == x, x, 0.0),
    "masked-zero": lambda x: torch.where(x > 0, x, 0.0) * 0,
    "sum-of-zeros": lambda x: (x * 0).sum(),
    "remainder-one": lambda x: x % 1,
    "exp-of-log": lambda x: x.abs().log().exp(),
    "added-and-taken": lambda x: (x + 1) - 1,
    "logical": lambda x: torch.logical_and(x > 0, x <= 0),
}
_SPECIAL: dict[str, tuple[float, ...]] = {
    "nan-first": (math.nan, 1.0, -2.0, 0.5, 3.0),
    "nan-last": (1.0, -2.0, 0.5, 3.0, math.nan),
    "infinite": (math.inf, -math.inf, 1.0, -1.0, 0.5),
    "zeros": (0.0, -0.0, 1.0, -1.0, 0.0),
    "plain": (0.5, -0.5, 2.0, -2.0, 7.0),
}


@KIND.family(
    axes={"form": tuple(_IDENTITIES), "values": tuple(_SPECIAL), "dtype": ("float32", "float16", "bfloat16")},
    quick=3,
)
def identities(choices: Choices) -> Program:
    """Identities of numbers that do not hold for NaN, infinity or zero."""
    form, dtype = _IDENTITIES[choices["form"]], getattr(torch, choices["dtype"])
    values = _SPECIAL[choices["values"]]

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        return (torch.tensor(values * 3, dtype=dtype, device=draws.device),)

    return one(lambda x: form(x), arguments)


_FOLDED: dict[str, Callable[[Tensor], Tensor]] = {
    "nan-softmax": lambda o: torch.softmax(torch.arccosh(torch.log2(torch.atan2(o, o))), -1),
    "root-of-negative": lambda o: torch.sqrt(-o),
    "log-of-negative": lambda o: torch.log(-o),
    "over-zero": lambda o: o / 0,
    "zero-over-zero": lambda o: (o - o) / (o - o),
    "nan-maximum": lambda o: torch.full((2, 2), math.nan, device=o.device).max() + o,
    "infinite-difference": lambda o: (o / 0) - (o / 0),
    "uint8-negated": lambda o: torch.neg(torch.full((2, 2), 7, dtype=torch.uint8, device=o.device)) + o,
    "uint8-past-end": lambda o: torch.full((2, 2), 7, dtype=torch.uint8, device=o.device) * 40 + o,
    "int8-sum": lambda o: torch.full((2, 2), 100, dtype=torch.int8, device=o.device) + 100 + o,
    "bool-sum": lambda o: (o > 0).sum() + o,
    "one-third": lambda o: o * (1.0 / 3.0) - o / 3,
    "double-literal": lambda o: o.double() * 0.1,
    "half-literal": lambda o: (o.half() * 0.1).float(),
    "epsilon": lambda o: (o + 1e-8) - o,
}
_WITH: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "alone": lambda c, x: (c, x + 1),
    "added": lambda c, x: c + x,
    "multiplied": lambda c, x: c * x,
    "chosen": lambda c, x: torch.where(c > 0, x, c),
}


@KIND.family(axes={"form": tuple(_FOLDED), "with": tuple(_WITH)}, quick=2)
def folded(choices: Choices) -> Program:
    """Constants made in the program, which may be computed before it runs."""
    form, use = _FOLDED[choices["form"]], _WITH[choices["with"]]

    def fn(x: Tensor) -> Any:
        return use(form(torch.ones(2, 2, device=x.device)), x)

    return one(fn, lambda draws: (draws.normal(torch.float32, 2, 2),))


_BOUNDS: dict[str, Callable[[Tensor], Any]] = {
    "clamp": lambda x: x.clamp(min=-3.4e39, max=3.4e39),
    "clamp-wide": lambda x: x.clamp(min=-70000.0),
    "clamp-integer": lambda x: x.clamp(min=-1),
    "fill": lambda x: x.fill_(300),
    "full": lambda x: torch.full_like(x, 300),
    "add": lambda x: x + 300,
    "add-large": lambda x: x + 3.5e38,
    "multiply-large": lambda x: x * 1e300,
    "masked-fill": lambda x: x.masked_fill(x > 0, -1e9),
    "where": lambda x: torch.where(x > 0, x, 1e300),
    "compare": lambda x: (x < 300, x > -1, x == 256),
    "true-division": lambda x: x.div_(2),
}


@KIND.family(
    axes={"form": tuple(_BOUNDS), "dtype": ("float32", "float16", "bfloat16", "uint8", "int8", "int64")},
    quick=3,
)
def out_of_range(choices: Choices) -> Program:
    """Literals that do not fit the dtype: eager's value, or an error where eager raises."""
    form, dtype = _BOUNDS[choices["form"]], getattr(torch, choices["dtype"])
    return one(lambda x: form(x), lambda draws: (draws.count(dtype, 4),))


_REFUSED: dict[str, tuple[Callable[[Tensor, Tensor], Any], torch.dtype, torch.dtype]] = {
    "linear-half": (lambda x, w: torch.nn.functional.linear(x, w), torch.float16, torch.float32),
    "matmul-half": (lambda x, w: x @ w, torch.float16, torch.float32),
    "matmul-double": (lambda x, w: x @ w, torch.float64, torch.float32),
    "float-index": (lambda x, w: x.index_select(0, w[0]), torch.float32, torch.float32),
    "sizes": (lambda x, w: x + torch.cat([w, w]), torch.float32, torch.float32),
    "sizes-of-product": (lambda x, w: x @ w[:2], torch.float32, torch.float32),
    "float-into-integer": (lambda x, w: x.add_(w), torch.int64, torch.float32),
    "integer-mean": (lambda x, w: x.mean(), torch.int64, torch.float32),
}


@KIND.family(axes={"form": tuple(_REFUSED)}, quick=1, more=6)
def refused(choices: Choices) -> Program:
    """What eager refuses has to be refused."""
    form, first, second = _REFUSED[choices["form"]]
    return one(lambda x, w: form(x, w), lambda d: (d.normal(first, 3, 3), d.normal(second, 3, 3)))
