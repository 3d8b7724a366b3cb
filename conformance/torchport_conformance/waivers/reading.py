"""Waivers from a TOML file, checked against the published schema."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import torch

from torchport.contract.graph import dtype_name
from torchport.errors import TorchportError
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.layers import LAYERS
from torchport_conformance.waivers.predicate import Predicate, Range

POLICIES = ("unexpected_pass", "expired", "unmatched")
"""What may be wrong with a waiver."""


class WaiverError(TorchportError):
    """A file of waivers cannot be read, or an entry of it is not valid; the text names the entry."""

    stage = "waivers"


@dataclass(frozen=True, slots=True)
class Waiver:
    """An entry of the file. ``name`` says which: its place, counted from 1. ``expires`` is its last day."""

    name: str
    predicate: Predicate
    reason: str
    owner: str
    link: str
    expires: date

    def is_over(self, today: date) -> bool:
        """Whether it has expired."""
        return today > self.expires


@dataclass(frozen=True, slots=True)
class Waivers:
    """A file: its entries in order, and what is wrong with a waiver that makes the run fail; the rest of
    :data:`POLICIES` is listed.
    """

    entries: tuple[Waiver, ...] = ()
    failing: frozenset[str] = frozenset(POLICIES)


def schema() -> dict[str, Any]:
    """The published JSON Schema of what the TOML holds; dates are texts in it."""
    loaded: dict[str, Any] = json.loads((files(__package__) / "waivers.schema.json").read_text())
    return loaded


def read_waivers(path: Path) -> Waivers:
    """The waivers of a file.

    Raises:
        WaiverError: the file is missing, is no TOML, or has an entry that is not valid.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WaiverError("the file cannot be read", got=f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WaiverError("the file is no TOML", got=f"{path}: {error}") from error
    plain = _plain(data)
    validator = jsonschema.Draft202012Validator(schema())
    for problem in sorted(validator.iter_errors(plain), key=lambda e: [str(p) for p in e.absolute_path]):
        raise _invalid(path, list(problem.absolute_path), _explained(problem))
    settings = plain.get("settings", {})
    failing = frozenset(name for name in POLICIES if settings.get(name, "fail") == "fail")
    entries = enumerate(plain.get("waiver", []), 1)
    return Waivers(tuple(_entry(path, number, entry) for number, entry in entries), failing)


def _entry(path: Path, number: int, entry: Mapping[str, Any]) -> Waiver:
    limits: dict[str, Any] = {}
    for each in fields(Predicate):
        if each.name not in entry:
            continue
        value = entry[each.name]
        if isinstance(value, Mapping):
            limits[each.name] = Range(value.get("min"), value.get("max"))
        else:
            limits[each.name] = (value,) if isinstance(value, str) else tuple(value)
    known = {"dtype": _dtypes(), "layout": set(LAYOUTS), "layer": set(LAYERS)}
    for name, values in known.items():
        for value in limits.get(name, ()):
            if value not in values and not (name == "layout" and set(limits.get("layer", ())) - {"op"}):
                raise _invalid(path, ["waiver", number - 1, name], f"there is no {name} {value!r}")
    try:
        expires = date.fromisoformat(entry["expires"])
    except ValueError as error:
        raise _invalid(path, ["waiver", number - 1, "expires"], str(error)) from error
    return Waiver(
        f"waiver {number}", Predicate(**limits), entry["reason"], entry["owner"], entry["link"], expires
    )


def _plain(value: Any) -> Any:
    """TOML as JSON has it: dates are texts."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.isoformat() if isinstance(value, date | datetime) else value


def _dtypes() -> set[str]:
    return {dtype_name(d) for d in vars(torch).values() if isinstance(d, torch.dtype)} | {"none"}


def _explained(error: jsonschema.ValidationError) -> str:
    """The message of a violation; an entry without a predicate says so."""
    if error.validator == "anyOf" and isinstance(error.instance, dict):
        return (
            "no predicate: one of op, id, dtype, layout, layer, label, cause, size, rank, elements is needed"
        )
    return error.message


def _invalid(path: Path, where: list[Any], what: str) -> WaiverError:
    place = ""
    if where[:1] == ["waiver"] and len(where) > 1:
        place = f"waiver {where[1] + 1}" + (f", {where[2]}" if len(where) > 2 else "")
    elif where:
        place = ".".join(map(str, where))
    got = f"{path}{': ' + place if place else ''}: {what}"
    return WaiverError("a waiver is not valid", got=got, hint="the keys are in docs/conformance.md")
