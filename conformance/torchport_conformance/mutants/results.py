"""The published results: the kill tables of the list under each profile and under other suites."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema

from torchport.errors import ArtifactError
from torchport_conformance.mutants.mutant import frozen, frozen_text
from torchport_conformance.mutants.table import KillTable

RESULTS, SCHEMA, ARGUMENTS = "results.json", "results.schema.json", "equivalents.toml"
FORMAT, FORMAT_VERSION = "torchport-mutants", 1
_PACKAGE = "torchport_conformance.mutants"


@dataclass(frozen=True)
class Published:
    """Kill tables by column: profiles of this suite, ``opinfo`` and ``torchcts``. ``mutants`` is the SHA-256
    of the list that they are about.
    """

    mutants: str
    tables: Mapping[str, KillTable]

    @property
    def is_current(self) -> bool:
        """Whether the list is that of today."""
        return self.mutants == list_digest()

    def is_whole(self, column: str) -> bool:
        """Whether every mutant of the list has a fate in a column."""
        table = self.tables.get(column)
        return table is not None and {m.id for m in frozen()} <= {f.mutant for f in table.fates}

    def judged(self, column: str) -> KillTable:
        """A column with the arguments why mutants are equivalent."""
        argued, table = equivalents(), self.tables[column]
        fates = tuple(replace(f, equivalent=argued.get(f.mutant, "")) for f in table.fates)
        return replace(table, fates=fates)

    def kill_rates(self) -> dict[str, list[int]]:
        """``[killed, all that are not equivalent]`` of each column that is whole, for certificates."""
        if not self.is_current:
            return {}
        tables = {name: self.judged(name) for name in self.tables if self.is_whole(name)}
        return {name: [table.killed, len(table.judged)] for name, table in tables.items()}

    def with_table(self, table: KillTable) -> Published:
        """The same with a table's fates in place of those of its mutants.

        Raises:
            ArtifactError: the table is of other mutants than the list's.
        """
        listed = {mutant.id: mutant.number for mutant in frozen()}
        unknown = [fate.mutant for fate in table.fates if fate.mutant not in listed]
        if unknown:
            raise ArtifactError("a fate of a mutant that is not in the published list", got=unknown[0])
        before = self.tables.get(table.profile)
        fates = {f.mutant: f for f in (*(before.fates if before else ()), *table.fates)}
        ordered = tuple(sorted(fates.values(), key=lambda f: listed[f.mutant]))
        seconds = sum(f.seconds for f in ordered)
        merged = replace(table, fates=ordered, seconds=seconds)
        return Published(list_digest(), {**self.tables, table.profile: merged})

    def to_json(self) -> str:
        """The results as JSON text, in the published schema."""
        content = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "mutants": self.mutants,
            "tables": {name: table.content() for name, table in sorted(self.tables.items())},
        }
        check_schema(content)
        # A fate a line: two versions of the file can be compared.
        text = json.dumps(content, indent=1)
        return _folded(text) + "\n"

    @classmethod
    def read(cls, text: str) -> Published:
        """The results of JSON text.

        Raises:
            ArtifactError: the text is not in the published schema.
        """
        try:
            content = json.loads(text)
        except ValueError as error:
            raise ArtifactError("results of mutants cannot be read", got=str(error)) from error
        check_schema(content)
        tables = {name: KillTable.of(table) for name, table in content["tables"].items()}
        return cls(content["mutants"], tables)


def _folded(text: str) -> str:
    """JSON of indented lines with each fate on one."""
    lines, kept = [], ""
    for line in text.split("\n"):
        if kept:
            kept += (
                line.strip() if kept.endswith(("{", "[")) or line.strip()[0] in "]}" else f" {line.strip()}"
            )
            if line.startswith("    }"):
                lines.append(kept)
                kept = ""
        elif line == "    {":
            kept = line
        else:
            lines.append(line)
    return "\n".join(lines)


def list_digest() -> str:
    """The SHA-256 of the published list of mutants."""
    return sha256(frozen_text().encode()).hexdigest()


@cache
def published() -> Published:
    """The results that this version of the suite is published with."""
    return Published.read(resources.files(_PACKAGE).joinpath(RESULTS).read_text("utf-8"))


def schema() -> dict[str, Any]:
    """The published JSON Schema of the results."""
    loaded: dict[str, Any] = json.loads(resources.files(_PACKAGE).joinpath(SCHEMA).read_text("utf-8"))
    return loaded


def check_schema(content: Any) -> None:
    """Raises unless results have the published form.

    Raises:
        ArtifactError: they have another; the text names the place.
    """
    try:
        jsonschema.Draft202012Validator(schema()).validate(content)
    except jsonschema.ValidationError as error:
        place = "/".join(map(str, error.absolute_path)) or "the document"
        raise ArtifactError("not results of mutants", got=f"{place}: {error.message[:200]}") from error


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Why mutants cannot be told from the right kernel; ``runs`` is false where PyTorch has none, ``within``
    true where results differ and the contract allows them.
    """

    mutants: tuple[str, ...]
    argument: str
    runs: bool = True
    within: bool = False


@cache
def equivalences() -> tuple[Equivalence, ...]:
    """All arguments, as they are written down."""
    entries = tomllib.loads(resources.files(_PACKAGE).joinpath(ARGUMENTS).read_text("utf-8"))["equivalent"]
    return tuple(
        Equivalence(**{**e, "mutants": tuple(e["mutants"]), "argument": " ".join(e["argument"].split())})
        for e in entries
    )


def equivalents() -> Mapping[str, str]:
    """The argument of each mutant that is equivalent, by its id."""
    return {mutant: each.argument for each in equivalences() for mutant in each.mutants}


def main(arguments: Sequence[str]) -> int:
    """Takes kill tables, files of ``torchport mutants --json``, into the published results."""
    path = Path(__file__).with_name(RESULTS)
    found = Published.read(path.read_text("utf-8")) if path.exists() else Published(list_digest(), {})
    for name in arguments:
        found = found.with_table(KillTable.read(Path(name)))
    path.write_text(found.to_json(), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
