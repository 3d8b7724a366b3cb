"""A loaded region: its library, and its steps as one function."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from torchport._native import launch
from torchport.compile.region import Region
from torchport.contract.graph import Graph, Node, Value
from torchport.contract.symbols import SymExpr
from torchport.errors import RunError
from torchport.loops.fusion import alias_root, shares_memory
from torchport.run.program import EntryStep, OpStep, Program, RegionStep, Step, build_run, split_arguments
from torchport.run.updates import in_place
from torchport_reference.openmp_cpu import kernel_store
from torchport_reference.openmp_cpu.batches import GIL_WORK
from torchport_reference.openmp_cpu.extern import extern_call


class OpenMPExecutable:
    """A loaded region: generated kernels and library calls as one straight-line function.

    ``run`` raises RunError where an index is out of range.
    """

    run: Callable[..., None]

    def __init__(self, region: Region, plan: Mapping[str, Any], built: bytes, prefix: str = "") -> None:
        self.region = region
        graph = region.graph
        library = kernel_store.load(built) if built else None
        nodes = {n.name: n for n in graph.nodes}
        values = {v.name: v for v in graph.inputs} | {v.name: v for n in graph.nodes for v in n.results}
        symbols = tuple(s.name for s in graph.symbols)
        outputs = graph.output_values
        steps: list[Step] = []
        known = {v.name for v in graph.inputs}
        for item in plan["steps"]:
            if "node" in item:
                node = nodes[item["node"]]
                steps += _views_before(graph, node.inputs, known)
                if item["in_place"]:
                    steps += [OpStep(n) for n in in_place(node)]
                else:
                    steps.append(_extern_step(node, {v.name for v in outputs}, symbols))
                known.update(v.name for v in node.results)
                continue
            assert library is not None
            reads = tuple(values[n] for n in item["reads"])
            writes = tuple(values[n] for n in item.get("writes", ()))
            if "update" in item:
                node = nodes[item["update"]]
                reads = (*reads, node.args[0][1])
                steps += _views_before(graph, reads, known)
            name, address = item["kernel"], library.address(prefix + item["kernel"])
            if item["checks"]:
                steps.append(RegionStep(name, _checked(address, item["checks"]), reads, writes, symbols))
            else:
                steps.append(EntryStep(name, address, reads, writes, symbols, item["work"] >= GIL_WORK))
            known.update(v.name for v in writes)
            if "update" in item:
                base, result = node.args[0][1], node.results[0]
                if result not in outputs:
                    steps.append(OpStep(Node(node.name, "aten.alias.default", (("self", base),), (result,))))
                known.add(result.name)
        arguments, seen = list[Any](graph.inputs), {v.name for v in graph.inputs}
        targets = []
        for position, value in enumerate(outputs):
            if value.name in seen:  # an input, or a value that is returned twice
                value, source = Value(f"copy__{position}", value.spec), value
                steps.append(RegionStep("copy", _copy, (source,), (value,), ()))
            seen.add(value.name)
            targets.append(value)
        count = len(arguments) + len(targets)
        bound = tuple(replace(s, source=("argument", count + k)) for k, s in enumerate(graph.symbols))
        program = Program(
            (*arguments, *targets, *(s.name for s in graph.symbols)),
            tuple(steps),
            (),
            bound,
            {},
            region.name,
            frozenset(v.name for v in targets),
        )
        self.run = build_run(program, len(targets))

    def update_weights(self, names: Iterable[str]) -> None:
        """Nothing to do: weights are read live."""


def _views_before(graph: Graph, read: Iterable[Value], known: set[str]) -> list[Step]:
    """Views among what is read next, as PyTorch calls on what they are views of."""
    steps: list[Step] = []

    def visit(value: Value) -> None:
        if value.name in known:
            return
        producer = graph.producers[value.name]
        assert shares_memory(producer), (
            f"{value.name} was not stored; it is a view of {alias_root(graph, value).name}"
        )
        visit(producer.args[0][1])
        steps.append(OpStep(producer))
        known.update(v.name for v in producer.results)

    for value in read:
        visit(value)
    return steps


class _Status(threading.local):
    """A number that a kernel writes, one for each thread, as a tensor and as memory that is quick to read."""

    def __init__(self) -> None:
        self.number = ctypes.c_int64()
        self.tensor = torch.frombuffer(self.number, dtype=torch.int64)


_STATUS = _Status()


def _checked(address: int, checks: Sequence[str]) -> Any:
    def call(
        args: list[Any], outs: list[Any], stream: int | None = None, *, symbols: Sequence[int] = ()
    ) -> None:
        launch(address, [*args, *outs, _STATUS.tensor], symbols)
        failed = _STATUS.number.value
        if failed:
            _STATUS.number.value = 0
            raise RunError(checks[failed - 1], hint="check the values of the index tensor")

    return call


def _copy(args: list[Any], outs: list[Any], stream: int | None = None) -> None:
    outs[0].copy_(args[0])


def _extern_step(node: Node, outputs: set[str], symbols: tuple[str, ...]) -> RegionStep:
    """A library call: into the region's outputs where it makes one of them, else into tensors of its own."""
    call = extern_call(node)
    _, positional, keywords = split_arguments(node)
    inputs = tuple(dict.fromkeys(node.inputs))
    names = (*(v.name for v in inputs), *symbols)

    def bound(args: Sequence[Any], values: Sequence[int]) -> tuple[list[Any], dict[str, Any]]:
        bindings = dict(zip(names, (*args, *values), strict=True))
        return [_real(a, bindings) for a in positional], {k: _real(a, bindings) for k, a in keywords.items()}

    def fresh(args: Sequence[Any], values: Sequence[int]) -> list[Any]:
        results = call.fresh(*bound(args, values))
        return [r for r, v in zip(results, node.outputs, strict=True) if v is not None]

    def into(
        args: Sequence[Any], outs: Sequence[Any], stream: int | None = None, *, symbols: Sequence[int] = ()
    ) -> None:
        written = iter(outs)
        call.into(*bound(args, symbols), [None if v is None else next(written) for v in node.outputs])

    direct = any(v.name in outputs for v in node.results)
    return RegionStep(node.name, into if direct else fresh, inputs, node.results, symbols, destination=direct)


def _real(arg: Any, bindings: Mapping[str, Any]) -> Any:
    if isinstance(arg, Value):
        return bindings[arg.name]
    if isinstance(arg, tuple):
        return [_real(a, bindings) for a in arg]
    return arg.evaluate(bindings) if isinstance(arg, SymExpr) else arg
