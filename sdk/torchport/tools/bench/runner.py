"""Runs a suite: values first, then interleaved times in this process, then compile times in fresh ones."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from torchport.compile.registry import backends
from torchport.errors import UsageError
from torchport.tools.bench.cases import SUITES, Case
from torchport.tools.bench.compile_time import CompileTimes, compile_times
from torchport.tools.bench.contestant import Call, contestant, exact, largest_error
from torchport.tools.bench.report import BenchReport, CaseResult, Measurement
from torchport.tools.bench.timing import interleaved

EAGER = "eager"
"""The rival that is PyTorch without torch.compile."""


def run_bench(
    backend: str,
    vs: Sequence[str] = ("inductor", EAGER),
    suite: str = "micro",
    *,
    select: str = "",
    seconds_per_case: float = 2.0,
    compile_time: bool = True,
    progress: Callable[[str], None] | None = None,
) -> BenchReport:
    """Measures ``backend`` against rivals on every case of a suite.

    Args:
        backend: name of a backend that torch.compile knows.
        vs: rivals: names of backends, and ``"eager"`` for PyTorch without torch.compile.
        suite: ``"micro"`` or ``"models"``.
        select: only cases whose name contains this text.
        seconds_per_case: about how long the contestants of one case are timed.
        compile_time: also measure cold and warm compile times, in fresh processes with fresh caches.
        progress: called with a line of text before each step.

    Raises:
        UsageError: a backend or suite is unknown, no case is selected, or a rival is named twice.
    """
    check_names(backend, vs)
    if suite not in SUITES:
        raise UsageError("unknown suite", got=repr(suite), hint=f"known suites: {', '.join(SUITES)}")
    cases = [c for c in SUITES[suite] if select in c.name]
    if not cases:
        names = "; ".join(c.name for c in SUITES[suite])
        raise UsageError(f"no case of suite {suite!r} is selected", got=repr(select), hint=f"cases: {names}")
    tell = progress or (lambda line: None)
    contestants = (backend, *vs)
    environment = _environment()
    measured = []
    with _all_cores():
        for number, case in enumerate(cases, 1):
            tell(f"{number}/{len(cases)} {case.name}")
            measured.append(_measure(case, contestants, seconds_per_case))
    compiled: dict[str, tuple[CompileTimes, CompileTimes]] = {}
    if compile_time:
        for name in contestants:
            if name != EAGER:
                tell(f"compile times of {name}")
                compiled[name] = compile_times(name, suite, [c.name for c in cases])
    results = []
    for case, found in zip(cases, measured, strict=True):
        ours, *rivals = (_measurement(case, name, found, compiled) for name in contestants)
        results.append(CaseResult(case.name, ours, tuple(rivals)))
    startup = {name: {"cold": cold.startup, "warm": warm.startup} for name, (cold, warm) in compiled.items()}
    environment["load_average_at_end"] = os.getloadavg()[0]
    return BenchReport(backend, tuple(vs), suite, environment, startup, tuple(results))


def check_names(backend: str, vs: Sequence[str]) -> None:
    """Refuses contestants that are unknown or named twice.

    Raises:
        UsageError: one is.
    """
    if len({backend, *vs}) != 1 + len(vs):
        raise UsageError("each contestant can be named once", got=", ".join((backend, *vs)))
    known = {EAGER, *torch.compiler.list_backends(exclude_tags=()), *(b.name for b in backends())}
    for name in (backend, *vs):
        if name not in known:
            raise UsageError("unknown backend", got=repr(name), hint=f"known: {', '.join(sorted(known))}")


def _measure(case: Case, names: Sequence[str], budget: float) -> dict[str, dict[str, Any]]:
    """``{"timing", "error"}`` or ``{"failure"}`` by contestant."""
    truth = exact(case)
    found: dict[str, dict[str, Any]] = {}
    calls: dict[str, Call] = {}
    torch._dynamo.reset()
    for name in names:
        try:
            call = contestant(case, None if name == EAGER else name)
            error = largest_error(call(), truth)
        except Exception as problem:  # noqa: BLE001 - a contestant may fail in any way, and the report says how
            found[name] = {"failure": f"{type(problem).__name__}: {problem}".splitlines()[0]}
            continue
        if math.isinf(error):
            found[name] = {"failure": "NaN or infinity in other places than float64 has it"}
            continue
        found[name] = {"error": error}
        calls[name] = call
    for name, timing in interleaved(calls, budget).items():
        found[name]["timing"] = timing
    return found


def _measurement(
    case: Case,
    name: str,
    found: dict[str, dict[str, Any]],
    compiled: dict[str, tuple[CompileTimes, CompileTimes]],
) -> Measurement:
    own = found[name]
    cold, warm = (
        (times.by_case.get(case.name) for times in compiled[name]) if name in compiled else (None, None)
    )
    return Measurement(name, own.get("timing"), cold, warm, own.get("error"), own.get("failure", ""))


@contextmanager
def _all_cores() -> Iterator[None]:
    """Every core this process may use computes; the thread count is restored."""
    before = torch.get_num_threads()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _environment() -> dict[str, Any]:
    return {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "threads": len(os.sched_getaffinity(0)),
        "load_average_at_start": os.getloadavg()[0],
    }
