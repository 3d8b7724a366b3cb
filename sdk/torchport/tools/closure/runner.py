"""Runs the closure check over the entries, in worker processes that may crash alone."""

from __future__ import annotations

import fnmatch
import multiprocessing
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import torch

from torchport.compile.options import parse_options
from torchport.compile.reports import Reports
from torchport.contract.cpp.evaluator import CppEvaluator
from torchport.contract.opset import opset
from torchport.contract.spec import Tier
from torchport.contract.version import CURRENT
from torchport.errors import UsageError
from torchport.pipeline import session_for
from torchport.tools.closure.check import Checker, OutsideError, StageError
from torchport.tools.closure.report import (
    NO_SAMPLES,
    NOT_DENSE,
    ClosureReport,
    EntryResult,
    Excluded,
    Open,
    RuleCounts,
)
from torchport.tools.closure.samples import (
    DTYPE_CLASSES,
    classes_of,
    database,
    dtype_of,
    not_dense,
    samples_of,
)
from torchport.tools.lower import tier_backend

SEED = 0


def entry_names(select: Sequence[str] = ()) -> list[str]:
    """Entry names that match one of the globs (all without any).

    Raises:
        UsageError: nothing matches.
    """
    names = list(database())
    found = [n for n in names if not select or any(fnmatch.fnmatch(n, glob) for glob in select)]
    if not found:
        raise UsageError(
            "no entry matches", got=", ".join(select), hint="globs over names such as 'linalg.*'"
        )
    return found


def closure(
    select: Sequence[str] = (),
    *,
    samples: int = 3,
    classes: Sequence[str] = tuple(DTYPE_CLASSES),
    dynamic: bool = False,
    jobs: int = 1,
    version: str = CURRENT,
    progress: Callable[[EntryResult], None] | None = None,
) -> ClosureReport:
    """Captures, lowers, verifies, executes and compares ``samples`` calls of every entry and dtype class.

    Args:
        select: globs over entry names.
        samples: how many samples of an entry and class.
        classes: among ``float``, ``complex``, ``int``, ``bool``.
        dynamic: trace with symbolic sizes.
        jobs: worker processes; 1 is this process, where a crash of PyTorch is one of the run.
        version: contract version.
        progress: called with each finished entry.

    Raises:
        UsageError: nothing matches, or a class is not one.
        ContractError: there is no such contract version.
    """
    unknown = [kind for kind in classes if kind not in DTYPE_CLASSES]
    if unknown or not classes:
        known = f"among {', '.join(DTYPE_CLASSES)}"
        raise UsageError("not a class of dtypes", got=", ".join(map(repr, unknown)), hint=known)
    opset(version)
    started = time.perf_counter()
    names = entry_names(select)
    results: list[EntryResult] = []
    for result in _results(names, samples, tuple(classes), dynamic, jobs, version):
        results.append(result)
        if progress is not None:
            progress(result)
    results.sort(key=lambda r: names.index(r.entry))
    by_dtype = sum((Counter(r.by_dtype) for r in results), Counter())
    nodes = sum(r.nodes for r in results)
    return ClosureReport(
        torch=torch.__version__,
        opset=version,
        entries=len(results),
        closed=sum(r.excluded is None and not r.open for r in results),
        samples=sum(r.samples for r in results),
        gradients=sum(r.gradients for r in results),
        by_dtype=dict(by_dtype),
        unjudged=sum(r.unjudged for r in results),
        open=tuple(o for r in results for o in r.open),
        excluded=tuple(r.excluded for r in results if r.excluded is not None),
        outside=tuple(o for r in results for o in r.outside),
        prims=dict(sorted(Counter(p for r in results for p in r.prims).items())),
        aten=dict(sorted(Counter(p for r in results for p in r.aten).items())),
        nodes=nodes,
        lower_microseconds_per_node=1e6 * sum(r.lower_seconds for r in results) / max(nodes, 1),
        worst_ratio=max((r.worst_ratio for r in results), default=0.0),
        rules=_rules(results),
        seconds=time.perf_counter() - started,
    )


def _rules(results: Sequence[EntryResult]) -> RuleCounts:
    """The counts of all entries, and what the C++ rules say about every different call."""
    calls = {call: answer for r in results for call, answer in r.encoded.items()}
    differences: list[str] = []
    if calls:
        with tempfile.TemporaryDirectory() as folder:
            differences = CppEvaluator(Path(folder)).differences(calls.items())
    return RuleCounts(
        python=sum(r.calls for r in results),
        strides=sum(r.strides for r in results),
        symbolic=sum(r.symbolic for r in results),
        cpp=len(calls),
        cpp_differences=tuple(differences),
    )


def _results(
    names: Sequence[str], samples: int, classes: tuple[str, ...], dynamic: bool, jobs: int, version: str
) -> Iterator[EntryResult]:
    """One result an entry, in this process for one job. After a crash of a worker the entries that ran
    then are tried again, each alone.
    """
    arguments = (samples, classes, dynamic, version)
    if jobs == 1:
        yield from (check_entry(name, *arguments) for name in names)
        return
    pending = list(names)
    alone: list[str] = []
    while pending:
        finished: set[str] = set()
        with _pool(jobs) as pool:
            futures: dict[Future[EntryResult], str] = {
                pool.submit(check_entry, name, *arguments): name for name in pending
            }
            try:
                for future in as_completed(futures):
                    result = future.result()
                    finished.add(result.entry)
                    yield result
            except BrokenProcessPool:
                left = [n for n in pending if n not in finished]
                alone += left[: 2 * jobs]
        pending = [n for n in pending if n not in finished and n not in alone]
    for name in alone:
        with _pool(1) as pool:
            try:
                yield pool.submit(check_entry, name, *arguments).result()
            except BrokenProcessPool:
                yield EntryResult(name, open=[Open(name, "", 0, "crash", "the worker process died")])


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        jobs,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=torch.set_num_threads,
        initargs=(1,),
    )


def check_entry(
    name: str, samples: int, classes: tuple[str, ...], dynamic: bool, version: str
) -> EntryResult:
    """Every sample of one entry, in a thread of its own: what a trace that failed leaves in PyTorch's
    thread-local state ends with it.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_check_entry, name, samples, classes, dynamic, version).result()


def _check_entry(
    name: str, samples: int, classes: tuple[str, ...], dynamic: bool, version: str
) -> EntryResult:
    started = time.perf_counter()
    result = EntryResult(name)
    entry = database()[name]
    if not_dense(name):
        result.excluded = Excluded(name, NOT_DENSE, "operators on other layouts are out of scope")
        return result
    session = session_for((tier_backend(Tier.PRIM),), parse_options({}, None, backend="closure"), Reports())
    checker = Checker(opset(version), session, dynamic)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in classes_of(entry):
            if kind not in classes:
                continue
            dtype = dtype_of(entry, kind)
            assert dtype is not None, "the entry has samples of the class"
            for index, sample in enumerate(samples_of(entry, dtype, samples, SEED)):
                result.samples += 1
                result.by_dtype[kind] = result.by_dtype.get(kind, 0) + 1
                try:
                    outcome = checker.check(entry.op, sample, SEED)
                except OutsideError as error:
                    result.outside.append(Excluded(name, error.kind, error.text, kind, index))
                    continue
                except StageError as error:
                    result.open.append(Open(name, kind, index, error.stage, error.text[:1000]))
                    continue
                except Exception as error:  # noqa: BLE001 (whatever an entry raises is its result)
                    text = f"{type(error).__name__}: {error}"
                    result.open.append(Open(name, kind, index, "eager", text[:1000]))
                    continue
                result.prims |= outcome.prims
                result.aten |= outcome.aten
                result.nodes += outcome.nodes
                result.lower_seconds += outcome.lower_seconds
                result.worst_ratio = max(result.worst_ratio, outcome.ratio)
                result.unjudged += not outcome.judged
                result.calls += outcome.observed.calls
                result.strides += outcome.observed.strides
                result.symbolic += outcome.observed.symbolic
                result.encoded |= outcome.observed.encoded
                result.gradients += outcome.gradients > 0
    if not result.samples:
        result.excluded = Excluded(name, NO_SAMPLES, "no dtype of the run has samples for the CPU")
    elif len(result.outside) == result.samples:
        first = result.outside[0]
        result.excluded, result.outside = Excluded(name, first.kind, first.reason), []
    result.seconds = time.perf_counter() - started
    return result
