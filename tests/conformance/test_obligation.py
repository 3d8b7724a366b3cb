"""Declared and claimed is owed: refusals, fallbacks and empty promises are told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
import torch

import torchport as tp
import torchport_conformance as tc
from torchport_conformance.layers.graph.case import GraphCase
from torchport_conformance.layers.graph.program import one
from torchport_conformance.layers.graph.runner import GraphRunner
from torchport_conformance.obligation import FELL_BACK, UNDECLARED, Breach, breaches, fell_back
from torchport_conformance.report.model import CaseResult, denominators, result_of
from torchport_conformance.report.write import to_json, to_junit
from torchport_conformance.subject import dynamo_subject

SELECT = ["aten.mul.Tensor"]


class Narrow(tp.EagerBackend):
    """Claims the whole contract and declares float32 alone, of two dimensions at most."""

    name = "narrow"

    def capabilities(self, target: tp.Target) -> tp.Capabilities:
        return tp.Capabilities(dtypes=(torch.float32,), max_rank=2)


class RefusesLate(tp.EagerBackend):
    """Claims everything and refuses every region that has a sine."""

    name = "refuses_late"

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        for node in region.nodes:
            if node.op == "aten.sin.default":
                return tp.Refusal((node.name,), tp.Reason.MEMORY, "no tile for it")
        return super().compile(region, target, options)


class ClaimsNonsense(tp.EagerBackend):
    """Answers with what is no claim."""

    name = "claims_nonsense"

    def claims(self, node: tp.Node, target: tp.Target) -> Any:
        return True


@pytest.fixture(scope="module")
def narrow() -> tc.Report:
    return tc.run(Narrow(), select=SELECT, layers=["op"], jobs=0)


def test_what_is_claimed_and_not_declared_is_unclaimed_and_listed(narrow: tc.Report) -> None:
    outside = [r for r in narrow.results if r.cause == UNDECLARED]
    assert all(r.status is tc.Status.UNCLAIMED for r in outside)
    assert {r.dtype for r in narrow.results if r.status is tc.Status.PASSED} == {"float32"}
    assert {"float16", "int64"} <= {r.dtype for r in outside}
    texts = {b["text"]: b for b in narrow.breaches}
    assert f"{UNDECLARED}: dtype: float16 is not among the declared dtypes" in texts
    assert sum(b["cases"] for b in narrow.breaches) == len(outside) > 10
    assert not any(b["owed"] for b in narrow.breaches)
    assert narrow.ok and narrow.unmet == ()


def test_the_share_of_the_profile_that_is_claimed_is_in_every_report(narrow: tc.Report) -> None:
    found = denominators(narrow.results)
    keys = {(r.op, r.dtype, r.layout) for r in narrow.results}
    claimed = {(r.op, r.dtype, r.layout) for r in narrow.results if r.status is not tc.Status.UNCLAIMED}
    assert found["operators"] == [1, 1]
    assert found["operator x dtype"] == [1, len({r.dtype for r in narrow.results})]
    assert found["operator x dtype x layout"] == [len(claimed), len(keys)]
    assert found["cases"] == [narrow.claimed, narrow.cases]
    assert 0 < narrow.claimed < narrow.cases
    assert json.loads(to_json(narrow))["denominators"] == found
    root = ElementTree.fromstring(to_junit(narrow))
    properties = {p.get("name"): p.get("value") for p in root.findall("./properties/property")}
    assert properties["claimed cases"] == f"{narrow.claimed}/{narrow.cases}"


def test_what_is_claimed_and_then_refused_fails() -> None:
    report = tc.run(RefusesLate(), select=["aten.sin.default"], layers=["op"], jobs=0)
    causes = {f.cause for f in report.failures}
    assert causes == {"claimed but refused"} and report.passed == 0
    assert "what is claimed must run" in report.failures[0].message


def test_a_claimed_node_of_a_program_that_ran_elsewhere_is_named() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.cos(torch.sin(x))

    def reports(backend: tp.Backend) -> tp.Reports:
        torch.compiler.reset()
        compiled = torch.compile(program, backend=backend)
        torch.testing.assert_close(compiled(torch.ones(4)), program(torch.ones(4)))
        return tp.reports(backend)

    text = fell_back(reports(RefusesLate()).rejections)
    assert "aten.sin.default" in text and "no tile for it" in text
    assert fell_back(reports(tp.EagerBackend()).rejections) == ""


def test_a_program_whose_claimed_node_ran_elsewhere_is_no_pass() -> None:
    def run(backend: tp.Backend) -> CaseResult:
        program = one(lambda x: torch.cos(torch.sin(x)), lambda draws: (draws.normal(torch.float32, 4),))
        return GraphRunner(dynamo_subject(backend), 0, lambda case: program).run(GraphCase("planted", "sine"))

    fell = run(RefusesLate())
    assert (fell.status, fell.cause) == (tc.Status.UNCLAIMED, FELL_BACK) and "no tile for it" in fell.message
    assert run(tp.EagerBackend()).status is tc.Status.PASSED


def test_an_answer_that_is_no_claim_is_the_backends_failure() -> None:
    report = tc.run(ClaimsNonsense(), select=SELECT, layers=["op"], jobs=0)
    assert report.failed == report.cases and report.suite_errors == 0
    assert "claims() returned True" in report.failures[0].message


def test_a_declaration_that_no_claim_bears_out_makes_a_whole_run_fail(narrow: tc.Report) -> None:
    cases = {c.id: c for c in tc.plan(select=SELECT, layers=["op"]).cases}
    passed = [result_of(c, tc.Status.PASSED) for c in cases.values()]

    def unclaimed(*, dtype: str | None = None, layout: str | None = None) -> list[tc.CaseResult]:
        return [
            replace(r, status=tc.Status.UNCLAIMED)
            if r.dtype == dtype or (layout is not None and r.layout != layout)
            else r
            for r in passed
        ]

    declared = tp.Capabilities(dtypes=(torch.float32, torch.float16))
    without = unclaimed(dtype="float16")
    count = sum(r.dtype == "float16" for r in passed)
    missing = Breach("declares float16 and claims no operator in it", count, owed=True)
    assert breaches(without, declared, whole=True) == (missing,)
    assert breaches(without, declared, whole=False) == ()
    assert breaches(passed, declared, whole=True) == ()

    rows = unclaimed(layout="contiguous")
    (found,) = breaches(rows, tp.Capabilities(), whole=True)
    assert (
        "declares layouts='strided' and claims no operand that is not row-major" in found.text and found.owed
    )
    assert breaches(rows, tp.Capabilities(layouts="contiguous"), whole=True) == ()

    gradients = [replace(r, op="aten.tanh_backward.default", status=tc.Status.UNCLAIMED) for r in passed[:3]]
    (found,) = breaches([*passed, *gradients], tp.Capabilities(), whole=True)
    assert found == Breach("declares training and claims nothing of a backward graph", 3, owed=True)
    assert breaches([*passed, *gradients], tp.Capabilities(training=False), whole=True) == ()

    failing = replace(narrow, breaches=({"text": missing.text, "cases": count, "owed": True},))
    assert failing.unmet == ("the backend declares float16 and claims no operator in it",)
    assert failing.exit_code == 1 and not failing.ok
