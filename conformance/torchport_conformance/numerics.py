"""Whether a result is within what the contract allows. Every bound comes from
:mod:`torchport.contract.numerics`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchport.contract import numerics as contract_numerics
from torchport.contract.graph import dtype_name
from torchport.contract.spec import OpSpec
from torchport_conformance.oracle import Reference


@dataclass(frozen=True, slots=True)
class Verdict:
    """The comparison of one output.

    ``ratio`` is the largest error over its bound (above 1 fails; infinite where nothing is allowed), ``ulp``
    the largest error in units of the last place of the result's dtype.
    """

    ok: bool
    ratio: float
    ulp: float
    message: str = ""
    cause: str = ""
    label: str | None = None


def judge(
    spec: OpSpec, index: int, reference: Reference, expected: torch.Tensor, actual: torch.Tensor
) -> Verdict:
    """Compares one output with the reference.

    Args:
        spec: the contract entry.
        index: which output.
        reference: all results and arguments of the reference.
        expected: this output by the reference, in a wide dtype.
        actual: this output by the backend, in the contract's dtype, same shape.
    """
    if not actual.numel():
        return Verdict(True, 0.0, 0.0)
    if actual.is_complex():
        parts = [
            judge(spec, index, reference, part(expected), part(actual)) for part in (torch.real, torch.imag)
        ]
        return max(parts, key=lambda verdict: (not verdict.ok, verdict.ratio))
    if not actual.is_floating_point():
        return _exact(expected, actual)
    allowed = contract_numerics.allowed(spec, index, reference.arguments, expected, actual.dtype)
    return _within(spec, expected, actual, allowed)


def _exact(expected: torch.Tensor, actual: torch.Tensor) -> Verdict:
    """Integers and bools are compared exactly."""
    wanted = expected.to(actual.dtype)
    # A bool that is neither 0 nor 1 compares equal to True and is not True to the next kernel.
    found = actual.view(torch.uint8) if actual.dtype is torch.bool else actual
    wrong = found != (wanted.view(torch.uint8) if wanted.dtype is torch.bool else wanted)
    if not wrong.any():
        return Verdict(True, 0.0, 0.0)
    return Verdict(False, float("inf"), 0.0, _where(wrong, wanted, found), "wrong value")


def _within(spec: OpSpec, expected: torch.Tensor, actual: torch.Tensor, allowed: torch.Tensor) -> Verdict:
    dtype = actual.dtype
    wide_expected, wide = expected.to(torch.float64), actual.to(torch.float64)
    rounded = expected.to(dtype)
    nan = wide_expected.isnan()
    if not torch.equal(nan, actual.isnan()):
        wrong = nan != actual.isnan()
        return Verdict(False, float("inf"), 0.0, _where(wrong, rounded, actual), "wrong NaN")
    # A value that rounds to infinity, or whose bound reaches past the largest number, may be infinite.
    limit = torch.finfo(dtype).max
    overflows = rounded.isinf() | (wide_expected.abs() + allowed > limit)
    agrees = nan | (rounded == actual) | (overflows & actual.isinf() & (wide_expected.sign() == wide.sign()))
    error = torch.where(agrees, 0.0, (wide - wide_expected).abs())
    ratio = torch.where(error == 0, 0.0, error / allowed.to(torch.float64))
    ulp = torch.where(error == 0, 0.0, error / _ulp(rounded))
    worst_ratio, worst_ulp = float(ratio.nan_to_num(posinf=float("inf")).max()), float(ulp.max())
    bad = ~(ratio <= 1)
    if bad.any():
        text = _where(bad, rounded, actual)
        ulps = f"{worst_ulp:.3g} ulp of {dtype_name(dtype)}, " if worst_ulp < 1e6 else ""
        text += f"; largest error {ulps}{worst_ratio:.3g} times the bound ({spec.numerics.kind})"
        return Verdict(False, worst_ratio, worst_ulp, text, "outside the bound")
    if "signed-zero" in spec.numerics.special:
        zero = (rounded == 0) & (actual == 0)
        wrong = zero & (rounded.signbit() != actual.signbit())
        if wrong.any():
            return Verdict(False, float("inf"), worst_ulp, _where(wrong, rounded, actual), "sign of zero")
    return Verdict(True, worst_ratio, worst_ulp)


def _ulp(values: torch.Tensor) -> torch.Tensor:
    """Distance from each value to the next larger in magnitude, in float64."""
    info = torch.finfo(values.dtype)
    magnitude = values.to(torch.float64).abs().clamp(info.smallest_normal, info.max)
    return torch.exp2(torch.floor(torch.log2(magnitude))) * info.eps


def _where(wrong: torch.Tensor, expected: torch.Tensor, actual: torch.Tensor) -> str:
    """The first wrong elements, with their positions."""
    positions = wrong.nonzero()
    count, total = len(positions), wrong.numel()
    shown = []
    for position in positions[:3].tolist():
        at = tuple(position)
        shown.append(
            f"[{', '.join(map(str, at))}] is {actual[at].item()!r}, expected {expected[at].item()!r}"
        )
    return f"{count} of {total} elements wrong: {'; '.join(shown)}"
