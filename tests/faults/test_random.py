"""Random numbers are judged by laws; only with Dynamo's ``fallback_random`` are they eager's own."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import torchport as tp


def dropped(x: Tensor, p: float) -> Tensor:
    return F.dropout(x, p)


def test_probabilities_of_zero_and_one(openmp: Any) -> None:
    x = torch.tensor([1.0, -2.0, float("nan"), float("inf")])
    compiled = torch.compile(dropped, backend=openmp)
    assert torch.equal(compiled(x[:2], 0.0), x[:2])
    assert torch.equal(compiled(x[:2], 1.0), torch.zeros(2))
    torch.testing.assert_close(compiled(x, 1.0), dropped(x, 1.0), equal_nan=True)


@pytest.mark.parametrize("backend", [tp.EagerBackend(), "torchport_openmp"], ids=["interpreter", "cpp"])
def test_reseeding_repeats_and_draws_differ(backend: Any) -> None:
    compiled, x = torch.compile(dropped, backend=backend), torch.ones(64, 64)
    torch.manual_seed(1)
    first, second = compiled(x, 0.5), compiled(x, 0.5)
    torch.manual_seed(1)
    assert torch.equal(compiled(x, 0.5), first)
    assert not torch.equal(first, second)
    kept = (first != 0).float()
    assert set(first.unique().tolist()) == {0.0, 2.0}
    assert abs(kept.mean() - 0.5) < 0.05
    assert abs((kept[:, 1:] * kept[:, :-1]).mean() - 0.25) < 0.05  # neighbours are independent


@pytest.mark.parametrize("backend", [tp.EagerBackend(), "torchport_openmp"], ids=["interpreter", "cpp"])
def test_the_backward_has_the_mask_of_the_forward(backend: Any) -> None:
    compiled = torch.compile(lambda x: F.dropout(x.sin(), 0.5) * 3, backend=backend)
    x = torch.full((32, 32), 0.5, requires_grad=True)
    out = compiled(x)
    out.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad != 0, out != 0)
    torch.testing.assert_close(x.grad, (out != 0) * 6 * x.detach().cos())


def transposed(x: Tensor) -> Tensor:
    return F.dropout(x.t().contiguous(), 0.5) + torch.rand_like(x.t())


@pytest.mark.parametrize("backend", [tp.EagerBackend(), "torchport_openmp"], ids=["interpreter", "cpp"])
def test_fallback_random_draws_what_eager_draws(backend: Any) -> None:
    x = torch.arange(1.0, 10.0, dtype=torch.float64).view(3, 3)
    with torch._inductor.config.patch(fallback_random=True):
        torch.manual_seed(0)
        ours = torch.compile(transposed, backend=backend)(x)
    torch.manual_seed(0)
    assert torch.equal(ours, transposed(x))
