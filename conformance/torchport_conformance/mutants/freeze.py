"""Writes ``frozen.txt``, the published list of mutants, and says its SHA-256.

The list is drawn once, before the suite is tuned on it. ``--check`` writes nothing, and fails where drawing
again gives another list: a mutation operator or the contract has changed, which calls for a new list and new
results.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

from torchport_conformance.mutants.mutant import FROZEN, frozen_text, listing, mutants


def main(arguments: list[str]) -> int:
    """Writes or checks the list; returns the exit code."""
    text = listing(mutants())
    if "--check" in arguments:
        same = frozen_text() == text
        sys.stderr.write(
            "" if same else "frozen.txt has drifted: run -m torchport_conformance.mutants.freeze\n"
        )
        return 0 if same else 1
    Path(__file__).with_name(FROZEN).write_text(text, "utf-8")
    sys.stdout.write(f"{sha256(text.encode()).hexdigest()}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
