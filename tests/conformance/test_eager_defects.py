"""Declared defects of eager PyTorch show, are counted apart, and excuse nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

import torchport as tp
import torchport_conformance as tc
from torchport.contract.adapters import call
from torchport.contract.eager_defects import DEFECTS, EagerDefect, defects_of
from torchport.contract.missing_kernels import MISSING, MissingKernel, missing_kernel
from torchport.contract.opset import opset
from torchport.contract.reference import reference
from torchport.contract.shape_rules import bind, parse
from torchport_conformance import oracle
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.cases.profiles import PROFILES
from torchport_conformance.eager import operands_of, shown_unsteady
from torchport_conformance.execution import CaseRunner
from torchport_conformance.specs import spec_of

VECTORS = torch.backends.cpu.get_cpu_capability()
"""Which kernels there are differs by it."""


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda d: f"{d.ops[0]}: {d.text[:40]}")
def test_a_declared_defect_shows(defect: EagerDefect) -> None:
    if not defect.expected(torch.__version__, VECTORS):
        pytest.skip(f"PyTorch has it {f'from {defect.first} on' if defect.first else defect.vectors}")
    if defect.unstable and defect.unsteady and not defect.behind:
        pytest.skip("it shows where unset memory happens to hold numbers: see the test of bits below")
    runner = CaseRunner(tp.EagerBackend(), 0)
    cases = (
        case
        for profile in ("quick", "full")
        for op in defect.ops
        for case in cases_for(spec_of(op), PROFILES[profile])
        if defect in defects_of(op, operands_of(case))
    )
    found = map(runner.run, cases)
    shown = next((r for r in found if r.status is tc.Status.EAGER_DEFECT and r.cause == defect.text), None)
    assert shown is not None, "no case shows it: the declaration is out of date"
    assert not shown.is_failure and shown.bound_ratio is None


def test_another_fault_is_not_excused_by_a_declared_defect() -> None:
    op = "aten.elu_backward.default"
    zeros = tp.EagerBackend({op: lambda grad_output, *_: torch.zeros_like(grad_output)})
    report = tc.run(zeros, select=[op], layers=["op"], jobs=0)
    assert report.eager_defects == 0 and report.failed > 0.9 * report.cases

    def raises(*_: object) -> torch.Tensor:
        raise RuntimeError("no kernel")

    report = tc.run(tp.EagerBackend({op: raises}), select=[op], layers=["op"], jobs=0)
    assert report.failed > 0.9 * report.cases and report.eager_defects == 0


def test_each_declaration_is_narrow_and_shows_where_to_look() -> None:
    assert len(DEFECTS) <= 40
    for defect in DEFECTS:
        assert defect.link.startswith("https://github.com/pytorch/pytorch/"), defect.text
        assert defect.ops and all(op in opset().ops for op in defect.ops), defect.text


def test_what_is_wrong_in_more_elements_than_eager_is_not_excused() -> None:
    op = "aten.hardswish_backward.default"

    def odd_elements_are_off(grad_output: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        result = torch.ops.aten.hardswish_backward(grad_output, x)
        return torch.where(torch.arange(result.numel()).view(result.shape) % 2 == 1, 7.0, result)

    report = tc.run(tp.EagerBackend({op: odd_elements_are_off}), select=[op], layers=["op"], jobs=0)
    assert report.eager_defects == 0 and report.failed > 0.8 * report.cases


def test_a_result_that_cannot_be_compared_is_wrong_only_where_eager_is() -> None:
    op = "aten.special_chebyshev_polynomial_t.default"
    zeros = tp.EagerBackend({op: lambda x, n: torch.zeros_like(torch.special.chebyshev_polynomial_t(x, n))})
    assert tc.run(tp.EagerBackend(), select=[op], layers=["op"], jobs=0).eager_defects > 0
    report = tc.run(zeros, select=[op], layers=["op"], jobs=0)
    assert report.eager_defects == 0 and report.failed > 0.8 * report.cases


def test_bits_that_eager_does_not_repeat_are_shown_by_eager_itself() -> None:
    op = "aten.linalg_lstsq.default"
    assert tc.run(tp.EagerBackend(), select=[op], layers=["op"], jobs=0).failed == 0
    (declared,) = [d for d in DEFECTS if d.unsteady and op in d.ops]
    cases = list(cases_for(spec_of(op), PROFILES["quick"]))
    pivoted = next(c for c in cases if c.dtype == "float32" and c.id.endswith("driver=None]"))
    steady = next(c for c in cases if c.id.endswith("driver=gelsd]"))
    assert shown_unsteady(pivoted, 0) is declared and shown_unsteady(steady, 0) is None


def test_an_error_that_tracing_loses_is_not_the_backends() -> None:
    label = "aten._upsample_nearest_exact1d.default[error:_upsample_nearest_exact1d.C2-compiled]"
    (result,) = tc.run(tp.EagerBackend(), profile="full", select=[label], layers=["op"], jobs=0).results
    assert result.status is tc.Status.UNCLAIMED and result.cause == "not raised by torch.compile"


def test_eager_defects_are_counted_apart() -> None:
    report = tc.run(tp.EagerBackend(), select=["aten.hardswish_backward"], layers=["op"], jobs=0)
    assert report.exit_code == 0 and report.failed == 0
    assert report.eager_defects == len(report.remarks) == report.claimed - report.passed
    assert 0 < report.eager_defects < report.passed
    assert {r.cause for r in report.remarks} == {
        "NaN is dropped by a vectorised comparison, and not by the loop for strided operands"
    }


@pytest.mark.parametrize(
    ("op", "arguments", "allowed"),
    [
        ("aten.amax.default", {"self": (0, 4), "dim": (0,), "keepdim": False}, False),
        ("aten.amax.default", {"self": (0, 4), "dim": (1,), "keepdim": False}, True),
        ("aten.max.dim", {"self": (0, 4), "dim": 0, "keepdim": False}, False),
        ("aten.split_with_sizes.default", {"self": (0, 4), "split_sizes": (1, -1), "dim": 0}, False),
        ("aten.split_with_sizes.default", {"self": (3, 4), "split_sizes": (1, 2), "dim": 0}, True),
        ("aten.convolution.default", {"input": (1, 2, 8, 8), "weight": (2, 2, 9, 3)}, False),
        ("aten.convolution.default", {"input": (1, 2, 8, 8), "weight": (2, 2, 8, 8)}, True),
        ("aten.convolution.default", {"input": (1, 2, 8, 8), "weight": (2, 2, 3, 0)}, False),
    ],
)
def test_arguments_that_eager_refuses_are_outside_of_the_contract(
    op: str, arguments: dict[str, object], allowed: bool
) -> None:
    conv = {
        "bias": None,
        "stride": (1, 1),
        "padding": (0, 0),
        "dilation": (1, 1),
        "transposed": False,
        "output_padding": (0, 0),
        "groups": 1,
    }
    tensors = ("self", "input", "weight")
    given = {**(conv if "conv" in op else {}), **arguments}
    bindings = bind({n: tp_spec(v) if n in tensors else v for n, v in given.items()})
    rules = [parse(c.text) for c in spec_of(op).constraints if c.tier is None]
    assert all(rule.holds(bindings) for rule in rules) is allowed
    concrete = {
        n: torch.zeros(v) if n in tensors else list(v) if isinstance(v, tuple) else v
        for n, v in given.items()
    }
    if allowed:
        spec_of(op).overload(**concrete)
    else:
        with pytest.raises((RuntimeError, IndexError)):
            spec_of(op).overload(**concrete)


def tp_spec(shape: object) -> tp.TensorSpec:
    strides = torch.empty(shape, device="meta").stride()
    return tp.TensorSpec(shape, strides, torch.float32)


@pytest.mark.parametrize(
    ("op", "exact"), [("aten.fmod.Scalar", math.fmod), ("aten.remainder.Scalar", lambda x, y: x % y)]
)
def test_the_reference_does_not_share_the_defect_of_vectorised_loops(
    op: str, exact: Callable[[float, float], float]
) -> None:
    x = torch.tensor([1.7e308, 3.3e300, -7.7e299, 5.0, -5.25] * 8, dtype=torch.float64)
    (found,) = reference(spec_of(op), {"self": x, "other": 0.75})
    assert found is not None and found.tolist() == [exact(v, 0.75) for v in x.tolist()]


def test_the_reference_of_resized_bytes_is_rounded_once() -> None:
    x = torch.tensor([0, 255, 0, 255, 255, 0, 255, 0], dtype=torch.uint8).view(1, 1, 2, 4)
    given = {"output_size": [4, 8], "align_corners": False, "scales_h": None, "scales_w": None}
    spec = spec_of("aten._upsample_lanczos2d_aa.default")
    (found,) = reference(spec, {"self": x, **given})
    (exact,) = reference(spec, {"self": x.double(), **given})
    assert found is not None and exact is not None and found.dtype is torch.uint8
    assert torch.equal(found.double(), exact.round().clamp(0, 255))
    assert not torch.equal(found, spec.overload(x, [4, 8], False))


@pytest.mark.parametrize("missing", MISSING, ids=lambda m: m.ops[0])
def test_a_missing_kernel_is_missing_and_not_claimed(missing: MissingKernel) -> None:
    runner = CaseRunner(tp.EagerBackend(macros=True), 0)
    for op in missing.ops:
        spec = spec_of(op)
        cases = [
            c
            for profile in ("quick", "full")
            for c in cases_for(spec, PROFILES[profile])
            if missing_kernel(op, operands_of(c)) is missing
        ]
        assert cases
        result = runner.run(cases[0])
        assert result.status is tc.Status.UNCLAIMED and "PyTorch has no kernel" in result.message
        # The kernels of these may end the process.
        if not (missing.strided or missing.units or missing.inner or missing.empty or missing.corrupts):
            refused = any(map(_is_refused, cases))
            assert refused or VECTORS != "AVX512", "the declaration is out of date"


def _is_refused(case: Case) -> bool:
    try:
        call(spec_of(case.op), oracle.arguments_of(case, oracle.operands(case, 0)))
    except oracle.ERRORS:
        return True
    return False


def test_a_result_without_a_kernel_is_judged_by_the_decomposition() -> None:
    def by_decomposition(op: str) -> Callable[..., object]:
        return spec_of(op).decomposition  # type: ignore[return-value]

    op = "aten.linear_backward.default"
    report = tc.run(tp.EagerBackend({op: by_decomposition(op)}), select=[op], layers=["op"], jobs=0)
    assert report.ok and report.passed == report.cases > 20
    wrong = tp.EagerBackend({op: lambda *a: tuple(-r for r in by_decomposition(op)(*a))})
    report = tc.run(wrong, select=[op], layers=["op"], jobs=0)
    assert report.failed > 0.5 * report.cases and not report.suite_errors
    report = tc.run(tp.EagerBackend(), select=[op], layers=["op"], jobs=0)
    assert report.unclaimed == report.cases and not report.failures and report.exit_code == 3
