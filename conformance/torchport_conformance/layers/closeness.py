"""Whether results and gradients are as close to float64 as the contract's rule for derived values asks.

The contract bounds results of operators, not their gradients, which are results of several operators in an
order that is free. So the rule is that of its decompositions: the error may be twice that of eager PyTorch,
plus what sums of as many terms may lose, plus a few roundings of the dtype. Errors are the largest of a
tensor, and they are measured against its largest element.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch

from torchport.contract.graph import dtype_name
from torchport.contract.roundoff import accumulator_of, gamma, unit_roundoff
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.report.model import CaseResult, Status, result_of

EAGER_FACTOR = 2.0
ROUNDINGS = 4.0
"""Roundings of a gradient's dtype that are allowed beside."""


@dataclass(frozen=True, eq=False)
class Differentiated:
    """Results by position, whether each takes part in a backward, and gradients by operand. ``sizes`` are how
    large sums get on the way to a gradient, by operand, where they are known: terms that cancel leave the
    roundings that they had.
    """

    results: Mapping[int, torch.Tensor]
    requires_grad: Mapping[int, bool]
    gradients: Mapping[str, torch.Tensor | None]
    sizes: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Closeness:
    """The largest error of a tensor over the allowed one, and what is wrong with it (empty if nothing is)."""

    ratio: float
    message: str = ""
    cause: str = ""


def compare(case: AnyCase, got: Differentiated, eager: Differentiated, exact: Differentiated) -> CaseResult:
    """The result of a case whose results and gradients are these."""
    worst = 0.0
    for i, expected in eager.requires_grad.items():
        if i not in got.results:
            return result_of(case, Status.FAILED, f"result {i} is missing", cause="result missing")
        if got.requires_grad[i] != expected:
            text = f"result {i}: requires_grad is {got.requires_grad[i]}, eager {expected}"
            return result_of(case, Status.FAILED, text, cause="wrong requires_grad")
    terms = max((t.numel() for t in (*eager.results.values(), *_present(eager.gradients))), default=1)
    judged = [
        (f"result {i}", got.results[i], eager.results[i], exact.results.get(i), 0.0) for i in eager.results
    ]
    for name, theirs in eager.gradients.items():
        mine, wide = got.gradients.get(name), exact.gradients.get(name)
        if theirs is None or wide is None:
            if mine is not None and bool((mine != 0).any()):
                text = f"the gradient of {name!r} is not zero, and the result does not depend on it"
                return result_of(case, Status.FAILED, text, cause="gradient too many")
            continue
        if mine is None:
            text = f"the gradient of {name!r} is missing"
            return result_of(case, Status.FAILED, text, cause="gradient missing")
        judged.append((f"the gradient of {name!r}", mine, theirs, wide, exact.sizes.get(name, 0.0)))
    for what, mine, theirs, wide, size in judged:
        if wide is None:
            continue
        found = closeness(mine, theirs, wide, terms, size)
        if found.message:
            kind = "gradient" if "gradient" in what else "result"
            failed = result_of(case, Status.FAILED, f"{what} {found.message}", cause=f"{kind} {found.cause}")
            return replace(failed, bound_ratio=found.ratio)
        worst = max(worst, found.ratio)
    return replace(result_of(case, Status.PASSED), bound_ratio=worst)


def _present(tensors: Mapping[str, torch.Tensor | None]) -> list[torch.Tensor]:
    return [t for t in tensors.values() if t is not None]


def closeness(
    mine: torch.Tensor, theirs: torch.Tensor, exact: torch.Tensor, terms: int, size: float = 0.0
) -> Closeness:
    """How close ``mine`` is to ``exact`` (float64; integers as they are), given eager's own result.

    Args:
        mine: what is judged.
        theirs: what eager PyTorch computes.
        exact: the same in float64.
        terms: the most terms that one element may be a sum of.
        size: how large such a sum gets where its terms do not cancel, if that is known.
    """
    mine, theirs = mine.detach().cpu(), theirs.detach().cpu()
    if (mine.shape, mine.dtype) != (theirs.shape, theirs.dtype):
        shapes = [f"{dtype_name(t.dtype)}{list(t.shape)}" for t in (mine, theirs)]
        return Closeness(math.inf, f"is {shapes[0]}, eager's {shapes[1]}", "of another shape or dtype")
    if not mine.numel() or not exact.numel():
        return Closeness(0.0)
    if mine.is_complex():
        mine, theirs, exact = (torch.view_as_real(t.resolve_conj()) for t in (mine, theirs, exact.detach()))
    if not mine.is_floating_point():
        return _equal(mine, theirs)
    ours, eager, wide = mine.double(), theirs.double(), exact.detach().double()
    usable = ours.isfinite() & eager.isfinite() & wide.isfinite()
    special = ~usable & ~_same(ours, eager) & ~_same(ours, wide)
    if bool(special.any()):
        at = tuple(int(i) for i in special.nonzero()[0])
        text = f"at {list(at)} is {ours[at].item()!r}, exact {wide[at].item()!r}, eager {eager[at].item()!r}"
        return Closeness(math.inf, text, "wrong where it is not finite")
    error = torch.where(usable, (ours - wide).abs(), 0.0)
    eager_error = float(torch.where(usable, (eager - wide).abs(), 0.0).max())
    scale = max(float(torch.where(usable, wide.abs(), 0.0).max()), size)
    summed = gamma(terms, unit_roundoff(accumulator_of(mine.dtype)))
    own = ROUNDINGS * unit_roundoff(mine.dtype)
    limit = EAGER_FACTOR * eager_error + (summed + own) * scale + torch.finfo(mine.dtype).smallest_normal
    largest = float(error.max())
    if largest <= limit:
        return Closeness(largest / limit)
    at = tuple(int(i) for i in (error == error.max()).nonzero()[0])
    text = (
        f"is wrong by {largest:.3g}, allowed {limit:.3g} (eager {eager_error:.3g}); worst at {list(at)}: "
        f"{ours[at].item()!r}, exact {wide[at].item()!r}"
    )
    cause = "all zero" if not bool((ours != 0).any()) else "outside the bound"
    return Closeness(largest / limit, text, cause)


def _same(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a == b) | (a.isnan() & b.isnan())


def _equal(mine: torch.Tensor, theirs: torch.Tensor) -> Closeness:
    differs = mine != theirs
    if not bool(differs.any()):
        return Closeness(0.0)
    at = tuple(int(i) for i in differs.nonzero()[0])
    return Closeness(math.inf, f"at {list(at)} is {mine[at].item()}, eager {theirs[at].item()}", "differs")
