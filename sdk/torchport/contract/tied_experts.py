"""The experts of a token whose probabilities rounding makes equal: which of them comes first is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.roundoff import accumulator_of, ulp, unit_roundoff

DISPATCH = "torchport.expert_dispatch.default"


def chosen_otherwise(
    arguments: Mapping[str, Any], expected: Sequence[Tensor | None], got: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """The results of :data:`DISPATCH` for the experts that ``got`` has, where each is as probable as the one
    in its place in the reference, up to rounding; else the reference.

    Args:
        arguments: every schema argument.
        expected: weights, experts, order of slots and slots of each expert, of the reference.
        got: the same, to be judged.
    """
    wanted, mine, weights = expected[1], got[1], got[0]
    if wanted is None or mine is None or weights is None or mine.shape != wanted.shape:
        return list(expected)
    mine, count = mine.detach().cpu(), arguments["router_logits"].shape[-1]
    valid = (mine >= 0) & (mine < count)
    repeated = mine.sort(-1)[0].diff(dim=-1) == 0
    if torch.equal(mine, wanted) or not bool(valid.all()) or bool(repeated.any()):
        return list(expected)
    logits = arguments["router_logits"].detach().cpu().to(torch.float64)
    shares = logits.softmax(-1)
    theirs, ours = shares.gather(-1, wanted), shares.gather(-1, mine)
    accumulator = accumulator_of(weights.dtype)
    # The exponent is rounded in proportion to its size, and what is below the smallest number may be 0.
    below = (logits.amax(-1, keepdim=True) - logits.gather(-1, wanted)).nan_to_num(0.0, 0.0, 0.0)
    rounding = (4.0 + below) * unit_roundoff(accumulator) * theirs + torch.finfo(accumulator).smallest_normal
    near = (ours - theirs).abs() <= rounding + ulp(theirs, weights.dtype)
    if not bool((near | (ours.isnan() & theirs.isnan())).all()):
        return list(expected)
    slots = mine.reshape(-1)
    shown = ours / ours.sum(-1, keepdim=True) if arguments["renormalize"] else ours
    return [shown, mine, slots.sort(stable=True)[1], torch.bincount(slots, minlength=count)]
