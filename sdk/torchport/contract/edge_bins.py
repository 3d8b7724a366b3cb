"""Elements of a histogram on the edge of two bins, up to rounding: they count in either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.roundoff import accumulator_of, unit_roundoff

HISTOGRAM = "aten.histc.default"
_ROUNDINGS = 8.0
"""Roundings by which the place of an element among the bins may be off: differences, quotient, product."""


def counted_otherwise(
    arguments: Mapping[str, Any], expected: Sequence[Tensor | None], got: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """The counts of ``got`` where each element that is on no edge is in its bin, and each other one in either
    of two; else the reference.

    Args:
        arguments: those of ``aten.histc``.
        expected: the reference, float64 counts.
        got: the counts to be judged.
    """
    (exact,), (counts,) = expected, got
    if exact is None or counts is None or counts.shape != exact.shape or not counts.dtype.is_floating_point:
        return list(expected)
    found = counts.detach().cpu().to(torch.float64)
    data, bins = arguments["self"].detach().cpu().to(torch.float64).reshape(-1), len(found)
    if not data.numel() or not bool(data.isfinite().all()) or torch.equal(found, exact):
        return list(expected)
    low, high = float(arguments["min"]), float(arguments["max"])
    if low == high:
        low, high = float(data.min()), float(data.max())
    if low == high:
        low, high = low - 1.0, high + 1.0
    place = (data - low) * (bins / (high - low))
    size = (data.abs() + max(abs(low), abs(high))) * (bins / (high - low))
    edge = place.round()
    near = (place - edge).abs() <= _ROUNDINGS * unit_roundoff(accumulator_of(counts.dtype)) * (size + bins)
    inside = (place > 0) & (place < bins) & ~near
    sure = torch.bincount(place[inside].floor().long(), minlength=bins)[:bins]
    edge = edge[near & (edge >= 0) & (edge <= bins)].long()
    at_edge = torch.bincount(edge, minlength=bins + 1)[: bins + 1].tolist()
    return [found if _can_be(found.tolist(), sure.tolist(), at_edge) else exact]


def _can_be(found: Sequence[float], sure: Sequence[int], at_edge: Sequence[int]) -> bool:
    """Whether the elements at each edge can be divided between the two bins beside it so that the counts are
    those ``found``; at the ends they may be out of range.
    """
    least, most = 0, at_edge[0]  # how many elements of the edge to its left a bin may have
    for count, own, right in zip(found, sure, at_edge[1:], strict=True):
        # Of its right edge the bin takes count - own - left, with left in [least, most].
        low, high = max(count - own - most, 0), min(count - own - least, right)
        if low > high:
            return False
        least, most = int(right - high), int(right - low)
    return True
