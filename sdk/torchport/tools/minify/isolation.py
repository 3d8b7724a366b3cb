"""Runs candidates where their death is only a result: a process of its own, forked anew for each of them."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import IO, Any, Protocol

import torch

from torchport.compile.eager_backend import EagerBackend
from torchport.contract.fx_import import tensor_spec
from torchport.contract.graph import Graph, Node, Value
from torchport.errors import TorchportError
from torchport.tools.minify.candidate import Candidate, Source
from torchport.tools.minify.subject import HANG, KILLED, Fault, Subject

Values = Mapping[str, torch.Tensor]
_LENGTH = struct.Struct("<Q")


class Judge(Protocol):
    """Says what is wrong with a candidate."""

    def judge(self, found: Candidate, *, values: bool) -> Fault | None:
        """The fault, or ``None``; with ``values`` the results are compared too."""


class Here:
    """Judges in this process: a candidate that kills its process ends this one."""

    def __init__(self, subject: Subject, values: Values) -> None:
        self.subject, self.values = subject, values

    def judge(self, found: Candidate, *, values: bool) -> Fault | None:
        """The fault, or ``None``."""
        return self.subject.judge(found, found.tensors(self.values), values=values)


class WorkerError(TorchportError):
    """The process that candidates run in could not be started with this backend."""

    stage = "minify"


class Apart:
    """Judges in another process, which forks for each candidate; use it as a context manager.

    Args:
        subject: the backend; it has to be picklable, and importable in a new process.
        values: recorded tensors by name.
        timeout: seconds after which a candidate counts as hanging.

    Raises:
        WorkerError: the backend cannot be taken to another process.
    """

    def __init__(self, subject: Subject, values: Values, timeout: float) -> None:
        try:
            load = pickle.dumps((_bare(subject), dict(values), timeout))
        except Exception as error:  # pickle raises whatever the objects raise
            raise WorkerError("the backend cannot be sent to another process", got=str(error)) from error
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *map(str, sys.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._send(load)
        answer = self._receive()
        if answer is not None:
            self.close()
            raise WorkerError("the backend cannot be loaded in another process", got=str(answer))

    def judge(self, found: Candidate, *, values: bool) -> Fault | None:
        """The fault, or ``None``.

        Raises:
            WorkerError: the worker itself has ended.
        """
        self._send(pickle.dumps((found, values)))
        answer: Fault | None = self._receive()
        return answer

    def close(self) -> None:
        """Ends the worker."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Apart:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        try:
            _write(self._process.stdin, data)
        except BrokenPipeError as error:
            raise WorkerError(
                "the worker process has ended", got=f"exit code {self._process.poll()}"
            ) from error

    def _receive(self) -> Any:
        assert self._process.stdout is not None
        data = _read(self._process.stdout)
        if data is None:
            raise WorkerError(
                "the worker process has ended", got=f"exit code {self._process.wait(timeout=10)}"
            )
        return pickle.loads(data)


_START = """
import sys
sys.path[:] = sys.argv[1:]
from torchport.tools.minify.isolation import serve
serve()
"""


def _bare(subject: Subject) -> Subject:
    """The subject without what its backends carry for this process alone."""
    backends = []
    for backend in subject.backends:
        alone = copy.copy(backend)
        vars(alone).pop("_dynamo_entry", None)
        backends.append(alone)
    return Subject(tuple(backends), subject.options, subject.compiler)


def _write(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes | None:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return data if len(data) == length else None


def serve() -> None:
    """The worker: reads candidates from stdin and writes verdicts to stdout until stdin ends.

    Whatever a backend prints goes to stderr.
    """
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    load = _read(stdin)
    assert load is not None
    try:
        subject, values, timeout = pickle.loads(load)
    except Exception as error:  # noqa: BLE001 - whatever importing a backend raises is the answer
        _write(stdout, pickle.dumps(f"{type(error).__name__}: {error}"))
        return
    _warm_up()
    _write(stdout, pickle.dumps(None))
    while (data := _read(stdin)) is not None:
        found, compared = pickle.loads(data)
        _write(stdout, pickle.dumps(_judged(subject, values, found, compared, timeout)))


def _warm_up() -> None:
    """Loads here what every fork would load for itself; on tensors too small to start threads."""
    x, y = (Value(name, tensor_spec(torch.zeros(2))) for name in "xy")
    graph = Graph((x,), (Node("y", "aten.exp.default", (("self", x),), (y,)),), (y,))
    tiny = Candidate(graph, "inference", (Source("x"),), {})
    Here(Subject((EagerBackend(),)), {"x": torch.zeros(2)}).judge(tiny, values=True)


def _judged(
    subject: Subject, values: Values, found: Candidate, compared: bool, timeout: float
) -> Fault | None:
    """The verdict of a forked process, or what became of that process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(subject, values, found, compared, reading, writing)
    os.close(writing)
    deadline = time.monotonic() + timeout
    status = None
    while status is None and time.monotonic() < deadline:
        ended, code = os.waitpid(child, os.WNOHANG)
        if ended:
            status = code
        else:
            time.sleep(0.002)
    if status is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        return Fault(HANG, f"no result after {timeout:g} s", HANG)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    if data:
        answer: Fault | None = pickle.loads(data)
        return answer
    return death(os.waitstatus_to_exitcode(status))


def _answer(
    subject: Subject, values: Values, found: Candidate, compared: bool, reading: int, writing: int
) -> None:
    """The child's part; it never returns."""
    os.close(reading)
    code = 1
    try:
        verdict = Here(subject, values).judge(found, values=compared)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(verdict))
        code = 0
    finally:
        os._exit(code)


def death(code: int) -> Fault:
    """The fault of a process that ended with ``code`` and without an answer; negative is a signal."""
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return Fault(
        KILLED, f"the process was ended by {name}" if code < 0 else f"the process ended with {name}", name
    )
