"""What is tested: a backend at one of the levels of integration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchport.compile.backend import Backend
from torchport.errors import RegistrationError
from torchport_conformance.backend_source import BackendSource, backend_source


@dataclass(frozen=True, eq=False)
class Subject:
    """What is tested, loaded.

    ``level`` is ``dynamo``, ``inductor`` or ``device``; ``backend`` is the :class:`torchport.Backend` of a
    Dynamo-level subject and None otherwise; ``compiler`` is what ``torch.compile`` is given; ``device`` is
    where its tensors live.
    """

    text: str
    level: str
    device: str
    backend: Backend | None
    compiler: Any

    @property
    def version(self) -> str:
        """The backend's version; that of PyTorch at other levels, which know no other."""
        return torch.__version__ if self.backend is None else self.backend.version

    @property
    def source_hash(self) -> str:
        """The backend's digest of its code; at other levels nothing but a name identifies it."""
        return f"torch {torch.__version__}" if self.backend is None else self.backend.source_hash()

    def compile(self, fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """``fn`` through ``torch.compile`` with options of ``torch.compile``, such as ``dynamic``; ``fn``
        itself at the level ``device``, where nothing is compiled.
        """
        if self.level == "device":
            return fn
        compiled: Callable[..., Any] = torch.compile(fn, backend=self.compiler, **options)
        return compiled


class Opened(NamedTuple):
    """What is tested, loaded, and where worker processes find it."""

    subject: Subject
    source: BackendSource


def dynamo_subject(backend: Backend, text: str = "") -> Subject:
    """The subject of a torchport backend: its first target, and all of the road from ``torch.compile``."""
    return Subject(text or backend.name, "dynamo", backend.targets()[0].device, backend, backend)


def level_subject(name: str, level: str) -> Subject:
    """The subject called ``name`` at the level ``inductor`` or ``device``: a compiler that ``torch.compile``
    knows, or a device.

    Raises:
        RegistrationError: there is no such compiler or device.
    """
    if level == "inductor":
        if name not in torch.compiler.list_backends(exclude_tags=()):
            raise RegistrationError("torch.compile has no such backend", got=repr(name))
        return Subject(name, level, "cpu", None, name)
    try:
        torch.empty(1, device=name)
    except (RuntimeError, AssertionError) as error:
        raise RegistrationError("PyTorch has no such device", got=f"{name}: {error}") from error
    return Subject(name, level, name, None, None)


def load_subject(source: BackendSource) -> Subject:
    """The subject that a source names.

    Raises:
        RegistrationError: as :meth:`BackendSource.load` and :func:`level_subject` do.
    """
    if source.level != "dynamo":
        return level_subject(source.text, source.level)
    return dynamo_subject(source.load(), source.text)


def subject_of(backend: str | Backend | type[Backend], *, in_process: bool, level: str = "dynamo") -> Opened:
    """Loads what is tested; an instance is tested itself.

    Raises:
        OptionError, RegistrationError: as :func:`backend_source` and :func:`load_subject` do.
    """
    source = backend_source(backend, in_process=in_process, level=level)
    if isinstance(backend, Backend):
        return Opened(dynamo_subject(backend, source.text), source)
    return Opened(load_subject(source), source)
