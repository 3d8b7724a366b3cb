"""``tp.explain``: what a backend runs of a program, what it does not, why, and where the time goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import torch

from torchport.compile.backend import Backend
from torchport.compile.options import Options
from torchport.compile.reason import Rejection
from torchport.compile.reports import GraphReport, RaisedMacro, Reports, claimed_share
from torchport.dynamo import DynamoBackend, recording
from torchport.errors import UsageError
from torchport.pipeline import TimedProgram, session_for
from torchport.run.program import RegionStep
from torchport.tools.dynamo_records import GraphBreak, Recompile, isolated, recorded
from torchport.tools.undisturbed import undisturbed
from torchport.tools.unlock import Relowering, Unlock, unlocks

WARM_UP_CALLS, TIMED_CALLS = 2, 3

Program = Callable[..., Any]
BackendLike = str | Backend | type[Backend] | DynamoBackend


@dataclass(frozen=True, eq=False)
class Explanation:
    """What happened to a program.

    ``breaks`` are the places where Dynamo ended a graph, ``recompiles`` what was compiled more than once and
    why. ``macros`` are the composites that were found, those that were raised and those that nobody claimed.
    ``claimed_time_share`` is time inside the backend's regions over time inside all steps, each as in the
    fastest of a few warm calls (``None`` when nothing ran); ``claimed_bytes`` and ``fallback_bytes`` are read
    and written by claimed and by other nodes, each node by itself. ``unlocks`` ranks what is missing.
    """

    backend: str
    graphs: tuple[GraphReport, ...]
    breaks: tuple[GraphBreak, ...]
    recompiles: tuple[Recompile, ...]
    claimed_time_share: float | None
    claimed_bytes: int
    fallback_bytes: int
    macros: tuple[RaisedMacro, ...]
    unlocks: tuple[Unlock, ...]

    @property
    def graph_breaks(self) -> Counter[str]:
        """Number of graph breaks by cause."""
        total: Counter[str] = Counter()
        for found in self.breaks:
            total[found.cause] += found.count
        return total

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
    def claimed_bytes_share(self) -> float:
        """``claimed_bytes`` over the bytes of all nodes; 1 when none moves any."""
        total = self.claimed_bytes + self.fallback_bytes
        return self.claimed_bytes / total if total else 1.0

    @property
    def bytes_copied(self) -> int:
        """Bytes of whole buffers that every call copies, over all graphs."""
        return sum(g.bytes_copied for g in self.graphs)

    @property
    def cache_hits(self) -> int:
        """Regions whose code came from the cache."""
        return sum(r.from_cache for g in self.graphs for r in g.regions)

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
        """A JSON-ready form, under ``schemas/explanation.schema.json``."""
        from torchport.tools.explain_report import explanation_to_dict

        return explanation_to_dict(self)

    def __str__(self) -> str:
        from torchport.tools.explain_report import explanation_text

        return explanation_text(self)


@dataclass(frozen=True, eq=False)
class Survey:
    """Several programs on one backend, and what would unlock most over all of them."""

    backend: str
    programs: Mapping[str, Explanation]
    unlocks: tuple[Unlock, ...]

    @property
    def claimed_share(self) -> float:
        """Claimed nodes over all nodes that compute something, over every program."""
        return claimed_share([g for e in self.programs.values() for g in e.graphs])

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form, under ``schemas/explanation.schema.json``."""
        from torchport.tools.explain_report import survey_to_dict

        return survey_to_dict(self)

    def __str__(self) -> str:
        from torchport.tools.explain_report import survey_text

        return survey_text(self)


@overload
def explain(
    fn: Program,
    args: Sequence[Any] = (),
    backend: BackendLike = "",
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> Explanation: ...


@overload
def explain(
    fn: Sequence[tuple[Program, Sequence[Any]]] | Mapping[str, tuple[Program, Sequence[Any]]],
    args: Sequence[Any] = (),
    backend: BackendLike = "",
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> Survey: ...


def explain(
    fn: Any,
    args: Sequence[Any] = (),
    backend: BackendLike = "",
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> Explanation | Survey:
    """Compiles a program with ``backend``, runs it a few times and reports what ran where.

    If a result needs gradients, the backward graphs are included: the sum of the floating-point outputs is
    differentiated. Parameters, buffers, gradients, random number generators and what Dynamo has counted or
    compiled for others are afterwards as they were.

    Args:
        fn: a callable; or several programs, as ``(callable, arguments)`` in a list or, with names, in a
            mapping. A compiled callable is explained as what it was before.
        args: positional arguments of one callable.
        backend: what to explain it for.
        kwargs: keyword arguments of one callable.
        dynamic: as for ``torch.compile``.
        options: the backend's options.

    Raises:
        UsageError: several programs were given with ``args``, or something that is no program.
        TorchportError: any stage failed.
    """
    if not isinstance(fn, Mapping | list | tuple):
        explanation, _ = _explain(fn, args, backend, kwargs or {}, dynamic, options)
        return explanation
    if args or kwargs:
        raise UsageError("several programs bring their own arguments", got="args or kwargs beside them")
    named = dict(fn) if isinstance(fn, Mapping) else _named(fn)
    found, lowerings = dict[str, Explanation](), list[Relowering]()
    for name, program in named.items():
        match program:
            case (one, list() | tuple() as its_args) if callable(one):
                found[name], graphs = _explain(one, its_args, backend, {}, dynamic, options)
                lowerings += graphs
            case _:
                raise UsageError(f"program {name!r} must be a callable and its arguments", got=repr(program))
    if not found:
        raise UsageError("there is no program to explain", got=repr(fn))
    first = next(iter(found.values()))
    return Survey(first.backend, found, unlocks(lowerings) if len(found) > 1 else first.unlocks)


def _named(programs: Sequence[Any]) -> dict[str, Any]:
    """Programs under their own names, numbered where two have the same."""
    named: dict[str, Any] = {}
    for program in programs:
        one = program[0] if isinstance(program, list | tuple) and program else program
        name = str(getattr(one, "__name__", type(one).__name__))
        same = sum(known.partition("#")[0] == name for known in named)
        named[f"{name}#{same + 1}" if same else name] = program
    return named


def _explain(
    fn: Program,
    args: Sequence[Any],
    backend: BackendLike,
    kwargs: Mapping[str, Any],
    dynamic: bool | None,
    options: Mapping[str, Any] | None,
) -> tuple[Explanation, list[Relowering]]:
    fn = plain(fn)
    entry, timed = recording(backend, options)
    with undisturbed(fn, args, kwargs), recorded() as records:
        compiled = isolated(fn, entry, dynamic=dynamic)
        for _ in range(WARM_UP_CALLS):
            call_with_gradients(compiled, args, kwargs)
        _time(timed, lambda: call_with_gradients(compiled, args, kwargs))
    parsed: Options = entry.parse(None, None)
    session = session_for(entry.backends, parsed, Reports())
    lowerings = [Relowering(program, session) for program in timed]
    explanation = Explanation(
        entry.name,
        tuple(entry.reports.graphs),
        records.breaks,
        records.recompiles,
        time_share(timed),
        sum(graph.before.claimed_bytes for graph in lowerings),
        sum(graph.before.left_bytes for graph in lowerings),
        tuple(entry.reports.macros),
        unlocks(lowerings),
    )
    return explanation, lowerings


def _time(timed: Sequence[TimedProgram], run: Callable[[], object]) -> None:
    """Leaves in every program the nanoseconds of each step in the fastest of some calls."""
    fastest: list[list[int]] = [[] for _ in timed]
    for _ in range(TIMED_CALLS):
        for program in timed:
            program.nanoseconds[:] = [0] * len(program.nanoseconds)
        run()
        for program, best in zip(timed, fastest, strict=False):
            now = program.nanoseconds
            if any(now):
                best[:] = [min(a, b) for a, b in zip(best, now, strict=True)] if best else now
    for program, best in zip(timed, fastest, strict=False):
        program.nanoseconds[:] = best or [0] * len(program.nanoseconds)


def plain(fn: Program) -> Program:
    """What ``torch.compile`` was given, where ``fn`` is what it returned."""
    inner = getattr(fn, "_torchdynamo_orig_callable", None)
    if isinstance(fn, torch._dynamo.OptimizedModule):
        inner = fn._orig_mod
    found: Program = fn if inner is None else inner
    return found


def call_with_gradients(
    compiled: Program, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[torch.Tensor | None, ...]:
    """Calls a program, and differentiates the sum of its floating-point outputs with respect to every leaf
    that they depend on, wherever the program has it from.

    Returns:
        The gradients, in the order in which the leaves are found; none when no output needs any.
    """
    result = compiled(*args, **kwargs)
    outputs = [
        t
        for t in torch.utils._pytree.tree_leaves(result)
        if isinstance(t, torch.Tensor) and t.requires_grad and t.is_floating_point()
    ]
    leaves = _leaves(outputs)
    if not leaves:
        return ()
    total = torch.stack([t.float().sum() for t in outputs]).sum()
    return torch.autograd.grad(total, leaves, allow_unused=True)


def _leaves(outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Leaves of the autograd graph of ``outputs``."""
    waiting: list[Any] = [t.grad_fn for t in outputs if t.grad_fn is not None]
    found = {id(t): t for t in outputs if t.is_leaf}
    seen: set[Any] = set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found[id(leaf)] = leaf
        waiting += [after for after, _ in node.next_functions if after is not None]
    return list(found.values())


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
