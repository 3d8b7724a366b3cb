"""What happened to each compiled graph: counts and reasons, kept per Dynamo entry, shown by ``explain``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torchport.compile.reason import Rejection
from torchport.compile.uncached import CacheCounts


@dataclass(frozen=True, slots=True)
class RegionReport:
    """One compiled region: which backend, how many nodes, whether its artifact came from the cache.

    A ``specialized`` region is compiled anew for each tuple of sizes: see :attr:`Reports.specializations`.
    """

    name: str
    backend: str
    nodes: int
    ops: tuple[str, ...]
    from_cache: bool
    seconds: float
    specialized: bool = False


@dataclass(frozen=True, slots=True)
class BufferCopy:
    """A copy of a whole buffer in each call of a graph, which writing in place would have saved.

    ``kind`` is ``write-back`` (the new value is copied into the input), ``base`` (an update of some elements
    first copies the rest), ``epilogue`` (AOTAutograd copies an output into an input) or ``transfer`` (between
    devices). ``value`` is its name in the graph.
    """

    kind: str
    value: str
    bytes: int
    reason: str


@dataclass(frozen=True, slots=True)
class GraphReport:
    """One compiled graph. Nodes are counted after lowering; views that cost nothing are counted apart.

    ``seconds`` has the wall time of each stage by name. ``in_place`` counts the values that are left in the
    memory of an input or of what they replace; ``copies`` are the copies that remain.
    """

    phase: str
    claimed: int
    fallback: int
    free_views: int
    regions: tuple[RegionReport, ...]
    rejections: tuple[Rejection, ...]
    fallback_ops: Mapping[str, int]
    seconds: Mapping[str, float]
    copies: tuple[BufferCopy, ...] = ()
    in_place: int = 0

    @property
    def bytes_copied(self) -> int:
        """Bytes of all ``copies`` of one call; symbolic sizes count as their example values."""
        return sum(c.bytes for c in self.copies)

    @property
    def claimed_share(self) -> float:
        """Claimed nodes over all nodes that compute something; 1.0 for a graph that computes nothing."""
        total = self.claimed + self.fallback
        return self.claimed / total if total else 1.0

    @property
    def compiled(self) -> int:
        """Regions that the backends compiled, cache hits and specialised regions not counted."""
        return sum(not (r.from_cache or r.specialized) for r in self.regions)


@dataclass
class AlignmentCopies:
    """Copies made so far for a backend that declares an ``alignment``, and their bytes."""

    count: int = 0
    bytes: int = 0


@dataclass
class Specializations:
    """Counts of one specialised region, kept up to date while it runs.

    Attributes:
        region: its name.
        backend: the backend's name.
        limit: how many specialisations are kept.
        compiled: how often the backend's ``compile`` produced code for it.
        from_cache: how often the code came from a cache instead.
        evicted: specialisations that were dropped for another one.
        eager_calls: calls that ran in eager PyTorch: over the limit, or refused.
        seconds: wall time spent on asking, compiling and loading, the example's sizes apart.
        shapes: symbol values that code is kept for, oldest first.
        rejections: why shapes were refused; the text names the sizes.
    """

    region: str
    backend: str
    limit: int
    compiled: int = 0
    from_cache: int = 0
    evicted: int = 0
    eager_calls: int = 0
    seconds: float = 0.0
    shapes: tuple[tuple[int, ...], ...] = ()
    rejections: tuple[Rejection, ...] = ()

    def __str__(self) -> str:
        parts = [f"{len(self.shapes)} of at most {self.limit} shapes"]
        parts += [f"{self.compiled} compiled", f"{self.from_cache} from the cache", f"{self.evicted} evicted"]
        parts += [f"{self.eager_calls} calls in eager", f"{self.seconds:.2f} s"]
        return f"{self.region}: {', '.join(parts)}"


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
    specializations: list[Specializations] = field(default_factory=list)
    alignment_copies: AlignmentCopies = field(default_factory=AlignmentCopies)
    cache: CacheCounts = field(default_factory=CacheCounts)
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
        return sum(g.compiled for g in self.graphs) + sum(s.compiled for s in self.specializations)

    @property
    def copies(self) -> tuple[BufferCopy, ...]:
        """Every copy of a whole buffer that remains, over every graph."""
        return tuple(c for g in self.graphs for c in g.copies)

    @property
    def bytes_copied(self) -> int:
        """Bytes of all ``copies``, each graph called once."""
        return sum(g.bytes_copied for g in self.graphs)

    @property
    def rejections(self) -> tuple[Rejection, ...]:
        """Every refusal of a node that ended in eager PyTorch, for some sizes at least."""
        graphs = [r for graph in self.graphs for r in graph.rejections]
        return (*graphs, *(r for found in self.specializations for r in found.rejections))

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
        self.specializations.clear()
        self.alignment_copies.count = self.alignment_copies.bytes = 0
        self.cache.clear()
        self.overlapped_calls = 0

    def __str__(self) -> str:
        lines = [*describe_macros(self.raised), *describe(self.graphs)]
        lines += [f"  specialised {counts}" for counts in self.specializations]
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
        lines += describe_copies(graph)
    for op, count in left.most_common():
        why = next((f"{r.reason}{': ' + r.text if r.text else ''}" for r in rejections if r.op == op), "")
        lines.append(f"  {count} x {op} ({why})")
    return lines


def describe_copies(graph: GraphReport) -> list[str]:
    """One line for the values that are left in place, and one for each copy that remains."""
    lines = [f"    {graph.in_place} written in place"] if graph.in_place else []
    return lines + [f"    {c.kind} copy of {c.value}, {c.bytes} bytes: {c.reason}" for c in graph.copies]


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
