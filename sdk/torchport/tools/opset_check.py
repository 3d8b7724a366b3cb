"""Compares a contract with the running PyTorch: ``torchport opset check``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import torch

from torchport.contract.spec import OpSpec


@dataclass(frozen=True, slots=True)
class Drift:
    """One contract entry that PyTorch no longer agrees with; ``running`` is None where it has no such operator."""

    op: str
    contract: str
    running: str | None

    def to_json(self) -> dict[str, str | None]:
        """Plain data."""
        return asdict(self)


def check_schemas(specs: Iterable[OpSpec]) -> tuple[Drift, ...]:
    """Entries whose schema differs from that of the running PyTorch, or whose operator is gone."""
    found: list[Drift] = []
    for spec in specs:
        running = _running_schema(spec)
        contract = str(torch._C.parse_schema(spec.schema))
        if running != contract:
            found.append(Drift(spec.name, contract, running))
    return tuple(found)


def _running_schema(spec: OpSpec) -> str | None:
    try:
        return str(spec.overload._schema)
    except AttributeError:
        return None
