"""Runs the table: one process for each architecture, so that a crash or a hang costs one result."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from torchport.compile.backend import Backend
from torchport.errors import OptionError, RegistrationError
from torchport_conformance.backend_source import BackendSource, backend_source
from torchport_conformance.isolation.endings import describe_exit
from torchport_conformance.isolation.process import EXIT_SECONDS
from torchport_conformance.public_models.entry import PublicModel
from torchport_conformance.public_models.results import (
    MODES,
    GenerationResult,
    ModelReport,
    ModelResult,
    ModeResult,
    Verdict,
    environment,
)
from torchport_conformance.public_models.table import DECODERS, public_models, selected

MODE_SECONDS = 900.0
"""How long one mode of an architecture may take, its compilation included."""
_TAIL = 6
"""Lines of a crashed process's output that are kept."""


def run_public_models(
    backend: str | Backend | type[Backend],
    *,
    select: Sequence[str] | None = None,
    jobs: int = 1,
    json_file: Path | None = None,
    resume: bool = False,
    mode_seconds: float = MODE_SECONDS,
    on_result: Callable[[ModelResult], None] | None = None,
) -> ModelReport:
    """Judges public architectures on a backend, each in every mode.

    Args:
        backend: an installed backend's name, ``module:Class``, a class in an importable module, or an
            instance.
        select: names of architectures; ``None`` is the whole table.
        jobs: processes at a time; each runs on one thread.
        json_file: is written after every architecture, so that a run can be ended and continued.
        resume: keep what ``json_file`` holds and run what it lacks.
        mode_seconds: time limit of one mode.
        on_result: called with each architecture's result as it comes.

    Raises:
        OptionError: an unknown architecture, fewer than one process, or a ``json_file`` of other versions.
        RegistrationError: the backend cannot be found or loaded.
    """
    if jobs < 1:
        raise OptionError("jobs is a number of processes, at least 1", got=str(jobs))
    entries = selected(select)
    source = backend_source(backend, in_process=False)
    loaded = source.load()
    found = ModelReport(environment(loaded.name, loaded.version), ())
    if resume and json_file is not None and json_file.exists():
        found = _continued(ModelReport.read(json_file), found)
    complete = {model.name for model in found.models if model.complete}

    def collect(result: ModelResult) -> None:
        nonlocal found
        found = found.with_model(result).in_order(public_models())
        if json_file is not None:
            found.write(json_file)
        if on_result is not None:
            on_result(result)

    _Processes(source, jobs, mode_seconds, collect).run([e for e in entries if e.name not in complete])
    return found


def _continued(earlier: ModelReport, now: ModelReport) -> ModelReport:
    if dict(earlier.environment) != dict(now.environment):
        hint = "write to another file, or leave resume out"
        raise OptionError("the report is of other versions", got=str(dict(earlier.environment)), hint=hint)
    return earlier


@dataclass(slots=True)
class _Running:
    """The process of one architecture, and what it has sent."""

    entry: PublicModel
    process: BaseProcess
    log: str
    deadline: float
    results: list[ModeResult] = field(default_factory=list)
    generation: GenerationResult | None = None

    @property
    def finished(self) -> bool:
        """Whether everything that the process has to say was said."""
        said = self.entry.name not in DECODERS or self.generation is not None
        return len(self.results) == len(MODES) and said


class _Processes:
    """As many processes at a time as there are jobs."""

    def __init__(
        self,
        source: BackendSource,
        jobs: int,
        mode_seconds: float,
        on_result: Callable[[ModelResult], None],
    ) -> None:
        self._source, self._jobs, self._seconds, self._on_result = source, jobs, mode_seconds, on_result
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(["torchport_conformance.public_models.worker"])
        self._running: dict[Connection, _Running] = {}

    def run(self, entries: Sequence[PublicModel]) -> None:
        """Every architecture in order.

        Raises:
            RegistrationError: a process ends before it can judge anything.
        """
        waiting = deque(entries)
        with tempfile.TemporaryDirectory() as folder:
            try:
                while waiting or self._running:
                    while waiting and len(self._running) < self._jobs:
                        self._start(waiting.popleft(), folder)
                    self._step()
            finally:
                for running in self._running.values():
                    _kill(running.process)

    def _start(self, entry: PublicModel, folder: str) -> None:
        from torchport_conformance.public_models.worker import serve

        ours, theirs = self._context.Pipe(duplex=False)
        log = os.path.join(folder, f"{entry.name}.log")
        arguments = (theirs, self._source, entry.name, MODES, log)
        process = self._context.Process(target=serve, args=arguments, daemon=True)
        process.start()
        theirs.close()
        self._running[ours] = _Running(entry, process, log, time.monotonic() + self._seconds)

    def _step(self) -> None:
        nearest = min(running.deadline for running in self._running.values())
        for connection in wait(list(self._running), timeout=max(0.0, nearest - time.monotonic())):
            assert isinstance(connection, Connection)
            self._receive(connection)
        for connection, running in list(self._running.items()):
            if time.monotonic() >= running.deadline:
                _kill(running.process)
                self._lost(connection, Verdict.HUNG, f"no end after {self._seconds:g} s")

    def _receive(self, connection: Connection) -> None:
        running = self._running[connection]
        try:
            result = connection.recv()
            if isinstance(result, GenerationResult):
                running.generation = result
            else:
                running.results.append(result)
            running.deadline = time.monotonic() + self._seconds
        except EOFError:
            running.process.join(EXIT_SECONDS)
            if running.finished:
                self._end(connection)
                return
            code = running.process.exitcode
            how = "closed its connection and did not exit" if code is None else describe_exit(code)
            _kill(running.process)
            if not running.results and code == 1:
                raise RegistrationError("a process cannot judge anything", got=_tail(running.log)) from None
            self._lost(connection, Verdict.CRASHED, f"{how}\n{_tail(running.log)}")

    def _lost(self, connection: Connection, verdict: Verdict, how: str) -> None:
        """The process is gone: its mode has ``verdict``, and those after it were not judged."""
        running = self._running[connection]
        if len(running.results) == len(MODES):
            running.generation = GenerationResult(0, 0, -1, 0, 0, 0.0, 0, 0.0)
        for mode in MODES[len(running.results) :]:
            running.results.append(ModeResult(mode, verdict, how))
            verdict, how = Verdict.SHORT, "the process ended in an earlier mode"
        self._end(connection)

    def _end(self, connection: Connection) -> None:
        running = self._running.pop(connection)
        connection.close()
        entry, modes = running.entry, tuple(running.results)
        self._on_result(ModelResult(entry.name, str(entry.family), modes, running.generation))


def _kill(process: BaseProcess) -> None:
    """Ends a process and every compiler that it started."""
    if process.pid is not None and process.is_alive():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:  # it has no group of its own yet
            process.kill()
        process.join(EXIT_SECONDS)


def _tail(log: str) -> str:
    path = Path(log)
    text = path.read_text(errors="replace") if path.exists() else ""
    return "\n".join(text.strip().splitlines()[-_TAIL:])
