"""Each planted fault fails, with a message that names its cause; the clean backend passes."""

from __future__ import annotations

import pytest

import torchport as tp
import torchport_conformance as tc
from torchport_conformance.cases.case import Case
from torchport_conformance.mutants.backend import MutantBackend

ELEMENTWISE = ["aten.mul.Tensor", "aten.sub.Tensor"]


def faults(name: str, select: list[str] = ELEMENTWISE) -> tc.Report:
    return tc.run(f"planted_faults:{name}", select=select, layers=["op"], jobs=0)


def test_the_clean_backend_passes_every_case() -> None:
    report = faults("Clean", [*ELEMENTWISE, "aten.sum.dim_IntList"])
    assert [(f.id, f.message) for f in report.failures] == []
    assert report.passed + report.eager_defects == report.claimed == report.cases > 150
    assert report.eager_defects <= 1  # a number without dimensions that eager rounds to 16 bits
    assert report.exit_code == 0 and report.ok
    assert report.total.bound_ratio is not None and 0 < report.total.bound_ratio <= 1


def test_what_a_backend_does_not_claim_is_counted_and_is_no_pass() -> None:
    report = faults("Clean", [*ELEMENTWISE, "aten.abs"])
    abs_ = report.by_op["aten.abs.default"]
    assert abs_.passed == 0 and abs_.unclaimed == abs_.cases > 0
    assert report.claimed == report.cases - abs_.cases
    assert report.ok


def test_a_backend_that_claims_nothing_does_not_pass() -> None:
    report = faults("ClaimsNothing")
    assert report.passed == report.failed == 0 and report.unclaimed == report.cases > 0
    assert report.exit_code == 3 and not report.ok


@pytest.mark.parametrize(
    ("name", "cause", "share"),
    [
        ("AllZeros", "all results are zero", 0.88),
        ("OffByOneElement", "every result is one element off", 0.6),
        ("LastElementDropped", "elements not written", 0.88),
        ("HalfPrecision", "lower precision", 0.2),
        ("NanDropped", "NaN is dropped", 0.04),
        ("WritesPastEnd", "write outside the destination", 0.9),
        ("ModifiesInput", "input modified", 0.8),
        ("ClaimsAndRefuses", "claimed but refused", 0.9),
        ("Raises", "exception", 0.9),
        ("WrongDtype", "exception", 0.2),
        ("StridesIgnored", "strides of 'self' and 'other' ignored", 0.03),
        ("OffsetIgnored", "storage offset of 'self' ignored", 0.01),
        ("OffsetIgnored", "storage offset of 'other' ignored", 0.01),
    ],
)
def test_a_fault_is_found_and_named(name: str, cause: str, share: float) -> None:
    report = faults(name)
    # Of a result of one element, the last one is all that there is.
    causes = {cause, "nothing written"} if cause == "elements not written" else {cause}
    named = [f for f in report.failures if f.cause in causes]
    assert report.exit_code == 1
    assert len(named) >= share * report.cases
    assert all(f.status is tc.Status.FAILED for f in named)


def test_a_strided_fault_is_found_in_layout_cases_only() -> None:
    report = faults("StridesIgnored")
    assert report.failures
    assert all(f.layout != "contiguous" for f in report.failures)


def test_half_precision_accumulation_of_a_sum_is_outside_the_bound() -> None:
    report = faults("HalfPrecision", ["aten.sum.dim_IntList"])
    wrong = [f for f in report.failures if f.dtype == "float32"]
    assert wrong
    assert all(f.bound_ratio is None or f.bound_ratio > 1 for f in wrong)
    assert any(f.cause == "lower precision" for f in wrong)


def test_messages_name_what_was_violated() -> None:
    (refused, *_) = faults("ClaimsAndRefuses").failures
    assert "the tile does not fit" in refused.message and "what is claimed must run" in refused.message
    (modified, *_) = faults("ModifiesInput").failures
    assert "'self'" in modified.message
    (beyond, *_) = faults("WritesPastEnd").failures
    assert "[12]" in beyond.message  # 3 x 4 elements, written at element 12


def test_an_unclaimed_operator_is_asked_about_once_a_group_and_never_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("built")

    monkeypatch.setattr("torchport_conformance.execution.build_region", refuse)
    monkeypatch.setattr("torchport_conformance.oracle.operands", refuse)
    asked: list[tp.Node] = []

    class Counting(tp.EagerBackend):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            asked.append(node)
            return tp.no(tp.Reason.OP)

    select = [
        "aten.nonzero",
        "aten.upsample_nearest1d",
        "aten.convolution",
        "aten.native_group_norm_backward",
    ]
    report = tc.run(Counting(), select=select, layers=["op"], jobs=0)
    cases = tc.plan(select=select, layers=["op"]).cases
    plain = {case.id: case for case in cases if isinstance(case, Case)}
    groups = {case.group for case in plain.values()}
    asked = [node for node in asked if node.provenance.source in plain]
    assert report.unclaimed == report.cases > len(groups) == len(asked) > 20


def test_an_error_of_the_suite_is_no_failure_of_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ArithmeticError("a bug of the suite")

    monkeypatch.setattr("torchport_conformance.oracle.operands", fail)
    report = faults("Clean", ["aten.mul.Tensor"])
    assert report.failed == report.passed == report.claimed == 0
    assert report.suite_errors == len(report.remarks) == report.cases > 0
    assert report.exit_code == 3


def test_a_fault_that_does_not_depend_on_an_operand_is_not_blamed_on_its_strides() -> None:
    report = faults("CancellingNorm", ["aten.native_layer_norm"])
    assert any("output 2" in f.message for f in report.failures)
    assert not [f.message for f in report.failures if "strides" in f.cause or "memory" in f.cause]
    assert any(f.cause == "argument 'eps' ignored" for f in report.failures)


def test_flat_reads_that_drop_nan_are_blamed_on_the_layout() -> None:
    report = faults("FlatRelu", ["aten.relu"])
    laid_out = [
        f for f in report.failures if f.layout == "step2" and "nan" not in f.id and "meet" not in f.id
    ]
    assert laid_out
    assert {f.cause for f in laid_out} <= {
        "memory around 'self' is read",
        "strides of 'self' ignored",
        "strides or storage offset of 'self' ignored",
    }


def test_no_multiple_of_the_bound_is_given_where_the_bound_is_a_rounding() -> None:
    report = faults("FlatRelu", ["aten.relu"])
    assert report.failures and all("times the bound" not in f.message for f in report.failures)
    judged = [f for f in report.failures if f.bound_ratio is not None]
    assert judged and all("no error is allowed" in f.message for f in judged)


def test_last_bits_that_differ_in_every_other_call_are_found() -> None:
    backend = MutantBackend("aten.sinh.default", "last-bits-differ", "", "float32")
    report = tc.run(backend, select=["aten.sinh.default[float32-2d.small]"], jobs=0)
    assert [result.cause for result in report.failures] == ["results differ from run to run"]
