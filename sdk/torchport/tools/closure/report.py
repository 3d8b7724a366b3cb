"""What a closure run found, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

MOST_PRIMS = 200
MOST_UNTRACEABLE = 20
NOT_DENSE = "not dense"
NO_SAMPLES = "no samples"


@dataclass(frozen=True, slots=True)
class Open:
    """A sample that did not close: the stage (``lower``, ``verify``, ``execute``, ``values``, ``gradients``,
    ``crash``) and why.
    """

    entry: str
    dtype: str
    sample: int
    stage: str
    text: str


@dataclass(frozen=True, slots=True)
class Excluded:
    """An entry, or a sample of one, outside the contract.

    ``kind`` is ``not dense`` (by its layout), ``no samples`` (for this device), ``untraceable`` (PyTorch's
    own trace failed in this run, with this reason), ``eager has no kernel`` (for it on this device) or
    ``reads beyond its operands`` (eager PyTorch refused it over copies of just the operands).
    """

    entry: str
    kind: str
    reason: str
    dtype: str = ""
    sample: int | None = None


@dataclass(slots=True)
class EntryResult:
    """What one worker found out about one entry."""

    entry: str
    samples: int = 0
    gradients: int = 0
    by_dtype: dict[str, int] = field(default_factory=dict)
    unjudged: int = 0
    open: list[Open] = field(default_factory=list)
    excluded: Excluded | None = None
    outside: list[Excluded] = field(default_factory=list)
    prims: set[str] = field(default_factory=set)
    aten: set[str] = field(default_factory=set)
    nodes: int = 0
    lower_seconds: float = 0.0
    worst_ratio: float = 0.0
    calls: int = 0
    strides: int = 0
    symbolic: int = 0
    encoded: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """Calls on which the contract's rules were held against eager and fake tensors: shapes and dtypes in
    Python, strides where the layout rule states them, and each different call in C++. ``symbolic`` calls have
    symbolic sizes: the rules, evaluated on symbols, gave what PyTorch's symbolic trace did.
    """

    python: int
    strides: int
    symbolic: int
    cpp: int
    cpp_differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClosureReport:
    """The whole run.

    ``excluded`` are entries none of whose samples could be tried, ``outside`` samples of entries that closed
    over the others. ``unjudged`` samples are random or uninitialised: shape and dtype were compared, not
    values. ``worst_ratio`` is the largest error over its limit 2·|eager - f64| + bound.
    """

    torch: str
    opset: str
    entries: int
    closed: int
    samples: int
    gradients: int
    by_dtype: Mapping[str, int]
    unjudged: int
    open: tuple[Open, ...]
    excluded: tuple[Excluded, ...]
    outside: tuple[Excluded, ...]
    prims: Mapping[str, int]
    aten: Mapping[str, int]
    nodes: int
    lower_microseconds_per_node: float
    worst_ratio: float
    rules: RuleCounts
    seconds: float

    @property
    def distinct_prims(self) -> int:
        """How many primitives the entries need together."""
        return len(self.prims)

    def shortcomings(self) -> tuple[str, ...]:
        """What keeps the contract from being closed: open samples, too many primitives, too many entries that
        PyTorch does not trace, rules that differ between Python and C++.
        """
        untraceable = sum(e.kind != NOT_DENSE for e in self.excluded)
        differing = len(self.rules.cpp_differences)
        found = (
            (len(self.open), 0, "{} open samples"),
            (self.distinct_prims, MOST_PRIMS, "{} primitives, more than {}"),
            (untraceable, MOST_UNTRACEABLE, "{} entries that PyTorch does not trace, more than {}"),
            (differing, 0, "{} calls on which the C++ rules differ"),
        )
        return tuple(text.format(count, most) for count, most, text in found if count > most)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; ``prims`` and ``aten`` count the entries that use each operator."""
        return {**asdict(self), "distinct_prims": self.distinct_prims, "distinct_aten": len(self.aten)}
