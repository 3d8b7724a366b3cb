"""Typed options: those of the SDK and those a backend declares. Unknown ones raise and list the known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


SDK_OPTIONS: Mapping[str, Option] = {
    "strict": Option(bool, False, "raise when a node would run outside the backend"),
    "cache": Option(bool, True, "keep compiled regions on disk"),
    "raise_macros": Option(bool, True, "offer composites, called by name or written out, as macros"),
    "max_refusals": Option(int, 8, "how often a region is split after late refusals"),
}


class Options(Mapping[str, Any]):
    """An immutable, validated set of option values; ``mode`` is one of torch.compile's modes."""

    def __init__(self, values: Mapping[str, Any], mode: str = "default") -> None:
        self._values, self.mode = dict(values), mode

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def cache_key(self) -> str:
        """Canonical text of every value, for cache keys."""
        return repr((self.mode, sorted(self._values.items())))


def parse_options(
    declared: Mapping[str, Option],
    given: Mapping[str, Any] | None,
    *,
    mode: str | None = None,
    modes: tuple[str, ...] = ("default",),
    backend: str,
) -> Options:
    """Validates ``given`` against the SDK's and the backend's declarations.

    Raises:
        OptionError: unknown name, wrong type, value outside the choices, or a mode outside ``modes``.
    """
    known = {**SDK_OPTIONS, **declared}
    values = {name: option.default for name, option in known.items()}
    for name, value in (given or {}).items():
        if name not in known:
            listing = ", ".join(f"{n}: {o.type.__name__} = {o.default!r}" for n, o in sorted(known.items()))
            raise OptionError(
                f"backend {backend!r} has no option {name!r}",
                got=repr(value),
                hint=f"known options: {listing}",
            )
        option = known[name]
        if type(value) is not option.type:
            raise OptionError(
                f"option {name!r} takes {option.type.__name__}",
                got=f"{type(value).__name__} {value!r}",
                hint=option.doc,
            )
        if option.choices and value not in option.choices:
            raise OptionError(
                f"option {name!r} must be one of {option.choices}", got=repr(value), hint=option.doc
            )
        values[name] = value
    if (mode or "default") not in modes:
        raise OptionError(
            f"backend {backend!r} has no mode {mode!r}", got=repr(mode), hint=f"its modes: {', '.join(modes)}"
        )
    return Options(values, mode or "default")
