"""Cases from a second source: the calls that the samples of PyTorch's own OpInfo tests come down to.

Only metadata is taken over (shapes, dtypes, layouts, attributes); values and judgement are those of all other
cases. The calls are recorded once and kept in a data file, so that a run needs nothing of PyTorch's tests and
the corpus is the same under every PyTorch; ``python -m torchport_conformance.cases.freeze_opinfo`` records
them anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from torchport_conformance.cases import frozen
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.profiles import Profile

FILE = "opinfo"
SHARE = 8
"""Profiles in between have one of so many."""


_OF_VALUES = {"aten.repeat_interleave.Tensor": "output_size"}
"""Optional arguments that say what follows from the values of operands, which are drawn anew, by operator."""


def opinfo_cases_for(op: str, profile: Profile) -> Iterator[Case]:
    """The recorded calls of an operator: all of them in a thorough profile, none in a quick one."""
    if profile.name == "quick":
        return
    for number, (sample, given) in enumerate(_file()["ops"].get(op, ())):
        if profile.thorough or number % SHARE == 0:
            stale = _OF_VALUES.get(op)
            arguments = tuple((name, frozen.decoded(value)) for name, value in given if name != stale)
            yield Case(f"{op}[opinfo:{sample}.{number}]", op, arguments)


@cache
def _file() -> Mapping[str, Any]:
    found: Mapping[str, Any] = frozen.read(FILE)
    return found
