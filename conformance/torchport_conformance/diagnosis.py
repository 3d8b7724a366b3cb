"""Why a result is wrong: known faults are imitated by the reference, and the one that gives the same wrong
result is named. An imitation that does not change the output that is wrong explains nothing.

A diagnosis never decides whether a case fails, only what its message says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch

from torchport.contract.graph import dtype_name
from torchport_conformance import oracle
from torchport_conformance.buffers import CANARY_BYTE, PAD, Guarded, place_input
from torchport_conformance.cases.case import Case, strides_of
from torchport_conformance.cases.layouts import contiguous_strides

_NARROW = (torch.float16, torch.bfloat16)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A likely cause: ``cause`` groups failures in reports, ``detail`` is about this one."""

    cause: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.cause}: {self.detail}" if self.detail else self.cause


def explain(
    case: Case,
    values: Mapping[str, torch.Tensor],
    index: int,
    expected: torch.Tensor,
    out: Guarded,
    right_if_row_major: Callable[[], bool],
) -> Diagnosis | None:
    """The likely cause of a wrong output, or None when no known one fits.

    Args:
        case: the failed case.
        values: its operand values, contiguous.
        index: which output is wrong.
        expected: that output by the reference.
        out: what the backend wrote.
        right_if_row_major: runs the case again with row-major operands of the same values.
    """
    actual = out.tensor.cpu()
    unwritten = out.unwritten()
    if unwritten and actual.dtype is not torch.bool:
        where = "the last ones" if _only_tail(out) else "some"
        return Diagnosis("elements not written", f"{unwritten} of {actual.numel()}, {where}")
    findings = (
        _by_imitation(case, values, index, expected, actual),
        _by_layout(case, right_if_row_major),
        _by_value(expected, actual, empty=any(v.numel() == 0 for v in values.values())),
        _by_precision(expected, actual),
    )
    return next((finding for found in findings for finding in found), None)


def _only_tail(out: Guarded) -> bool:
    """Whether the unwritten elements are exactly the last ones of a contiguous output."""
    if not out.tensor.is_contiguous():
        return False
    left = out.tensor.contiguous().view(-1).view(torch.uint8)
    untouched = (left == CANARY_BYTE).view(out.tensor.numel(), -1).all(1)
    count = int(untouched.sum())
    return 0 < count < out.tensor.numel() and bool(untouched[-count:].all())


def _by_value(expected: torch.Tensor, actual: torch.Tensor, *, empty: bool) -> Iterator[Diagnosis]:
    """What can be read off the result itself."""
    if actual.numel() > 1 and not actual.count_nonzero() and expected.to(actual.dtype).count_nonzero():
        yield Diagnosis("all results are zero")
    if expected.is_floating_point() and actual.is_floating_point():
        missing = expected.isnan() & ~actual.isnan()
        extra = actual.isnan() & ~expected.isnan()
        if missing.any():
            yield Diagnosis("NaN is dropped", f"{int(missing.sum())} results must be NaN")
        elif extra.any():
            around = "; memory around an operand, which holds NaN, may have been read"
            detail = f"{int(extra.sum())} results{'' if empty else around}"
            yield Diagnosis("NaN where there must be a number", detail)
    if actual.numel() > 2:
        flat, wanted = actual.reshape(-1), expected.reshape(-1)
        for shift in (1, -1):
            if close(flat, wanted.roll(shift)) and not close(flat, wanted):
                yield Diagnosis("every result is one element off", f"by {shift:+d}")
        wrong = ~_close_elements(flat, wanted)
        if int(wrong.sum()) == 1 and bool(wrong[-1]):
            yield Diagnosis(
                "only the last element is wrong", "a loop ends early, or a vector tail is dropped"
            )


def _by_layout(case: Case, right_if_row_major: Callable[[], bool]) -> Iterator[Diagnosis]:
    """Whether the layout of operands alone makes the difference."""
    laid_out = [name for name, plan in case.tensors() if plan.layout != "contiguous"]
    if laid_out and right_if_row_major():
        names = " or ".join(repr(name) for name in laid_out)
        detail = "the result is right for row-major operands of the same values"
        yield Diagnosis(f"strides or storage offset of {names} ignored", detail)


def _by_imitation(
    case: Case,
    values: Mapping[str, torch.Tensor],
    index: int,
    expected: torch.Tensor,
    actual: torch.Tensor,
) -> Iterator[Diagnosis]:
    """What a kernel computes that reads one operand, or all of them, in the wrong way."""
    plans = dict(case.tensors())
    placed = {name: place_input(values[name], *strides_of(plan)) for name, plan in plans.items()}
    misread: dict[str, dict[str, torch.Tensor]] = {"strides": {}, "storage offset": {}}
    for name, plan in plans.items():
        tensor = placed[name].tensor
        dense = tuple(contiguous_strides(plan.shape))
        if tensor.stride() != dense and tensor.numel() > 1:
            misread["strides"][name] = _reread(placed[name], dense, int(tensor.storage_offset()))
        if tensor.storage_offset():
            misread["storage offset"][name] = _reread(placed[name], tensor.stride(), 0)
    for what, wrong in misread.items():
        candidates = [{name: tensor} for name, tensor in wrong.items()]
        if len(wrong) > 1:
            candidates.append(wrong)
        for candidate in candidates:
            result = _reference(case, {**values, **candidate}, index)
            if result is not None and close(actual, result) and not close(result.to(actual.dtype), expected):
                yield Diagnosis(f"{what} of {' and '.join(repr(n) for n in candidate)} ignored")


def _reread(placed: Guarded, strides: tuple[int, ...], offset: int) -> torch.Tensor:
    """What the guarded memory of an operand holds when it is read with other strides or another offset."""
    tensor = placed.tensor
    start = PAD + offset
    reach = start + 1 + sum((n - 1) * s for n, s in zip(tensor.shape, strides, strict=True))
    if reach > placed.whole.numel():
        padding = placed.whole[-1].expand(reach - placed.whole.numel())
        return torch.cat([placed.whole, padding]).as_strided(tensor.shape, strides, start).contiguous()
    return placed.whole.as_strided(tensor.shape, strides, start).contiguous()


def _reference(case: Case, values: Mapping[str, torch.Tensor], index: int) -> torch.Tensor | None:
    try:
        found = [r for r in oracle.reference(case, values).results if r is not None]
    except oracle.ERRORS:
        return None
    return found[index]


def _by_precision(expected: torch.Tensor, actual: torch.Tensor) -> Iterator[Diagnosis]:
    """Which narrower arithmetic an error of this size points to."""
    if not actual.is_floating_point() or not expected.is_floating_point():
        return
    finite = expected.isfinite() & actual.isfinite() & (expected != 0)
    if int(finite.sum()) < 4 or not torch.equal(expected.isnan(), actual.isnan()):
        return
    error = ((actual.double() - expected.double()).abs() / expected.double().abs())[finite]
    median, high = float(error.median()), float(error.quantile(0.9))
    for narrow in _NARROW:
        name, eps = dtype_name(narrow), torch.finfo(narrow).eps
        if eps <= torch.finfo(actual.dtype).eps:
            continue
        if torch.equal(actual.to(narrow).to(actual.dtype), actual):
            yield Diagnosis("lower precision", f"every result is a {name} value")
        elif eps / 64 < median <= 2 * eps and high <= 16 * eps:
            yield Diagnosis("lower precision", f"the median relative error is {median:.1e}, that of {name}")


def _close_elements(actual: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    if not actual.is_floating_point() and not actual.is_complex():
        return actual == expected.to(actual.dtype)
    wide = actual.to(torch.complex128 if actual.is_complex() else torch.float64)
    exact = expected.to(wide.dtype)
    eps = torch.finfo(actual.dtype).eps
    tolerance = 64 * eps if eps < 1e-5 else 2 * eps
    largest = float(exact.abs().nan_to_num(0.0, 0.0, 0.0).max()) if exact.numel() else 0.0
    return torch.isclose(wide, exact, rtol=tolerance, atol=tolerance * min(1.0, largest), equal_nan=True)


def close(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two results are the same up to some rounding, NaN included."""
    if actual.shape != expected.shape:
        return False
    return bool(_close_elements(actual, expected).all())
