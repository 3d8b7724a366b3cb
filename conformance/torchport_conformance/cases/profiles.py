"""Profiles: which operators and axes are walked, and how far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torchport.contract.spec import OpSpec
from torchport.errors import OptionError


@dataclass(frozen=True, slots=True)
class Profile:
    """How far each axis goes.

    ``gradients`` takes operators in that only a backward pass or an optimizer calls. ``strength`` 1 lets
    every value of every axis occur, ``rounds`` times in other company, 2 every pair of values. ``samples`` is
    how many sizes and values each region is run with at least. ``edges`` are sizes of the last letter,
    ``far_edges`` of the others; ``most`` elements no operand goes beyond, save for one case of ``huge``
    elements. ``thorough`` walks ranks up to 8 and every sample on every class of dtypes.
    """

    name: str
    gradients: bool
    thorough: bool
    strength: int
    rounds: int
    samples: int
    ranks: tuple[int, ...]
    edges: tuple[int, ...]
    far_edges: tuple[int, ...]
    most: int
    huge: int
    case_seconds: float
    floor: int

    def takes(self, spec: OpSpec) -> bool:
        """Whether the profile has an operator."""
        return self.gradients or not needs_gradients(spec)


def needs_gradients(spec: OpSpec) -> bool:
    """Whether an operator is only called by a backward pass or an optimizer: it is one of a gradient, or
    takes gradients.
    """
    names = [a.name for a in spec.overload._schema.arguments]
    return "backward" in spec.name or any(n in ("grads", "grad", "grad_output") for n in names)


_EDGES = (16, 17, 31, 33, 256, 257, 513, 1025, 4099, 65536, 65537)
_WALK = (16, 17, 33, 256, 257, 1031)

PROFILES: Mapping[str, Profile] = {
    p.name: p
    for p in (
        Profile("quick", True, False, 1, 1, 2, (2, 3, 4, 1), (17, 33, 65), (17,), 1 << 14, 0, 30.0, 35000),
        Profile(
            "inference",
            False,
            False,
            1,
            2,
            2,
            (2, 3, 4, 1, 5),
            _WALK,
            (17, 257, 1031),
            1 << 16,
            0,
            60.0,
            56000,
        ),
        Profile(
            "training", True, False, 1, 2, 2, (2, 3, 4, 1, 5), _WALK, (17, 257, 1031), 1 << 16, 0, 60.0, 63000
        ),
        Profile(
            "full",
            True,
            True,
            2,
            1,
            3,
            (2, 3, 4, 1, 5, 6, 8),
            _EDGES,
            (17, 257, 65537),
            1 << 21,
            4194305,
            120.0,
            145000,
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
