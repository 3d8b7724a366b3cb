"""Whether results are within what the contract allows; the bounds are those of
:mod:`torchport.contract.numerics`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from torchport.contract import numerics as contract_numerics
from torchport.contract.claims import law_of
from torchport.contract.roundoff import ulp
from torchport.contract.spec import OpSpec
from torchport_conformance.oracle import Reference
from torchport_conformance.report.model import Lean
from torchport_conformance.zero_remainders import wrong_zero


@dataclass(frozen=True, slots=True)
class Verdict:
    """The comparison of all outputs.

    ``ratio`` is the largest error over its bound (above 1 fails; infinite where nothing is allowed), ``ulp``
    the largest error in units of the last place, ``output`` which output is wrong, ``lean`` how the errors
    lean to one side.
    """

    ok: bool
    ratio: float
    ulp: float
    output: int = 0
    message: str = ""
    lean: Lean | None = None


def judge(spec: OpSpec, reference: Reference, got: Sequence[torch.Tensor]) -> Verdict:
    """Compares all outputs with the reference.

    Args:
        spec: the contract entry.
        reference: results and arguments of the reference.
        got: outputs of the backend, those that exist, in order.

    Raises:
        ContractError: outputs and reference differ in number or shape.
    """
    present = [i for i, wanted in enumerate(reference.results) if wanted is not None]
    for position, actual in enumerate(got):
        wrong = _unclean_bools(actual) or wrong_zero(spec.name, reference.arguments, actual)
        if wrong:
            return Verdict(False, math.inf, 0.0, position, wrong)
    wanted = [r for r in reference.results if r is not None]
    if _bounds_elements(spec) and len(got) == len(wanted) and all(map(_is_identical, got, wanted)):
        return Verdict(True, 0.0, 0.0, lean=Lean())
    outputs: list[torch.Tensor | None] = [None] * len(reference.results)
    for i, actual in zip(present, got, strict=True):
        outputs[i] = actual
    found = contract_numerics.judge(
        spec, reference.arguments, outputs, reference=reference.results, scales=reference.scales
    )
    if found.ok:
        leans = map(_lean, got, wanted)
        return Verdict(True, found.max_ratio, found.max_ulp, lean=sum(leans, start=Lean()))
    text = f"{found.message} ({spec.numerics.kind}); {_size_of_error(found.max_ulp, found.max_ratio)}"
    position = present.index(found.output) if found.output in present else 0
    return Verdict(False, found.max_ratio, found.max_ulp, position, text)


def _bounds_elements(spec: OpSpec) -> bool:
    """Whether each element has a bound of its own, that no error is within."""
    numerics = spec.numerics
    by_law = numerics.kind in ("law", "order") or "dropout" in numerics.special
    return not by_law and law_of(spec) is None


def _is_identical(actual: torch.Tensor, exact: torch.Tensor) -> bool:
    """Whether every element is the exact one. NaN is not: what it may stand for is the contract's to say."""
    if actual.is_floating_point() or actual.is_complex():
        return torch.equal(contract_numerics.wide(actual), contract_numerics.wide(exact))
    return actual.dtype == exact.dtype and torch.equal(actual, exact)


_ENOUGH = 1024


def _lean(actual: torch.Tensor, exact: torch.Tensor) -> Lean:
    """The signs of the errors of an output; of one of each set of elements that are equal, and of many.

    An error counts as one unit in the last place at most: one element whose terms cancel, and that is wrong
    by many units of what is left, would outweigh all others.
    """
    if not actual.is_floating_point() or not exact.is_floating_point() or actual.numel() < 2:
        return Lean()
    flat = exact.reshape(-1)[:_ENOUGH].to(torch.float64)
    error = (actual.reshape(-1)[:_ENOUGH].to(torch.float64) - flat) * flat.sign()
    counted = error.isfinite() & (error != 0)
    if not bool(counted.any()):
        return Lean()
    flat, error = flat[counted], error[counted]
    _, group = flat.unique(return_inverse=True)
    first = torch.zeros(int(group.max()) + 1, dtype=torch.int64).scatter_(0, group, torch.arange(len(group)))
    error = error[first] / ulp(flat[first], actual.dtype)
    toward = int((error < 0).sum())
    return Lean(float(error.clamp(-1.0, 1.0).sum()), toward, len(error) - toward)


def _size_of_error(ulp: float, ratio: float) -> str:
    if math.isinf(ratio):
        return "no error is allowed there"
    return f"largest error {ratio:.3g} times the bound" + (f", {ulp:.3g} ulp" if ulp < 1e6 else "")


def _unclean_bools(actual: torch.Tensor) -> str:
    """Bools that are neither 0 nor 1: they compare equal to True here and not in the next kernel."""
    if actual.dtype is not torch.bool:
        return ""
    count = int((actual.view(torch.uint8) > 1).sum()) if actual.numel() else 0
    return f"{count} bools hold a byte that is neither 0 nor 1" if count else ""
