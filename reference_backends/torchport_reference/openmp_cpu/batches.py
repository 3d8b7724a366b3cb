"""Small kernels that follow each other become one entry: a call from Python costs more than they do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

GIL_WORK = 1 << 16
"""Elements from which a kernel runs without holding Python's global lock, and by itself."""


def joined(steps: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Steps with every run of two or more small kernels as one step, and the C++ functions of these.

    A kernel that checks indices stays alone, since what follows it must not run after a failure.
    """
    found: list[dict[str, Any]] = []
    sources: dict[str, str] = {}  # name by body
    for small, group in groupby(steps, key=_is_small):
        run = list(group)
        if not small or len(run) == 1:
            found += run
            continue
        writes = [name for step in run for name in step["writes"]]
        reads = list(dict.fromkeys(n for step in run for n in step["reads"] if n not in set(writes)))
        place = {name: i for i, name in enumerate([*reads, *writes])}
        lines = []
        for step in run:
            buffers = ", ".join(f"p[{place[name]}]" for name in (*step["reads"], *step["writes"]))
            lines.append(f"  {{ void* q[] = {{{buffers}}}; {step['kernel']}(q, n); }}")
        name = sources.setdefault("\n".join(lines), f"batch_{len(sources)}")
        work = sum(step["work"] for step in run)
        found.append({"kernel": name, "reads": reads, "writes": writes, "checks": [], "work": work})
    bodies = [f"KERNEL {name}(void** p, const int64_t* n) {{\n{body}\n}}\n" for body, name in sources.items()]
    return found, bodies


def _is_small(step: dict[str, Any]) -> bool:
    return "kernel" in step and "update" not in step and not step["checks"] and step["work"] < GIL_WORK
