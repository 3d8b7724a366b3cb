"""What a wrong result is called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A likely cause: ``cause`` groups failures in reports, ``detail`` is about this one."""

    cause: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.cause}: {self.detail}" if self.detail else self.cause
