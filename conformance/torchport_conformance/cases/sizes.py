"""Size classes: what integers the letters of an operator's shape patterns take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SMALL = (3, 4, 5, 2, 6, 3, 4, 5)
_ODD = (7, 5, 11, 3, 13, 7, 5, 11)
_BESIDE = (3, 5, 3, 3, 5, 7, 3, 5)
"""Beside a size of some vectors: odd, so that the number of elements is, too."""
_ROOMY: Mapping[int, tuple[int, ...]] = {1: (37,), 2: (19, 23), 3: (17, 5, 19)}
"""Odd sizes by number of letters where any sizes do: more rows than a vector or a small tile has."""
_BESIDE_LARGE: Mapping[int, int] = {2: 5, 3: 3}
"""Sizes of the other letters beside a large one there, by number of letters."""
_TRIES = 12


@dataclass(frozen=True, slots=True)
class SizeClass:
    """A named assignment of sizes."""

    name: str
    sizes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Extent:
    """A size class before the letters are known.

    ``size`` is that of one letter, counted from the last by ``turn``, of every letter where ``turn`` is None;
    0 stands for ordinary sizes (``odd`` ones where ``turn`` is odd).
    """

    size: int = 0
    turn: int | None = 0

    def of(self, letters: Sequence[str], *, roomy: bool = False) -> SizeClass:
        """The size class for these letters; ``roomy`` where they may have any sizes, and work does not grow
        faster than they do.
        """
        odd = _ROOMY.get(len(letters)) if roomy else None
        if not self.size or not letters:
            kind = "odd" if (self.turn or 0) % 2 else "small"
            sizes = base_sizes(letters, kind)
            return SizeClass(kind, dict(zip(letters, odd, strict=True)) if odd and kind == "odd" else sizes)
        if self.turn is None:
            return SizeClass(f"all={self.size}", dict.fromkeys(letters, self.size))
        letter = letters[-1 - self.turn % len(letters)]
        # The others stay small where one is large.
        if self.size < 1000:
            rest = dict(zip(letters, odd or _BESIDE, strict=False))
        else:
            few = _BESIDE_LARGE.get(len(letters), 2) if roomy and self.size < 10_000 else 2
            rest = dict.fromkeys(letters, few)
        return SizeClass(f"{letter}={self.size}", {**rest, letter: self.size})


SMALL, ODD = Extent(turn=0), Extent(turn=1)


def one_letter(letters: Sequence[str], letter: str, size: int) -> SizeClass:
    """Small sizes, and ``size`` for one letter."""
    return SizeClass(f"{letter}={size}", {**base_sizes(letters, "small"), letter: size})


def base_sizes(letters: Sequence[str], kind: str, shift: int = 0) -> dict[str, int]:
    """Small or odd sizes for every letter; ``shift`` turns which letter gets which."""
    pool = _SMALL if kind == "small" else _ODD
    return {letter: pool[(i + shift) % len(pool)] for i, letter in enumerate(letters)}


def is_ordinary(sizes: Mapping[str, int]) -> bool:
    """Whether no size is what a size class is about: 0, 1 or past 14."""
    return all(1 < size < 15 for size in sizes.values())


def tries(latest: int, *, ordinary: bool) -> Sequence[int]:
    """Which alternatives of sizes to try: that which an operator's constraints allowed before, then the
    others; few of them where a size is out of the ordinary.
    """
    few = range(_TRIES if ordinary else _TRIES // 3)
    return (latest, *(turn for turn in few if turn != latest))


def alternative(sizes: Mapping[str, int], turn: int) -> Mapping[str, int]:
    """``sizes``; past turn 0 with the ordinary ones turned and grown, so that an operator's constraints may
    hold.

    Values of 0, 1 and past 14 are what a size class is about and stay.
    """
    if turn == 0:
        return sizes
    free = [letter for letter, size in sizes.items() if 1 < size < 15]
    ordinary = [sizes[letter] for letter in free]
    start, grown = turn % max(len(free), 1), 2 * (turn // max(len(free), 1))
    turned = ordinary[start:] + ordinary[:start]
    return {**sizes, **{letter: size + grown for letter, size in zip(free, turned, strict=True)}}
