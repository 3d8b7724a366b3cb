"""How a process ended, in words; what it printed last."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Sequence
from pathlib import Path

OUT_OF_MEMORY = "out of memory"
_KEPT = 64 * 1024
_FRAMES = 100
"""How deep faulthandler shows a stack; what is deeper has run over perhaps."""
_COUNTERS = (Path("/sys/fs/cgroup/memory.events"), Path("/proc/vmstat"))


def describe_exit(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"the process was ended by exit({code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    meaning = {
        "SIGSEGV": "segmentation fault",
        "SIGBUS": "bus error",
        "SIGABRT": "abort",
        "SIGFPE": "arithmetic fault, such as an integer division by zero",
        "SIGILL": "illegal instruction",
        "SIGKILL": "killed from outside",
        "SIGPIPE": "wrote to a pipe that nobody reads",
    }.get(name, "ended by a signal")
    return f"{name}: {meaning}"


def kernel_kills() -> int:
    """How many processes the kernel has killed for lack of memory so far, as far as it says."""
    found = 0
    for path in _COUNTERS:
        if path.exists():
            found += sum(map(int, re.findall(r"^oom_kill (\d+)$", path.read_text(), re.MULTILINE)))
    return found


class Output:
    """The end of what a worker and its children print, read from a pipe that never fills the disk."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._tail = b""
        self.bytes = 0
        self.ended = False

    def fileno(self) -> int:
        """The pipe's descriptor, for ``select``."""
        return self._descriptor

    def read(self, most: int = _KEPT) -> None:
        """Takes in what is there, up to about ``most`` bytes; a flood is not waited for."""
        taken = 0
        while taken < most:
            try:
                data = os.read(self._descriptor, _KEPT)
            except BlockingIOError:
                return
            if not data:
                self.ended = True
                return
            taken += len(data)
            self.bytes += len(data)
            self._tail = (self._tail + data)[-_KEPT:]

    def lines(self) -> list[str]:
        """The last lines printed."""
        return self._tail.decode(errors="replace").strip().splitlines()

    def close(self) -> None:
        """Closes the pipe."""
        os.close(self._descriptor)


def tail(lines: Sequence[str], last: int = 6) -> str:
    """The first lines of a trace that faulthandler wrote (the innermost frames), else the last lines."""
    trace = _trace(lines)
    if trace:
        return "\n".join(line.strip() for line in trace)[:600]
    return "\n".join(line[:300] for line in lines[-last:])


def ran_over(lines: Sequence[str]) -> bool:
    """Whether the trace says, or looks as if, the stack was full."""
    told = any("stack overflow" in line for line in lines)
    return told or sum(line.strip().startswith("File ") for line in _trace(lines)) >= _FRAMES


def _trace(lines: Sequence[str]) -> list[str]:
    """The frames of a trace; threads have numbers of no meaning, which are left out."""
    starts = [
        i for i, line in enumerate(lines) if re.match(r"(Current thread|Thread|Stack) .*most recent", line)
    ]
    if not starts:
        return []
    found = []
    for line in lines[starts[0] + 1 :]:
        if line.strip() and not line.startswith(" "):
            break
        if line.strip():
            found.append(line)
    return found
