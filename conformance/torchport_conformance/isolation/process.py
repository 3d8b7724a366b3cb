"""One worker process as its parent sees it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from typing import Any

from torchport_conformance.isolation.protocol import Setup


class WorkerProcess:
    """A started worker, its pipe and what it wrote to stderr.

    ``used`` is true once it has run a case: only an unused worker can clear an earlier case of a suspicion.
    """

    def __init__(self, setup: Setup) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        self.connection, theirs = Pipe(duplex=True)
        environment = {**os.environ, "OMP_NUM_THREADS": str(setup.threads)}
        environment["PYTHONPATH"] = os.pathsep.join(setup.sys_path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "torchport_conformance.isolation.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._stderr,
            stderr=self._stderr,
            env=environment,
            start_new_session=True,
        )
        theirs.close()
        self.used = False
        self.connection.send(setup)

    def send(self, message: Any) -> bool:
        """Sends a message; false when the worker is gone."""
        try:
            self.connection.send(message)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def end(self) -> str:
        """Waits for a worker that closed its pipe, and says how it ended."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
            return "closed its connection and did not exit"
        text = describe_exit(code)
        tail = self.stderr_tail()
        self.close()
        return f"{text}\n{tail}" if tail else text

    def kill(self) -> None:
        """Ends the worker and every process it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.close()

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
