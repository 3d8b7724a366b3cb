"""The reference: eager PyTorch in float64 (complex128), or exact integers, on contiguous copies of a case's
values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.contract.fx_import import bind_arguments
from torchport.contract.spec import resolve
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan

WIDE: Mapping[torch.dtype, torch.dtype] = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
}
"""What each dtype is computed in by the reference; others are themselves."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Results of the reference (``None`` where the operator has none), and the arguments that they came from.

    ``arguments`` binds every schema argument to what the reference was called with: wide tensors and plain
    values.
    """

    results: tuple[torch.Tensor | None, ...]
    arguments: Mapping[str, Any]


def concrete(argument: Argument, name: str, tensors: Mapping[str, torch.Tensor]) -> Any:
    """An argument of a case with its tensors filled in from ``tensors`` (by :meth:`Case.tensors` name)."""
    if isinstance(argument, TensorPlan):
        return tensors[name]
    if isinstance(argument, tuple):
        return [concrete(a, f"{name}[{i}]", tensors) for i, a in enumerate(argument)]
    return argument.value if isinstance(argument, SizeExpr) else argument


def call(case: Case, tensors: Mapping[str, torch.Tensor], *, wide: bool) -> Reference:
    """Runs the operator of a case by eager PyTorch.

    Args:
        case: the case.
        tensors: values by operand name.
        wide: in the widest dtype of each operand's kind; otherwise as the case says.

    Raises:
        RuntimeError, IndexError, ValueError, NotImplementedError: what PyTorch raises.
    """
    op = resolve(case.op)
    used = {name: _widened(t) for name, t in tensors.items()} if wide else dict(tensors)
    given = {name: concrete(argument, name, used) for name, argument in case.arguments}
    if wide:
        given = {name: WIDE.get(a, a) if isinstance(a, torch.dtype) else a for name, a in given.items()}
    bound = dict(bind_arguments(op, (), given))
    with torch.no_grad():
        result = op(**bound)
    return Reference(_flattened(result), bound)


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(WIDE.get(tensor.dtype, tensor.dtype))


def _flattened(result: Any) -> tuple[torch.Tensor | None, ...]:
    if isinstance(result, torch.Tensor) or result is None:
        return (result,)
    found: list[torch.Tensor | None] = []
    for item in result if isinstance(result, Sequence) else [result]:
        found.append(item if isinstance(item, torch.Tensor) else None)
    return tuple(found)
