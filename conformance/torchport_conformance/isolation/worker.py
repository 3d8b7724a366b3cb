"""What a worker process does: it loads one backend and runs the cases that it is handed."""

from __future__ import annotations

import os
import resource
import sys
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from torchport_conformance.isolation.channel import Channel
from torchport_conformance.isolation.marker import Marker
from torchport_conformance.isolation.protocol import Finished, Idle, NotReady, Ready, RunCases, Setup
from torchport_conformance.report.model import CaseResult, Status
from torchport_conformance.stages import Stage, observed

if TYPE_CHECKING:
    from torchport_conformance.subject import Subject


def serve(channel: Channel, marker: Marker, home: str) -> None:
    """Answers messages until the parent closes the socket; ``home`` becomes the working directory."""
    setup = channel.receive()
    assert isinstance(setup, Setup)
    sys.path[:] = [*dict.fromkeys([*setup.sys_path, *sys.path])]
    _settle(home)
    if setup.memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (setup.memory, setup.memory))

    import torch

    from torchport.errors import TorchportError
    from torchport_conformance.layers import Runners
    from torchport_conformance.subject import load_subject

    torch.set_num_threads(setup.threads)
    try:
        subject = load_subject(setup.backend)
        if setup.reset:
            _reset(subject)
        runners = Runners(subject, setup.seed)
    except TorchportError as error:
        channel.send(NotReady(str(error)))
        return
    channel.send(Ready())
    while True:
        try:
            message = channel.receive()
        except EOFError:
            return
        assert isinstance(message, RunCases)
        for offset, case in enumerate(message.cases):
            index = message.first + offset
            if message.together and runners.lacks(case):
                marker.set(index, Stage.PREPARE)
                runners.prepare(message.cases, offset)
            marker.set(index, Stage.START)
            with observed(partial(marker.set, index)):
                result = runners.run(case)
            marker.set(index, Stage.DONE)
            channel.send(Finished(_displaced(result, home)))
        time.sleep(message.linger)
        channel.send(Idle())


def _reset(subject: Subject) -> None:
    """The backend's own reset of the device, since the worker before this one was lost."""
    if subject.backend is not None:
        for target in subject.backend.targets()[:1]:
            subject.backend.reset_device(target)


def _settle(home: str) -> None:
    """A working directory of the worker's own: what is deleted there was nobody's."""
    os.makedirs(home, exist_ok=True)
    os.chdir(home)


def _displaced(result: CaseResult, home: str) -> CaseResult:
    """The result; a failure, where the case has moved the process to another directory or deleted its own."""
    try:
        where = os.getcwd()
    except FileNotFoundError:
        where = ""
    if where == home:
        return result
    _settle(home)
    if result.is_failure:
        return result
    did = f"left the process in {where}" if where else "deleted the process's working directory"
    return replace(result, status=Status.FAILED, message=f"the case {did}", cause="working directory changed")
