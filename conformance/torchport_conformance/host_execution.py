"""Operators without a tensor result, through ``torch.compile``."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from torchport_conformance import oracle
from torchport_conformance.cases.host import HostCase
from torchport_conformance.execution import describe
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.specs import spec_of
from torchport_conformance.subject import Subject


class HostRunner:
    """Runs the calls on a subject of any level."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self.subject, self.seed = subject, seed

    def run(self, case: HostCase) -> CaseResult:
        """Whether the host scalar is PyTorch's, and whether an assertion raises when it has to."""
        started = time.perf_counter()
        logging.disable(logging.CRITICAL)  # Dynamo logs the assertions that are to fail
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = self._run(case)
        finally:
            logging.disable(logging.NOTSET)
        return replace(result, seconds=time.perf_counter() - started)

    def _run(self, case: HostCase) -> CaseResult:
        op = spec_of(case.op).overload

        def program(beside: torch.Tensor, arguments: dict[str, Any]) -> Any:
            found = op(**arguments)
            return found, beside * 2 + 1

        values = operands(case, self.seed)
        wanted = None if case.raises else op(**oracle.arguments_of(case.case, values))
        placed = {n: t.to(self.subject.device) for n, t in values.items()}
        beside = torch.arange(4.0, device=self.subject.device)
        torch.compiler.reset()
        compiled = self.subject.compile(program)
        try:
            with torch.no_grad():
                found, computed = compiled(beside, oracle.arguments_of(case.case, placed))
        except Exception as error:  # noqa: BLE001 - a vendor's code may raise anything
            if case.raises:
                return result_of(case, Status.PASSED, "")
            return result_of(case, Status.FAILED, f"the call raised {describe(error)}", cause="exception")
        if case.raises and not self._kept_by_pytorch(case, program, values):
            text = "PyTorch's own tracing drops the call"
            return result_of(case, Status.UNCLAIMED, text, cause="dropped by PyTorch")
        if case.raises:
            return result_of(
                case,
                Status.FAILED,
                "the condition does not hold, and nothing was raised",
                cause="no error raised",
            )
        if computed.tolist() != [1.0, 3.0, 5.0, 7.0]:
            return result_of(
                case,
                Status.FAILED,
                f"what is computed beside it is {computed.tolist()}",
                cause="outside the bound",
            )
        same = found == wanted or (found != found and wanted != wanted)
        if type(found) is not type(wanted) or not same:
            text = f"the result is {found!r}, PyTorch's is {wanted!r}"
            return result_of(case, Status.FAILED, text, cause="wrong host scalar")
        return result_of(case, Status.PASSED, "")

    def _kept_by_pytorch(self, case: HostCase, program: Any, values: dict[str, torch.Tensor]) -> bool:
        """Whether the call raises where PyTorch traces it for itself."""
        torch.compiler.reset()
        try:
            with torch.no_grad():
                traced: Callable[..., Any] = torch.compile(program, backend="aot_eager")
                traced(torch.arange(4.0), oracle.arguments_of(case.case, values))
        except Exception:  # noqa: BLE001 - any exception is one
            return True
        return False


def operands(case: HostCase, seed: int) -> dict[str, torch.Tensor]:
    """The drawn operands, changed as the variant says: the second one made like the first, or the condition
    made false.
    """
    values = oracle.operands(case.case, seed)
    names = list(values)
    if case.variant in ("same", "last element differs"):
        values[names[1]] = values[names[0]].clone()
        flat = values[names[1]].view(-1)
        if case.variant == "last element differs" and flat.numel():
            flat[-1] = flat[-1].logical_not() if flat.dtype is torch.bool else flat[-1] + 1
    elif case.raises and names:
        values[names[0]].fill_(1 if names[0] == "info" else 0)
    return values
