"""Operators that programs are made of, from the contract: what can write in place, and what is a view."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from torchport.contract.dtype_rules import accepted_names
from torchport.contract.spec import Category, OpSpec, resolve
from torchport.contract.views import is_view
from torchport_conformance.cases.case import Case, SizeExpr, TensorPlan
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.specs import all_specs, spec_of

_MANY = 512


@dataclass(frozen=True, slots=True)
class InPlace:
    """An elementwise operator of the contract with a form that writes to its first operand.

    ``arguments`` has None for each further tensor, else a number.
    """

    name: str
    dtype: torch.dtype
    arguments: tuple[Any, ...]

    @property
    def tensors(self) -> int:
        """How many further tensors it takes."""
        return sum(a is None for a in self.arguments)

    def write(self, target: Tensor, *operands: Tensor) -> Tensor:
        """Writes to ``target``."""
        written: Tensor = in_place_overload(self.name)(target, *self._filled(operands))
        return written

    def _filled(self, operands: Sequence[Tensor]) -> list[Any]:
        left = list(operands)
        return [left.pop(0) if a is None else a for a in self.arguments]


def in_place_overload(name: str) -> Any:
    """The operator that writes its result to its first operand; None where PyTorch has none."""
    namespace, packet, overload = name.split(".")
    found = getattr(getattr(torch.ops, namespace), packet + "_", None)
    return getattr(found, overload, None)


@cache
def in_place_operators() -> tuple[InPlace, ...]:
    """Every elementwise operator of the contract that can write to operands in [0.25, 0.75) or to small
    integers, in contract order.
    """
    found = (_in_place(spec) for spec in all_specs().values() if spec.category is Category.ELEMENTWISE)
    return tuple(op for op in found if op is not None)


@cache
def in_place_named() -> dict[str, InPlace]:
    """The same by name."""
    return {op.name: op for op in in_place_operators()}


def _in_place(spec: OpSpec) -> InPlace | None:
    if in_place_overload(spec.name) is None or spec.numerics.kind == "law":
        return None
    arguments: list[Any] = []
    for argument in list(spec.overload._schema.arguments)[1:]:
        if argument.kwarg_only:
            continue
        if "Tensor" in str(argument.type):
            if "Optional" in str(argument.type) or "List" in str(argument.type):
                return None
            arguments.append(None)
            continue
        choices = spec.operands[argument.name].choices if argument.name in spec.operands else ()
        numbers = [c for c in choices if isinstance(c, int | float) and not isinstance(c, bool)]
        if not numbers:
            if not argument.has_default_value():
                return None
            break
        arguments.append(numbers[0])
    for dtype in (torch.float32, torch.int32):
        made = InPlace(spec.name, dtype, tuple(arguments))
        if _works(made):
            return made
    return None


def _works(op: InPlace) -> bool:
    values = torch.tensor([1, 2, 3]) if op.dtype is torch.int32 else torch.tensor([0.3, 0.5, 0.7])
    target = values.to(op.dtype)
    try:
        op.write(target, *[values.to(op.dtype).flip(0)] * op.tensors)
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return False
    return not bool(target.isnan().all())


@dataclass(frozen=True, slots=True)
class View:
    """A view operator with arguments that fit an operand of ``shape``."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    arguments: tuple[tuple[str, Any], ...]

    def of(self, tensor: Tensor) -> Any:
        """The view; a tuple of tensors where the operator has several results."""
        call: Callable[..., Any] = resolve(self.name)
        return call(tensor, **dict(self.arguments))

    def last(self, tensor: Tensor) -> Tensor:
        """The view, or the last of several."""
        found = self.of(tensor)
        last: Tensor = found[-1] if isinstance(found, list | tuple) else found
        return last


@cache
def view_operators() -> tuple[str, ...]:
    """Names of the contract's views that keep the dtype."""
    specs = (s for s in all_specs().values() if is_view(s.name) and s.name.startswith("aten."))
    return tuple(
        s.name
        for s in specs
        if s.dtypes.results == ("same:self",)
        and "float32" in accepted_names(s.dtypes, "self")
        and not _is_identity(s)
    )


def _is_identity(spec: OpSpec) -> bool:
    """Whether an operator returns its very operand, which no program calls it for."""
    if len(spec.overload._schema.arguments) > 1:
        return False
    operand = torch.zeros(2, 2)
    return spec.overload(operand) is operand


@cache
def views_named(name: str) -> tuple[View, ...]:
    """Views by an operator with different arguments, as the contract's cases have them."""
    found: dict[str, View] = {}
    for case in cases_for(spec_of(name), profile_named("training")):
        view = _view(case)
        if view is not None:
            found.setdefault(repr(view.arguments), view)
    return tuple(found.values())


def _view(case: Case) -> View | None:
    (_, source), *rest = case.arguments
    if not isinstance(source, TensorPlan) or source.layout != "contiguous":
        return None
    if not 0 < math.prod(source.shape) < _MANY:
        return None
    if any(isinstance(a, TensorPlan) for _, a in rest) or not source.dtype.is_floating_point:
        return None
    plain = tuple((n, a.value if isinstance(a, SizeExpr) else a) for n, a in rest)
    listed = tuple((n, list(a) if isinstance(a, tuple) else a) for n, a in plain)
    return View(case.op, source.dtype, source.shape, listed)
