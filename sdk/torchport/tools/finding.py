"""One thing that ``torchport doctor`` looked at."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

State = Literal["ok", "missing", "warning", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """``missing`` limits what can be done, ``warning`` changes what is done; ``broken`` needs repair."""

    what: str
    state: State
    found: str
    hint: str = ""

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return asdict(self)
