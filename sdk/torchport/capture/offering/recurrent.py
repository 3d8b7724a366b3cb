"""Recurrent layers: results by shape, since their own rule is a loop that fixes the sequence's length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from torchport.contract.composites import tensors_in

STATES: Mapping[str, int] = {
    "aten.lstm.input": 2,
    "aten.gru.input": 1,
    "aten.rnn_tanh.input": 1,
    "aten.rnn_relu.input": 1,
}
"""How many states each has; LSTM takes them as a list."""

ONE_KERNEL: Mapping[str, frozenset[str]] = {
    "cpu": frozenset({"aten.lstm.input"}),
    "cuda": frozenset(STATES),
}
"""Recurrences that eager PyTorch runs as one kernel, whose operands autocast casts, by device."""


LSTM = "aten.lstm.input"


def as_loop(name: str, values: Sequence[Any]) -> list[Any]:
    """The arguments for which PyTorch takes a layer apart into its steps.

    For an LSTM whose input needs no gradient it has a kernel of one library instead, which no other backend
    runs and whose gradient it cannot trace. So the input is made one that does, where the number of steps is
    known or there has to be a gradient.
    """
    x = values[0]
    if name != LSTM or x.requires_grad:
        return list(values)
    trains = torch.is_grad_enabled() and any(t.requires_grad for t in tensors_in(values))
    steps = x.size(1) if values[8] else x.size(0)
    if not trains and isinstance(steps, torch.SymInt):
        return list(values)
    return [x.detach().requires_grad_(), *values[1:]]


def draws(name: str, values: Sequence[Any]) -> bool:
    """Whether a call has dropout between its layers."""
    _, _, _, _, layers, dropout, train, _, _ = values
    return bool(train and layers > 1 and dropout > 0)


def results(name: str, values: Sequence[Any]) -> tuple[torch.Tensor, ...] | None:
    """Fresh tensors with the geometry of the results: the sequence, then the last states. None for a layer
    with projections, and for names that are no recurrence.
    """
    if name not in STATES:
        return None
    x, states, bidirectional, batch_first = values[0], values[1], values[7], values[8]
    states = list(states) if isinstance(states, tuple | list) else [states]
    if len({s.size(-1) for s in states}) > 1:
        return None
    length, batch = (x.size(1), x.size(0)) if batch_first else (x.size(0), x.size(1))
    width = states[0].size(-1) * (2 if bidirectional else 1)
    sequence = x.new_empty((length, batch, width))
    last = (x.new_empty((s.size(0), batch, s.size(-1))) for s in states)
    return (sequence.transpose(0, 1) if batch_first else sequence, *last)
