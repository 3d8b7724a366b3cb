"""Value classes and fills: what is drawn for an operand. Every draw is a function of the plan and one
generator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch

from torchport.errors import ContractError
from torchport_conformance.cases.case import TensorPlan, strides_of
from torchport_conformance.cases.layouts import LAYOUTS

SPECIAL: Mapping[str, float] = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "-0": -0.0}
"""Special values by the name that they have in case ids."""
POSITIONS = ("first", "last", "tail")
"""Where a special value is put: the first or last element, or the second from the end, which the tail of a
vector loop handles.
"""
_MEETING = (math.nan, math.inf, 0.0, -0.0, 1.0, -math.inf, -2.5)
_MEETING_INTEGERS = (0, 1, -1, 2, -7)
_NOTABLE = (0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1.3e-3, -1.3e-3, 1.3e-6, -1.3e-6, 1.0, -1.0)
"""Halves, which rounding decides about, and numbers near 0, where formulas cancel."""
_LARGE = (12.0, -12.0, 50.0, -50.0)
"""Where exponentials saturate, or are past the largest number when they are squared."""
_ROWS = (math.nan, math.inf, -math.inf, -0.0)
_INTEGER_MILESTONES = (0, 1, 2, 127, 128, 255, 256, 2**24, 2**31, 2**32, 2**53)


def draw(plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Contiguous values of a planned tensor, on the host: every device and the reference see the same
    numbers.

    Raises:
        ContractError: the contract names a value class that conformance does not know, or the plan a fill.
    """
    return repeated(_filled(_draw_class(plan, generator), plan, generator), plan)


def _filled(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """The values with what the plan's ``fill`` says."""
    kind, _, detail = plan.fill.partition("@")
    if kind == "random" or not values.numel():
        return values
    if kind in SPECIAL:
        if detail == "row":
            values.view(-1)[: plan.shape[-1] if plan.shape else 1] = SPECIAL[kind]
        else:
            values.view(-1)[{"first": 0, "last": -1, "tail": -min(values.numel(), 2)}[detail]] = SPECIAL[kind]
        return values
    if kind == "meeting":
        return _meeting(values, plan, int(detail))
    if kind == "mixed":
        return _mixed(values, plan, detail)
    fill = _FILLS.get(kind)
    if fill is None:
        raise ContractError("conformance does not know what to fill an operand with", got=plan.fill)
    return fill(values, plan, generator)


def _meeting(values: torch.Tensor, plan: TensorPlan, turn: int) -> torch.Tensor:
    """Special values such that each of one operand meets each of another: operand ``turn`` goes through them
    more slowly than those before it.
    """
    pool: tuple[float, ...] = _MEETING if plan.dtype.is_floating_point else _MEETING_INTEGERS
    if not plan.dtype.is_floating_point:
        bounds = torch.iinfo(plan.dtype)
        pool = (*(v for v in pool if bounds.min <= v <= bounds.max), bounds.min, bounds.max)
    if plan.values in ("positive", "nonzero"):
        pool = tuple(v for v in pool if v != 0 and (plan.values == "nonzero" or not v < 0))
    elif plan.values != "any":
        pool = tuple(v for v in pool if not 0.9 < abs(v) < 1000)
    which = torch.arange(values.numel()).div(len(pool) ** turn, rounding_mode="floor") % len(pool)
    return torch.tensor(pool, dtype=plan.dtype)[which].view(values.shape)


def _mixed(values: torch.Tensor, plan: TensorPlan, detail: str) -> torch.Tensor:
    """Notable values among the others, for what treats each element on its own: ``TURN/NUMBERS``, which of
    several operands it is, whose notable values lie beside one another, and what to be equal to or next to.

    NaN is among the first eight elements and among the last, which the tail of a vector loop handles.
    """
    turn, _, numbers = detail.partition("/")
    place, count = int(turn), values.numel()
    if count < 32:
        return values
    free = plan.values == "any"
    near = [float(n) for n in numbers.split(",") if n]
    pool = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, *_NOTABLE], dtype=plan.dtype)
    if plan.values in ("any", "small"):
        pool = torch.cat([pool, torch.tensor(_LARGE, dtype=plan.dtype)])
    if near and free:
        edges = torch.tensor([sign * n for n in near for sign in (1, -1)], dtype=plan.dtype)
        beyond = torch.nextafter(edges, edges * 2) if plan.dtype.itemsize > 2 else edges
        pool = torch.cat([pool, edges, beyond])
    if plan.values in ("positive", "nonzero"):
        pool = pool[(pool != 0) & ((pool > 0) | pool.isnan() | (plan.values == "nonzero"))]
    flat = values.view(-1)
    every = flat[4 + place : count - 4 : 3]
    every.copy_(pool[torch.arange(every.numel()) % len(pool)])
    flat[place] = flat[-1 - place] = math.nan
    return values


def _rows(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Rows of different kinds, for what treats each row on its own: a special value in each of the first, not
    below one another; then values of a wide range; then some that differ little from their mean.

    A row is an index of the first dimension; special values lie on the diagonal of the first two.
    """
    if values.dim() < 2:
        values.view(-1)[-1:] = math.nan
        return values
    wide, shifted = _wide(values, plan, generator), _shifted(values, plan, generator)
    kinds = len(_ROWS)
    values[kinds : kinds + 1] = wide[kinds : kinds + 1]
    # Where exponentials overflow, those in float32 of narrower dtypes too.
    largest = max(torch.finfo(plan.dtype).max, torch.finfo(torch.float32).max)
    values[kinds : kinds + 1].view(-1)[-1:] = 1.5 * math.log(largest)
    values[kinds + 1 : kinds + 2] = shifted[kinds + 1 : kinds + 2]
    for place, special in enumerate(_ROWS[: min(values.shape[:2])]):
        values[place, place].view(-1)[:1] = special
    return values


def kinds_of(fill: str) -> frozenset[str]:
    """Which kinds of unusual value a fill has: names of :data:`SPECIAL`, ``extreme``, or the fill's own."""
    kind = fill.partition("@")[0]
    return (
        frozenset((*SPECIAL, "extreme", kind)) if kind in ("meeting", "mixed", "rows") else frozenset((kind,))
    )


def can_hold(fill: str, dtype: torch.dtype) -> bool:
    """Whether values of a dtype can be what a fill says."""
    kind = fill.partition("@")[0]
    if kind in SPECIAL:
        return dtype.is_floating_point or dtype.is_complex
    if kind in ("mixed", "rows", "wide", "huge", "shifted", "tiny", "bytes"):
        return dtype.is_floating_point
    if kind in ("meeting", "extreme", "negative", "whole"):
        return not dtype.is_complex and dtype is not torch.bool
    return kind != "row-off" or dtype is torch.bool


def repeated(values: torch.Tensor, plan: TensorPlan) -> torch.Tensor:
    """The values that a layout can hold whose elements share memory: elements of one place have one value,
    along a dimension of stride 0 that of its first element.
    """
    if not LAYOUTS[plan.layout].overlaps or not values.numel():
        return values
    strides, _ = strides_of(plan)
    if 0 in strides:
        first = tuple(slice(0, 1) if s == 0 else slice(None) for s in strides)
        return values[first].expand(plan.shape).contiguous()
    place = torch.zeros((), dtype=torch.int64)
    for size, stride in zip(plan.shape, strides, strict=True):
        place = place.unsqueeze(-1) + torch.arange(size) * stride
    return values.view(-1)[place % values.numel()]


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
        parts = [_real(kind, shape, dtype.to_real(), generator) for _ in range(2)]
        return torch.complex(*parts).to(dtype)
    if dtype is torch.float4_e2m1fn_x2:  # every byte is two numbers, all of them finite
        return _integer("any", shape, torch.uint8, generator).view(dtype)
    if dtype.is_floating_point:
        return _real(kind, shape, dtype, generator).to(dtype)
    return _integer(kind, shape, dtype, generator)


def _positive_definite(
    shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    """``X X* / n + I / 2``: the smallest eigenvalue is well above 0."""
    wide = torch.complex128 if dtype.is_complex else torch.float64
    x = torch.randn(shape, generator=generator, dtype=wide)
    return (x @ x.mH / max(shape[-1], 1) + 0.5 * torch.eye(shape[-1], dtype=wide)).to(dtype)


def _real(kind: str, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Values of a class, in float64 for that dtype and in float32 for all others."""
    drawn = torch.float64 if dtype is torch.float64 else torch.float32
    if kind in _UNIFORM:
        low, width = _UNIFORM[kind]
        return low + width * torch.rand(shape, generator=generator, dtype=drawn)
    normal = torch.randn(shape, generator=generator, dtype=drawn)
    match kind:
        case "any":
            return normal * 2
        case "nonzero":
            return torch.copysign(0.25 + normal.abs(), normal)
        case "small" | "finite":
            return normal / 4
        case "sorted":
            return normal.sort(-1)[0] if normal.dim() else normal
    raise ContractError("conformance does not know the value class", got=kind)


_UNIFORM: Mapping[str, tuple[float, float]] = {
    "positive": (0.05, 3.0),
    "unit": (-0.99, 1.98),
    "probability": (0.02, 0.96),
}
"""Where classes of evenly drawn values begin, and how wide they are."""


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
    if kind == "any" and dtype is torch.uint8:
        low, high = 0, 256  # half of them have the bit that is the sign of a signed byte
    low = max(low, int(torch.iinfo(dtype).min))
    values = torch.randint(low, high, shape, generator=generator)
    if kind == "nonzero" and dtype.is_signed:
        values = torch.where(torch.rand(shape, generator=generator) < 0.5, values, -values)
    return values.to(dtype)


def _extreme(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """The ends of the dtype's range and what is near its milestones, in a random order."""
    dtype = plan.dtype
    if dtype is torch.bool:
        return values
    if dtype.is_floating_point:
        limits = torch.finfo(dtype)
        ends = (limits.max, limits.smallest_normal, 1e4)
        found: list[float] = [sign * end for end in ends for sign in (1, -1)] + [0.0]
    else:
        bounds = torch.iinfo(dtype)
        near = {sign * m + d for m in _INTEGER_MILESTONES for d in (-1, 0, 1) for sign in (1, -1)}
        near |= {bounds.min, bounds.min + 1, bounds.max - 1, bounds.max}
        found = sorted(m for m in near if bounds.min <= m <= bounds.max)
    if plan.values.startswith(("positive", "nonzero")):
        found = [m for m in found if m > 0]
    pool = torch.tensor(found, dtype=dtype)[torch.randperm(len(found), generator=generator)]
    return pool[torch.arange(values.numel()) % len(pool)].view(values.shape)


def _with_ties(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Makes about half of the elements equal to others, for what depends on which of equals comes first."""
    flat = values.view(-1)
    source = torch.randint(0, flat.numel(), (flat.numel(),), generator=generator)
    return torch.where(
        torch.rand(values.shape, generator=generator) < 0.5, flat[source].view(values.shape), values
    )


def _bytes(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Fractions of every kind from 0 to 255, which all integers of a byte and more can hold."""
    return (255 * torch.rand(values.shape, generator=generator, dtype=torch.float64)).to(plan.dtype)


def _whole(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Few whole numbers, in the order of the values: those of several operands are often equal."""
    step = 1 if plan.dtype.is_floating_point else 25
    return (values.double() / step).round().to(plan.dtype)


def _wide(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Values from near 0 to about 1000, which overflow exp and saturate tanh."""
    exponents = 12 * torch.rand(values.shape, generator=generator, dtype=torch.float64) - 2
    return (values.double() * 2**exponents).to(plan.dtype)


def _huge(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Values whose squares overflow, and whose sums do not."""
    largest = math.log2(torch.finfo(plan.dtype).max)
    return (values.double() * 2.0 ** int(0.55 * largest)).to(plan.dtype)


def _shifted(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Values that differ little from their mean: E[x²] - mean² cancels."""
    return (values.double() / 64 + 48).to(plan.dtype)


def _tiny(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Values far below one."""
    return (values.double() * 2.0**-10).to(plan.dtype)


def _negative(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """Values below -1."""
    return -1 - values.abs()


def _uniform(value: int) -> Callable[[torch.Tensor, TensorPlan, torch.Generator], torch.Tensor]:
    return lambda values, plan, generator: torch.full_like(values, value)


def _same(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """The first value everywhere: an index that repeats, a row of ties."""
    return values.view(-1)[:1].expand(values.numel()).clone().view(values.shape)


def _row_off(values: torch.Tensor, plan: TensorPlan, generator: torch.Generator) -> torch.Tensor:
    """False along the whole first row; along half of it where it is all there is."""
    row = plan.shape[-1] if plan.shape else 1
    values.view(-1)[: row if values.numel() > row else (row + 1) // 2] = False
    return values


_FILLS: Mapping[str, Callable[[torch.Tensor, TensorPlan, torch.Generator], torch.Tensor]] = {
    "extreme": _extreme,
    "ties": _with_ties,
    "rows": _rows,
    "bytes": _bytes,
    "whole": _whole,
    "wide": _wide,
    "huge": _huge,
    "shifted": _shifted,
    "tiny": _tiny,
    "negative": _negative,
    "same": _same,
    "zeros": _uniform(0),
    "ones": _uniform(1),
    "row-off": _row_off,
}
