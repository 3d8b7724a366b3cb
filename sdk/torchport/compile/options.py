"""Typed options: those of the SDK and those a backend declares. Unknown ones raise and list the known.

torch.compile takes a mode or options, not both. An option called ``mode`` therefore means the mode.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from torchport.errors import OptionError


@dataclass(frozen=True, slots=True)
class Option:
    """Declares an option: its Python type, default, allowed values (empty = any) and one line of
    documentation.
    """

    type: type
    default: Any
    doc: str
    choices: tuple[Any, ...] = ()
    low: int | float | None = None
    """The smallest value allowed, for numbers."""


SDK_OPTIONS: Mapping[str, Option] = {
    "strict": Option(bool, False, "raise when a node would run outside the backend"),
    "cache": Option(bool, True, "keep compiled regions on disk"),
    "raise_macros": Option(bool, True, "offer composites, called by name or written out, as macros"),
    "max_refusals": Option(int, 8, "how often a region is split after late refusals", low=0),
    "max_specializations": Option(
        int, 16, "shapes for which code of one region is kept, where its backend needs static sizes", low=1
    ),
    "specialization_overflow": Option(
        str,
        "eager",
        "what further shapes do: run in eager PyTorch, or evict the least recently used",
        ("eager", "evict"),
    ),
    "freeze": Option(bool, False, "let the backend prepack weights: they then change by update_weights only"),
    "frozen_check": Option(
        str,
        "version",
        "what is looked at before each call to find frozen weights that changed",
        ("version", "checksum", "none"),
    ),
}


class Options(Mapping[str, Any]):
    """An immutable, validated set of option values.

    ``mode`` is one of the backend's modes. ``deterministic`` says that
    ``torch.use_deterministic_algorithms(True)`` is in force: code that is compiled now must give the same
    bits on every run.
    """

    def __init__(
        self, values: Mapping[str, Any], mode: str = "default", *, deterministic: bool = False
    ) -> None:
        self._values, self.mode, self.deterministic = dict(values), mode, deterministic

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def cache_key(self) -> str:
        """Canonical text of everything that compiled code may depend on, for cache keys."""
        return repr((self.mode, self.deterministic, sorted(self._values.items())))


def declared_options(backends: Iterable[tuple[str, Mapping[str, Option]]]) -> dict[str, Option]:
    """The options of several backends together, given as pairs of name and options.

    Raises:
        OptionError: a backend declares an option of the SDK anew, or one that is not well formed, or two
            backends declare one name differently.
    """
    found: dict[str, Option] = {}
    owner: dict[str, str] = {}
    for backend, options in backends:
        for name, option in options.items():
            if name in SDK_OPTIONS or name == "mode":
                raise OptionError(
                    f"backend {backend!r} declares the option {name!r}, which is one of the SDK",
                    hint="rename it in Backend.options",
                )
            if not isinstance(option, Option) or _problem(option, option.default):
                raise OptionError(
                    f"backend {backend!r} declares the option {name!r} with a default that it does not allow",
                    got=repr(option),
                    hint="Backend.options maps names to tp.Option(type, default, doc, choices)",
                )
            if found.setdefault(name, option) != option:
                raise OptionError(
                    f"backends {owner[name]!r} and {backend!r} declare the option {name!r} differently",
                    hint="compose backends whose options do not clash",
                )
            owner[name] = backend
    return found


def parse_options(
    declared: Mapping[str, Option],
    given: Mapping[str, Any] | None,
    *,
    mode: str | None = None,
    modes: tuple[str, ...] = ("default",),
    backend: str,
    deterministic: bool = False,
) -> Options:
    """Validates ``given`` against the SDK's and the backend's declarations.

    Raises:
        OptionError: unknown name, wrong type, value outside the choices or below the limit, or a mode outside
            ``modes``.
    """
    known = {**SDK_OPTIONS, **declared}
    values = {name: option.default for name, option in known.items()}
    for name, value in (given or {}).items():
        if name == "mode":
            if mode is not None and mode != value:
                raise OptionError("two different modes are given", got=f"{mode!r} and {value!r}")
            mode = value
            continue
        if name not in known:
            listing = ", ".join(f"{n}: {o.type.__name__} = {o.default!r}" for n, o in sorted(known.items()))
            raise OptionError(
                f"backend {backend!r} has no option {name!r}{_meant(name, known)}",
                got=repr(value),
                hint=f"known options: {listing}",
            )
        option = known[name]
        if option.type is float and type(value) is int:
            value = float(value)
        problem = _problem(option, value)
        if problem:
            raise OptionError(
                f"option {name!r} {problem}", got=f"{type(value).__name__} {value!r}", hint=option.doc
            )
        values[name] = value
    if (mode or "default") not in modes:
        raise OptionError(
            f"backend {backend!r} has no mode {mode!r}{_meant(str(mode), modes)}",
            got=repr(mode),
            hint=f"its modes: {', '.join(modes)}",
        )
    return Options(values, mode or "default", deterministic=deterministic)


def _problem(option: Option, value: Any) -> str:
    """What is wrong with a value; empty when nothing is."""
    if type(value) is not option.type:
        return f"takes {option.type.__name__}"
    if option.choices and value not in option.choices:
        return f"must be one of {option.choices}"
    if option.low is not None and isinstance(value, int | float) and value < option.low:
        return f"must be at least {option.low}"
    return ""


def _meant(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
