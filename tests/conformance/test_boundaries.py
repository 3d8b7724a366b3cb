"""Cases at the edges of what kernels declare: inside is claimed and right, outside is not claimed."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchport as tp
import torchport_conformance
from torchport_conformance import Report, Status
from torchport_conformance.cases.boundaries import BoundaryCase, boundary_cases, claimed_without_cases
from torchport_conformance.specs import spec_of
from torchport_conformance.subject import dynamo_subject

RELU = "aten.relu.default"
WHEN = "rank <= 4 & dim(-1) % 16 == 0"


def table(kernel: Any, when: str | None = WHEN, op: str = RELU) -> tp.KernelTable:
    kernels = tp.KernelTable()
    kernels.op(op, dtypes=("float32", "float16"), when=when)(kernel)
    return kernels


def relu(x: torch.Tensor, *, out: torch.Tensor) -> None:
    out.copy_(x.clamp(min=0))


def wrong_at_32(x: torch.Tensor, *, out: torch.Tensor) -> None:
    out.copy_(x.clamp(min=0) if x.shape[-1] != 32 else torch.zeros_like(x))


class Declared(tp.KernelBackend):
    name = "declared"
    kernels = table(relu)


class WrongInside(tp.KernelBackend):
    name = "wrong_inside"
    kernels = table(wrong_at_32)


class ClaimsOutside(tp.KernelBackend):
    """Its table says one thing, its ``claims`` another."""

    name = "claims_outside"
    kernels = table(relu)

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return tp.yes() if node.op == RELU else tp.no(tp.Reason.OP)


class RefusesInside(tp.KernelBackend):
    name = "refuses_inside"
    kernels = table(relu)

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        found = super().claims(node, target)
        return tp.no(tp.Reason.SHAPE) if node.input_specs and node.input_specs[0].rank == 4 else found


def cases_of(kernels: tp.KernelTable, op: str = RELU) -> tuple[BoundaryCase, ...]:
    backend = type("Made", (tp.KernelBackend,), {"name": "made", "kernels": kernels})()
    return boundary_cases(backend, [spec_of(op)])


def shapes(cases: tuple[BoundaryCase, ...], *, inside: bool) -> set[tuple[int, ...]]:
    return {
        plan.shape for c in cases if c.inside is inside and c.declared == WHEN for _, plan in c.case.tensors()
    }


def boundary_results(backend: type[tp.Backend]) -> Report:
    return torchport_conformance.run(backend(), select=[RELU], layers=["op"], jobs=0)


def test_both_sides_of_each_condition_are_tried_with_the_others_kept():
    cases = cases_of(table(relu))
    inside, outside = shapes(cases, inside=True), shapes(cases, inside=False)
    assert {4} <= {len(s) for s in inside} and all(len(s) <= 4 and s[-1] % 16 == 0 for s in inside)
    ranks = {len(s) for s in outside if s[-1] % 16 == 0}
    last = {s[-1] for s in outside if len(s) <= 4}
    assert ranks == {5}
    assert {15, 17} <= last


def test_dtypes_that_are_declared_are_inside_and_all_others_outside():
    by_dtype = {
        c.dtype: c.inside for c in cases_of(table(relu, when=None)) if c.declared.startswith("dtypes")
    }
    assert by_dtype["float32"] and by_dtype["float16"]
    assert not by_dtype["float64"] and not by_dtype["int32"]


@pytest.mark.parametrize(
    ("op", "when", "inside", "outside"),
    [
        ("aten.mm.default", "self[1] <= 256", 256, 257),
        ("aten.mm.default", "mat2[-1] >= 8", 8, 7),
    ],
)
def test_sizes_of_any_operand_are_tried(op: str, when: str, inside: int, outside: int):
    def seen(side: bool) -> set[int]:
        found = [c for c in cases_of(table(relu, when, op), op) if c.inside is side and c.declared == when]
        at = 0 if when.startswith("self") else 1
        return {list(c.case.tensors())[at][1].shape[1] for c in found}

    assert inside in seen(True) and outside in seen(False)


def test_attributes_that_a_predicate_reads_are_tried():
    when = "dim == -1"
    cases = cases_of(table(relu, when, "aten._softmax.default"), "aten._softmax.default")
    values = {(c.inside, dict(c.case.arguments)["dim"]) for c in cases if c.declared == when}
    assert (True, -1) in values and any(not inside for inside, _ in values)


def test_a_backend_that_keeps_its_declarations_passes():
    report = boundary_results(Declared)
    edges = [r for r in report.results if "[when:" in r.id]
    assert len(edges) >= 8
    assert {r.status for r in edges} == {Status.PASSED}
    assert report.ok


def test_a_claim_outside_of_when_fails_and_is_named():
    failed = [r for r in boundary_results(ClaimsOutside).failures if "[when:outside" in r.id]
    assert {r.label for r in failed} == {WHEN, "dtypes float32, float16"}
    assert all(r.cause == "claimed outside its declaration" and r.label in r.message for r in failed)


def test_a_refusal_inside_of_when_fails():
    failed = boundary_results(RefusesInside).failures
    assert {r.cause for r in failed} == {"declared and not claimed"}
    assert all(WHEN in r.message for r in failed)


def test_a_wrong_result_inside_of_when_fails():
    failed = [r for r in boundary_results(WrongInside).failures if "[when:inside" in r.id]
    assert failed and all(r.message.startswith(f"within {WHEN}") for r in failed)


def test_a_boundary_case_is_reproduced_by_its_id():
    case_id = next(r.id for r in boundary_results(ClaimsOutside).failures if "[when:outside" in r.id)
    with pytest.raises(torchport_conformance.suite.ConformanceFailure, match="claimed outside"):
        torchport_conformance.reproduce(ClaimsOutside(), case_id)
    assert torchport_conformance.reproduce(Declared(), case_id).status is Status.PASSED


def test_the_highest_rank_is_owed():
    class Flat(Declared):
        def capabilities(self, target: tp.Target) -> tp.Capabilities:
            return tp.Capabilities(max_rank=3)

    cases = [c for c in boundary_cases(Flat(), [spec_of(RELU)]) if c.declared == "max_rank=3"]
    assert [len(plan.shape) for c in cases for _, plan in c.case.tensors()] == [3]


def test_claimed_composites_without_cases_are_named():
    class Composite(tp.KernelBackend):
        name = "composite"
        kernels = table(relu, None, "aten.softmax.int")

    Composite.kernels.op("aten.linear.default")(relu)
    Composite.kernels.op("torchport_backward.matmul.default")(relu)
    # A linear layer is offered as a macro of the contract, which has cases.
    assert claimed_without_cases(Composite()) == ("torchport_backward.matmul.default", "aten.softmax.int")
    assert claimed_without_cases(Declared()) == claimed_without_cases(tp.EagerBackend()) == ()
    planned = torchport_conformance.suite.for_subject(
        torchport_conformance.plan("quick", sample=1e-9), dynamo_subject(Composite())
    )
    assert "has no entry" in planned.excluded["aten.softmax.int"]
