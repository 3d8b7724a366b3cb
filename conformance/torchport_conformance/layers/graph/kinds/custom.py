"""Custom operators between those of the contract: their layouts, and what they write."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph.program import Choices, Draws, Kind, Program, one

KIND = Kind("custom")
_NAMESPACE = "torchport_conformance"


def _first_innermost(x: Tensor) -> Tensor:
    """A copy with its first dimension innermost in memory."""
    order = [*range(1, x.dim()), 0]
    out = torch.empty([x.shape[d] for d in order], dtype=x.dtype, device=x.device)
    out = out.permute(x.dim() - 1, *range(x.dim() - 1))
    return out if x.is_meta else out.copy_(x)


def _gapped(x: Tensor) -> Tensor:
    """A copy in every other element of its memory, from the second on."""
    whole = torch.zeros(2 * x.numel() + 1, dtype=x.dtype, device=x.device)
    out = whole[1:].view(*x.shape, 2)[..., 0]
    return out if x.is_meta else out.copy_(x)


def _copy_into(x: Tensor, y: Tensor) -> None:
    x.copy_(y)


def _nothing(x: Tensor, y: Tensor) -> None:
    return None


@cache
def _operators() -> Any:
    """The operators, registered on first use; the library has to live as long as they do."""
    library = torch.library.Library(_NAMESPACE, "FRAGMENT")
    library.define("first_innermost(Tensor x) -> Tensor")
    library.define("gapped(Tensor x) -> Tensor")
    library.define("copy_into(Tensor(a!) x, Tensor y) -> ()")
    for name, kernel, fake in (
        ("first_innermost", _first_innermost, _first_innermost),
        ("gapped", _gapped, _gapped),
        ("copy_into", _copy_into, _nothing),
    ):
        library.impl(name, kernel, "CompositeExplicitAutograd")
        library.impl(name, fake, "Meta")
    return library, torch.ops.torchport_conformance


def _permuted(x: Tensor, y: Tensor) -> Any:
    z = torch.ops.torchport_conformance.first_innermost(x)
    return z.unsqueeze(2).expand(-1, -1, 5, -1) + y.unsqueeze(2), z.sum(0), z


def _with_gaps(x: Tensor, y: Tensor) -> Any:
    z = torch.ops.torchport_conformance.gapped(x * 2)
    return z + y, z.flatten(1), z[1:] * 2


def _written(x: Tensor, y: Tensor) -> Any:
    z = x * 2
    torch.ops.torchport_conformance.copy_into(z, y)
    torch.ops.torchport_conformance.copy_into(x, z)
    return z, x + 1


def _row_written(x: Tensor, y: Tensor) -> Any:
    torch.ops.torchport_conformance.copy_into(x[0], y[0])
    return x * 1


def _view_of_value_written(x: Tensor, y: Tensor) -> Any:
    z = x + y
    torch.ops.torchport_conformance.copy_into(z[..., ::2], y[..., ::2])
    return z, z.sum(0)


_FORMS = {
    "permuted": _permuted,
    "gapped": _with_gaps,
    "written": _written,
    "row-written": _row_written,
    "view-written": _view_of_value_written,
}


@KIND.family(
    axes={
        "form": tuple(_FORMS),
        "layout": ("contiguous", "transposed", "reversed", "offset7", "step2"),
        "dtype": ("float32", "float64"),
    },
    quick=1,
)
def operators(choices: Choices) -> Program:
    """Layouts and writes of custom operators."""
    _operators()
    dtype = getattr(torch, choices["dtype"])

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        x, y = (draws.normal(dtype, 2, 4, 6) for _ in range(2))
        return draws.laid_out(x, choices["layout"]), y

    return one(_FORMS[choices["form"]], arguments)
