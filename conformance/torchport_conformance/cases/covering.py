"""Covering arrays: few rows in which every value of every axis, or every pair of values, occurs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np


def each_value(levels: Sequence[int], rounds: int = 1) -> tuple[tuple[int, ...], ...]:
    """Rows in which every value of every axis occurs; ``levels`` are the numbers of values.

    There are as many rows as the longest axis has values, in each of the ``rounds``. Shorter axes go round,
    one further each time, so that values meet in changing company.
    """
    rows = max(levels, default=1)
    return tuple(
        tuple((row + a + (row // n + turn) * (a % n) + turn * (a > 0)) % n for a, n in enumerate(levels))
        for turn in range(rounds)
        for row in range(rows)
    )


def pairs(levels: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Rows in which every pair of values of any two axes occurs; ``levels`` are the numbers of values.

    Built axis by axis, longest first: each row takes the value that brings most new pairs, and rows are
    added for what is left.
    """
    order = sorted(range(len(levels)), key=lambda axis: -levels[axis])
    rows = _pairs(tuple(levels[axis] for axis in order))
    place = {axis: i for i, axis in enumerate(order)}
    return tuple(tuple(row[place[axis]] for axis in range(len(levels))) for row in rows)


@lru_cache(maxsize=4096)
def _pairs(levels: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    if len(levels) < 2:
        return tuple((value,) for value in range(levels[0])) if levels else ((),)
    rows = [[a, b] for a in range(levels[0]) for b in range(levels[1])]
    starts = np.cumsum([0, *levels])
    for axis in range(2, len(levels)):
        _add_axis(rows, levels[axis], starts[:axis], int(starts[axis]))
    return tuple(map(tuple, rows))


def _add_axis(rows: list[list[int]], count: int, starts: np.ndarray, width: int) -> None:
    """Gives every row a value of one more axis. ``starts`` are where the values of the axes before begin
    among their ``width`` values.
    """
    missing = np.ones((width, count), dtype=np.int64)
    for turn, row in enumerate(rows):
        places = starts + row
        gain = missing[places].sum(0)
        value = int(np.argmax(np.roll(gain, -(turn % count))) + turn) % count
        row.append(value)
        missing[places, value] = 0
    spare: dict[int, list[list[int]]] = {}
    for place, value in zip(*(found.tolist() for found in np.nonzero(missing)), strict=True):
        axis = int(np.searchsorted(starts, place, side="right")) - 1
        wanted = int(place - starts[axis])
        free = [r for r in spare.get(value, ()) if r[axis] < 0]
        if not free:
            free = [[-1] * len(starts) + [value]]
            spare.setdefault(value, []).extend(free)
        free[0][axis] = wanted
    for added in spare.values():
        rows += [[max(v, 0) for v in row] for row in added]
