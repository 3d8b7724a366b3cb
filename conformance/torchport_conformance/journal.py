"""What a run has found so far, in a file that survives the run's end, whatever ends it.

JSON lines: a header that says which run it is, then a line per result as it comes. A run that was killed is
continued from it; the journals of all shards together make the report of the whole.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from torchport.errors import ArtifactError
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.locked_lines import LockedLines, whole_lines
from torchport_conformance.report.model import CaseResult, Lean, Status, result_of

FORMAT = "torchport-conformance-journal"
FORMAT_VERSION = 1
JOURNAL = "journal.jsonl"
"""The file's name beside a report."""
_SYNC_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Header:
    """Which run a journal is of. ``plan`` is a digest of the ids of its cases, in order; ``scope`` what was
    asked for, as in the report; ``source`` a digest of the backend's own code.
    """

    backend: str
    backend_version: str
    source: str
    profile: str
    opset: str
    seed: int
    plan: str
    cases: int
    scope: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def differences(self, other: Header, *, but: Iterable[str] = ()) -> list[str]:
        """What differs, as text, one line each.

        ``but`` are fields, or entries of the environment, that may.
        """
        mine, theirs = self._flat(), other._flat()
        names = [n for n in dict.fromkeys([*mine, *theirs]) if n not in but]
        return [
            f"{n}: {mine.get(n)!r}, and {theirs.get(n)!r} now" for n in names if mine.get(n) != theirs.get(n)
        ]

    def _flat(self) -> dict[str, Any]:
        plain = json.loads(json.dumps(asdict(self)))
        environment = plain.pop("environment")
        return {**plain, **environment}


def plan_digest(cases: Iterable[AnyCase]) -> str:
    """A digest of the ids of a plan's cases, in order."""
    digest = sha256()
    for case in cases:
        digest.update(case.id.encode() + b"\n")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Contents:
    """What a journal holds: ``results`` as they were written, by case id, and the ``seconds`` they took.
    ``length`` is where its last whole line ends, in bytes.
    """

    header: Header
    results: Mapping[str, Mapping[str, Any]]
    seconds: float
    length: int

    def restored(self, cases: Sequence[AnyCase], path: Path) -> dict[str, CaseResult]:
        """The results by case id.

        Raises:
            ArtifactError: a result is of none of ``cases``, or no result at all.
        """
        known = {case.id: case for case in cases}
        found = {}
        for case_id, entry in self.results.items():
            if case_id not in known:
                raise _damaged(path, f"a result of {case_id!r}, which is no case of the plan")
            try:
                result = result_of(known[case_id], Status(entry["status"]))
                given = {k: _read(k, v) for k, v in entry.items() if k != "status"}
                found[case_id] = replace(result, **given)
            except (KeyError, TypeError, ValueError) as error:
                raise _damaged(path, f"the result of {case_id!r}: {error}") from error
        return found


def read_journal(path: Path) -> Contents:
    """What a journal holds. A last line that was not written to its end is left out.

    Raises:
        ArtifactError: the file is missing, is no journal, or is damaged.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ArtifactError("a journal cannot be read", got=f"{path}: {error.strerror}") from error
    lines, length = whole_lines(data)
    entries: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise _damaged(path, f"line {number}: {error}") from error
        if not isinstance(entry, dict):
            raise _damaged(path, f"line {number} is no object")
        entries.append(entry)
    head = entries[0] if entries else {}
    if head.get("format") != FORMAT:
        raise ArtifactError("the file is no journal of a conformance run", got=str(path))
    if head.get("format_version") != FORMAT_VERSION:
        got = f"{path}: version {head.get('format_version')}, known is {FORMAT_VERSION}"
        raise ArtifactError("the journal is of another version of its format", got=got)
    try:
        header = Header(**head["run"])
    except (KeyError, TypeError) as error:
        raise _damaged(path, f"the header: {error}") from error
    seconds = max((e["elapsed"] for e in entries if "elapsed" in e), default=0.0)
    results = {e["id"]: {k: v for k, v in e.items() if k != "elapsed"} for e in entries if "id" in e}
    return Contents(header, results, seconds, length)


def _written(name: str, value: Any) -> Any:
    """A field of a result as JSON has it."""
    if isinstance(value, Lean):
        return asdict(value)
    return round(value, 6) if name == "seconds" else value


def _read(name: str, value: Any) -> Any:
    """A field of a result as :func:`_written` left it."""
    if name == "lean":
        return Lean(**value)
    return tuple(value) if isinstance(value, list) else value


def _damaged(path: Path, what: str) -> ArtifactError:
    hint = "delete it, and run without resume"
    return ArtifactError("the journal is damaged", got=f"{path}: {what}", hint=hint)


class Journal:
    """An open journal, which no other run may write to. Used as a context.

    Args:
        path: the file.
        header: which run this is.
        cases: the plan's, in order.
        resume: keep what the file holds, if there is one; otherwise it is begun anew.

    Attributes:
        results: what the file held, by case id.
        seconds: how long that took.

    Raises:
        ArtifactError: the file is damaged, or of another run; the text says what differs.
        OptionError: another run is writing to it.
    """

    def __init__(self, path: Path, header: Header, cases: Sequence[AnyCase], *, resume: bool) -> None:
        self._cases = {case.id: case for case in cases}
        self.results: dict[str, CaseResult] = {}
        self.seconds = 0.0
        head = {"format": FORMAT, "format_version": FORMAT_VERSION, "run": asdict(header)}
        self._lines = LockedLines(
            path, head, (lambda: self._continue(path, header, cases)) if resume else None
        )
        self._started = self._synced = time.monotonic()

    def _continue(self, path: Path, header: Header, cases: Sequence[AnyCase]) -> int:
        contents = read_journal(path)
        differences = contents.header.differences(header)
        if differences:
            raise ArtifactError(
                "the journal is of another run",
                got="".join(f"\n    {line}" for line in differences),
                hint="resume with what it was begun with, or give another file",
            )
        self.results, self.seconds = contents.restored(cases, path), contents.seconds
        return contents.length

    def add(self, result: CaseResult) -> None:
        """Writes a result; it is safe from the end of this process at once, and of the machine soon."""
        plain = result_of(self._cases[result.id], result.status)
        entry: dict[str, Any] = {"id": result.id, "status": str(result.status)}
        for each in fields(CaseResult):
            value = getattr(result, each.name)
            if each.name not in entry and value != getattr(plain, each.name):
                entry[each.name] = _written(each.name, value)
        self._lines.write({**entry, "elapsed": round(self.elapsed, 3)})
        if time.monotonic() - self._synced >= _SYNC_SECONDS:
            self._sync()

    @property
    def elapsed(self) -> float:
        """Seconds of the run so far, its earlier parts included."""
        return self.seconds + time.monotonic() - self._started

    def _sync(self) -> None:
        self._lines.sync()
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._sync()
        self._lines.close()
