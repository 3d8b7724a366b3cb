"""Backends for the tests of the flow: they claim by name and count what they compile."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

import torchport as tp


class SelectiveBackend(tp.EagerBackend):
    """Claims the operators it is given (all contract operators when given none) and counts its
    compilations.
    """

    name = "selective"

    def __init__(
        self, ops: Iterable[str] | None = None, overrides: dict[str, Callable[..., Any]] | None = None
    ) -> None:
        super().__init__(overrides)
        self.ops = None if ops is None else frozenset(ops)
        self.compiled: list[tp.Region] = []

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        if self.ops is not None and node.op not in self.ops:
            return tp.no(tp.Reason.OP, "not selected")
        return super().claims(node, target)

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        self.compiled.append(region)
        return super().compile(region, target, options)


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Any:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def selective() -> type[SelectiveBackend]:
    return SelectiveBackend


class Network(torch.nn.Module):
    """Linear, GELU, layer norm, batch norm with running statistics, softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4)
        self.layer, self.batch = torch.nn.LayerNorm(16), torch.nn.BatchNorm1d(16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.batch(self.layer(torch.nn.functional.gelu(self.up(x))))
        return (self.down(hidden) * 2).softmax(-1)


@pytest.fixture
def network() -> Network:
    torch.manual_seed(0)
    return Network()
