"""Delta debugging: which nodes, outputs, sizes and values a fault needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")


def smallest(items: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """A part of ``items``, in order, that still fails, and of which no single item can be left out.

    ``items`` as a whole is known to fail. Parts are tried before what is left without them, halves first,
    then ever smaller ones (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002).
    """
    left, parts = list(items), 2
    while len(left) >= 2:
        chunks = _split(left, parts)
        kept = next((c for c in chunks if len(c) < len(left) and fails(c)), None)
        if kept is not None:
            left, parts = kept, 2
            continue
        kept = None
        if parts > 2:
            rests = ([x for j, c in enumerate(chunks) if j != i for x in c] for i in range(len(chunks)))
            kept = next((rest for rest in rests if fails(rest)), None)
        if kept is not None:
            left, parts = kept, max(parts - 1, 2)
        elif parts >= len(left):
            break
        else:
            parts = min(2 * parts, len(left))
    return left


def _split(items: Sequence[T], parts: int) -> list[list[T]]:
    """Contiguous chunks of nearly equal length."""
    bounds = [round(i * len(items) / parts) for i in range(parts + 1)]
    return [list(items[a:b]) for a, b in pairwise(bounds) if a < b]
