"""Pixels that are not finite under weights that are 0 up to rounding, where images are resampled: whether
such a weight is 0, positive or negative, and whether its pixel is read at all, is a matter of rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.reference import flatten, reference
from torchport.contract.spec import OpSpec

RESAMPLERS = (
    "aten.upsample_bicubic2d.default",
    *(f"aten._upsample_{kernel}2d_aa.default" for kernel in ("bilinear", "bicubic", "lanczos")),
)
"""Operators whose weights have zeros where they are computed."""
_POSITIONS = 8.0
"""How many roundings of a position, in pixels, a weight is off by."""


def open_at_zero_weights(
    spec: OpSpec, arguments: Mapping[str, Any], expected: Tensor, got: Tensor, unit: float
) -> Tensor:
    """The reference, where a pixel that is not finite has no more than a weight of 0 up to rounding: as
    ``got`` where that is not finite, else as if the pixel were 0; the latter only where no other such pixel
    has weight.

    Args:
        spec: one of :data:`RESAMPLERS`.
        arguments: every schema argument.
        expected: the reference, float64.
        got: the output to be judged.
        unit: unit roundoff of what weights are computed in.
    """
    x = arguments["self"].to(torch.float64)
    if bool(x.isfinite().all()) or got.shape != expected.shape:
        return expected
    least = _POSITIONS * unit * max(*x.shape[-2:], *arguments["output_size"])
    light, heavy = torch.zeros(got.shape, dtype=torch.bool), torch.zeros(got.shape, dtype=torch.bool)
    for impulse in _impulses(~x.isfinite()):
        weight = _resampled(spec, arguments, impulse.to(torch.float64))
        met = ~_resampled(spec, arguments, torch.where(impulse, torch.inf, 0.0)).isfinite()
        light |= met & (weight.abs() <= least)
        heavy |= met & (weight.abs() > least)
    value = got.detach().cpu().to(expected.dtype)
    without = _resampled(spec, arguments, x.nan_to_num(0.0, 0.0, 0.0))
    found = torch.where(light & ~value.isfinite(), value, expected)
    return torch.where(light & ~heavy & value.isfinite(), without, found)


def _impulses(marked: Tensor) -> Iterator[Tensor]:
    """Images that have one of the marked pixels each, until every image has had all of its own."""
    flat = marked.flatten(-2)
    order = flat.cumsum(-1)
    for turn in range(1, int(order.max()) + 1):
        yield (flat & (order == turn)).view(marked.shape)


def _resampled(spec: OpSpec, arguments: Mapping[str, Any], image: Tensor) -> Tensor:
    found: Sequence[Tensor] = flatten(reference(spec, {**arguments, "self": image}))
    return found[0]
