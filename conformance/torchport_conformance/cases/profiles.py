"""Profiles: which axes of the cases are walked, and how far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torchport.errors import OptionError
from torchport_conformance.cases.layouts import LAYOUTS, QUICK_LAYOUTS


@dataclass(frozen=True, slots=True)
class Profile:
    """How far each axis goes.

    ``floor`` is the number of cases of the whole contract below which a run of this profile says nothing.
    ``thorough`` walks every layout of every operand on every dtype; otherwise layouts, ranks and choices are
    varied together, so that few regions have to be compiled.
    """

    name: str
    thorough: bool
    ranks: tuple[int, ...]
    edges: tuple[int, ...]
    layouts: tuple[str, ...]
    case_seconds: float
    floor: int


PROFILES: Mapping[str, Profile] = {
    p.name: p
    for p in (
        Profile("quick", False, (2, 3, 1), (15, 16, 17, 1031), QUICK_LAYOUTS, 30.0, 1000),
        Profile(
            "full",
            True,
            (2, 3, 1, 4, 5),
            (15, 16, 17, 31, 32, 33, 255, 256, 257, 1024, 1031, 65537),
            tuple(LAYOUTS),
            120.0,
            20000,
        ),
    )
}


def profile_named(name: str) -> Profile:
    """The profile called ``name``.

    Raises:
        OptionError: there is none.
    """
    if name not in PROFILES:
        raise OptionError(f"conformance has no profile {name!r}", hint=f"one of: {', '.join(PROFILES)}")
    return PROFILES[name]
