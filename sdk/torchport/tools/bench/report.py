"""What a benchmark found: plain data, with the ratios that matter and text for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from torchport.tools.bench.timing import Timing

COLUMNS = (
    "case",
    "backend",
    "time",
    "ours / rival",
    "cold compile",
    "ours / rival",
    "warm compile",
    "max error vs float64",
)
"""Titles of :meth:`BenchReport.rows`. A ratio is our time over the rival's: below 1, ours is faster."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One case on one backend: seconds, and max |result - float64 result|; a ``failure`` says why none.

    Compile times are beyond Dynamo's own; ``None`` for eager PyTorch and when they were not asked for.
    """

    backend: str
    timing: Timing | None = None
    cold_compile: float | None = None
    warm_compile: float | None = None
    error: float | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: our measurement, then the rivals' in the order they were asked for."""

    case: str
    ours: Measurement
    rivals: tuple[Measurement, ...]

    def time_ratio(self, rival: str) -> float | None:
        """Our median time over the rival's; ``None`` where one of the two failed."""
        ours, theirs = self.ours.timing, self._rival(rival).timing
        return ours.median / theirs.median if ours and theirs else None

    def cold_compile_ratio(self, rival: str) -> float | None:
        """Our cold compile time over the rival's; ``None`` where one of the two has none."""
        return _quotient(self.ours.cold_compile, self._rival(rival).cold_compile)

    def _rival(self, name: str) -> Measurement:
        return next(m for m in self.rivals if m.backend == name)


@dataclass(frozen=True, slots=True)
class BenchReport:
    """A whole run: where it ran, seconds of each backend's first compile (``startup``), and the cases."""

    backend: str
    vs: tuple[str, ...]
    suite: str
    environment: dict[str, Any]
    startup: dict[str, dict[str, float]]
    cases: tuple[CaseResult, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """Cases that our backend could not run, with the reason."""
        return tuple(f"{c.case}: {c.ours.failure}" for c in self.cases if c.ours.failure)

    def geometric_mean(self, rival: str) -> float | None:
        """Geometric mean over the cases of our time over the rival's."""
        return _geometric([c.time_ratio(rival) for c in self.cases])

    def geometric_mean_cold_compile(self, rival: str) -> float | None:
        """Geometric mean over the cases of our cold compile time over the rival's."""
        return _geometric([c.cold_compile_ratio(rival) for c in self.cases])

    def to_dict(self) -> dict[str, Any]:
        """JSON-like form; every ratio is spelled ``ours_over_rival``."""
        data = asdict(self)
        for case, out in zip(self.cases, data["cases"], strict=True):
            out["time_ours_over_rival"] = {r: case.time_ratio(r) for r in self.vs}
            out["cold_compile_ours_over_rival"] = {r: case.cold_compile_ratio(r) for r in self.vs}
        data["geometric_mean_time_ours_over_rival"] = {r: self.geometric_mean(r) for r in self.vs}
        data["geometric_mean_cold_compile_ours_over_rival"] = {
            r: self.geometric_mean_cold_compile(r) for r in self.vs
        }
        return data

    def rows(self) -> list[tuple[str, ...]]:
        """One row per case and backend, then the geometric means, as text under :data:`COLUMNS`."""
        rows: list[tuple[str, ...]] = []
        for case in self.cases:
            for m in (case.ours, *case.rivals):
                is_rival = m is not case.ours
                rows.append(
                    (
                        case.case if not is_rival else "",
                        m.backend,
                        m.failure or _seconds(m.timing.median if m.timing else None),
                        _ratio(case.time_ratio(m.backend)) if is_rival else "",
                        _seconds(m.cold_compile),
                        _ratio(case.cold_compile_ratio(m.backend)) if is_rival else "",
                        _seconds(m.warm_compile),
                        "" if m.error is None else f"{m.error:.1e}",
                    )
                )
        for rival in self.vs:
            mean, compile_mean = self.geometric_mean(rival), self.geometric_mean_cold_compile(rival)
            rows.append(("geometric mean", rival, "", _ratio(mean), "", _ratio(compile_mean), "", ""))
        return rows

    def __str__(self) -> str:
        table = [COLUMNS, *self.rows()]
        widths = [max(len(row[i]) for row in table) for i in range(len(COLUMNS))]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in table
        ]
        return "\n".join(lines)


def _quotient(ours: float | None, theirs: float | None) -> float | None:
    return ours / theirs if ours is not None and theirs else None


def _geometric(ratios: Sequence[float | None]) -> float | None:
    known = [r for r in ratios if r is not None and r > 0]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
