"""What a conformance run found: one result per case, and a report that counts them."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from torchport_conformance.cases.case import AnyCase


class Status(enum.StrEnum):
    """How a case ended. Only ``PASSED`` is a pass; the last four are neither a pass nor a failure."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    HUNG = "hung"
    NOT_RUN = "not run"  # its operator crashed or hung too often; counted as a failure
    SUITE = "suite error"  # the suite could not build or judge the case, which makes the run short
    WAIVED = "waived"  # failed, and a waiver of the vendor excuses it
    EAGER_DEFECT = "eager defect"  # wrong, and just as eager PyTorch is by a declared defect of its own
    UNCLAIMED = "unclaimed"


FAILURES = frozenset({Status.FAILED, Status.CRASHED, Status.HUNG, Status.NOT_RUN})


@dataclass(frozen=True, slots=True)
class Lean:
    """How rounding errors lean: ``total`` is their sum in units of the last place, negative toward zero, each
    counted as one unit at most; ``toward`` and ``away`` count the elements whose error is toward zero or away
    from it.
    """

    total: float = 0.0
    toward: int = 0
    away: int = 0

    def __add__(self, other: Lean) -> Lean:
        return Lean(self.total + other.total, self.toward + other.toward, self.away + other.away)

    @property
    def bias(self) -> float:
        """The mean error of the elements that have one, in units of the last place; between -1 and 1."""
        return self.total / max(self.toward + self.away, 1)

    @property
    def is_systematic(self) -> bool:
        """Whether errors of independent signs, either way alike, would lean as much by a chance below
        :data:`LEAN_CHANCE` (Hoeffding's inequality).
        """
        count = self.toward + self.away
        return abs(self.toward - self.away) > math.sqrt(2.0 * count * math.log(2.0 / LEAN_CHANCE))


LEAN_CHANCE = 1e-9


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The end of one case.

    ``cause`` is a short stable word for grouping ("strides of self ignored"); ``label`` the contract label
    that was violated, if one is named; ``bound_ratio`` the largest error divided by what the contract allows
    (``None`` when nothing was compared); ``ulp`` the largest error in units of the last place of the result;
    ``lean`` how its rounding errors lean to one side.
    ``layer`` and ``layout`` are what the case is counted under, besides ``op`` and ``dtype``.
    """

    id: str
    op: str
    dtype: str
    status: Status
    message: str = ""
    cause: str = ""
    label: str | None = None
    call: str = ""
    bound_ratio: float | None = None
    ulp: float | None = None
    lean: Lean | None = None
    seconds: float = 0.0
    layer: str = "op"
    layout: str = "contiguous"

    @property
    def is_failure(self) -> bool:
        """True when the backend is at fault."""
        return self.status in FAILURES


def result_of(case: AnyCase, status: Status, message: str = "", *, cause: str = "") -> CaseResult:
    """How a case ended, counted under what the case says of itself."""
    return CaseResult(
        case.id,
        case.op,
        case.dtype,
        status,
        message=message,
        cause=cause,
        label=case.label,
        call=case.call(),
        layer=case.layer,
        layout=case.layout,
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one group of cases. ``claimed`` is what ran or should have run on the backend."""

    cases: int
    passed: int
    failed: int
    crashed: int
    unclaimed: int
    suite_errors: int
    eager_defects: int
    waived: int
    bound_ratio: float | None
    ulp: float | None
    lean: Lean = Lean()

    @property
    def claimed(self) -> int:
        """Cases that the backend claimed and that the suite could judge."""
        return self.cases - self.unclaimed - self.suite_errors


def tally(results: Iterable[CaseResult]) -> Tally:
    """Counts ``results``; crashes, hangs and cases that were not run are failures too."""
    found = list(results)
    ratios = [r.bound_ratio for r in found if r.bound_ratio is not None]
    ulps = [r.ulp for r in found if r.ulp is not None]
    return Tally(
        cases=len(found),
        passed=sum(r.status is Status.PASSED for r in found),
        failed=sum(r.is_failure for r in found),
        crashed=sum(r.status in (Status.CRASHED, Status.HUNG) for r in found),
        unclaimed=sum(r.status is Status.UNCLAIMED for r in found),
        suite_errors=sum(r.status is Status.SUITE for r in found),
        eager_defects=sum(r.status is Status.EAGER_DEFECT for r in found),
        waived=sum(r.status is Status.WAIVED for r in found),
        bound_ratio=max(ratios, default=None),
        ulp=max(ulps, default=None),
        lean=sum((r.lean for r in found if r.lean is not None), start=Lean()),
    )


def denominators(results: Sequence[CaseResult]) -> dict[str, list[int]]:
    """How much of the profile is claimed, as ``[claimed, all]``: operators, their dtypes, the layouts of
    those, and cases.
    """
    parts: Mapping[str, Callable[[CaseResult], Hashable]] = {
        "operators": lambda r: r.op,
        "operator x dtype": lambda r: (r.op, r.dtype),
        "operator x dtype x layout": lambda r: (r.op, r.dtype, r.layout),
        "cases": lambda r: r.id,
    }
    claimed = [r for r in results if r.status is not Status.UNCLAIMED]
    return {name: [len(set(map(key, claimed))), len(set(map(key, results)))] for name, key in parts.items()}


@dataclass(frozen=True)
class Report:
    """A whole run.

    ``passed``, ``failed``, ``cases``, ``crashed``, ``unclaimed``, ``suite_errors`` and ``eager_defects`` are
    counts, here and in ``by_op``.
    ``floor`` is the number of cases below which the run itself is short and says nothing, whatever it found.
    ``excluded`` are selected operators that have no cases at all, each with the reason. ``scope`` is what was
    asked for: ``select``, ``layers``, ``sample``, ``shard``, the digest of the frozen ``corpus``, and
    ``drift``, the operators whose cases differ from it. ``waivers`` are those that were in force, each
    with its predicate, ``reason``, ``owner``, ``link``, ``expires`` (an ISO date) and ``cases``, how many it
    excused; ``state`` and ``fails`` say what became of it. ``breaches`` are promises of the backend that the
    run does not bear out: ``text``, ``cases``, and whether it is ``owed``. ``missing`` counts cases of the
    plan that have no result, since the journals of other shards were not given.
    """

    backend: str
    backend_version: str
    profile: str
    opset: str
    seed: int
    results: tuple[CaseResult, ...]
    floor: int
    seconds: float
    environment: Mapping[str, str] = field(default_factory=dict)
    excluded: Mapping[str, str] = field(default_factory=dict)
    scope: Mapping[str, Any] = field(default_factory=dict)
    waivers: tuple[Mapping[str, Any], ...] = ()
    breaches: tuple[Mapping[str, Any], ...] = ()
    missing: int = 0

    @cached_property
    def total(self) -> Tally:
        """Counts over all cases."""
        return tally(self.results)

    @property
    def cases(self) -> int:
        """How many cases the profile had, claimed or not."""
        return self.total.cases

    @property
    def passed(self) -> int:
        """How many cases ran on the backend and were right."""
        return self.total.passed

    @property
    def failed(self) -> int:
        """How many cases failed, crashes and hangs included."""
        return self.total.failed

    @property
    def crashed(self) -> int:
        """How many cases ended the worker or did not end."""
        return self.total.crashed

    @property
    def unclaimed(self) -> int:
        """How many cases the backend does not claim."""
        return self.total.unclaimed

    @property
    def suite_errors(self) -> int:
        """How many cases the suite itself could not build or judge."""
        return self.total.suite_errors

    @property
    def eager_defects(self) -> int:
        """How many cases are as wrong as eager PyTorch is, by a defect that the contract declares."""
        return self.total.eager_defects

    @property
    def claimed(self) -> int:
        """How many cases the backend claims: the denominator of ``passed``."""
        return self.total.claimed

    @cached_property
    def results_by_op(self) -> Mapping[str, tuple[CaseResult, ...]]:
        """Results per operator, in the order of the profile."""
        groups: dict[str, list[CaseResult]] = {}
        for result in self.results:
            groups.setdefault(result.op, []).append(result)
        return {op: tuple(found) for op, found in groups.items()}

    @cached_property
    def by_op(self) -> Mapping[str, Tally]:
        """Counts per operator, in the order of the profile."""
        return {op: tally(found) for op, found in self.results_by_op.items()}

    @cached_property
    def by_op_dtype(self) -> Mapping[tuple[str, str], Tally]:
        """Counts per operator and dtype."""
        groups: dict[tuple[str, str], list[CaseResult]] = {}
        for result in self.results:
            groups.setdefault((result.op, result.dtype), []).append(result)
        return {key: tally(found) for key, found in groups.items()}

    @cached_property
    def by_layer(self) -> Mapping[str, Tally]:
        """Counts per layer, in the order of the run."""
        groups: dict[str, list[CaseResult]] = {}
        for result in self.results:
            groups.setdefault(result.layer, []).append(result)
        return {layer: tally(found) for layer, found in groups.items()}

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        """Every failed case, in the order of the profile."""
        return tuple(r for r in self.results if r.is_failure)

    @property
    def remarks(self) -> tuple[CaseResult, ...]:
        """Every suite error, eager defect and waived failure, in the order of the profile."""
        remarkable = (Status.SUITE, Status.EAGER_DEFECT, Status.WAIVED)
        return tuple(r for r in self.results if r.status in remarkable)

    @property
    def is_short(self) -> bool:
        """True when the run proves too little: fewer cases than the floor, others than the frozen corpus,
        some without a result, none that ran on the backend, or some that the suite could not judge.
        """
        lacking = self.missing or self.suite_errors or self.scope.get("drift")
        return self.cases < self.floor or bool(lacking) or self.claimed == 0

    @property
    def unmet(self) -> tuple[str, ...]:
        """What makes the run fail besides failures: waivers that have become wrong, and declarations that
        nothing bears out.
        """
        waivers = (w for w in self.waivers if w.get("fails"))
        texts = [f"{w['name']} ({w['owner']}): {w['state']}: {w['reason']}" for w in waivers]
        return (*texts, *(f"the backend {b['text']}" for b in self.breaches if b["owed"]))

    @property
    def ok(self) -> bool:
        """True when the run is long enough, nothing failed and nothing is unmet."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """0 pass, 1 failures, 3 the suite is short."""
        return 1 if self.failed or self.unmet else 3 if self.is_short else 0

    def reproducer(self, result: CaseResult) -> str:
        """Python that runs one case again and raises if it still fails."""
        level = self.environment.get("level", "dynamo")
        at = "" if level == "dynamo" else f"level={level!r}, "
        return (
            "import torchport_conformance\n\n"
            f"# {result.call}\n"
            "torchport_conformance.reproduce(\n"
            f"    {self.backend!r},\n    {result.id!r},\n"
            f"    profile={self.profile!r}, {at}seed={self.seed},\n)\n"
        )
