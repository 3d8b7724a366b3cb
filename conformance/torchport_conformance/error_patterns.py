"""What the errors of a wrong result look like: of rounding in a narrower dtype, of a constant factor, of
places that a kernel does not reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from torchport.contract import reference as contract_reference
from torchport.contract.graph import dtype_name
from torchport_conformance import oracle
from torchport_conformance.cases.case import Case
from torchport_conformance.causes import Diagnosis
from torchport_conformance.closeness import close_elements
from torchport_conformance.specs import spec_of

_NARROW = (torch.float16, torch.bfloat16)


def of_sizes(
    case: Case, values: Mapping[str, torch.Tensor], index: int, expected: torch.Tensor, actual: torch.Tensor
) -> Iterator[Diagnosis]:
    """Which arithmetic errors of these sizes point to."""
    if not actual.is_floating_point() or not expected.is_floating_point():
        return
    finite = expected.isfinite() & actual.isfinite() & (expected != 0)
    if int(finite.sum()) < 4 or not torch.equal(expected.isnan(), actual.isnan()):
        return
    got, exact = actual.double()[finite], expected.double()[finite]
    eps = torch.finfo(actual.dtype).eps
    yield from _constant(got, exact, eps)
    for narrow in _NARROW:
        coarse = torch.finfo(narrow).eps
        if coarse > eps and torch.equal(got.to(narrow).double(), got):
            yield Diagnosis("lower precision", f"every result is a {dtype_name(narrow)} value")
    error = (got - exact).abs()
    yield from _rounding(error / exact.abs(), eps, "relative error")
    spec = spec_of(case.op)
    if spec.numerics.kind in ("dot", "reduction"):
        arguments = oracle.arguments_of(case, values)
        results = contract_reference.reference(spec, arguments)
        found = contract_reference.magnitude(spec, arguments, results)
        sizes = [size for size, result in zip(found, results, strict=True) if result is not None]
        size = sizes[index] if index < len(sizes) else None
        if size is not None:
            scale = size.expand(expected.shape)[finite].clamp(min=torch.finfo(torch.float64).tiny)
            yield from _rounding(error / scale, eps, "error relative to the sum of the terms")


def _constant(got: torch.Tensor, exact: torch.Tensor, eps: float) -> Iterator[Diagnosis]:
    """One factor, or one difference, for all elements: no rounding is like that."""
    if int(exact.unique().numel()) < 3:
        return
    factor = got / exact
    middle = float(factor.median())
    if float((factor - middle).abs().quantile(0.9)) <= 8 * eps * abs(middle) < abs(middle - 1.0) / 2:
        yield Diagnosis(f"off by a constant factor of {middle:.4g}")
        return
    difference = got - exact
    middle = float(difference.median())
    noise = 8 * eps * float(exact.abs().median())
    if abs(middle) > 4 * noise and float((difference - middle).abs().quantile(0.9)) <= noise:
        yield Diagnosis(f"off by a constant of {middle:.4g}")


def _rounding(error: torch.Tensor, eps: float, what: str) -> Iterator[Diagnosis]:
    """Errors of many sizes, none far above the rounding of a narrower dtype, as independent roundings are."""
    median, high, low = (float(error.quantile(q)) for q in (0.5, 0.9, 0.1))
    if high <= 1.5 * low:
        return
    for narrow in _NARROW:
        coarse = torch.finfo(narrow).eps
        if coarse > eps and coarse / 64 < median <= 2 * coarse and high <= 16 * coarse:
            text = f"the median {what} is {median:.1e}, that of {dtype_name(narrow)} arithmetic"
            yield Diagnosis("lower precision", text)


def of_places(expected: torch.Tensor, actual: torch.Tensor) -> Iterator[Diagnosis]:
    """Which part of the result alone is wrong."""
    wrong = ~close_elements(actual, expected)
    count, total = int(wrong.sum()), wrong.numel()
    if not 0 < count < total or total < 3:
        return
    flat = wrong.reshape(-1)
    if bool(flat[-count:].all()):
        what = "the last element is" if count == 1 else f"the last {count} elements are"
        yield Diagnosis(f"only {what} wrong", "a loop ends early, or a vector tail is dropped")
    for dim in range(wrong.dim() if wrong.dim() > 1 else 0):
        others = [d for d in range(wrong.dim()) if d != dim]
        touched = wrong.to(torch.uint8).amax(others)
        first = int(touched.argmax())
        size = touched.numel()
        full = wrong.narrow(dim, first, size - first)
        if 0 < first < size and bool(touched[first:].all()) and float(full.double().mean()) > 0.9:
            yield Diagnosis(
                "only the end of a dimension is wrong", f"dimension {dim} from index {first} of {size} on"
            )
    if not actual.is_floating_point() and not actual.is_complex() and actual.dtype is not torch.bool:
        apart = (actual.to(torch.int64) - expected.to(torch.int64)).abs()
        if int(apart.max()) == 1:
            yield Diagnosis("results are off by one", f"{count} of {total}")
