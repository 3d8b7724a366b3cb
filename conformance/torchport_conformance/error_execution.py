"""Error cases on a backend: a call that the contract excludes has to be refused or to raise.

Two roads lead to a backend. Through ``torch.compile`` a wrong call meets PyTorch's shape functions and the
verifier first, and a compiled object that a valid call went through is the risk: its guards have to tell the
two apart (:class:`CompiledErrorRunner`). As a region, which may also come from a file or a vendor's own tool,
a wrong call meets the backend alone (:class:`ErrorRunner`): where the contract's rules give results to write
into, the backend is asked, and values that are wrong reach its kernels on either road.
"""

from __future__ import annotations

import logging
import math
import re
import time
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchport.compile.artifact import Refusal
from torchport.compile.backend import Backend
from torchport.compile.loading import LoadedRegion, load_region
from torchport.compile.options import parse_options
from torchport.compile.reason import Claim
from torchport.contract.graph import Node, ScalarSpec
from torchport.contract.reference import flatten
from torchport.contract.symbols import evaluate
from torchport.errors import ContractError, TorchportError
from torchport_conformance import oracle
from torchport_conformance.buffers import Guarded, place_input, place_output
from torchport_conformance.cases.case import Case, strides_of
from torchport_conformance.cases.errors import Corruption, ErrorCase
from torchport_conformance.execution import describe
from torchport_conformance.regions import BuiltRegion, build_region, region_by_rules
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.specs import spec_of
from torchport_conformance.subject import Subject

_TELLING = (RuntimeError, ValueError, TypeError, IndexError, ArithmeticError, TorchportError)
"""Exceptions that tell of wrong arguments; a KeyError or an AssertionError tells of a mishap."""
_MOST = 1 << 20
"""More elements than this no result of a wrong call is given room for."""
_NAMES_A_TYPE = re.compile(r"type|bool|int|long|byte|char|short|float|double|half|complex|scalar", re.I)


class _Raised(Exception):
    """Carries what the backend raised."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        super().__init__(describe(error))


@dataclass(frozen=True, eq=False)
class _Runnable:
    """A wrong call, or the valid one of a wrong value, that the backend compiled."""

    built: BuiltRegion
    loaded: LoadedRegion


class ErrorRunner:
    """Runs error cases as regions on the first target of a backend."""

    def __init__(self, backend: Backend, seed: int) -> None:
        self.backend, self.seed = backend, seed
        self.target = backend.targets()[0]
        self.options = parse_options(backend.options, None, mode=None, backend=backend.name)
        self._valid: dict[Hashable, tuple[BuiltRegion, Claim]] = {}
        self._latest: tuple[Hashable, _Runnable | CaseResult] | None = None

    def run(self, case: ErrorCase) -> CaseResult:
        """Passed where the backend refuses or raises; failed where it gives a result or writes astray."""
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = self._run(case)
        except Exception as error:  # noqa: BLE001 - counted as the suite's own failure, never a pass
            result = result_of(case, Status.SUITE, f"the suite raised {describe(error)}", cause="suite")
        return replace(result, seconds=time.perf_counter() - started)

    def _run(self, case: ErrorCase) -> CaseResult:
        built, claim = self._claim_of_valid(case.valid)
        if not claim.accepted:
            text = f"{claim.reason}: {claim.text}" if claim.text else str(claim.reason)
            return result_of(case, Status.UNCLAIMED, text, cause=str(claim.reason))
        if case.corruption is None:
            wrong = region_of_wrong(case, self.target.device)
            if wrong is None:
                return result_of(case, Status.SUITE, "no region can be written for it", cause="no region")
            found = self._compiled(case, wrong)
        elif self._latest is not None and self._latest[0] == case.group:
            found = self._latest[1]
        else:
            found = self._compiled(case, built)
            self._latest = (case.group, found)
        if isinstance(found, CaseResult):
            return replace(found, id=case.id, label=case.label, call=case.call())
        return self._called(case, found)

    def _claim_of_valid(self, valid: Case) -> tuple[BuiltRegion, Claim]:
        key = (valid.group, valid.id)
        if key not in self._valid:
            built = build_region(valid, self.seed, symbolic=False, device=self.target.device)
            self._valid[key] = (built, self.backend.claims(built.node, self.target))
        return self._valid[key]

    def _compiled(self, case: ErrorCase, built: BuiltRegion) -> _Runnable | CaseResult:
        """The compiled call, or the result of the case where it comes to no run."""
        try:
            if case.corruption is None and not self._accepts(built.node):
                return result_of(case, Status.PASSED, "")
            compiled = self._guarded(lambda: self.backend.compile(built.region, self.target, self.options))
            if isinstance(compiled, Refusal):
                return self._not_run(case, f"{compiled.reason}: {compiled.text}")
            return _Runnable(
                built, self._guarded(lambda: load_region(self.backend, built.region, compiled, self.target))
            )
        except _Raised as raised:
            return self._judged_raise(case, raised.error) or self._not_run(case, str(raised))

    def _accepts(self, node: Node) -> bool:
        claim: Claim = self._guarded(lambda: self.backend.claims(node, self.target))
        return claim.accepted

    def _guarded(self, step: Callable[[], Any]) -> Any:
        try:
            return step()
        except (Exception, SystemExit) as error:
            raise _Raised(error) from error

    def _not_run(self, case: ErrorCase, text: str) -> CaseResult:
        """A refusal to compile: right for a wrong call, wrong for a valid one whose values are at fault."""
        if case.corruption is None:
            return result_of(case, Status.PASSED, "")
        text = f"the valid call is claimed and not compiled: {text}"
        return result_of(case, Status.FAILED, text, cause="claimed but refused")

    def _called(self, case: ErrorCase, found: _Runnable) -> CaseResult:
        call = case.wrong if case.corruption is None else case.valid
        values = wrong_values(case, self.seed)
        inputs = {}
        for name, plan in call.tensors():
            inputs[name] = place_input(values[name].to(self.target.device), *strides_of(plan))
        outs = [self._destination(value.spec) for value in found.built.region.output_values]
        try:
            self._guarded(lambda: self._execute(found.loaded, inputs, outs))
        except _Raised as raised:
            problem = _damage(case, inputs, outs) or self._judged_raise(case, raised.error)
            return problem or result_of(case, Status.PASSED, "")
        return self._judged_result(case, inputs, outs)

    def _destination(self, spec: Any) -> Guarded:
        assert not isinstance(spec, ScalarSpec)
        shape = tuple(evaluate(d, {}) for d in spec.shape)
        strides = tuple(evaluate(d, {}) for d in spec.stride)
        return place_output(shape, strides, spec.dtype, self.target.device)

    def _execute(self, loaded: LoadedRegion, inputs: Mapping[str, Guarded], outs: list[Guarded]) -> None:
        args = [g.tensor for g in inputs.values()]
        if loaded.destination:
            loaded.fn(args, [g.tensor for g in outs], None, symbols=())
        else:
            # Results of a wrong call count as such, whatever their shape; they are kept where they fit.
            for result, out in zip(loaded.fn(args, ()), outs, strict=False):
                if (result.shape, result.dtype) == (out.tensor.shape, out.tensor.dtype):
                    out.tensor.copy_(result)
        if self.target.device != "cpu":
            torch.accelerator.synchronize()

    def _judged_raise(self, case: ErrorCase, error: BaseException) -> CaseResult | None:
        """A failure for an exception that does not tell what is wrong."""
        if isinstance(error, _TELLING) or type(error).__name__ == case.raises:
            about_dtypes = case.label.rpartition(".")[2].startswith("T")
            if not about_dtypes or _NAMES_A_TYPE.search(str(error)) or not self._told_by_eager(case):
                return None
            text = f"{_stated(case)} and names the dtype; the backend raised {describe(error)}"
        else:
            text = f"{_stated(case)}; the backend raised {describe(error)}, which does not tell what is wrong"
        return result_of(case, Status.FAILED, text, cause="opaque error")

    def _told_by_eager(self, case: ErrorCase) -> bool:
        """Whether PyTorch's own error names a dtype."""
        return _NAMES_A_TYPE.search(str(eager_error(case, self.seed) or "")) is not None

    def _judged_result(
        self, case: ErrorCase, inputs: Mapping[str, Guarded], outs: list[Guarded]
    ) -> CaseResult:
        astray = _damage(case, inputs, outs)
        if eager_error(case, self.seed) is None:
            text = f"PyTorch {torch.__version__} does not raise either"
            return result_of(case, Status.UNCLAIMED, text, cause="not raised by this PyTorch")
        if astray is not None:
            return astray
        how = _likeness(case, self.seed, [out.tensor.cpu() for out in outs])
        text = f"{_stated(case)}; the backend returned a result{how and ', ' + how}"
        return result_of(case, Status.FAILED, text, cause=how or "no error raised")


class CompiledErrorRunner:
    """Runs error cases through ``torch.compile``: a valid call and the wrong one on one compiled object."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self.subject, self.device, self.seed = subject, subject.device, seed
        self._latest: tuple[Hashable, Callable[..., Any] | CaseResult] | None = None

    def run(self, case: ErrorCase) -> CaseResult:
        """Passed where the wrong call raises after the valid one has run."""
        started = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = self._run(case)
        return replace(result, seconds=time.perf_counter() - started)

    def _run(self, case: ErrorCase) -> CaseResult:
        # Dynamo logs what a shape function raises, which is what this is for.
        logging.disable(logging.CRITICAL)
        try:
            key = (case.op, case.valid.id)
            if self._latest is None or self._latest[0] != key:
                self._latest = (key, self._compiled(case))
            found = self._latest[1]
            if isinstance(found, CaseResult):
                return replace(found, id=case.id, label=case.label, call=case.call())
            return self._called(case, found)
        finally:
            logging.disable(logging.NOTSET)

    def _compiled(self, case: ErrorCase) -> Callable[..., Any] | CaseResult:
        """The compiled operator, after the valid call; or why that does not run."""
        op = spec_of(case.op).overload

        def call(**arguments: Any) -> Any:
            return op(**arguments)

        torch.compiler.reset()
        compiled = self.subject.compile(call)
        valid = {n: t.to(self.device) for n, t in oracle.operands(case.valid, self.seed).items()}
        try:
            with torch.no_grad():
                compiled(**oracle.arguments_of(case.valid, valid))
        except Exception as error:  # noqa: BLE001 - the valid call has a case of its own
            text = f"torch.compile does not run the valid call: {describe(error)}"
            return result_of(case, Status.UNCLAIMED, text, cause="valid call")
        return compiled

    def _called(self, case: ErrorCase, compiled: Callable[..., Any]) -> CaseResult:
        values = {n: t.to(self.device) for n, t in wrong_values(case, self.seed).items()}
        before = {n: t.clone() for n, t in values.items()}
        try:
            with torch.no_grad():
                compiled(**oracle.arguments_of(case.wrong, values))
        except Exception:  # noqa: BLE001 - what has to happen
            same = all(torch.equal(_bits(t), _bits(before[n])) for n, t in values.items())
            if same:
                return result_of(case, Status.PASSED, "")
            text = f"{_stated(case)}; it was raised, and an input was modified"
            return result_of(case, Status.FAILED, text, cause="input modified")
        if eager_error(case, self.seed) is None:
            text = f"PyTorch {torch.__version__} does not raise either"
            return result_of(case, Status.UNCLAIMED, text, cause="not raised by this PyTorch")
        if _is_lost_by_tracing(case, self.seed):
            text = f"{_stated(case)}; torch.compile does not with PyTorch's own aot_eager either"
            return result_of(case, Status.UNCLAIMED, text, cause="not raised by torch.compile")
        text = f"{_stated(case)}; torch.compile returned a result"
        return result_of(case, Status.FAILED, text, cause="no error raised")


def _is_lost_by_tracing(case: ErrorCase, seed: int) -> bool:
    """Whether the wrong call raises nothing when PyTorch itself runs what ``torch.compile`` traced: its own
    decompositions take the operator apart before a backend sees it.
    """
    op = spec_of(case.op).overload

    def call(**arguments: Any) -> Any:
        return op(**arguments)

    torch.compiler.reset()
    traced = torch.compile(call, backend="aot_eager")
    try:
        with torch.no_grad():
            traced(**oracle.arguments_of(case.valid, oracle.operands(case.valid, seed)))
            traced(**oracle.arguments_of(case.wrong, wrong_values(case, seed)))
    except Exception:  # noqa: BLE001 - any exception is one
        return False
    finally:
        torch.compiler.reset()
    return True


def region_of_wrong(case: ErrorCase, device: str) -> BuiltRegion | None:
    """The region of a wrong call; None where the contract's rules give it no results to write into."""
    try:
        built = region_by_rules(case.wrong, spec_of(case.op), symbolic=False, device=device, row_major=True)
    except (ContractError, *oracle.ERRORS):
        return None
    if built is None:
        return None
    shapes = [[evaluate(d, {}) for d in v.tensor.shape] for v in built.region.output_values]
    if any(d < 0 for shape in shapes for d in shape) or any(math.prod(shape) > _MOST for shape in shapes):
        return None
    return built


def wrong_values(case: ErrorCase, seed: int) -> dict[str, torch.Tensor]:
    """The operands of the wrong call on the host."""
    if case.corruption is None:
        return oracle.operands(case.wrong, seed)
    values = oracle.operands(case.valid, seed)
    corrupt(values, case.corruption)
    return values


def corrupt(values: dict[str, torch.Tensor], corruption: Corruption) -> None:
    """Puts the wrong element in its place."""
    flat = values[corruption.operand].view(-1)
    flat[0 if corruption.position == "first" else -1] = corruption.value


def eager_error(case: ErrorCase, seed: int) -> Exception | None:
    """What this PyTorch raises for the wrong call."""
    try:
        with torch.no_grad():
            spec_of(case.op).overload(**oracle.arguments_of(case.wrong, wrong_values(case, seed)))
    except Exception as error:  # noqa: BLE001 - any exception is one
        return error
    return None


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(-1).view(torch.uint8)


def _stated(case: ErrorCase) -> str:
    return f"{case.label}: {case.prose}; PyTorch raises {case.raises}"


def _damage(case: ErrorCase, inputs: Mapping[str, Guarded], outs: list[Guarded]) -> CaseResult | None:
    for i, out in enumerate(outs):
        stray = out.stray_writes()
        if stray:
            text = f"{_stated(case)}; output {i} was written outside its destination, at {list(stray)}"
            return result_of(case, Status.FAILED, text, cause="write outside the destination")
    for name, guarded in inputs.items():
        if not guarded.is_untouched():
            text = f"{_stated(case)}; input {name!r} or the memory around it was modified"
            return result_of(case, Status.FAILED, text, cause="input modified")
    return None


def _likeness(case: ErrorCase, seed: int, got: list[torch.Tensor]) -> str:
    """What a result for an index out of range looks like; empty where nothing fits."""
    at = case.corruption
    bound = dict(case.valid.tensors())[at.operand].values.partition(":")[2] if at is not None else ""
    if at is None or not bound.isdigit():
        return ""
    limit = int(bound)
    imitations = {
        "as if the index were clamped": min(max(int(at.value), 0), limit - 1),
        "as if the index wrapped around": int(at.value) % max(limit, 1),
    }
    for text, index in imitations.items():
        if _same(_eager(case, seed, replace(at, value=index)), got):
            return text
    inside = _eager(case, seed, replace(at, value=0))
    zeros = len(inside) == len(got) and all(
        bool(((w == g) | (g == 0)).all()) for w, g in zip(inside, got, strict=True)
    )
    return "with zeros where the index points" if zeros else ""


def _eager(case: ErrorCase, seed: int, corruption: Corruption) -> list[torch.Tensor]:
    values = oracle.operands(case.valid, seed)
    corrupt(values, corruption)
    spec = spec_of(case.op)
    arguments = oracle.arguments_of(case.valid, values)
    try:
        with torch.no_grad():
            results = flatten(spec.overload(**arguments))
    except oracle.ERRORS:
        return []
    return [r for r in oracle.written(spec, arguments, results) if r is not None]


def _same(wanted: list[torch.Tensor], got: list[torch.Tensor]) -> bool:
    return len(wanted) == len(got) and all(
        w.shape == g.shape and torch.equal(w.nan_to_num(), g.to(w.dtype).nan_to_num())
        for w, g in zip(wanted, got, strict=True)
    )
