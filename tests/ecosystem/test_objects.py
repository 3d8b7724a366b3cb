"""Compiled modules as objects: state, copies, modes, methods, threads, function transforms, switches."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, jacrev, jvp, vmap

import torchport as tp


def test_state_and_copies(openmp: Any, network: Any, rows: Tensor) -> None:
    compiled = torch.compile(network, backend=openmp)
    first = compiled(rows)
    saved = copy.deepcopy(network.state_dict())
    copies = (copy.deepcopy(network), pickle.loads(pickle.dumps(network)))
    with torch.no_grad():
        for p in network.parameters():
            p.mul_(0.5)
    assert not torch.allclose(compiled(rows), first)
    torch.testing.assert_close(compiled(rows), network(rows))
    network.load_state_dict(saved)
    torch.testing.assert_close(compiled(rows), first)
    for twin in copies:
        torch.testing.assert_close(twin(rows), first)
        torch.testing.assert_close(torch.compile(twin, backend=openmp)(rows), first)
    assert set(compiled.state_dict()) == {f"_orig_mod.{name}" for name in saved}
    network.load_state_dict(saved, assign=True)
    torch.testing.assert_close(compiled(rows), first)


def test_train_and_eval(interpreter: tp.EagerBackend) -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(1.0))
    twin = copy.deepcopy(model)
    compiled, x = torch.compile(model, backend=interpreter), torch.randn(6, 4)
    for training in (True, False, True, False):
        for module in (model, twin):
            module.train(training)
        torch.testing.assert_close(compiled(x), twin(x))
        for ours, eager in zip(model.buffers(), twin.buffers(), strict=True):
            torch.testing.assert_close(ours, eager)


def test_methods(openmp: Any) -> None:
    class Counter:
        def __init__(self) -> None:
            self.calls, self.total = 0, torch.zeros(3)

        @torch.compile(backend=openmp)
        def add(self, x: Tensor) -> Tensor:
            self.calls += 1
            self.total = self.total + x * 2
            return self.total

    counter, other = Counter(), Counter()
    for _ in range(2):
        counter.add(torch.ones(3))
    assert counter.calls == 2 and other.calls == 0
    assert torch.equal(counter.total, torch.full((3,), 4.0))
    assert torch.equal(other.add(torch.ones(3)), torch.full((3,), 2.0))


def test_threads_compile_and_run(openmp: Any) -> None:
    def f(x: Tensor, number: float) -> Tensor:
        return (x * number).sin() + number

    def work(number: int) -> bool:
        compiled = torch.compile(f, backend=openmp, dynamic=False)
        x = torch.arange(8.0) + number
        return all(torch.allclose(compiled(x, float(number % 2)), f(x, float(number % 2))) for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_one_compiled_object_in_many_threads(openmp: Any, network: Any, rows: Tensor) -> None:
    compiled = torch.compile(network, backend=openmp)
    wanted = network(rows)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: compiled(rows), range(32)))
    for result in results:
        torch.testing.assert_close(result, wanted)


def transforms(network: Any, rows: Tensor) -> tuple[Any, ...]:
    parameters = dict(network.named_parameters())

    def loss(parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        return functional_call(network, parameters, (x,)).pow(2).mean()

    per_row = vmap(grad(loss), in_dims=(None, 0))(parameters, rows)
    tangent = jvp(lambda x: network.up(x).tanh(), (rows,), (torch.ones_like(rows),))
    return per_row, tangent, jacrev(lambda x: network(x).sum(0))(rows)


def test_function_transforms_inside(interpreter: tp.EagerBackend, network: Any, rows: Tensor) -> None:
    ours = torch.compile(transforms, backend=interpreter)(network, rows)
    torch.testing.assert_close(ours, transforms(network, rows))


def test_function_transforms_outside(interpreter: tp.EagerBackend) -> None:
    """``torch.func`` over a compiled function: Dynamo compiles it with the transform as part of its state."""

    def f(x: Tensor) -> Tensor:
        return (x.sin() * 2).sum()

    compiled, x = torch.compile(f, backend=interpreter), torch.randn(3, 4)
    torch.testing.assert_close(vmap(compiled)(x), vmap(f)(x))
    torch.testing.assert_close(grad(compiled)(x), grad(f)(x))
    torch.testing.assert_close(compiled(x), f(x))


def test_gradient_switches(openmp: Any) -> None:
    def f(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        a = x * 2
        with torch.no_grad():
            b = x * 3
        with torch.inference_mode(False), torch.enable_grad():
            c = b + x
        return a, b, c

    x = torch.arange(3.0, requires_grad=True)
    ours, eager = torch.compile(f, backend=openmp)(x), f(x)
    assert [t.requires_grad for t in ours] == [t.requires_grad for t in eager] == [True, False, True]
    with torch.no_grad():
        ours, eager = torch.compile(f, backend=openmp)(x), f(x)
    assert [t.requires_grad for t in ours] == [t.requires_grad for t in eager]
    for mine, theirs in zip(ours, eager, strict=True):
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize("backend", [tp.EagerBackend(), "torchport_openmp"], ids=["interpreter", "cpp"])
def test_deterministic_algorithms(backend: Any) -> None:
    def f(x: Tensor, index: Tensor) -> Tensor:
        return torch.zeros(4).index_add(0, index, x).cumsum(0)

    x, index = torch.arange(6.0), torch.tensor([0, 1, 1, 3, 3, 3])
    torch.use_deterministic_algorithms(True)
    try:
        compiled = torch.compile(f, backend=backend)
        assert torch.equal(compiled(x, index), f(x, index))
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(compiled(x, index), f(x, index))
