"""Eager PyTorch on the operands of a case, to see whether a failure is a declared defect of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from torchport.contract.adapters import call
from torchport.contract.eager_defects import EagerDefect, Operands, defects_of
from torchport.contract.graph import TensorSpec, dtype_name
from torchport.contract.reference import flatten
from torchport.contract.spec import OpSpec
from torchport.contract.wrong_elements import outside
from torchport_conformance import numerics, oracle
from torchport_conformance.buffers import place_input
from torchport_conformance.cases.case import Case, strides_of
from torchport_conformance.cases.layouts import contiguous_strides
from torchport_conformance.cases.values import kinds_of
from torchport_conformance.closeness import close, same
from torchport_conformance.loading import Sharing, sharings
from torchport_conformance.specs import dtypes_of_results, spec_of


def shown_defect(
    case: Case,
    seed: int,
    got: list[torch.Tensor] | None,
    exact: oracle.Reference | None = None,
) -> EagerDefect | None:
    """The declared defect that explains a failed case; None where eager is right, or wrong in another way.

    Args:
        case: the failed case.
        seed: the run's.
        got: what the backend computed; None where it raised.
        exact: the case's reference, where the caller has it.
    """
    declared = defects_of(case.op, operands_of(case))
    if not declared:
        return None
    if got is None:
        # A case is run with the values of the next seed as well, to see whether its results depend on a run.
        draws = (oracle.operands(case, s) for s in (seed, seed + 1))
        return declared[0] if any(_gives_none(case, values) for values in draws) else None
    values = oracle.operands(case, seed)
    spec, arguments = spec_of(case.op), _placed_arguments(case, values)
    exact = exact or oracle.reference(case, values)
    mine = _wrong_elements(spec, exact, got)
    placed = _computed(spec, arguments)
    # What a backend has ATen compute from row-major copies is as wrong as that is.
    for found in (placed, _computed(spec, oracle.arguments_of(case, values))):
        if found is None or numerics.judge(spec, exact, found).ok:
            continue
        theirs = _wrong_elements(spec, exact, found)
        shown = next((d for d in declared if _explains(d, got, found, mine, theirs)), None)
        if shown is not None:
            return shown
    if placed is None:
        return None
    theirs = _wrong_elements(spec, exact, placed)
    for defect in declared:
        if defect.behind:
            found = _before_nan(defect, spec, arguments)
            theirs = _either(theirs, _wrong_elements(spec, exact, found))
            if _explains(defect, got, found, mine, theirs):
                return defect
    return None


def _computed(spec: OpSpec, arguments: Mapping[str, Any]) -> list[torch.Tensor] | None:
    """What eager PyTorch computes; None where it raises."""
    try:
        with torch.no_grad():
            results = flatten(call(spec, arguments))
    except oracle.ERRORS:
        return None
    return [r for r in oracle.written(spec, arguments, results) if r is not None]


def _gives_none(case: Case, values: Mapping[str, torch.Tensor]) -> bool:
    """Whether eager PyTorch raises for operands, or gives results of other dtypes than the contract's."""
    spec, arguments = spec_of(case.op), _placed_arguments(case, values)
    try:
        with torch.no_grad():
            results = oracle.written(spec, arguments, flatten(call(spec, arguments)))
    except oracle.ERRORS:
        return True
    dtypes = dtypes_of_results(spec, arguments, len(results))
    return any(r is not None and r.dtype != d for r, d in zip(results, dtypes, strict=True))


def _before_nan(defect: EagerDefect, spec: OpSpec, arguments: Mapping[str, Any]) -> list[torch.Tensor]:
    """Results of eager PyTorch where an operand is the first part of a batch, and NaN the rest: it shows in
    what depends on memory behind the operand.
    """
    operand: torch.Tensor = arguments[defect.behind]
    rest = torch.full_like(operand, math.nan, memory_format=torch.contiguous_format)
    whole = torch.cat([operand, rest, rest])
    with torch.no_grad():
        results = call(spec, {**arguments, defect.behind: whole})
    return [r[: len(operand)] for r in flatten(results) if isinstance(r, torch.Tensor)]


def _either(
    some: Sequence[torch.Tensor | None], others: Sequence[torch.Tensor | None]
) -> list[torch.Tensor | None]:
    return [None if a is None or b is None else a | b for a, b in zip(some, others, strict=True)]


def _wrong_elements(
    spec: OpSpec, exact: oracle.Reference, outputs: Sequence[torch.Tensor]
) -> list[torch.Tensor | None]:
    """Which elements of each output that there is are wrong; None where that is asked of all together."""
    present = iter(outputs)
    filled = [None if r is None else next(present) for r in exact.results]
    masks = outside(spec, exact.arguments, filled, exact.results, exact.scales)
    return [mask for mask, result in zip(masks, exact.results, strict=True) if result is not None]


def _explains(
    defect: EagerDefect,
    got: Sequence[torch.Tensor],
    found: Sequence[torch.Tensor],
    mine: Sequence[torch.Tensor | None],
    theirs: Sequence[torch.Tensor | None],
) -> bool:
    """Whether a result is wrong only where eager PyTorch's is, and as wrong where that can be asked."""
    for ours, eager, wrong, wrong_there in zip(got, found, mine, theirs, strict=True):
        if wrong is not None and wrong_there is not None:
            if bool((wrong & ~wrong_there).any()):
                return False
            ours, eager = ours[wrong], eager[wrong]
        if not (defect.unstable or close(ours, eager)):
            return False
    return True


_TRIES = 128
_SIZES = (*range(8, 136, 8), 256, 1024)


def shown_unsteady(case: Case, seed: int) -> EagerDefect | None:
    """The declared defect by which eager PyTorch's results have other bits from run to run; None where it has
    none, or does not show it: eager is run until the memory around its operands, or that it finds, has made a
    difference.
    """
    declared = [d for d in defects_of(case.op, operands_of(case)) if d.unsteady]
    if not declared:
        return None
    values = oracle.operands(case, seed)
    spec, arguments = spec_of(case.op), _placed_arguments(case, values)
    with torch.no_grad():
        first = _tensors(call(spec, arguments))
        elsewhere = _tensors(call(spec, _placed_arguments(case, values, other=True)))
    if not same(first, elsewhere):
        return declared[0]
    if declared[0].behind and not same(first, _before_nan(declared[0], spec, arguments)):
        return declared[0]
    with torch.no_grad(), _filled_memory():
        filled = _tensors(call(spec, arguments))
    if not same(first, filled):
        return declared[0]
    held = []
    for byte in range(_TRIES):
        # What is freed here, between what is held or all of it, is what the next small tensors get.
        blocks = [torch.full((size,), byte, dtype=torch.uint8) for size in _SIZES for _ in range(4)]
        if byte % 2:
            held.append(blocks[::2])
        del blocks
        with torch.no_grad():
            found = _tensors(call(spec, arguments))
        if not same(first, found):
            return declared[0]
    return None


@contextmanager
def _filled_memory() -> Iterator[None]:
    """PyTorch sets memory that it takes: integers to the largest, other numbers to NaN."""
    fills = torch.utils.deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    before = torch.are_deterministic_algorithms_enabled()
    warned = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = True  # type: ignore[attr-defined]
    try:
        yield
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = fills  # type: ignore[attr-defined]
        torch.use_deterministic_algorithms(before, warn_only=warned)


def _tensors(results: Any) -> list[torch.Tensor]:
    return [r for r in flatten(results) if isinstance(r, torch.Tensor)]


def _placed_arguments(
    case: Case, values: Mapping[str, torch.Tensor], *, other: bool = False
) -> dict[str, Any]:
    placed = {
        name: place_input(values[name], *strides_of(plan), other=other).tensor
        for name, plan in case.tensors()
    }
    return oracle.arguments_of(case, placed)


def refuses(case: Case, values: Mapping[str, torch.Tensor]) -> bool:
    """Whether eager PyTorch raises for the operands of a case, in their own dtypes and layouts."""
    try:
        with torch.no_grad():
            call(spec_of(case.op), _placed_arguments(case, values))
    except oracle.ERRORS:
        return True
    return False


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
    specs = [(name, TensorSpec(p.shape, strides_of(p)[0], p.dtype)) for name, p in tensors]
    return Operands(
        dtypes={dtype_name(plan.dtype) for _, plan in tensors},
        named={dtype_name(argument) for _, argument in case.arguments if isinstance(argument, torch.dtype)},
        strided={name for name, spec in specs if spec.stride != tuple(contiguous_strides(spec.shape))},
        units={name for name, spec in specs if spec.has_unusual_units},
        inner={name for name, spec in specs if spec.has_inner_steps},
        special=frozenset[str]().union(*(kinds_of(p.fill) for _, p in tensors)),
        empty=any(0 in plan.shape for _, plan in tensors),
        elements=max((math.prod(plan.shape) for _, plan in tensors), default=0),
    )
