"""How much a run puts up with."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from torchport.errors import OptionError

_CGROUP = Path("/sys/fs/cgroup")
_SHARE = 0.8
"""Of the machine's memory, what workers may hold together."""
WORKER_BYTES = 2 * 2**30
"""What a worker needs at least, PyTorch and the suite included."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run in worker processes.

    Attributes:
        case_seconds: for one case, its compilation included.
        crashes_per_op: confirmed crashes or hangs, after which the rest of an operator is not run.
        restarts: workers that may be lost in a run, after which the rest of it is not run.
        probes: how often earlier cases are run again to find the one that a crash depends on.
        memory: bytes that one worker and its child processes may hold; ``None`` is an equal share of the
            machine's memory or of its control group's.
        backoff_seconds: the first wait before a worker is started again after losses without a finished case
            between them; it doubles up to ``backoff_limit``.
        backoff_limit: the longest of these waits in seconds.
    """

    case_seconds: float = 30.0
    crashes_per_op: int = 3
    restarts: int = 300
    probes: int = 14
    memory: int | None = None
    backoff_seconds: float = 0.25
    backoff_limit: float = 10.0

    def __post_init__(self) -> None:
        problems = {
            "case_seconds": self.case_seconds > 0,
            "crashes_per_op": self.crashes_per_op > 0,
            "restarts": self.restarts >= 0,
            "probes": self.probes >= 0,
            "memory": self.memory is None or self.memory > 0,
        }
        for name, fine in problems.items():
            if not fine:
                raise OptionError(f"the limit {name!r} has no such value", got=repr(getattr(self, name)))


def machine_memory() -> int:
    """Bytes that this process and its children may hold: the machine's, or the control group's if fewer."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _CGROUP / "memory.max"
    text = limit.read_text().strip() if limit.exists() else "max"
    return found if text == "max" else min(found, int(text))


def share_of_memory(jobs: int) -> int:
    """Bytes for one of ``jobs`` workers."""
    return max(WORKER_BYTES, int(machine_memory() * _SHARE) // jobs)


def workers_of_machine() -> int:
    """How many workers this machine has processors and memory for."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors, int(machine_memory() * _SHARE) // WORKER_BYTES))
