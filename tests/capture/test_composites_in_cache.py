"""Claimed composites and the cache: their backward operators are of a namespace of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import torchport as tp


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path / "cache"))
    torch._dynamo.reset()


LINEAR = tp.KernelTable()


@LINEAR.op("aten.linear.default")
def linear(input, weight, bias=None):  # type: ignore[no-untyped-def]
    return torch.nn.functional.linear(input, weight, bias)


@LINEAR.op("torchport_backward.linear.default")
def linear_backward(grad_output, input, weight, bias, *, wanted):  # type: ignore[no-untyped-def]
    grad, rows = grad_output.flatten(0, -2), input.flatten(0, -2)
    found = (grad_output @ weight, grad.t() @ rows, grad.sum(0))
    return [g for g, flag in zip(found, wanted, strict=True) if flag]


class LinearBackend(tp.KernelBackend):
    name, version, opset = "claims_linear", "1", "1.0"
    kernels = LINEAR


@pytest.mark.parametrize("breaks", [False, True])
def test_a_graph_that_pytorch_cannot_write_is_compiled_without_being_kept(
    breaks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gradient of a composite is an operator of our own namespace in the backward graph."""
    if breaks:
        broken: dict[str, Any] = {"__name__": "torch._functorch._aot_autograd.aot_autograd_result"}
        exec("def write(gm):\n    raise RuntimeError('cannot be written')\n", broken)
        monkeypatch.setattr(
            "torch._functorch._aot_autograd.graph_compile.serialize_graph_module", broken["write"]
        )
    model, x = torch.nn.Linear(8, 4), torch.randn(2, 3, 8)
    model(x).sum().backward()
    expected, model.weight.grad = model.weight.grad, None
    backend = LinearBackend()
    torch.compile(model, backend=backend)(x).sum().backward()
    torch.testing.assert_close(model.weight.grad, expected)
    reports = tp.reports(backend)
    assert [g.phase for g in reports.graphs] == ["forward", "backward"]
    ops = {op for g in reports.graphs for r in g.regions for op in r.ops}
    assert ops >= {"aten.linear.default", "torchport_backward.linear.default"}
    assert reports.cache.failures["AOTAutograd cannot write its entry"] == int(breaks)
    assert reports.cache.stored == int(not breaks)
