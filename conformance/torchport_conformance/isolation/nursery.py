"""The process that workers are forked from: it has imported PyTorch and the suite, and nothing of a backend.

Started as ``python -m torchport_conformance.isolation.nursery FD``, with FD one end of a Unix socket. A
worker is then there in milliseconds, which is what a run with many crashes needs. The fork is safe because
nothing has run yet: no backend is loaded, no device is open, no kernel has started a thread.
"""

from __future__ import annotations

import faulthandler
import os
import socket
import sys
from multiprocessing.connection import Connection

from torchport_conformance.isolation.worker import serve

REQUEST_BYTES = 64


def tend(control: socket.socket) -> None:
    """Answers requests until the parent closes the socket.

    A request is one message: ``fork`` with two descriptors, a worker's pipe and its stderr, answered with the
    process id; or ``poll PID``, answered with the exit code, or with ``running``.
    """
    # So that no worker spends seconds on it, least of all within the time limit of a case.
    import torchport_conformance.layers.op
    import torchport_conformance.traced  # noqa: F401

    while True:
        request, descriptors, _, _ = socket.recv_fds(control, REQUEST_BYTES, 2)
        if not request:
            return
        verb, _, pid = request.decode().partition(" ")
        if verb == "fork":
            child = os.fork()
            if child == 0:
                control.close()
                _work(*descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            control.send(str(child).encode())
        else:
            control.send(_poll(int(pid)).encode())


def _poll(pid: int) -> str:
    ended, status = os.waitpid(pid, os.WNOHANG)
    return str(os.waitstatus_to_exitcode(status)) if ended else "running"


def _work(pipe: int, stderr: int) -> None:
    """What a worker does; it does not return."""
    os.setsid()
    for stream in (1, 2):
        os.dup2(stderr, stream)
    os.close(stderr)
    # Compilers that a backend starts must not keep the pipe open after the worker is gone.
    os.set_inheritable(pipe, False)
    faulthandler.enable()
    code = 1
    try:
        with Connection(pipe) as connection:
            serve(connection)
        code = 0
    except (BrokenPipeError, ConnectionResetError):
        pass  # the parent is gone; there is nobody to tell
    finally:
        if isinstance(error := sys.exc_info()[1], Exception):
            sys.excepthook(type(error), error, error.__traceback__)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    """Entry of the nursery."""
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        tend(control)


if __name__ == "__main__":
    main()
