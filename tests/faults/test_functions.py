"""Custom operators and autograd functions: their layouts, and what they write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from fault_programs import Programs, judged, leaf, normal
from torch import Tensor

import torchport as tp

PROGRAMS = Programs()

# Dynamo instantiates autograd functions while it traces them.
pytestmark = pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")


@pytest.fixture(scope="module", autouse=True)
def operators() -> Iterator[None]:
    with torch.library._scoped_library("fault_programs", "FRAGMENT") as library:
        library.define("last_first(Tensor x) -> Tensor")
        library.define("add_into(Tensor(a!) x, Tensor y) -> ()")
        library.impl("last_first", last_first, "CPU")
        library.impl("last_first", last_first, "Meta")
        library.impl("add_into", _add, "CPU")
        library.impl("add_into", lambda x, y: None, "Meta")
        yield


def last_first(x: Tensor) -> Tensor:
    """A copy with its first dimension innermost in memory."""
    order = [*range(1, x.dim()), 0]
    out = torch.empty([x.shape[d] for d in order], dtype=x.dtype, device=x.device)
    out = out.permute(x.dim() - 1, *range(x.dim() - 1))
    return out if x.is_meta else out.copy_(x)


def _add(x: Tensor, y: Tensor) -> None:
    x.add_(y)


@PROGRAMS.add(lambda d: (normal(d, 2, 4, 3, 2), normal(d, 2, 4, 5, 3, 2)), fuses=1)
def permuted_result_of_a_custom_operator(x, y):
    z = torch.ops.fault_programs.last_first(x)
    return z.unsqueeze(2).expand(-1, -1, 5, -1, -1) + y, z.sum(0), z


@PROGRAMS.add(lambda d: (normal(d, 3, 4), normal(d, 3, 4)), lambda d: (normal(d, 4, 3).t(), normal(d, 3, 4)))
def custom_operator_writes(x, y):
    z = x * 2
    torch.ops.fault_programs.add_into(z, y)
    torch.ops.fault_programs.add_into(x, z)
    return z, x + 1


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: Tensor) -> Tensor:
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        x, factor = ctx.saved_tensors
        return grads[0] * factor + x, None


@PROGRAMS.add(lambda d: (leaf(d, 8), normal(d, 8)), fuses=1)
def autograd_function(x, factor):
    return Scale.apply(x * 2, factor), factor + 1


class Counted(torch.autograd.Function):
    """Its backward writes a tensor that was saved for it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, offsets: Tensor) -> Tensor:
        ctx.save_for_backward(offsets)
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        (offsets,) = ctx.saved_tensors
        offsets.add_(grads[0])
        return grads[0] * 2, None


@PROGRAMS.add(lambda d: (leaf(d, 8), torch.zeros(8, dtype=d)), fuses=1)
def backward_writes_what_was_saved_and_returned(x, offsets):
    offsets = offsets.clone()
    return Counted.apply(x, offsets), offsets


@PROGRAMS.add(lambda d: (leaf(d, 8), torch.zeros(8, dtype=d)))
def backward_writes_an_input(x, offsets):
    return Counted.apply(x, offsets), offsets


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_eager(interpreter: tp.EagerBackend, name: str) -> None:
    assert judged(PROGRAMS[name], interpreter) == []


def test_what_the_backward_writes_is_seen(interpreter: tp.EagerBackend) -> None:
    x, offsets = torch.ones(4, requires_grad=True), torch.zeros(4)
    out, returned = torch.compile(backward_writes_what_was_saved_and_returned, backend=interpreter)(
        x, offsets
    )
    out.sum().backward()
    assert torch.equal(returned.detach(), torch.ones(4)) and torch.equal(offsets, torch.zeros(4))
    (reason,) = tp.reports(interpreter).reasons
    assert reason == tp.Reason.ALIASING


@pytest.mark.parametrize("name", PROGRAMS.fused)
def test_as_eager_in_cpp(openmp: Any, name: str) -> None:
    program = PROGRAMS[name]
    assert judged(program, openmp, cases=program.fuses) == []
