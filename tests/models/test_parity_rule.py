"""The parity rule itself: what it lets through, what it catches, and what its bound is."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from torchport.contract.roundoff import gamma
from torchport_conformance.models import Architecture, architecture, architectures
from torchport_conformance.models.architecture import ModelError, inputs_of
from torchport_conformance.parity import StepParity, TensorParity, inference_parity, training_parity

ROWS, WIDTH, CLASSES = 6, 5, 3


Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def small(loss: Loss = functional.cross_entropy) -> Architecture:
    """A model with a running mean, small enough to be trained in a millisecond."""

    def build() -> nn.Module:
        return nn.Sequential(nn.Linear(WIDTH, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, CLASSES))

    def batch(generator: torch.Generator) -> dict[str, torch.Tensor]:
        labels = torch.randint(CLASSES, (ROWS,), generator=generator)
        return {"input": torch.randn(ROWS, WIDTH, generator=generator), "labels": labels}

    def optimizer(parameters: object) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, lr=0.1)

    return Architecture("small", build, batch, lambda output: output, loss, optimizer)


def judged(compile: Callable[[nn.Module], Callable[..., torch.Tensor]]) -> set[str]:
    """Names of the tensors of any step that break the rule."""
    result = training_parity(small(), compile, check_at=(1, 3))
    return {tensor.name for step in result.steps for tensor in step.wrong}


def test_eager_is_right_and_every_tensor_is_judged() -> None:
    result = training_parity(small(), lambda model: model, check_at=(1, 3))
    assert result.wrong == ()
    assert [step.step for step in result.steps] == [1, 3]
    gradients = {f"grad of {n}" for n, _ in small().model().named_parameters()}
    buffers = {f"buffer {n}" for n, _ in small().model().named_buffers()}
    for step in result.steps:
        assert {t.name for t in step.tensors} == {"loss"} | gradients | buffers
        assert all(t.ours == t.eager for t in step.tensors)
    assert result.losses == result.eager_losses


def test_the_bound_is_the_contracts() -> None:
    (step,) = training_parity(small(), lambda model: model, check_at=(1,)).steps
    model = small().model().double().train()
    batch = small().batches(4)[0]
    model(input=batch["input"].double(), labels=batch["labels"]).backward()
    layer = model.model[0]
    scale = max(layer.weight.grad.abs().max().item(), layer.bias.grad.abs().max().item())
    (bias,) = (t for t in step.tensors if t.name == "grad of model.0.bias")
    # six rows, three modules with parameters, float32
    assert bias.bound == pytest.approx(gamma(6 + 3, 2.0**-24) * scale, rel=1e-12)


def scaled_gradient(model: nn.Module) -> Callable[..., torch.Tensor]:
    model.model[3].weight.register_hook(lambda grad: grad * (1 + 2e-5))
    return model


def stale_weights(model: nn.Module) -> Callable[..., torch.Tensor]:
    frozen = copy.deepcopy(model)
    return lambda **batch: frozen(**batch) + 0.0 * model(**batch)


def no_running_mean(model: nn.Module) -> Callable[..., torch.Tensor]:
    model.model[1].track_running_stats = False
    return model


def half_precision(model: nn.Module) -> Callable[..., torch.Tensor]:
    def run(**batch: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return model(**batch).float()

    return run


def not_a_number(model: nn.Module) -> Callable[..., torch.Tensor]:
    model.model[0].bias.register_hook(lambda grad: grad * math.nan)
    return model


def missing_gradient(model: nn.Module) -> Callable[..., torch.Tensor]:
    def run(**batch: torch.Tensor) -> torch.Tensor:
        hidden = model.model[:3](batch["input"])
        logits = functional.linear(hidden, model.model[3].weight, model.model[3].bias.detach())
        return functional.cross_entropy(logits, batch["labels"])

    return run


@pytest.mark.parametrize(
    ("fault", "caught"),
    [
        (scaled_gradient, {"grad of model.3.weight"}),
        (not_a_number, {"grad of model.0.bias"}),
        (missing_gradient, {"grad of model.3.bias"}),
        (
            no_running_mean,
            {
                "buffer model.1.running_mean",
                "buffer model.1.running_var",
                "buffer model.1.num_batches_tracked",
            },
        ),
    ],
)
def test_a_fault_is_caught_where_it_is(
    fault: Callable[[nn.Module], Callable[..., torch.Tensor]], caught: set[str]
) -> None:
    assert judged(fault) == caught


@pytest.mark.parametrize("fault", [stale_weights, half_precision])
def test_a_fault_of_the_whole_model_is_caught(
    fault: Callable[[nn.Module], Callable[..., torch.Tensor]],
) -> None:
    found = judged(fault)
    assert "loss" in found
    assert "grad of model.0.weight" in found


def test_a_loss_that_does_not_fall_is_wrong() -> None:
    def ascent(parameters: object) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, lr=0.1, maximize=True)

    rising = dataclasses.replace(small(), optimizer=ascent)
    (line,) = training_parity(rising, lambda model: model, check_at=(1, 5)).wrong
    assert line.startswith("the loss did not fall")


def test_a_wrong_output_is_caught_in_inference() -> None:
    batch = small().batches(1)[0]
    right = inference_parity(small(), lambda model: model, batch=batch)
    wrong = inference_parity(small(), lambda m: lambda **inputs: m(**inputs) * (1 + 1e-5), batch=batch)
    assert not right.wrong
    assert [t.name for t in wrong.wrong] == ["output"]


def test_a_loss_that_casts_is_refused() -> None:
    def casting(output: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(output.float(), labels)

    with pytest.raises(ModelError, match="float64 run gave torch.float32"):
        training_parity(small(casting), lambda model: model, check_at=(1,))


def test_ratios_without_an_allowance() -> None:
    exact = TensorParity("a", ours=0.0, eager=0.0, bound=0.0)
    wrong = TensorParity("b", ours=1.0, eager=0.0, bound=0.0)
    nothing = TensorParity("c", ours=math.nan, eager=0.0, bound=1.0)
    assert (exact.right, exact.ratio) == (True, 0.0)
    assert (wrong.right, wrong.ratio) == (False, math.inf)
    assert not nothing.right
    assert StepParity(1, (exact, nothing)).worst is nothing


def test_models_are_found_by_name_and_keep_the_generator() -> None:
    assert {"bert", "gpt2", "resnet"} <= architectures().keys()
    with pytest.raises(ModelError, match="known models: bert, gpt2, resnet"):
        architecture("gtp2")
    before = torch.random.get_rng_state()
    first, second = (small().model(seed=3).state_dict() for _ in range(2))
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(torch.equal(first[k], second[k]) for k in first)


class OnlyFloat64(TorchDispatchMode):
    """Fails when an operator gives a floating-point tensor of another dtype."""

    def __torch_dispatch__(
        self, func: object, types: object, args: tuple = (), kwargs: dict | None = None
    ) -> object:
        result = func(*args, **(kwargs or {}))
        for tensor in torch.utils._pytree.tree_leaves(result):
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                assert tensor.dtype is torch.float64, f"{func} gave {tensor.dtype}"
        return result


@pytest.mark.parametrize("name", ["bert", "gpt2", "resnet"])
def test_the_reference_is_float64_throughout(name: str) -> None:
    chosen = architecture(name)
    model = chosen.model().double().train()
    batch = {k: t.double() if t.is_floating_point() else t for k, t in chosen.batches(1)[0].items()}
    with OnlyFloat64():
        model(**batch).backward()
        model.eval()(**inputs_of(batch))
