"""Size classes: what integers the letters of an operator's shape patterns take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_SMALL = (3, 4, 5, 2, 6, 3, 4, 5)
_ODD = (7, 5, 11, 3, 13, 7, 5, 11)
_TRIES = 12


@dataclass(frozen=True, slots=True)
class SizeClass:
    """A named assignment of sizes; ``main`` classes are those that other axes are varied on."""

    name: str
    sizes: Mapping[str, int]


def size_classes(letters: Sequence[str], edges: Sequence[int], *, every_letter: bool) -> Iterator[SizeClass]:
    """The size classes of an operator whose patterns use ``letters``.

    ``small``, ``odd``; ``edge17`` and the like: one letter at a vector or tile edge or past a row of 1024;
    ``unit`` and ``empty``: one letter at 1 or 0. With ``every_letter`` each letter has its turn, else the
    last and the first.
    """
    yield SizeClass("small", base_sizes(letters, "small"))
    yield SizeClass("odd", base_sizes(letters, "odd"))
    if not letters:
        return
    turns = list(reversed(letters)) if every_letter else list(dict.fromkeys((letters[-1], letters[0])))
    small = base_sizes(letters, "small")
    for edge in edges:
        for letter in turns if every_letter else turns[:1]:
            yield SizeClass(f"{letter}={edge}", {**small, letter: edge})
    for letter in turns:
        yield SizeClass(f"{letter}=1", {**small, letter: 1})
    for letter in turns:
        yield SizeClass(f"{letter}=0", {**small, letter: 0})


def base_sizes(letters: Sequence[str], kind: str, shift: int = 0) -> dict[str, int]:
    """Small or odd sizes for every letter; ``shift`` turns which letter gets which."""
    pool = _SMALL if kind == "small" else _ODD
    return {letter: pool[(i + shift) % len(pool)] for i, letter in enumerate(letters)}


def alternatives(sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """``sizes``, then the same with the ordinary values turned and grown, until an operator's constraints
    hold.

    Values of 0, 1 and past 14 are what a size class is about and stay.
    """
    yield dict(sizes)
    free = [letter for letter, size in sizes.items() if 1 < size < 15]
    for attempt in range(1, _TRIES):
        ordinary = [sizes[letter] for letter in free]
        turned = ordinary[attempt % max(len(free), 1) :] + ordinary[: attempt % max(len(free), 1)]
        grown = 2 * (attempt // max(len(free), 1))
        yield {**sizes, **{letter: size + grown for letter, size in zip(free, turned, strict=True)}}
