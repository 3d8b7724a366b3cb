"""Contract versions: one line each, newest last, and the pins of those that are released.

A version is a draft until its snapshot's SHA-256 stands in :data:`PINS`; from then on neither its entries nor
its snapshot may change, and what is new goes into the next version. ``python -m torchport.contract.snapshot
--release VERSION`` writes the pin.
"""

from __future__ import annotations

from collections.abc import Mapping

LOG: Mapping[str, str] = {
    "1.0": "the closed set: every dense OpInfo entry, forward and backward, lowers to its primitives",
    "1.1": "follows PyTorch 2.14: polar decomposition, matrix roots, keys folded with data; cholesky goes",
}
"""What each version brought."""

PINS: Mapping[str, str] = {
    "1.0": "4c760a56b30364a9d28f877819401319114ca7da44557230a718b2b1745fbec5",
}
"""SHA-256 of the snapshot of each released version."""

CURRENT = "1.0"
"""The version that is meant where none is named."""


def status(version: str) -> str:
    """``draft`` or ``released``."""
    return "released" if version in PINS else "draft"


def ordered(version: str) -> tuple[int, ...]:
    """A key that sorts versions from old to new."""
    return tuple(int(part) for part in version.split("."))
