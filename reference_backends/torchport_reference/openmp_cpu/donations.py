"""Donated memory: which outputs of a region are left in an input, and which library calls run in place.

A region is a list of steps. A value may take the memory of another one if no later step reads that, and the
step itself reads it as the base that it updates, or element by element where it writes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from torchport.compile.region import Region
from torchport.contract.graph import Alias, Graph, Node
from torchport.loops.expand import sources
from torchport.loops.fusion import Fused, Kernel, alias_root
from torchport.run.updates import base_of, in_place_form, is_update


def updates_input(node: Node) -> bool:
    """Whether a node replaces some elements of a tensor that may be a graph input: then it is a library call,
    which touches those elements only if the region is offered the input's memory.
    """
    base = base_of(node) if is_update(node.op) and in_place_form(node.op) else None
    return base is not None and (base.tensor.mutated or base.tensor.alias is not Alias.NONE)


def outside(region: Region) -> frozenset[str]:
    """Names of the nodes that are library calls in this region because a donated input is their base."""
    graph = region.graph
    names = (n.name for pair in region.donations for n in _chain(graph, *pair) if is_update(n.op))
    return frozenset(names)


def _chain(graph: Graph, output: str, donated: str) -> list[Node]:
    """The nodes that each update the one before, from ``donated`` to ``output``; none where they do not."""
    found: list[Node] = []
    name = output
    while name != donated:
        node = graph.producers.get(name)
        base = base_of(node) if node is not None else None
        if node is None or base is None or not in_place_form(node.op):
            return []
        found.append(node)
        name = base.name
    return found[::-1]


@dataclass(frozen=True)
class InPlace:
    """``aliases``: pairs (output, donated input) that share memory. ``calls``: names of nodes that run in
    place.
    """

    aliases: tuple[tuple[str, str], ...]
    calls: frozenset[str]


def in_place(region: Region, fused: Fused) -> InPlace:
    """What of a region's donations its steps can use, and calls whose base dies inside the region."""
    plan = _Plan(region.graph, fused)
    aliases, calls = [], set[str]()
    for output, donated in region.donations:
        chain = [n for n in _chain(region.graph, output, donated) if n.name in plan.calls]
        whole = bool(chain) and len(chain) == len(_chain(region.graph, output, donated))
        if whole and plan.updates(chain, donated):
            aliases.append((output, donated))
            calls.update(n.name for n in chain)
        elif not whole and plan.overwrites(output, donated):
            aliases.append((output, donated))
    calls.update(n.name for n in plan.calls.values() if n.name not in calls and plan.consumes_base(n))
    return InPlace(tuple(aliases), frozenset(calls))


class _Plan:
    def __init__(self, graph: Graph, fused: Fused) -> None:
        self.graph, self.steps = graph, fused.steps
        self.outputs = {v.name for v in graph.output_values}
        self.calls = {s.name: s for s in fused.steps if isinstance(s, Node)}
        self.position: dict[str, int] = {}
        self.reads: list[list[str]] = []
        for index, step in enumerate(fused.steps):
            made = [s.value for s in step.stores] if isinstance(step, Kernel) else step.results
            self.position.update({v.name: index for v in made})
            read = step.reads if isinstance(step, Kernel) else step.inputs
            self.reads.append([alias_root(graph, v).name for v in read])

    def updates(self, chain: Sequence[Node], donated: str) -> bool:
        """Whether every call of the chain may run in the memory of ``donated``."""
        held = [donated]
        for node in chain:
            result = node.results[0].name
            if not self._last_reader(node, held) or (node is not chain[-1] and result in self.outputs):
                return False
            held.append(result)
        return True

    def overwrites(self, output: str, donated: str) -> bool:
        """Whether the step that makes ``output`` may write it over ``donated``."""
        index = self.position.get(output)
        if index is None or self._read_after(index, (donated,)):
            return False
        step = self.steps[index]
        if donated not in self.reads[index]:
            return True
        return isinstance(step, Kernel) and _same_elements(step, output, donated)

    def consumes_base(self, node: Node) -> bool:
        """Whether an update's base is a value of this region that nothing needs afterwards."""
        base = base_of(node) if is_update(node.op) and in_place_form(node.op) else None
        if base is None or node.results[0].name in self.outputs or base.name in self.outputs:
            return False
        return base.name in self.position and self._last_reader(node, [base.name])

    def _last_reader(self, node: Node, held: Collection[str]) -> bool:
        """Whether ``node`` reads memory that ``held`` name as its base only, and nothing reads it later."""
        index = self.position[node.results[0].name]
        base = node.args[0][1].name
        others = [alias_root(self.graph, v).name for v in node.inputs if v.name != base]
        return not self._read_after(index, held) and not set(others) & set(held)

    def _read_after(self, index: int, held: Collection[str]) -> bool:
        return any(not set(held).isdisjoint(names) for names in self.reads[index + 1 :])


def _same_elements(kernel: Kernel, output: str, donated: str) -> bool:
    """Whether a kernel reads of ``donated`` only the element that it is about to write."""
    if kernel.space.reduced:
        return False
    store = next(s for s in kernel.stores if s.value.name == output)
    own = [e for e in sources(store.expr) if e.attr[0] == donated]
    every = {e for s in kernel.stores for e in sources(s.expr) if e.attr[0] == donated}
    return every <= set(own) and all(e.attr[1] == store.index and not e.args for e in own)
