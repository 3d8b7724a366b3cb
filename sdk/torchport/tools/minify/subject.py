"""What is tested: a backend that runs candidates, and the verdict on one run of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.compile.backend import Backend
from torchport.compile.eager_backend import EagerBackend
from torchport.compile.reports import Reports
from torchport.contract.fx_export import export_fx
from torchport.contract.opset import OpSet
from torchport.dynamo import DynamoBackend, dynamo_backend
from torchport.errors import TorchportError
from torchport.pipeline import Session, session_for, stages
from torchport.tools.minify.candidate import Candidate
from torchport.tools.minify.rule import expected, wrong

CRASH, KILLED, HANG, ACCURACY = "crash", "killed", "hang", "accuracy"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong. ``kind`` is ``crash`` (an exception), ``killed`` (the process died), ``hang`` or
    ``accuracy``; ``key`` is equal for faults of one cause, as far as that can be told from outside.
    """

    kind: str
    text: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


def crash(error: BaseException) -> Fault:
    """The fault that an exception is. Names and numbers in its message do not tell two causes apart."""
    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    message = root.message if isinstance(root, TorchportError) else str(root)
    first = message.strip().partition("\n")[0]
    stable = re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|\d+", "_", first)
    return Fault(CRASH, f"{type(root).__name__}: {first}", f"{type(root).__name__}|{stable}")


@dataclass(frozen=True, eq=False)
class Subject:
    """A backend of torchport's, or (``compiler``) any other that ``torch.compile`` takes."""

    backends: tuple[Backend, ...] = ()
    options: Mapping[str, Any] | None = None
    compiler: str | Callable[..., Any] | None = None

    @classmethod
    def of(cls, backend: Any, options: Mapping[str, Any] | None = None) -> Subject:
        """The subject that ``torch.compile(backend=backend)`` would use.

        Raises:
            RegistrationError: no such backend.
        """
        if isinstance(backend, DynamoBackend | Backend) or (
            isinstance(backend, type) and issubclass(backend, Backend)
        ):
            entry = dynamo_backend(backend)
            return cls(entry.backends, {**entry._options, **(options or {})})
        if isinstance(backend, str):
            from torchport.compile.registry import backends

            if backend not in {b.name for b in backends()} and backend in torch._dynamo.list_backends(None):
                return cls(compiler=backend, options=options)
            return cls.of(dynamo_backend(backend), options)
        return cls(compiler=backend, options=options)

    @property
    def entry(self) -> DynamoBackend:
        """What captures programs as this backend would be given them."""
        return DynamoBackend(self.backends or (EagerBackend(),), self.options if self.backends else None)

    @property
    def opset(self) -> OpSet:
        """The contract version."""
        return self.session().opset

    def session(self) -> Session:
        """What candidates are compiled with; nothing is read from a cache or written to it."""
        entry = self.entry
        cached = {"cache": False} if "cache" in entry.parse(None, None) else {}
        return session_for(entry.backends, entry.parse(cached, None), Reports())

    def run(self, found: Candidate, tensors: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        """The outputs of a candidate, computed by the backend."""
        arguments = [*tensors, *found.numbers()]
        with torch.no_grad():
            if self.compiler is None:
                return stages(found.captured(), self.session())(arguments)
            captured = found.captured()
            module = export_fx(captured.graph, captured.arguments, {})
            torch._dynamo.reset()
            compiled = torch.compile(module, backend=self.compiler, options=dict(self.options or {}) or None)
            outputs: Sequence[torch.Tensor] = compiled(*arguments)
            return outputs

    def judge(self, found: Candidate, tensors: Sequence[torch.Tensor], *, values: bool) -> Fault | None:
        """Runs a candidate and says what is wrong, with ``values`` also by the float64 rule.

        ``None`` also where eager PyTorch itself cannot run the candidate.
        """
        try:
            wanted = expected(found, tensors, self.opset) if values else ()
        except Exception:  # noqa: BLE001 - whatever PyTorch raises, this is no program
            return None
        try:
            results = self.run(found, tensors)
        except Exception as error:  # noqa: BLE001 - any exception of the backend is the fault
            return crash(error)
        text = wrong(results, wanted) if values else ""
        return Fault(ACCURACY, text, ACCURACY) if text else None
