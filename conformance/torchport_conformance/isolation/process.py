"""Worker processes, and the nursery that they come from, as their parent sees them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from typing import Any

from torchport.errors import RegistrationError
from torchport_conformance.isolation import endings
from torchport_conformance.isolation.channel import Channel
from torchport_conformance.isolation.marker import Marker
from torchport_conformance.isolation.nursery import REQUEST_BYTES, TRACE_SIGNAL
from torchport_conformance.isolation.protocol import Setup
from torchport_conformance.stages import Stage

START_SECONDS = 180.0
"""How long the nursery may take to import PyTorch and the suite, and a worker to import the backend."""
EXIT_SECONDS = 5.0
_SEND_SECONDS = 30.0
_TRACE_SECONDS = 0.3
_CLOSED_SECONDS = 0.2
"""How long a process that has closed its socket may live on, and count as one that was ending."""


class Nursery:
    """A started nursery, which forks workers; see :mod:`torchport_conformance.isolation.nursery`."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the nursery
        self._control, theirs = socket.socketpair()
        self._control.settimeout(START_SECONDS)
        environment = {**os.environ, "OMP_NUM_THREADS": str(setup.threads)}
        environment["PYTHONPATH"] = os.pathsep.join(setup.sys_path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "torchport_conformance.isolation.nursery", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._stderr,
            stderr=self._stderr,
            env=environment,
            start_new_session=True,
        )
        theirs.close()

    def fork(self, *descriptors: int) -> int:
        """The process id of a new worker with these descriptors: its socket, output and marker.

        Raises:
            RegistrationError: the nursery could not import PyTorch or the suite, or was killed.
        """
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the missing answer says so
            socket.send_fds(self._control, [b"fork"], descriptors)
        return int(self._answer())

    def poll(self, pid: int) -> int | None:
        """The exit code of a worker, once; None while it runs. What it had started is gone with it."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._control.send(f"poll {pid}".encode())
        answer = self._answer()
        return None if answer == "running" else int(answer)

    def _answer(self) -> str:
        try:
            answer = self._control.recv(REQUEST_BYTES).decode()
        except (TimeoutError, ConnectionResetError):
            answer = ""
        if not answer:
            self._stderr.seek(0)
            text = self._stderr.read().decode(errors="replace").strip().splitlines()
            raise RegistrationError("worker processes cannot be started", got="\n".join(text[-6:]))
        return answer

    def close(self) -> None:
        """Ends the nursery and every worker."""
        self._control.close()
        try:
            self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stderr.close()


class WorkerProcess:
    """A started worker, its socket, its marker and what it printed."""

    def __init__(self, nursery: Nursery, *, reset: bool = False) -> None:
        self._nursery = nursery
        stream, theirs = socket.socketpair()
        stream.settimeout(_SEND_SECONDS)
        self.channel = Channel(stream)
        reading, writing = os.pipe()
        self.output = endings.Output(reading)
        self._kills_before = endings.kernel_kills()
        try:
            with theirs, tempfile.TemporaryFile() as place:
                place.truncate(Marker.size)
                self.pid = nursery.fork(theirs.fileno(), writing, place.fileno())
                self._marker = Marker(place.fileno())
        finally:
            os.close(writing)
        self.send(replace(nursery.setup, reset=reset))

    def send(self, message: Any) -> None:
        """Sends a message; a worker that is gone is noticed when it is listened to."""
        with contextlib.suppress(OSError):
            self.channel.send(message)

    @property
    def place(self) -> tuple[int, Stage]:
        """The index of the case that the worker is at, among all that it was handed, and the case's stage."""
        return self._marker.get()

    def end(self) -> tuple[str, str]:
        """Waits for a worker that closed its socket, and says how it ended, and what it printed."""
        code = self._wait(_CLOSED_SECONDS)
        if code is None:
            return "closed its connection to the suite", self.kill()
        self.output.read()
        lines = self.output.lines()
        cause = endings.describe_exit(code)
        if code == -signal.SIGKILL and endings.kernel_kills() > self._kills_before:
            cause = f"{endings.OUT_OF_MEMORY}: the kernel killed the process"
        elif endings.ran_over(lines):
            cause += "; a stack overflow"
        self._close()
        return cause, endings.tail(lines)

    def expire(self) -> str:
        """Ends a worker that has not answered in time; returns where it was, or what it printed last."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, TRACE_SIGNAL)
        until = time.monotonic() + _TRACE_SECONDS
        while time.monotonic() < until and not any("File " in line for line in self.output.lines()):
            time.sleep(0.01)
            self.output.read()
        return self.kill()

    def kill(self) -> str:
        """Ends the worker and every process it started; returns what it printed last."""
        for end in (os.killpg, os.kill):  # the process alone, if it has no group of its own yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(self.pid, signal.SIGKILL)
        self._wait(EXIT_SECONDS)
        self.output.read()
        text = endings.tail(self.output.lines())
        self._close()
        return text

    def _wait(self, seconds: float) -> int | None:
        """The exit code; None when it does not come in time."""
        deadline = time.monotonic() + seconds
        while True:
            code = self._nursery.poll(self.pid)
            if code is not None or time.monotonic() >= deadline:
                return code
            time.sleep(0.005)

    def _close(self) -> None:
        self.channel.close()
        self.output.close()
        self._marker.close()
