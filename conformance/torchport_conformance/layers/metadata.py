"""Shape, strides, offset, dtype, device and aliasing of results: eager, fake and compiled must agree."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from torchport.contract.graph import dtype_name
from torchport.contract.reference import flatten
from torchport.contract.spec import OpSpec
from torchport.contract.views import is_view
from torchport_conformance import oracle
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.ranks import wide_cases
from torchport_conformance.eager import shown_defect
from torchport_conformance.execution import describe
from torchport_conformance.fresh_dynamo import fresh_dynamo
from torchport_conformance.layers import Request
from torchport_conformance.layers.batches import EXCEPTION, Batches
from torchport_conformance.layers.calls import (
    Breadth,
    CallCase,
    Calls,
    Setting,
    alone_in_a_process,
    breadth,
    has_tensor_results,
    turn_of,
)
from torchport_conformance.layers.excuses import REFUSED, UNDECLARED
from torchport_conformance.layers.programs import (
    Bound,
    bind,
    graph_of,
    shares_a_graph,
    untraceable,
)
from torchport_conformance.obligation import FELL_BACK
from torchport_conformance.regions import sizes_follow_values
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.specs import spec_of

LAYER = "metadata"
QUICK_SHARE = 20
"""The quick profile takes one operator of so many."""
SETTINGS = (
    Setting("channels_last", 4),
    Setting("transposed", 2),
    Setting("unit_strides", 3, "unit"),
    Setting("reversed", 4),
    Setting("step2", 2),
    Setting("expanded", 2),
    Setting("contiguous", 3),
    Setting("offset7", 2),
    Setting("contiguous", 0),
    Setting("contiguous", 2, "empty"),
    Setting("transposed", 3, "unit"),
    Setting("rows2", 2),
)
"""What is tried, most telling first."""
_WIDE = ("channels_last", "transposed", "channel_slice")
"""Layouts of operands that have more dimensions than their patterns."""
_OTHER_DTYPES = (Setting("contiguous", 2), Setting("transposed", 2), Setting("channels_last", 4))


def cases(request: Request) -> Iterator[CallCase]:
    """For each operator: settings in turn with its usual dtype, then its other dtypes in a few settings."""
    for spec in request.specs:
        if has_tensor_results(spec) and alone_in_a_process(spec):
            for case in _calls(spec, breadth(request.profile)):
                yield CallCase(LAYER, case)
            if breadth(request.profile) is Breadth.ALL:
                for case in wide_cases(spec, request.profile, _WIDE):
                    yield CallCase(LAYER, case)


def _calls(spec: OpSpec, wide: Breadth) -> Iterator[Case]:
    calls, turn = Calls(spec), turn_of(spec)
    if wide is Breadth.FEW and turn % QUICK_SHARE:
        return
    found = calls.in_settings(calls.main, SETTINGS)
    if wide is Breadth.FEW:
        possible = list(found)
        if possible:
            yield possible[turn // QUICK_SHARE % min(len(possible), 6)]
        return
    dtypes = calls.dtypes_in_turn(turn) if wide is Breadth.ALL else calls.dtypes[:3]
    yield from found
    yield from calls.in_settings(dtypes[1], _OTHER_DTYPES) if len(dtypes) > 1 else ()
    for i, dtype in enumerate(dtypes[2:]):
        # What a dtype changes of a result it changes in every layout.
        possible = list(calls.in_settings(dtype, _OTHER_DTYPES))
        yield from possible[(turn + i) % len(possible) :][:1] if possible else ()


@dataclass(frozen=True, slots=True)
class Metadata:
    """What one result is, but for its values. ``shares`` names the operand or result whose memory it uses."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    storage_offset: int
    dtype: str
    device: str
    requires_grad: bool
    shares: str

    def differences(self, other: Metadata) -> list[str]:
        """Names of the fields that differ from those of PyTorch's result. Where that begins further on in
        memory of its own, as a copy does that keeps strides, this one may begin at the front.
        """
        names = [f.name for f in fields(self) if getattr(self, f.name) != getattr(other, f.name)]
        front = not self.storage_offset and not self.shares and not other.shares
        return [n for n in names if not (front and n == "storage_offset")]


def metadata_of(results: Sequence[Any], operands: Mapping[str, torch.Tensor]) -> list[Metadata | None]:
    """The metadata of results; None for what is no tensor."""
    owners = {t.untyped_storage()._cdata: f"operand {name!r}" for name, t in operands.items()}
    found: list[Metadata | None] = []
    for i, result in enumerate(results):
        if not isinstance(result, torch.Tensor):
            found.append(None)
            continue
        owner = owners.setdefault(result.untyped_storage()._cdata, f"result {i}")
        found.append(
            Metadata(
                tuple(map(int, result.shape)),
                tuple(map(int, result.stride())),
                int(result.storage_offset()),
                dtype_name(result.dtype),
                result.device.type,
                result.requires_grad,
                "" if owner == f"result {i}" else owner,
            )
        )
    return found


def fake_metadata(call: Bound) -> list[Metadata | None] | None:
    """What PyTorch's shape functions say of a call; None where they cannot."""
    mode = _fake_mode()
    fakes = {id(t): mode.from_tensor(t) for t in call.tensors.values()}

    def faked(argument: Any) -> Any:
        if isinstance(argument, torch.Tensor):
            return fakes[id(argument)]
        return [faked(a) for a in argument] if isinstance(argument, list | tuple) else argument

    arguments = {name: faked(value) for name, value in call.arguments.items()}
    operands = {name: fakes[id(t)] for name, t in call.tensors.items()}
    try:
        with mode, torch.no_grad():
            return metadata_of(flatten(spec_of(call.case.op).overload(**arguments)), operands)
    except oracle.ERRORS:
        return None


@cache
def _fake_mode() -> FakeTensorMode:
    """One for all calls: a mode notes where it was made, which takes longer than a call."""
    return FakeTensorMode()


@dataclass(frozen=True, eq=False)
class _Call:
    """A call and what it should give.

    ``eager`` is None where PyTorch refuses it (``refusal``), ``fake`` where its shape functions cannot say.
    """

    case: CallCase
    bound: Bound
    eager: Sequence[Metadata | None] | None
    fake: Sequence[Metadata | None] | None
    refusal: str = ""


class Runner(Batches[CallCase, _Call]):
    """Compiles calls in graphs of many and compares the metadata of what comes out."""

    def ready(self, case: CallCase) -> _Call | CaseResult:
        """The call with what eager and fake make of it."""
        why = self.refusals.of(case.base)
        if why:
            return result_of(case, Status.UNCLAIMED, why, cause=why.partition(":")[0])
        why = untraceable(case.base)
        if why:
            return result_of(case, Status.UNCLAIMED, why, cause=REFUSED)
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            bound = bind(case.base, oracle.operands(case.base, self.seed), self.subject.device)
            fake = None if sizes_follow_values(case.base) else fake_metadata(bound)
            try:
                return _Call(case, bound, metadata_of(bound.eager(), bound.tensors), fake)
            except oracle.ERRORS as error:
                refusal = f"eager PyTorch raised {describe(error)}"
                if fake is None and not sizes_follow_values(case.base):
                    text = f"{refusal}; its shape function refuses the call, too"
                    return result_of(case, Status.UNCLAIMED, text, cause=REFUSED)
                return _Call(case, bound, None, fake, refusal)

    def kin(self, prepared: _Call) -> str | None:
        """None where eager refuses the call, or it cannot share a graph."""
        return "" if prepared.eager is not None and shares_a_graph(prepared.case.base) else None

    def judge(self, prepared: Sequence[_Call]) -> dict[str, CaseResult]:
        """Compares every result; what did not run on the backend is no pass."""
        module, inputs = graph_of([call.bound for call in prepared])
        by_values = any(sizes_follow_values(call.case.base) for call in prepared)
        with (
            warnings.catch_warnings(),
            torch.no_grad(),
            fresh_dynamo(capture_dynamic_output_shape_ops=by_values),
        ):
            warnings.simplefilter("ignore")
            outputs = self.watched.compile(module, dynamic=False, fullgraph=len(prepared) > 1)(*inputs)
        ran = self.watched.ran()
        if self.subject.backend is not None and len(prepared) > 1 and (ran.fallback or ran.refused):
            return {}  # which of them ran on the backend shows when each is compiled alone
        found = {}
        for call, output in zip(prepared, outputs, strict=True):
            got = metadata_of(flatten(output), call.bound.tensors)
            result = compare(call.case, got, call.eager or call.fake or (), call.fake)
            nowhere = is_view(call.case.op) or (len(prepared) == 1 and not ran.claimed)
            if result.status is Status.PASSED and nowhere and self.subject.backend is not None:
                why = "a view, which nothing has to run" if is_view(call.case.op) else str(ran)
                result = result_of(call.case, Status.UNCLAIMED, why, cause="fallback")
            elif result.status is Status.PASSED and ran.refused:
                result = result_of(call.case, Status.UNCLAIMED, ran.refused, cause=FELL_BACK)
            found[call.case.id] = result
        return found

    def excuse(self, prepared: _Call, failed: CaseResult) -> CaseResult:
        """The failure; a defect of eager where eager refuses the call as well."""
        if prepared.eager is None and failed.cause == EXCEPTION and self.watched.ran().claimed:
            defect = shown_defect(prepared.case.base, self.seed, None)
            text = f"{prepared.refusal}\n{failed.message}"
            cause = f"{UNDECLARED}: {EXCEPTION}" if defect is None else defect.text
            return replace(failed, status=Status.EAGER_DEFECT, message=text, cause=cause)
        return super().excuse(prepared, failed)


def compare(
    case: CallCase,
    compiled: Sequence[Metadata | None],
    eager: Sequence[Metadata | None],
    fake: Sequence[Metadata | None] | None,
) -> CaseResult:
    """Compares what a compiled call returned with eager PyTorch, and with what its shape functions promise.

    Where these two disagree with each other, either is right.
    """
    if len(compiled) != len(eager):
        text = f"{len(compiled)} results, eager PyTorch has {len(eager)}"
        return result_of(case, Status.FAILED, text, cause="number of results")
    promised = fake if fake is not None and len(fake) == len(eager) else eager
    remarks = []
    for i, (got, expected, said) in enumerate(zip(compiled, eager, promised, strict=True)):
        if expected is None or got is None:
            if (expected is None) != (got is None):
                return result_of(case, Status.FAILED, f"result {i} is missing", cause="result missing")
            continue
        wrong = got.differences(expected)
        excused = said is not None and said != expected and not set(wrong) & set(got.differences(said))
        if wrong and not excused:
            parts = [f"{n} {getattr(got, n)}, eager {getattr(expected, n)}" for n in wrong]
            text = f"result {i}: {'; '.join(parts)}"
            if said is not None and said != expected:
                text += f" (PyTorch's shape function: {', '.join(f'{n} {getattr(said, n)}' for n in wrong)})"
            return result_of(case, Status.FAILED, text, cause=f"wrong {_prose(wrong[0])}")
        if wrong:
            remarks.append(f"result {i}: PyTorch's eager and fake disagree about {', '.join(wrong)}")
    return result_of(case, Status.PASSED, "; ".join(remarks))


def _prose(name: str) -> str:
    return {"stride": "strides", "shares": "aliasing"}.get(name, name.replace("_", " "))
