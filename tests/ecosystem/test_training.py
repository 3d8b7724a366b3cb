"""Training as users write it: optimizers, accumulation, checkpointing, mixed precision, hooks."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

import torchport as tp


def close(first: nn.Module, second: nn.Module, *, grads: bool = True) -> None:
    for p, q in zip(first.parameters(), second.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-5, atol=1e-6)
        if grads and q.grad is not None:
            torch.testing.assert_close(p.grad, q.grad, rtol=1e-4, atol=1e-5)


OPTIMIZERS: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "sgd momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01),
    "adamw foreach": lambda p: torch.optim.AdamW(p, lr=0.01, foreach=True),
    "adamw fused": lambda p: torch.optim.AdamW(p, lr=0.01, fused=True),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_compiled_optimizer_steps(
    interpreter: tp.EagerBackend, network: Any, rows: Tensor, name: str
) -> None:
    twin = copy.deepcopy(network)
    ours, eager = (OPTIMIZERS[name](m.parameters()) for m in (network, twin))
    step = torch.compile(ours.step, backend=interpreter)
    for _ in range(2):
        for model, optimizer, advance in ((network, ours, step), (twin, eager, eager.step)):
            optimizer.zero_grad()
            model(rows).pow(2).mean().backward()
            advance()
    close(network, twin)
    for p, q in zip(network.parameters(), twin.parameters(), strict=True):
        assert ours.state[p].keys() == eager.state[q].keys()


def test_compiled_optimizer_step_in_cpp(openmp: Any, network: Any, rows: Tensor) -> None:
    twin = copy.deepcopy(network)
    ours, eager = (torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9) for m in (network, twin))
    step = torch.compile(ours.step, backend=openmp)
    for _ in range(2):
        for model, optimizer, advance in ((network, ours, step), (twin, eager, eager.step)):
            optimizer.zero_grad()
            model(rows).pow(2).mean().backward()
            advance()
    close(network, twin)


def test_gradients_accumulate(openmp: Any, network: Any, rows: Tensor) -> None:
    twin, compiled = copy.deepcopy(network), torch.compile(network, backend=openmp)
    for scale in (1.0, 2.0, 3.0):
        (compiled(rows * scale).pow(2).mean() / 3).backward()
        (twin(rows * scale).pow(2).mean() / 3).backward()
    close(network, twin)


def test_a_backward_runs_as_often_as_it_is_asked(openmp: Any, network: Any, rows: Tensor) -> None:
    twin, compiled = copy.deepcopy(network), torch.compile(network, backend=openmp)
    for model, run in ((network, compiled), (twin, twin)):
        loss = run(rows).pow(2).mean()
        loss.backward(retain_graph=True)
        loss.backward(retain_graph=True)
        first, *_ = torch.autograd.grad(loss, list(model.parameters()))
        torch.testing.assert_close(first * 2, next(model.parameters()).grad)
    close(network, twin)


def test_double_backward_is_refused_by_autograd(interpreter: tp.EagerBackend) -> None:
    """A limit of AOTAutograd, which ``aot_eager`` has too; Dynamo alone hands eager's graph on."""
    x = torch.randn(4, requires_grad=True)
    for backend in (interpreter, "aot_eager"):
        torch._dynamo.reset()
        out = torch.compile(lambda x: (x.sin() * x).sum(), backend=backend)(x)
        (gradient,) = torch.autograd.grad(out, x, create_graph=True)
        with pytest.raises(RuntimeError, match="torch.compile with aot_autograd does not currently support"):
            gradient.sum().backward()


@pytest.mark.parametrize("reentrant", [False, True], ids=["saved tensors", "reentrant"])
def test_checkpointing(interpreter: tp.EagerBackend, network: Any, rows: Tensor, reentrant: bool) -> None:
    def run(model: Any, x: Tensor) -> Tensor:
        hidden = checkpoint(lambda x: model.norm(model.up(x).tanh()), x, use_reentrant=reentrant)
        return model.down(hidden)

    twin, compiled = copy.deepcopy(network), torch.compile(run, backend=interpreter)
    rows.requires_grad_()
    compiled(network, rows).pow(2).mean().backward()
    ours, rows.grad = rows.grad, None
    run(twin, rows).pow(2).mean().backward()
    torch.testing.assert_close(ours, rows.grad)
    close(network, twin)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_mixed_precision_with_scaled_loss(
    interpreter: tp.EagerBackend, network: Any, rows: Tensor, dtype: torch.dtype
) -> None:
    twin, compiled = copy.deepcopy(network), torch.compile(network, backend=interpreter)
    for model, run in ((network, compiled), (twin, twin)):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
        with torch.autocast("cpu", dtype=dtype):
            out = run(rows)
            assert out.dtype == dtype
            loss = out.float().pow(2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    for p, q in zip(network.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=2e-2, atol=2e-3)


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf:UserWarning")
def test_hooks(interpreter: tp.EagerBackend, network: Any, rows: Tensor) -> None:
    def attach(model: Any, seen: list[tuple[str, Tensor]]) -> None:
        def note(name: str) -> Callable[..., None]:
            return lambda *args: seen.append((name, args[-1][0].detach().clone()))

        model.up.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
        model.norm.register_forward_hook(lambda m, args, out: out + 1)
        model.norm.register_full_backward_hook(note("norm"))
        model.down.register_full_backward_pre_hook(note("down"))
        model.up.weight.register_hook(lambda g: g * 3)
        model.down.bias.register_post_accumulate_grad_hook(lambda p: seen.append(("bias", p.grad.clone())))

    twin = copy.deepcopy(network)
    ours: list[tuple[str, Tensor]] = []
    eager: list[tuple[str, Tensor]] = []
    attach(network, ours)
    attach(twin, eager)
    compiled = torch.compile(network, backend=interpreter)
    compiled(rows).pow(2).mean().backward()
    twin(rows).pow(2).mean().backward()
    close(network, twin)
    assert sorted(name for name, _ in ours) == sorted(name for name, _ in eager)
    for name, gradient in eager:
        torch.testing.assert_close(dict(ours)[name], gradient)


def test_hooks_on_tensors(openmp: Any) -> None:
    def f(x: Tensor) -> Tensor:
        return (x * 2).sin() * 3

    seen: list[Tensor] = []
    x = torch.arange(4.0, requires_grad=True)
    x.register_hook(lambda g: seen.append(g) or g * 10)
    out = torch.compile(f, backend=openmp)(x)
    out.register_hook(lambda g: g + 1)
    out.sum().backward()
    torch.testing.assert_close(seen[0], 2 * 6 * (2 * x.detach()).cos())
    torch.testing.assert_close(x.grad, seen[0] * 10)
