"""The process that workers are forked from: it has imported PyTorch and the suite, and nothing of a backend.

Started as ``python -m torchport_conformance.isolation.nursery FD``, with FD one end of a Unix socket. A
worker is then there in milliseconds, which is what a run with many crashes needs. The fork is safe because
nothing has run yet: no backend is loaded, no device is open, no kernel has started a thread.

It outlives a parent that is killed just long enough to end every worker and what they have started.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile

from torchport_conformance.isolation import linux
from torchport_conformance.isolation.channel import Channel
from torchport_conformance.isolation.marker import Marker
from torchport_conformance.isolation.worker import serve
from torchport_conformance.layers import LAYERS

REQUEST_BYTES = 64
_IMPORTED = (
    "torchport.pipeline",
    "torchport_conformance.traced",
    *(layer.module for layer in LAYERS.values()),
)
_YOUNG_OBJECTS = 10_000
"""How many objects more than before a worker makes between two looks for what can be collected."""
_BY_TRACING = "torch._inductor.pattern_matcher"
"""A module of PyTorch's own that its tracer imports with the first graph."""
TRACE_SIGNAL = signal.SIGUSR2
"""Makes a worker write where it is, whatever it is doing."""


class _Nursery:
    def __init__(self, control: socket.socket, folder: str) -> None:
        self._control, self._folder = control, folder
        self._workers: set[int] = set()

    def tend(self) -> None:
        """Answers requests until the parent closes the socket.

        A request is one message: ``fork`` with three descriptors, a worker's socket, its output and its
        marker, answered with the process id; or ``poll PID``, answered with the exit code, or with
        ``running``.
        """
        while True:
            request, descriptors, _, _ = socket.recv_fds(self._control, REQUEST_BYTES, 3)
            if not request:
                return
            verb, _, pid = request.decode().partition(" ")
            answer = self._fork(descriptors) if verb == "fork" else self._poll(int(pid))
            self._control.send(answer.encode())

    def _fork(self, descriptors: list[int]) -> str:
        child = os.fork()
        if child == 0:
            self._control.close()
            _work(*descriptors, folder=self._folder)
        for descriptor in descriptors:
            os.close(descriptor)
        self._workers.add(child)
        return str(child)

    def _poll(self, pid: int) -> str:
        # What is left of its group is killed while the dead worker still holds the group's number.
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return "running"
        _kill_group(pid)
        _, status = os.waitpid(pid, 0)
        self._workers.discard(pid)
        linux.sweep(self._workers)
        return str(os.waitstatus_to_exitcode(status))

    def end(self) -> None:
        """Kills the workers, their groups, and what has left the groups."""
        for pid in self._workers:
            _kill_group(pid)
        linux.sweep(())


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _work(stream: int, output: int, marker: int, *, folder: str) -> None:
    """What a worker does; it does not return."""
    os.setsid()
    linux.die_with_parent()
    linux.adopt_orphans()
    linux.go_first()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for printed in (1, 2):
        os.dup2(output, printed)
    os.close(output)
    # Compilers that a backend starts must not keep the socket open after the worker is gone.
    os.set_inheritable(stream, False)
    place = Marker(marker)
    os.close(marker)
    faulthandler.enable(all_threads=False)
    faulthandler.register(TRACE_SIGNAL, all_threads=False)
    code = 1
    try:
        with socket.socket(fileno=stream) as connection:
            serve(Channel(connection), place, os.path.join(folder, str(os.getpid())))
        code = 0
    except (BrokenPipeError, ConnectionResetError):
        pass  # the parent is gone; there is nobody to tell
    finally:
        error = sys.exc_info()[1]
        if error is not None:
            sys.excepthook(type(error), error, error.__traceback__)
        with contextlib.suppress(OSError):  # a backend may have closed them
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def main() -> None:
    """Entry of the nursery."""
    linux.adopt_orphans()
    # So that no worker spends seconds on it, least of all within the time limit of a case.
    for name in _IMPORTED:
        importlib.import_module(name)
    with contextlib.suppress(ImportError):
        importlib.import_module(_BY_TRACING)

    # What was imported stays: a worker's collector would look through all of it, half a second each time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS)

    folder = tempfile.mkdtemp(prefix="torchport-conformance-")
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        nursery = _Nursery(control, folder)
        try:
            nursery.tend()
        except ConnectionResetError:
            pass  # the parent was killed while it was answered
        finally:
            nursery.end()
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
