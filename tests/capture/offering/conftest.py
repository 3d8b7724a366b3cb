"""Programs are compiled with a backend that claims chosen composites, and judged against float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

import torchport as tp
from torchport.compile.reports import Reports


class Claiming(tp.EagerBackend):
    """The null device, with composites by name; ``asked`` has every node it was asked about."""

    name = "claiming"

    def __init__(self, *claimed: str, macros: bool = False) -> None:
        super().__init__(macros=macros)
        self.claimed, self.asked = claimed, list[tp.Node]()

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        self.asked.append(node)
        return tp.yes() if node.op in self.claimed else super().claims(node, target)


@dataclass
class Outcome:
    """Results, then gradients, in eager mode, compiled, and in eager mode in float64; and the reports."""

    eager: list[Tensor]
    compiled: list[Tensor]
    exact: list[Tensor]
    results: int
    reports: Reports

    def ops(self, phase: str) -> list[str]:
        """Operators that ran in regions, in order."""
        return [op for g in self.reports.graphs if g.phase == phase for r in g.regions for op in r.ops]

    def assert_as_eager(self, slack: float = 4.0) -> None:
        """Dtypes and shapes are eager's, and the strides of results. Errors against float64 are at most
        ``slack`` times eager's, and a few roundings."""
        for index, (eager, ours, exact) in enumerate(zip(self.eager, self.compiled, self.exact, strict=True)):
            assert (ours.dtype, ours.shape) == (eager.dtype, eager.shape)
            assert index >= self.results or ours.stride() == eager.stride()
            unit = torch.finfo(eager.dtype).eps if eager.dtype.is_floating_point else 0.0
            scale = max(1.0, float(exact.abs().max())) if exact.numel() else 1.0
            error, theirs = (float((x.double() - exact).abs().max()) for x in (ours, eager))
            assert error <= slack * theirs + 16 * unit * scale


Run = Callable[..., Outcome]


def _results(
    fn: Any, tensors: Sequence[Any], dtype: torch.dtype | None, train: bool
) -> tuple[list[Tensor], int]:
    given = [
        t.detach().clone().requires_grad_(train and t.is_floating_point()) if isinstance(t, Tensor) else t
        for t in tensors
    ]
    torch.manual_seed(3)
    casts = torch.autocast("cpu", dtype=dtype) if dtype else nullcontext()
    with casts, torch.set_grad_enabled(train):
        outputs = [o for o in torch.utils._pytree.tree_leaves(fn(*given)) if isinstance(o, Tensor)]
    found, count = [o.detach() for o in outputs], len(outputs)
    if train:
        leaves = [t for t in given if isinstance(t, Tensor) and t.requires_grad]
        wanted = [o for o in outputs if o.requires_grad]
        weights = [torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape).to(o.dtype) for o in wanted]
        grads = torch.autograd.grad(wanted, leaves, weights, allow_unused=True)
        found += [torch.zeros_like(t) if g is None else g for t, g in zip(leaves, grads, strict=True)]
    return found, count


def run(
    fn: Callable[..., Any],
    tensors: Sequence[Any],
    backend: tp.Backend,
    *,
    train: bool = True,
    dtype: torch.dtype | None = None,
    dynamic: bool | None = None,
) -> Outcome:
    """Runs ``fn(*tensors)`` in eager mode, compiled and in float64; under autocast to ``dtype`` if given."""
    torch._dynamo.reset()
    compiled = torch.compile(fn, backend=backend, dynamic=dynamic, fullgraph=True)
    wide = [t.double() if isinstance(t, Tensor) and t.is_floating_point() else t for t in tensors]
    eager, count = _results(fn, tensors, dtype, train)
    ours, _ = _results(compiled, tensors, dtype, train)
    exact, _ = _results(fn, wide, None, train)
    return Outcome(eager, ours, [t.double() for t in exact], count, tp.reports(backend))


@pytest.fixture(name="run")
def _run() -> Iterator[Run]:
    yield run
    torch._dynamo.reset()
