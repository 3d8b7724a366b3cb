"""Backends that the programs run through, and a fresh Dynamo for each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import torchport as tp

sys.path.insert(0, str(Path(__file__).parent))


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
