"""Collectives in a group of two processes: each compiles the calls with the subject and makes them.

One session runs all cases. The processes meet through a file in a folder of their own, by gloo.
"""

from __future__ import annotations

import contextlib
import json
import pickle
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from torchport.contract.opset import opset
from torchport.contract.spec import resolve
from torchport_conformance.backend_source import BackendSource
from torchport_conformance.cases.collectives import (
    SIZE,
    CollectiveCase,
    arguments,
    collective_cases_for,
    expected,
)
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.execution import describe
from torchport_conformance.own_processes import python_command
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.specs import VERSION
from torchport_conformance.subject import Subject, load_subject

SESSION_SECONDS = 300.0
_SCRIPT = """
from torchport_conformance.collective_execution import take_part
take_part(*given, sys.argv[2], int(sys.argv[3]))
"""
Found = Mapping[str, Sequence[Any]]
"""Of a process: per case the error, or dtype and values of each result."""


class CollectiveRunner:
    """Runs the session when the first case comes, and judges each case by what it found.

    Args:
        subject: what is tested.
        cases: those that the session runs; by default all.
    """

    def __init__(self, subject: Subject, cases: Sequence[CollectiveCase] | None = None) -> None:
        self.subject = subject
        self.cases = all_cases() if cases is None else tuple(cases)
        self._session: list[Found] | str | None = None

    def run(self, case: CollectiveCase) -> CaseResult:
        """Whether every process got what the group's operands make."""
        started = time.perf_counter()
        if self._session is None:
            try:
                self._session = session(self.subject, self.cases)
            except OSError as error:  # no memory, no process, no file: the next case tries again
                result = result_of(case, Status.SUITE, f"the suite raised {describe(error)}", cause="suite")
                return replace(result, seconds=time.perf_counter() - started)
        return replace(self._judged(case, self._session), seconds=time.perf_counter() - started)

    def _judged(self, case: CollectiveCase, found: list[Found] | str) -> CaseResult:
        if isinstance(found, str):
            return result_of(case, Status.FAILED, found, cause="no group of processes")
        for rank, results in enumerate(found):
            got = results.get(case.id)
            if got is None:
                text = f"process {rank} ended before this call"
                return result_of(case, Status.FAILED, text, cause="process ended")
            if got[0] == "error":
                text = f"process {rank} raised {got[1]}"
                return result_of(case, Status.FAILED, text, cause="exception")
            wanted = [[str(t.dtype), t.tolist()] for t in expected(case, rank)]
            if list(got[1]) != wanted:
                text = f"process {rank} got {got[1]}, exact is {wanted}"
                return result_of(case, Status.FAILED, text, cause="outside the bound")
        return result_of(case, Status.PASSED, "")


def all_cases() -> tuple[CollectiveCase, ...]:
    """Every case of every collective."""
    specs, full = opset(VERSION).ops.values(), profile_named("full")
    return tuple(case for spec in specs for case in collective_cases_for(spec, full))


def session(subject: Subject, cases: Sequence[CollectiveCase]) -> list[Found] | str:
    """What each process of a group found, or why there was none.

    Raises:
        OSError: the processes could not be started, or what they found could not be read.
    """
    try:
        source = BackendSource(subject.text, pickle.dumps(subject.backend))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        return f"the backend cannot be handed to another process: {error}"
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as started:
        command = python_command(_SCRIPT, (source, tuple(cases)), folder)
        members = []
        for rank in range(SIZE):
            member = subprocess.Popen(
                [*command, folder, str(rank)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            members.append(started.enter_context(_ended(member)))
        deadline = time.monotonic() + SESSION_SECONDS
        try:
            said = [m.communicate(timeout=max(1.0, deadline - time.monotonic()))[1] for m in members]
        except subprocess.TimeoutExpired:
            return f"the processes did not end within {SESSION_SECONDS:g} s"
        files = [Path(folder) / f"{rank}.json" for rank in range(SIZE)]
        if not all(f.exists() for f in files):
            return f"a process ended early: {' '.join(said)[-500:]}"
        return [json.loads(f.read_text()) for f in files]


@contextlib.contextmanager
def _ended(member: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """The process, which does not outlive the block."""
    try:
        yield member
    finally:
        member.kill()
        member.wait()
        if member.stderr is not None:
            member.stderr.close()


def take_part(source: BackendSource, cases: Sequence[CollectiveCase], folder: str, rank: int) -> None:
    """One process of a session: makes every call and writes what it found."""
    import torch.distributed as dist

    warnings.simplefilter("ignore")
    subject = load_subject(source)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=SIZE)
    everyone = dist.group.WORLD
    assert everyone is not None
    group = everyone.group_name
    found = {case.id: _made(subject, case, rank, group) for case in cases}
    Path(f"{folder}/{rank}.json").write_text(json.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


def _made(subject: Subject, case: CollectiveCase, rank: int, group: str) -> Sequence[Any]:
    op = resolve(case.op)
    given = arguments(case, rank, group)

    def program(first: Any) -> Any:
        result = op(first, *given[1:])
        results = result if isinstance(result, list | tuple) else [result]
        return [torch.ops._c10d_functional.wait_tensor(r) for r in results]

    torch.compiler.reset()
    try:
        with torch.no_grad():
            results = subject.compile(program)(given[0])
    except Exception as error:  # noqa: BLE001 - reported, by the parent
        return "error", f"{type(error).__name__}: {error}"[:500]
    return "results", [[str(r.dtype), r.tolist()] for r in results]
