"""A case of the graph layer: one program, with a choice for each of its axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torchport_conformance.cases.case import seed_of


@dataclass(frozen=True, slots=True)
class GraphCase:
    """One program of a kind. ``axes`` has the choice on each axis in the family's order."""

    kind: str
    name: str
    axes: tuple[tuple[str, str], ...] = ()
    label: str | None = None
    layer: ClassVar[str] = "graph"

    @property
    def op(self) -> str:
        """The family that the case is counted under."""
        return f"graph:{self.kind}/{self.name}"

    @property
    def id(self) -> str:
        """``graph:KIND/NAME[axis=choice,...]``."""
        return f"{self.op}[{','.join(f'{axis}={choice}' for axis, choice in self.axes)}]"

    @property
    def choices(self) -> Mapping[str, str]:
        """The choice on each axis."""
        return dict(self.axes)

    @property
    def dtype(self) -> str:
        """The choice on the axis ``dtype``; float32 where there is none."""
        return self.choices.get("dtype", "float32")

    @property
    def layout(self) -> str:
        """The choice on the axis ``layout``; contiguous where there is none."""
        return self.choices.get("layout", "contiguous")

    @property
    def group(self) -> tuple[str, str]:
        """Programs share nothing compiled; cases of one family stay together."""
        return (self.kind, self.name)

    def call(self) -> str:
        """The program and its axes in words."""
        return f"program {self.kind}/{self.name} ({', '.join(f'{a}: {c}' for a, c in self.axes)})"

    def seed(self, run_seed: int) -> int:
        """The seed of the case's values."""
        return seed_of(self.id, run_seed)
