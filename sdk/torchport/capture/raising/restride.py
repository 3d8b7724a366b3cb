"""Strides of a macro's result made those that the program's own result had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import guard_or_false

Step = tuple[str, tuple[Any, ...]]
"""A tensor method and its arguments."""


def restride(result: torch.Tensor, wanted: torch.Tensor) -> list[Step] | None:
    """Methods that turn ``result`` into a tensor with the strides of ``wanted``, which has its shape.

    Empty where the strides agree already (those of dimensions of size 1 do not count); ``None`` where
    ``wanted`` is not a permutation of a row-major tensor.
    """
    if _same(result.stride(), wanted.stride(), result.shape):
        return []
    if wanted.is_contiguous():
        return [("contiguous", ())]
    order = memory_order(wanted)
    if order is None:
        return None
    inverse = [order.index(d) for d in range(len(order))]
    return [("permute", tuple(order)), ("contiguous", ()), ("permute", tuple(inverse))]


def memory_order(x: torch.Tensor) -> list[int] | None:
    """Dimensions from the slowest to the fastest of a tensor without gaps; ``None`` where it has some."""
    if not all(isinstance(s, int) for s in (*x.stride(), *x.shape)):
        return None
    strides = x.stride()
    order = sorted(range(x.dim()), key=lambda d: (-strides[d], d))
    step = 1
    for d in reversed(order):
        if x.size(d) != 1 and strides[d] != step:
            return None
        step *= x.size(d)
    return order


def _same(a: Sequence[Any], b: Sequence[Any], shape: Sequence[Any]) -> bool:
    return all(
        (isinstance(n, int) and n == 1) or guard_or_false(x == y) for x, y, n in zip(a, b, shape, strict=True)
    )
