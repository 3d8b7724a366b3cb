"""What the tests of PyTorch's ecosystem share: a fresh Dynamo, two backends, a small network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchport as tp


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def interpreter() -> tp.EagerBackend:
    """The whole road, with PyTorch's own kernels at its end."""
    return tp.EagerBackend()


@pytest.fixture
def openmp() -> Any:
    """The reference backend that writes C++."""
    return "torchport_openmp"


class Network(nn.Module):
    """Two linear layers, a norm and a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.norm, self.down = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.norm(torch.tanh(self.up(x))))


@pytest.fixture
def network() -> Network:
    torch.manual_seed(0)
    return Network()


@pytest.fixture
def rows() -> Tensor:
    return torch.randn(5, 8, generator=torch.Generator().manual_seed(1))
