"""Where what is tested comes from, in a form that a worker process can be handed."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

from torchport.compile.backend import Backend
from torchport.compile.registry import load_backend
from torchport.errors import OptionError, RegistrationError, UsageError
from torchport.tools.imported import imported

LEVELS = ("dynamo", "inductor", "device")
"""Levels of integration by name."""


@dataclass(frozen=True, slots=True)
class BackendSource:
    """An entry-point name, a ``module:Class`` text, or a pickled instance; ``text`` names it in reports. At
    the levels ``inductor`` and ``device`` it names a compiler of ``torch.compile``, or a device.
    """

    text: str
    pickled: bytes | None = None
    level: str = "dynamo"

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


def backend_source(
    backend: str | Backend | type[Backend], *, in_process: bool, level: str = "dynamo"
) -> BackendSource:
    """The source of a backend given by name, as ``module:Class``, as a class or as an instance; at another
    ``level``, of what is called by a name there.

    Raises:
        OptionError: there is no such level, or something else than a name is given at it.
        RegistrationError: an instance that a worker process could not make again, and ``in_process`` is
            false.
    """
    if level not in LEVELS:
        raise OptionError("there is no such level", got=repr(level), hint=f"one of: {', '.join(LEVELS)}")
    if isinstance(backend, str):
        return BackendSource(backend, level=level)
    if level != "dynamo":
        raise OptionError(f"at the level {level!r} the subject is given by its name", got=repr(backend))
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
    try:
        found: object = imported(text, "backend")
    except UsageError as error:
        raise RegistrationError(error.message, got=error.got, hint=error.hint) from error
    return found
