"""The macro tier: what it holds, where its operators may occur, and that each gradient is the gradient."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

from torchport.capture.raising.formulas import patterns
from torchport.capture.raising.gradients import BACKWARD
from torchport.capture.raising.recurrent import STATES
from torchport.contract.fx_import import import_fx
from torchport.contract.opset import opset
from torchport.contract.spec import OpSpec, Tier
from torchport.errors import VerifierError

OPSET = opset("1.0")
MACROS = {name: spec for name, spec in OPSET.ops.items() if spec.tier is Tier.MACRO}
GRADIENTS = {backward.op for backward in BACKWARD.values()}


def test_about_twenty_five_and_the_gradients_of_some() -> None:
    assert 20 <= len(MACROS.keys() - GRADIENTS) <= 30
    assert MACROS.keys() >= GRADIENTS
    assert all(name.startswith("torchport.") and name.endswith(".default") for name in MACROS)
    assert not MACROS.keys() & OPSET.aten.keys()


def test_every_macro_is_found_in_programs() -> None:
    raised = {f"torchport.{p.macro}.default" for p in patterns()} | {f"torchport.{k}.default" for k in STATES}
    assert raised | GRADIENTS == MACROS.keys()


def test_labels_of_forms_are_unique_and_every_formula_is_of_the_language() -> None:
    labels = [p.label for p in patterns()]
    assert len(set(labels)) == len(labels)
    for pattern in patterns():
        names = {a.name for a in OPSET.ops[f"torchport.{pattern.macro}.default"].overload._schema.arguments}
        assert set(pattern.arguments) <= names, pattern.label
        assert pattern.tree is not None


def graph_of(fn: Any, *args: Tensor) -> Any:
    return import_fx(make_fx(fn, tracing_mode="fake")(*args)).graph


def softcap(x: Tensor) -> tuple[Tensor]:
    return (torch.ops.torchport.softcap.default(x, 30.0),)


@pytest.mark.parametrize("tier", ["aten", "prim"])
def test_a_macro_is_refused_below_its_tier(tier: str) -> None:
    graph = graph_of(softcap, torch.randn(3))
    OPSET.verify(graph, "macro")
    with pytest.raises(VerifierError) as error:
        OPSET.verify(graph, tier)
    assert error.value.label == "graph.tier"
    assert error.value.op == "torchport.softcap.default"


def test_constraints_of_a_macro_hold_in_graphs() -> None:
    graph = graph_of(lambda x: (torch.ops.torchport.softcap.default(x, -1.0),), torch.randn(3))
    (violation,) = OPSET.violations(graph).values()
    assert violation.label == "torchport.softcap.C1"


@pytest.mark.parametrize("name", BACKWARD)
def test_gradients_are_those_of_the_composite(name: str, draw: Any) -> None:
    """In float64, through the composite that the macro stands for, every differentiable argument."""
    spec, backward, tried = MACROS[name], BACKWARD[name], 0
    for arguments in draw(spec, "float64", limit=16, seed=4):
        inputs = dict(arguments)
        for place in backward.gradients:
            if inputs[place] is not None:
                inputs[place] = inputs[place].detach().requires_grad_()
        wanted = [p for p in backward.gradients if inputs[p] is not None]
        result = composite(spec, inputs)
        gradient = torch.randn(result.shape, dtype=result.dtype)
        exact = torch.autograd.grad(result, [inputs[p] for p in wanted], gradient)
        values = {**arguments, "grad_output": gradient}
        ours = MACROS[backward.op].overload(*(values[a] for a in backward.arguments))
        ours = dict(zip(backward.gradients, ours if isinstance(ours, tuple) else (ours,), strict=True))
        for place, truth in zip(wanted, exact, strict=True):
            torch.testing.assert_close(ours[place], truth, rtol=1e-9, atol=1e-9)
            tried += 1
    assert tried


def composite(spec: OpSpec, arguments: dict[str, Any]) -> Tensor:
    """The macro's own composite, which autograd sees through."""
    assert spec.decomposition is not None
    if spec.name == "torchport.cross_entropy.default":
        return F.cross_entropy(
            arguments["input"],
            arguments["target"],
            arguments["weight"],
            ignore_index=arguments["ignore_index"],
            reduction=("none", "mean", "sum")[arguments["reduction"]],
            label_smoothing=arguments["label_smoothing"],
        )
    result: Tensor = spec.decomposition(*arguments.values())
    return result


def test_rows_of_a_cache_are_written_at_their_positions() -> None:
    cache, update = torch.zeros(1, 2, 5, 3), torch.arange(12.0).view(1, 2, 2, 3)
    written = torch.ops.torchport.kv_cache_write(cache, torch.tensor([4, 1]), update, 2)
    assert torch.equal(written[:, :, 4], update[:, :, 0])
    assert torch.equal(written[:, :, 1], update[:, :, 1])
    assert torch.equal(written[:, :, [0, 2, 3]], cache[:, :, [0, 2, 3]])
    assert not cache.any()


def test_bags_may_be_rows_of_a_matrix() -> None:
    weight, indices = torch.randn(7, 3), torch.tensor([[1, 2, 6], [0, 0, 5]])
    for mean in (False, True):
        ours = MACROS["torchport.embedding_bag.default"].decomposition
        assert ours is not None
        rows = weight[indices]
        exact = rows.mean(1) if mean else rows.sum(1)
        torch.testing.assert_close(ours(weight, indices, None, None, mean), exact)
        torch.testing.assert_close(
            torch.ops.torchport.embedding_bag(weight, indices, None, None, mean), exact
        )


def test_experts_are_sorted_and_counted() -> None:
    logits = torch.tensor([[0.0, 3.0, 1.0], [2.0, 0.0, 1.0]])
    weights, experts, order, counts = torch.ops.torchport.expert_dispatch(logits, 2, True)
    assert experts.tolist() == [[1, 2], [0, 2]]
    torch.testing.assert_close(weights.sum(-1), torch.ones(2))
    assert experts.flatten()[order].tolist() == [0, 1, 2, 2]
    assert order.tolist() == [2, 0, 1, 3]
    assert counts.tolist() == [1, 1, 2]


def test_fully_masked_rows_are_zero_or_not_a_number_as_asked() -> None:
    q = torch.randn(1, 1, 2, 4)
    hidden = torch.tensor([[False, False], [True, True]])
    attention = MACROS["torchport.scaled_dot_product_attention.default"]
    assert attention.decomposition is not None
    for function in (attention.overload, attention.decomposition):
        zero = function(q, q, q, hidden, None, False, None, True)
        nan = function(q, q, q, hidden, None, False, None, False)
        assert (zero[0, 0, 0] == 0).all()
        assert nan[0, 0, 0].isnan().all()
        torch.testing.assert_close(zero[0, 0, 1], nan[0, 0, 1])


def test_shapes_do_not_specialise_symbolic_sizes() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    mode = FakeTensorMode(shape_env=ShapeEnv())
    x, w = mode.from_tensor(torch.randn(6, 4)), mode.from_tensor(torch.randn(3, 4))
    with mode:
        result = torch.ops.torchport.linear.default(x, w, None)
    assert str(result.shape[0]) == str(x.shape[0])
    assert str(result.shape[1]) == str(w.shape[0])
    assert not mode.shape_env.guards
