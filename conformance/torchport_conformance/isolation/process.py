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
from multiprocessing import Pipe
from typing import Any

from torchport.errors import RegistrationError
from torchport_conformance.isolation.protocol import Setup

START_SECONDS = 180.0
"""How long the nursery may take to import PyTorch and the suite, and a worker to import the backend."""
EXIT_SECONDS = 5.0


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

    def fork(self, pipe: int, stderr: int) -> int:
        """The process id of a new worker with these descriptors.

        Raises:
            RegistrationError: the nursery could not import PyTorch or the suite.
        """
        socket.send_fds(self._control, [b"fork"], [pipe, stderr])
        return int(self._answer())

    def poll(self, pid: int) -> int | None:
        """The exit code of a worker, once; None while it runs."""
        self._control.send(f"poll {pid}".encode())
        answer = self._answer()
        return None if answer == "running" else int(answer)

    def _answer(self) -> str:
        try:
            answer = self._control.recv(64).decode()
        except (TimeoutError, ConnectionResetError):
            answer = ""
        if not answer:
            self._stderr.seek(0)
            text = self._stderr.read().decode(errors="replace").strip().splitlines()
            raise RegistrationError("worker processes cannot be started", got="\n".join(text[-6:]))
        return answer

    def close(self) -> None:
        """Ends the nursery; its workers are ended one by one before."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        self._stderr.close()


class WorkerProcess:
    """A started worker, its pipe and what it wrote to stderr."""

    def __init__(self, nursery: Nursery) -> None:
        self._nursery = nursery
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        self.connection, theirs = Pipe(duplex=True)
        with theirs:
            self._pid = nursery.fork(theirs.fileno(), self._stderr.fileno())
        self.connection.send(nursery.setup)

    def send(self, message: Any) -> bool:
        """Sends a message; false when the worker is gone."""
        try:
            self.connection.send(message)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def end(self) -> str:
        """Waits for a worker that closed its pipe, and says how it ended."""
        code = self._wait()
        if code is None:
            self.kill()
            return "closed its connection and did not exit"
        text = describe_exit(code)
        tail = self.stderr_tail()
        self.close()
        return f"{text}\n{tail}" if tail else text

    def kill(self) -> None:
        """Ends the worker and every process it started."""
        for end in (os.killpg, os.kill):  # the process alone, if it has no group of its own yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(self._pid, signal.SIGKILL)
        self._wait()
        self.close()

    def _wait(self) -> int | None:
        """The exit code; None when it does not come within some seconds."""
        deadline = time.monotonic() + EXIT_SECONDS
        while time.monotonic() < deadline:
            code = self._nursery.poll(self._pid)
            if code is not None:
                return code
            time.sleep(0.005)
        return None

    def close(self) -> None:
        """Releases the pipe and the stderr file."""
        self.connection.close()
        self._stderr.close()

    def stderr_tail(self, lines: int = 6) -> str:
        """The first lines of a fatal error's trace (the innermost frames), else the last lines printed."""
        self._stderr.seek(0)
        text = self._stderr.read().decode(errors="replace").strip().splitlines()
        fatal = next((i for i, line in enumerate(text) if line.startswith("Fatal Python error")), None)
        if fatal is not None:
            # The first line repeats the signal; the innermost frames follow "Current thread".
            return "\n".join(line.strip() for line in text[fatal + 1 :] if line.strip())[:600]
        return "\n".join(text[-lines:])


def describe_exit(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"the process was ended by exit({code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    meaning = {
        "SIGSEGV": "segmentation fault",
        "SIGBUS": "bus error",
        "SIGABRT": "abort",
        "SIGFPE": "arithmetic fault, such as an integer division by zero",
        "SIGILL": "illegal instruction",
        "SIGKILL": "killed, perhaps for lack of memory",
    }.get(name, "ended by a signal")
    return f"{name}: {meaning}"
