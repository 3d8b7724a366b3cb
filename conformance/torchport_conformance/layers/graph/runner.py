"""Runs programs: eager PyTorch with the worlds of its errors, the subject on the same inputs; compares."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import nn

import torchport as tp
from torchport.compile.reports import Reports
from torchport.contract.capture_defects import STRIDES, capture_defect
from torchport_conformance.fresh_dynamo import fresh_dynamo
from torchport_conformance.layers.excuses import REFUSED, UNDECLARED
from torchport_conformance.layers.graph.as_traced import compiled_as_traced
from torchport_conformance.layers.graph.case import GraphCase
from torchport_conformance.layers.graph.observation import Observation, observe
from torchport_conformance.layers.graph.program import Call, Draws, Program
from torchport_conformance.layers.graph.verdict import Comparison, Difference
from torchport_conformance.obligation import FELL_BACK, fell_back
from torchport_conformance.propagation.worlds import Worlds
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.subject import Subject

_SHOWN = 3
_RECOMPILES = 64


@dataclass(frozen=True, slots=True)
class Placement:
    """How many nodes of a program ran where. ``known`` is false for subjects that keep no count; ``refused``
    names what the backend claimed and then did not compile.
    """

    known: bool
    claimed: int = 0
    left: int = 0
    overlapped: int = 0
    reasons: str = ""
    refused: str = ""

    @property
    def nothing(self) -> bool:
        """Whether it is known that no node ran on the backend."""
        return self.known and not self.claimed

    def __str__(self) -> str:
        if not self.known:
            return "the subject keeps no count of nodes"
        text = f"{self.claimed} nodes on the backend, {self.left} left to eager PyTorch"
        if self.overlapped:
            text += f", {self.overlapped} calls left to it whole (overlapping arguments)"
        return text + (f" ({self.reasons})" if self.reasons else "")


class ProgramRunner:
    """Runs programs on a subject."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def compare(self, program: Program, seed: int) -> tuple[Comparison, Placement, list[Any]]:
        """Runs a program both ways.

        Args:
            program: the program.
            seed: of its values.

        Returns:
            What differs, where its nodes ran, and the results of each call of the subject.
        """
        self._clear()
        reference = [*self._calls(program.make(), program, seed, worlds=program.law is None)]
        ours = self._compiled(program, seed, self.subject.compile)
        comparison = self._comparison(program, ours, reference)
        placement = self._placement()
        if comparison.differences:
            captured = self._compiled(program, seed, partial(torch.compile, backend="aot_eager"))
            comparison.without(self._comparison(program, captured, reference))
        if comparison.are_strides:
            traced = self._compiled(program, seed, compiled_as_traced)
            comparison.without(self._comparison(program, traced, reference))
        return comparison, placement, [o.raised or o.results for o in ours]

    def _compiled(
        self, program: Program, seed: int, compiler: Callable[..., Callable[..., Any]]
    ) -> list[Observation]:
        target = program.make()
        # Room for a recompilation in every call.
        with fresh_dynamo(recompile_limit=_RECOMPILES, fail_on_recompile_limit_hit=True):
            return [*self._calls(target, program, seed, compiler(target, dynamic=program.dynamic))]

    def _comparison(
        self, program: Program, ours: Sequence[Observation], reference: Sequence[Observation]
    ) -> Comparison:
        comparison = Comparison()
        if program.law is None:
            for number, (call, a, b) in enumerate(zip(program.calls, ours, reference, strict=True)):
                comparison.compare(a, b, f"call {number + 1}{f' ({call.text})' if call.text else ''}")
        return comparison

    def _calls(
        self,
        target: Any,
        program: Program,
        seed: int,
        compiled: Callable[..., Any] | None = None,
        *,
        worlds: bool = False,
    ) -> Iterator[Observation]:
        """The observations of all calls; of the program itself, or of the compiled one."""
        device = "cpu" if compiled is None else self.subject.device
        # One for all calls: errors of what the program keeps are carried on.
        active = Worlds(seed) if worlds else None
        for number, call in enumerate(program.calls):
            with active or nullcontext():
                call.change(target)
            given = call.arguments(Draws(seed + number, device))
            state = [*target.parameters(), *target.buffers()] if isinstance(target, nn.Module) else []
            for tensor in state:
                tensor.grad = None
            torch.manual_seed(seed % 2**63)
            run = _bound(target if compiled is None else compiled, given, call)
            yield observe(run, [*given, *state], active)

    def _reports(self) -> Reports | None:
        return None if self.subject.backend is None else tp.reports(self.subject.backend)

    def _clear(self) -> None:
        reports = self._reports()
        if reports is not None:
            reports.clear()

    def _placement(self) -> Placement:
        reports = self._reports()
        if reports is None:
            return Placement(False)
        reasons = Counter(f"{r.op}: {r.reason}" for r in reports.rejections)
        return Placement(
            True,
            sum(g.claimed for g in reports.graphs),
            sum(g.fallback for g in reports.graphs),
            reports.overlapped_calls,
            ", ".join(text for text, _ in reasons.most_common(_SHOWN)),
            fell_back(reports.rejections),
        )


def _bound(fn: Callable[..., Any], given: Sequence[Any], call: Call) -> Callable[[], Any]:
    def run() -> Any:
        with call.context():
            return fn(*given)

    return run


def excused(
    case: GraphCase, differences: Sequence[Difference], placement: Placement, ops: Sequence[str] = ()
) -> CaseResult:
    """The result of a program that PyTorch's capture gets wrong in the same way, by a declaration about
    strides or about one of its ``ops``, or by none; unclaimed where PyTorch raised before the backend was
    reached.
    """
    first = differences[0]
    text = f"torch.compile does the same without a backend: {first.text}; {placement}"
    if placement.nothing and first.cause == "exception":
        return result_of(case, Status.UNCLAIMED, text, cause=REFUSED)
    declared = [d.text for d in map(capture_defect, ops) if d is not None]
    if {d.cause for d in differences} == {"strides"}:
        declared.append(STRIDES)
    cause = declared[0] if declared else f"{UNDECLARED}: {first.cause}"
    return result_of(case, Status.EAGER_DEFECT, text, cause=cause)


class GraphRunner:
    """Runs cases of the graph layer on a subject."""

    def __init__(self, subject: Subject, seed: int, build: Callable[[GraphCase], Program]) -> None:
        self._programs, self._seed, self._build = ProgramRunner(subject), seed, build

    def run(self, case: GraphCase) -> CaseResult:
        """The result of one case."""
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = self._run(case)
        except Exception as error:  # noqa: BLE001 - counted as the suite's own failure, never a pass
            text = f"the suite raised {type(error).__name__}: {error}"
            result = result_of(case, Status.SUITE, text, cause="suite")
        return replace(result, seconds=time.perf_counter() - started)

    def _run(self, case: GraphCase) -> CaseResult:
        program = self._build(case)
        comparison, placement, results = self._programs.compare(program, case.seed(self._seed))
        ratio = comparison.ratio if comparison.judged else None
        if program.law is not None:
            wrong = program.law(results)
            if wrong:
                return result_of(case, Status.FAILED, f"{wrong}; {placement}", cause="law")
        if comparison.differences:
            first = comparison.differences[0]
            shown = "; ".join(d.text for d in comparison.differences[:_SHOWN])
            more = len(comparison.differences) - _SHOWN
            text = f"{case.call()}: {shown}{f'; and {more} more' if more > 0 else ''}; {placement}"
            return result_of(case, Status.FAILED, text, cause=first.cause)
        if comparison.pytorchs:
            return excused(case, comparison.pytorchs, placement)
        if placement.nothing:
            return result_of(case, Status.UNCLAIMED, str(placement), cause="left to eager PyTorch")
        if placement.refused:
            return result_of(case, Status.UNCLAIMED, placement.refused, cause=FELL_BACK)
        if comparison.elements and not comparison.judged:
            return result_of(case, Status.SUITE, "no element could be judged", cause="suite")
        return replace(result_of(case, Status.PASSED, str(placement)), bound_ratio=ratio)
