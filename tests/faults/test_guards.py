"""State that a compiled object depends on: closures, globals, attributes, modes.

One thing changes for each call, then it changes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchport as tp


def by_eager_dynamo(check: Callable[[Any], bool]) -> bool:
    """Whether Dynamo in front of eager PyTorch is right: what it gets wrong by itself no backend can know."""
    torch._dynamo.reset()
    try:
        return check("eager")
    finally:
        torch._dynamo.reset()


def helper(x: Tensor) -> Tensor:
    return x.sin()


class Settings:
    factor = 2.0


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((3,), 2.0))
        self.register_buffer("shift", torch.ones(3))
        self.scale, self.names, self.drop = 3.0, {"a": 1.0}, nn.Dropout(1.0)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(x * self.weight * self.scale) + self.shift + self.names["a"]


def changes(model: Scaled) -> Iterator[Callable[[], Any]]:
    """Things that a program depends on; each is changed, then changed back."""
    yield lambda: setattr(model, "scale", 5.0)
    yield lambda: setattr(model, "scale", 3.0)
    yield lambda: model.names.update(a=7.0)
    yield lambda: model.names.update(a=1.0)
    yield lambda: setattr(model, "shift", torch.full((3,), 9.0))
    yield lambda: model.load_state_dict({"weight": torch.arange(3.0), "shift": torch.zeros(3)})
    yield lambda: setattr(model, "weight", nn.Parameter(torch.full((3,), 4.0)))
    yield lambda: model.weight.data.mul_(2)
    yield model.eval
    yield model.train
    yield lambda: model.weight.requires_grad_(False)
    yield lambda: model.weight.requires_grad_(True)
    yield lambda: setattr(model, "drop", nn.Identity())


def test_attributes_of_a_module(interpreter: tp.EagerBackend) -> None:
    model, x = Scaled(), torch.arange(3.0)
    with torch._dynamo.config.patch(recompile_limit=32):
        compiled = torch.compile(model, backend=interpreter)
        for change in changes(model):
            change()
            ours, eager = compiled(x), model(x)
            assert torch.equal(ours, eager)
            assert ours.requires_grad == eager.requires_grad


def test_attributes_in_cpp(openmp: Any) -> None:
    model, x = Scaled(), torch.arange(3.0)
    compiled = torch.compile(model.eval(), backend=openmp)
    for scale in (3.0, 5.0, 3.0):
        model.scale = scale
        assert torch.equal(compiled(x), x * 2 * scale + 2)


def test_rebound_global(openmp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, x = torch.compile(lambda x: helper(x) + 1, backend=openmp), torch.arange(3.0)
    torch.testing.assert_close(compiled(x), x.sin() + 1)
    monkeypatch.setitem(globals(), "helper", lambda x: x.cos())
    torch.testing.assert_close(compiled(x), x.cos() + 1)


def test_class_attribute(interpreter: tp.EagerBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(backend: Any) -> bool:
        compiled, x = torch.compile(lambda x: x * Settings.factor, backend=backend), torch.arange(3.0)
        right = torch.equal(compiled(x), x * 2)
        with monkeypatch.context() as patch:
            patch.setattr(Settings, "factor", 10.0)
            return right and torch.equal(compiled(x), x * 10)

    assert check(interpreter) == by_eager_dynamo(check)


def closure(op: Any) -> Callable[..., Tensor]:
    return lambda x, y: op(x, y)


@pytest.mark.parametrize(
    "ops",
    [(torch.add, torch.mul), (Tensor.__add__, Tensor.__mul__), (2.0, 3.0), (torch.ones(1), torch.zeros(1))],
    ids=["functions", "methods", "numbers", "tensors"],
)
def test_closures_of_one_code(openmp: Any, ops: tuple[Any, Any]) -> None:
    x, y = torch.tensor(6.0), torch.tensor(3.0)

    def check(backend: Any) -> bool:
        programs = [closure(op if callable(op) else lambda x, y, op=op: x * op + y) for op in ops]
        return all(torch.equal(torch.compile(f, backend=backend)(x, y), f(x, y)) for f in programs)

    right = by_eager_dynamo(check)
    assert check(openmp) == right
    assert right or ops[0] is Tensor.__add__, "only captured methods of tensors are known to be unguarded"


def test_modes_and_dtypes(interpreter: tp.EagerBackend) -> None:
    def f(x: Tensor) -> tuple[Tensor, bool]:
        return x @ x + 1, torch.is_grad_enabled()

    compiled = torch.compile(f, backend=interpreter)
    x = torch.randn(3, 3, requires_grad=True)

    def same() -> None:
        (ours, flag), (eager, wanted) = compiled(x), f(x)
        assert torch.equal(ours, eager) and ours.dtype == eager.dtype and flag == wanted
        assert (ours.requires_grad, ours.is_inference()) == (eager.requires_grad, eager.is_inference())

    same()
    for context in (torch.no_grad(), torch.inference_mode(), torch.enable_grad()):
        with context:
            same()
    for dtype in (torch.bfloat16, torch.float16, torch.bfloat16):
        with torch.autocast("cpu", dtype=dtype):
            same()
    x = x.detach().double()
    same()
    x = x.t()
    same()
    x = torch.randn(5, 5)
    same()


@pytest.mark.parametrize("change", ["stride", "offset", "requires_grad", "dtype", "rank", "subclass"])
def test_inputs_that_change(openmp: Any, change: str) -> None:
    compiled = torch.compile(lambda x: x * 2 + 1, backend=openmp, dynamic=False)
    first = torch.arange(16.0).view(4, 4)
    other = {
        "stride": lambda: first.t(),
        "offset": lambda: torch.arange(17.0)[1:].view(4, 4),
        "requires_grad": lambda: first.clone().requires_grad_(),
        "dtype": lambda: first.double(),
        "rank": lambda: first.view(16),
        "subclass": lambda: nn.Parameter(first.clone()),
    }[change]()
    for x in (first, other, first):
        ours = compiled(x)
        assert torch.equal(ours, x * 2 + 1)
        assert (ours.dtype, ours.requires_grad, ours.stride()) == (x.dtype, x.requires_grad, x.stride())
