"""What the process of one architecture does. Importing this module imports all that a run needs, so that
processes forked after it start at once.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection

import torch
import transformers

from torchport.compile.backend import Backend
from torchport_conformance.backend_source import BackendSource
from torchport_conformance.public_models.entry import PublicModel
from torchport_conformance.public_models.generation import generate
from torchport_conformance.public_models.judge import Subject, SubjectError, judge_mode
from torchport_conformance.public_models.results import Mode, ModeResult, Verdict
from torchport_conformance.public_models.table import DECODERS, public_model


def serve(
    connection: Connection, source: BackendSource, name: str, modes: tuple[Mode, ...], log: str
) -> None:
    """Judges one architecture in a process of its own; sends a :class:`ModeResult` for each mode, and for a
    decoder a :class:`GenerationResult`.

    Both output streams go to the file ``log``. Kernels run on one thread: other processes have the other
    cores.
    """
    os.setsid()
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(written, stream)
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    backend = source.load()
    for result in judge_model(public_model(name), backend, modes):
        connection.send(result)
    if name in DECODERS:
        connection.send(generate(name, backend))


def judge_model(entry: PublicModel, backend: Backend, modes: Iterable[Mode]) -> Iterator[ModeResult]:
    """Every mode of one architecture, in this process."""
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        subject = Subject(entry)
        for mode in modes:
            try:
                yield judge_mode(subject, mode, backend)
            except SubjectError as error:
                yield ModeResult(mode, Verdict.SHORT, str(error))
