"""A worker process: loads one backend and runs the cases that it is handed.

Started as ``python -m torchport_conformance.isolation.worker FD``, with FD one end of a socket pair. A
process of its own, not a fork: a backend may hold threads and devices, and neither survives a fork.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from multiprocessing.connection import Connection

from torchport_conformance.isolation.protocol import Finished, Idle, NotReady, Ready, RunCases, Setup, Started


def serve(connection: Connection) -> None:
    """Answers messages until the parent closes the pipe."""
    setup = connection.recv()
    assert isinstance(setup, Setup)
    sys.path[:] = [*dict.fromkeys([*setup.sys_path, *sys.path])]

    import torch

    from torchport.errors import TorchportError
    from torchport_conformance.execution import CaseRunner

    torch.set_num_threads(setup.threads)
    try:
        runner = CaseRunner(setup.backend.load(), setup.seed)
    except TorchportError as error:
        connection.send(NotReady(str(error)))
        return
    connection.send(Ready())
    while True:
        try:
            message = connection.recv()
        except EOFError:
            return
        assert isinstance(message, RunCases)
        for case in message.cases:
            connection.send(Started(case.id))
            connection.send(Finished(runner.run(case)))
        connection.send(Idle())


def main() -> None:
    """Entry of the worker process."""
    descriptor = int(sys.argv[1])
    # Compilers that a backend starts must not keep the pipe open after the worker is gone.
    os.set_inheritable(descriptor, False)
    faulthandler.enable()
    with Connection(descriptor) as connection:
        try:
            serve(connection)
        except (BrokenPipeError, ConnectionResetError):
            # The parent is gone; there is nobody to tell.
            sys.exit(1)


if __name__ == "__main__":
    main()
