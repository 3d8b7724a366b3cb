"""Compares the frozen contract with the running PyTorch: ``torchport opset check``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch

from torchport.contract.snapshot import path_of
from torchport.contract.spec import resolve
from torchport.contract.version import LOG
from torchport.errors import ContractError


@dataclass(frozen=True, slots=True)
class Drift:
    """One contract entry whose schema PyTorch has changed; ``running`` is None where the operator is gone."""

    op: str
    contract: str
    running: str | None


@dataclass(frozen=True, slots=True)
class SchemaCheck:
    """The outcome for one contract version: how many schemas were compared, and which of them differ."""

    opset: str
    torch: str
    compared: int
    drifts: tuple[Drift, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "drifts": [asdict(drift) for drift in self.drifts]}


def check_version(version: str) -> SchemaCheck:
    """Compares every schema in the snapshot of ``version``; the running Python's entries are not consulted.

    Raises:
        ContractError: there is no such version, or its snapshot is missing or damaged.
    """
    if version not in LOG:
        raise ContractError(
            "unknown contract version", got=repr(version), hint=f"known versions: {', '.join(LOG)}"
        )
    path = path_of(version)
    try:
        schemas = {
            entry["name"]: entry["schema"] for entry in json.loads(path.read_text(encoding="utf-8"))["ops"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ContractError(
            f"the snapshot of opset {version} cannot be read",
            got=f"{path}: {type(error).__name__}: {error}",
            hint="reinstall torchport",
        ) from error
    return SchemaCheck(version, torch.__version__, len(schemas), check_schemas(schemas))


def check_schemas(schemas: Mapping[str, str]) -> tuple[Drift, ...]:
    """Which of ``schemas`` (schema text by qualified name) are not those of the running PyTorch."""
    running = {name: _running_schema(name) for name in schemas}
    return tuple(Drift(name, text, running[name]) for name, text in schemas.items() if running[name] != text)


def _running_schema(name: str) -> str | None:
    try:
        return str(resolve(name)._schema)
    except AttributeError:
        return None
