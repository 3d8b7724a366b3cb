"""Regions and kernels are ranges of torch.profiler under their names, and cost nothing where nobody looks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import torchport as tp


def f(x: Tensor) -> Tensor:
    return torch.linalg.inv((x @ x).sin() * 2) + 1


def ranges(call: Any) -> dict[str, int]:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        call()
    return {event.key: event.count for event in profile.key_averages()}


def test_regions_and_kernels(openmp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With kernels from the cache too, which were compiled for a region of another name."""
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path))
    names = _regions_are_ranges(openmp)
    torch._dynamo.reset()
    assert not set(names) & set(_regions_are_ranges(openmp))


def _regions_are_ranges(backend: Any) -> list[str]:
    x = torch.eye(4, requires_grad=True)
    tp.reports(backend).clear()
    compiled = torch.compile(f, backend=backend)
    compiled(x).sum().backward()
    regions = [r.name for g in tp.reports(backend).graphs for r in g.regions]
    assert len(regions) > 2
    before = ranges(lambda: None)
    seen = ranges(lambda: [compiled(x).sum().backward() for _ in range(3)])
    for name in regions:
        assert seen[name] == 3, f"{name} among {sorted(seen)}"
        assert name not in before
    kernels = [key for key in seen if key.split(".")[0] in regions and "." in key]
    assert kernels, sorted(seen)
    assert "aten::linalg_inv_ex" in seen or "aten::linalg_inv" in seen
    return regions


def test_results_and_errors_do_not_depend_on_the_profiler(openmp: Any) -> None:
    compiled = torch.compile(lambda x, i: (x * 2).index_select(0, i) + 1, backend=openmp)
    x, good, bad = torch.arange(4.0), torch.tensor([0, 3]), torch.tensor([0, 4])
    plain = compiled(x, good)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        assert torch.equal(compiled(x, good), plain)
        with pytest.raises((RuntimeError, IndexError, tp.TorchportError)):
            compiled(x, bad)
    assert torch.equal(compiled(x, good), plain)
