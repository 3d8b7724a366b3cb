"""Graphs of calls that share nothing, compiled on a subject, and what ran where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

import torchport
from torchport.compile.reports import GraphReport
from torchport.contract.capture_defects import RUN_WHILE_TRACED
from torchport.contract.graph import Node
from torchport.contract.missing_kernels import missing_kernel
from torchport.contract.reference import flatten
from torchport_conformance import oracle
from torchport_conformance.cases.case import Case, strides_of
from torchport_conformance.cases.layouts import extent
from torchport_conformance.eager import operands_of
from torchport_conformance.obligation import fell_back
from torchport_conformance.regions import probe, sizes_follow_values
from torchport_conformance.specs import spec_of
from torchport_conformance.subject import Subject


@dataclass(frozen=True, eq=False)
class Bound:
    """A call with its operands, by their names in messages; ``arguments`` has every schema argument."""

    case: Case
    tensors: Mapping[str, torch.Tensor]
    arguments: Mapping[str, Any]

    def eager(self) -> tuple[Any, ...]:
        """The results of eager PyTorch, lists flattened.

        Raises:
            NotImplementedError: PyTorch is declared to have no kernel for such a call; what it has may end
                the process.
            RuntimeError and others of ``oracle.ERRORS``: PyTorch refuses the call.
        """
        missing = missing_kernel(self.case.op, operands_of(self.case))
        if missing is not None:
            raise NotImplementedError(str(missing))
        return flatten(spec_of(self.case.op).overload(**self.arguments))


def bind(case: Case, values: Mapping[str, torch.Tensor], device: str) -> Bound:
    """The call of a case with these operand values, each laid out as the case says."""
    tensors = {n: laid_out(values[n].to(device), *strides_of(plan)) for n, plan in case.tensors()}
    return Bound(case, tensors, oracle.arguments_of(case, tensors))


def laid_out(values: torch.Tensor, strides: Sequence[int], offset: int) -> torch.Tensor:
    """A copy with these strides, ``offset`` elements into its storage; all of the storage holds values.

    Only where there is an offset is it a view: ``torch.compile`` makes a fake of a view from one of its base.
    """
    if values.dtype is torch.float4_e2m1fn_x2:  # PyTorch copies its bytes, and not its elements
        return laid_out(values.view(torch.uint8), strides, offset).view(values.dtype)
    shape, strides = tuple(values.shape), tuple(strides)
    size = offset + extent(shape, strides)
    if offset:
        whole = torch.zeros(max(size, offset + 1), dtype=values.dtype, device=values.device)
        found = whole.as_strided(shape, strides, offset)
    else:
        found = torch.empty_strided(shape, strides, dtype=values.dtype, device=values.device)
        found.as_strided((size,), (1,)).zero_()
    if values.numel():
        distinct = [1 if stride == 0 else n for n, stride in zip(shape, strides, strict=True)]
        first = tuple(slice(0, n) for n in distinct)
        found.as_strided(distinct, strides, offset).copy_(values[first])
    return found


def shares_a_graph(case: Case) -> bool:
    """Whether a call can be traced beside others: not where sizes depend on values, nor where Dynamo may read
    a number of float64, for which it starts again up to a hundred times.
    """
    numbers = any(plan.dtype is torch.float64 and not plan.shape for _, plan in case.tensors())
    return not numbers and not sizes_follow_values(case)


def graph_of(calls: Sequence[Bound]) -> tuple[fx.GraphModule, list[torch.Tensor]]:
    """A module that makes the calls and returns a result for each, and the tensors that it takes.

    A tensor that is an operand twice is one input.
    """
    graph = fx.Graph()
    places: dict[int, fx.Node] = {}
    inputs: list[torch.Tensor] = []

    def lowered(argument: Any) -> Any:
        if isinstance(argument, torch.Tensor):
            return places[id(argument)]
        return [lowered(a) for a in argument] if isinstance(argument, list | tuple) else argument

    for call in calls:
        for tensor in call.tensors.values():
            if id(tensor) not in places:
                places[id(tensor)] = graph.placeholder(f"x{len(inputs)}")
                inputs.append(tensor)
    results = []
    for call in calls:
        overload = spec_of(call.case.op).overload
        bound = {name: lowered(value) for name, value in call.arguments.items()}
        schema = overload._schema.arguments
        positional = tuple(bound[a.name] for a in schema if not a.kwarg_only)
        named = {a.name: bound[a.name] for a in schema if a.kwarg_only}
        results.append(graph.call_function(overload, positional, named))
    graph.output(tuple(results))
    return fx.GraphModule(torch.nn.Module(), graph), inputs


@dataclass(frozen=True, slots=True)
class Ran:
    """What of compiled graphs ran on the backend: nodes that it claimed, operators that it did not, and
    views, which nothing has to run. ``refused`` names what it claimed and then did not compile.
    """

    claimed: int
    fallback: Mapping[str, int]
    free_views: int = 0
    refused: str = ""

    @classmethod
    def of(cls, graphs: Sequence[GraphReport]) -> Ran:
        """The sum over graphs."""
        fallback: dict[str, int] = {}
        for graph in graphs:
            for op, count in graph.fallback_ops.items():
                fallback[op] = fallback.get(op, 0) + count
        refused = fell_back(r for graph in graphs for r in graph.rejections)
        return cls(sum(g.claimed for g in graphs), fallback, sum(g.free_views for g in graphs), refused)

    def __str__(self) -> str:
        names = ", ".join(sorted(self.fallback))
        return f"{self.claimed} nodes ran on the backend" + (f"; not on it: {names}" if names else "")


class Watched:
    """Compiles on a subject and tells what ran on its backend."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._seen = 0

    def compile(self, fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """``fn``, compiled; graphs from here on count in :meth:`graphs`."""
        self.forget()
        return self.subject.compile(fn, **options)

    def forget(self) -> None:
        """Graphs until here count no more."""
        if self.subject.backend is not None:
            self._seen = len(torchport.reports(self.subject.backend).graphs)

    def graphs(self) -> tuple[GraphReport, ...]:
        """Reports of graphs compiled since the last :meth:`compile` or :meth:`forget`; none for a subject
        without claims.
        """
        if self.subject.backend is None:
            return ()
        return tuple(torchport.reports(self.subject.backend).graphs[self._seen :])

    def ran(self) -> Ran:
        """What ran on the backend since the last :meth:`compile`."""
        return Ran.of(self.graphs())


class Refusals:
    """Whether a subject takes a call at all, asked before anything is compiled."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._target = None if subject.backend is None else subject.backend.targets()[0]

    def of(self, case: Case) -> str:
        """Why the backend does not run the operator of a case; empty where it claims it, or may."""
        backend, target = self._subject.backend, self._target
        if backend is None or target is None:
            return ""
        node: Node | None = probe(case, device=target.device)
        if node is None:
            return ""
        claim = backend.claims(node, target)
        return "" if claim.accepted else f"{claim.reason}: {claim.text}".removesuffix(": ")


def untraceable(case: Case) -> str:
    """Why ``torch.compile`` cannot trace a call, whatever the backend; empty where it can."""
    if case.op not in RUN_WHILE_TRACED or missing_kernel(case.op, operands_of(case)) is None:
        return ""
    return "PyTorch calls the kernel while it traces the operator, and that does not bear such operands"
