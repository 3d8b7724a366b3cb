"""Writes in place: by every operator, through every view, from values that are read at other places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph import menus
from torchport_conformance.layers.graph.program import Choices, Draws, Kind, Program, one

KIND = Kind("write")

_TARGETS: dict[str, Callable[[Tensor], Tensor]] = {
    "whole": lambda x: x,
    "transposed": lambda x: x.t(),
    "row": lambda x: x[1],
    "column": lambda x: x[:, 2],
    "step": lambda x: x[::2, 1::2],
    "diagonal": lambda x: x.diagonal(),
}
_SIDE = 6


@KIND.family(
    axes={
        "op": tuple(op.name for op in menus.in_place_operators()),
        "target": tuple(_TARGETS),
        "owner": ("argument", "value"),
    },
    quick=5,
    more=20,
)
def by_operator(choices: Choices) -> Program:
    """An elementwise operator writes to a view; every other operand is another view of the same tensor's
    values.
    """
    op, target = menus.in_place_named()[choices["op"]], _TARGETS[choices["target"]]
    argument = choices["owner"] == "argument"

    def fn(x: Tensor, *others: Tensor) -> Any:
        owner = x if argument else x + 0
        view = target(owner)
        op.write(view, *[target(o) for o in others])
        return owner, view

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        return tuple(draws.unit(op.dtype, _SIDE, _SIDE) for _ in range(op.tensors + 1))

    return one(fn, arguments)


_SIMPLE: dict[str, Callable[[Tensor], object]] = {
    "add": lambda v: v.add_(1),
    "mul": lambda v: v.mul_(v),
    "fill": lambda v: v.fill_(3),
    "copy": lambda v: v.copy_(v.clone() * 2),
    "zero": lambda v: v.zero_(),
    "clamp": lambda v: v.clamp_(-0.5, 0.5),
}


@KIND.family(
    axes={
        "view": menus.view_operators(),
        "pick": ("0", "1", "2"),
        "owner": ("argument", "value"),
        "write": tuple(_SIMPLE),
    },
    quick=5,
    more=16,
    applies=lambda c: "expand" not in c["view"],
)
def through_view(choices: Choices) -> Program:
    """A write through a view, with arguments that the contract has for it; the owner and the view are
    returned.
    """
    menu = menus.views_named(choices["view"])
    view, write = menu[int(choices["pick"]) % len(menu)], _SIMPLE[choices["write"]]
    argument = choices["owner"] == "argument"

    def fn(x: Tensor) -> Any:
        owner = x if argument else x + 1
        part = view.last(owner)
        write(part)
        return owner, part, owner * 2

    return one(fn, lambda draws: (draws.normal(torch.float32, *view.shape),))


_READERS: dict[str, Callable[[Tensor], Tensor]] = {
    "flip": lambda x: x.flip(0),
    "flip-columns": lambda x: x.flip(1),
    "transpose": lambda x: x.t(),
    "roll": lambda x: x.roll(1, 1),
    "shift": lambda x: torch.cat([x[1:], x[:1]]),
    "row-broadcast": lambda x: x[0],
    "column-broadcast": lambda x: x[:, :1],
}
_FORMS: dict[str, Callable[[Tensor, Callable[[Tensor], Tensor]], object]] = {
    "add": lambda x, read: x.add_(read(x)),
    "mul": lambda x, read: x.mul_(read(x)),
    "copy": lambda x, read: x.copy_(read(x) + 0),
    "item": lambda x, read: x.__setitem__(slice(None), x - read(x)),
    "list": lambda x, read: torch._foreach_add_([x], [read(x)]),
    "where": lambda x, read: x.copy_(torch.where(read(x) > 0, read(x), x)),
    "addcmul": lambda x, read: x.addcmul_(read(x), read(x)),
}
_VIEWS = ("transpose", "row-broadcast", "column-broadcast")
_READ_WHILE_WRITTEN = ("add", "mul", "list", "addcmul")


def _is_undefined(choices: Choices) -> bool:
    """Whether the order of eager PyTorch's writes decides what it reads: it refuses such overlaps where both
    tensors are dense, and does not see the others.
    """
    overlaps = choices["read"] in _VIEWS and choices["form"] in _READ_WHILE_WRITTEN
    dense = choices["layout"] == "contiguous" and choices["read"] != "column-broadcast"
    return overlaps and not dense


_BEFORE: dict[str, Callable[[Tensor], object]] = {
    "nothing": lambda x: None,
    "index-put": lambda x: x.index_put_((torch.arange(x.shape[0], device=x.device),), x * 2.0),
    "scatter": lambda x: x.scatter_(0, torch.zeros_like(x, dtype=torch.int64)[:1], x[:1] * 3),
    "row": lambda x: x[1].mul_(2),
    "list": lambda x: torch._foreach_mul_([x], 2.0),
}


@KIND.family(
    axes={
        "form": tuple(_FORMS),
        "read": tuple(_READERS),
        "before": tuple(_BEFORE),
        "layout": ("contiguous", "transposed", "offset7", "step2"),
    },
    quick=4,
    more=16,
    applies=lambda c: not _is_undefined(c),
)
def of_itself(choices: Choices) -> Program:
    """A tensor is written from a flip, shift or transpose of itself, after another write."""
    form, read, before = _FORMS[choices["form"]], _READERS[choices["read"]], _BEFORE[choices["before"]]

    def fn(x: Tensor) -> Any:
        before(x)
        form(x, read)
        return x

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        return (draws.laid_out(draws.normal(torch.float32, 8, 8), choices["layout"]),)

    return one(fn, arguments)


_PARTS: dict[str, tuple[Any, Any]] = {
    "rows-down": (slice(1, None), slice(None, -1)),
    "rows-up": (slice(None, -1), slice(1, None)),
    "odd-from-even": (slice(1, None, 2), slice(0, None, 2)),
    "columns": ((slice(None), slice(1, None)), (slice(None), slice(None, -1))),
    "first-from-last": (0, -1),
    "halves": (slice(4, None), slice(None, 4)),
}
_MOVED: dict[str, Callable[[Tensor], Tensor]] = {
    "clone": lambda s: s.clone(),
    "sum": lambda s: s + 0,
    "product": lambda s: s * 2,
    "flip": lambda s: s.flip(-1),
}


@KIND.family(
    axes={
        "part": tuple(_PARTS),
        "moved": tuple(_MOVED),
        "dtype": ("float32", "bfloat16", "int64"),
        "owner": ("argument", "value"),
        "layout": ("contiguous", "transposed", "offset7"),
    },
    quick=3,
)
def of_own_part(choices: Choices) -> Program:
    """A part of a tensor is assigned from another part that it may overlap."""
    (to, source), moved = _PARTS[choices["part"]], _MOVED[choices["moved"]]
    argument, dtype = choices["owner"] == "argument", getattr(torch, choices["dtype"])

    def fn(x: Tensor) -> Any:
        owner = x if argument else x * 1
        owner[to] = moved(owner[source])
        return owner

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        return (draws.laid_out(draws.normal(dtype, 8, 6), choices["layout"]),)

    return one(fn, arguments)


@KIND.family(
    axes={
        "dim": ("0", "1"),
        "size": ("1", "2", "3"),
        "step": ("3", "4", "5"),
        "owner": ("argument", "value", "view"),
        "write": ("add", "mul", "fill", "copy"),
    },
    quick=2,
)
def through_windows(choices: Choices) -> Program:
    """A write through windows with gaps between them."""
    dim, size, step = (int(choices[a]) for a in ("dim", "size", "step"))
    owner, write = choices["owner"], _SIMPLE[choices["write"]]

    def fn(x: Tensor) -> Any:
        base = {"argument": x, "view": x.view(6, 8), "value": None}[owner]
        base = x + 1 if base is None else base
        windows = base.unfold(dim, size, step)
        write(windows)
        return base, windows

    return one(fn, lambda draws: (draws.count(torch.float32, 6, 8),))


def _swap(x: Tensor, y: Tensor) -> Any:
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)
    return None


def _pieces(x: Tensor, y: Tensor) -> Any:
    for i, piece in enumerate(x.unbind(0)):
        piece.mul_(i)
    first, second = y.split(2)
    first.add_(1)
    second.mul_(2)
    return x, first


def _read_twice(x: Tensor, y: Tensor) -> Any:
    view = x.t()
    x.add_(1)
    between = view + y.t()
    x.mul_(2)
    return view, between


def _source_after(x: Tensor, y: Tensor) -> Any:
    x[0:, :] = y[0:, :]
    y.add_(1)
    return y, x + y


def _items(x: Tensor, y: Tensor) -> Any:
    x[0, 1] = 5
    x[:, -1] = x[:, 0]
    x[x > 1] = 0
    y[1:3][:, ::2] = x[1:3][:, ::2]
    return x.sum()


def _lists(x: Tensor, y: Tensor) -> Any:
    torch._foreach_mul_([x, y], [y.flip(0), x.flip(1)])
    torch._foreach_add_([x, y], 1.0)
    return x, y


def _deep(x: Tensor, y: Tensor) -> Any:
    view = x.view(2, 2, 6).permute(2, 0, 1)[1:5].transpose(0, 1)
    view.zero_()
    return x, view, y


def _out(x: Tensor, y: Tensor) -> Any:
    torch.add(x, 1, out=y)
    torch.mul(y, y, out=x)
    return x


def _out_view(x: Tensor, y: Tensor) -> Any:
    torch.sin(x[:2], out=y[::2])
    return y


def _diagonals(x: Tensor, y: Tensor) -> Any:
    x.diagonal(1).fill_(7)
    x.t().diagonal().add_(1)
    return x


def _permuted_index_add(x: Tensor, y: Tensor) -> Any:
    view = x.permute(1, 0)
    view.index_add_(0, torch.tensor([0, 5, 2, 0], device=x.device), y[:4, :4])
    return view


def _masked(x: Tensor, y: Tensor) -> Any:
    part = x[:, 1]
    part.masked_fill_(y[:, 1] > 0, 0)
    return part


_SEQUENCES = {
    "swap": _swap,
    "pieces": _pieces,
    "read-between": _read_twice,
    "source-after-copy": _source_after,
    "items": _items,
    "lists": _lists,
    "deep-view": _deep,
    "out": _out,
    "out-view": _out_view,
    "diagonals": _diagonals,
    "permuted-index-add": _permuted_index_add,
    "masked-column": _masked,
}


@KIND.family(
    axes={
        "form": tuple(_SEQUENCES),
        "layout": ("contiguous", "transposed", "step2", "offset7"),
        "dtype": ("float32", "float64", "bfloat16"),
    },
    quick=3,
)
def sequences(choices: Choices) -> Program:
    """Several writes in an order that matters."""
    fn, dtype = _SEQUENCES[choices["form"]], getattr(torch, choices["dtype"])

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        x = draws.normal(dtype, 4, 6)
        if choices["form"] != "deep-view":
            x = draws.laid_out(x, choices["layout"])
        return x, draws.normal(dtype, 4, 6)

    return one(fn, arguments)
