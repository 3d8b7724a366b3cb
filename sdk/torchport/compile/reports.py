"""What happened to each compiled graph: counts and reasons, kept per Dynamo entry, shown by ``explain``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torchport.compile.reason import Rejection


@dataclass(frozen=True, slots=True)
class RegionReport:
    """One compiled region: which backend, how many nodes, whether its artifact came from the cache."""

    name: str
    backend: str
    nodes: int
    ops: tuple[str, ...]
    from_cache: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class GraphReport:
    """One compiled graph. Nodes are counted after lowering; views that cost nothing are counted apart.

    ``seconds`` has the wall time of each stage by name.
    """

    phase: str
    claimed: int
    fallback: int
    free_views: int
    regions: tuple[RegionReport, ...]
    rejections: tuple[Rejection, ...]
    fallback_ops: Mapping[str, int]
    seconds: Mapping[str, float]

    @property
    def claimed_share(self) -> float:
        """Claimed nodes over all nodes that compute something; 1.0 for a graph that computes nothing."""
        total = self.claimed + self.fallback
        return self.claimed / total if total else 1.0

    @property
    def compiled(self) -> int:
        """Regions that the backends compiled, cache hits not counted."""
        return sum(not r.from_cache for r in self.regions)


@dataclass(frozen=True, slots=True)
class RaisedMacro:
    """A place of a program that computes a macro, and what became of it.

    ``pattern`` is the label of the form that was found, ``nodes`` how many nodes it had, ``source`` the line
    of the program. ``backend`` claimed it; it is empty where none did, and ``reason`` says why.
    """

    macro: str
    pattern: str
    nodes: int
    source: str
    backend: str = ""
    own_backward: bool = False
    reason: str = ""


@dataclass(slots=True)
class Reports:
    """All graphs compiled through one Dynamo entry, in order."""

    graphs: list[GraphReport] = field(default_factory=list)
    macros: list[RaisedMacro] = field(default_factory=list)
    overlapped_calls: int = 0
    """Calls that eager PyTorch ran, since an input that the graph writes overlapped another one in memory."""

    def count_overlapped(self) -> None:
        """Counts one call in :attr:`overlapped_calls`."""
        self.overlapped_calls += 1

    @property
    def raised(self) -> tuple[RaisedMacro, ...]:
        """Macros that were raised: a backend claimed them."""
        return tuple(m for m in self.macros if m.backend)

    @property
    def claimed_share(self) -> float:
        """Claimed nodes over all nodes that compute something, over every graph; NaN when nothing was
        compiled.
        """
        return claimed_share(self.graphs)

    @property
    def compiled_regions(self) -> int:
        """How often a backend's ``compile`` produced code."""
        return sum(g.compiled for g in self.graphs)

    @property
    def rejections(self) -> tuple[Rejection, ...]:
        """Every refusal of a node that ended in eager PyTorch."""
        return tuple(r for g in self.graphs for r in g.rejections)

    @property
    def reasons(self) -> Counter[str]:
        """Number of refusals by typed reason."""
        return Counter(str(r.reason) for r in self.rejections)

    @property
    def fallback_ops(self) -> Counter[str]:
        """Number of nodes left to eager PyTorch, by operator."""
        total: Counter[str] = Counter()
        for graph in self.graphs:
            total.update(graph.fallback_ops)
        return total

    def clear(self) -> None:
        """Forgets everything."""
        self.graphs.clear()
        self.macros.clear()
        self.overlapped_calls = 0

    def __str__(self) -> str:
        lines = [*describe_macros(self.raised), *describe(self.graphs)]
        return "\n".join(lines) if self.graphs else "nothing was compiled"


def claimed_share(graphs: Sequence[GraphReport]) -> float:
    """Claimed nodes over all nodes that compute something: 1.0 when none does, NaN when there is no graph."""
    if not graphs:
        return math.nan
    claimed = sum(g.claimed for g in graphs)
    total = claimed + sum(g.fallback for g in graphs)
    return claimed / total if total else 1.0


def describe(graphs: Sequence[GraphReport]) -> list[str]:
    """One line for each graph and for each operator left to eager PyTorch, with the first reason."""
    lines = []
    rejections = [r for g in graphs for r in g.rejections]
    left: Counter[str] = Counter()
    for graph in graphs:
        left.update(graph.fallback_ops)
        count = len(graph.regions)
        regions = f"{count} region{'' if count == 1 else 's'}"
        claimed = f"{graph.claimed} claimed in {regions}, {graph.fallback} left"
        lines.append(f"  {graph.phase}: {claimed}, {graph.free_views} free views")
    for op, count in left.most_common():
        why = next((f"{r.reason}{': ' + r.text if r.text else ''}" for r in rejections if r.op == op), "")
        lines.append(f"  {count} x {op} ({why})")
    return lines


def describe_macros(raised: Sequence[RaisedMacro]) -> list[str]:
    """One line for each macro and form that was raised, with how often and from which line first."""
    groups: dict[tuple[str, str, str], list[RaisedMacro]] = {}
    for macro in raised:
        groups.setdefault((macro.macro, macro.pattern, macro.backend), []).append(macro)
    lines = []
    for (name, pattern, backend), found in groups.items():
        own = ", with its own backward" if any(m.own_backward for m in found) else ""
        where = f", {found[0].source}" if found[0].source else ""
        lines.append(f"  raised {len(found)} x {name} ({pattern}) for {backend}{own}{where}")
    return lines
