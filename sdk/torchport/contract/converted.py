"""A call's operands and numbers as PyTorch converts them before it computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.spec import OpSpec


def converted_operands(
    spec: OpSpec, arguments: Mapping[str, Any], got: Sequence[Tensor | None], accumulator: torch.dtype
) -> dict[str, Any] | None:
    """Arguments with the integer operands of a float result, or of a comparison with floats, rounded to the
    dtype to which PyTorch's promotion converts them; with the numbers of an ``exact`` operator, which
    elements are compared with, rounded to ``accumulator``. None where that changes nothing.
    """
    dtype = next((g.dtype for g in got if g is not None and g.dtype.is_floating_point), None)
    numbers = spec.numerics.kind == "exact" and dtype is not None
    one, other = arguments.get("self"), arguments.get("other")
    if dtype is None and isinstance(one, Tensor) and isinstance(other, Tensor):
        promoted = torch.result_type(one, other)
        dtype = promoted if promoted.is_floating_point and all(_is_bool(g) for g in got) else None
    if dtype is None:
        return None
    found = {n: _rounded(v, dtype) for n, v in arguments.items()}
    if numbers:
        found = {n: _rounded_number(v, accumulator) for n, v in found.items()}
    return found if any(_differ(v, found[n]) for n, v in arguments.items()) else None


def _is_bool(x: Tensor | None) -> bool:
    return x is not None and x.dtype is torch.bool


def _rounded(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, list | tuple):
        return [_rounded(v, dtype) for v in value]
    if not isinstance(value, Tensor) or value.is_floating_point() or value.is_complex():
        return value
    return value.to(dtype).to(torch.float64)


def _rounded_number(value: Any, dtype: torch.dtype) -> Any:
    return torch.tensor(value, dtype=dtype).item() if type(value) is float else value


def _differ(before: Any, after: Any) -> bool:
    """Whether conversion changed a value; that of a dtype alone is no change."""
    if isinstance(before, list | tuple):
        return any(map(_differ, before, after))
    if isinstance(before, Tensor):
        return before.dtype is not after.dtype and bool((after != before.to(torch.float64)).any())
    return type(before) is float and before != after
