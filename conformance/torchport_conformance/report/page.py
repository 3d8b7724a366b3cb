"""The HTML page: one file, no network. Markup, style and script are package files; the data is embedded as
JSON.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable
from importlib.resources import files
from string import Template
from typing import Any

from torchport_conformance.report.model import CaseResult, Report, Status, Tally, denominators, tally

COUNTS = ("cases", "claimed", "passed", "failed", "unclaimed", "suite_errors", "eager_defects", "waived")
"""Counts of a cell of the matrix, in order."""

RATIO_LIMITS = (0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, math.inf)
"""Upper ends of the bins of the histogram of errors over their bounds; before them comes a bin of exact 0."""


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
    axes = {
        axis: list(dict.fromkeys(getattr(r, axis) for r in report.results))
        for axis in ("layer", "dtype", "layout")
    }
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
        "scope": dict(report.scope),
        "total": _counts(report.total),
        "denominators": denominators(report.results),
        "axes": axes,
        "ops": _cells(report, axes),
        "bins": [f"{limit:g}" for limit in RATIO_LIMITS],
        "histograms": {op: histogram(found) for op, found in report.results_by_op.items()},
        "leans": {
            op: f"{counted.lean.bias:+.2g} ulp"
            for op, counted in report.by_op.items()
            if counted.lean.is_systematic
        },
        "failures": [_failure(report, result) for result in report.failures],
        "remarks": [_failure(report, result) for result in report.remarks],
        "refusals": _refusals(report),
        "excluded": dict(report.excluded),
    }


def _cells(report: Report, axes: dict[str, list[str]]) -> dict[str, list[list[Any]]]:
    """By operator, one row per layer, dtype and layout: their places on the axes, then the counts of
    :data:`COUNTS` and the largest error over its bound.
    """
    places = {axis: {name: i for i, name in enumerate(names)} for axis, names in axes.items()}
    found: dict[str, list[list[Any]]] = {}
    for op, results in report.results_by_op.items():
        groups: dict[tuple[int, ...], list[CaseResult]] = {}
        for result in results:
            key = tuple(places[axis][getattr(result, axis)] for axis in axes)
            groups.setdefault(key, []).append(result)
        found[op] = []
        for key, group in groups.items():
            counted = tally(group)
            ratio = None if counted.bound_ratio is None else _rounded(counted.bound_ratio)
            found[op].append([*key, *(getattr(counted, name) for name in COUNTS), ratio])
    return found


def _rounded(ratio: float) -> float | str:
    """Three digits of a number; a text for what JSON cannot hold."""
    return float(f"{ratio:.3g}") if math.isfinite(ratio) else str(ratio)


def histogram(results: Iterable[CaseResult]) -> list[int]:
    """How many results have an error over its bound of 0, and up to each of :data:`RATIO_LIMITS`."""
    counts = [0] * (len(RATIO_LIMITS) + 1)
    for result in results:
        if result.bound_ratio is not None:
            counts[_bin(result.bound_ratio)] += 1
    return counts


def _bin(ratio: float) -> int:
    if ratio == 0.0:
        return 0
    inside = (i for i, limit in enumerate(RATIO_LIMITS) if ratio <= limit)
    return 1 + next(inside, len(RATIO_LIMITS) - 1)


def _counts(tally: Tally) -> dict[str, Any]:
    return {
        "cases": tally.cases,
        "claimed": tally.claimed,
        "passed": tally.passed,
        "failed": tally.failed,
        "unclaimed": tally.unclaimed,
        "suite": tally.suite_errors,
        "eager": tally.eager_defects,
        "waived": tally.waived,
        "ratio": _shown(tally.bound_ratio),
        "ulp": _shown(tally.ulp),
    }


def _shown(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


def _failure(report: Report, result: CaseResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "op": result.op,
        "layer": result.layer,
        "dtype": result.dtype,
        "layout": result.layout,
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
