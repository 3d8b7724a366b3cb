"""What the kernel is asked for processes: who belongs to whom, what they hold, and that none is left behind.

Elsewhere than on Linux these do nothing; process groups alone keep processes together there.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_FIRST_TO_GO = "1000"
_SWEEP_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Process:
    """A line of the process table; ``bytes`` is what it holds in memory."""

    pid: int
    parent: int
    group: int
    bytes: int


def processes() -> Iterator[Process]:
    """The process table; empty where there is no ``/proc``."""
    page = os.sysconf("SC_PAGE_SIZE")
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if not name.isdecimal():
            continue
        # A process may end while the table is read.
        with (
            contextlib.suppress(FileNotFoundError, ProcessLookupError),
            open(f"/proc/{name}/stat", errors="replace") as file,
        ):
            text = file.read()
            fields = text[text.rindex(")") + 2 :].split()
            parent, group, pages = int(fields[1]), int(fields[2]), int(fields[21])
            yield Process(int(text.partition(" ")[0]), parent, group, pages * page)


def memory_of_groups() -> Counter[int]:
    """Bytes in memory by process group; memory that processes share counts for each."""
    found: Counter[int] = Counter()
    for process in processes():
        found[process.group] += process.bytes
    return found


def adopt_orphans() -> None:
    """From now on, descendants whose parents end become children of this process, whatever their session."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """From now on, this process is killed when its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def go_first() -> None:
    """Where memory runs out, the kernel ends this process before any other."""
    path = Path("/proc/self/oom_score_adj")
    if path.exists():
        path.write_text(_FIRST_TO_GO)


def sweep(keep: Collection[int]) -> None:
    """Kills every child of this process, and what they leave behind, but those in ``keep``."""
    until = time.monotonic() + _SWEEP_SECONDS
    while time.monotonic() < until:
        found = [p.pid for p in processes() if p.parent == os.getpid() and p.pid not in keep]
        if not found:
            return
        for pid in found:
            os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.002)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
