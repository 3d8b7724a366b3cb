"""Memory that calls leave behind, and tensors past 2**31 bytes."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import torch

from torchport_conformance.layers.system.workload import Finding, Trial

WARM_UP, CALLS, ROUNDS = 20, 400, 3
ALLOWED = 8 << 20
"""Bytes by which a process may grow over all calls: allocators round up."""
ALLOWED_TENSORS = 2
"""Tensors that may be alive after the calls and were not before: the last result, and a cached one."""
HUGE = (1 << 31) // 4 + 4099
"""Elements of float32 that end past 2**31 bytes."""


def growth(trial: Trial) -> Finding:
    """Calls after a warm-up, with inputs of their own; the process and the living tensors are counted. An
    allocator may take memory once, a leak takes it every time.
    """
    compiled = trial.compile()
    for turn in range(WARM_UP):
        compiled(*trial.inputs(turn))
    given = trial.inputs()
    for _ in range(ROUNDS):
        size, tensors = resident_bytes(), living_tensors()
        for _ in range(CALLS):
            compiled(*given)
        more, grown = living_tensors() - tensors, resident_bytes() - size
        if more > ALLOWED_TENSORS + len(given):
            text = f"{more} more tensors are alive after {CALLS} calls than before them"
            return Finding("memory leak", text)
        if grown <= ALLOWED:
            return Finding()
    text = f"the process grew by {grown} bytes in {CALLS} calls, {grown // CALLS} a call"
    return Finding("memory leak", f"{text}, in each of {ROUNDS} rounds; {ALLOWED} are allowed")


def resident_bytes() -> int:
    """Memory of this process that is in use, after a collection."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def living_tensors() -> int:
    """Tensors that Python can reach, after a collection."""
    gc.collect()
    return sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects())


def past_2_31_bytes(trial: Trial) -> Finding:
    """The last elements of a tensor past 2**31 bytes: 32-bit offsets would wrap."""
    needed, free = 3 * 4 * HUGE, _free_bytes()
    if free < needed + (2 << 30):
        return Finding(not_run=f"memory: {free >> 20} MiB are free, {(needed >> 20) + 2048} needed")
    x = torch.zeros(HUGE, device=trial.subject.device)
    x[-3:] = torch.tensor([1.0, 2.0, 3.0])
    x[0] = 5.0
    trial.compile()(*trial.inputs())
    got = trial.subject.compile(lambda t: torch.relu(t) + 1.0, dynamic=False)(x)
    seen = [got[0].item(), got[1].item(), *got[-3:].tolist()]
    if seen != [6.0, 1.0, 2.0, 3.0, 4.0]:
        text = f"first, second and last three elements are {seen}, not [6.0, 1.0, 2.0, 3.0, 4.0]"
        return Finding("offsets wrap", text)
    return Finding()


def _free_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0
