"""Programs are compiled with a backend that claims macros; what was raised is read from its reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

import torchport as tp
from torchport.compile.reports import Reports


@dataclass
class Outcome:
    """What one program gave with and without the backend, and what was raised in it."""

    eager: list[Tensor]
    compiled: list[Tensor]
    eager_gradients: list[Tensor]
    gradients: list[Tensor]
    reports: Reports

    @property
    def raised(self) -> Counter[str]:
        return Counter(m.macro.split(".")[1] for m in self.reports.raised)

    def assert_unchanged(self, tolerance: float = 4e-6) -> None:
        """Values, and gradients relative to the largest of all, agree to a few roundings; dtypes, shapes and
        strides agree exactly."""
        for a, b in zip(self.eager, self.compiled, strict=True):
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            assert a.stride() == b.stride()
            torch.testing.assert_close(b, a, rtol=tolerance, atol=tolerance, equal_nan=True)
        scale = max([1e-3, *(float(g.abs().max()) for g in self.eager_gradients)])
        for a, b in zip(self.eager_gradients, self.gradients, strict=True):
            torch.testing.assert_close(b, a, rtol=tolerance, atol=tolerance * scale)


Run = Callable[..., Outcome]


def _gradients(outputs: Sequence[Tensor], wanted: Sequence[Tensor]) -> list[Tensor]:
    differentiable = [o for o in outputs if o.requires_grad]
    g = torch.Generator().manual_seed(5)
    weights = [torch.randn(o.shape, generator=g).to(o.dtype) for o in differentiable]
    found = torch.autograd.grad(differentiable, wanted, weights, allow_unused=True)
    return [torch.zeros_like(w) if x is None else x for w, x in zip(wanted, found, strict=True)]


def run(
    fn: Callable[..., Any],
    args: Sequence[Any],
    *,
    train: bool = True,
    backend: tp.Backend | None = None,
    dynamic: bool | None = None,
    copy: bool = False,
) -> Outcome:
    """Runs ``fn(*args)`` in eager mode and compiled; with ``copy`` each call has its own tensors."""
    entry = backend or tp.EagerBackend(macros=True)
    compiled_fn = torch.compile(fn, backend=entry, dynamic=dynamic, fullgraph=True)
    results: list[list[Tensor]] = []
    gradients: list[list[Tensor]] = []
    for call in (fn, compiled_fn):
        given = [a.clone() if copy and isinstance(a, Tensor) else a for a in args]
        floats = [
            a.detach().requires_grad_() if train and isinstance(a, Tensor) and a.is_floating_point() else a
            for a in given
        ]
        torch.manual_seed(7)
        with torch.set_grad_enabled(train):
            outputs = call(*floats)
            flat = [o for o in torch.utils._pytree.tree_leaves(outputs) if isinstance(o, Tensor)]
            results.append(flat)
            wanted = [a for a in floats if isinstance(a, Tensor) and a.requires_grad]
            gradients.append(_gradients(flat, wanted) if train and wanted else [])
    return Outcome(results[0], results[1], gradients[0], gradients[1], tp.reports(entry))


@pytest.fixture(name="run")
def _run() -> Iterator[Run]:
    torch._dynamo.reset()
    yield run
    torch._dynamo.reset()
