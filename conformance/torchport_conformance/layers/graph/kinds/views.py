"""Chains of views between computations: slices with offset and step, reshapes of permutations, expansions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph import menus
from torchport_conformance.layers.graph.program import Choices, Draws, Kind, Program, one

KIND = Kind("view")

_STEPS: dict[str, Callable[[Tensor], Tensor]] = {
    "none": lambda x: x,
    "unsqueeze-inner": lambda x: x.unsqueeze(2),
    "permute": lambda x: x.permute(*range(1, x.dim()), 0),
    "transpose": lambda x: x.mT,
    "rows-odd": lambda x: x[1::2],
    "columns-odd": lambda x: x[..., 1::2],
    "tail": lambda x: x[..., 2:],
    "head": lambda x: x[..., :2],
    "last-row": lambda x: x[-1],
    "merge": lambda x: x.flatten(0, 1),
    "split": lambda x: x.unflatten(-1, (2, -1)) if x.shape[-1] % 2 == 0 else x.unsqueeze(-1),
    "flat": lambda x: x.reshape(-1),
    "expand": lambda x: x.unsqueeze(0).expand(3, *x.shape),
    "diagonal": lambda x: x.diagonal(dim1=-2, dim2=-1),
    "window": lambda x: x.unfold(-1, 2, 1),
    "narrow": lambda x: x.narrow(0, 1, x.shape[0] - 1),
}
_BETWEEN: dict[str, Callable[[Tensor], Tensor]] = {
    "nothing": lambda x: x,
    "sine": lambda x: x.sin(),
    "doubled": lambda x: x + x,
    "copy": lambda x: x.clone(),
    "sum": lambda x: x - x.sum(-1, keepdim=True),
}


@KIND.family(
    axes={
        "first": tuple(_STEPS),
        "second": tuple(_STEPS),
        "between": tuple(_BETWEEN),
        "layout": ("contiguous", "offset7", "reversed"),
        "grad": ("no", "yes"),
    },
    quick=7,
    more=16,
    applies=lambda c: (
        (c["layout"] == "contiguous" or c["between"] in ("sine", "doubled"))
        and (c["grad"] == "no" or c["between"] == "sine")
    ),
)
def chains(choices: Choices) -> Program:
    """Two views around a computation, and a computation after both."""
    first, second = _STEPS[choices["first"]], _STEPS[choices["second"]]
    between, grad = _BETWEEN[choices["between"]], choices["grad"] == "yes"

    def fn(x: Tensor) -> Any:
        middle = between(first(x))
        if middle.dim() < 2:
            return middle * 2
        last = second(middle)
        return last + 1, (last * last).sum(-1)

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        x = draws.laid_out(draws.normal(torch.float32, 4, 3, 4), choices["layout"])
        return (x.requires_grad_(grad),)

    return one(fn, arguments)


_CONVERTED: dict[str, Callable[[Tensor], Any]] = {
    "sum": lambda x: x + x,
    "reduced": lambda x: x.sum(-1),
    "product": lambda x: x @ x.mT if x.dim() > 1 and x.is_floating_point() else x * 2,
    "chosen": lambda x: torch.where(x > 0, x, x + 1),
}


@KIND.family(
    axes={
        "view": menus.view_operators(),
        "pick": ("0", "1", "2", "3"),
        "use": tuple(_CONVERTED),
        "source": ("argument", "value"),
        "dtype": ("float32", "float16"),
    },
    quick=3,
    more=16,
)
def by_operator(choices: Choices) -> Program:
    """Every view of the contract, read by a computation."""
    menu, use = menus.views_named(choices["view"]), _CONVERTED[choices["use"]]
    view, argument = menu[int(choices["pick"]) % len(menu)], choices["source"] == "argument"

    def fn(x: Tensor) -> Any:
        part = view.last(x if argument else x * 3)
        return use(part), part

    dtype = getattr(torch, choices["dtype"])
    return one(fn, lambda draws: (draws.normal(dtype, *view.shape),))


@KIND.family(
    axes={
        "start": ("0", "1", "3"),
        "step": ("1", "2", "3"),
        "dim": ("0", "1"),
        "base": ("contiguous", "transposed", "offset1", "rows2"),
        "dtype": ("float16", "float32", "int64"),
    },
    quick=2,
)
def slices(choices: Choices) -> Program:
    """A slice with an offset and a step, made by the caller or in the program."""
    start, step, dim = (int(choices[a]) for a in ("start", "step", "dim"))
    dtype = getattr(torch, choices["dtype"])
    part = (slice(None),) * dim + (slice(start, None, step),)

    def fn(x: Tensor, y: Tensor) -> Any:
        return x + x, y[part] * 2 + x, (y[part] + 1).sum(dim)

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        base = draws.laid_out(draws.count(dtype, 9, 8), choices["base"])
        return base[part], draws.normal(dtype, 9, 8)

    return one(fn, arguments)


def _boxes(deltas: Tensor, boxes: Tensor) -> Tensor:
    b = boxes.unsqueeze(2)
    return (b[..., :2] + b[..., 2:]) * 0.5 + (b[..., 2:] - b[..., :2]) * deltas[..., :2]


def _rotary(x: Tensor, table: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * table.squeeze(2).unsqueeze(2) + torch.cat([-second, first], -1)


def _interleaved(x: Tensor, y: Tensor) -> Tensor:
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even * 2 - odd, odd * 2 + even], -1).flatten(-2) + y[..., :1]


def _heads(x: Tensor, y: Tensor) -> Tensor:
    q = x.transpose(1, 2).reshape(x.shape[0], -1, x.shape[-1])
    return q.view(x.shape[0], -1, 2, x.shape[-1] // 2).permute(0, 2, 1, 3) + 1


def _stacked(x: Tensor, y: Tensor) -> Any:
    parts = torch.cat([x, x * 2], -1).chunk(4, -1)
    return parts[3] - parts[0], parts[1] + parts[2]


def _channels_last(x: Tensor, y: Tensor) -> Any:
    z = x.contiguous(memory_format=torch.channels_last)
    return z.sin().flatten(1), z.permute(0, 2, 3, 1) + 1, z * 2


_PATTERNS = {
    "boxes": _boxes,
    "rotary": _rotary,
    "interleaved": _interleaved,
    "heads": _heads,
    "stacked": _stacked,
    "channels-last": _channels_last,
}


@KIND.family(
    axes={
        "pattern": tuple(_PATTERNS),
        "layout": ("contiguous", "offset7", "step2", "channels_last", "reversed"),
        "grad": ("no", "yes"),
    },
    quick=2,
)
def patterns(choices: Choices) -> Program:
    """View patterns of public models."""
    grad, fn = choices["grad"] == "yes", _PATTERNS[choices["pattern"]]

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        x, table = draws.normal(torch.float32, 1, 10, 1, 4), draws.normal(torch.float32, 1, 10, 1, 4)
        second = table.squeeze(2) if choices["pattern"] == "boxes" else table
        made = (draws.laid_out(x, choices["layout"]), draws.laid_out(second, choices["layout"]))
        return tuple(t.requires_grad_(grad) for t in made)

    return one(fn, arguments)
