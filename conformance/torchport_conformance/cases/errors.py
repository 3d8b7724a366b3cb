"""Error cases: calls that the contract excludes and for which PyTorch raises.

Each breaks one labelled condition of its operator and keeps all others it can: conditions of the metadata
(``mm.E2``, ``add.C1``; ``mm.T2`` for a dtype, ``clamp.A2`` for a number that the dtype cannot hold), and
conditions of the values (``gather.V3``: an index outside of the third argument's range). The calls were found
by search, were raised by eager PyTorch, and are kept in a data file; ``python -m
torchport_conformance.cases.freeze_errors`` makes it anew.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from torchport_conformance.cases import frozen
from torchport_conformance.cases.case import Argument, Case, seed_of
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.violations import with_changes

FILE = "errors"


@dataclass(frozen=True, slots=True)
class Corruption:
    """One element of an operand that has a value outside of what its operator takes.

    ``position`` is ``first`` or ``last``.
    """

    operand: str
    position: str
    value: float

    def __str__(self) -> str:
        return f"{self.operand}={self.value:g}@{self.position}"


@dataclass(frozen=True, slots=True)
class ErrorCase:
    """A call that has to be refused or to raise.

    ``valid`` is the call with everything in order, ``wrong`` the one that breaks the condition ``label``
    (the same, where a value does); ``raises`` is PyTorch's exception. ``road`` is how the call reaches the
    backend: as a ``region``, or ``compiled``, through ``torch.compile``.
    """

    id: str
    valid: Case
    wrong: Case
    label: str
    prose: str
    raises: str
    corruption: Corruption | None = None
    road: str = "region"
    layer: ClassVar[str] = "op"
    layout: ClassVar[str] = "contiguous"

    @property
    def op(self) -> str:
        """The operator."""
        return self.valid.op

    @property
    def dtype(self) -> str:
        """The dtype of the wrong call's first tensor."""
        return self.wrong.dtype

    @property
    def group(self) -> Hashable:
        """Calls that differ in a value only share a region."""
        return ("error", self.road, self.wrong.group, self.wrong.sizes)

    def call(self) -> str:
        """The wrong call, as text."""
        return self.wrong.call() + (f" with {self.corruption}" if self.corruption else "")

    def seed(self, run_seed: int) -> int:
        """The seed of the operands' values."""
        return seed_of(self.id, run_seed)


def error_cases_for(op: str, profile: Profile) -> Iterator[ErrorCase]:
    """The error cases of an operator: every wrong value, and else one for each label, of those that need no
    trace; in a thorough profile all of them, and one for each label through ``torch.compile``.
    """
    seen: set[str] = set()
    for case in _cases(op):
        again = case.label in seen
        of_few = case.corruption is not None or (not again and case.road == "region")
        if of_few or (profile.thorough and not (again and case.road == "compiled")):
            seen.add(case.label)
            yield case


@cache
def _file() -> Mapping[str, Any]:
    found: Mapping[str, Any] = frozen.read(FILE)
    return found


def uncovered() -> Mapping[str, str]:
    """Labelled error conditions of the contract that have no case, each with the reason."""
    found: Mapping[str, str] = _file()["uncovered"]
    return found


@cache
def _cases(op: str) -> tuple[ErrorCase, ...]:
    kept = _file()["ops"].get(op)
    if kept is None:
        return ()
    bases = [_case(op, f"{op}[valid:{i}]", dict(given)) for i, given in enumerate(kept["valid"])]
    return tuple(_error_case(op, bases, entry) for entry in kept["errors"])


def covered() -> frozenset[str]:
    """Labels that have a case."""
    return frozenset(entry["label"] for kept in _file()["ops"].values() for entry in kept["errors"])


def _case(op: str, case_id: str, given: Mapping[str, Any]) -> Case:
    return Case(case_id, op, tuple((name, frozen.decoded(value)) for name, value in given.items()))


def _error_case(op: str, bases: list[Case], entry: Mapping[str, Any]) -> ErrorCase:
    valid, label = bases[entry["of"]], entry["label"]
    corruption = Corruption(*entry["value"]) if "value" in entry else None
    what = f"{label}-{corruption}" if corruption else label
    what += f"-{entry['n']}" if "n" in entry else ""
    road = entry.get("road", "region")
    what += "-compiled" if road == "compiled" else ""
    case_id = f"{op}[error:{what}]"
    changed: dict[str, Argument] = {n: frozen.decoded(v) for n, v in entry.get("changed", {}).items()}
    wrong = Case(case_id, op, with_changes(valid, tuple(changed.items())), label=label)
    return ErrorCase(case_id, valid, wrong, label, entry["prose"], entry["raises"], corruption, road)
