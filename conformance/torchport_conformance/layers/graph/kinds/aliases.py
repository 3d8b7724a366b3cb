"""Results that share memory: with arguments, with one another, with what they were detached from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph.program import Choices, Draws, Kind, Program, one

KIND = Kind("alias")

Result = Callable[[Tensor, Tensor], Any]
"""Makes a result from the argument and from an intermediate value of the same shape (4, 6)."""

RESULTS: dict[str, Result] = {
    "argument": lambda x, y: x,
    "argument-transposed": lambda x, y: x.t(),
    "argument-flat": lambda x, y: x.view(-1),
    "argument-rows": lambda x, y: x[1:],
    "argument-step": lambda x, y: x[:, ::2],
    "argument-detached": lambda x, y: x.detach(),
    "argument-expanded": lambda x, y: x.expand(2, 4, 6),
    "argument-window": lambda x, y: x.unfold(1, 2, 2),
    "argument-diagonal": lambda x, y: x.diagonal(),
    "value": lambda x, y: y,
    "value-transposed": lambda x, y: y.t(),
    "value-flat": lambda x, y: y.view(-1),
    "value-first-rows": lambda x, y: y[:2],
    "value-last-rows": lambda x, y: y[2:],
    "value-detached": lambda x, y: y.detach(),
    "value-times-one": lambda x, y: y * 1,
    "value-cloned": lambda x, y: y.clone(),
    "value-again": lambda x, y: x.sin(),
    "value-pieces": lambda x, y: y.split(2),
    "value-strided": lambda x, y: y.as_strided((3, 3), (6, 1), 2),
    "mean-and-detached": lambda x, y: (y.mean(), y.mean().detach()),
    "nothing-dropped": lambda x, y: torch.nn.functional.dropout(x, 0.5, False),
    "identity": lambda x, y: torch.nn.Identity()(x),
}
_WRITES: dict[str, Callable[[Tensor, Tensor], object]] = {
    "none": lambda x, y: None,
    "argument": lambda x, y: x.add_(1),
    "value": lambda x, y: y.add_(1),
    "view-of-value": lambda x, y: y.t().mul_(2),
}


@KIND.family(
    axes={
        "first": tuple(RESULTS),
        "second": tuple(RESULTS),
        "write": ("none", "argument", "value", "view-of-value"),
        "grad": ("no", "yes"),
    },
    quick=10,
    applies=lambda c: not (c["grad"] == "yes" and c["write"] == "argument") and c["first"] <= c["second"],
)
def results(choices: Choices) -> Program:
    """Two results, made before or after a write."""
    first, second = RESULTS[choices["first"]], RESULTS[choices["second"]]
    write, grad = _WRITES[choices["write"]], choices["grad"] == "yes"

    def fn(x: Tensor) -> Any:
        y = x.sin()
        early = first(x, y)
        write(x, y)
        return early, second(x, y), x.cos()

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        return (draws.normal(torch.float32, 4, 6).requires_grad_(grad),)

    return one(fn, arguments)


_COMPLEX: dict[str, Callable[[Tensor], Any]] = {
    "conj": lambda x: x.conj(),
    "conj-imag": lambda x: x.conj().imag,
    "adjoint": lambda x: x.mH,
    "resolved": lambda x: x.conj().resolve_conj(),
    "real": lambda x: x.real,
    "as-real": lambda x: torch.view_as_real(x),
    "product": lambda x: x.conj() * x,
    "negated": lambda x: (x.conj().imag + 1, -x),
    "sum": lambda x: x.conj().sum(0),
}
_CONJUGATED: dict[str, Callable[[Tensor], Tensor]] = {
    "plain": lambda x: x,
    "conj": lambda x: x.conj(),
    "adjoint": lambda x: x.mH,
}


@KIND.family(
    axes={
        "argument": tuple(_CONJUGATED),
        "result": tuple(_COMPLEX),
        "write": ("no", "before", "after"),
    },
    quick=2,
)
def complex_views(choices: Choices) -> Program:
    """Conjugates and imaginary parts, with lazy bits on the argument, on results, and under writes."""
    result, given = _COMPLEX[choices["result"]], _CONJUGATED[choices["argument"]]
    write = choices["write"]

    def fn(x: Tensor) -> Any:
        if write == "before":
            x.mul_(2j)
        out = result(x)
        if write == "after":
            x.add_(1)
        return out

    return one(fn, lambda draws: (given(draws.normal(torch.complex64, 3, 4)),))


_STRUCTURES: dict[str, Callable[[Tensor], Any]] = {
    "list-grown": lambda x: [x, x + 1, x],
    "dict": lambda x: {"a": x, "b": (x * 2).t()},
    "nested": lambda x: ((x + 1, [x.view(-1)]), x),
    "twice": lambda x: (lambda y: (y, y, [y]))(x * 3),
    "equal-values": lambda x: (x + 1, x + 1),
    "nothing": lambda x: None,
    "number-and-tensor": lambda x: (x.dim(), x * 2, x.shape[1]),
    "set-to-a-view": lambda x: _set(torch.empty(0, dtype=x.dtype), (x + 1)[1:, 0])[0],
    "no-grad-inside": lambda x: (x + 1, _without_grad(x)),
    "requires-grad": lambda x: (x * 2, (x * 2).requires_grad),
}


def _set(x: Any, source: Tensor) -> Any:
    return x.set_(source)


def _without_grad(x: Tensor) -> Tensor:
    with torch.no_grad():
        return x + 1


@KIND.family(
    axes={"form": tuple(_STRUCTURES), "grad": ("no", "yes"), "layout": ("contiguous", "step2")}, quick=2
)
def structures(choices: Choices) -> Program:
    """Containers of results."""
    form, grad = _STRUCTURES[choices["form"]], choices["grad"] == "yes"

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        x = draws.laid_out(draws.normal(torch.float32, 4, 6), choices["layout"])
        return (x.requires_grad_(grad),)

    return one(lambda x: form(x), arguments)
