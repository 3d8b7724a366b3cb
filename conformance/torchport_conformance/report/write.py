"""A report as files: JSON under a published schema, JUnit XML, and a self-contained HTML page."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from torchport_conformance.report.model import CaseResult, Report, Status, Tally, denominators
from torchport_conformance.report.page import page

FORMAT = "torchport-conformance-report"
FORMAT_VERSION = 1


def write_reports(report: Report, folder: Path) -> None:
    """Writes ``report.json``, ``junit.xml`` and ``index.html`` into ``folder``, which is made if it is
    missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(to_json(report))
    (folder / "junit.xml").write_text(to_junit(report))
    (folder / "index.html").write_text(page(report))


def schema() -> dict[str, Any]:
    """The published JSON Schema of ``report.json``."""
    text = (files("torchport_conformance.report") / "report.schema.json").read_text()
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def to_json(report: Report) -> str:
    """The report as JSON; every case is in it."""
    payload = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "backend": report.backend,
        "backend_version": report.backend_version,
        "profile": report.profile,
        "opset": report.opset,
        "seed": report.seed,
        "exit_code": report.exit_code,
        "floor": report.floor,
        "seconds": round(report.seconds, 3),
        "environment": dict(report.environment),
        "totals": _tally(report.total),
        "scope": dict(report.scope),
        "excluded": dict(report.excluded),
        "denominators": denominators(report.results),
        "missing": report.missing,
        "unmet": list(report.unmet),
        "breaches": [dict(breach) for breach in report.breaches],
        "waivers": [dict(waiver) for waiver in report.waivers],
        "by_layer": {layer: _tally(found) for layer, found in report.by_layer.items()},
        "by_op": {op: _tally(found) for op, found in report.by_op.items()},
        "cases": [_case(report, result) for result in report.results],
    }
    return json.dumps(payload, indent=1, allow_nan=False)


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "cases": tally.cases,
        "claimed": tally.claimed,
        "passed": tally.passed,
        "failed": tally.failed,
        "crashed": tally.crashed,
        "unclaimed": tally.unclaimed,
        "suite_errors": tally.suite_errors,
        "eager_defects": tally.eager_defects,
        "waived": tally.waived,
        "bound_ratio": _finite(tally.bound_ratio),
        "ulp": _finite(tally.ulp),
        "bias": tally.lean.bias if tally.lean.toward + tally.lean.away else None,
        "leans": tally.lean.is_systematic,
    }


def _finite(value: float | None) -> float | str | None:
    """JSON has no infinity: it is written as a text."""
    if value is None or (value == value and abs(value) != float("inf")):
        return value
    return str(value)


def _case(report: Report, result: CaseResult) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": result.id,
        "op": result.op,
        "layer": result.layer,
        "dtype": result.dtype,
        "layout": result.layout,
        "status": str(result.status),
        "call": result.call,
        "seconds": round(result.seconds, 6),
        "bound_ratio": _finite(result.bound_ratio),
        "ulp": _finite(result.ulp),
    }
    if result.message:
        entry |= {"message": result.message, "cause": result.cause, "label": result.label}
    if result.is_failure or result.status in (Status.SUITE, Status.EAGER_DEFECT, Status.WAIVED):
        entry["reproducer"] = report.reproducer(result)
    return entry


def to_junit(report: Report) -> str:
    """The report as JUnit XML: one suite per operator; unclaimed cases, eager defects and waived failures as
    skipped, suite errors as errors; what else makes the run fail in a suite of its own.
    """
    total = report.total
    root = ElementTree.Element(
        "testsuites",
        name=f"torchport conformance: {report.backend}",
        tests=str(total.cases + len(report.unmet)),
        failures=str(total.failed + len(report.unmet)),
        errors=str(total.suite_errors),
        skipped=str(total.unclaimed + total.eager_defects + total.waived),
        time=f"{report.seconds:.3f}",
    )
    _add_properties(root, report)
    _add_unmet(root, report.unmet)
    suites: dict[str, ElementTree.Element] = {}
    for op, tally in report.by_op.items():
        suites[op] = ElementTree.SubElement(
            root,
            "testsuite",
            name=op,
            tests=str(tally.cases),
            failures=str(tally.failed),
            errors=str(tally.suite_errors),
            skipped=str(tally.unclaimed + tally.eager_defects + tally.waived),
        )
    for result in report.results:
        case = ElementTree.SubElement(
            suites[result.op], "testcase", classname=result.op, name=result.id, time=f"{result.seconds:.6f}"
        )
        if result.is_failure or result.status is Status.SUITE:
            kind = "error" if result.status is Status.SUITE else "failure"
            failure = ElementTree.SubElement(
                case, kind, message=_printable(result.message), type=str(result.status)
            )
            failure.text = _printable(f"{result.call}\n{result.message}\n\n{report.reproducer(result)}")
        elif result.status is not Status.PASSED:
            ElementTree.SubElement(case, "skipped", message=_printable(f"{result.status}: {result.message}"))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_properties(root: ElementTree.Element, report: Report) -> None:
    """What was run, how much of it is claimed, and what became of each waiver."""
    properties = ElementTree.SubElement(root, "properties")

    def add(name: str, value: str) -> None:
        ElementTree.SubElement(properties, "property", name=name, value=_printable(value))

    add("profile", report.profile)
    add("seed", str(report.seed))
    add("exit code", str(report.exit_code))
    for name, (part, entire) in denominators(report.results).items():
        add(f"claimed {name}", f"{part}/{entire}")
    add("waived", str(report.total.waived))
    add("missing", str(report.missing))
    for waiver in report.waivers:
        add(waiver["name"], f"{waiver['state']}: {waiver['cases']} cases: {waiver['reason']}")
    for breach in report.breaches:
        add("breach", breach["text"])


def _add_unmet(root: ElementTree.Element, unmet: tuple[str, ...]) -> None:
    """A test for each thing that makes the run fail and is no case."""
    if not unmet:
        return
    count = str(len(unmet))
    suite = ElementTree.SubElement(root, "testsuite", name="unmet", tests=count, failures=count)
    for text in unmet:
        case = ElementTree.SubElement(suite, "testcase", classname="unmet", name=_printable(text), time="0")
        ElementTree.SubElement(case, "failure", message=_printable(text), type="unmet")


def _printable(text: str) -> str:
    """Without the control characters that XML cannot hold; a crashed process may have printed some."""
    return "".join(c if c in "\n\t" or c >= " " else "�" for c in text)
