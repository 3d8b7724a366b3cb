"""The whole flow in one place: capture → lower → partition → compile → run.

Each stage takes and returns one immutable value. ``TORCHPORT_DUMP=capture,lower,partition,compile,run``
writes what each named stage returned as readable text to ``TORCHPORT_DUMP_DIR`` (default ``torchport_dump``).
"""

from __future__ import annotations

import functools
import itertools
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch

from torchport.capture.aot import CapturedGraph, Runner, boxed, capture, unwatched, with_graph
from torchport.capture.graph_cache import GraphCache
from torchport.capture.hazards import apart, memory_use
from torchport.capture.inputs import foreign_inputs
from torchport.capture.offering.offer import offering
from torchport.capture.raising.rewrite import raise_macros, trains
from torchport.capture.spelling import respell
from torchport.capture.writes import OutputUse
from torchport.compile.alignment import aligned
from torchport.compile.artifact import Artifact, InProcess, Refusal
from torchport.compile.backend import Backend
from torchport.compile.bound import Bound
from torchport.compile.capabilities import Capabilities
from torchport.compile.identity import session_identity
from torchport.compile.linking import program_of
from torchport.compile.loading import LoadedRegion, load_region
from torchport.compile.options import Options
from torchport.compile.package import BackendIdentity, CompiledRegion, GraphPackage, loaded_report
from torchport.compile.reason import Rejection
from torchport.compile.region import Region
from torchport.compile.reports import GraphReport, RegionReport, Reports
from torchport.compile.specialize import SPECIALIZED, Specializer, Vendor
from torchport.compile.vendor import compile_region
from torchport.compile.weights import ResidentWeights
from torchport.contract.graph import Graph, Value, contiguous_strides
from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import Tier
from torchport.contract.views import is_view
from torchport.errors import CompileError, FallbackError
from torchport.lowering.canonicalize import canonicalize
from torchport.lowering.claims import refusals
from torchport.lowering.descend import LoweredGraph, descend, reopen
from torchport.lowering.open_sizes import compile_open_or_static
from torchport.lowering.unoffered import unoffered
from torchport.partition.buffers import InputWrites, donate, offers, settle
from torchport.partition.regions import PartitionedGraph, Proposed, Segment, partition, region_graph
from torchport.partition.reinplace import Placement, Placements
from torchport.partition.views import split_border_views
from torchport.run.program import Program, RestrideStep, build

_counter = itertools.count()
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class TimedProgram:
    """A linked program, the nanoseconds spent in each of its steps so far, and what it was made of."""

    program: Program
    nanoseconds: list[int]
    captured: CapturedGraph
    compiled: CompiledGraph


@dataclass(frozen=True, eq=False)
class Session:
    """What one ``torch.compile(backend=...)`` compiles with: backends in order of preference, options, and
    its reports; ``weights`` that are frozen. For tools: ``timed`` receives every linked program, ``instead``
    takes the place of the stages after capture.
    """

    backends: tuple[Bound, ...]
    options: Options
    opset: OpSet
    reports: Reports
    timed: list[TimedProgram] | None = None
    instead: Callable[[CapturedGraph], Runner] | None = None
    weights: ResidentWeights | None = None


def compile_graph(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any], session: Session
) -> Callable[..., Any]:
    """The five stages. AOTAutograd calls the last four once per graph: inference, or forward and backward. A
    graph that an earlier process compiled with the same backends is loaded instead.

    Composites are raised to the macros that a backend claims before autograd takes them apart. A graph whose
    writes AOTAutograd would misunderstand is left to eager PyTorch as a whole.

    Raises:
        FallbackError: ``strict`` is set and the graph, or some of its nodes, would be left to eager PyTorch.
    """
    names = "+".join(b.backend.name for b in session.backends)
    foreign, use = foreign_inputs(example_inputs, names), memory_use(gm)
    if foreign or use.hazards:
        return leave_whole(gm, (*foreign, *(h.rejection(names) for h in use.hazards)), session)
    cache = graph_cache(gm, example_inputs, session)
    compiled = load_graph(cache, session)
    if compiled is None:
        raised_before = len(session.reports.macros)
        respell(gm)
        if session.options["raise_macros"]:
            session.reports.macros += raise_macros(gm, session.backends, session.opset)
        with cache.watching():
            compiled = trace(gm, example_inputs, session, cache)
        cache.store(session.reports.macros[raised_before:])
    return apart(gm, use.written, compiled, session.reports.count_overlapped)


def trace(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any], session: Session, cache: GraphCache
) -> Callable[..., Any]:
    """Stage 1, with the others inside; a second time where AOTAutograd cannot write what the cache wants."""
    after_capture = session.instead or partial(stages, session=session, keep=cache.add)
    reports = session.reports
    graphs, macros = len(reports.graphs), len(reports.macros)
    try:
        return capture(gm, example_inputs, after_capture, offer_composites(gm, session), cache.keeper)
    except Exception as error:
        if not cache.gives_up(error):
            raise
    del reports.graphs[graphs:], reports.macros[macros:]
    return capture(gm, example_inputs, after_capture, offer_composites(gm, session))


def stages(
    captured: CapturedGraph, session: Session, keep: Callable[[GraphPackage], None] | None = None
) -> Runner:
    """What follows capture: lower, partition, compile, run. ``keep`` is given the compiled graph as data.

    Raises:
        TorchportError: any stage failed.
    """
    clock = _Clock(captured.phase)
    clock.done("capture", captured)
    lowered = clock.done("lower", lower(captured, session))
    partitioned = clock.done("partition", divide(lowered, session))
    compiled = clock.done("compile", compile_regions(partitioned, lowered, captured, session))
    package = assemble(captured, compiled, session)
    if keep is not None:
        keep(package)
    program = link(package, session)
    runner = clock.done("run", start(program, captured, compiled, session))
    session.reports.graphs.append(replace(package.report, seconds=clock.seconds))
    return runner


def graph_cache(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], session: Session) -> GraphCache:
    """The cache as ``gm`` sees it; it says why where it is not used."""
    backends = [(b.backend, b.target, b.capabilities) for b in session.backends]
    identity = partial(session_identity, backends, session.options, session.opset)
    off = "" if session.options["cache"] else "the option cache is False"
    if session.timed is not None or session.instead is not None or os.environ.get("TORCHPORT_DUMP"):
        off = "a tool looks at the stages"
    elif session.weights is not None:
        off = "weights are frozen"
    return GraphCache(gm, example_inputs, identity, session.reports.cache, off=off)


def load_graph(cache: GraphCache, session: Session) -> Callable[..., Any] | None:
    """A graph from the cache, with its regions loaded, or ``None``."""
    begin = time.perf_counter()
    found = cache.load(lambda package: unwatched(boxed(build(link(package, session))), package.phase))
    if found is None:
        return None
    seconds = {"load": time.perf_counter() - begin}
    session.reports.graphs += [replace(loaded_report(p), seconds=seconds) for p in found.packages]
    session.reports.macros += found.macros
    return found.call


def offer_composites(gm: torch.fx.GraphModule, session: Session) -> AbstractContextManager[None]:
    """In which the composites of ``gm`` that a backend claims are kept whole while AOTAutograd traces it."""
    found, macros = session.reports.macros, session.options["raise_macros"]
    return offering(session.backends, session.opset, found, trains=trains(gm), macros=macros)


def leave_whole(
    gm: torch.fx.GraphModule, rejections: tuple[Rejection, ...], session: Session
) -> Callable[..., Any]:
    """``gm`` itself, run by eager PyTorch, for these reasons."""
    check_strict(rejections, session)
    calls = Counter(str(n.target) for n in gm.graph.nodes if n.op in ("call_function", "call_method"))
    session.reports.graphs.append(GraphReport("eager", 0, calls.total(), 0, (), rejections, calls, {}))
    return gm.forward


def lower(captured: CapturedGraph, session: Session, *, to_run: bool = True) -> LoweredGraph:
    """Stage 2: one spelling for synonyms, then claims and decompositions until everything is claimed or left
    to eager. A graph that is going to run leaves calls to PyTorch that only PyTorch gives their meaning.

    Raises:
        LoweringError: a ``claims`` method or a decomposition failed.
        VerifierError: the result violates the contract.
    """
    captured = with_graph(captured, canonicalize(captured.graph))
    graph, contract = captured.graph, session.opset
    violations = {**(unoffered(graph) if to_run else {}), **contract.violations(graph)}
    lowered = descend(graph, session.backends, contract, captured.fakes, captured.phase, violations)
    contract.verify(lowered.graph, Tier.MACRO, allow_unknown=True, outside=violations)
    return lowered


def divide(lowered: LoweredGraph, session: Session) -> PartitionedGraph:
    """Stage 3: convex regions of claimed nodes; views at their borders are left to PyTorch.

    Raises:
        PartitionError: a backend's proposal is not valid.
    """
    graph = split_border_views(lowered.graph, lowered.owners)
    present = {n.name for n in graph.nodes}
    owners = {name: owner for name, owner in lowered.owners.items() if name in present}
    proposals = [
        Proposed(index, proposal.nodes, proposal.label)
        for index, bound in enumerate(session.backends)
        for proposal in bound.backend.propose(graph, bound.target)
        if not any(index == said for name in proposal.nodes for said, _ in lowered.late.get(name, ()))
    ]
    for proposal in proposals:
        owners.update(dict.fromkeys(proposal.nodes, proposal.owner))
    limits = {i: b.capabilities.region_size_limit for i, b in enumerate(session.backends)}
    return partition(graph, owners, proposals=proposals, size_limits=limits)


@dataclass(frozen=True, eq=False)
class CompiledGraph:
    """Segments in order, each with its compiled region where a backend owns it."""

    lowered: LoweredGraph
    graph: Graph
    segments: tuple[tuple[Segment, CompiledRegion | None], ...]
    regions: tuple[RegionReport, ...]

    def __str__(self) -> str:
        return "\n".join(
            f"{r.name}: {r.backend}, {r.nodes} nodes, cached {r.from_cache}" for r in self.regions
        )


def compile_regions(
    partitioned: PartitionedGraph, lowered: LoweredGraph, captured: CapturedGraph, session: Session
) -> CompiledGraph:
    """Stage 4: code for every region. A late refusal takes its nodes out of the region, which is then formed
    anew. Regions are offered the memory of inputs that end with one of their results.

    Raises:
        CompileError: a backend failed, or refused more often than ``max_refusals``.
        FallbackError: ``strict`` is set and some nodes are left to eager PyTorch.
    """
    check_strict(lowered.rejections, session)
    done: dict[_Identity, tuple[CompiledRegion, RegionReport]] = {}
    for _ in range(session.options["max_refusals"] + 1):
        refused = False
        offered = offers(partitioned, writes_of_inputs(captured), session.backends)
        for segment in partitioned.segments:
            if segment.owner is None or _identity(segment, offered) in done:
                continue
            result = _compile_segment(segment, partitioned.graph, offered, captured.phase, session)
            if isinstance(result, Refusal):
                lowered, refused = _without(lowered, segment, result, captured.phase, session), True
            else:
                done[_identity(segment, offered)] = result
        if not refused:
            break
        partitioned = divide(lowered, session)
    else:
        raise CompileError(
            "regions were still refused after the allowed number of attempts",
            got=f"max_refusals={session.options['max_refusals']}",
            hint="raise the option max_refusals, or refuse these nodes in claims()",
        )
    check_strict(lowered.rejections, session)
    found = [None if s.owner is None else done[_identity(s, offered)] for s in partitioned.segments]
    segments = tuple((s, f and f[0]) for s, f in zip(partitioned.segments, found, strict=True))
    return CompiledGraph(lowered, partitioned.graph, segments, tuple(f[1] for f in found if f))


def check_strict(rejections: Sequence[Rejection], session: Session) -> None:
    """Raises where the option ``strict`` is set and something would be left to eager PyTorch.

    Raises:
        FallbackError: with every node, its operator, the reason, the backend and the line of the program.
    """
    if not (session.options["strict"] and rejections):
        return
    count = f"{len(rejections)} node{'' if len(rejections) == 1 else 's'}"
    raise FallbackError(
        f"{count} would run outside the backend",
        reasons=tuple(str(r) for r in rejections),
        rejections=tuple(rejections),
        hint="claim them, add a second backend with tp.compose(), or leave the option strict off",
    )


def writes_of_inputs(captured: CapturedGraph) -> InputWrites:
    """What a captured graph does to its caller's tensors."""
    rebuilt = tuple(use is OutputUse.REBUILT for use in captured.uses)
    return InputWrites(captured.writes, rebuilt, tuple(use is OutputUse.COPIED for use in captured.uses))


_Identity = tuple[int, tuple[str, ...], tuple[Placement, ...]]


def _identity(segment: Segment, offered: Placements) -> _Identity:
    assert segment.owner is not None
    results = [v for n in segment.nodes for v in n.results]
    return segment.owner, tuple(n.name for n in segment.nodes), offered.of(results)


def _compile_segment(
    segment: Segment, graph: Graph, offered: Placements, phase: str, session: Session
) -> tuple[CompiledRegion, RegionReport] | Refusal:
    assert segment.owner is not None
    bound = session.backends[segment.owner]
    backend = bound.backend
    inside, donations = donate(region_graph(graph, segment.nodes), offered)
    inside = _as_declared(inside, bound.capabilities)
    name = f"{backend.name}_{phase}_{next(_counter)}"
    region = Region(name, inside, phase, session.opset.version, donations)
    start = time.perf_counter()
    result = compile_open_or_static(region, bound, vendor(bound, phase, session), phase)
    if isinstance(result, Refusal):
        return result
    compiled, from_cache = result
    seconds = time.perf_counter() - start
    ops = tuple(n.op for n in segment.nodes)
    specialized = compiled.format == SPECIALIZED if isinstance(compiled, Artifact) else False
    return CompiledRegion(segment.owner, region, compiled), RegionReport(
        region.name, backend.name, len(ops), ops, from_cache, seconds, specialized
    )


def vendor(bound: Bound, phase: str, session: Session) -> Vendor:
    """A backend as the compile and run stages see it."""
    backend, target = bound.backend, bound.target
    return Vendor(
        backend.name,
        lambda region: refusals(region.nodes, bound, phase),
        partial(
            compile_region,
            backend,
            target,
            session.options,
            session.opset,
            failures=session.reports.cache.failures,
        ),
        lambda region, code: aligned(
            load_region(backend, region, code, target, session.weights),
            bound.capabilities.alignment,
            session.reports.alignment_copies,
        ),
    )


def _as_declared(graph: Graph, capabilities: Capabilities) -> Graph:
    """Inputs become row-major where the backend declares that it wants them so; the run stage copies them."""
    if capabilities.layouts != "contiguous":
        return graph
    renamed = {}
    for value in graph.inputs:
        spec = value.tensor.with_(stride=contiguous_strides(value.tensor.shape), storage_offset=0)
        renamed[value.name] = Value(value.name, spec)
    nodes = tuple(n.map_values(lambda v: renamed.get(v.name, v)) for n in graph.nodes)
    return replace(graph, inputs=tuple(renamed.values()), nodes=nodes)


def _without(
    lowered: LoweredGraph, segment: Segment, refusal: Refusal, phase: str, session: Session
) -> LoweredGraph:
    """``lowered`` with the refused nodes, or their parts, left to others or to eager PyTorch."""
    assert segment.owner is not None
    known = {n.name: n for n in segment.nodes}
    unknown = set(refusal.nodes) - known.keys()
    backend = session.backends[segment.owner].backend.name
    if unknown or not refusal.nodes:
        raise CompileError(
            f"a Refusal of backend {backend!r} must name nodes of its region",
            got=", ".join(sorted(unknown)) or "no nodes",
        )
    text = f"{refusal.reason}: {refusal.text}" if refusal.text else str(refusal.reason)
    refused = dict.fromkeys(refusal.nodes, (segment.owner, text))
    return reopen(lowered, refused, session.backends, session.opset, phase)


def assemble(captured: CapturedGraph, compiled: CompiledGraph, session: Session) -> GraphPackage:
    """All that linking needs, as data: nothing after this reads the captured or the lowered graph."""
    buffers = settle(compiled.graph, compiled.segments, writes_of_inputs(captured))
    parts, outputs = list(buffers.parts), list[Any]()
    own = captured.graph.outputs[: len(buffers.outputs)]
    for index, (value, wanted) in enumerate(zip(buffers.outputs, own, strict=True)):
        if (
            isinstance(value, Value)
            and isinstance(wanted, Value)
            and value.tensor.stride != wanted.tensor.stride
        ):
            target = Value(f"restrided__{index}", wanted.spec)
            parts.append(RestrideStep(value, target))
            value = target
        outputs.append(value)
    return GraphPackage(
        captured.phase,
        captured.arguments,
        compiled.graph.inputs,
        tuple(parts),
        tuple(outputs),
        compiled.graph.symbols,
        compiled.graph.constants,
        tuple(BackendIdentity.of(b.backend, b.target) for b in session.backends),
        session.opset.version,
        replace(report(compiled, captured.phase), copies=buffers.copies, in_place=buffers.in_place),
    )


def link(package: GraphPackage, session: Session) -> Program:
    """Stage 5: loads every region. One flat program calls regions and leftovers in order, and returns outputs
    with eager's strides.

    Raises:
        CompileError: a backend's ``load`` failed.
    """

    def load_part(part: CompiledRegion) -> LoadedRegion:
        bound = session.backends[part.owner]
        return load(part.region, part.code, vendor(bound, package.phase, session), session)

    layouts = [b.capabilities.layouts for b in session.backends]
    return program_of(package, load_part, layouts, f"{package.phase}_{next(_counter)}")


def load(region: Region, code: Artifact | InProcess, vendor: Vendor, session: Session) -> LoadedRegion:
    """A region ready to run; one that is specialised compiles more code while it does."""
    if not (isinstance(code, Artifact) and code.format == SPECIALIZED):
        return vendor.load(region, code)
    specializer = Specializer(code, vendor, session.options, session.opset)
    session.reports.specializations.append(specializer.counts)
    return LoadedRegion(region, specializer.run, True)


def start(program: Program, captured: CapturedGraph, compiled: CompiledGraph, session: Session) -> Runner:
    """The program as a function; with timers where a tool asks for them."""
    if session.timed is None:
        return build(program)
    timer = [0] * len(program.steps)
    session.timed.append(TimedProgram(program, timer, captured, compiled))
    return build(program, timer=timer)


def report(compiled: CompiledGraph, phase: str) -> GraphReport:
    """Counts of one compiled graph; its seconds are filled in when it runs."""
    left = [n for s, region in compiled.segments if region is None for n in s.nodes]
    fallback = Counter(n.op for n in left if not is_view(n.op))
    claimed = sum(not is_view(n.op) for s, region in compiled.segments if region is not None for n in s.nodes)
    return GraphReport(
        phase,
        claimed,
        fallback.total(),
        sum(is_view(n.op) for n in left),
        compiled.regions,
        compiled.lowered.rejections,
        fallback,
        {},
    )


def session_for(
    backends: Sequence[Backend],
    options: Options,
    reports: Reports,
    *,
    timed: list[TimedProgram] | None = None,
    instead: Callable[[CapturedGraph], Runner] | None = None,
) -> Session:
    """Binds backends to their default targets. ``timed`` receives every linked program, with timers;
    ``instead`` takes the place of the stages after capture.

    Raises:
        ContractError: a backend was written for a contract version that this torchport does not have, or two
            for different ones.
    """
    contract = functools.reduce(OpSet.union, (opset(b.opset) for b in backends))
    bound = []
    for backend in backends:
        target = next(iter(backend.targets()))
        bound.append(Bound(backend, target, backend.capabilities(target)))
    return Session(tuple(bound), options, contract, reports, timed, instead)


class _Clock:
    """Times stages and dumps what they return."""

    def __init__(self, phase: str) -> None:
        self.phase, self.seconds, self.last = phase, dict[str, float](), time.perf_counter()
        self.wanted = {name for name in os.environ.get("TORCHPORT_DUMP", "").split(",") if name}
        self.number = next(_counter) if self.wanted else 0

    def done(self, stage: str, value: T) -> T:
        now = time.perf_counter()
        self.seconds[stage] = now - self.last
        if stage in self.wanted:
            directory = Path(os.environ.get("TORCHPORT_DUMP_DIR", "torchport_dump"))
            directory.mkdir(parents=True, exist_ok=True)
            path = directory / f"{self.number:04}-{self.phase}-{stage}.txt"
            path.write_text(f"{getattr(value, 'source', None) or value}\n")
        self.last = time.perf_counter()
        return value
