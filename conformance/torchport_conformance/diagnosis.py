"""Why a result is wrong: known faults are imitated by the reference, and the one that gives the same wrong
result is named. An imitation that does not change the output that is wrong explains nothing.

A diagnosis never decides whether a case fails, only what its message says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from torchport_conformance import error_patterns, oracle
from torchport_conformance.buffers import (
    CANARY_BYTE,
    OTHER_CANARY_BYTE,
    PAD,
    USUAL,
    Guarded,
    Surroundings,
    place_input,
)
from torchport_conformance.cases.case import Case, strides_of
from torchport_conformance.cases.layouts import contiguous_strides
from torchport_conformance.causes import Diagnosis
from torchport_conformance.closeness import close, same
from torchport_conformance.imitations import imitated, in_range
from torchport_conformance.specs import spec_of


@dataclass(frozen=True, eq=False)
class Failure:
    """A wrong output, and what is needed to find out why it is wrong.

    Args:
        case: the failed case.
        values: its operand values, contiguous.
        index: which output is wrong.
        expected: that output by the reference.
        out: what the backend wrote.
        right_if_row_major: runs the case again with row-major operands of the same values.
        run: runs the case again, in some surroundings.
        got: all outputs.
        earlier: outputs of the call before, of the same compiled code.
    """

    case: Case
    values: Mapping[str, torch.Tensor]
    index: int
    expected: torch.Tensor
    out: Guarded
    right_if_row_major: Callable[[], bool]
    run: Callable[[Mapping[str, torch.Tensor], Surroundings], Sequence[torch.Tensor]]
    got: Sequence[torch.Tensor]
    earlier: Sequence[torch.Tensor] = ()

    @property
    def actual(self) -> torch.Tensor:
        """The wrong output on the host."""
        return self.got[self.index]


def explain(failure: Failure) -> Diagnosis | None:
    """The likely cause of a wrong output, or None when no known one fits."""
    case, values, expected, actual = failure.case, failure.values, failure.expected, failure.actual
    by_value = _by_value(expected, actual, empty=any(v.numel() == 0 for v in values.values()))
    if not spec_of(case.op).deterministic:
        return _first((_unwritten(failure), by_value))
    findings = (
        _unwritten(failure),
        _by_misreading(case, values, failure.index, expected, actual),
        _by_repetition(failure),
        _by_layout(case, failure.right_if_row_major),
        _by_surroundings(failure),
        by_value,
        imitated(case, values, failure.index, expected, actual),
        error_patterns.of_sizes(case, values, failure.index, expected, actual),
        error_patterns.of_places(expected, actual),
    )
    return _first(findings)


def _first(findings: Sequence[Iterator[Diagnosis]]) -> Diagnosis | None:
    """The first finding. What PyTorch cannot compute for the dtypes of a case explains nothing about it."""
    for finding in findings:
        try:
            found = next(finding, None)
        except oracle.ERRORS:
            continue
        if found is not None:
            return found
    return None


def _by_repetition(failure: Failure) -> Iterator[Diagnosis]:
    """Whether the wrong result is that of the call before, or another one in another run."""
    earlier = failure.earlier[failure.index] if failure.index < len(failure.earlier) else None
    varied = earlier is not None and bool((earlier != earlier.reshape(-1)[:1]).any())
    if earlier is not None and varied and same((earlier,), (failure.actual,)):
        yield Diagnosis("the value of an earlier call", "the result is that of the call before")
    again = _again(failure, USUAL)
    if again is not None and not same(again, failure.got):
        yield Diagnosis("results differ from run to run", "the same operands gave other bits")


def _by_surroundings(failure: Failure) -> Iterator[Diagnosis]:
    """Whether what lies around an operand, or in the destination, shows in the result."""
    for name in failure.values:
        again = _again(failure, Surroundings(frozenset((name,))))
        if again is not None and not same(again, failure.got):
            yield Diagnosis(f"memory around {name!r} is read", "what lies there shows in the result")
            return
    again = _again(failure, Surroundings(canary=OTHER_CANARY_BYTE))
    if again is not None and not same(again, failure.got):
        text = "what it held shows in the result"
        yield Diagnosis("the destination is read before it is written", text)


def _again(failure: Failure, around: Surroundings) -> Sequence[torch.Tensor] | None:
    """The results of another run; None where it raised, which a vendor's kernel may do in any way."""
    try:
        return failure.run(failure.values, around)
    except Exception:  # noqa: BLE001 - the failure that is being explained is reported all the same
        return None


def _unwritten(failure: Failure) -> Iterator[Diagnosis]:
    """Elements that hold the canary of the destination, and in another run that of another one."""
    actual = failure.actual
    if actual.dtype is torch.bool or not failure.out.unwritten():
        return
    again = _again(failure, Surroundings(canary=OTHER_CANARY_BYTE))
    if again is None:
        return
    untouched = _holds(actual, CANARY_BYTE) & _holds(again[failure.index], OTHER_CANARY_BYTE)
    count = int(untouched.sum())
    if count:
        where = "the last ones" if bool(untouched[-count:].all()) and count < len(untouched) else "some"
        yield Diagnosis("elements not written", f"{count} of {actual.numel()}, {where}")


def _holds(tensor: torch.Tensor, byte: int) -> torch.Tensor:
    """Which elements, in row-major order, consist of one byte alone."""
    flat = tensor.contiguous().view(-1)
    return (flat.view(torch.uint8) == byte).view(flat.numel(), -1).all(1)


def _by_value(expected: torch.Tensor, actual: torch.Tensor, *, empty: bool) -> Iterator[Diagnosis]:
    """What can be read off the result itself."""
    if actual.numel() > 1 and not bool((actual != 0).any()) and bool((expected != 0).any()):
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


def _by_layout(case: Case, right_if_row_major: Callable[[], bool]) -> Iterator[Diagnosis]:
    """Whether the layout of operands alone makes the difference."""
    laid_out = [name for name, plan in case.tensors() if plan.layout != "contiguous"]
    if laid_out and right_if_row_major():
        names = " or ".join(repr(name) for name in laid_out)
        detail = "the result is right for row-major operands of the same values"
        yield Diagnosis(f"strides or storage offset of {names} ignored", detail)


def _by_misreading(
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
            within = in_range(case, candidate)
            result = _reference(case, {**values, **candidate}, index) if within else None
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
