"""Profiles: which operators and axes are walked, and how far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from torchport.contract.spec import OpSpec
from torchport.errors import OptionError


@dataclass(frozen=True, slots=True)
class Profile:
    """How far each axis goes.

    ``gradients`` takes operators in that only a backward pass or an optimizer calls. ``strength`` 1 lets
    every value of every axis occur, ``rounds`` times in other company, 2 every pair of values. ``samples`` is
    how many sizes and values each region is run with at least, ``covered`` those that make every value or
    pair of values occur; ``company`` how many rows combine layouts with other arguments at most.
    ``edges`` are sizes of the last letter,
    ``far_edges`` of the others; ``most`` elements no operand goes beyond, save for one case of ``huge``
    elements. ``thorough`` walks ranks up to 8 and every sample on every class of dtypes. ``sparse`` tries
    each way in few calls, with much in each of them that may go wrong: special values in sizes past those of
    vectors, layouts with gaps in another order.
    """

    name: str
    gradients: bool
    thorough: bool
    sparse: bool
    strength: int
    rounds: int
    samples: int
    covered: int
    company: int
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


_EDGES = (1031, 17, 257, 32, 65537, 256, 4099)
_WALK = (1031, 17, 32, 257)

_INFERENCE = Profile(
    "inference",
    gradients=False,
    thorough=False,
    sparse=False,
    strength=1,
    rounds=2,
    samples=2,
    covered=2,
    company=9,
    ranks=(2, 3, 4, 1, 5),
    edges=_WALK,
    far_edges=(17, 257, 1031),
    most=1 << 16,
    huge=0,
    case_seconds=60.0,
    floor=43500,
)
PROFILES: Mapping[str, Profile] = {
    p.name: p
    for p in (
        replace(
            _INFERENCE,
            name="quick",
            gradients=True,
            sparse=True,
            rounds=4,
            samples=1,
            covered=1,
            company=6,
            edges=(1031, 32),
            far_edges=(1031,),
            most=1 << 15,
            case_seconds=30.0,
            floor=27800,
        ),
        _INFERENCE,
        replace(_INFERENCE, name="training", gradients=True, floor=49000),
        Profile(
            "full",
            gradients=True,
            thorough=True,
            sparse=False,
            strength=2,
            rounds=1,
            samples=2,
            covered=1,
            company=16,
            ranks=(2, 3, 4, 1, 5, 6, 8),
            edges=_EDGES,
            far_edges=(1031, 17, 65537),
            most=1 << 19,
            huge=4194305,
            case_seconds=120.0,
            floor=165000,
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
