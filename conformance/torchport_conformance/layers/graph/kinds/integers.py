"""Integers that wrap around, followed by what shows whether they did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph.program import Choices, Draws, Kind, Program, one

KIND = Kind("integer")

_DTYPES = ("uint8", "int8", "int16", "int32", "int64")


def _milestones(dtype: torch.dtype, device: str) -> Tensor:
    limits = torch.iinfo(dtype)
    near = (0, 1, 2, 6, 7, 100, limits.max, limits.max - 1, limits.min, limits.min + 1, limits.max // 2 + 1)
    return torch.tensor(near, dtype=dtype, device=device)


_WRAPS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "negated": lambda t, u: -t,
    "plus-one": lambda t, u: t + 1,
    "minus-two": lambda t, u: t - 2,
    "times-three": lambda t, u: t * 3,
    "squared": lambda t, u: t * t,
    "sum": lambda t, u: t + u,
    "difference": lambda t, u: t - u,
    "product": lambda t, u: t * u,
    "shifted": lambda t, u: t << 1,
    "inverted": lambda t, u: ~t + 1,
    "absolute": lambda t, u: t.abs() + 0,
    "in-place": lambda t, u: t.clone().add_(100),
    "constant": lambda t, u: torch.full_like(t, 7) - 8 + t,
}
_FOLLOWS: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "less": lambda w, t: w < t,
    "greater": lambda w, t: w > t,
    "equal": lambda w, t: (w == t, w != t),
    "less-than-number": lambda w, t: w < 4,
    "int64": lambda w, t: w.to(torch.int64),
    "int32": lambda w, t: w.to(torch.int32),
    "float32": lambda w, t: w.to(torch.float32),
    "float64": lambda w, t: w.to(torch.float64),
    "plus-float": lambda w, t: w + torch.ones(t.shape[0], device=t.device),
    "quotient": lambda w, t: w / 2,
    "floor-quotient": lambda w, t: w // 7,
    "remainder": lambda w, t: w % 5,
    "right-shift": lambda w, t: w >> 1,
    "chosen": lambda w, t: torch.where(w > t, w, t),
    "largest": lambda w, t: (w.max(), w.argmax()),
    "total": lambda w, t: w.sum(),
    "sorted": lambda w, t: w.sort().values,
    "index": lambda w, t: t[(w.to(torch.int64) % t.shape[0])],
    "bool": lambda w, t: w.bool(),
}


@KIND.family(
    axes={"wrap": tuple(_WRAPS), "follow": tuple(_FOLLOWS), "dtype": _DTYPES},
    quick=5,
    more=20,
)
def wraps(choices: Choices) -> Program:
    """A wrapping operator and what follows it."""
    wrap, follow = _WRAPS[choices["wrap"]], _FOLLOWS[choices["follow"]]
    dtype = getattr(torch, choices["dtype"])

    def fn(t: Tensor, u: Tensor) -> Any:
        return follow(wrap(t, u), t)

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        values = _milestones(dtype, draws.device)
        return values, values.flip(0)

    return one(fn, arguments)


_ARANGES: dict[str, Callable[[Any], Any]] = {
    "times-tensor": lambda d: torch.arange(0, 9, device=d) * torch.tensor([1500000000], device=d),
    "times-number": lambda d: torch.arange(5, device=d) * 2**40,
    "int32": lambda d: torch.arange(3, dtype=torch.int32, device=d) * 2**30,
    "to-float": lambda d: torch.arange(2**24, 2**24 + 3, device=d).float(),
    "times-arange": lambda d: torch.arange(0, 3, device=d) * torch.arange(2**31, 2**31 + 3, device=d),
    "squared": lambda d: torch.arange(2**31, 2**31 + 4, device=d) ** 2 // 3,
    "strided": lambda d: torch.arange(0, 2**33, 2**31, device=d) + 1,
    "outer": lambda d: torch.arange(3, device=d)[:, None] * 3_000_000_000 + torch.arange(4, device=d),
    "remainder": lambda d: (torch.arange(-7, 8, device=d) * 2**32) % 5,
    "descending": lambda d: torch.arange(9, 0, -2, device=d) * 2**33 - 1,
}


@KIND.family(axes={"form": tuple(_ARANGES), "then": ("same", "plus", "compare", "sum")}, quick=2)
def aranges(choices: Choices) -> Program:
    """Index arithmetic past 32 bits."""
    form, then = _ARANGES[choices["form"]], choices["then"]

    def fn(x: Tensor) -> Any:
        found = form(x.device)
        match then:
            case "plus":
                return found + x[0]
            case "compare":
                return found > x[0]
            case "sum":
                return found.sum()
        return found, x + 1

    return one(fn, lambda draws: (draws.normal(torch.int64, 3),))
