"""Keeps ``frozen.txt``, the published list of mutants, and ``frozen.sha256``, the digests of its lengths.

The first 520 mutants were drawn once, before the suite was tuned on them. The list only grows: mutants of
mutation operators that came later go behind it, and the longer list gets a digest of its own. Without
arguments what is missing is appended; ``--check`` writes nothing, and fails where a digest is wrong, a mutant
can no longer be planted, or a mutation operator has no mutant.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from torchport_conformance.mutants.fault import Fault
from torchport_conformance.mutants.mutant import FROZEN, Mutant, appended, frozen, frozen_text, listing
from torchport_conformance.specs import all_specs

DIGESTS = "frozen.sha256"
_FOLDER = Path(__file__).parent


def digests() -> dict[int, str]:
    """The recorded SHA-256 of the list's first lines, by their number."""
    lines = (_FOLDER / DIGESTS).read_text("utf-8").splitlines()
    return {int(count): digest for digest, count in (line.split() for line in lines)}


def faults_of_list(listed: Sequence[Mutant], text: str) -> list[str]:
    """What is wrong with the published list; empty where nothing is."""
    lines, wrong = text.splitlines(keepends=True), []
    recorded = digests()
    for count, digest in recorded.items():
        if sha256("".join(lines[:count]).encode()).hexdigest() != digest:
            wrong.append(f"the first {count} mutants are not those of the recorded digest")
    if max(recorded) != len(lines):
        wrong.append(f"{len(lines)} mutants, and a digest of {max(recorded)}")
    for m in listed:
        fault = m.planted
        if isinstance(fault, Fault) and not fault.fits(all_specs()[m.op], m.variant, m.dtype):
            wrong.append(f"{m.id} can no longer be planted")
    wrong += [
        f"the mutation operator {name} has no mutant" for name in sorted({m.fault for m in appended(listed)})
    ]
    return wrong


def main(arguments: list[str]) -> int:
    """Checks the list, or appends to it; returns the exit code."""
    listed, text = frozen(), frozen_text()
    if "--check" in arguments:
        wrong = faults_of_list(listed, text)
        sys.stderr.write("".join(f"{FROZEN}: {line}\n" for line in wrong))
        return 1 if wrong else 0
    added = appended(listed)
    if added:
        text += listing(added)
        (_FOLDER / FROZEN).write_text(text, "utf-8")
        digest = sha256(text.encode()).hexdigest()
        with (_FOLDER / DIGESTS).open("a", encoding="utf-8") as file:
            file.write(f"{digest}  {len(listed) + len(added)}\n")
    sys.stdout.write(f"{len(listed)} mutants, {len(added)} appended\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
