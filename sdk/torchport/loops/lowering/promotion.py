"""Type promotion of operands, as PyTorch does it: tensors with dimensions outrank 0-d tensors, which outrank
numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from torchport.contract.graph import Value
from torchport.contract.symbols import SymExpr


def _kind(dtype: torch.dtype) -> int:
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 0 if dtype == torch.bool else 1


def _number(value: Any) -> torch.dtype:
    if isinstance(value, bool):
        return torch.bool
    if isinstance(value, float):
        return torch.float32
    return torch.int64 if isinstance(value, int | SymExpr) else torch.complex64


def promoted(operands: Iterable[Any]) -> torch.dtype:
    """The dtype that an operator on these operands (values and numbers) computes in before any 16-bit
    widening.
    """
    ranks: list[torch.dtype | None] = [None, None, None]
    for arg in operands:
        if arg is None:
            continue
        is_value = isinstance(arg, Value)
        rank = (0 if arg.tensor.rank else 1) if is_value else 2
        dtype = arg.tensor.dtype if is_value else _number(arg)
        known = ranks[rank]
        ranks[rank] = dtype if known is None else torch.promote_types(known, dtype)
    out: torch.dtype | None = None
    for dtype in ranks:
        if dtype is not None and (out is None or _kind(dtype) > _kind(out)):
            out = dtype
    assert out is not None
    return out
