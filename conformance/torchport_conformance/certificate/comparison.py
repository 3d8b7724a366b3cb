"""What changed between two certificates of a backend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_GROWN = 2.0
"""A bound ratio that grew by this factor is named."""


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Differences between two payloads, one line each, what is lost first."""
    return (*_operators(old, new), *_totals(old, new), *_circumstances(old, new))


def lost(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Operators of which a smaller share of the cases is claimed in ``new`` than in ``old``."""
    before, after = old["by_op"], new["by_op"]
    none = {"claimed": 0, "cases": 0}
    return tuple(
        op
        for op, counts in before.items()
        if counts["claimed"] and _share(after.get(op, none)) < _share(counts)
    )


def _share(counts: Mapping[str, Any]) -> float:
    return counts["claimed"] / counts["cases"] if counts["cases"] else 0.0


def _operators(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = old["by_op"], new["by_op"]
    for op in lost(old, new):
        now = after.get(op)
        text = "no cases" if now is None else f"{now['claimed']} of {now['cases']}"
        yield f"lost: {op} was claimed in {before[op]['claimed']} of {before[op]['cases']} cases, now {text}"
    for op, counts in after.items():
        earlier = before.get(op)
        if counts["claimed"] and (earlier is None or _share(counts) > _share(earlier)):
            was = "not tested" if earlier is None else f"{earlier['claimed']} of {earlier['cases']}"
            yield f"gained: {op} is claimed in {counts['claimed']} of {counts['cases']} cases, was {was}"
        if earlier and (counts["bound_ratio"] or 0) > _GROWN * (earlier["bound_ratio"] or 0) > 0:
            now, was = counts["bound_ratio"], earlier["bound_ratio"]
            yield f"less exact: {op} error over bound {now:g}, was {was:g}"


def _totals(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for field, count in new["totals"].items():
        if field != "bound_ratio" and count != old["totals"][field]:
            yield f"{field}: {count}, was {old['totals'][field]}"


def _circumstances(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for part in ("subject", "contract", "suite", "environment", "scope", "waivers"):
        before, after = old[part], new[part]
        if part == "waivers":
            if before != after:
                yield f"waivers: {len(after)}, was {len(before)}, or their terms changed"
            continue
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                yield f"{part} {name}: {after.get(name)}, was {before.get(name)}"
