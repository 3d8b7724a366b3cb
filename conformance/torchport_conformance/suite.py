"""A conformance run: cases from the contract, run on a backend, counted in a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from torchport.compile.backend import Backend
from torchport.errors import OptionError, TorchportError
from torchport_conformance.cases.boundaries import boundary_cases, claimed_without_cases
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.cases.generate import reason_without_cases
from torchport_conformance.cases.profiles import Profile, profile_named
from torchport_conformance.corpus import corpus_of, frozen
from torchport_conformance.environment import environment
from torchport_conformance.isolation.limits import Limits
from torchport_conformance.isolation.process import Nursery
from torchport_conformance.journal import JOURNAL, Header, plan_digest
from torchport_conformance.layers import LAYERS, Layer, Request, Runners, layer_named
from torchport_conformance.levels import needs_backend
from torchport_conformance.obligation import Breach, breaches
from torchport_conformance.planning import cases_of_operators
from torchport_conformance.report.model import CaseResult, Report, Status
from torchport_conformance.report.write import write_reports
from torchport_conformance.running import (
    Conditions,
    Found,
    Recording,
    run_cases,
    started_nursery,
    workers,
)
from torchport_conformance.selection import Selection
from torchport_conformance.specs import VERSION
from torchport_conformance.subject import Opened, Subject, subject_of
from torchport_conformance.waivers.applying import apply_waivers
from torchport_conformance.waivers.reading import Waivers, read_waivers


class ConformanceFailure(TorchportError):
    """A reproduced case still fails."""

    stage = "conformance"


@dataclass(frozen=True, slots=True)
class Plan:
    """The cases of a run, in order, the floor on their number, and the selected operators that have no cases,
    each with the reason. ``scope`` is what was asked for: ``select``, ``layers``, ``sample``, ``shard``.
    """

    profile: Profile
    cases: tuple[AnyCase, ...]
    floor: int
    excluded: Mapping[str, str] = field(default_factory=dict)
    scope: Mapping[str, Any] = field(default_factory=dict)


def plan(
    profile: str = "quick",
    *,
    select: Sequence[str] | None = None,
    layers: Sequence[str] | None = None,
    shard: tuple[int, int] = (1, 1),
    sample: float = 1.0,
    jobs: int = 1,
) -> Plan:
    """The cases of a run.

    Args:
        profile: name of a profile.
        select: operators, with or without overload, ids of single cases, and beginnings of ids of other
            layers (``graph:alias``); ``None`` is the whole contract.
        layers: names of layers; ``None`` is all of them.
        shard: ``(i, n)``: the i-th of n parts, counted from 1, that together are the whole.
        sample: share of the cases, chosen by their ids.
        jobs: processes that make them. More than one are forked from this one, without its other threads.

    Raises:
        OptionError: unknown profile, layer, operator or case, or a shard or sample that makes no sense.
    """
    index, count = shard
    if not 1 <= index <= count:
        raise OptionError("a shard is i/n with 1 <= i <= n", got=f"{index}/{count}")
    if not 0.0 < sample <= 1.0:
        raise OptionError("a sample is a share above 0, up to 1", got=str(sample))
    chosen, selection = profile_named(profile), Selection.of(select)
    wanted = tuple(LAYERS.values()) if layers is None else tuple(map(layer_named, layers))
    cases = tuple(
        c
        for layer in wanted
        for c in _cases_of(layer, chosen, selection, shard, jobs)
        if selection.takes(c) and _fraction(c.id) < sample
    )
    selection.refuse_unknown(cases, chosen, whole=sample == 1.0 and count == 1)
    floor = 1 if select is not None or layers is not None else int(chosen.floor * sample / count)
    specs = selection.specs()[index - 1 :: count]
    tested = {c.op for c in cases}
    excluded = {s.name: r for s in specs if s.name not in tested and (r := reason_without_cases(s))}
    scope = {
        "select": None if select is None else sorted(select),
        "layers": None if layers is None else sorted(layers),
        "sample": sample,
        "shard": f"{index}/{count}",
        **_corpus(chosen, cases, entire=sample == 1.0 and not selection.ids),
    }
    return Plan(chosen, cases, floor, excluded, scope)


_NO_CASES = "the backend claims this composite, and the contract has no entry that cases could be made from"


def for_subject(planned: Plan, subject: Subject) -> Plan:
    """The plan with the cases at the edges of what a backend declares, which only its declarations give; at
    other levels without those that only a backend can be asked. A plan without a scope is taken as it is.

    Raises:
        OptionError: a selected id is none of them either.
    """
    if not planned.scope:
        return planned
    backend = subject.backend
    if backend is None:
        cases = (c for c in planned.cases if layer_named(c.layer).at_levels and not needs_backend(c))
        return replace(planned, cases=tuple(cases), floor=1)
    select, layers = planned.scope["select"], planned.scope["layers"]
    selection = Selection.of(select)
    index, _, count = str(planned.scope["shard"]).partition("/")
    specs = selection.specs()[int(index) - 1 :: int(count)] if layers is None or "op" in layers else ()
    sample = float(planned.scope["sample"])
    own = tuple(c for c in boundary_cases(backend, specs) if selection.takes(c) and _fraction(c.id) < sample)
    found = (*planned.cases, *own)
    selection.refuse_unknown(found, planned.profile, whole=sample == 1.0 and count == "1", of_backend=True)
    if selection.everything and (layers is None or "op" in layers):
        untested = dict.fromkeys(claimed_without_cases(backend), _NO_CASES)
        return replace(planned, cases=found, excluded={**planned.excluded, **untested})
    return replace(planned, cases=found)


def _corpus(profile: Profile, cases: Sequence[AnyCase], *, entire: bool) -> dict[str, Any]:
    """The digest of the frozen corpus, and which operators have other cases than it; ``entire`` says that the
    operators of a plan have all of their cases.
    """
    kept = frozen(profile.name)
    found = corpus_of(profile.name, cases) if entire else kept
    return {"corpus": kept.digest, "drift": list(found.drift(kept))}


def _cases_of(
    layer: Layer, profile: Profile, selection: Selection, shard: tuple[int, int], jobs: int
) -> Iterable[AnyCase]:
    """The cases of a layer that belong to a shard, those of one group always to the same."""
    index, count = shard
    specs = selection.specs()
    if layer.per_op:
        return cases_of_operators(layer, profile, specs[index - 1 :: count], jobs)
    if not (selection.everything or selection.ids or selection.beginnings):
        return ()  # Operators were asked for, and this layer's programs belong to none.
    found = layer.cases(Request(profile, specs))
    if count == 1:
        return found
    return (c for c in found if int(_fraction(repr(c.group)) * count) == index - 1)


def run(
    backend: str | Backend | type[Backend],
    *,
    select: Sequence[str] | None = None,
    layers: Sequence[str] | None = None,
    profile: str = "quick",
    level: str = "dynamo",
    jobs: int | str = 1,
    report: str | os.PathLike[str] | None = None,
    seed: int = 0,
    shard: tuple[int, int] = (1, 1),
    sample: float = 1.0,
    case_seconds: float | None = None,
    limits: Limits | None = None,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
    waivers: str | os.PathLike[str] | Waivers | None = None,
    on_result: Callable[[CaseResult], None] | None = None,
) -> Report:
    """Runs conformance on a backend.

    Args:
        backend: an installed backend's name, ``module:Class``, a class, or an instance. Worker processes
            import it, so a class must be in an importable module, unless ``jobs`` is 0. At the other levels
            the name of a compiler of ``torch.compile``, or of a device.
        select: operators, with or without overload, ids of single cases, and beginnings of ids of other
            layers; ``None`` is the whole contract.
        layers: names of layers; ``None`` is all of them.
        profile: name of a profile.
        level: ``dynamo``, ``inductor`` or ``device``. Without claims every case counts that PyTorch has a
            kernel for; what is about regions, claims and declarations is left out.
        jobs: worker processes, or ``"auto"``; 0 runs in this process, without isolation from crashes and
            hangs.
        report: a folder for ``report.json``, ``junit.xml`` and ``index.html``, and for the journal.
        seed: changes every value of every case.
        shard: ``(i, n)``: one of n parts of the run.
        sample: share of the cases, chosen by their ids.
        case_seconds: time limit of one case, its compilation included; by default that of the profile.
        limits: every limit of a run in workers, in place of ``case_seconds``.
        journal: a file that results are written to as they come.
        resume: keep what the journal holds, and run the rest.
        waivers: a TOML file, or what was read from one.
        on_result: called with each result as it comes, in no set order; with those of the journal first.

    Raises:
        OptionError: an argument makes no sense; nothing was run.
        RegistrationError: the backend cannot be found, loaded, or imported by worker processes.
        ArtifactError: the journal is damaged, or of another run; the text says what differs.
        WaiverError: the waivers are not valid; the text names the entry.
    """
    count = workers(jobs)
    opened = subject_of(backend, in_process=count == 0, level=level)  # the cheaper error first
    memory = None if limits is None else limits.memory
    with started_nursery(opened.source, jobs=count, seed=seed, memory=memory) as nursery:
        return run_plan(
            opened,
            plan(profile, select=select, layers=layers, shard=shard, sample=sample),
            jobs=jobs,
            report=report,
            seed=seed,
            case_seconds=case_seconds,
            limits=limits,
            journal=journal,
            resume=resume,
            waivers=waivers,
            on_result=on_result,
            nursery=nursery,
        )


def run_plan(
    opened: Opened,
    planned: Plan,
    *,
    jobs: int | str = 1,
    report: str | os.PathLike[str] | None = None,
    seed: int = 0,
    case_seconds: float | None = None,
    limits: Limits | None = None,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
    waivers: str | os.PathLike[str] | Waivers | None = None,
    on_result: Callable[[CaseResult], None] | None = None,
    nursery: Nursery | None = None,
) -> Report:
    """Runs the cases of a plan on what was opened for as many ``jobs``; arguments and errors are those of
    :func:`run`. ``nursery`` is what forks the workers, where it has been started already.
    """
    subject, source = opened
    planned = for_subject(planned, subject)
    if report is not None and journal is None:
        journal = Path(report) / JOURNAL
    recording = Recording(None if journal is None else Path(journal), resume)
    excuses = read_waivers(Path(waivers)) if isinstance(waivers, str | os.PathLike) else waivers
    kept = limits or Limits(case_seconds=case_seconds or planned.profile.case_seconds)
    conditions = Conditions(source, subject, workers(jobs), seed, kept, nursery)
    header = header_of(planned, subject, seed)
    found = run_cases(planned.cases, conditions, recording, header, on_result)
    made = assemble(planned, header, subject, found, excuses)
    if report is not None:
        write_reports(made, Path(report))
    return made


def header_of(planned: Plan, subject: Subject, seed: int) -> Header:
    """Which run it is."""
    return Header(
        backend=subject.text,
        backend_version=subject.version,
        source=subject.source_hash,
        profile=planned.profile.name,
        opset=VERSION,
        seed=seed,
        plan=plan_digest(planned.cases),
        cases=len(planned.cases),
        scope=planned.scope,
        environment=environment(subject),
    )


def assemble(
    planned: Plan, header: Header, subject: Subject, found: Found, waivers: Waivers | None = None
) -> Report:
    """The report of results: in the order of the plan, under the waivers, held against what is declared."""
    cases = [case for case in planned.cases if case.id in found.results]
    results = tuple(found.results[case.id] for case in cases)
    scope = planned.scope
    whole = all(scope.get(n) in (None, 1, "1/1") for n in ("select", "layers", "sample", "shard"))
    promises: tuple[Breach, ...] = ()
    if subject.backend is not None:
        capabilities = subject.backend.capabilities(subject.backend.targets()[0])
        promises = tuple(breaches(results, capabilities, whole=whole))
    results, used = apply_waivers(
        waivers or Waivers(), cases, results, scope=scope, today=datetime.now(UTC).date()
    )
    return Report(
        backend=header.backend,
        backend_version=header.backend_version,
        profile=header.profile,
        opset=header.opset,
        seed=header.seed,
        results=results,
        floor=planned.floor,
        seconds=found.seconds,
        environment=header.environment,
        excluded=planned.excluded,
        scope=scope,
        waivers=tuple(use.as_dict() for use in used),
        breaches=tuple(asdict(breach) for breach in promises),
        missing=len(planned.cases) - len(cases),
    )


def reproduce(
    backend: str | Backend | type[Backend],
    case_id: str,
    *,
    profile: str = "quick",
    level: str = "dynamo",
    seed: int = 0,
) -> CaseResult:
    """Runs one case again, in this process, and raises if it fails.

    A case that crashes the process crashes this one: that is its reproduction.

    Raises:
        ConformanceFailure: the case fails; the text is the report's.
        OptionError: the profile has no such case.
    """
    subject, _ = subject_of(backend, in_process=True, level=level)
    cases = for_subject(plan(profile, select=[case_id]), subject).cases
    if not cases:
        raise OptionError(f"the case is not run at the level {level!r}", got=case_id)
    result = Runners(subject, seed).run(cases[0])
    if result.status is not Status.PASSED:
        raise ConformanceFailure(result.message, op=result.op, label=result.label, got=result.call)
    return result


def _fraction(case_id: str) -> float:
    return int.from_bytes(sha256(case_id.encode()).digest()[:4], "big") / 2**32
