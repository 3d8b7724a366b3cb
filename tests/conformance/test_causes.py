"""Faults that depend on more than the operands fail, and messages say what was got wrong."""

from __future__ import annotations

import pytest
import torch

import torchport as tp
import torchport_conformance as tc
from torchport.contract.spec import resolve
from torchport_conformance.cases.patterns import broadcasts
from torchport_conformance.numerics import judge
from torchport_conformance.oracle import Reference
from torchport_conformance.specs import spec_of

SUB = ["aten.sub.Tensor"]


def causes(backend: str, select: list[str]) -> dict[str, list[tc.CaseResult]]:
    """Failures by cause."""
    report = tc.run(f"planted_faults:{backend}", select=select, layers=["op"], jobs=0)
    assert report.suite_errors == 0
    found: dict[str, list[tc.CaseResult]] = {}
    for failure in report.failures:
        found.setdefault(failure.cause, []).append(failure)
    return found


@pytest.mark.parametrize(
    ("backend", "select", "cause", "detail"),
    [
        ("SilentBfloat16", ["aten.mm"], "lower precision", "operands are rounded to bfloat16"),
        ("NarrowAccumulator", ["aten.mm"], "lower precision", "float16"),
        ("Scaled", SUB, "off by a constant factor of 1.001", ""),
        ("Unsteady", SUB, "results differ from run to run", ""),
        ("ReadsDestination", SUB, "the destination is read before it is written", ""),
        ("Remembers", SUB, "the value of an earlier call", ""),
        ("WritesNothing", SUB, "nothing written", "hold what they held before"),
        ("ReadsAround", SUB, "memory around 'self' is read", ""),
        ("SharesMemory", ["aten.relu"], "shares memory", "output 0 lies in the memory of input 'self'"),
    ],
)
def test_a_fault_is_named(backend: str, select: list[str], cause: str, detail: str) -> None:
    found = causes(backend, select)
    assert cause in found, {k: v[0].message for k, v in found.items()}
    assert any(detail in f.message for f in found[cause])


def swapped(a: torch.Tensor, b: object, **named: object) -> object:
    return resolve("aten.sub.Tensor")(b, a, **named) if isinstance(b, torch.Tensor) else b


OVERRIDES = {
    "aten.avg_pool2d.default": (
        lambda *a: resolve("aten.avg_pool2d.default")(*a[:5], not (a[5] if len(a) > 5 else True), *a[6:]),
        "argument 'count_include_pad' ignored",
    ),
    "aten.cumsum.default": (
        lambda x, dim, **named: resolve("aten.cumsum.default")(x, 0 if x.dim() else dim, **named),
        "argument 'dim' ignored",
    ),
    "aten.atan2.default": (
        lambda a, b: resolve("aten.atan2.default")(b, a),
        "'self' and 'other' are exchanged",
    ),
    "aten.where.self": (
        lambda c, a, b: resolve("aten.where.self")(~c, a, b),
        "'condition' is inverted",
    ),
    "aten.neg.default": (lambda x: x.clone(), "the sign is reversed"),
    "aten.abs.default": (
        lambda x: x.float().abs().to(x.dtype) if x.dtype is torch.int64 else resolve("aten.abs.default")(x),
        "integers pass through float32",
    ),
    "aten.addmm.default": (
        lambda c, a, b, **named: resolve("aten.addmm.default")(c, a, b),
        "argument 'alpha' ignored",
    ),
}


@pytest.mark.parametrize("op", OVERRIDES)
def test_an_argument_or_operand_that_is_got_wrong_is_named(op: str) -> None:
    function, cause = OVERRIDES[op]
    report = tc.run(tp.EagerBackend({op: function}), select=[op], layers=["op"], jobs=0)
    named = {f.cause for f in report.failures}
    assert cause in named, named
    assert report.suite_errors == 0


def test_errors_that_lean_are_reported_and_pass() -> None:
    def truncated(x: torch.Tensor) -> torch.Tensor:
        result = torch.exp(x)
        if result.dtype is not torch.float32 or x.dtype is not torch.float32:
            return result
        exact = torch.exp(x.double())
        return torch.where(result.double() > exact, torch.nextafter(result, torch.zeros_like(result)), result)

    op = "aten.exp.default"
    report = tc.run(tp.EagerBackend({op: truncated}), select=[op], layers=["op"], jobs=0)
    assert report.failed == 0
    lean = report.by_op_dtype[op, "float32"].lean
    assert lean.is_systematic and lean.bias < -0.3 and lean.toward > 2 * lean.away
    assert lean.bias >= -1
    fair = tc.run(tp.EagerBackend(), select=["aten.sqrt.default"], layers=["op"], jobs=0)
    assert not fair.by_op["aten.sqrt.default"].lean.is_systematic


def test_an_element_whose_terms_cancel_does_not_outweigh_the_others() -> None:
    spec = spec_of("aten.sum.dim_IntList")
    terms = torch.ones(101, 2)
    terms[0] = torch.tensor([1.0, -1.0 + 2.0**-23])
    exact = terms.double().sum(-1)
    exact[1:] += torch.linspace(0.1, 0.4, 100, dtype=torch.float64) * 2.0**-22
    got = exact.float()
    got[0] -= 2.0**-26
    arguments = {"self": terms, "dim": [-1], "keepdim": False, "dtype": None}
    reference = Reference((exact,), arguments, spec)
    verdict = judge(spec, reference, [got])
    assert verdict.ok and verdict.ulp > 1e5 and verdict.lean is not None
    assert verdict.lean.toward == 101 and -0.3 < verdict.lean.bias < -0.2


@pytest.mark.parametrize(
    ("shape", "tried"), [((1, 5), True), ((5,), True), ((2, 3), False), ((1, 4, 5), False)]
)
def test_only_what_broadcasts_is_imitated_without_broadcasting(shape: tuple[int, ...], tried: bool) -> None:
    """Any other operand keeps the shape that the call needs: a kernel may not survive another one."""
    assert broadcasts(torch.Size(shape), torch.Size((4, 5))) is tried
