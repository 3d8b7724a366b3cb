"""Mutants: one mutation operator, planted in one operator and dtype; and the frozen list of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from itertools import islice

from torchport.compile.backend import Backend
from torchport.errors import OptionError
from torchport_conformance.mutants.backend import MutantBackend
from torchport_conformance.mutants.fault import Fault
from torchport_conformance.mutants.faults import all_faults
from torchport_conformance.mutants.kernel import ANY_DTYPE
from torchport_conformance.mutants.programs import ProgramFault, program_faults
from torchport_conformance.specs import all_specs

FROZEN = "frozen.txt"
_ID = re.compile(r"([\w-]+)(?:\(([^)]*)\))?/([^\[]+)\[(\w+)\]#(\d+)")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault in one operator. ``variant`` is the fault's, ``dtype`` that of the first tensor operand in
    whose calls it is planted, ``number`` its place in the list. For faults of programs ``op`` is the
    beginning of the ids of cases, and ``dtype`` is ``any``.
    """

    fault: str
    variant: str
    op: str
    dtype: str
    number: int

    @property
    def id(self) -> str:
        """``FAULT(VARIANT)/OPERATOR[DTYPE]#NUMBER``."""
        variant = f"({self.variant})" if self.variant else ""
        return f"{self.fault}{variant}/{self.op}[{self.dtype}]#{self.number}"

    @property
    def planted(self) -> Fault | ProgramFault:
        """The mutation operator."""
        return known_faults()[self.fault]

    def backend(self) -> Backend:
        """A new backend with the fault in its operator, picklable: worker processes can be handed it."""
        return MutantBackend(self.op, self.fault, self.variant, self.dtype)


@lru_cache(maxsize=1)
def known_faults() -> Mapping[str, Fault | ProgramFault]:
    """Every mutation operator by name: those of operators, then those of programs."""
    return {**all_faults(), **program_faults()}


def parse(text: str) -> Mutant:
    """The mutant of an id.

    Raises:
        OptionError: not an id, or of no fault or operator.
    """
    match = _ID.fullmatch(text)
    fault = None if match is None else known_faults().get(match[1])
    known = fault.programs if isinstance(fault, ProgramFault) else all_specs()
    if match is None or fault is None or match[3] not in known:
        raise OptionError("not a mutant", got=text, hint="torchport_conformance.mutants.mutants() lists them")
    return Mutant(match[1], match[2] or "", match[3], match[4], int(match[5]))


def mutants(seed: int = 0, count: int = 520) -> tuple[Mutant, ...]:
    """Mutants drawn over mutation operators, operators and dtypes: a function of the arguments and the
    contract.

    Every mutation operator has its turn in each round. Two of three of its mutants are in the dtype that is
    usual for their operator, one in another; each is in an operator of its own as long as there are any.

    Args:
        seed: of the draw.
        count: how many.
    """
    walks = [_walk(fault, seed) for fault in all_faults().values()]
    found: list[Mutant] = []
    while walks and len(found) < count:
        for walk in list(walks):
            place = next(walk, None)
            if place is None:
                walks.remove(walk)
            elif len(found) < count:
                found.append(Mutant(*place, len(found)))
    return tuple(found)


APPENDED_EACH = 3


def appended(before: Sequence[Mutant], seed: int = 0) -> tuple[Mutant, ...]:
    """Mutants of the mutation operators that have none in a list, to go behind it: up to three of each."""
    listed = {mutant.fault for mutant in before}
    found: list[Mutant] = []
    for fault in known_faults().values():
        if fault.name in listed:
            continue
        if isinstance(fault, ProgramFault):
            places = iter([(fault.name, "", beginning, ANY_DTYPE) for beginning in fault.programs])
        else:
            places = _walk(fault, seed)
        found += [
            Mutant(*p, len(before) + len(found) + i) for i, p in enumerate(islice(places, APPENDED_EACH))
        ]
    return tuple(found)


def _walk(fault: Fault, seed: int) -> Iterator[tuple[str, str, str, str]]:
    """Places of a mutation operator in the order in which they are taken."""
    places = sorted(fault.places(all_specs()), key=lambda place: _rank(seed, fault.name, *place))
    usual = {place for place in places if place[2] == _usual(fault, place)}
    queues = [[p for p in places if p in usual], [p for p in places if p not in usual]]
    seen: set[str] = set()
    for turn in range(len(places)):
        queue = queues[turn % 3 == 2] or queues[turn % 3 != 2]
        place = next((p for p in queue if p[0] not in seen), queue[0])
        queue.remove(place)
        seen.add(place[0])
        op, variant, dtype = place
        yield fault.name, variant, op, dtype


def _usual(fault: Fault, place: tuple[str, str, str]) -> str:
    return next(iter(fault.dtypes(all_specs()[place[0]], place[1])))


def _rank(seed: int, *parts: str) -> bytes:
    return sha256("|".join((str(seed), *parts)).encode()).digest()


@lru_cache(maxsize=1)
def frozen() -> tuple[Mutant, ...]:
    """The published list: :func:`mutants` as it was drawn before the suite was tuned, then what was
    :func:`appended` later.
    """
    return tuple(map(parse, frozen_text().split()))


def frozen_text() -> str:
    """The published list as text, an id a line."""
    return resources.files("torchport_conformance.mutants").joinpath(FROZEN).read_text("utf-8")


def listing(found: Sequence[Mutant]) -> str:
    """Mutants as the text of the published list."""
    return "".join(f"{mutant.id}\n" for mutant in found)
