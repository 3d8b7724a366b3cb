"""Autocast: its dtype is part of every key; a region without it inside one with it keeps its gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import torchport as tp


def linear(x: Tensor, w: Tensor) -> Tensor:
    return torch.nn.functional.linear(x, w)


def test_each_dtype_has_its_own_graph(openmp: Any) -> None:
    x, w = torch.randn(3, 4), torch.randn(5, 4)
    for dtype in (torch.bfloat16, torch.float16, torch.bfloat16):
        torch._dynamo.reset()  # only what outlives the process can answer now
        compiled = torch.compile(linear, backend=openmp)
        with torch.autocast("cpu", dtype=dtype):
            ours, eager = compiled(x, w), linear(x, w)
        assert ours.dtype == eager.dtype == dtype
        torch.testing.assert_close(ours, eager)
    assert torch.compile(linear, backend=openmp)(x, w).dtype == torch.float32


def inner_without(x: Tensor, w: Tensor) -> Tensor:
    hidden = x @ w
    with torch.autocast("cpu", enabled=False):
        return hidden.float() @ w.float().t()


def gradients(run: Any, dtype: torch.dtype) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(4, 64, generator=generator).to(dtype).requires_grad_()
    w = torch.randn(64, 64, generator=generator).requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = run(x, w)
    out.sum().backward()
    assert x.grad is not None and w.grad is not None
    return out.detach(), x.grad, w.grad


def test_a_region_without_autocast_inside(interpreter: tp.EagerBackend) -> None:
    for dtype in (torch.float32, torch.bfloat16):
        ours, eager = (gradients(f, dtype) for f in (_compiled(interpreter), inner_without))
        for got, wanted in zip(ours, eager, strict=True):
            assert got.dtype == wanted.dtype and torch.equal(got, wanted)


def _compiled(backend: Any) -> Any:
    torch._dynamo.reset()
    return torch.compile(inner_without, backend=backend)
