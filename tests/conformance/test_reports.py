"""Reports: JSON under its schema, JUnit, a page without network, reproducers that fail the same way."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from typer import Typer
from typer.testing import CliRunner

import torchport as tp
import torchport_conformance as tc
from torchport.errors import OptionError
from torchport_conformance.cli import conformance
from torchport_conformance.report.model import Lean
from torchport_conformance.report.page import COUNTS, page
from torchport_conformance.report.write import schema, to_json, to_junit

SELECT = ["aten.mul.Tensor", "aten.abs.default"]


@pytest.fixture(scope="module")
def report() -> tc.Report:
    return tc.run("planted_faults:StridesIgnored", select=SELECT, layers=["op"], jobs=0)


def test_json_follows_the_published_schema(report: tc.Report) -> None:
    data = json.loads(to_json(report))
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(data, schema())
    assert data["totals"]["cases"] == len(data["cases"]) == report.cases
    assert data["exit_code"] == 1
    failed = [case for case in data["cases"] if case["status"] == "failed"]
    assert len(failed) == data["totals"]["failed"] == report.failed > 0
    assert all("reproduce" in case["reproducer"] for case in failed)


def test_junit_counts_failures_and_unclaimed_cases(report: tc.Report) -> None:
    root = ElementTree.fromstring(to_junit(report))
    assert len(root.findall(".//testcase")) == report.cases
    assert len(root.findall(".//failure")) == report.failed == int(root.get("failures", ""))
    assert len(root.findall(".//skipped")) == int(root.get("skipped", "")) > 0
    assert int(root.get("skipped", "")) == report.unclaimed + report.eager_defects


def test_the_page_is_self_contained(report: tc.Report) -> None:
    text = page(report)
    embedded = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert embedded is not None
    data = json.loads(embedded[1])
    assert len(data["failures"]) == report.failed
    passed = 3 + COUNTS.index("passed")
    of_mul = report.by_op["aten.mul.Tensor"]
    assert sum(row[passed] for row in data["ops"]["aten.mul.Tensor"]) == of_mul.passed
    compared = [r for r in report.results_by_op["aten.mul.Tensor"] if r.bound_ratio is not None]
    assert sum(data["histograms"]["aten.mul.Tensor"]) == len(compared) > 0
    beyond = sum(r.bound_ratio > 1 for r in compared)
    assert data["histograms"]["aten.mul.Tensor"][-1] == beyond > 0
    assert data["denominators"]["cases"] == [report.claimed + report.suite_errors, report.cases]
    assert not re.search(r"(src|href)=.(https?:)?//|@import|url\(", text)


def test_rounding_that_leans_to_one_side_is_told(report: tc.Report) -> None:
    """Within its bound, 100 errors of half a unit toward zero: a truncating kernel."""
    passed = next(r for r in report.results if r.status is tc.Status.PASSED)
    even = replace(passed, op="aten.abs.default", lean=Lean(-1.0, 51, 49))
    leaning = replace(report, results=(replace(passed, op="aten.mul.Tensor", lean=Lean(-50.0, 100, 0)), even))
    data = json.loads(to_json(leaning))
    jsonschema.validate(data, schema())
    assert (data["by_op"]["aten.mul.Tensor"]["bias"], data["by_op"]["aten.mul.Tensor"]["leans"]) == (
        -0.5,
        True,
    )
    assert (data["by_op"]["aten.abs.default"]["bias"], data["by_op"]["aten.abs.default"]["leans"]) == (
        -0.01,
        False,
    )
    assert '"leans":{"aten.mul.Tensor":"-0.5 ulp"}' in page(leaning).replace('": ', '":').replace('", ', '",')


def test_markup_in_a_message_stays_text(report: tc.Report) -> None:
    spoiled = replace(report.failures[0], message="</script><script>alert(1)</script>\x07")
    hostile = replace(report, results=(spoiled,))
    assert "</script><script>alert" not in page(hostile)
    ElementTree.fromstring(to_junit(hostile))


def test_a_reproducer_runs_as_pasted(report: tc.Report) -> None:
    failure = report.failures[0]
    with pytest.raises(tc.ConformanceFailure) as raised:
        exec(compile(report.reproducer(failure), "<pasted>", "exec"), {})
    assert raised.value.message == failure.message
    passed = next(r for r in report.results if r.status is tc.Status.PASSED)
    exec(compile(report.reproducer(passed), "<pasted>", "exec"), {})


def test_the_command_writes_reports_and_exits_by_result(tmp_path: Path) -> None:
    app = Typer()
    app.command()(conformance)
    run = CliRunner().invoke

    def exit_code(backend: str, *more: str) -> int:
        return run(
            app, [f"planted_faults:{backend}", "--jobs", "0", "--select", "aten.mul.Tensor", *more]
        ).exit_code

    assert exit_code("Clean", "--report", str(tmp_path / "out"), "--json", str(tmp_path / "r.json")) == 0
    written = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert written == ["index.html", "journal.jsonl", "junit.xml", "report.json"]
    assert json.loads((tmp_path / "r.json").read_text())["totals"]["failed"] == 0
    assert exit_code("AllZeros") == 1
    assert exit_code("Clean", "--profile", "slow") == 2
    assert exit_code("Clean", "--shard", "three") == 2
    assert exit_code("Missing") == 2
    assert exit_code("ClaimsNothing") == 3


def test_shards_and_samples_are_parts_of_the_whole() -> None:
    whole = [c.id for c in tc.plan(select=["aten.mul", "aten.abs"]).cases]
    parts = [c.id for i in (1, 2) for c in tc.plan(select=["aten.mul", "aten.abs"], shard=(i, 2)).cases]
    assert sorted(parts) == sorted(whole) and len(set(whole)) == len(whole)
    sampled = [c.id for c in tc.plan(select=["aten.mul", "aten.abs"], sample=0.2).cases]
    assert set(sampled) < set(whole) and 0.1 < len(sampled) / len(whole) < 0.3


def test_an_id_selects_its_case_and_no_other() -> None:
    wanted = tc.plan(select=["aten.mul.Tensor"]).cases[3].id
    assert [c.id for c in tc.plan(select=[wanted]).cases] == [wanted]
    absolute = [c.id for c in tc.plan(select=["aten.abs"]).cases]
    assert [c.id for c in tc.plan(select=[wanted, "aten.abs"]).cases if c.op != "aten.mul.Tensor"] == absolute
    shards = [c.id for i in (1, 2) for c in tc.plan(select=[wanted, "aten.abs"], shard=(i, 2)).cases]
    assert sorted(shards) == sorted([wanted, *absolute])
    with pytest.raises(OptionError, match="no case 'aten.mul.Tensor"):
        tc.plan(select=["aten.mul.Tensor[nothing like it]"])


def test_a_run_of_fewer_cases_than_the_floor_is_short() -> None:
    report = tc.run("planted_faults:Clean", select=["aten.mul.Tensor"], layers=["op"], jobs=0)
    assert report.exit_code == 0
    short = replace(report, floor=report.cases + 1)
    assert short.is_short and short.exit_code == 3 and not short.ok


def test_the_command_lists_every_operator_that_fails_and_counts_causes() -> None:
    app = Typer()
    app.command()(conformance)
    select = ["--select", "aten.mul.Tensor", "--select", "aten.sub.Tensor"]
    text = CliRunner().invoke(app, ["planted_faults:AllZeros", "--jobs", "0", *select]).output
    for op in ("aten.mul.Tensor", "aten.sub.Tensor"):
        assert f"failed {op}[" in text and f"more of {op}: all results are zero" in text
    counted = re.search(r"(\d+) failed: all results are zero", text)
    assert counted is not None and int(counted[1]) > 100


def test_operators_without_cases_are_named_with_the_reason() -> None:
    report = tc.run(
        tp.EagerBackend(), select=["_c10d_functional.all_reduce", "aten.equal", "aten.abs"], jobs=0
    )
    assert set(report.excluded) == {"_c10d_functional.all_reduce.default"}
    assert "process" in report.excluded["_c10d_functional.all_reduce.default"]
    assert set(report.by_op) == {"aten.abs.default", "aten.equal.default"} and report.ok
    assert json.loads(to_json(report))["excluded"] == report.excluded
    assert not any(r.op in report.excluded for r in report.results)
