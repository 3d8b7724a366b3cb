"""What large graphs cost: lowering, verification and partition of graphs with tens of thousands of nodes.

No model of that size is captured: the graph of one block is captured and repeated, which leaves the cost of
capture out and everything after it in.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from typing import Any, ClassVar

import torch
from torch._functorch.aot_autograd import aot_function

from torchport.capture.aot import CapturedGraph, boxed, import_captured
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.options import Options, parse_options
from torchport.compile.reason import Claim, Reason, no, yes
from torchport.compile.region import Region
from torchport.compile.registry import load_backend
from torchport.compile.reports import Reports
from torchport.contract.graph import Graph, Node, Value
from torchport.contract.spec import Tier
from torchport.errors import LoweringError
from torchport.lowering.decompose import forget_templates
from torchport.pipeline import divide, lower, session_for
from torchport.tools.lower import tier_backend

COLUMNS = (
    "case",
    "captured",
    "lowered",
    "segments",
    "lower and verify",
    "partition",
    "together",
    "memory added",
)
"""Titles of :meth:`ScaleCost.row`."""
SIZES = (5_000, 10_000, 40_000)
"""Captured nodes of the graphs that are measured."""


@dataclass(frozen=True, slots=True)
class ScaleCost:
    """One graph: seconds in each stage, and the bytes by which the process's peak memory grew.

    ``nodes`` were captured, ``lowered`` left the lowering, in ``segments`` regions and single fallbacks.
    ``lowering`` contains both verifications: what the contract does not describe, and the result.
    """

    case: str
    nodes: int
    lowered: int
    segments: int
    lowering: float
    partition: float
    peak_bytes: int

    @property
    def total(self) -> float:
        """Seconds from the captured graph to its regions."""
        return self.lowering + self.partition

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "total": self.total}

    def row(self) -> tuple[str, ...]:
        """Text under :data:`COLUMNS`."""
        times = (f"{self.lowering:.2f} s", f"{self.partition:.2f} s", f"{self.total:.2f} s")
        memory = f"{self.peak_bytes / 2**20:.0f} MiB"
        return (self.case, f"{self.nodes:,}", f"{self.lowered:,}", f"{self.segments:,}", *times, memory)


class _Except(Backend):
    """Claims everything but some operators; never compiles."""

    name: ClassVar[str] = "all_but"

    def __init__(self, *refused: str) -> None:
        self.refused = frozenset(refused)

    def claims(self, node: Node, target: Target) -> Claim:
        """Yes, but for the refused operators."""
        return no(Reason.OP) if node.op in self.refused else yes()

    def compile(self, region: Region, target: Target, options: Options) -> Any:
        """Never called: the measurement stops before compilation."""
        raise LoweringError("this backend only claims")


def _chain(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.erfinv(x * w)


def _decoder(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """A decoder block without its weights' variety: one matrix serves every product."""
    h = torch.nn.functional.layer_norm(x, (8,))
    q, k, v = (h @ w).relu(), h @ w, h @ w
    a = torch.softmax(q @ k.transpose(-1, -2) * 0.35, -1) @ v
    x = x + a @ w
    return x + torch.nn.functional.gelu(torch.nn.functional.layer_norm(x, (8,)) @ w) @ w


Block = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
CASES: Mapping[str, tuple[Block, Callable[[str], Backend]]] = {
    "every second node refused": (_chain, lambda name: _Except("aten.erfinv.default")),
    "decoder blocks, products refused": (
        _decoder,
        lambda name: _Except("aten.mm.default", "aten.bmm.default"),
    ),
    "decoder blocks to primitives": (_decoder, lambda name: tier_backend(Tier.PRIM)),
    "decoder blocks, the backend's claims": (_decoder, load_backend),
}
"""A block and who claims its nodes, by the name of the measured backend."""


def scale_costs(
    name: str, sizes: Sequence[int] = SIZES, *, progress: Callable[[str], None] | None = None
) -> tuple[ScaleCost, ...]:
    """Measures every case at every size; each case in a process of its own, since peak memory only grows.

    Args:
        name: an installed backend, for the case of its own claims; the others need none.
        sizes: about how many captured nodes each graph has.
        progress: called with a line of text before each case.

    Raises:
        RegistrationError: no such backend is installed.
    """
    load_backend(name)
    found: list[ScaleCost] = []
    for case in CASES:
        if progress is not None:
            progress(case)
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            found += process.submit(_costs, case, tuple(sorted(sizes)), name).result()
    return tuple(found)


def _costs(case: str, sizes: Sequence[int], name: str) -> list[ScaleCost]:
    captured = _captured(CASES[case][0])
    _cost(case, captured, 100, name, 0)  # the contract and the rules are loaded
    gc.collect()
    before = _peak()
    return [_cost(case, captured, size, name, before) for size in sizes]


def _cost(case: str, block: CapturedGraph, size: int, name: str, before: int) -> ScaleCost:
    captured = repeated(block, size)
    session = session_for((CASES[case][1](name),), parse_options({}, None, backend="scale"), Reports())
    forget_templates()
    gc.collect()
    started = time.perf_counter()
    lowered = lower(captured, session)
    middle = time.perf_counter()
    partitioned = divide(lowered, session)
    ended = time.perf_counter()
    return ScaleCost(
        case,
        len(captured.graph.nodes),
        len(lowered.graph.nodes),
        len(partitioned.segments),
        middle - started,
        ended - middle,
        _peak() - before,
    )


def _peak() -> int:
    """Peak resident bytes of this process."""
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def _captured(block: Block) -> CapturedGraph:
    found: list[CapturedGraph] = []

    def compile_aot(gm: torch.fx.GraphModule, _: Sequence[Any]) -> Any:
        found.append(import_captured(gm, "inference", ()))
        return boxed(lambda flat: torch.fx.Interpreter(gm).run(*flat))

    compilers: dict[str, Any] = {"fw_compiler": compile_aot}
    with torch.no_grad():
        traced = aot_function(block, **compilers, decompositions={})
        traced(torch.rand(2, 8, 8), torch.rand(8, 8))
    return found[0]


def repeated(captured: CapturedGraph, size: int) -> CapturedGraph:
    """The graph applied to its own first output until it has at least ``size`` nodes.

    The first input and the only output must have the same shape; other inputs are shared by all repetitions.
    """
    graph = captured.graph
    first = graph.inputs[0]
    carried, nodes, fakes = first, list[Node](), dict(captured.fakes)
    for step in range(-(-size // len(graph.nodes))):
        renamed = {first.name: carried}
        for node in graph.nodes:
            outputs = []
            for value in node.outputs:
                new = None if value is None else Value(f"{value.name}__{step}", value.spec)
                outputs.append(new)
                if value is not None and new is not None:
                    renamed[value.name] = new
                    if value.name in captured.fakes:
                        fakes[new.name] = captured.fakes[value.name]
            moved = node.map_values(lambda v, r=renamed: r.get(v.name, v))
            nodes.append(replace(moved, name=f"{node.name}__{step}", outputs=tuple(outputs)))
        (last,) = graph.output_values
        carried = renamed[last.name]
    tiled = Graph(graph.inputs, tuple(nodes), (carried,), graph.symbols, graph.constants)
    return replace(captured, graph=tiled, fakes=fakes)
