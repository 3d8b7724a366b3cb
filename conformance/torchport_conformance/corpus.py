"""The frozen corpus: which cases every profile has, by content.

``corpus.json`` keeps, for each profile, how many cases each operator has and a digest of their ids and plans
(not of their values, which follow from a run's seed). A run whose cases are not these is short: it did not
test what its profile says. The cases are those that follow from the contract; error cases and recorded
samples are files named by their own digests.

``python -m torchport_conformance.corpus`` writes the file; with ``--check`` it writes nothing and exits 1
where it has drifted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from torchport.errors import ContractError
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.cases.profiles import PROFILES, Profile
from torchport_conformance.specs import VERSION, all_specs

FILE = "corpus.json"
_DIGITS = 16

Entry = tuple[int, str]
"""How many cases an operator has, and their digest."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The cases of one profile: ``entries`` by operator."""

    profile: str
    entries: Mapping[str, Entry]

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return sum(count for count, _ in self.entries.values())

    @property
    def digest(self) -> str:
        """The SHA-256 of all entries."""
        text = json.dumps([VERSION, self.profile, sorted(self.entries.items())])
        return hashlib.sha256(text.encode()).hexdigest()

    def drift(self, frozen: Corpus) -> tuple[str, ...]:
        """The operators of this corpus whose cases are not the frozen ones."""
        return tuple(op for op, entry in self.entries.items() if frozen.entries.get(op) != entry)


def corpus_of(profile: str, cases: Iterable[Any]) -> Corpus:
    """The corpus that some cases are; only those count that follow from the contract: no recorded samples."""
    digests: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for case in cases:
        if isinstance(case, Case) and "[opinfo:" not in case.id:
            digests.setdefault(case.op, hashlib.sha256()).update(_content(case).encode())
            counts[case.op] = counts.get(case.op, 0) + 1
    return Corpus(profile, {op: (n, digests[op].hexdigest()[:_DIGITS]) for op, n in counts.items()})


def _content(case: Case) -> str:
    """All that a case is, but for the values of its operands."""
    plans = [(plan.dims, plan.values) for _, plan in case.tensors()]
    return f"{case.id}|{case.call()}|{case.sizes}|{case.static}|{plans}\n"


def generated(profile: Profile) -> Corpus:
    """The corpus that the contract gives now."""
    return corpus_of(profile.name, (c for spec in all_specs().values() for c in cases_for(spec, profile)))


def frozen(profile: str) -> Corpus:
    """The corpus of a profile that is kept with the suite.

    Raises:
        ContractError: the file does not fit its own digest.
    """
    found = _kept().get(profile)
    if found is None:
        return Corpus(profile, {})
    corpus = Corpus(profile, {op: (int(count), str(digest)) for op, (count, digest) in found["ops"].items()})
    if corpus.digest != found["sha256"]:
        raise ContractError("the frozen corpus was changed by hand", got=f"{FILE}: {profile}")
    return corpus


@lru_cache(maxsize=1)
def _kept() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads(files("torchport_conformance").joinpath(FILE).read_text("utf-8"))
    return loaded


def to_json(corpora: Sequence[Corpus]) -> str:
    """Corpora as the text of the file: one line for each operator."""
    parts = []
    for corpus in corpora:
        ops = ",\n".join(f'   "{op}": [{n}, "{digest}"]' for op, (n, digest) in corpus.entries.items())
        parts.append(
            f' "{corpus.profile}": {{\n  "sha256": "{corpus.digest}",\n  "cases": {corpus.cases},\n'
            f'  "ops": {{\n{ops}\n  }}\n }}'
        )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks the file; 1 where a check finds that it has drifted."""
    parser = argparse.ArgumentParser(prog="python -m torchport_conformance.corpus")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on drift")
    check = parser.parse_args(arguments).check
    corpora = [generated(profile) for profile in PROFILES.values()]
    if not check:
        (Path(__file__).parent / FILE).write_text(to_json(corpora), "utf-8")
        return 0
    drifted = {corpus.profile: corpus.drift(frozen(corpus.profile)) for corpus in corpora}
    for corpus in corpora:
        missing = frozen(corpus.profile).drift(corpus)
        names = sorted({*drifted[corpus.profile], *missing})
        if names:
            sys.stderr.write(f"{FILE}: {corpus.profile}: {len(names)} operators drifted: {names[:5]}\n")
            drifted[corpus.profile] = tuple(names)
    return int(any(drifted.values()))


if __name__ == "__main__":
    sys.exit(main())
