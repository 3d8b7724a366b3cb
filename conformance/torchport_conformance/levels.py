"""Cases of the op layer at other levels than Dynamo's: any compiler of ``torch.compile`` by name, and eager
devices.

``inductor``: the operator of a case is called through ``torch.compile(backend=NAME, dynamic=True)``, which
makes its own memory for results. ``device``: the operator is called in eager mode on tensors of the device
NAME. There are no claims, so that every case counts.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
import torch._dynamo

from torchport.compile.eager_backend import has_kernel
from torchport.contract.graph import dtype_name
from torchport.contract.missing_kernels import missing_kernel
from torchport.contract.reference import flatten
from torchport_conformance import eager, numerics, oracle
from torchport_conformance.buffers import Guarded, place_input
from torchport_conformance.cases.boundaries import BoundaryCase
from torchport_conformance.cases.case import AnyCase, Case, TensorPlan, strides_of
from torchport_conformance.cases.collectives import CollectiveCase
from torchport_conformance.cases.errors import ErrorCase
from torchport_conformance.cases.host import HostCase
from torchport_conformance.error_execution import CompiledErrorRunner
from torchport_conformance.execution import describe
from torchport_conformance.host_execution import HostRunner
from torchport_conformance.layers.programs import Bound, graph_of
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.specs import dtypes_of_results, spec_of
from torchport_conformance.subject import Subject

_GROUPS_KEPT = 64
"""Compiled groups after which Dynamo forgets them all."""


LevelCase = Case | ErrorCase | HostCase
"""What the op layer runs at these levels."""


def needs_backend(case: AnyCase) -> bool:
    """Whether a case is about what only a torchport backend has: regions, process groups, declarations."""
    of_region = isinstance(case, ErrorCase) and case.road == "region"
    return of_region or isinstance(case, BoundaryCase | CollectiveCase)


class Runner:
    """Runs cases of the op layer; operands lie in poisoned memory."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self.subject, self.seed = subject, seed
        self._errors, self._host = CompiledErrorRunner(subject, seed), HostRunner(subject, seed)
        self._compiled: dict[Any, Callable[..., Any]] = {}

    def run(self, case: LevelCase) -> CaseResult:
        """The result of one case; what the subject raises becomes a failure of the case."""
        if isinstance(case, ErrorCase | HostCase):
            self._compiled.clear()  # they reset Dynamo
            return self._errors.run(case) if isinstance(case, ErrorCase) else self._host.run(case)
        started = time.perf_counter()
        try:
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                result = self._run(case)
        except Exception as error:  # noqa: BLE001 - counted as the suite's own failure, never a pass
            result = result_of(case, Status.SUITE, f"the suite raised {describe(error)}", cause="suite")
        return replace(result, seconds=time.perf_counter() - started)

    def _run(self, case: Case) -> CaseResult:
        if not has_kernel(case.op, self.subject.device):
            text = f"PyTorch has no kernel on the device {self.subject.device}"
            return result_of(case, Status.UNCLAIMED, text, cause="PyTorch has no kernel")
        missing = missing_kernel(case.op, eager.operands_of(case))
        if missing is not None:
            return result_of(case, Status.UNCLAIMED, str(missing), cause="PyTorch has no kernel")
        values = oracle.operands(case, self.seed)
        try:
            reference = oracle.reference(case, values)
        except oracle.ERRORS as error:
            text = f"the reference raised {describe(error)}"
            return result_of(case, Status.SUITE, text, cause="no reference")
        placed = {
            name: place_input(values[name].to(self.subject.device), *strides_of(plan))
            for name, plan in case.tensors()
        }
        try:
            results = self._call(case, placed)
        except Exception as error:  # noqa: BLE001 - what the subject raises is its result
            failed = result_of(case, Status.FAILED, f"it raised {describe(error)}", cause="exception")
            return self._excused(case, failed, None)
        return self._judged(case, reference, placed, results)

    def _call(self, case: Case, placed: dict[str, Guarded]) -> tuple[torch.Tensor | None, ...]:
        names = list(placed)

        def call(*tensors: torch.Tensor) -> Any:
            arguments = oracle.arguments_of(case, dict(zip(names, tensors, strict=True)))
            return spec_of(case.op).overload(**arguments)

        tensors = [guarded.tensor for guarded in placed.values()]
        result = call(*tensors) if self.subject.level == "device" else self._of_group(case)(*tensors)
        if self.subject.device != "cpu":
            torch.accelerator.synchronize()
        spec = spec_of(case.op)
        given = dict(zip(names, tensors, strict=True))
        return oracle.written(spec, oracle.arguments_of(case, given), flatten(result))

    def _of_group(self, case: Case) -> Callable[..., Any]:
        """The case's operator, compiled with open sizes; the same for cases that differ in sizes alone."""
        others = repr([(n, a) for n, a in case.arguments if not isinstance(a, TensorPlan | tuple)])
        key = (case.group, others)
        if key not in self._compiled:
            if len(self._compiled) >= _GROUPS_KEPT:
                self._compiled.clear()
                torch._dynamo.reset()
            self._compiled[key] = self.subject.compile(_module(case), dynamic=True)
        return self._compiled[key]

    def _judged(
        self,
        case: Case,
        reference: oracle.Reference,
        placed: dict[str, Guarded],
        results: Sequence[torch.Tensor | None],
    ) -> CaseResult:
        for name, guarded in placed.items():
            if not guarded.is_untouched():
                text = f"operand {name!r} or the memory around it was modified"
                return result_of(case, Status.FAILED, text, cause="input modified")
        dtypes = dtypes_of_results(spec_of(case.op), reference.arguments, len(reference.results))
        got: list[torch.Tensor] = []
        for i, (result, wanted) in enumerate(zip(results, reference.results, strict=True)):
            if wanted is None or result is None:
                continue
            if (result.dtype, result.shape) != (dtypes[i], wanted.shape):
                text = f"result {i} is {dtype_name(result.dtype)}{list(result.shape)}"
                text += f", expected {dtype_name(dtypes[i])}{list(wanted.shape)}"
                failed = result_of(case, Status.FAILED, text, cause="wrong dtype or shape")
                return self._excused(case, failed, None)
            got.append(result.cpu())
        verdict = numerics.judge(spec_of(case.op), reference, got)
        status = Status.PASSED if verdict.ok else Status.FAILED
        found = result_of(case, status, verdict.message, cause="" if verdict.ok else "outside the bound")
        found = replace(found, bound_ratio=verdict.ratio, ulp=verdict.ulp)
        return found if verdict.ok else self._excused(case, found, got)

    def _excused(self, case: Case, failed: CaseResult, got: list[torch.Tensor] | None) -> CaseResult:
        """The failure; an eager defect, where eager PyTorch on the CPU does the same by a declared one."""
        defect = eager.shown_defect(case, self.seed, got)
        if defect is None:
            return failed
        text = f"eager PyTorch: {defect.text}\n{failed.message}"
        return replace(failed, status=Status.EAGER_DEFECT, message=text, cause=defect.text, bound_ratio=None)


def _module(case: Case) -> Any:
    """A module that calls the case's operator, as a graph: Dynamo has nothing to trace but that call."""
    empty = {
        name: torch.empty_strided(plan.shape, strides_of(plan)[0], dtype=plan.dtype, device="meta")
        for name, plan in case.tensors()
    }
    module, _ = graph_of([Bound(case, empty, oracle.arguments_of(case, empty))])
    return module
