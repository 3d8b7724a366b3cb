"""Value classes: what is drawn for an operand. Every draw is a function of the plan and one generator."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch

from torchport.errors import ContractError
from torchport_conformance.cases.case import TensorPlan, strides_of

SPECIAL: Mapping[str, float] = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "-0": -0.0}
"""Special values by the name that they have in case ids."""
POSITIONS = ("first", "last")
_INTEGER_MILESTONES = (0, 1, -1, 127, 128, 255, 2**24 + 1, 2**31 - 1, 2**31, 2**32 + 1, 2**53 + 1)


def draw(plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Contiguous values of a planned tensor, on the host: every device and the reference see the same
    numbers.

    Raises:
        ContractError: the contract names a value class that conformance does not know.
    """
    values = _draw_class(plan, generator)
    if plan.fill == "extreme":
        values = _extreme(values, plan, generator)
    elif plan.fill == "ties":
        values = _with_ties(values, generator)
    elif plan.fill != "random":
        name, _, position = plan.fill.partition("@")
        if values.numel():
            values.view(-1)[0 if position == "first" else -1] = SPECIAL[name]
    return repeated(values, plan)


def repeated(values: torch.Tensor, plan: TensorPlan) -> torch.Tensor:
    """The values that a layout with stride 0 can hold: along such a dimension, those of its first element."""
    strides, _ = strides_of(plan)
    if 0 not in strides or not values.numel():
        return values
    return (
        values[tuple(slice(0, 1) if s == 0 else slice(None) for s in strides)].expand(plan.shape).contiguous()
    )


def _draw_class(plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    kind, _, bound = plan.values.partition(":")
    shape, dtype = plan.shape, plan.dtype
    if kind == "sorted" and not dtype.is_floating_point:
        ascending = _integer("any", shape, dtype, generator)
        return ascending.sort(-1)[0] if shape else ascending
    if dtype is torch.bool and kind in ("nonzero", "positive"):
        return torch.ones(shape, dtype=dtype)
    if dtype is torch.bool or kind == "bool":
        return torch.randint(0, 2, shape, generator=generator).to(dtype)
    if kind == "offsets" and shape:
        starts = torch.randint(0, int(bound) + 1, shape, generator=generator).sort(-1)[0]
        return (starts * (torch.arange(shape[-1]) > 0)).to(dtype)
    if kind == "index":
        high = int(bound)
        return torch.randint(0, max(high, 1), shape, generator=generator).to(dtype)
    if kind == "ends":
        ends = torch.randint(0, int(bound) + 1, shape, generator=generator).sort(-1)[0]
        ends[-1:] = int(bound)
        return ends.to(dtype)
    if kind == "pivots":
        own = torch.arange(1, shape[-1] + 1)
        steps = torch.rand(shape, generator=generator) * (shape[-1] + 1 - own)
        return (own + steps).clamp(max=shape[-1]).to(dtype)
    if kind == "positive-definite":
        return _positive_definite(shape, dtype, generator)
    if dtype.is_complex:
        parts = [_real(kind, shape, torch.float64, generator) for _ in range(2)]
        return torch.complex(*parts).to(dtype)
    if dtype.is_floating_point:
        return _real(kind, shape, torch.float64, generator).to(dtype)
    return _integer(kind, shape, dtype, generator)


def _positive_definite(
    shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    """``X X* / n + I / 2``: the smallest eigenvalue is well above 0."""
    wide = torch.complex128 if dtype.is_complex else torch.float64
    x = torch.randn(shape, generator=generator, dtype=wide)
    return (x @ x.mH / max(shape[-1], 1) + 0.5 * torch.eye(shape[-1], dtype=wide)).to(dtype)


def _real(kind: str, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    normal = torch.randn(shape, generator=generator, dtype=dtype)
    uniform = torch.rand(shape, generator=generator, dtype=dtype)
    match kind:
        case "any":
            return normal * 2
        case "positive":
            return 0.05 + 3 * uniform
        case "unit":
            return 0.99 * (2 * uniform - 1)
        case "nonzero":
            return torch.copysign(0.25 + normal.abs(), normal)
        case "probability":
            return 0.02 + 0.96 * uniform
        case "small" | "finite":
            return normal / 4
        case "sorted":
            return normal.sort(-1)[0] if normal.dim() else normal
    raise ContractError("conformance does not know the value class", got=kind)


def _integer(
    kind: str, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    low, high = {
        "any": (-100, 100),
        "positive": (1, 50),
        "unit": (-1, 2),
        "nonzero": (1, 50),
        "probability": (0, 2),
        "small": (-3, 4),
        "finite": (-3, 4),
    }.get(kind, (0, 0))
    if low == high:
        raise ContractError("conformance does not know the value class", got=kind)
    low = max(low, int(torch.iinfo(dtype).min))
    values = torch.randint(low, high, shape, generator=generator)
    if kind == "nonzero" and dtype.is_signed:
        values = torch.where(torch.rand(shape, generator=generator) < 0.5, values, -values)
    return values.to(dtype)


def _extreme(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Puts the ends of the dtype's range, and what is near its milestones, into some of the elements."""
    dtype = plan.dtype
    if dtype is torch.bool or not values.numel():
        return values
    if dtype.is_floating_point:
        limits = torch.finfo(dtype)
        found: list[float] = [
            limits.max,
            -limits.max,
            limits.smallest_normal,
            -limits.smallest_normal,
            1e4,
            -1e4,
            0.0,
        ]
    else:
        bounds = torch.iinfo(dtype)
        near = {m + d for m in _INTEGER_MILESTONES for d in (0, 1)} | {bounds.min, bounds.max, bounds.max - 1}
        found = sorted(m for m in near if bounds.min <= m <= bounds.max)
    if plan.values.startswith(("positive", "nonzero")):
        found = [m for m in found if m > 0]
    pool = torch.tensor(found, dtype=dtype)
    flat = values.view(-1)
    where = torch.randperm(flat.numel(), generator=generator)[: max(1, (flat.numel() + 1) // 2)]
    picks = torch.randint(0, len(pool), (len(where),), generator=generator)
    flat[where] = pool[picks]
    return values


def _with_ties(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Makes about half of the elements equal to others, for what depends on which of equals comes first."""
    if not values.numel():
        return values
    flat = values.view(-1)
    source = torch.randint(0, flat.numel(), (flat.numel(),), generator=generator)
    return torch.where(
        torch.rand(values.shape, generator=generator) < 0.5, flat[source].view(values.shape), values
    )
