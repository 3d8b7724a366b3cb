"""Which operator would unlock most: programs are lowered and partitioned again as if it were claimed.

Nothing is estimated but time, which is what the nodes took in eager PyTorch when they were measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from torchport.capture.aot import with_graph
from torchport.compile.artifact import Compiled
from torchport.compile.backend import Backend, Proposal
from torchport.compile.bound import Bound
from torchport.compile.capabilities import Target
from torchport.compile.options import Options
from torchport.compile.reason import Claim, Reason, yes
from torchport.compile.region import Region
from torchport.contract.graph import Graph, Node
from torchport.contract.views import is_view
from torchport.lowering.canonicalize import canonicalize
from torchport.lowering.descend import LoweredGraph, descend
from torchport.partition.regions import Segment
from torchport.pipeline import Session, TimedProgram, divide
from torchport.run.program import OpStep
from torchport.tools.traffic import hints_of, node_bytes

MOST_TOGETHER = 4
"""How many operators are tried together, where one alone unlocks nothing."""


@dataclass(frozen=True, slots=True)
class Unlock:
    """What claiming ``op`` (with the operators in ``also``, where it is not enough alone) would change.

    ``nodes``, ``bytes`` (read and written) and ``seconds`` (measured, of one call) leave eager PyTorch;
    ``borders`` is how many tensors fewer pass between a region and what is outside of it.
    ``claimed_share`` is the share of nodes that the backend would then run.
    """

    op: str
    also: tuple[str, ...]
    nodes: int
    bytes: int
    seconds: float
    borders: int
    claimed_share: float

    def __str__(self) -> str:
        return " and ".join((self.op, *self.also))


@dataclass(frozen=True, slots=True)
class Tally:
    """What a partition leaves where."""

    claimed: int
    left: Mapping[str, Node]
    claimed_bytes: int
    left_bytes: int
    borders: int


def tally(graph: Graph, segments: Iterable[Segment]) -> Tally:
    """Counts of a partitioned graph. Views cost nothing and are not counted."""
    hints, owner_of, claimed, left = hints_of(graph), dict[str, int](), list[Node](), dict[str, Node]()
    inside: set[int] = set()
    for index, segment in enumerate(segments):
        for node in segment.nodes:
            owner_of.update((v.name, index) for v in node.results)
            if segment.owner is not None:
                inside.add(index)
            if is_view(node.op):
                continue
            if segment.owner is None:
                left[node.name] = node
            else:
                claimed.append(node)
    crossing = {
        (value.name, owner_of[node.results[0].name])
        for node in graph.nodes
        if node.results
        for value in node.inputs
        if value.name in owner_of
        and owner_of[value.name] != owner_of[node.results[0].name]
        and (owner_of[value.name] in inside or owner_of[node.results[0].name] in inside)
    }
    return Tally(
        len(claimed),
        left,
        sum(node_bytes(n, hints) for n in claimed),
        sum(node_bytes(n, hints) for n in left.values()),
        len(crossing),
    )


class _Claiming(Backend):
    """A backend that also claims ``ops``, and remembers the nodes that it refused."""

    name = "claiming"

    def __init__(self, inner: Backend, ops: Collection[str] = ()) -> None:
        self.inner, self.ops, self.refused = inner, frozenset(ops), list[Node]()

    def claims(self, node: Node, target: Target) -> Claim:
        """Yes for the operators in question, else the backend's own answer."""
        claim = self.inner.claims(node, target)
        if claim.accepted or node.op in self.ops:
            return claim if claim.accepted else yes()
        self.refused.append(node)
        return claim

    def propose(self, graph: Graph, target: Target) -> Sequence[Proposal]:
        """The backend's own proposals."""
        return self.inner.propose(graph, target)

    def compile(self, region: Region, target: Target, options: Options) -> Compiled:
        """The backend's own code; not called to answer what would be."""
        return self.inner.compile(region, target, options)


class Relowering:
    """One compiled graph that can be lowered and partitioned again with more operators claimed.

    Args:
        timed: the compiled graph, with the time that each of its steps took in a call.
        session: what it was compiled with.
    """

    def __init__(self, timed: TimedProgram, session: Session) -> None:
        self.session = session
        self.captured = with_graph(timed.captured, canonicalize(timed.captured.graph))
        self.violations = session.opset.violations(self.captured.graph)
        compiled = timed.compiled
        self.before = tally(compiled.graph, (segment for segment, _ in compiled.segments))
        self.seconds = {
            step.node.name: nanoseconds / 1e9
            for step, nanoseconds in zip(timed.program.steps, timed.nanoseconds, strict=True)
            if isinstance(step, OpStep)
        }
        self.late = {r.node: r.op for r in compiled.lowered.rejections if r.reason is Reason.COMPILE}
        asked = _Claiming(session.backends[0].backend)
        self._lowered(asked)
        known = {n.name for n in self.captured.graph.nodes}
        self.refused: dict[str, set[str]] = defaultdict(set)
        """Operators that keep each node out, its own and those of its parts."""
        for node in asked.refused:
            whole = _whole(node.name, known)
            if whole in self.before.left and not is_view(node.op):
                self.refused[whole].add(node.op)
        for name, op in self.late.items():
            self.refused[name].add(op)

    def _lowered(self, first: Backend) -> tuple[LoweredGraph, Session]:
        bound, captured = self.session.backends, self.captured
        backends = (Bound(first, bound[0].target, bound[0].capabilities), *bound[1:])
        session = replace(self.session, backends=backends)
        lowered = descend(
            captured.graph, backends, session.opset, captured.fakes, captured.phase, self.violations
        )
        return lowered, session

    def after(self, ops: Collection[str]) -> Tally:
        """The counts if the first backend claimed ``ops`` too."""
        if not any(refused & set(ops) for refused in self.refused.values()):
            return self.before
        lowered, session = self._lowered(_Claiming(self.session.backends[0].backend, ops))
        owners = {name: o for name, o in lowered.owners.items() if self.late.get(name, "") in ("", *ops)}
        divided = divide(replace(lowered, owners=owners), session)
        return tally(divided.graph, divided.segments)

    def missing(self, ops: Collection[str]) -> set[str]:
        """What a node that needs ``ops`` would still lack with them."""
        needed = set[str]()
        asked = _Claiming(self.session.backends[0].backend, ops)
        self._lowered(asked)
        known = {n.name for n in self.captured.graph.nodes}
        for node in asked.refused:
            whole = _whole(node.name, known)
            if self.refused.get(whole, set()) & set(ops) and "__" in node.name.removeprefix(whole):
                needed.add(node.op)
        return needed - set(ops)


def _whole(name: str, known: Collection[str]) -> str:
    """The captured node that a part comes from."""
    while name and name not in known:
        name = name.rpartition("__")[0]
    return name


def unlocks(graphs: Sequence[Relowering]) -> tuple[Unlock, ...]:
    """Every refused operator that would take nodes out of eager PyTorch, the most bytes
    for each operator first.

    An operator that is not enough alone is tried together with what its neighbours in the same decomposition
    lack.
    """
    candidates = sorted({op for graph in graphs for ops in graph.refused.values() for op in ops})
    found: dict[frozenset[str], Unlock] = {}
    for op in candidates:
        ops = [op]
        gain = _gain(graphs, ops)
        while gain is None and len(ops) < MOST_TOGETHER:
            lacking = sorted({more for graph in graphs for more in _lacking(graph, ops)})
            if not lacking:
                break
            ops += lacking[: MOST_TOGETHER - len(ops)]
            gain = _gain(graphs, ops)
        if gain is None:
            continue
        for one in ops if len(ops) > 1 else ():  # what turned out not to be needed
            fewer = [other for other in (gain.op, *gain.also) if other != one]
            same = _gain(graphs, fewer)
            if same is not None and same.nodes == gain.nodes:
                gain = same
        found.setdefault(frozenset((gain.op, *gain.also)), gain)
    return tuple(sorted(found.values(), key=lambda u: (-u.bytes / (1 + len(u.also)), -u.nodes, u.op)))


def _lacking(graph: Relowering, ops: Sequence[str]) -> set[str]:
    concerned = any(refused & set(ops) for refused in graph.refused.values())
    return graph.missing(ops) if concerned else set()


def _gain(graphs: Sequence[Relowering], ops: Sequence[str]) -> Unlock | None:
    """What ``ops`` would change over all graphs; ``None`` when nothing leaves eager PyTorch."""
    nodes = moved = borders = claimed = left = 0
    seconds = 0.0
    for graph in graphs:
        before, after = graph.before, graph.after(ops)
        gone = before.left.keys() - after.left.keys()
        nodes += len(gone)
        moved += before.left_bytes - after.left_bytes
        borders += before.borders - after.borders
        seconds += sum(graph.seconds.get(name, 0.0) for name in gone)
        claimed += after.claimed
        left += len(after.left)
    if not nodes:
        return None
    return Unlock(ops[0], tuple(ops[1:]), nodes, moved, seconds, borders, claimed / (claimed + left))
