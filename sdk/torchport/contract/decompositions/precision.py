"""The dtype a decomposition computes in, and the casts into and out of it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

_COMPUTE = {torch.float16: torch.float32, torch.bfloat16: torch.float32}


def compute_dtype(dtype: torch.dtype) -> torch.dtype:
    """float32 for float16 and bfloat16; every other dtype computes in itself."""
    return _COMPUTE.get(dtype, dtype)


def widen(x: Tensor) -> Tensor:
    """``x`` in its compute dtype; no operator is emitted when it is there already."""
    dtype = compute_dtype(x.dtype)
    return x if x.dtype == dtype else x.to(dtype)


def narrow(x: Tensor, dtype: torch.dtype) -> Tensor:
    """``x`` rounded to ``dtype``; no operator is emitted when it has that dtype already."""
    return x if x.dtype == dtype else x.to(dtype)


def constant(value: float | int | bool, like: Tensor) -> Tensor:
    """A 0-d tensor with the dtype and device of ``like``: how the contract spells a number as an operand."""
    return torch.full((), value, dtype=like.dtype, device=like.device)


def zeros(shape: tuple[int, ...] | torch.Size, like: Tensor) -> Tensor:
    """Zeros of ``shape`` with the dtype and device of ``like``."""
    return torch.full(shape, 0, dtype=like.dtype, device=like.device)


def positions(length: int, like: Tensor) -> Tensor:
    """``int64[length]``: 0, 1, … on the device of ``like``; ``length`` may be symbolic."""
    result: Tensor = torch.ops.aten.arange.start_step(0, length, 1, dtype=torch.int64, device=like.device)
    return result


def larger(a: int, b: int) -> int:
    """``max(a, b)`` of sizes that may be symbolic, without a guard."""
    function: Callable[[int, int], int] = torch.sym_max
    return function(a, b)


def smaller(a: int, b: int) -> int:
    """``min(a, b)`` of sizes that may be symbolic, without a guard."""
    function: Callable[[int, int], int] = torch.sym_min
    return function(a, b)
