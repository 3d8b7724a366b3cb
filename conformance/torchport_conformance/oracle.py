"""The reference of a case: the contract's float64 reference, on contiguous copies of the case's values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from torchport.contract import reference as contract_reference
from torchport.contract.fx_import import bind_arguments
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan
from torchport_conformance.specs import spec_of

ERRORS = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError)
"""What PyTorch raises when it refuses arguments."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Outputs in float64 (integers exact; ``None`` where there is none), and every schema argument in its own
    dtype.
    """

    results: tuple[torch.Tensor | None, ...]
    arguments: Mapping[str, Any]


def arguments_of(case: Case, tensors: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """Every schema argument of a case; its tensors are filled in by their :meth:`Case.tensors` name."""
    given = {name: _concrete(argument, name, tensors) for name, argument in case.arguments}
    return dict(bind_arguments(spec_of(case.op).overload, (), given))


def _concrete(argument: Argument, name: str, tensors: Mapping[str, torch.Tensor]) -> Any:
    if isinstance(argument, TensorPlan):
        return tensors[name]
    if isinstance(argument, tuple):
        return [_concrete(a, f"{name}[{i}]", tensors) for i, a in enumerate(argument)]
    if isinstance(argument, SizeExpr):
        return list(argument.value) if isinstance(argument.value, tuple) else argument.value
    return argument


def reference(case: Case, tensors: Mapping[str, torch.Tensor]) -> Reference:
    """The reference of a case whose operands have these values.

    Raises:
        RuntimeError, IndexError, ValueError, TypeError, NotImplementedError: PyTorch refuses the arguments.
    """
    arguments = arguments_of(case, tensors)
    return Reference(contract_reference.reference(spec_of(case.op), arguments), arguments)
