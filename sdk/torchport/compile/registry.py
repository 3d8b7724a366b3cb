"""Installed backends, found through the entry-point group ``torchport.backends`` and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from torchport.compile.backend import Backend
from torchport.errors import RegistrationError, TorchportError

GROUP = "torchport.backends"


@dataclass(frozen=True, slots=True)
class InstalledBackend:
    """One entry point: the distribution it came from, and why it cannot be used (``None`` when it can)."""

    name: str
    distribution: str
    target: str
    error: TorchportError | None
    backend: Backend | None


def _entries() -> Mapping[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        if all(entry.value != other.value for other in found.get(entry.name, [])):
            found.setdefault(entry.name, []).append(entry)
    return found


@cache
def instance_of(cls: type[Backend]) -> Backend:
    """The one instance of a backend class in this process."""
    return cls()


def load_backend(name: str) -> Backend:
    """The installed backend called ``name``.

    Raises:
        RegistrationError: none or several are installed under that name, its package cannot be imported, or
            it is not a :class:`Backend`.
    """
    entries = _entries()
    if name not in entries:
        raise RegistrationError(
            f"no backend {name!r} is installed",
            got=f"installed: {', '.join(sorted(entries)) or 'none'}",
            hint="install its package, or scaffold one with `torchport new`",
        )
    if len(entries[name]) > 1:
        packages = ", ".join(f"{e.dist.name if e.dist else '?'} ({e.value})" for e in entries[name])
        raise RegistrationError(
            f"backend {name!r} is installed twice", got=packages, hint="uninstall all but one"
        )
    return _load(entries[name][0])


def _load(entry: EntryPoint) -> Backend:
    package = entry.dist.name if entry.dist else entry.value
    try:
        cls = entry.load()
    except TorchportError:
        raise
    except Exception as error:
        raise RegistrationError(
            f"the package of backend {entry.name!r} cannot be imported: {type(error).__name__}: {error}",
            got=f"{entry.value} from {package}",
            hint=f"repair or uninstall {package}; other backends are not affected",
        ) from error
    if not (isinstance(cls, type) and issubclass(cls, Backend)):
        raise RegistrationError(
            f"entry point {entry.name!r} must name a subclass of torchport.Backend",
            got=f"{entry.value} is {cls!r}",
        )
    if cls.name != entry.name:
        raise RegistrationError(
            f"entry point {entry.name!r} names a backend that calls itself {cls.name!r}",
            got=f"{entry.value} from {package}",
            hint="use the same name in both places",
        )
    try:
        return instance_of(cls)
    except TorchportError:
        raise
    except Exception as error:
        raise RegistrationError(
            f"backend {entry.name!r} cannot be made: {type(error).__name__}: {error}",
            got=f"{entry.value} from {package}",
        ) from error


def backends() -> tuple[InstalledBackend, ...]:
    """Every installed backend, broken ones with their error. Loading one never affects another."""
    found = []
    names = Counter(name for name, group in _entries().items() for _ in group)
    for name, group in sorted(_entries().items()):
        for entry in group:
            distribution = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "?"
            error: TorchportError | None = None
            backend: Backend | None = None
            try:
                backend = load_backend(name) if names[name] > 1 else _load(entry)
            except TorchportError as problem:
                error = problem
            found.append(InstalledBackend(name, distribution, entry.value, error, backend))
    return tuple(found)
