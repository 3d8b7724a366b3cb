"""Profiles are what the models do: one small model of each kind is measured anew."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

import torchport as tp
from torchport.contract.profiles import profile_named, profile_names
from torchport_conformance import operator_profiles
from torchport_conformance.operator_profiles import MODELS, PLANS, captured, primitives


def test_every_plan_has_a_profile_of_its_models() -> None:
    assert set(PLANS) == set(profile_names())
    for name, plan in PLANS.items():
        assert profile_named(name).models == plan.models
        assert set(plan.models) <= MODELS.keys()


@pytest.mark.parametrize(
    ("model", "name"), [("resnet", "vision-inference"), ("gpt2", "transformer-inference")]
)
def test_what_a_model_calls_is_in_its_profile(model: str, name: str) -> None:
    profile = profile_named(name)
    nodes = captured(model, training=False)
    ops = Counter(node.op for node in nodes)
    assert all(count <= profile.ops[op].calls for op, count in ops.items())
    prims = primitives(nodes, tp.opset(profile.opset))
    assert all(count <= profile.prims[op].calls for op, count in prims.items())
    assert prims.keys() <= tp.opset(profile.opset).prims.keys()


def test_counts_shares_and_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three calls in two models: what is called most comes first."""

    def twice(x: torch.Tensor) -> torch.Tensor:
        return x.exp().exp()

    class Module(torch.nn.Module):
        def __init__(self, fn: object) -> None:
            super().__init__()
            self.fn = fn

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.fn(x)  # type: ignore[operator]

    models = {
        "a": lambda: (Module(twice), {"x": torch.ones(3)}),
        "b": lambda: (Module(torch.erf), {"x": torch.ones(3)}),
    }
    monkeypatch.setattr(operator_profiles, "MODELS", models)
    found = operator_profiles.measure("invented", operator_profiles.Plan(("a", "b")))
    assert list(found.ops) == ["aten.exp.default", "aten.erf.default"]
    exp = found.ops["aten.exp.default"]
    assert (exp.tier, exp.calls, exp.share, exp.models) == ("prim", 2, 0.666667, 1)
    assert found.prims == found.ops


def test_a_model_outside_the_contract_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Custom(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.ops.tp_profile_test.odd(x)  # type: ignore[no-any-return]

    library = torch.library.Library("tp_profile_test", "FRAGMENT")
    library.define("odd(Tensor x) -> Tensor")
    library.impl("odd", torch.neg, "CompositeExplicitAutograd")
    monkeypatch.setattr(operator_profiles, "MODELS", {"odd": lambda: (Custom(), {"x": torch.ones(2)})})
    with pytest.raises(
        tp.TorchportError, match=r"(?s)'odd' are left to eager.*tp_profile_test\.odd\.default"
    ):
        captured("odd", training=False)
