"""Interleaved timing: every round samples each contestant, so that drift of the machine meets all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

WARM_CALLS = 3
SHORTEST_SAMPLE = 5e-4
ROUNDS = (7, 200)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds per call: median, first and third quartile, number of samples."""

    median: float
    low: float
    high: float
    samples: int


def interleaved(calls: Mapping[str, Callable[[], Any]], budget: float) -> dict[str, Timing]:
    """Times each call in turn, round by round, for about ``budget`` seconds in all.

    A sample covers as many calls as take half a millisecond. At least 7 and at most 200 rounds are made.
    """
    if not calls:
        return {}
    repeats = {}
    for name, call in calls.items():
        for _ in range(WARM_CALLS):
            call()
        repeats[name] = max(1, round(SHORTEST_SAMPLE / max(_sample(call, 1), 1e-7)))
    round_time = sum(_sample(call, repeats[name]) * repeats[name] for name, call in calls.items())
    rounds = min(max(round(budget / round_time), ROUNDS[0]), ROUNDS[1])
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            samples[name].append(_sample(call, repeats[name]))
    return {name: _summary(values) for name, values in samples.items()}


def _sample(call: Callable[[], Any], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def _summary(values: list[float]) -> Timing:
    low, median, high = statistics.quantiles(values, n=4)
    return Timing(median, low, high, len(values))
