"""Claims: each node is offered to the backends in order; what is refused is decomposed and its parts are
offered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchport.compile.bound import Bound
from torchport.compile.reason import Claim, Reason, Rejection, no
from torchport.contract.graph import (
    Graph,
    Node,
    Provenance,
    Symbol,
    TensorSpec,
    Value,
    map_values,
)
from torchport.contract.opset import OpSet
from torchport.contract.views import is_view
from torchport.errors import VerifierError
from torchport.lowering.claims import ask
from torchport.lowering.decompose import Decomposer, Parts
from torchport.lowering.restride import differ, restoring


@dataclass(frozen=True, eq=False)
class LoweredGraph:
    """A graph in which every node is owned by a backend (``owners``: node name to backend index) or by
    nobody.

    ``rejections`` explains each node that nobody owns, views apart. ``fakes`` has the traced tensor behind
    each captured value. ``late`` has the late refusals so far, by node name: backend index and what it said.
    """

    graph: Graph
    owners: Mapping[str, int]
    rejections: tuple[Rejection, ...]
    fakes: Mapping[str, Any]
    late: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)


def descend(
    graph: Graph,
    backends: Sequence[Bound],
    opset: OpSet,
    fakes: Mapping[str, Any],
    phase: str,
    violations: Mapping[str, VerifierError],
) -> LoweredGraph:
    """Offers every node, and the parts of what is refused, to ``backends`` in order of preference.

    A descent is atomic: it is kept only if every part is claimed, since an operator cut into claimed and
    unclaimed parts costs more than the same operator left whole to eager PyTorch. Where costs are stated, it
    is kept only if the parts cost less than the whole on the next backend that claims it. Nodes in
    ``violations`` are calls that the contract does not describe: they are offered to nobody, nor are nodes
    whose result sizes depend on data.

    Raises:
        LoweringError: a ``claims`` method raised or did not return a Claim.
    """
    return _Descent(backends, opset, fakes, phase, violations).run(graph)


def reopen(
    lowered: LoweredGraph,
    refused: Mapping[str, tuple[int, str]],
    backends: Sequence[Bound],
    opset: OpSet,
    phase: str,
) -> LoweredGraph:
    """``lowered`` after late refusals: every refused node is planned anew, everything else stays.

    The node is offered to the backends that have not refused it late, and its parts to all of them, the one
    that refused the whole among them.

    Args:
        lowered: the graph so far.
        refused: by node name, the backend (by index) that refused it late, and what it said.
        backends: the backends in order of preference.
        opset: the contract.
        phase: "inference", "forward" or "backward".

    Raises:
        LoweringError: as :func:`descend`.
    """
    late = dict(lowered.late)
    for name, said in refused.items():
        late[name] = (*late.get(name, ()), said)
    descent = _Descent(backends, opset, lowered.fakes, phase, {}, late)
    kept = tuple(r for r in lowered.rejections if r.node not in refused)
    planned = descent.planned(lowered.graph, lowered.owners, refused.keys())
    return replace(planned, rejections=kept + planned.rejections, late=late)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Nodes that replace one node, with their owners (None: eager PyTorch), and what replaces its outputs.

    ``cost`` is the sum of the claims' costs, ``priced`` whether one of them was stated.
    """

    nodes: tuple[Node, ...]
    owners: tuple[int | None, ...]
    outputs: tuple[Any, ...] | None = None  # None: the node stays itself
    cost: float = 0.0
    priced: bool = False

    @classmethod
    def whole(cls, node: Node, owner: int, claim: Claim) -> _Plan:
        """The node as it is, on the backend that claims it."""
        free = is_view(node.op)
        return cls((node,), (owner,), None, 0.0 if free else claim.cost, claim.priced and not free)

    def costs_less(self, claim: Claim) -> bool:
        """Whether these parts are to be had for less than the claimed whole; also where no cost is stated."""
        return not (self.priced or claim.priced) or self.cost < claim.cost


class _Descent:
    def __init__(
        self,
        backends: Sequence[Bound],
        opset: OpSet,
        fakes: Mapping[str, Any],
        phase: str,
        violations: Mapping[str, VerifierError],
        late: Mapping[str, Sequence[tuple[int, str]]] | None = None,
    ) -> None:
        self.backends, self.fakes, self.phase, self.violations = backends, fakes, phase, violations
        self.late = late or {}
        self.symbols: Mapping[str, Symbol] = {}
        self.decomposer = Decomposer(opset, fakes)
        self.constants: dict[str, torch.Tensor] = {}
        self.rejections: dict[str, list[Rejection]] = {}
        self.last_refusal = ""

    def run(self, graph: Graph) -> LoweredGraph:
        """Plans every node of ``graph``."""
        return self.planned(graph, {}, None)

    def planned(self, graph: Graph, settled: Mapping[str, int], reopened: Set[str] | None) -> LoweredGraph:
        """``graph`` with a plan for every node, or for the ``reopened`` where the rest is ``settled``."""
        renamed: dict[str, Any] = {}
        nodes: list[Node] = []
        owners: dict[str, int] = {}
        rejections: list[Rejection] = []

        def current(value: Value) -> Any:
            return renamed.get(value.name, value)

        self.symbols = {symbol.name: symbol for symbol in graph.symbols}
        sized = {read_from(symbol.source) for symbol in graph.symbols}
        for original in graph.nodes:
            node = original.map_values(current)
            if reopened is not None and node.name not in reopened:
                nodes.append(node)
                if node.name in settled:
                    owners[node.name] = settled[node.name]
                continue
            if any(value.name in sized for value in node.results):
                self.refuse_everywhere(node, no(Reason.DYNAMIC, "the size of its result depends on data"))
                plan = None
            else:
                plan = self.plan(node)
            if plan is None:
                nodes.append(node)
                if not is_view(node.op):
                    rejections += self.rejections.get(node.name, ())
                continue
            nodes += plan.nodes
            for part, owner in zip(plan.nodes, plan.owners, strict=True):
                if owner is not None:
                    owners[part.name] = owner
            if plan.outputs is not None:
                self.replace_outputs(node, plan, nodes, renamed)
        inputs = graph.inputs + tuple(
            Value(name, self.spec_of_constant(name, nodes))
            for name in self.constants
            if name not in graph.constants
        )
        lowered = replace(
            graph,
            inputs=inputs,
            nodes=tuple(nodes),
            outputs=map_values(graph.outputs, current),
            constants={**graph.constants, **self.constants},
        )
        return LoweredGraph(lowered, owners, tuple(rejections), self.fakes)

    def replace_outputs(self, node: Node, plan: _Plan, nodes: list[Node], renamed: dict[str, Any]) -> None:
        """Results of parts take the names and strides of the results they stand for, unless they are
        views.
        """
        assert plan.outputs is not None
        offset = len(nodes) - len(plan.nodes)
        produced = {v.name: n for n in plan.nodes for v in n.results}
        swapped: dict[str, Value] = {}
        for old, new in zip(node.outputs, plan.outputs, strict=True):
            if old is None:
                continue
            maker = produced.get(new.name) if isinstance(new, Value) else None
            if maker is None or is_view(maker.op) or new.name in renamed:
                renamed[old.name] = renamed.get(new.name, new) if isinstance(new, Value) else new
                continue
            swapped[new.name] = renamed[new.name] = old
        if not swapped:
            return
        for i in range(offset, len(nodes)):
            moved = nodes[i].map_values(lambda value: swapped.get(value.name, value))
            if any(value.name in swapped for value in moved.results):
                outputs = tuple(None if v is None else swapped.get(v.name, v) for v in moved.outputs)
                moved = replace(moved, outputs=outputs)
            nodes[i] = moved

    def spec_of_constant(self, name: str, nodes: Sequence[Node]) -> Any:
        return next(v.spec for n in nodes for v in n.inputs if v.name == name)

    def plan(self, node: Node) -> _Plan | None:
        """What replaces ``node``; ``None`` leaves it to eager PyTorch."""
        parts: Parts | None = None
        asked = False
        if node.name in self.violations:
            error = self.violations[node.name]
            self.refuse_everywhere(node, no(Reason.NOT_IN_CONTRACT, f"{error.label}: {error.message}"))
            return None
        for index in range(len(self.backends)):
            claim = self.ask(node, index)
            if claim.accepted and not claim.parts_preferred:
                return _Plan.whole(node, index, claim)
            if not asked:
                parts, asked = self.decomposer.parts(node), True
            if parts is not None:
                plan = self.plan_parts(node, parts, (index,))
                if plan is not None and self.worth_it(node, plan, claim, index):
                    return plan
            if claim.accepted:
                return _Plan.whole(node, index, claim)
            self.reject(node, index, claim, parts)
        if parts is not None and len(self.backends) > 1:
            return self.plan_parts(node, parts, tuple(range(len(self.backends))))
        return None

    def worth_it(self, node: Node, plan: _Plan, claim: Claim, index: int) -> bool:
        """Whether the parts are kept on backend ``index``, rather than the whole there or on the next backend
        that claims it.
        """
        if claim.accepted:
            return not claim.priced or plan.costs_less(claim)
        for later in range(index + 1, len(self.backends)):
            other = self.ask(node, later)
            if other.accepted:
                return plan.costs_less(other)
        return True

    def plan_parts(self, whole: Node, parts: Parts, allowed: tuple[int, ...]) -> _Plan | None:
        """The parts of ``whole``, each claimed or decomposed in turn; ``None`` where one is neither."""
        nodes: list[Node] = []
        owners: list[int | None] = []
        renamed: dict[str, Any] = {}
        cost, priced = 0.0, False

        def current(value: Value) -> Any:
            return renamed.get(value.name, value)

        for original in parts.nodes:
            part = original.map_values(current)
            plan = self.plan_part(part, allowed)
            if plan is None:
                return None
            nodes += plan.nodes
            owners += plan.owners
            cost, priced = cost + plan.cost, priced or plan.priced
            if plan.outputs is not None:
                for old, new in zip(part.outputs, plan.outputs, strict=True):
                    if old is not None:
                        renamed[old.name] = new
        self.constants.update(parts.constants)
        outputs = list(map_values(parts.outputs, current))
        for i, (old, new) in enumerate(zip(whole.outputs, outputs, strict=True)):
            if not (isinstance(old, Value) and isinstance(new, Value)):
                continue
            was, is_now = old.spec, new.spec
            if isinstance(was, TensorSpec) and isinstance(is_now, TensorSpec) and differ(is_now, was):
                layout = restoring(new, old, Provenance(whole.provenance.source, (whole.op,)))
                if layout:
                    nodes += layout
                    owners += [self.owner(node, allowed) for node in layout]
                    outputs[i] = layout[-1].outputs[0]
        return _Plan(tuple(nodes), tuple(owners), tuple(outputs), cost, priced)

    def owner(self, node: Node, allowed: tuple[int, ...]) -> int | None:
        """The first backend that claims a node; ``None`` leaves it to eager PyTorch."""
        return next((index for index in allowed if self.ask(node, index).accepted), None)

    def plan_part(self, part: Node, allowed: tuple[int, ...]) -> _Plan | None:
        claims = {index: self.ask(part, index) for index in allowed}
        for index, claim in claims.items():
            if claim.accepted and not claim.parts_preferred:
                return _Plan.whole(part, index, claim)
        deeper = self.decomposer.parts(part)
        plan = self.plan_parts(part, deeper, allowed) if deeper is not None else None
        chosen = next(((i, c) for i, c in claims.items() if c.accepted), None)
        if plan is not None and (chosen is None or not chosen[1].priced or plan.costs_less(chosen[1])):
            return plan
        if chosen is not None:
            return _Plan.whole(part, *chosen)
        for claim in claims.values():
            self.last_refusal = f"{part.op}: {claim.reason}{': ' + claim.text if claim.text else ''}"
        return None

    def refuse_everywhere(self, node: Node, claim: Claim) -> None:
        """Leaves a node to eager PyTorch without asking anybody."""
        for index in range(len(self.backends)):
            self.reject(node, index, claim, None)

    def reject(self, node: Node, index: int, claim: Claim, parts: Parts | None) -> None:
        assert claim.reason is not None
        text = claim.text
        if parts is not None:
            text = f"{text + '; ' if text else ''}its parts need {self.last_refusal}"
        name = self.backends[index].backend.name
        self.rejections.setdefault(node.name, []).append(
            Rejection(node.name, node.op, name, claim.reason, text, node.provenance.source)
        )

    def ask(self, node: Node, index: int) -> Claim:
        for refusing, text in self.late.get(node.name, ()):
            if refusing == index:
                return no(Reason.COMPILE, text)
        return ask(node, self.backends[index], self.phase, self.symbols)


def read_from(source: tuple[Any, ...]) -> str:
    """The name of the value that a symbol is read from; empty for an argument."""
    match source:
        case ("solve", inner, _):
            return read_from(tuple(inner))
        case (_, str(name), *_):
            return name
    return ""
