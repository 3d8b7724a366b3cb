"""One token written into two key-value caches of 16.8 MB: time of a call, and whole caches that it copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from torchport.compile.reports import BufferCopy
from torchport.dynamo import DynamoBackend, dynamo_backend
from torchport.tools.bench.timing import Timing, interleaved

COLUMNS = ("case", "backend", "time a call", "ours / it", "whole-cache copies")
EAGER = "eager"
CACHE = (1, 32, 1024, 128)
"""Batch, heads, positions, features: 16.8 MB in float32."""


def _assignment(keys: Tensor, values: Tensor, key: Tensor, value: Tensor, at: Tensor) -> Tensor:
    keys[:, :, at] = key
    values[:, :, at] = value
    return keys[:, :, at] * 2


def _index_copy(keys: Tensor, values: Tensor, key: Tensor, value: Tensor, at: Tensor) -> Tensor:
    keys.index_copy_(2, at, key)
    values.index_copy_(2, at, value)
    return key * 2


def _slices(keys: Tensor, values: Tensor, key: Tensor, value: Tensor, at: Tensor) -> Tensor:
    keys[:, :, 5:6] = key
    values[:, :, 5] = value[:, :, 0]
    return keys[:, :, at] * 2


CASES: dict[str, Callable[..., Tensor]] = {
    "kv-cache: keys[:, :, at] = key": _assignment,
    "kv-cache: index_copy_": _index_copy,
    "kv-cache: slices": _slices,
}


@dataclass(frozen=True, slots=True)
class WriteCost:
    """Seconds a call of one form of the write, by contestant, and the copies of whole caches in ours."""

    case: str
    timings: dict[str, Timing]
    copies: tuple[BufferCopy, ...]

    def rows(self, backend: str) -> list[tuple[str, ...]]:
        """One row for each contestant, as text under :data:`COLUMNS`."""
        ours = self.timings[backend].median
        return [
            (
                self.case,
                name,
                f"{t.median * 1e6:.1f} µs",
                "" if name == backend else f"{ours / t.median:.2f}",
                str(len(self.copies)) if name == backend else "",
            )
            for name, t in self.timings.items()
        ]

    def to_dict(self, backend: str) -> dict[str, Any]:
        """Plain data; ratios are our time over the other's."""
        return {
            "case": self.case,
            "seconds": {name: asdict(t) for name, t in self.timings.items()},
            "ours_over": {n: self.timings[backend].median / t.median for n, t in self.timings.items()},
            "copies": [asdict(c) for c in self.copies],
        }


def cache_writes(backend: str, rivals: Sequence[str], *, seconds_per_case: float = 2.0) -> list[WriteCost]:
    """Every form of the write, timed in turn with the rivals on the same caches.

    Raises:
        RegistrationError: no such backend is installed.
    """
    costs = []
    for name, fn in CASES.items():
        entry = DynamoBackend(dynamo_backend(backend).backends)
        calls: dict[str, Callable[[], Tensor]] = {}
        inputs = _inputs()
        for contestant in (backend, *rivals):
            torch._dynamo.reset()
            chosen = entry if contestant == backend else contestant
            run = fn if contestant == EAGER else torch.compile(fn, backend=chosen)
            calls[contestant] = partial(run, *inputs)
            with torch.no_grad():
                calls[contestant]()
        with torch.no_grad():
            timings = interleaved(calls, seconds_per_case)
        whole = inputs[0].nbytes
        costs.append(WriteCost(name, timings, tuple(c for c in entry.reports.copies if c.bytes >= whole)))
    return costs


def _inputs() -> tuple[Tensor, ...]:
    token = (*CACHE[:2], 1, CACHE[3])
    return torch.zeros(CACHE), torch.zeros(CACHE), torch.randn(token), torch.randn(token), torch.tensor([5])
