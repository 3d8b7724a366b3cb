"""The reference of a case: the contract's float64 reference, on contiguous copies of the case's values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from torchport.contract import reference as contract_reference
from torchport.contract.fx_import import bind_arguments
from torchport.contract.spec import OpSpec
from torchport.contract.views import is_view
from torchport.errors import ContractError
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.values import draw, repeated
from torchport_conformance.specs import spec_of

ERRORS = contract_reference.REFUSALS
"""What PyTorch raises when it refuses arguments."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Outputs in float64 (integers exact; ``None`` where there is none), and every schema argument in its own
    dtype.
    """

    results: tuple[torch.Tensor | None, ...]
    arguments: Mapping[str, Any]
    spec: OpSpec

    @cached_property
    def scales(self) -> contract_reference.Scales:
        """What errors are relative to."""
        return contract_reference.Scales(self.spec, self.arguments)


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


def operands(case: Case, run_seed: int) -> dict[str, torch.Tensor]:
    """The operand values of a case on the host, contiguous: a function of its id and the run's seed.

    Raises:
        ContractError: the contract names a value class that conformance does not know.
    """
    generator = torch.Generator().manual_seed(case.seed(run_seed))
    plans = dict(case.tensors())
    found = {n: draw(p, generator) for n, p in plans.items() if not p.values.startswith("result(")}
    _keep_off_blank(case, found)
    for name, plan in plans.items():
        if name not in found:
            found[name] = _output_of(case, plan, found)
    if dict(case.arguments).get(_CLOSED):
        _close(plans, found)
    return {name: found[name] for name in plans}


def _keep_off_blank(case: Case, values: dict[str, torch.Tensor]) -> None:
    """Puts another class in place of the blank among the labels of targets, which may not hold it: PyTorch's
    gradient of the loss leaves out a path of a target that ends with it.
    """
    arguments = dict(case.arguments)
    log_probs, blank = arguments.get("log_probs"), arguments.get("blank", 0)
    if isinstance(log_probs, TensorPlan) and len(log_probs.shape) == 3 and "targets" in values:
        targets, classes = values["targets"], log_probs.shape[2]
        if classes > 1 and isinstance(blank, int):
            values["targets"] = torch.where(targets == blank, (blank + 1) % classes, targets)


_CLOSED = "include_last_offset"
"""The argument by which the last of some offsets is where the last part ends."""


def _close(plans: Mapping[str, TensorPlan], values: Mapping[str, torch.Tensor]) -> None:
    """Sets the last offset to the end of what is divided; not where all offsets share memory."""
    for name, plan in plans.items():
        kind, _, end = plan.values.partition(":")
        if kind == "offsets" and not LAYOUTS[plan.layout].overlaps:
            values[name][-1:] = int(end)


def _output_of(case: Case, plan: TensorPlan, known: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """What ``result(OP, i)`` means: output i of an operator on the arguments of the same names, in the plan's
    dtype.
    """
    match = re.fullmatch(r"result\(([\w.]+), (\d+)\)", plan.values)
    if match is None:
        raise ContractError("not a value class", op=case.op, got=plan.values)
    spec = spec_of(match[1])
    given = {
        n: _concrete(a, n, known)
        for n, a in case.arguments
        if n in {p.name for p in spec.overload._schema.arguments}
    }
    arguments = dict(bind_arguments(spec.overload, (), given))
    value = contract_reference.reference(spec, arguments)[int(match[2])]
    if value is None or tuple(value.shape) != plan.shape:
        raise ContractError(
            "the operand's pattern is not the shape of that output", op=case.op, got=plan.values
        )
    return repeated(value.to(plan.dtype), plan)


def reference(case: Case, tensors: Mapping[str, torch.Tensor]) -> Reference:
    """The reference of a case whose operands have these values.

    Raises:
        RuntimeError, IndexError, ValueError, TypeError, NotImplementedError: PyTorch refuses the arguments.
    """
    spec, arguments = spec_of(case.op), arguments_of(case, tensors)
    if is_view(case.op):
        # Nothing is computed, and a reinterpretation of bits is only right in the operand's own dtype.
        return Reference(contract_reference.flatten(spec.overload(**arguments)), arguments, spec)
    results = written(spec, arguments, contract_reference.reference(spec, arguments))
    return Reference(results, arguments, spec)


def written(
    spec: OpSpec, arguments: Mapping[str, Any], results: Sequence[Any]
) -> tuple[torch.Tensor | None, ...]:
    """Results of a call, ``None`` for host scalars and for what the contract does not have with these
    arguments: a region writes neither.
    """
    return tuple(
        result
        if isinstance(result, torch.Tensor) and not contract_reference.absent(spec, arguments, i)
        else None
        for i, result in enumerate(results)
    )
