"""Eager PyTorch on the operands of a case, to see whether a failure is a declared defect of its own."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from torchport.contract.adapters import call
from torchport.contract.eager_defects import EagerDefect, Operands, defects_of
from torchport.contract.graph import dtype_name
from torchport.contract.reference import flatten
from torchport_conformance import numerics, oracle
from torchport_conformance.buffers import place_input
from torchport_conformance.cases.case import Case, strides_of
from torchport_conformance.cases.layouts import contiguous_strides
from torchport_conformance.cases.values import kinds_of
from torchport_conformance.closeness import close
from torchport_conformance.loading import Sharing, sharings
from torchport_conformance.specs import dtypes_of_results, spec_of


def shown_defect(case: Case, seed: int, got: list[torch.Tensor] | None) -> EagerDefect | None:
    """The declared defect that explains a failed case; None where eager is right, or wrong in another way.

    Args:
        case: the failed case.
        seed: the run's.
        got: what the backend computed; None where it raised.
    """
    declared = defects_of(case.op, operands_of(case))
    if not declared:
        return None
    values = oracle.operands(case, seed)
    placed = {name: place_input(values[name], *strides_of(plan)).tensor for name, plan in case.tensors()}
    spec, arguments = spec_of(case.op), oracle.arguments_of(case, placed)
    try:
        with torch.no_grad():
            results = flatten(spec.overload(**arguments))
    except oracle.ERRORS:
        return declared[0] if got is None else None
    results = oracle.written(spec, arguments, results)
    found = [r for r in results if r is not None]
    if got is None:
        dtypes = dtypes_of_results(spec, arguments, len(results))
        wrong = [r.dtype for r in found] != [d for d, r in zip(dtypes, results, strict=True) if r is not None]
        return declared[0] if wrong else None
    same = declared[0].unstable or all(close(mine, theirs) for mine, theirs in zip(got, found, strict=True))
    if not same or numerics.judge(spec, oracle.reference(case, values), found).ok:
        return None
    return declared[0]


def sharings_of(case: Case, values: Mapping[str, torch.Tensor]) -> tuple[Sharing, ...]:
    """Which results of eager PyTorch lie in memory of a case's operands or of each other."""
    placed = {name: place_input(values[name], *strides_of(plan)).tensor for name, plan in case.tensors()}
    spec, arguments = spec_of(case.op), oracle.arguments_of(case, placed)
    try:
        with torch.no_grad():
            results = oracle.written(spec, arguments, flatten(call(spec, arguments)))
    except oracle.ERRORS:
        return ()
    return sharings(list(placed.values()), [r for r in results if r is not None])


def operands_of(case: Case) -> Operands:
    """What declarations of defects may depend on."""
    tensors = list(case.tensors())
    return Operands(
        dtypes={dtype_name(plan.dtype) for _, plan in tensors},
        strided={n for n, p in tensors if strides_of(p)[0] != tuple(contiguous_strides(p.shape))},
        special=frozenset[str]().union(*(kinds_of(p.fill) for _, p in tensors)),
        empty=any(0 in plan.shape for _, plan in tensors),
    )
