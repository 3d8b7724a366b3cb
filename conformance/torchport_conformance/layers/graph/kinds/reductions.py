"""Reductions of fused operands: indices in logical order, dimensions of permuted values, empty ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph.program import Choices, Draws, Kind, Program, one

KIND = Kind("reduction")

_REDUCTIONS: dict[str, Callable[[Tensor], Any]] = {
    "argmax": lambda x: x.argmax(),
    "argmin": lambda x: x.argmin(),
    "argmax-rows": lambda x: x.argmax(1),
    "argmin-columns": lambda x: x.argmin(0, keepdim=True),
    "max-rows": lambda x: x.max(1),
    "min-columns": lambda x: x.min(0),
    "max-index": lambda x: x.max(dim=1).indices,
    "median": lambda x: x.median(1),
    "sort": lambda x: x.sort(0),
    "argsort": lambda x: x.argsort(1),
    "topk": lambda x: x.topk(2, 1),
    "kth": lambda x: x.kthvalue(2, 0),
    "mode-of-signs": lambda x: x.sign().amax(0),
    "cummax": lambda x: x.cummax(1),
    "sum": lambda x: (x.sum(0), x.sum(1), x.sum()),
    "mean": lambda x: (x.mean(0), x.mean(1, keepdim=True)),
    "variance": lambda x: (x.var(0), x.std(1)),
    "product": lambda x: x.prod(1),
    "logsumexp": lambda x: x.logsumexp(0),
    "norm": lambda x: (x.norm(dim=1), x.abs().amax(0)),
    "any": lambda x: ((x > 1).any(0), (x > -1).all(1)),
    "cumsum": lambda x: (x.cumsum(0), x.cumsum(1)),
    "softmax": lambda x: (x.softmax(0), x.softmax(1)),
}
_OPERANDS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "sum": lambda a, b: a + b,
    "transposed-sum": lambda a, b: a.t() + b.t(),
    "mixed-sum": lambda a, b: a.t()[:5, :5] + b[:5, :5],
    "written-transposed": lambda a, b: a.clone().sin_().t(),
    "transposed-value": lambda a, b: (a * b).t(),
    "step": lambda a, b: (a * 2)[::2, 1:],
    "flipped": lambda a, b: a.flip(0) - b,
    "expanded": lambda a, b: a[:, :1] + b[:1],
    "chosen": lambda a, b: torch.where(a > b, a, b),
    "concatenated": lambda a, b: torch.cat([a, b], 1),
}


@KIND.family(
    axes={
        "reduction": tuple(_REDUCTIONS),
        "operand": tuple(_OPERANDS),
        "layout": ("contiguous", "transposed", "offset7", "step2"),
        "dtype": ("float32", "bfloat16"),
    },
    quick=6,
    more=16,
    applies=lambda c: c["dtype"] == "float32" or c["layout"] == "contiguous",
)
def fused(choices: Choices) -> Program:
    """A reduction of a value that is computed from laid out operands."""
    reduce, operand = _REDUCTIONS[choices["reduction"]], _OPERANDS[choices["operand"]]
    dtype = getattr(torch, choices["dtype"])

    def fn(a: Tensor, b: Tensor) -> Any:
        return reduce(operand(a, b))

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        a, b = (draws.normal(dtype, 6, 7) for _ in range(2))
        return draws.laid_out(a, choices["layout"]), b

    return one(fn, arguments)


_EMPTY: dict[str, Callable[[Tensor], Any]] = {
    "argmin-viewed": lambda a: a.argmin(1).view(0),
    "sum": lambda a: (a.sum(0), a.sum(1), a.sum()),
    "mean": lambda a: (a.mean(0), a.mean()),
    "prod": lambda a: a.prod(0),
    "softmax": lambda a: a.softmax(1),
    "cumsum": lambda a: a.cumsum(1),
    "cat": lambda a: torch.cat([a, a + 1]),
    "product": lambda a: a.t() @ a,
    "any": lambda a: ((a > 0).any(), (a > 0).all()),
    "pointwise": lambda a: (a * 2 + 1).view(-1),
    "max-raises": lambda a: a.max(),
}
_NUMBER: dict[str, Callable[[Tensor], Any]] = {
    "sum": lambda x: (x.sum(), x.sum(0)),
    "argmax": lambda x: (x.argmax(), x.argmax(0)),
    "sort": lambda x: x.sort(),
    "cumsum": lambda x: x.cumsum(0),
    "softmax": lambda x: x.softmax(0),
    "unsqueeze": lambda x: x.unsqueeze(0) * 2,
    "expand": lambda x: x.expand(3) + 1,
    "topk": lambda x: x.topk(1),
    "median": lambda x: x.median(),
    "variance": lambda x: x.var(correction=0),
    "unfold": lambda x: (x.unfold(0, 1, 1), torch.unfold_copy(x, 0, 1, 1)),
    "flip": lambda x: x.flip(()),
    "amax": lambda x: x.amax(),
}


@KIND.family(axes={"form": tuple(_EMPTY), "grad": ("no", "yes"), "dynamic": ("False", "True")}, quick=1)
def empty(choices: Choices) -> Program:
    """Tensors without elements."""
    form, grad = _EMPTY[choices["form"]], choices["grad"] == "yes"
    make = lambda d: (d.normal(torch.float32, 0, 3).requires_grad_(grad),)  # noqa: E731
    return one(lambda a: form(a), make, dynamic=choices["dynamic"] == "True")


@KIND.family(axes={"form": tuple(_NUMBER), "grad": ("no", "yes"), "made": ("given", "computed")}, quick=1)
def number(choices: Choices) -> Program:
    """Tensors without dimensions."""
    form, grad, made = _NUMBER[choices["form"]], choices["grad"] == "yes", choices["made"] == "computed"

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        return (draws.normal(torch.float32).requires_grad_(grad),)

    return one(lambda x: form(x * 2 if made else x), arguments)
