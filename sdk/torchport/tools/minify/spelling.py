"""Backends by text, and the text that makes a backend in a script."""

from __future__ import annotations

import importlib
import inspect
import sys
from dataclasses import dataclass
from typing import Any

from torchport.compile.backend import Backend
from torchport.compile.eager_backend import EagerBackend
from torchport.tools.imported import imported


@dataclass(frozen=True, slots=True)
class Spelled:
    """Lines that import what ``expression`` needs to make a backend."""

    imports: tuple[str, ...]
    expression: str


def named(backend: Any) -> Any:
    """What ``backend`` names: ``module:attribute`` is imported, and called where it is a function of no
    arguments; anything else is returned as it is.

    Raises:
        UsageError: it cannot be imported.
    """
    if not isinstance(backend, str) or ":" not in backend:
        return backend
    found = imported(backend, "backend")
    if isinstance(found, type | Backend) or not _takes_nothing(found):
        return found
    return found()


def _takes_nothing(found: Any) -> bool:
    parameters = inspect.signature(found).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def spelled(backend: Any) -> Spelled | None:
    """How a script makes this backend; ``None`` where it cannot be told."""
    if isinstance(backend, str):
        if ":" not in backend:
            return Spelled((), repr(backend))
        module, _, path = backend.partition(":")
        found = named(backend)
        root = path.partition(".")[0]
        attribute: Any = getattr(importlib.import_module(module), root)
        for part in path.split(".")[1:]:
            attribute = getattr(attribute, part)
        return Spelled((f"from {module} import {root}",), path if found is attribute else f"{path}()")
    if isinstance(backend, EagerBackend) and type(backend) is EagerBackend:
        return _eager(backend)
    cls = backend if isinstance(backend, type) else type(backend)
    line = _imported(cls)
    bare = isinstance(backend, type) or not set(getattr(backend, "__dict__", {})) - {"_dynamo_entry"}
    if line is None or not bare:
        return None
    return Spelled((line,), f"{cls.__name__}()")


def _eager(backend: EagerBackend) -> Spelled | None:
    imports, entries = [], []
    for op, fn in backend.overrides.items():
        line = _imported(fn)
        if line is None:
            return None
        imports.append(line)
        entries.append(f"{op!r}: {fn.__name__}")
    more = ", macros=True" if backend.macros else ""
    return Spelled(tuple(dict.fromkeys(imports)), f"tp.EagerBackend({{{', '.join(entries)}}}{more})")


def _imported(item: Any) -> str | None:
    """The line that imports a class or function; ``None`` where no module has it under its name."""
    module, name = getattr(item, "__module__", None), getattr(item, "__qualname__", "")
    if module in (None, "__main__") or "." in name or not name:
        return None
    if getattr(sys.modules.get(module), name, None) is not item:
        return None
    return f"from {module} import {name}"
