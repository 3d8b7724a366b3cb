"""Random numbers in programs, judged by laws: no implementation has to draw what another draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchport_conformance.layers.graph.observation import Seen
from torchport_conformance.layers.graph.program import Call, Choices, Kind, Program

KIND = Kind("random")

SIGMAS = 6.0
"""Standard deviations that a share may be off by: a false alarm in a thousand million."""
_SIDE = 64

_DROPS: dict[str, Callable[[Tensor, float], Tensor]] = {
    "plain": lambda x, p: F.dropout(x, p),
    "after-sine": lambda x, p: F.dropout(x.sin(), p) * 2,
    "transposed": lambda x, p: F.dropout(x.t().contiguous(), p),
    "in-place": lambda x, p: F.dropout(x + 0, p, inplace=True),
    "bernoulli": lambda x, p: x * torch.bernoulli(torch.full_like(x, 1 - p)) / max(1 - p, 1e-9),
    "rand": lambda x, p: x * (torch.rand_like(x) >= p) / max(1 - p, 1e-9),
}


@KIND.family(axes={"form": tuple(_DROPS), "p": ("0.0", "0.25", "0.5", "1.0")}, quick=2)
def dropout(choices: Choices) -> Program:
    """Shares that are kept, independence of neighbours and of calls, one mask forward and backward."""
    form, p = _DROPS[choices["form"]], float(choices["p"])

    def fn(x: Tensor) -> Any:
        y = form(x, p)
        (grad,) = torch.autograd.grad(y.sum(), x) if x.requires_grad else (y,)
        return y, grad

    calls = [Call(lambda d: (torch.ones(_SIDE, _SIDE, device=d.device),), f"draw {i + 1}") for i in range(2)]

    def law(results: Sequence[Any]) -> str:
        kept = []
        for result in results:
            if isinstance(result, str):
                return result
            kept.append(_first(result) != 0)
        return _laws(kept, 1.0 - p)

    return Program(lambda: fn, calls, law=law)


def _first(result: Sequence[Any]) -> Tensor:
    assert isinstance(result[0], Seen)
    return result[0].values[0]


def _laws(masks: Sequence[Tensor], share: float) -> str:
    count = masks[0].numel()
    allowed = SIGMAS * math.sqrt(share * (1 - share) / count)
    for mask in masks:
        off = abs(float(mask.double().mean()) - share)
        if off > allowed:
            return f"the share kept is off by {off:.3g}, allowed {allowed:.3g}"
        both = float((mask[:, 1:] & mask[:, :-1]).double().mean())
        joint = share * share
        slack = SIGMAS * math.sqrt(max(joint * (1 - joint), 0.0) / (count / 2)) * 2
        if abs(both - joint) > slack:
            return f"neighbours are kept together with probability {both:.3g}, not {joint:.3g}"
    return ""


def _twice(x: Tensor) -> Any:
    return F.dropout(x, 0.5), F.dropout(x, 0.5)


def _normals(x: Tensor) -> Any:
    return torch.randn_like(x), torch.randn_like(x)


def _uniforms(x: Tensor) -> Any:
    return torch.rand(x.shape, device=x.device), torch.rand(x.shape, device=x.device)


def _integers(x: Tensor) -> Any:
    return tuple(torch.randint(0, 1000, x.shape, device=x.device) for _ in range(2))


_PAIRS = {"dropout": _twice, "normal": _normals, "uniform": _uniforms, "integers": _integers}


@KIND.family(axes={"form": tuple(_PAIRS)}, quick=1, more=4)
def draws_differ(choices: Choices) -> Program:
    """Two draws of one graph differ; so do two calls; a call after the same seed repeats the first."""
    calls = [Call(lambda d: (torch.ones(_SIDE, _SIDE, device=d.device),), t) for t in ("seeded", "again")]

    def law(results: Sequence[Any]) -> str:
        if any(isinstance(r, str) for r in results):
            return str(next(r for r in results if isinstance(r, str)))
        (a, b), (c, d) = ([s.values[0] for s in result] for result in results)
        if torch.equal(a, b):
            return "two draws of one graph are equal"
        return "" if torch.equal(a, c) and torch.equal(b, d) else "a call after the same seed differs"

    return Program(lambda: _PAIRS[choices["form"]], calls, law=law)
