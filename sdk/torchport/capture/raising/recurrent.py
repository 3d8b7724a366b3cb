"""``nn.LSTM`` and ``nn.GRU`` as macros: one call for each layer and direction, as hardware runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import getitem
from typing import Any

import torch
from torch.fx import Node

from torchport.capture.raising.vocabulary import Call

STATES = {"lstm": 2, "gru": 1}


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A call of ``torch.lstm`` or ``torch.gru`` on a padded batch.

    ``states`` are the initial states [layers · directions, B, H]; ``weights`` has those of each layer and
    direction in order.
    """

    kind: str
    x: Node
    states: tuple[Node, ...]
    weights: tuple[tuple[Any, ...], ...]
    layers: int
    directions: int
    dropout: float
    batch_first: bool


def read(call: Call) -> Recurrence | None:
    """The call's meaning; ``None`` for packed sequences, projections and a dropout that is not a number."""
    args = call.args
    states = args["hx"] if call.op == "lstm" else (args["hx"],)
    weights, biases = args["weights"], args["has_biases"]
    if not isinstance(states, tuple | list) or len(states) != STATES[call.op]:
        return None
    if not isinstance(weights, tuple | list) or not isinstance(args["batch_first"], bool):
        return None
    layers, directions = args["num_layers"], 2 if args["bidirectional"] else 1
    each = 4 if biases else 2
    drops = bool(args["train"]) and layers > 1
    if len(weights) != layers * directions * each or (drops and isinstance(args["dropout"], Node)):
        return None
    groups = tuple(
        (*weights[i : i + each], *(() if biases else (None, None))) for i in range(0, len(weights), each)
    )
    dropout = float(args["dropout"]) if drops else 0.0
    return Recurrence(
        call.op, args["x"], tuple(states), groups, layers, directions, dropout, args["batch_first"]
    )


Add = Callable[[Any, tuple[Any, ...]], Node]
"""Adds a call of a function to the graph."""


def build(recurrence: Recurrence, add: Add, macro: Callable[..., Node]) -> Iterator[Node]:
    """Adds the layers to a graph; yields what the call returned: the sequence, then the last states.

    Args:
        recurrence: what is computed.
        add: adds a call of a function of PyTorch.
        macro: adds a call of the macro of this kind.
    """
    current = recurrence.x
    last: list[list[Node]] = [[] for _ in recurrence.states]
    for layer in range(recurrence.layers):
        sequences = []
        for direction in range(recurrence.directions):
            index = layer * recurrence.directions + direction
            states = [add(torch.select, (state, 0, index)) for state in recurrence.states]
            weights = recurrence.weights[index]
            call = macro(current, *states, *weights, recurrence.batch_first, direction == 1)
            sequences.append(add(getitem, (call, 0)))
            for number, found in enumerate(last, 1):
                found.append(add(getitem, (call, number)))
        current = sequences[0] if len(sequences) == 1 else add(torch.cat, (sequences, -1))
        if recurrence.dropout and layer + 1 < recurrence.layers:
            current = add(torch.nn.functional.dropout, (current, recurrence.dropout, True))
    yield current
    for found in last:
        yield add(torch.stack, (found, 0))
