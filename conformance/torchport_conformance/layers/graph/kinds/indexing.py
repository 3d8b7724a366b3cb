"""Reads and writes by index: repeated targets, expanded tensors, broadcast conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph.program import Call, Choices, Draws, Kind, Program, one, stateless

KIND = Kind("index")


def _scatter(reduce: str) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    return lambda c, s, v: c.scatter_reduce(0, s[:, None].expand_as(v), v, reduce, include_self=True)


_WRITES: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "index-add": lambda c, s, v: c.index_add(0, s, v),
    "index-put-accumulate": lambda c, s, v: torch.index_put(c, (s,), v, accumulate=True),
    "scatter-add": lambda c, s, v: c.scatter_add(0, s[:, None].expand_as(v), v),
    "scatter-amax": _scatter("amax"),
    "scatter-sum": _scatter("sum"),
    "index-add-alpha": lambda c, s, v: c.index_add(0, s, v, alpha=2),
}
_UNIQUE: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "index-copy": lambda c, s, v: c.index_copy(0, s, v),
    "index-put": lambda c, s, v: torch.index_put(c, (s,), v),
    "index-fill": lambda c, s, v: c.index_fill(0, s, 3.0),
    "scatter": lambda c, s, v: c.scatter(0, s[:, None].expand_as(v), v),
    "slice-scatter": lambda c, s, v: torch.slice_scatter(c, v, 0, 1, 1 + v.shape[0]),
    "select-scatter": lambda c, s, v: torch.select_scatter(c, v[0], 0, 2),
    "masked-scatter": lambda c, s, v: c.masked_scatter(torch.zeros_like(c).index_fill(0, s[:1], 1) > 0, v),
}
_ALL = {**_WRITES, **_UNIQUE}
_BASES: dict[str, Callable[[Draws, torch.dtype], Tensor]] = {
    "plain": lambda d, t: d.normal(t, 8, 4),
    "expanded-rows": lambda d, t: d.normal(t, 1, 4).expand(8, 4),
    "expanded-columns": lambda d, t: d.normal(t, 8, 1).expand(8, 4),
    "transposed": lambda d, t: d.normal(t, 4, 8).t(),
    "offset": lambda d, t: d.laid_out(d.normal(t, 8, 4), "offset7"),
}


@KIND.family(
    axes={
        "write": tuple(_ALL),
        "base": tuple(_BASES),
        "indices": ("repeated", "distinct", "descending"),
        "dtype": ("float32", "bfloat16", "int64"),
        "then": ("alone", "both"),
    },
    quick=4,
    more=16,
    applies=lambda c: (
        not (c["indices"] == "repeated" and c["write"] in _UNIQUE)
        and not (c["dtype"] == "int64" and c["write"] == "index-fill")
    ),
)
def functional(choices: Choices) -> Program:
    """Functional writes: the operand stays as it is, also where it is expanded."""
    write, base = _ALL[choices["write"]], _BASES[choices["base"]]
    dtype, both = getattr(torch, choices["dtype"]), choices["then"] == "both"
    places = {"repeated": [5, 5, 1, 5], "distinct": [1, 6, 3, 0], "descending": [7, 5, 2, 1]}

    def fn(c: Tensor, s: Tensor, v: Tensor) -> Any:
        written = write(c, s, v)
        return (written, written + c) if both else written

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        index = torch.tensor(places[choices["indices"]], device=draws.device)
        return base(draws, dtype), index, draws.normal(dtype, 4, 4)

    return one(fn, arguments)


_IN_PLACE: dict[str, Callable[[Tensor, Tensor, Tensor], Any]] = {
    "accumulate": lambda c, s, v: c.index_put_((s,), v, accumulate=True),
    "index-add": lambda c, s, v: c.index_add_(0, s, v),
    "scatter-add": lambda c, s, v: c.scatter_add_(0, s[:, None].expand_as(v), v),
    "added-to-itself": lambda c, s, v: c.__setitem__(s, c[s] + v[:1]),
    "item-doubled": lambda c, s, v: c.__setitem__(s, c[s] * 2),
    "two-writes": lambda c, s, v: (c.index_add_(0, s, v), c.index_add_(0, s, v)),
    "bool-mask": lambda c, s, v: c.__setitem__(c > 0, 0),
    "pairs": lambda c, s, v: c.index_put_((s, s % 4), v[:, 0], accumulate=True),
}


@KIND.family(
    axes={
        "write": tuple(_IN_PLACE),
        "layout": ("contiguous", "transposed", "offset7", "step2"),
        "dtype": ("float32", "bfloat16", "int64"),
        "dynamic": ("False", "True"),
    },
    quick=3,
)
def repeated(choices: Choices) -> Program:
    """Writes in place to places that repeat; an assignment to equal places is of equal values."""
    write, dtype = _IN_PLACE[choices["write"]], getattr(torch, choices["dtype"])

    def fn(c: Tensor, s: Tensor, v: Tensor) -> Any:
        write(c, s, v)
        return c * 1, c

    def given(places: list[int]) -> Call:
        def make(draws: Draws) -> tuple[Tensor, ...]:
            c = draws.laid_out(draws.normal(dtype, 8, 4), choices["layout"])
            return c, torch.tensor(places, device=draws.device), draws.normal(dtype, len(places), 4)

        return Call(make, f"places {places}")

    calls = map(given, ([5, 5, 5, 7], [0, 1, 2, 3], [3, 3, 3, 3], [5, 5, 5, 7]))
    return stateless(fn, *calls, dynamic=choices["dynamic"] == "True")


_READS: dict[str, Callable[[Tensor, Tensor, Tensor], Any]] = {
    "rows": lambda x, i, j: x[i],
    "columns": lambda x, i, j: x[:, j],
    "pairs": lambda x, i, j: x[i, j],
    "grid": lambda x, i, j: x[i[:, None], j],
    "gather": lambda x, i, j: x.gather(1, (i[:, None] + j) % x.shape[1]),
    "take-along": lambda x, i, j: torch.take_along_dim(x, x.argsort(1), 1),
    "negative": lambda x, i, j: x[i - x.shape[0]],
    "embedding": lambda x, i, j: torch.nn.functional.embedding(i, x),
    "select": lambda x, i, j: x.index_select(1, j) + 1,
}


@KIND.family(
    axes={
        "read": tuple(_READS),
        "layout": ("contiguous", "transposed", "offset7", "step2"),
        "index": ("int64", "int32"),
        "grad": ("no", "yes"),
        "fused": ("no", "yes"),
    },
    quick=2,
)
def reads(choices: Choices) -> Program:
    """Reads by index of arguments and of computed values, with repeats, forward and backward."""
    read, fused, grad = _READS[choices["read"]], choices["fused"] == "yes", choices["grad"] == "yes"
    dtype = getattr(torch, choices["index"])

    def fn(x: Tensor, i: Tensor, j: Tensor) -> Any:
        return read(x.sin() if fused else x, i.long() if choices["read"] == "gather" else i, j) * 2

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        x = draws.laid_out(draws.normal(torch.float32, 6, 5), choices["layout"]).requires_grad_(grad)
        return x, draws.index(6, 4, dtype=dtype), draws.index(5, 4, dtype=dtype)

    return one(fn, arguments)


_CONDITIONS: dict[str, tuple[int, ...]] = {
    "one": (1, 1),
    "number": (),
    "row": (1, 7, 1),
    "column": (5, 1, 1),
    "last": (3,),
    "full": (5, 7, 3),
}


@KIND.family(
    axes={
        "condition": tuple(_CONDITIONS),
        "first": ("full", "one", "number", "last"),
        "second": ("full", "one", "column"),
        "made": ("given", "compared"),
        "dtype": ("float32", "int64", "bool"),
    },
    quick=3,
)
def conditions(choices: Choices) -> Program:
    """Conditions and operands that broadcast in every way."""
    dtype = getattr(torch, choices["dtype"])

    def fn(c: Tensor, a: Tensor, b: Tensor) -> Any:
        return torch.where(c if choices["made"] == "given" else c == True, a, b)  # noqa: E712

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        shapes = [_CONDITIONS[choices[n]] for n in ("condition", "first", "second")]
        condition = draws.normal(torch.bool, *shapes[0])
        return condition, draws.normal(dtype, *shapes[1]), draws.normal(dtype, *shapes[2])

    return one(fn, arguments)
