"""An explanation as plain data, as text and as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from torchport.compile.reports import describe, describe_macros
from torchport.tools.explain import Explanation, Survey
from torchport.tools.unlock import Unlock

FORMAT, FORMAT_VERSION = "torchport-explanation", 1
SHOWN, PRINTED = 10, 3
"""How many operators the table ranks, and how many the text."""

Table = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]]
"""A title, column names and rows."""


def explanation_to_dict(found: Explanation) -> dict[str, Any]:
    """One program, under ``schemas/explanation.schema.json``."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "backend": found.backend,
        "claimed": found.claimed,
        "fallback": found.fallback,
        "claimed_share": None if math.isnan(found.claimed_share) else found.claimed_share,
        "claimed_time_share": found.claimed_time_share,
        "claimed_bytes": found.claimed_bytes,
        "fallback_bytes": found.fallback_bytes,
        "claimed_bytes_share": found.claimed_bytes_share,
        "bytes_copied": found.bytes_copied,
        "cache_hits": found.cache_hits,
        "graph_breaks": dict(found.graph_breaks),
        "breaks": [asdict(b) for b in found.breaks],
        "recompiles": [asdict(r) for r in found.recompiles],
        "reasons": dict(found.reasons),
        "fallback_ops": dict(found.fallback_ops),
        "macros": [asdict(m) for m in found.macros],
        "unlocks": [unlock_to_dict(u) for u in found.unlocks],
        "graphs": [
            {
                "phase": g.phase,
                "claimed": g.claimed,
                "fallback": g.fallback,
                "free_views": g.free_views,
                "in_place": g.in_place,
                "copies": [asdict(c) for c in g.copies],
                "seconds": dict(g.seconds),
                "regions": [
                    {"name": r.name, "backend": r.backend, "nodes": r.nodes, "from_cache": r.from_cache}
                    for r in g.regions
                ],
            }
            for g in found.graphs
        ],
        "rejections": [
            {"node": r.node, "op": r.op, "backend": r.backend, "reason": str(r.reason), "text": r.text}
            for r in found.rejections
        ],
    }


def survey_to_dict(found: Survey) -> dict[str, Any]:
    """Several programs, under ``schemas/explanation.schema.json``."""
    return {
        "format": f"{FORMAT}s",
        "format_version": FORMAT_VERSION,
        "backend": found.backend,
        "claimed_share": None if math.isnan(found.claimed_share) else found.claimed_share,
        "programs": {name: explanation_to_dict(one) for name, one in found.programs.items()},
        "unlocks": [unlock_to_dict(u) for u in found.unlocks],
    }


def unlock_to_dict(unlock: Unlock) -> dict[str, Any]:
    """One operator of the ranking."""
    return {**asdict(unlock), "also": list(unlock.also)}


def summary(found: Explanation) -> str:
    """The first line of every form of an explanation that people read."""
    if not found.graphs:
        return f"{found.backend}: nothing was compiled"
    shares = [f"{found.claimed_share:.0%}"]
    if found.claimed_time_share is not None:
        shares.append(f"{percent(found.claimed_time_share)} of the time")
    shares.append(f"{percent(found.claimed_bytes_share)} of the bytes")
    claimed = f"{found.claimed} nodes claimed ({', '.join(shares)})"
    return f"{found.backend}: {claimed}, {found.fallback} left to eager"


def percent(share: float) -> str:
    """A share without decimals; what is not nothing does not read 0%."""
    return "<1%" if 0 < share < 0.01 else f"{share:.0%}"


def explanation_text(found: Explanation) -> str:
    """Plain lines, for ``print``."""
    lines = [summary(found)]
    if found.graphs:
        lines += describe_macros(found.raised)
        lines += describe(found.graphs)
    if found.cache_hits:
        lines.append(f"  {found.cache_hits} regions came from the cache")
    for cut in found.breaks:
        lines.append(f"  graph break x {cut.count}: {cut}")
        if cut.hint:
            lines.append(f"    {cut.hint}")
    lines += [f"  recompiled {r.function} ({r.source}): {r.guard}" for r in found.recompiles]
    return "\n".join([*lines, *unlock_lines(found.unlocks)])


def survey_text(found: Survey) -> str:
    """Plain lines: every program, then the ranking over all of them."""
    lines = [f"{name}: {explanation_text(one)}" for name, one in found.programs.items()]
    return "\n".join([*lines, "over all programs:", *unlock_lines(found.unlocks)])


def unlock_lines(ranked: Sequence[Unlock]) -> list[str]:
    """One line for each of the operators that would unlock most."""
    lines = []
    for unlock in ranked[:PRINTED]:
        nodes = f"{unlock.nodes} node{'' if unlock.nodes == 1 else 's'}"
        gain = f"{nodes}, {size(unlock.bytes)}, {duration(unlock.seconds)} a call"
        then = f"{unlock.claimed_share:.0%} claimed, {-unlock.borders:+d} borders"
        lines.append(f"  claiming {unlock} unlocks {gain}: {then}")
    return lines


def size(count: float) -> str:
    """Bytes for people: 3.2 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(count) < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def duration(seconds: float) -> str:
    """Seconds for people: 12 µs."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.2f} µs"


def tables(found: Explanation) -> list[Table]:
    """What the command line shows below the summary; empty tables are left out."""
    first = {r.op: f"{r.reason}{': ' + r.text if r.text else ''}" for r in reversed(found.rejections)}
    graphs = [
        (
            g.phase,
            str(g.claimed),
            str(len(g.regions)),
            str(sum(r.from_cache for r in g.regions)),
            str(g.fallback),
            str(g.free_views),
            duration(sum(g.seconds.values())),
        )
        for g in found.graphs
    ]
    left = [(op, str(count), first.get(op, "")) for op, count in found.fallback_ops.most_common()]
    raised = [(line.strip(),) for line in describe_macros(found.raised)]
    copies = [(g.phase, c.kind, c.value, size(c.bytes), c.reason) for g in found.graphs for c in g.copies]
    breaks = [(str(b.count), b.cause, f"{b.source}\n{b.code}".strip(), b.hint) for b in found.breaks]
    again = [(r.function, r.source, r.guard) for r in found.recompiles]
    everything: list[Table] = [
        ("graphs", ("phase", "claimed", "regions", "cached", "left", "views", "compile time"), graphs),
        ("left to eager", ("operator", "nodes", "first reason"), left),
        ("buffers copied in each call", ("phase", "kind", "value", "bytes", "reason"), copies),
        ("macros raised", ("macro",), raised),
        ("graph breaks", ("times", "cause", "where", "what Dynamo advises"), breaks),
        ("recompilations", ("function", "where", "failed guard"), again),
        unlock_table(found.unlocks),
    ]
    return [table for table in everything if table[2]]


def unlock_table(ranked: Sequence[Unlock]) -> Table:
    """The ranking."""
    rows = [
        (
            str(u),
            str(u.nodes),
            size(u.bytes),
            duration(u.seconds),
            f"{-u.borders:+d}",
            f"{u.claimed_share:.0%}",
        )
        for u in ranked[:SHOWN]
    ]
    columns = ("if claimed", "nodes", "bytes", "eager time", "borders", "claimed then")
    return "what would unlock most", columns, rows
