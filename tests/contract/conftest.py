"""Fixtures around the sampler of the contract's operands, :mod:`torchport.tools.operands`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from torchport.contract.spec import OpSpec
from torchport.tools import operands

Draw = Callable[..., Iterator[dict[str, Any]]]


@pytest.fixture(scope="session")
def meta() -> Callable[..., Any]:
    """Results on the meta device: ``meta(spec, arguments)``."""
    return operands.on_meta


@pytest.fixture(scope="session")
def draw() -> Draw:
    """Argument dicts of an entry: ``draw(spec, dtype, limit=…)``."""
    return operands.draw


@pytest.fixture(scope="session")
def dtypes() -> Callable[[OpSpec], list[str]]:
    """Dtype names of an entry's first tensor argument."""
    return operands.dtypes_of


@pytest.fixture(autouse=True)
def process_group(request: pytest.FixtureRequest) -> Iterator[None]:
    """A group of one process, named "0", for collectives."""
    if "_c10d_functional" not in request.node.name and "all_reduce" not in request.node.name:
        yield
        return
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()
