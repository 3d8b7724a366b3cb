"""The HTML page: one file, no network. Markup, style and script are package files; the data is embedded as
JSON.
"""

from __future__ import annotations

import html
import json
from importlib.resources import files
from string import Template
from typing import Any

from torchport_conformance.report.model import CaseResult, Report, Status, Tally


def page(report: Report) -> str:
    """The report as a page that opens from disk."""
    folder = files("torchport_conformance.report") / "assets"
    template = Template((folder / "page.html").read_text())
    return template.substitute(
        title=html.escape(f"{report.backend}: torchport conformance"),
        style=(folder / "page.css").read_text(),
        script=(folder / "page.js").read_text(),
        data=_embedded(_data(report)),
    )


def _embedded(data: dict[str, Any]) -> str:
    """JSON that can stand inside a script element."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("\u2028", "\\u2028")


def _data(report: Report) -> dict[str, Any]:
    dtypes = list(dict.fromkeys(r.dtype for r in report.results))
    return {
        "backend": report.backend,
        "version": report.backend_version,
        "profile": report.profile,
        "opset": report.opset,
        "seed": report.seed,
        "seconds": report.seconds,
        "exit": report.exit_code,
        "floor": report.floor,
        "environment": dict(report.environment),
        "total": _counts(report.total),
        "dtypes": dtypes,
        "ops": {
            op: {
                "total": _counts(tally),
                "dtypes": {d: _counts(t) for (o, d), t in report.by_op_dtype.items() if o == op},
            }
            for op, tally in report.by_op.items()
        },
        "failures": [_failure(report, result) for result in report.failures],
        "remarks": [_failure(report, result) for result in report.remarks],
        "refusals": _refusals(report),
        "excluded": dict(report.excluded),
    }


def _counts(tally: Tally) -> dict[str, Any]:
    return {
        "cases": tally.cases,
        "claimed": tally.claimed,
        "passed": tally.passed,
        "failed": tally.failed,
        "unclaimed": tally.unclaimed,
        "suite": tally.suite_errors,
        "eager": tally.eager_defects,
        "ratio": _shown(tally.bound_ratio),
        "ulp": _shown(tally.ulp),
    }


def _shown(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


def _failure(report: Report, result: CaseResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "op": result.op,
        "dtype": result.dtype,
        "status": str(result.status),
        "cause": result.cause,
        "label": result.label,
        "message": result.message,
        "call": result.call,
        "ratio": _shown(result.bound_ratio),
        "ulp": _shown(result.ulp),
        "reproducer": report.reproducer(result),
    }


def _refusals(report: Report) -> dict[str, dict[str, int]]:
    """Why cases are unclaimed, by operator: reason and how often."""
    found: dict[str, dict[str, int]] = {}
    for result in report.results:
        if result.status is Status.UNCLAIMED:
            reasons = found.setdefault(result.op, {})
            reasons[result.message] = reasons.get(result.message, 0) + 1
    return found
