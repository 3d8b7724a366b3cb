"""Fates as they come, one a line, so that a run that was ended can be continued."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch

from torchport.errors import ArtifactError, OptionError
from torchport_conformance.corpus import frozen as frozen_corpus
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
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if resume and path.stat().st_size:
                self._continue(path, header)
            else:
                self._file.truncate(0)
                self._write({"format": FORMAT, "run": asdict(header)})
        except BlockingIOError as error:
            self._file.close()
            raise OptionError("another run is writing to the journal", got=str(path)) from error
        except ArtifactError:
            self._file.close()
            raise

    def _continue(self, path: Path, header: Header) -> None:
        data = path.read_bytes()
        length = data.rfind(b"\n") + 1  # a last line that was not written to its end is left out
        try:
            head, *entries = map(json.loads, data[:length].splitlines())
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
        self._file.truncate(length)

    def add(self, fate: Fate) -> None:
        """Writes a fate."""
        self._write(trimmed(fate))

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
