"""Bags: PyTorch's own results for every form, and gradients scaled by frequency against their definition."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

import torchport as tp
from torchport.contract.decompositions import embedding_bag as bags

G = torch.Generator().manual_seed(0)
WEIGHT = torch.randn(7, 3, generator=G, dtype=torch.float64)
INDICES = torch.tensor([1, 2, 4, 5, 4, 3, 1])
OFFSETS = torch.tensor([0, 2, 2, 5])


@pytest.mark.parametrize("mode", [bags.SUM, bags.MEAN, bags.MAX])
@pytest.mark.parametrize("include_last_offset", [False, True])
@pytest.mark.parametrize("padding_idx", [-1, 4])
@pytest.mark.parametrize("integers", [torch.int32, torch.int64])
def test_forward(mode: int, include_last_offset: bool, padding_idx: int, integers: torch.dtype) -> None:
    weights = torch.randn(7, generator=G, dtype=torch.float64) if mode == bags.SUM else None
    rest = (False, mode, False, weights, include_last_offset, padding_idx)
    given = (INDICES.to(integers), OFFSETS.to(integers))
    want = torch.ops.aten._embedding_bag.default(WEIGHT, *given, *rest)
    got = bags.embedding_bag(WEIGHT, *given, *rest)
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("mode", [bags.SUM, bags.MEAN])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_scaled_by_frequency(mode: int, weighted: bool) -> None:
    """A row's share is divided by how often the row occurs in all bags."""
    if weighted and mode == bags.MEAN:
        pytest.skip("only sums are weighted")
    each = (
        torch.randn(7, generator=G, dtype=torch.float64) if weighted else torch.ones(7, dtype=torch.float64)
    )
    grad = torch.randn(4, 3, generator=G, dtype=torch.float64)
    where, sizes = torch.tensor([0, 0, 2, 2, 2, 3, 3]), torch.tensor([2, 0, 3, 2])
    want = torch.zeros(7, 3, dtype=torch.float64)
    for position, (row, bag) in enumerate(zip(INDICES.tolist(), where.tolist(), strict=True)):
        share = grad[bag] * each[position] / INDICES.eq(row).sum()
        want[row] += share / sizes[bag] if mode == bags.MEAN else share
    got = bags.dense_backward(
        grad, INDICES, where, sizes, sizes, 7, True, mode, each if weighted else None, -1
    )
    torch.testing.assert_close(got, want)


def test_rows_of_bounded_norm_are_those_that_are_named() -> None:
    table = torch.tensor([[3.0, 4.0], [6.0, 8.0], [0.3, 0.4]])
    got = bags.renorm(table, torch.tensor([[1], [2]]), 5.0, 2.0)
    assert torch.equal(got[0], table[0]) and torch.equal(got[2], table[2])
    torch.testing.assert_close(got[1], torch.tensor([3.0, 4.0]))


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("padding", [-1, 2])
@pytest.mark.parametrize("mode", [bags.SUM, bags.MEAN, bags.MAX])
@pytest.mark.parametrize("name", ["_embedding_bag", "_embedding_bag_forward_only"])
def test_compiled_bags_return_what_eager_returns(name: str, mode: int, padding: int, last: bool) -> None:
    """PyTorch's shape functions have other sizes for bfloat16, and for a last offset."""
    op = getattr(torch.ops.aten, name).default
    offsets = torch.tensor([0, 2, 2, 5, 7])
    for dtype in (torch.bfloat16, torch.float32, torch.float64):
        torch.compiler.reset()
        call = torch.compile(
            lambda w: op(w, INDICES, offsets, False, mode, False, None, last, padding),
            backend=tp.EagerBackend(),
        )
        with torch.no_grad():
            got = call(WEIGHT.to(dtype))
        want = op(WEIGHT.to(dtype), INDICES, offsets, False, mode, False, None, last, padding)
        for a, b in zip(got, want, strict=True):
            torch.testing.assert_close(a, b, rtol=0, atol=0)


@pytest.mark.parametrize("macros", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_bags_of_bfloat16_have_the_gradient_of_eager(macros: bool, dynamic: bool) -> None:
    def gradient(fn: Any) -> Tensor:
        own = WEIGHT.bfloat16().requires_grad_()
        value, where, *_ = fn(own)
        assert not where.numel()
        value.float().square().sum().backward()
        assert own.grad is not None
        return own.grad

    def program(weight: Tensor) -> Any:
        return torch.ops.aten._embedding_bag.default(weight, INDICES, OFFSETS)

    torch.compiler.reset()
    backend = tp.EagerBackend(macros=macros)
    compiled = gradient(torch.compile(program, backend=backend, dynamic=dynamic))
    assert torch.equal(compiled, gradient(program))
