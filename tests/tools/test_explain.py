"""`tp.explain`: counts, shares, breaks with their lines, what is missing most, and no trace of it."""

from __future__ import annotations

import inspect
import json
import math
import random
from importlib import resources
from typing import Any

import jsonschema
import numpy as np
import pytest
import torch
from torch._dynamo.utils import counters

import torchport as tp
from torchport.errors import UsageError


class Some(tp.EagerBackend):
    name = "some"
    ops: tuple[str, ...] = ("aten.mul.Scalar", "aten.exp.default")

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return tp.yes() if node.op in self.ops else tp.no(tp.Reason.OP, "no kernel")


def with_ops(*more: str) -> Some:
    """The backend, with more kernels."""
    backend = Some()
    backend.ops = (*Some.ops, *more)
    return backend


def check_schema(data: Any) -> Any:
    text = resources.files("torchport.tools").joinpath("schemas/explanation.schema.json").read_text()
    found = json.loads(json.dumps(data, allow_nan=False))
    jsonschema.Draft202012Validator(json.loads(text)).validate(found)
    return found


def test_counts_reasons_time_and_bytes() -> None:
    found = tp.explain(lambda x: (x * 2).exp().sin().t(), (torch.randn(4, 3),), Some())
    assert (found.claimed, found.fallback, found.claimed_share) == (2, 1, 2 / 3)
    assert found.reasons == {"op": 1} and found.fallback_ops == {"aten.sin.default": 1}
    assert found.claimed_time_share is not None and 0 < found.claimed_time_share < 1
    assert (found.claimed_bytes, found.fallback_bytes) == (2 * 2 * 48, 2 * 48)
    assert found.claimed_bytes_share == 2 / 3
    assert "aten.sin.default (op: no kernel)" in str(found)
    assert check_schema(found.to_dict())["rejections"][0]["op"] == "aten.sin.default"


def test_a_module_is_explained_with_its_backward_and_keeps_its_gradients() -> None:
    model = torch.nn.Linear(4, 4)
    found = tp.explain(model, (torch.randn(2, 4),), tp.EagerBackend())
    assert [g.phase for g in found.graphs] == ["forward", "backward"] and found.claimed_share == 1.0
    assert all(p.grad is None for p in model.parameters())


def test_a_function_that_closes_over_a_model_shows_its_backward() -> None:
    model = torch.nn.Linear(4, 1)
    found = tp.explain(lambda x: model(x).square().mean(), (torch.randn(2, 4),), tp.EagerBackend())
    assert [g.phase for g in found.graphs] == ["forward", "backward"] and found.claimed_share == 1.0
    assert all(p.grad is None for p in model.parameters())


def test_graph_breaks_are_counted_with_cause_line_and_advice() -> None:
    def broken(x: torch.Tensor) -> Any:
        y = x * 2
        torch._dynamo.graph_break()
        if y.sum() > 0:
            y = y + 1
        return y + 1

    found = tp.explain(broken, (torch.ones(3),), tp.EagerBackend())
    first = inspect.getsourcelines(broken)[1]
    assert len(found.graphs) == 3 and sum(found.graph_breaks.values()) == 2
    lines = {cut.cause: (cut.source, cut.code) for cut in found.breaks}
    branch = (f"{__file__}:{first + 3}", "if y.sum() > 0:")
    assert lines["Data-dependent branching"] == branch
    called = (f"{__file__}:{first + 2}", "torch._dynamo.graph_break()")
    assert called in lines.values()
    assert check_schema(found.to_dict())["breaks"][0]["count"] == 1


def test_a_recurrent_layer_that_dynamo_leaves_out_says_what_to_set() -> None:
    class Recurrent(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = torch.nn.LSTM(3, 3)

        def forward(self, x: torch.Tensor) -> Any:
            return self.lstm(x)[0]

    found = tp.explain(Recurrent(), (torch.randn(2, 1, 3),), tp.EagerBackend())
    assert not found.graphs and str(found).startswith("torchport_eager: nothing was compiled")
    (cut,) = found.breaks
    assert "LSTM" in cut.cause and "allow_rnn=True" in cut.hint and cut.source.startswith(__file__)
    assert check_schema(found.to_dict())["claimed_share"] is None


def test_a_recompilation_names_the_guard() -> None:
    scale = [2.0]

    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * scale[0]

    def program(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        scale[0] += 1
        return scaled(x)

    found = tp.explain(program, (torch.randn(3),), tp.EagerBackend())
    assert found.recompiles and any("scale" in r.guard for r in found.recompiles)


def program_with_parts(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax((x * 2).exp().sin(), -1).exp() @ x


RANKED = ["aten.mm.default", "aten.sin.default", "aten._softmax.default"]


@pytest.mark.parametrize("op", RANKED)
def test_what_the_ranking_predicts_is_what_claiming_achieves(op: str) -> None:
    args = (torch.randn(4, 4),)
    before = tp.explain(program_with_parts, args, Some())
    (promised,) = (u for u in before.unlocks if (u.op, u.also) == (op, ()))
    after = tp.explain(program_with_parts, args, with_ops(op))
    assert promised.claimed_share == after.claimed_share > before.claimed_share
    assert promised.nodes == before.fallback - after.fallback == 1
    assert promised.bytes == before.fallback_bytes - after.fallback_bytes
    assert promised.seconds > 0


def test_operators_that_are_only_enough_together_are_ranked_together() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(x * 2).exp()

    before = tp.explain(program, (torch.randn(4, 4),), Some())
    together = next(u for u in before.unlocks if u.also)
    assert "aten.silu.default" not in (together.op, *together.also)
    after = tp.explain(program, (torch.randn(4, 4),), with_ops(together.op, *together.also))
    assert after.claimed_share == together.claimed_share == 1.0
    assert together.borders == 2  # of the product to silu and of silu to the exponential: one region is left


def test_several_programs_are_ranked_as_one() -> None:
    x = torch.randn(4, 4)
    programs = {"a": (lambda x: (x * 2).sin(), (x,)), "b": (lambda x: x.sin().exp().cos(), (x,))}
    found = tp.explain(programs, backend=Some())
    assert list(found.programs) == ["a", "b"]
    assert [(u.op, u.nodes) for u in found.unlocks] == [("aten.sin.default", 2), ("aten.cos.default", 1)]
    assert found.unlocks[0].claimed_share == 4 / 5 and found.claimed_share == 2 / 5
    check_schema(found.to_dict())
    assert "over all programs:" in str(found)
    listed = tp.explain([(torch.sin, (x,)), (torch.sin, (x,))], backend=Some())
    assert list(listed.programs) == ["sin", "sin#2"]
    for wrong in ([], [torch.sin], {"a": (x, (x,))}):
        with pytest.raises(UsageError):
            tp.explain(wrong, backend=Some())


class Stateful(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.calls = torch.nn.BatchNorm1d(4), 0
        self.register_buffer("cache", torch.zeros(2, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.cache.copy_(x)
        return torch.nn.functional.dropout(self.norm(x) + self.cache)


def test_nothing_is_left_behind() -> None:
    model = Stateful()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = torch.randn(2, 4)
    model.norm.weight.grad = torch.ones(4)
    gradient = model.norm.weight.grad

    def step(x: torch.Tensor) -> torch.Tensor:
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return x.add_(1)

    compiled_by_others = []

    def other(gm: torch.fx.GraphModule, inputs: Any) -> Any:
        compiled_by_others.append(gm)
        return gm.forward

    user = torch.compile(model, backend=other)
    user(x)
    count = len(compiled_by_others)
    before = {k: v.clone() for k, v in model.state_dict().items()}
    buffer, given = model.cache, x.clone()
    known = {name: dict(counter) for name, counter in counters.items()}
    states = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()
    for program in (step, user):
        tp.explain(program, (x,), tp.EagerBackend())
    assert all(torch.equal(before[k], v) for k, v in model.state_dict().items())
    assert model.norm.weight.grad is gradient and torch.equal(gradient, torch.ones(4))
    assert model.norm.bias.grad is None and model.cache is buffer and torch.equal(x, given)
    assert not optimizer.state and model.calls == 0
    assert torch.equal(torch.get_rng_state(), states[0]) and random.getstate() == states[1]
    assert np.array_equal(np.random.get_state()[1], states[2])
    assert {name: dict(counter) for name, counter in counters.items()} == known
    user(x)
    assert len(compiled_by_others) == count


def test_it_does_not_add_to_the_backend_reports() -> None:
    backend = tp.EagerBackend()
    tp.explain(torch.sin, (torch.randn(3),), backend)
    assert tp.reports(backend).graphs == []


def test_buffers_that_are_copied_are_told() -> None:
    cache = torch.zeros(3)

    def program(x: torch.Tensor) -> torch.Tensor:
        cache.add_(x)
        return cache * 2

    found = tp.explain(program, (torch.ones(3),), tp.EagerBackend())
    data = check_schema(found.to_dict())
    assert data["bytes_copied"] == sum(c["bytes"] for g in data["graphs"] for c in g["copies"])
    assert data["graphs"][0]["in_place"] + len(data["graphs"][0]["copies"]) >= 1
    assert torch.equal(cache, torch.zeros(3))


def test_reports_of_nothing_are_no_success() -> None:
    reports = tp.reports(tp.EagerBackend())
    assert math.isnan(reports.claimed_share) and str(reports) == "nothing was compiled"


def test_reports_of_a_composed_backend_are_its_own() -> None:
    both = tp.compose(Some(), tp.EagerBackend())
    torch.compile(lambda x: (x * 2).sin(), backend=both)(torch.randn(3))
    assert tp.reports(both).claimed_share == 1.0 and len(tp.reports(both).graphs[0].regions) == 2
    assert "2 claimed in 2 regions, 0 left" in str(tp.reports(both))
