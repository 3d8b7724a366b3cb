"""The list of private PyTorch names: complete, and every name exists in the running PyTorch."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest


def test_the_page_lists_what_the_sources_use(private_apis: ModuleType) -> None:
    written = private_apis.PAGE.read_text()
    missing = [line for line in private_apis.page().splitlines() if line not in written.splitlines()]
    assert missing == [], "run `make gen`"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import torch\ntorch._C._log_api_usage_once('x')", {"torch._C._log_api_usage_once"}),
        ("from torch._guards import TracingContext as T", {"torch._guards.TracingContext"}),
        ("import torch._dynamo", {"torch._dynamo"}),
        ("from torch.utils import _pytree", {"torch.utils._pytree"}),
        ("from functorch.compile import nop", {"functorch.compile.nop"}),
        ("import torch\ntorch.nn.functional.relu(torch.empty(1))", set()),
        ("import torch\ntorch.__version__", set()),
        ("from torchport.compile._x import y", set()),
        ("from . import _native", set()),
        ("import torch\nx = torch.ops.aten._softmax.default", {"torch.ops.aten._softmax.default"}),
    ],
)
def test_names_are_found(private_apis: ModuleType, source: str, names: set[str]) -> None:
    assert private_apis.private_names(source) == names


def test_every_listed_name_exists(private_apis: ModuleType, root: Path) -> None:
    names = set()
    for folder in private_apis.SOURCES:
        for path in (root / folder).rglob("*.py"):
            names |= private_apis.private_names(path.read_text())
    assert len(names) > 5
    assert {name for name in names if not exists(name)} == set()


def exists(dotted: str) -> bool:
    """Whether a dotted name can be reached by importing as far as possible, then by attributes."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False
