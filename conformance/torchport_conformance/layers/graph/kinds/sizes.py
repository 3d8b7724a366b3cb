"""Dynamic shapes: one compiled object over a sequence of sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.layers.graph.kinds.guards import DYNAMIC
from torchport_conformance.layers.graph.program import Call, Choices, Draws, Kind, Program, stateless

KIND = Kind("size")

_SEQUENCES: dict[str, Sequence[tuple[int, ...]]] = {
    "grows": ((4, 6), (5, 6), (9, 6), (4, 6)),
    "both": ((4, 6), (6, 4), (5, 7), (4, 6)),
    "equal": ((4, 4), (4, 5), (8, 8), (4, 4)),
    "one": ((4, 6), (1, 6), (4, 1), (1, 1), (4, 6)),
    "zero": ((4, 6), (0, 6), (4, 0), (4, 6)),
    "large": ((2, 6), (300, 6), (2, 1031), (2, 6)),
}


def _chunked(x: Tensor) -> Any:
    half = x.shape[0] // 2
    return x[:half] + 1, x[half:] * 2


def _padded(x: Tensor) -> Tensor:
    rest = -x.shape[1] % 4
    return torch.cat([x, x.new_zeros(x.shape[0], rest)], 1) * 2


def _divisible(x: Tensor) -> Tensor:
    return x.reshape(2, -1).sum(0) if x.numel() % 2 == 0 else x * 2


def _heads(x: Tensor) -> Tensor:
    n, c = x.shape
    return x.reshape(n, 1, c).expand(n, 3, c).transpose(0, 1).reshape(3 * n, c) + 1


def _masked(x: Tensor) -> Tensor:
    n, c = x.shape
    row, column = torch.arange(n, device=x.device), torch.arange(c, device=x.device)
    return torch.where(row[:, None] >= column, x, -1.0).sum(-1)


def _positions(x: Tensor) -> Tensor:
    return x + torch.arange(x.shape[1], device=x.device) * (1.0 / (1 + x.shape[0]))


def _window(x: Tensor) -> Tensor:
    return x[:, : max(x.shape[1] - 2, 0)] * x[:, -max(x.shape[1] - 2, 0) or x.shape[1] :]


def _written(x: Tensor) -> Any:
    x[: x.shape[0] // 2].mul_(2)
    return x.t(), x.sum()


_USES: dict[str, Callable[[Tensor], Any]] = {
    "pointwise": lambda x: (x * 2 + 1).relu(),
    "softmax": lambda x: torch.softmax(x, -1),
    "sums": lambda x: (x.sum(0), x.sum(1), x.sum()),
    "mean-by-size": lambda x: x.sum() / max(x.numel(), 1),
    "flatten": lambda x: (x + 1).view(-1),
    "merge": lambda x: x.reshape(x.shape[0] * x.shape[1]) * 2,
    "split-dim": lambda x: x.reshape(x.shape[0], -1, 1).squeeze(-1) + 1,
    "cat": lambda x: torch.cat([x, x * 2], 0),
    "cat-columns": lambda x: torch.cat([x, x.flip(1)], 1),
    "stack": lambda x: torch.stack([x, x + 1]).sum(0),
    "transposed": lambda x: (x.t() + 1).contiguous(),
    "product": lambda x: x @ x.t(),
    "tail": lambda x: x[1:] - x[:-1],
    "every-other": lambda x: x[::2, 1::2] * 3,
    "equal-branch": lambda x: x.cos() if x.shape[0] == x.shape[1] else x.sin(),
    "tuple-branch": lambda x: x.cos() if x.size() != (4, 5) else x.sin(),
    "large-branch": lambda x: x * 2 if x.shape[0] > 4 else x * 3,
    "size-returned": lambda x: (x + x.shape[0], x.shape[1], x.numel()),
    "chunked": _chunked,
    "padded": _padded,
    "divisible": _divisible,
    "heads": _heads,
    "masked": _masked,
    "positions": _positions,
    "window": _window,
    "written": _written,
    "cumulative": lambda x: x.cumsum(1)[:, -1:] if x.shape[1] else x,
    "layer-norm": lambda x: torch.nn.functional.layer_norm(x, (x.shape[1],)),
}


@KIND.family(
    axes={
        "use": tuple(_USES),
        "sizes": tuple(_SEQUENCES),
        "dynamic": ("True", "None", "False"),
        "grad": ("no", "yes"),
    },
    quick=6,
    applies=lambda c: not (c["use"] == "written" and c["grad"] == "yes"),
)
def sequence(choices: Choices) -> Program:
    """Sizes of one argument."""
    grad, use = choices["grad"] == "yes", _USES[choices["use"]]

    def call(size: tuple[int, ...]) -> Call:
        return Call(lambda d: (d.normal(torch.float32, *size).requires_grad_(grad),), f"{size}")

    return stateless(use, *map(call, _SEQUENCES[choices["sizes"]]), dynamic=DYNAMIC[choices["dynamic"]])


_BROADCASTS: dict[str, Sequence[tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "second-comes-to-broadcast": (((4, 6), (4, 6)), ((4, 6), (1, 6)), ((4, 6), (4, 1)), ((4, 6), (4, 6))),
    "first-comes-to-broadcast": (((4, 6), (4, 6)), ((1, 6), (4, 6)), ((4, 1), (4, 6)), ((4, 6), (4, 6))),
    "rank": (((4, 6), (6,)), ((4, 6), (2, 4, 6)), ((4, 6), ()), ((4, 6), (6,))),
    "together": (((4, 6), (4, 6)), ((5, 6), (5, 6)), ((6, 6), (6, 6)), ((4, 6), (4, 6))),
}
_BINARY: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "sum": lambda x, y: x + y,
    "where": lambda x, y: torch.where(x > y, x, y),
    "sum-of-product": lambda x, y: (x * y).sum(-1),
    "maximum": lambda x, y: torch.maximum(x, y).sum(0),
}


@KIND.family(
    axes={
        "sizes": tuple(_BROADCASTS),
        "use": tuple(_BINARY),
        "dynamic": ("True", "None", "False"),
        "grad": ("no", "yes"),
    },
    quick=1,
)
def broadcast(choices: Choices) -> Program:
    """Sizes of two arguments that broadcast in some calls."""
    grad = choices["grad"] == "yes"

    def call(sizes: tuple[tuple[int, ...], tuple[int, ...]]) -> Call:
        def given(draws: Draws) -> tuple[Tensor, ...]:
            return tuple(draws.normal(torch.float32, *s).requires_grad_(grad) for s in sizes)

        return Call(given, f"{sizes[0]} and {sizes[1]}")

    calls = map(call, _BROADCASTS[choices["sizes"]])
    return stateless(_BINARY[choices["use"]], *calls, dynamic=DYNAMIC[choices["dynamic"]])


_FROM_DATA: dict[str, Callable[[Tensor], Any]] = {
    "nonzero": lambda x: x.nonzero() * 2,
    "nonzero-columns": lambda x: x.nonzero(as_tuple=True),
    "where": lambda x: torch.where(x),
    "where-used": lambda x: x[torch.where(x > 0)] + 1,
    "masked": lambda x: x[x > 0] * 2,
    "masked-sum": lambda x: torch.masked_select(x, x > 0).sum(),
    "item": lambda x: x * int((x > 0).sum().item()),
    "unique": lambda x: torch.unique(x > 0),
    "repeats": lambda x: torch.repeat_interleave(x[:, 0], (x[:, 1] > 0).to(torch.int64) + 1),
}
_FILLED: dict[str, Callable[[Tensor], Tensor]] = {
    "some": lambda x: x * (x > 0),
    "none": lambda x: x * 0,
    "all": lambda x: x.abs() + 1,
    "wide": lambda x: (x * (x > 0)).repeat(1, 40),
}


def _captures(outputs: bool) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: torch._dynamo.config.patch(
        capture_dynamic_output_shape_ops=outputs, capture_scalar_outputs=outputs
    )


@KIND.family(
    axes={"use": tuple(_FROM_DATA), "data": tuple(_FILLED), "captured": ("yes", "no")},
    quick=2,
)
def from_data(choices: Choices) -> Program:
    """Sizes that depend on values, in the graph and at a graph break."""
    filled, context = _FILLED[choices["data"]], _captures(choices["captured"] == "yes")
    shapes = ((2, 64), (3, 5), (2, 64))
    calls = [
        Call(lambda d, s=shape: (filled(d.normal(torch.float32, *s)),), f"{shape}", context=context)  # type: ignore[misc]
        for shape in shapes
    ]
    return stateless(_FROM_DATA[choices["use"]], *calls, dynamic=None)
