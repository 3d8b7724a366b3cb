"""Makes a failing graph small: fewer results, steps, arguments and sizes, plainer dtypes, layouts and values.

Hypothesis is not used: its shrinking is of the draws, and here a step is replaced by an argument that has the
values which eager computed there, so that everything above it goes at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from torchport.errors import TorchportError
from torchport_conformance.fuzz.graph import Graph, Input, Size, live, renumbered
from torchport_conformance.fuzz.trial import values_of

Fails = Callable[[Graph], bool]
_MOST = 160
"""Graphs that are tried for one failure."""


def shrink(graph: Graph, fails: Fails, most: int = _MOST) -> Graph:
    """The smallest graph found that fails in the same way.

    Args:
        graph: a graph that fails.
        fails: whether a graph fails in the same way; a graph that cannot be run does not.
        most: how many graphs are tried.
    """
    left = most
    smaller = True
    while smaller and left > 0:
        smaller = False
        for candidate in _candidates(graph):
            if left <= 0:
                break
            left -= 1
            if fails(candidate):
                graph, smaller = candidate, True
                break
    return graph


def _candidates(graph: Graph) -> Iterator[Graph]:
    """Smaller graphs, those that are much smaller first."""
    for result in graph.results:
        if len(graph.results) > 1:
            yield live(replace(graph, results=(result,)))
    if graph.sizes:
        yield replace(graph, sizes=())
    if graph.dynamic is not False:
        yield replace(graph, dynamic=False, sizes=())
    if any(i.grad for i in graph.inputs):
        yield replace(graph, inputs=tuple(replace(i, grad=False) for i in graph.inputs))
    yield from _cuts(graph)
    yield from _without_writes(graph)
    yield from _bypasses(graph)
    yield from _fewer_results(graph)
    yield from _sizes(graph)
    yield from _plain_inputs(graph)


def _cuts(graph: Graph) -> Iterator[Graph]:
    """Steps become arguments with the values that eager computed, the last steps first."""
    try:
        values = values_of(graph)
    except (RuntimeError, IndexError, ValueError, TypeError, TorchportError):
        return
    for index in range(len(graph.steps) - 1, -1, -1):
        step, first = graph.steps[index], graph.first_of(index)
        made = values[first : first + step.count]
        if step.in_place or not all(isinstance(v, torch.Tensor) for v in made):
            continue
        if set(range(first, first + step.count)) & set(graph.results):
            continue
        yield _cut(graph, index, made)


def _cut(graph: Graph, index: int, made: list[torch.Tensor]) -> Graph:
    count, first = len(graph.inputs), graph.first_of(index)
    fresh = [Input(tuple(map(Size, v.shape)), v.dtype, data=tuple(v.reshape(-1).tolist())) for v in made]
    total = count + sum(s.count for s in graph.steps)
    numbers = {}
    for number in range(total):
        if number < count:
            numbers[number] = number
        elif first <= number < first + len(made):
            numbers[number] = count + number - first
        else:
            numbers[number] = number + len(made) if number < first else number
    steps = tuple(renumbered(s, numbers) for i, s in enumerate(graph.steps) if i != index)
    results = tuple(numbers[r] for r in graph.results)
    return live(replace(graph, inputs=(*graph.inputs, *fresh), steps=steps, results=results, sizes=()))


def _without_writes(graph: Graph) -> Iterator[Graph]:
    for index, step in enumerate(graph.steps):
        if step.in_place:
            yield live(replace(graph, steps=graph.steps[:index] + graph.steps[index + 1 :]))


def _bypasses(graph: Graph) -> Iterator[Graph]:
    """A step with one result is left out, and what it read takes its place."""
    for index, step in enumerate(graph.steps):
        if step.in_place or step.count != 1:
            continue
        own = graph.first_of(index)
        for operand in dict.fromkeys(step.refs):
            total = len(graph.inputs) + sum(s.count for s in graph.steps)
            numbers = {n: operand if n == own else n - (n > own) for n in range(total)}
            steps = tuple(renumbered(s, numbers) for i, s in enumerate(graph.steps) if i != index)
            results = tuple(dict.fromkeys(numbers[r] for r in graph.results))
            yield live(replace(graph, steps=steps, results=results))


def _fewer_results(graph: Graph) -> Iterator[Graph]:
    for i in range(len(graph.results)):
        if len(graph.results) > 1:
            yield live(replace(graph, results=graph.results[:i] + graph.results[i + 1 :]))


def _sizes(graph: Graph) -> Iterator[Graph]:
    if any(n > 1 and not isinstance(n, Size) for i in graph.inputs for n in i.shape):
        return  # A shape that follows from others by a rule would no longer fit; not every kernel checks.
    used = sorted({int(n) for i in graph.inputs for n in i.shape if isinstance(n, Size)}, reverse=True)
    for size in used:
        if size > 2:
            for smaller in dict.fromkeys((2, size // 2, size - 1)):
                yield replace(graph.resized({size: smaller}), sizes=())


def _plain_inputs(graph: Graph) -> Iterator[Graph]:
    for index, given in enumerate(graph.inputs):
        plainer = []
        if given.layout != "contiguous":
            plainer.append(replace(given, layout="contiguous"))
        if given.dtype in (torch.float64, torch.bfloat16, torch.float16):
            plainer.append(replace(given, dtype=torch.float32))
        if given.grad:
            plainer.append(replace(given, grad=False))
        flat = given.tensor().detach().reshape(-1).to(torch.float64)
        rounded = tuple(flat.mul(2).round().div(2).to(given.dtype).tolist())
        if given.dtype.is_floating_point and rounded != tuple(flat.to(given.dtype).tolist()):
            plainer.append(replace(given, data=rounded))
        for candidate in plainer:
            yield replace(graph, inputs=(*graph.inputs[:index], candidate, *graph.inputs[index + 1 :]))
