"""The kill table: what became of each mutant, counted by mutation operator, operator, layer and case."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from torchport.errors import ArtifactError


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one mutant.

    ``killer`` is the first case that failed (empty: it survived), with its ``layer`` and ``cause``;
    ``cases`` of ``available`` were run. ``killers`` are all cases that failed, ``idle`` those that did not,
    where all were run. ``equivalent`` says why no case can fail, where that was found; ``unjudged`` why the
    trial says nothing. ``false_alarms`` counts cases that fail without the fault as well, and kill nothing.
    """

    mutant: str
    profile: str
    killer: str = ""
    layer: str = ""
    cause: str = ""
    cases: int = 0
    available: int = 0
    seconds: float = 0.0
    killers: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    equivalent: str = ""
    false_alarms: int = 0
    unjudged: str = ""

    @property
    def killed(self) -> bool:
        """Whether a case failed."""
        return bool(self.killer)

    @property
    def fault(self) -> str:
        """The mutation operator."""
        return self.mutant.partition("/")[0].partition("(")[0]

    @property
    def op(self) -> str:
        """The operator that the fault is planted in."""
        return self.mutant.partition("/")[2].partition("[")[0]


@dataclass(frozen=True)
class KillTable:
    """The fates of mutants under one profile. ``idle`` are cases that were run on some mutant and failed on
    none, where every case was run.
    """

    profile: str
    seed: int
    fates: tuple[Fate, ...]
    seconds: float = 0.0
    environment: Mapping[str, str] = field(default_factory=dict)
    idle: tuple[str, ...] = ()

    @cached_property
    def judged(self) -> tuple[Fate, ...]:
        """Mutants that are not equivalent to the right kernel, killed or not."""
        return tuple(f for f in self.fates if f.killed or not f.equivalent)

    @property
    def killed(self) -> int:
        """How many mutants a case fails on."""
        return sum(f.killed for f in self.judged)

    @property
    def rate(self) -> float:
        """Killed mutants over those that are not equivalent; 1 where there are none."""
        return self.killed / len(self.judged) if self.judged else 1.0

    @property
    def survivors(self) -> tuple[Fate, ...]:
        """Mutants that no case fails on, and that are not equivalent."""
        return tuple(f for f in self.judged if not f.killed)

    def with_idle_cases(self) -> KillTable:
        """The table with ``idle`` made from its fates, which lose theirs."""
        found = dict.fromkeys(case for fate in self.fates for case in fate.idle)
        killers = {case for fate in self.fates for case in fate.killers}
        fates = tuple(replace(fate, idle=()) for fate in self.fates)
        return replace(self, fates=fates, idle=tuple(c for c in found if c not in killers))

    @property
    def by_fault(self) -> Mapping[str, tuple[int, int]]:
        """Killed and judged mutants of each mutation operator."""
        return _counts((f.fault, f.killed) for f in self.judged)

    @property
    def by_op(self) -> Mapping[str, tuple[int, int]]:
        """Killed and judged mutants of each operator."""
        return _counts((f.op, f.killed) for f in self.judged)

    @property
    def by_layer(self) -> Mapping[str, int]:
        """How many mutants the cases of a layer killed first."""
        return Counter(f.layer for f in self.judged if f.killed)

    @property
    def by_case(self) -> Mapping[str, int]:
        """How many mutants each case killed, or killed first where a mutant's run ended there."""
        return Counter(case for f in self.fates for case in (f.killers or ((f.killer,) if f.killed else ())))

    def content(self) -> dict[str, Any]:
        """The table as JSON has it."""
        return {
            "profile": self.profile,
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "environment": dict(self.environment),
            "idle": list(self.idle),
            "fates": [trimmed(f) for f in self.fates],
        }

    def to_json(self) -> str:
        """The table as JSON text."""
        return json.dumps(self.content(), indent=1) + "\n"

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> KillTable:
        """The table that :meth:`content` gave."""
        fates = tuple(map(fate_from, content["fates"]))
        return cls(**{**content, "fates": fates, "idle": tuple(content.get("idle", ()))})

    @classmethod
    def read(cls, path: Path) -> KillTable:
        """The table of a file that :meth:`to_json` wrote.

        Raises:
            ArtifactError: the file is none.
        """
        try:
            return cls.of(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ArtifactError("not a table of mutants", got=f"{path}: {error}") from error


def fate_from(entry: Mapping[str, Any]) -> Fate:
    """The fate that :func:`trimmed` wrote."""
    lists = {name: tuple(entry.get(name, ())) for name in ("killers", "idle")}
    return Fate(**{**entry, **lists})


def trimmed(fate: Fate) -> dict[str, Any]:
    """A fate as JSON has it, without what is empty."""
    content = {k: v for k, v in asdict(fate).items() if v not in ("", (), 0)}
    return {**content, "seconds": round(fate.seconds, 2)}


def _counts(found: Iterable[tuple[str, bool]]) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for name, killed in found:
        before = counts.get(name, (0, 0))
        counts[name] = (before[0] + killed, before[1] + 1)
    return counts
