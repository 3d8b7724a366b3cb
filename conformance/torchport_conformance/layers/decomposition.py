"""Operators as their parts: what a backend computes when it is not asked for the operator itself.

A model that has an operator which the backend does not claim is computed from its parts. So the operator is
hidden from the backend, the contract's decomposition takes its place, and the parts that the backend claims
run on it. The error may be twice that of eager PyTorch plus the operator's own bound.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchport.compile.artifact import Artifact, Compiled, Executable, WeightSource
from torchport.compile.backend import Backend, Proposal, may_claim
from torchport.compile.capabilities import Capabilities, Target
from torchport.compile.options import Options
from torchport.compile.reason import Claim, Reason, no
from torchport.compile.region import Region
from torchport.contract import numerics as contract_numerics, reference as contract_reference
from torchport.contract.graph import Graph, Node
from torchport.contract.missing_kernels import missing_kernel
from torchport.contract.opset import opset
from torchport.contract.reference import flatten
from torchport.contract.spec import OpSpec, Tier
from torchport_conformance import numerics, oracle
from torchport_conformance.cases.case import Case
from torchport_conformance.eager import operands_of, refuses
from torchport_conformance.fresh_dynamo import fresh_dynamo
from torchport_conformance.layers import Request
from torchport_conformance.layers.batches import Batches
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
from torchport_conformance.layers.excuses import REFUSED
from torchport_conformance.layers.programs import (
    Bound,
    Watched,
    bind,
    graph_of,
    shares_a_graph,
    untraceable,
)
from torchport_conformance.obligation import FELL_BACK
from torchport_conformance.regions import sizes_follow_values
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.specs import VERSION, spec_of

LAYER = "decomposition"
PRIMS = "prims"
"""The variant in which the backend is asked for primitives alone."""
EAGER_FACTOR = 2.0
QUICK_SHARE = 32
"""The quick profile takes one operator of so many."""
SETTINGS = (
    Setting("contiguous", 2),
    Setting("transposed", 3),
    Setting("contiguous", 3, "odd"),
    Setting("contiguous", 2, "unit"),
    Setting("contiguous", 2, "empty"),
    Setting("contiguous", 0),
)


def cases(request: Request) -> Iterator[CallCase]:
    """For each operator that has parts: a few sizes and layouts, other arguments, other dtypes."""
    wide = breadth(request.profile)
    for spec in request.specs:
        parts = spec.decomposition is not None and spec.tier is not Tier.PRIM
        if not parts or not has_tensor_results(spec) or not alone_in_a_process(spec):
            continue
        if wide is Breadth.FEW and turn_of(spec) % QUICK_SHARE:
            continue
        seen: set[str] = set()
        for variant, case in _calls(spec, wide):
            found = CallCase(LAYER, case, variant)
            if found.id not in seen:
                seen.add(found.id)
                yield found


def _calls(spec: OpSpec, wide: Breadth) -> Iterator[tuple[str, Case]]:
    calls = Calls(spec)
    usual = list(calls.in_settings(calls.main, SETTINGS))
    if wide is Breadth.FEW:
        yield from (("", case) for case in usual[:1])
        return
    yield from (("", case) for case in usual)
    yield from ((PRIMS, case) for case in usual[:1])
    for name in calls.sig.choosable:
        for i in range(1, len(calls.sig.operands[name].choices)):
            case = calls.case(calls.recipe(calls.main, 2, choices={name: i}))
            if case is not None:
                yield "", case
    for dtype in calls.dtypes_in_turn(turn_of(spec))[1:] if wide is Breadth.ALL else calls.dtypes[1:3]:
        yield from (("", case) for case in calls.in_settings(dtype, SETTINGS[:1]))


class PartsOf(Backend):
    """A backend from which some operators are hidden, or everything but primitives.

    Nothing else differs: what it claims is compiled and loaded by the backend itself.
    """

    name = "parts"

    def __init__(self, backend: Backend, hidden: frozenset[str], *, prims: bool = False) -> None:
        self.whole, self.hidden, self.prims = backend, hidden, prims

    def targets(self) -> Sequence[Target]:
        """The backend's."""
        return self.whole.targets()

    def capabilities(self, target: Target) -> Capabilities:
        """The backend's."""
        return self.whole.capabilities(target)

    def may_claim(self, op: str) -> bool:
        """Not what is hidden."""
        return op not in self.hidden and not self.prims and may_claim(self.whole, op)

    def claims(self, node: Node, target: Target) -> Claim:
        """The backend's claim; no for what is hidden."""
        if node.op in self.hidden or (self.prims and not opset(VERSION).is_primitive(node)):
            return no(Reason.OP, "conformance asks for its parts")
        return self.whole.claims(node, target)

    def propose(self, graph: Graph, target: Target) -> Sequence[Proposal]:
        """The backend's proposals that need nothing hidden."""
        named = {node.name: node for node in graph.nodes}
        return [
            p
            for p in self.whole.propose(graph, target)
            if all(self.claims(named[n], target).accepted for n in p.nodes)
        ]

    def compile(self, region: Region, target: Target, options: Options) -> Compiled:
        """By the backend."""
        return self.whole.compile(region, target, options)

    def load(self, artifact: Artifact, target: Target, weights: WeightSource) -> Executable:
        """By the backend."""
        return self.whole.load(artifact, target, weights)

    def source_hash(self) -> str:
        """The backend's."""
        return f"{self.whole.name}:{self.whole.version}:{self.whole.source_hash()}"

    def instance_key(self) -> str | None:
        """The backend's, and what is hidden."""
        key = self.whole.instance_key()
        return None if key is None else f"{key}|{sorted(self.hidden)}|{self.prims}"


@dataclass(frozen=True, eq=False)
class _Prepared:
    case: CallCase
    call: Bound
    reference: oracle.Reference
    eager: Sequence[torch.Tensor | None] | None


class Runner(Batches[CallCase, _Prepared]):
    """Compiles calls with their operators hidden from the backend."""

    def ready(self, case: CallCase) -> _Prepared | CaseResult:
        """The call with its float64 reference and eager's results."""
        if self.subject.backend is None:
            text = f"a subject of the level {self.subject.level} has no claims to hide an operator from"
            return result_of(case, Status.UNCLAIMED, text, cause="no claims")
        why = untraceable(case.base)
        if why:
            return result_of(case, Status.UNCLAIMED, why, cause=REFUSED)
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            values = oracle.operands(case.base, self.seed)
            call = bind(case.base, values, self.subject.device)
            try:
                wanted = oracle.reference(case.base, values)
            except oracle.ERRORS:
                if missing_kernel(case.op, operands_of(case.base)) is None and refuses(case.base, values):
                    return result_of(case, Status.UNCLAIMED, "PyTorch refuses the operands", cause=REFUSED)
                raise
            try:
                eager = oracle.written(spec_of(case.op), call.arguments, call.eager())
            except oracle.ERRORS:
                eager = None
        return _Prepared(case, call, wanted, eager)

    def kin(self, prepared: _Prepared) -> str | None:
        """Those for which only primitives are asked for; none where a call cannot share a graph."""
        return prepared.case.variant if shares_a_graph(prepared.case.base) else None

    def judge(self, prepared: Sequence[_Prepared]) -> dict[str, CaseResult]:
        """Judges results of parts; an operator of which no part ran on the backend is no pass."""
        hidden = frozenset(p.case.op for p in prepared)
        if self.subject.backend is not None:
            prims = prepared[0].case.variant == PRIMS
            backend = PartsOf(self.subject.backend, hidden, prims=prims)
            self.watched = Watched(replace(self.subject, backend=backend, compiler=backend))
        module, inputs = graph_of([p.call for p in prepared])
        by_values = any(sizes_follow_values(p.case.base) for p in prepared)
        with (
            warnings.catch_warnings(),
            torch.no_grad(),
            fresh_dynamo(capture_dynamic_output_shape_ops=by_values),
        ):
            warnings.simplefilter("ignore")
            outputs = self.watched.compile(module, dynamic=False, fullgraph=len(prepared) > 1)(*inputs)
        ran = self.watched.ran()
        if len(prepared) > 1 and (ran.fallback.keys() - hidden or ran.refused or not ran.claimed):
            return {}  # which parts ran on the backend shows when each operator is compiled alone
        found = {}
        for p, output in zip(prepared, outputs, strict=True):
            whole = p.case.op in ran.fallback
            if self.subject.backend is not None and (whole or not ran.claimed):
                why = "it is left whole, and not to the backend" if whole else f"no part ran: {ran}"
                found[p.case.id] = result_of(p.case, Status.UNCLAIMED, why, cause="no part runs")
            elif ran.refused:
                found[p.case.id] = result_of(p.case, Status.UNCLAIMED, ran.refused, cause=FELL_BACK)
            else:
                found[p.case.id] = _judged(p, flatten(output), ran if len(prepared) == 1 else None)
        return found


def _judged(prepared: _Prepared, results: Sequence[Any], ran: Any) -> CaseResult:
    case, spec = prepared.case, spec_of(prepared.case.op)
    outputs = oracle.written(spec, prepared.call.arguments, results)
    wanted = prepared.reference.results
    got = [o.cpu() for o, w in zip(outputs, wanted, strict=True) if w is not None and o is not None]
    shapes = [tuple(w.shape) for w in wanted if w is not None]
    if [tuple(g.shape) for g in got] != shapes:
        text = f"its parts give shapes {[list(g.shape) for g in got]}, the operator {shapes}"
        return result_of(case, Status.FAILED, text, cause="parts: wrong shape")
    verdict = numerics.judge(spec, prepared.reference, got)
    passed = result_of(case, Status.PASSED, "" if ran is None or not ran.fallback else str(ran))
    if verdict.ok:
        return replace(passed, bound_ratio=verdict.ratio, ulp=verdict.ulp)
    if prepared.eager is not None and within_eager_and_bound(
        spec, prepared.reference, outputs, prepared.eager
    ):
        return replace(passed, bound_ratio=1.0)
    failed = result_of(case, Status.FAILED, f"its parts: {verdict.message}", cause="parts: outside the bound")
    return replace(failed, bound_ratio=verdict.ratio, ulp=verdict.ulp)


def within_eager_and_bound(
    spec: OpSpec,
    reference: oracle.Reference,
    outputs: Sequence[torch.Tensor | None],
    eager: Sequence[torch.Tensor | None],
) -> bool:
    """Whether floating results are off by no more than twice eager's error plus the operator's bound, and the
    others equal eager's.
    """
    if spec.numerics.kind == "law":
        return False
    scales = contract_reference.magnitude(spec, reference.arguments, reference.results)
    terms = contract_reference.length(spec, reference.arguments)
    for mine, theirs, exact, scale in zip(outputs, eager, reference.results, scales, strict=True):
        if mine is None or theirs is None or exact is None:
            continue
        if mine.dtype != theirs.dtype or mine.is_complex():
            return False
        if not mine.is_floating_point():
            if not torch.equal(mine, theirs):
                return False
            continue
        limit = contract_numerics.bound(
            spec.numerics, mine.dtype, reference=exact, magnitude=scale, length=terms
        )
        ours, own = mine.cpu().double(), theirs.cpu().double()
        alike = (ours == own) | (ours.isnan() & own.isnan())
        error, allowed = (ours - exact).abs(), EAGER_FACTOR * (own - exact).abs() + limit
        if not bool((alike | (error <= allowed)).all()):
            return False
    return True
