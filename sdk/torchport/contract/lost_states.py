"""States of a recurrent layer that rounding made 0: an infinite weight makes NaN of one, and an infinity of
the number next to 0 that it stands for.

The states are results. Where one is 0 that an infinite weight multiplies in the next step, NaN is as right as
the reference from that step on, in the same row of the batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

RECURRENT = ("torchport.gru.default", "torchport.lstm.default")


def open_after_lost_states(
    arguments: Mapping[str, Any], expected: Sequence[Tensor | None], got: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """The reference with NaN where ``got`` has NaN, in the steps after a state that is 0 in ``got`` and that
    an infinite weight multiplies.

    Args:
        arguments: every schema argument of one of :data:`RECURRENT`.
        expected: the outputs of the reference: the states of all steps, then the last ones.
        got: the outputs to be judged.
    """
    found, states = list(expected), got[0]
    infinite = arguments["weight_hh"].isinf().any(0)
    if states is None or expected[0] is None or states.shape != expected[0].shape or not bool(infinite.any()):
        return found
    steps = 1 if arguments["batch_first"] else 0
    lost = ((states.detach().cpu() == 0) & infinite).any(-1)
    forward = lost.flip(steps) if arguments["reverse"] else lost
    before = forward.to(torch.int64).cumsum(steps) - forward.to(torch.int64) > 0
    last = before.select(steps, -1).unsqueeze(-1)
    every = (before.flip(steps) if arguments["reverse"] else before).unsqueeze(-1)
    for i, (theirs, mine) in enumerate(zip(expected, got, strict=True)):
        if theirs is not None and mine is not None and theirs.shape == mine.shape:
            is_open = (last if i else every) & mine.detach().cpu().isnan()
            found[i] = torch.where(is_open, torch.nan, theirs)
    return found
