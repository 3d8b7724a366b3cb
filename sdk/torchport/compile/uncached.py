"""Why a compiled graph is not kept for other processes, and what the caches did."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field


class Uncached(enum.StrEnum):
    """Typed reasons why a compiled graph is not kept for other processes; counted in every report."""

    OFF = "switched off"
    IN_PROCESS = "in-process region"
    ARGUMENT = "argument that cannot be serialized"
    INPUT = "input"
    CALL = "function"
    STATE = "process state"
    BACKEND = "backend state"
    PYTORCH = "this PyTorch"


class NotCached(Exception):
    """Raised while a graph is prepared for the cache: it will be compiled, and not kept. Never reaches a
    user.
    """

    def __init__(self, reason: Uncached, text: str = "") -> None:
        self.reason = reason
        super().__init__(f"{reason}: {text}" if text else str(reason))


@dataclass(slots=True)
class CacheCounts:
    """What the caches did for one Dynamo entry.

    Attributes:
        hits: Dynamo graphs that were loaded whole: nothing was lowered, claimed or compiled for them.
        misses: Dynamo graphs that were looked up and not found.
        stored: Dynamo graphs that were kept for other processes.
        uncached: Dynamo graphs that were not kept, by reason.
        failures: what went wrong with the cache directory or an entry; a compilation never fails for it.
    """

    hits: int = 0
    misses: int = 0
    stored: int = 0
    uncached: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)

    def clear(self) -> None:
        """Forgets everything."""
        self.hits = self.misses = self.stored = 0
        self.uncached.clear()
        self.failures.clear()

    def __str__(self) -> str:
        parts = [f"{self.hits} graphs from the cache, {self.stored} stored"]
        parts += [f"{count} not cached ({why})" for why, count in self.uncached.items()]
        parts += [f"{count} x {what}" for what, count in self.failures.items()]
        return ", ".join(parts)
