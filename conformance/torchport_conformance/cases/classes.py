"""Losses that compare each class with each other one, whose work grows with the square of a size."""

from __future__ import annotations

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.cases.case import Case

_MOST_CLASSES = 1 << 13


def compares_many_classes(spec: OpSpec, case: Case) -> bool:
    """Whether a call of a loss would take minutes: every class has a label, as in losses of margins of
    several, and there are very many.
    """
    if spec.category is not Category.LOSS:
        return False
    labels = [plan for name, plan in case.tensors() if name == "target" and not plan.dtype.is_floating_point]
    return any("c" in plan.dims and plan.shape[-1] > _MOST_CLASSES for plan in labels)
