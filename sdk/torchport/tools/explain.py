"""``tp.explain``: what a backend runs of a program, what it does not, why, and where the time goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch._dynamo.utils import counters

from torchport.compile.backend import Backend
from torchport.compile.reason import Rejection
from torchport.compile.reports import GraphReport, RaisedMacro, claimed_share, describe, describe_macros
from torchport.dynamo import DynamoBackend, recording
from torchport.pipeline import TimedProgram
from torchport.run.program import RegionStep

WARM_UP_CALLS, TIMED_CALLS = 2, 3


@dataclass(frozen=True, eq=False)
class Explanation:
    """What happened to a program.

    ``macros`` are the composites that were found, those that were raised and those that nobody claimed.
    ``graph_breaks`` counts causes of graph breaks by Dynamo's text; ``claimed_time_share`` is time inside the
    backend's regions over time inside all steps of a few warm calls (``None`` when nothing ran).
    """

    backend: str
    graphs: tuple[GraphReport, ...]
    graph_breaks: Mapping[str, int]
    claimed_time_share: float | None
    macros: tuple[RaisedMacro, ...] = ()

    @property
    def raised(self) -> tuple[RaisedMacro, ...]:
        """Macros that a backend claimed."""
        return tuple(m for m in self.macros if m.backend)

    @property
    def claimed(self) -> int:
        """Nodes that run on the backend, views apart."""
        return sum(g.claimed for g in self.graphs)

    @property
    def fallback(self) -> int:
        """Nodes that run in eager PyTorch, views apart."""
        return sum(g.fallback for g in self.graphs)

    @property
    def claimed_share(self) -> float:
        """``claimed`` over all nodes that compute something; NaN when nothing was compiled."""
        return claimed_share(self.graphs)

    @property
    def rejections(self) -> tuple[Rejection, ...]:
        """Every refusal that ended in eager PyTorch."""
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

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "backend": self.backend,
            "claimed": self.claimed,
            "fallback": self.fallback,
            "claimed_share": self.claimed_share,
            "claimed_time_share": self.claimed_time_share,
            "graph_breaks": dict(self.graph_breaks),
            "reasons": dict(self.reasons),
            "fallback_ops": dict(self.fallback_ops),
            "macros": [asdict(m) for m in self.macros],
            "graphs": [
                {
                    "phase": g.phase,
                    "claimed": g.claimed,
                    "fallback": g.fallback,
                    "free_views": g.free_views,
                    "seconds": dict(g.seconds),
                    "regions": [
                        {"name": r.name, "backend": r.backend, "nodes": r.nodes, "from_cache": r.from_cache}
                        for r in g.regions
                    ],
                }
                for g in self.graphs
            ],
            "rejections": [
                {"node": r.node, "op": r.op, "backend": r.backend, "reason": str(r.reason), "text": r.text}
                for r in self.rejections
            ],
        }

    def __str__(self) -> str:
        if not self.graphs:
            return f"{self.backend}: nothing was compiled"
        share, time = f"{self.claimed_share:.0%}", self.claimed_time_share
        if time is not None:
            share += f", {'<1%' if 0 < time < 0.01 else f'{time:.0%}'} of the time"
        lines = [f"{self.backend}: {self.claimed} nodes claimed ({share}), {self.fallback} left to eager"]
        lines += describe_macros(self.raised)
        lines += describe(self.graphs)
        lines += [f"  graph break x {count}: {cause}" for cause, count in self.graph_breaks.items()]
        return "\n".join(lines)


def explain(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    backend: str | Backend | type[Backend] | DynamoBackend = "",
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic: bool | None = None,
) -> Explanation:
    """Compiles ``fn`` with ``backend``, runs it a few times and reports what ran where.

    If the result needs gradients, the backward graphs are included: the sum of the floating-point outputs is
    differentiated and the gradients that the call added are taken away again.

    Raises:
        TorchportError: any stage failed.
    """
    entry, timed = recording(backend)
    before = Counter(counters["graph_break"])
    compiled = torch.compile(fn, backend=entry, dynamic=dynamic)
    for _ in range(WARM_UP_CALLS):
        _call(fn, compiled, args, kwargs or {})
    for program in timed:
        program.nanoseconds[:] = [0] * len(program.nanoseconds)
    for _ in range(TIMED_CALLS):
        _call(fn, compiled, args, kwargs or {})
    breaks = Counter(counters["graph_break"])
    breaks.subtract(before)
    return Explanation(
        entry.name, tuple(entry.reports.graphs), dict(+breaks), time_share(timed), tuple(entry.reports.macros)
    )


def _call(
    fn: Callable[..., Any], compiled: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    result = compiled(*args, **kwargs)
    leaves = [
        t
        for t in torch.utils._pytree.tree_leaves(result)
        if isinstance(t, torch.Tensor) and t.requires_grad and t.is_floating_point()
    ]
    if not leaves:
        return
    given: list[Any] = torch.utils._pytree.tree_leaves((args, dict(kwargs)))
    parameters = fn.parameters() if isinstance(fn, torch.nn.Module) else ()
    inputs = [t for t in (*parameters, *given) if isinstance(t, torch.Tensor) and t.requires_grad]
    total = torch.stack([t.float().sum() for t in leaves]).sum()
    if inputs:
        torch.autograd.grad(total, inputs, allow_unused=True)


def time_share(timed: Sequence[TimedProgram]) -> float | None:
    """Time inside backends' regions over time inside all steps; ``None`` when nothing ran."""
    inside = outside = 0
    for item in timed:
        for step, spent in zip(item.program.steps, item.nanoseconds, strict=True):
            if isinstance(step, RegionStep):
                inside += spent
            else:
                outside += spent
    total = inside + outside
    return inside / total if total else None
