"""Profiles: the operators that a kind of model needs, with how often it calls them.

The whole contract is a ceiling; a profile is a work plan. Each is measured over small configurations of
public models (``python -m torchport_conformance.operator_profiles`` writes them) and is closed: a backend
that runs its ``ops``, or only its ``prims``, runs every one of its models without falling back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from torchport.errors import UsageError


@dataclass(frozen=True, slots=True)
class Use:
    """How one operator is used: calls in one run of all models, share of all calls, models that call it."""

    tier: str
    calls: int
    share: float
    models: int


@dataclass(frozen=True, slots=True)
class Profile:
    """``ops`` are the operators as they are captured, most called first; ``prims`` what they reduce to."""

    name: str
    opset: str
    models: tuple[str, ...]
    ops: Mapping[str, Use]
    prims: Mapping[str, Use]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "opset": self.opset,
            "models": list(self.models),
            "ops": {op: _plain(use) for op, use in self.ops.items()},
            "prims": {op: _plain(use) for op, use in self.prims.items()},
        }


def _plain(use: Use) -> dict[str, Any]:
    return {"tier": use.tier, "calls": use.calls, "share": use.share, "models": use.models}


def profile_names() -> tuple[str, ...]:
    """The profiles that there are."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(f.name.removesuffix(".json") for f in files if f.name.endswith(".json")))


@cache
def profile_named(name: str) -> Profile:
    """A profile by name.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in profile_names():
        raise UsageError(f"there is no profile {name!r}", hint=f"one of: {', '.join(profile_names())}")
    data = json.loads(resources.files(__name__).joinpath(f"{name}.json").read_text("utf-8"))
    uses = {kind: {op: Use(**use) for op, use in data[kind].items()} for kind in ("ops", "prims")}
    return Profile(data["name"], data["opset"], tuple(data["models"]), **uses)
