"""What the inputs of captured graphs are to the program."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchport as tp
from torchport.capture.aot import CapturedGraph, boxed, capture
from torchport.contract.graph import Role, TensorSpec


def captured(fn: Callable[..., Any], *args: Any, backward: bool = False) -> dict[str, CapturedGraph]:
    """The captured graphs of a call by phase; nothing is run but the call itself, in eager PyTorch."""
    found: dict[str, CapturedGraph] = {}

    def backend(gm: torch.fx.GraphModule, inputs: Any) -> Any:
        def stages(graph: CapturedGraph) -> Any:
            found[graph.phase] = graph
            return boxed(lambda flat: [_zeros(v) for v in graph.graph.outputs[: len(graph.uses)]])

        return capture(gm, inputs, stages)

    torch._dynamo.reset()
    result = torch.compile(fn, backend=backend)(*args)
    if backward:
        result.sum().backward()
    return found


def _zeros(value: Any) -> Any:
    if not hasattr(value, "spec"):
        return value
    spec = value.tensor
    return torch.empty_strided(spec.shape, spec.stride, dtype=spec.dtype).zero_()


def specs(graph: CapturedGraph) -> list[TensorSpec]:
    return [v.tensor for v in graph.graph.inputs]


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.layers[1].weight = self.layers[0].weight  # tied
        self.register_buffer("seen", torch.zeros(4))
        self.plain = torch.ones(4)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        self.seen.add_(1)
        return x * self.plain


@pytest.fixture(scope="module")
def training() -> dict[str, CapturedGraph]:
    return captured(Model(), torch.randn(2, 4, requires_grad=True), backward=True)


def test_names_roles_and_mutation(training: dict[str, CapturedGraph]) -> None:
    by_name = {s.name: s for s in specs(training["forward"]) if s.name}
    assert by_name.keys() == {"layers.0.weight", "layers.0.bias", "layers.1.bias", "seen"}
    weight, seen = by_name["layers.0.weight"], by_name["seen"]
    assert (weight.role, weight.requires_grad, weight.mutated) == (Role.PARAMETER, True, False)
    assert weight.weight_id == "layers.0.weight"
    assert (seen.role, seen.requires_grad, seen.mutated) == (Role.BUFFER, False, True)
    inputs = [s for s in specs(training["forward"]) if s.role is Role.INPUT]
    assert sorted(s.shape for s in inputs) == [(2, 4), (4,)]  # x, and the tensor that is not registered


def test_saved_values_keep_their_origin(training: dict[str, CapturedGraph]) -> None:
    forward, backward = training["forward"].graph, training["backward"].graph
    saved = {v.name: v.tensor for v in backward.inputs if v.tensor.role is not Role.TANGENT}
    assert saved.keys() <= {v.name for v in (*forward.inputs, *(v for n in forward.nodes for v in n.results))}
    assert [s.weight_id for s in saved.values() if s.role is Role.PARAMETER] == ["layers.0.weight"]
    assert not any(s.mutated for s in saved.values())
    assert [v.tensor.role for v in backward.inputs].count(Role.TANGENT) == 1


def test_writes_are_outputs(training: dict[str, CapturedGraph]) -> None:
    graph = training["forward"]
    assert len(graph.writes) == 1
    target = next(v for v in graph.graph.inputs if v.name == graph.writes[0])
    assert target.tensor.name == "seen"
    assert not any("copy_" in n.op for n in graph.graph.nodes)


def test_a_function_that_closes_over_a_module() -> None:
    model = nn.Sequential(nn.Linear(4, 3))
    with torch.no_grad():
        found = captured(lambda x: model(x).relu(), torch.randn(2, 4))["inference"]
    assert {(s.role, s.name) for s in specs(found)} == {
        (Role.PARAMETER, "0.weight"),
        (Role.PARAMETER, "0.bias"),
        (Role.INPUT, ""),
    }


def test_views_of_one_base_that_are_written() -> None:
    def fn(a: Tensor, w: Tensor, b: Tensor) -> Tensor:
        a.add_(1)
        return a * w + b

    base = torch.zeros(8)
    with torch.no_grad():
        found = captured(fn, base[:4], torch.ones(4), base[4:])["inference"]
    assert [s.mutated for s in specs(found) if s.shape == (4,)].count(True) <= 1
    assert len(found.writes) == 1


@pytest.mark.parametrize("layout", ["transposed", "expanded", "channels last"])
def test_gradients_of_any_layout(layout: str) -> None:
    x = torch.randn(2, 3, 4, 4, requires_grad=True)
    tangent = {
        "transposed": torch.randn(3, 2, 4, 4).transpose(0, 1),
        "expanded": torch.randn(1, 3, 1, 1).expand(2, 3, 4, 4),
        "channels last": torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last),
    }[layout]
    (want,) = torch.autograd.grad((x * x).sin(), x, tangent)
    torch._dynamo.reset()
    out = torch.compile(lambda t: (t * t).sin(), backend=tp.EagerBackend())(x)
    (got,) = torch.autograd.grad(out, x, tangent)
    torch.testing.assert_close(got, want)


def test_transfers_are_counted() -> None:
    backend = tp.EagerBackend()
    with torch.no_grad():
        out = torch.compile(lambda x: (x + 1).to("meta"), backend=backend)(torch.ones(4, 8))
    assert out.device.type == "meta"
    (copy,) = tp.reports(backend).copies
    assert (copy.kind, copy.bytes, copy.reason) == ("transfer", 4 * 8 * 4, "from cpu to meta")
