"""Waivers excuse what they name, until their day; those that have become wrong are reported."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from typer import Typer
from typer.testing import CliRunner

import torchport_conformance as tc
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.cli import conformance
from torchport_conformance.isolation.pool import OPERATOR_GIVEN_UP, RUN_GIVEN_UP
from torchport_conformance.report.model import result_of
from torchport_conformance.report.write import schema, to_json, to_junit
from torchport_conformance.waivers.applying import State, apply_waivers
from torchport_conformance.waivers.predicate import Predicate, Range
from torchport_conformance.waivers.reading import Waiver, WaiverError, Waivers, read_waivers

TODAY = date(2026, 6, 1)
TERMS = """reason = "the tile is too small"
owner = "kernels"
link = "https://example.org/1"
expires = 2999-12-31
"""
WHOLE = {"select": None, "layers": None, "sample": 1.0, "shard": "1/1"}
SELECT = ["aten.mul.Tensor", "aten.sub.Tensor"]


def entry(predicate: str, terms: str = TERMS) -> str:
    return f"[[waiver]]\n{predicate}\n{terms}"


def read(tmp_path: Path, text: str) -> Waivers:
    path = tmp_path / "waivers.toml"
    path.write_text(text)
    return read_waivers(path)


def waiver(expires: date = date(2999, 12, 31), **limits: Any) -> Waiver:
    return Waiver("waiver 1", Predicate(**limits), "reason", "owner", "https://example.org", expires)


@pytest.fixture(scope="module")
def cases() -> tuple[AnyCase, ...]:
    return tc.plan(select=SELECT, layers=["op"]).cases


@pytest.fixture(scope="module")
def results(cases: tuple[AnyCase, ...]) -> list[tc.CaseResult]:
    """Every case of ``mul`` in float16 fails, and every other case passes."""
    return [
        result_of(c, tc.Status.FAILED, "1 % off", cause="lower precision")
        if (c.op, c.dtype) == ("aten.mul.Tensor", "float16")
        else result_of(c, tc.Status.PASSED)
        for c in cases
    ]


def applied(cases: Any, results: Any, *entries: Waiver, scope: Any = WHOLE, failing: Any = None) -> Any:
    waivers = Waivers(entries) if failing is None else Waivers(entries, frozenset(failing))
    return apply_waivers(waivers, cases, results, scope=scope, today=TODAY)


def test_a_waiver_excuses_the_failures_that_it_names_and_no_pass(cases, results) -> None:
    failed = [r for r in results if r.is_failure]
    assert len(failed) > 3
    found, (use,) = applied(cases, results, waiver(op=("aten.m?l.*",), dtype=("float16", "float64")))
    assert (use.state, use.cases, use.fails) == (State.USED, len(failed), False)
    assert use.passed == sum((r.op, r.dtype) == ("aten.mul.Tensor", "float64") for r in results) > 0
    for before, after in zip(results, found, strict=True):
        if before.is_failure:
            assert after.status is tc.Status.WAIVED and not after.is_failure
            assert after.message == "failed, waived by owner until 2999-12-31: reason\n1 % off"
        else:
            assert after == before


def test_every_limit_of_a_predicate_narrows_it(cases, results) -> None:
    failed = [c for c, r in zip(cases, results, strict=True) if r.is_failure]
    shapes = {c.id: [plan.shape for _, plan in c.tensors()] for c in failed}
    limits: dict[str, tuple[Any, Any]] = {
        "op": (("aten.sub.*",), lambda c: False),
        "id": ((failed[0].id, "aten.mul.Tensor[no*"), lambda c: c.id == failed[0].id),
        "dtype": (("float32",), lambda c: False),
        "layout": (("transposed",), lambda c: c.layout == "transposed"),
        "layer": (("op",), lambda c: True),
        "label": (("mul.C1",), lambda c: c.label == "mul.C1"),
        "cause": (("lower *",), lambda c: True),
        "size": (("empty",), lambda c: any(0 in s for s in shapes[c.id])),
        "rank": (Range(max=1), lambda c: max(map(len, shapes[c.id])) <= 1),
        "elements": (Range(min=16), lambda c: max(_count(s) for s in shapes[c.id]) >= 16),
    }
    assert set(limits) == set(Predicate.__slots__)
    for name, (limit, wanted) in limits.items():
        found, _ = applied(cases, results, waiver(**{name: limit}))
        excused = {r.id for r in found if r.status is tc.Status.WAIVED}
        assert excused == {c.id for c in failed if wanted(c)}, name


def _count(shape: tuple[int, ...]) -> int:
    found = 1
    for size in shape:
        found *= size
    return found


def test_a_failure_is_counted_under_the_first_waiver_that_excuses_it(cases, results) -> None:
    failed = sum(r.is_failure for r in results)
    _, (first, second) = applied(cases, results, waiver(dtype=("float16",)), waiver(op=("aten.mul.*",)))
    assert (first.cases, second.cases) == (failed, 0)
    assert first.state is second.state is State.USED


def test_a_waiver_whose_cases_all_pass_makes_the_run_fail(cases, results) -> None:
    _, (use,) = applied(cases, results, waiver(op=("aten.sub.*",)))
    assert (use.state, use.cases, use.fails) == (State.UNEXPECTED_PASS, 0, True)
    _, (use,) = applied(cases, results, waiver(op=("aten.sub.*",)), failing=("expired",))
    assert (use.state, use.fails) == (State.UNEXPECTED_PASS, False)


def test_an_expired_waiver_excuses_nothing(cases, results) -> None:
    found, (use,) = applied(cases, results, waiver(date(2026, 5, 31), dtype=("float16",)))
    assert (use.state, use.cases, use.fails) == (State.EXPIRED, 0, True)
    assert list(found) == results
    _, (use,) = applied(cases, results, waiver(TODAY, dtype=("float16",)))
    assert use.state is State.USED


def test_a_waiver_that_matches_no_failure_and_no_pass_is_unmatched(cases, results) -> None:
    for limits in (
        {"op": ("aten.no_such_op",)},
        {"op": ("aten.mul.*",), "cause": ("hang",), "dtype": ("float16",)},
    ):
        _, (use,) = applied(cases, results, waiver(**limits))
        assert (use.state, use.fails) == (State.UNMATCHED, True)
    unclaimed = [replace(r, status=tc.Status.UNCLAIMED) for r in results]
    _, (use,) = applied(cases, unclaimed, waiver(op=("aten.mul.*",)))
    assert use.state is State.UNMATCHED


@pytest.mark.parametrize(
    ("scope", "op", "decided"),
    [
        ({"select": ["aten.sub.Tensor"]}, "aten.sub.Tensor", True),
        ({"select": ["aten.sub.Tensor"]}, "aten.sub.*", False),  # aten.sub.Scalar was not run
        ({"select": ["aten.sub"]}, "aten.sub.*", True),
        ({"select": ["aten.sub.Tensor[float32-2d.small]"]}, "aten.sub.Tensor", False),
        ({"sample": 0.5}, "aten.sub.Tensor", False),
        ({"shard": "1/2"}, "aten.sub.Tensor", False),
        ({"layers": ["op"]}, "aten.sub.Tensor", False),  # it may be about the graph layer
    ],
)
def test_a_part_of_a_run_decides_only_about_waivers_of_that_part(cases, results, scope, op, decided) -> None:
    _, (use,) = applied(cases, results, waiver(op=(op,)), scope={**WHOLE, **scope})
    assert use.state is (State.UNEXPECTED_PASS if decided else State.UNDECIDED)
    assert use.fails is decided


def test_cases_that_a_run_never_came_to_are_not_excused(cases) -> None:
    given_up, crashed = (
        [result_of(c, tc.Status.NOT_RUN, cause=cause) for c in cases]
        for cause in (RUN_GIVEN_UP, OPERATOR_GIVEN_UP)
    )
    everything = waiver(layer=("op",))
    assert {r.status for r in applied(cases, given_up, everything)[0]} == {tc.Status.NOT_RUN}
    assert {r.status for r in applied(cases, crashed, everything)[0]} == {tc.Status.WAIVED}


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    text = '[settings]\nunmatched = "list"\n' + entry(
        'op = ["aten.mul.*", "aten.sub.*"]\ndtype = "float16"\nrank = {max = 3}\nsize = ["empty", "large"]'
    )
    waivers = read(tmp_path, text)
    (found,) = waivers.entries
    assert found.predicate == Predicate(
        op=("aten.mul.*", "aten.sub.*"), dtype=("float16",), rank=Range(max=3), size=("empty", "large")
    )
    assert (found.owner, found.expires) == ("kernels", date(2999, 12, 31))
    assert waivers.failing == {"unexpected_pass", "expired"}
    assert read(tmp_path, "").entries == ()


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (entry('op = "y"') + entry('op = "x"', TERMS.replace("expires = ", "#")), "waiver 2: 'expires' is"),
        (entry('op = "x"', TERMS.replace("2999-12-31", '"soon"')), "waiver 1, expires: 'soon'"),
        (entry('op = "x"', TERMS.replace("2999-12-31", '"2999-13-31"')), "waiver 1, expires: month"),
        (entry('op = "x"', TERMS.replace("https://example.org/1", "ticket 7")), "waiver 1, link"),
        (entry('op = "x"', TERMS.replace("kernels", "")), "waiver 1, owner"),
        (entry('ops = "x"\nop = "x"'), "waiver 1: .*'ops' was unexpected"),
        (entry(""), "waiver 1: no predicate: one of op, id"),
        (entry('dtype = "float99"'), "waiver 1, dtype: there is no dtype 'float99'"),
        (entry('layout = "sideways"'), "waiver 1, layout: there is no layout 'sideways'"),
        (entry('layer = "moon"'), "waiver 1, layer: there is no layer 'moon'"),
        (entry('size = "huge"'), "waiver 1, size"),
        (entry("rank = {}"), "waiver 1, rank"),
        ('[settings]\nexpired = "ignore"\n', "settings.expired: 'ignore'"),
        ("[[waiver]\n", "no TOML"),
    ],
)  # fmt: skip
def test_an_invalid_file_is_refused_and_the_entry_named(tmp_path: Path, text: str, match: str) -> None:
    with pytest.raises(WaiverError, match=f"(?s)waivers.toml.*{match}|{match}.*waivers.toml"):
        read(tmp_path, text)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WaiverError, match="cannot be read"):
        read_waivers(tmp_path / "none.toml")


def test_reports_count_waived_failures_apart_and_name_every_waiver(tmp_path: Path) -> None:
    file = tmp_path / "waivers.toml"
    known = entry('op = "aten.mul.Tensor"\nlayer = "op"')
    stale = entry('op = "aten.sub.Tensor"\nlayer = "op"\nlabel = "sub.C9"')

    def run(*entries: str, settings: str = "") -> tuple[int, str, dict[str, Any]]:
        file.write_text(settings + "".join(entries))
        options = ["--select", "aten.mul.Tensor", "--layer", "op", "--jobs", "0", "--waivers", str(file)]
        command = Typer()
        command.command()(conformance)
        report = tmp_path / "r.json"
        done = CliRunner().invoke(command, ["planted_faults:AllZeros", *options, "--json", str(report)])
        return done.exit_code, done.output, json.loads(report.read_text())

    code, text, data = run(known)
    jsonschema.validate(data, schema())
    assert code == 0 and data["exit_code"] == 0
    totals = data["totals"]
    assert totals["failed"] == 0 < totals["waived"] == data["waivers"][0]["cases"]
    assert totals["passed"] + totals["waived"] == totals["claimed"]
    assert data["waivers"][0]["predicate"] == {"op": ["aten.mul.Tensor"], "layer": ["op"]}
    assert f"{totals['waived']} waived" in text and "waiver 1: used" in text

    code, text, data = run(known, stale)
    assert code == 0 and data["waivers"][1]["state"] == "undecided"  # sub was not run

    code, text, data = run(entry('op = "aten.mul.Tensor"\nlayer = "op"', TERMS.replace("2999", "2001")))
    assert code == 1 and data["totals"]["waived"] == 0 < data["totals"]["failed"]
    assert "waiver 1: expired" in text

    missed = entry('op = "aten.mul.Tensor"\nlayer = "op"\ncause = "nothing like it"')
    code, text, data = run(known, missed)
    assert code == 1 and data["unmet"] == ["waiver 2 (kernels): unmatched: the tile is too small"]
    assert run(known, missed, settings='[settings]\nunmatched = "list"\n')[0] == 0

    assert run(entry("op = 3"))[0] == 2


def test_junit_has_the_waivers_and_fails_for_what_is_unmet() -> None:
    about: dict[str, Any] = {"op": ("aten.mul.Tensor",), "layer": ("op",)}
    waivers = Waivers((waiver(**about), waiver(**about, cause=("nothing like it",))))
    report = tc.run("planted_faults:AllZeros", select=SELECT[:1], layers=["op"], jobs=0, waivers=waivers)
    root = ElementTree.fromstring(to_junit(report))
    properties = {p.get("name"): p.get("value") for p in root.findall("./properties/property")}
    assert properties["waived"] == str(report.total.waived) != "0"
    assert properties["claimed operator x dtype x layout"] == "{}/{}".format(
        *json.loads(to_json(report))["denominators"]["operator x dtype x layout"]
    )
    assert [case.get("name") for case in root.findall(".//testsuite[@name='unmet']/testcase")] == list(
        report.unmet
    )
    assert len(report.unmet) == int(root.get("failures", "")) == 1
    assert report.exit_code == 1 and not report.ok
