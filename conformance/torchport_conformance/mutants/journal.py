"""Fates as they come, one a line, so that a run that was ended can be continued."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self

import torch

from torchport.errors import ArtifactError
from torchport_conformance.corpus import frozen as frozen_corpus
from torchport_conformance.locked_lines import LockedLines, whole_lines
from torchport_conformance.mutants.mutant import frozen_text
from torchport_conformance.mutants.table import Fate, fate_from, trimmed
from torchport_conformance.specs import VERSION

FORMAT = "torchport-mutants-journal"


@dataclass(frozen=True, slots=True)
class Header:
    """Which run a journal is of."""

    profile: str
    seed: int
    layers: tuple[str, ...]
    stop_at_first: bool
    mutants: str
    corpus: str
    contract: str
    torch: str

    @classmethod
    def of(cls, profile: str, seed: int, layers: Sequence[str], *, stop_at_first: bool) -> Header:
        """The header of a run with the mutants and the suite of today."""
        return cls(
            profile,
            seed,
            tuple(layers),
            stop_at_first,
            sha256(frozen_text().encode()).hexdigest(),
            frozen_corpus(profile).digest,
            VERSION,
            torch.__version__,
        )


class Journal:
    """An open journal, which no other run may write to. Used as a context.

    Args:
        path: the file.
        header: which run this is.
        resume: keep what the file holds; otherwise it is begun anew.

    Attributes:
        fates: what the file held, by mutant.

    Raises:
        ArtifactError: the file is damaged, or of another run; the text says what differs.
        OptionError: another run is writing to it.
    """

    def __init__(self, path: Path, header: Header, *, resume: bool) -> None:
        self.fates: dict[str, Fate] = {}
        head = {"format": FORMAT, "run": asdict(header)}
        self._lines = LockedLines(path, head, (lambda: self._continue(path, header)) if resume else None)

    def _continue(self, path: Path, header: Header) -> int:
        lines, length = whole_lines(path.read_bytes())
        try:
            head, *entries = map(json.loads, lines)
            theirs, fates = head["run"], [fate_from(entry) for entry in entries]
        except (ValueError, KeyError, TypeError) as error:
            hint = "delete it, and run without resume"
            raise ArtifactError("the journal is damaged", got=f"{path}: {error}", hint=hint) from error
        mine = json.loads(json.dumps(asdict(header)))
        differing = sorted(name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name))
        if differing:
            raise ArtifactError(
                "the journal is of another run",
                got="; ".join(f"{n}: {theirs.get(n)!r}, and {mine.get(n)!r} now" for n in differing),
                hint="resume with what it was begun with, or give another file",
            )
        self.fates = {fate.mutant: fate for fate in fates}
        return length

    def add(self, fate: Fate) -> None:
        """Writes a fate."""
        self._lines.write(trimmed(fate))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
