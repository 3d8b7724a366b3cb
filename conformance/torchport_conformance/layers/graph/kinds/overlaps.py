"""Arguments that come to overlap: one compiled object is called on disjoint memory, then on shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph.program import Call, Choices, Draws, Kind, Program, stateless

KIND = Kind("overlap")

_N = 4
RELATIONS: dict[str, Callable[[Tensor], tuple[Tensor, Tensor]]] = {
    "disjoint": lambda b: (b[:16].view(_N, _N).clone(), b[:16].view(_N, _N) * 2),
    "neighbours": lambda b: (b[:16].view(_N, _N), b[16:32].view(_N, _N)),
    "same": lambda b: (lambda x: (x, x))(b[:16].view(_N, _N)),
    "view": lambda b: (b[:16].view(_N, _N), b[:16].view(_N, _N)),
    "overlapping": lambda b: (b[:16].view(_N, _N), b[8:24].view(_N, _N)),
    "reversed": lambda b: (b[8:24].view(_N, _N), b[:16].view(_N, _N)),
    "offset": lambda b: (b[1:17].view(_N, _N), b[2:18].view(_N, _N)),
    "transposed": lambda b: (b[:16].view(_N, _N), b[:16].view(_N, _N).t()),
    "interleaved": lambda b: (b[:32:2].view(_N, _N), b[1:32:2].view(_N, _N)),
    "columns": lambda b: (b[:32].view(_N, 8)[:, :4], b[:32].view(_N, 8)[:, 2:6]),
}


def _read_other(x: Tensor, y: Tensor) -> Any:
    x.mul_(2)
    return x + y


def _write_both(x: Tensor, y: Tensor) -> Any:
    x.mul_(2)
    y.add_(1)
    return x - y


def _return_view(x: Tensor, y: Tensor) -> Any:
    x.add_(100)
    return y[0], y.view(-1) if y.is_contiguous() else y, y


def _copy(x: Tensor, y: Tensor) -> Any:
    x.copy_(y + 0)
    return y * 1


def _write_view(x: Tensor, y: Tensor) -> Any:
    x[1:].add_(y[:-1])
    return x, y.t()


def _no_write(x: Tensor, y: Tensor) -> Any:
    return x + y, x, y.t()


def _scatter(x: Tensor, y: Tensor) -> Any:
    x.index_add_(0, torch.tensor([0, 1, 1], device=x.device), y[:3])
    return y + x


_FORMS = {
    "read-other": _read_other,
    "write-both": _write_both,
    "return-view": _return_view,
    "copy": _copy,
    "write-view": _write_view,
    "no-write": _no_write,
    "index-add": _scatter,
}


def _related(relation: str) -> Callable[[Draws], tuple[Tensor, Tensor]]:
    return lambda draws: RELATIONS[relation](draws.normal(torch.float32, 40))


@KIND.family(
    axes={
        "form": tuple(_FORMS),
        "relation": tuple(r for r in RELATIONS if r != "disjoint"),
        "first": ("disjoint", "neighbours"),
        "dynamic": ("False", "True", "None"),
    },
    quick=4,
)
def arguments(choices: Choices) -> Program:
    """Disjoint arguments, then related ones, then disjoint ones again."""
    order = (choices["first"], choices["relation"], "disjoint", choices["relation"])
    calls = [Call(_related(relation), relation) for relation in order]
    dynamic = {"False": False, "True": True, "None": None}[choices["dynamic"]]
    return stateless(_FORMS[choices["form"]], *calls, dynamic=dynamic)


def _three(x: Tensor, y: Tensor, z: Tensor) -> Any:
    x.mul_(2)
    z.add_(y)
    return y * 1, z[0]


@KIND.family(
    axes={
        "pair": ("xy", "yz", "xz"),
        "relation": ("same", "view", "overlapping", "offset", "transposed"),
        "rest": ("apart", "base"),
    },
    quick=1,
)
def of_three(choices: Choices) -> Program:
    """Two of three arguments are related; the third is apart, or the tensor that the others are views of."""

    def given(relation: str) -> Callable[[Draws], tuple[Tensor, ...]]:
        def make(draws: Draws) -> tuple[Tensor, ...]:
            whole = draws.normal(torch.float32, 40)
            a, b = RELATIONS[relation](whole)
            apart = choices["rest"] == "apart" or relation == "disjoint"
            rest = draws.normal(torch.float32, _N, _N) if apart else whole[20:36].view(_N, _N)
            return {"xy": (a, b, rest), "yz": (rest, a, b), "xz": (a, rest, b)}[choices["pair"]]

        return make

    calls = [Call(given(r), r) for r in ("disjoint", choices["relation"], "disjoint")]
    return stateless(_three, *calls)
