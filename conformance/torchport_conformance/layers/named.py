"""Cases that are programs with a name, and belong to no operator."""

from __future__ import annotations

from dataclasses import dataclass

from torchport_conformance.cases.case import seed_of


@dataclass(frozen=True, slots=True)
class NamedCase:
    """A program of a layer; ``text`` says what it does, ``variant`` in which way."""

    layer: str
    name: str
    text: str
    variant: str = ""
    dtype: str = "float32"

    @property
    def id(self) -> str:
        """``LAYER:NAME[VARIANT]``."""
        return f"{self.layer}:{self.name}[{self.variant or self.dtype}]"

    @property
    def op(self) -> str:
        """What it is counted under."""
        return f"{self.layer}:{self.name}"

    @property
    def layout(self) -> str:
        """Operands are row-major."""
        return "contiguous"

    @property
    def label(self) -> str | None:
        """No label of the contract is concerned."""
        return None

    @property
    def group(self) -> str:
        """Nothing is shared."""
        return self.id

    def call(self) -> str:
        """What it does."""
        return self.text

    def seed(self, run_seed: int) -> int:
        """The seed of its values."""
        return seed_of(self.id, run_seed)
