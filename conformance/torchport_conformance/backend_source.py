"""Where a backend comes from, in a form that a worker process can be handed."""

from __future__ import annotations

import importlib
import pickle
from dataclasses import dataclass

from torchport.compile.backend import Backend
from torchport.compile.registry import load_backend
from torchport.errors import RegistrationError


@dataclass(frozen=True, slots=True)
class BackendSource:
    """An entry-point name, a ``module:Class`` text, or a pickled instance; ``text`` names it in reports."""

    text: str
    pickled: bytes | None = None

    def load(self) -> Backend:
        """The backend.

        Raises:
            RegistrationError: it cannot be found, imported or made, or is not a ``Backend``.
        """
        if self.pickled is not None:
            found = pickle.loads(self.pickled)
        else:
            found = _import(self.text) if ":" in self.text else load_backend(self.text)
        if isinstance(found, type) and issubclass(found, Backend):
            found = found()
        if not isinstance(found, Backend):
            raise RegistrationError(
                f"{self.text!r} is not a torchport.Backend",
                got=repr(found),
                hint="name a subclass of torchport.Backend",
            )
        return found


def backend_source(backend: str | Backend | type[Backend], *, in_process: bool) -> BackendSource:
    """The source of a backend given by name, as ``module:Class``, as a class or as an instance.

    Raises:
        RegistrationError: an instance that a worker process could not make again, and ``in_process`` is
            false.
    """
    if isinstance(backend, str):
        return BackendSource(backend)
    kind = backend if isinstance(backend, type) else type(backend)
    text = f"{kind.__module__}:{kind.__qualname__}"
    if in_process:
        return BackendSource(text)
    hint = (
        "put the class in an importable module, give the backend by name, or run in this process with jobs=0"
    )
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise RegistrationError("worker processes cannot import the backend's class", got=text, hint=hint)
    if isinstance(backend, type):
        return BackendSource(text)
    try:
        return BackendSource(text, pickle.dumps(backend))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise RegistrationError(
            "the backend instance cannot be sent to worker processes", got=str(error), hint=hint
        ) from error


def _import(text: str) -> object:
    module, _, attribute = text.partition(":")
    try:
        found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise RegistrationError(f"cannot import backend {text!r}", got=str(error)) from error
    return found
