"""What is tested: a backend at one of the levels of integration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchport.compile.backend import Backend
from torchport_conformance.backend_source import BackendSource


@dataclass(frozen=True, eq=False)
class Subject:
    """A loaded backend.

    ``level`` is ``dynamo``, ``inductor`` or ``device``; ``backend`` is the :class:`torchport.Backend` of a
    Dynamo-level subject and None otherwise; ``compiler`` is what ``torch.compile`` is given; ``device`` is
    where its tensors live.
    """

    text: str
    level: str
    device: str
    backend: Backend | None
    compiler: Any

    def compile(self, fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """``fn`` through ``torch.compile`` with options of ``torch.compile``, such as ``dynamic``; ``fn``
        itself at the level ``device``, where nothing is compiled.
        """
        if self.level == "device":
            return fn
        compiled: Callable[..., Any] = torch.compile(fn, backend=self.compiler, **options)
        return compiled


def dynamo_subject(backend: Backend, text: str = "") -> Subject:
    """The subject of a torchport backend: its first target, and all of the road from ``torch.compile``."""
    return Subject(text or backend.name, "dynamo", backend.targets()[0].device, backend, backend)


def load_subject(source: BackendSource) -> Subject:
    """The subject that a source names.

    Raises:
        RegistrationError: as :meth:`BackendSource.load` does.
    """
    return dynamo_subject(source.load(), source.text)
