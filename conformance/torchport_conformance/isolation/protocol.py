"""What a parent and its worker processes say to each other, over one pipe per worker."""

from __future__ import annotations

from dataclasses import dataclass

from torchport_conformance.backend_source import BackendSource
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.report.model import CaseResult


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker: where modules are found, which backend, and the settings of the run."""

    sys_path: tuple[str, ...]
    backend: BackendSource
    seed: int
    threads: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has loaded the backend."""


@dataclass(frozen=True, slots=True)
class NotReady:
    """The worker could not load the backend; ``text`` says why."""

    text: str


@dataclass(frozen=True, slots=True)
class RunCases:
    """Run these cases in order."""

    cases: tuple[AnyCase, ...]


@dataclass(frozen=True, slots=True)
class Started:
    """The worker is about to run the case. If nothing else follows, the case is the suspect."""

    id: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The case ended by itself."""

    result: CaseResult


@dataclass(frozen=True, slots=True)
class Idle:
    """Every case of the last :class:`RunCases` has ended."""
