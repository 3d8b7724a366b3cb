"""A backend as a session uses it."""

from __future__ import annotations

from dataclasses import dataclass

from torchport.compile.backend import Backend
from torchport.compile.capabilities import Capabilities, Target


@dataclass(frozen=True, eq=False)
class Bound:
    """A backend with the target it compiles for and what it declared about it."""

    backend: Backend
    target: Target
    capabilities: Capabilities
