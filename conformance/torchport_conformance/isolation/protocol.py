"""What a parent and its worker processes say to each other."""

from __future__ import annotations

from dataclasses import dataclass

from torchport_conformance.backend_source import BackendSource
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.report.model import CaseResult


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker: where modules are found, which backend, and the settings of the run.

    ``memory`` in bytes, for the worker's own data; ``None`` leaves it to the parent to watch. ``reset`` asks
    for the backend's ``reset``, since the worker before this one was lost.
    """

    sys_path: tuple[str, ...]
    backend: BackendSource
    seed: int
    threads: int
    memory: int | None = None
    reset: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has loaded the backend."""


@dataclass(frozen=True, slots=True)
class NotReady:
    """The worker could not load or reset the backend; ``text`` says why."""

    text: str


@dataclass(frozen=True, slots=True)
class RunCases:
    """Run these cases in order, the first of which is the worker's ``first``-th.

    ``together`` allows to compile for several of them at once. The worker stays for ``linger`` seconds after
    the last, so that what it left running can do its damage.
    """

    first: int
    cases: tuple[AnyCase, ...]
    together: bool = False
    linger: float = 0.0


@dataclass(frozen=True, slots=True)
class Finished:
    """The case ended by itself."""

    result: CaseResult


@dataclass(frozen=True, slots=True)
class Idle:
    """Every case of the last :class:`RunCases` has ended."""
