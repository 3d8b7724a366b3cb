"""What a call of a compiled graph costs: three kernels on tensors so small that nothing else is measured.

Beside the rivals stands the floor: a backend that only allocates the outputs. What it takes is Dynamo's and
AOTAutograd's share, which no backend can avoid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch._functorch.aot_autograd import aot_module_simplified

from torchport.capture.aot import boxed
from torchport.tools.bench.cases import Case
from torchport.tools.bench.contestant import Call, contestant, exact, largest_error
from torchport.tools.bench.timing import Timing, interleaved

FLOOR = "floor (allocates only)"
EAGER = "eager"
COLUMNS = ("case", "backend", "time a call", "quartiles", "ours / it")
"""Titles of :meth:`OverheadReport.rows`."""


def _three_outputs(grad: bool) -> Callable[[], tuple[Any, tuple[torch.Tensor, ...]]]:
    def build() -> tuple[Any, tuple[torch.Tensor, ...]]:
        def program(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return (x + y).sin(), (x * y).cos().sum(), torch.softmax(x, -1)

        return program, (torch.randn(8, requires_grad=grad), torch.randn(8, requires_grad=grad))

    return build


CASES = (
    Case("3 kernels on 8 elements, inference", _three_outputs(False)),
    Case("3 kernels on 8 elements, training", _three_outputs(True), training=True),
)


@dataclass(frozen=True, slots=True)
class OverheadCost:
    """Seconds a call of one case, by contestant."""

    case: str
    timings: dict[str, Timing]

    def ratio(self, ours: str, other: str) -> float:
        """Our median time over the other's."""
        return self.timings[ours].median / self.timings[other].median


@dataclass(frozen=True, slots=True)
class OverheadReport:
    """One interleaved run of every case."""

    backend: str
    cases: tuple[OverheadCost, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data; ratios are our time over the other's."""
        cases = [
            {
                "case": c.case,
                "seconds": {name: asdict(t) for name, t in c.timings.items()},
                "ours_over": {name: c.ratio(self.backend, name) for name in c.timings},
            }
            for c in self.cases
        ]
        return {"backend": self.backend, "threads": torch.get_num_threads(), "cases": cases}

    def rows(self) -> list[tuple[str, ...]]:
        """One row for each case and contestant, as text under :data:`COLUMNS`."""
        rows: list[tuple[str, ...]] = []
        for case in self.cases:
            for i, (name, t) in enumerate(case.timings.items()):
                times = (f"{t.median * 1e6:.1f} µs", f"{t.low * 1e6:.1f} to {t.high * 1e6:.1f}")
                rows.append(
                    (case.case if not i else "", name, *times, f"{case.ratio(self.backend, name):.2f}")
                )
        return rows


def overhead(
    backend: str, vs: Sequence[str] = ("inductor", EAGER), *, seconds_per_case: float = 2.0
) -> OverheadReport:
    """Measures what calls cost, with one thread.

    Args:
        backend: a backend that torch.compile knows.
        vs: rivals; ``"eager"`` is PyTorch without torch.compile.
        seconds_per_case: about how long the contestants of one case are timed.

    Raises:
        RuntimeError: a contestant gives other results than eager float64; the floor is not asked.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return OverheadReport(backend, tuple(_cost(case, backend, vs, seconds_per_case) for case in CASES))
    finally:
        torch.set_num_threads(threads)


def _cost(case: Case, backend: str, vs: Sequence[str], seconds: float) -> OverheadCost:
    truth, calls = exact(case), dict[str, Call]()
    torch._dynamo.reset()
    for name in (backend, *vs):
        calls[name] = contestant(case, None if name == EAGER else name)
        error = largest_error(calls[name](), truth)
        if error > 1e-5:
            raise RuntimeError(f"{name} is off by {error:.1e} in {case.name!r}: its time means nothing")
    calls[FLOOR] = contestant(case, allocating)
    return OverheadCost(case.name, interleaved(calls, seconds))


def allocating(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """A Dynamo backend that computes nothing: it returns uninitialised outputs of the right sizes."""

    def compile_aot(gm: torch.fx.GraphModule, _: Sequence[Any]) -> Any:
        (output,) = gm.graph.find_nodes(op="output")
        values = [node.meta["val"] if isinstance(node, torch.fx.Node) else node for node in output.args[0]]
        layouts = [
            (tuple(v.shape), v.stride(), v.dtype) if isinstance(v, torch.Tensor) else None for v in values
        ]

        def call(args: list[Any]) -> list[Any]:
            args.clear()
            return [x and torch.empty_strided(x[0], x[1], dtype=x[2]) for x in layouts]

        return boxed(call)

    compilers: dict[str, Any] = {"fw_compiler": compile_aot, "bw_compiler": compile_aot}
    compiled = aot_module_simplified(gm, list(example_inputs), **compilers)
    disabled: Callable[..., Any] = torch._dynamo.disable(compiled)
    return disabled
