"""A training step that is compiled whole: Dynamo leaves the compilation and the run of the backward alone."""

from __future__ import annotations

import torch

import torchport as tp


def test_a_whole_training_step_with_a_compiled_optimizer() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 4)
        x = torch.randn(2, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = {name: p.detach().clone() for name, p in model.named_parameters()}

    def step(x: torch.Tensor) -> None:
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    backend = tp.EagerBackend()
    torch.compile(step, backend=backend)(x)
    assert [g.phase for g in tp.reports(backend).graphs[:2]] == ["forward", "backward"]
    loss = torch.nn.functional.linear(x, *(p.requires_grad_() for p in first.values())).square().mean()
    gradients = torch.autograd.grad(loss, list(first.values()))
    for (name, parameter), gradient in zip(model.named_parameters(), gradients, strict=True):
        torch.testing.assert_close(parameter, first[name] - 0.1 * gradient)
