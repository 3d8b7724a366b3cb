"""What a worker process does: it loads one backend and runs the cases that it is handed."""

from __future__ import annotations

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
    from torchport_conformance.layers import Runners
    from torchport_conformance.subject import load_subject

    torch.set_num_threads(setup.threads)
    try:
        runners = Runners(load_subject(setup.backend), setup.seed)
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
            connection.send(Finished(runners.run(case)))
        connection.send(Idle())
