"""Higher-order operators and custom operators: inlined, or left whole to PyTorch with a reason, as the
contract's table says; values and gradients are those of PyTorch alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._higher_order_ops import associative_scan, scan, while_loop
from torch._higher_order_ops.map import map as map_over
from torch.nn.attention.flex_attention import flex_attention
from torch.utils.checkpoint import checkpoint

import torchport as tp
from torchport.contract.higher_order import ROWS, Treatment


def t(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape)))


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return 3 * grad * ctx.saved_tensors[0]  # not the derivative, so that its use shows


nested = torch.compiler.nested_compile_region(lambda x: x.sin() @ x.t())


@torch.library.custom_op("torchport_test::add_one_", mutates_args={"x"})
def add_one_(x: Tensor) -> None:
    x.add_(1)


@add_one_.register_fake
def _(x: Tensor) -> None:
    return None


def _column_major(x: Tensor, scale: float) -> Tensor:
    return (x * scale).t().contiguous().t()


scaled = torch.library.custom_op("torchport_test::scaled", _column_major, mutates_args=())
scaled.register_fake(lambda x, scale: torch.empty_strided(x.shape, (1, x.shape[0])))
scaled.register_autograd(
    lambda ctx, grad: (grad * ctx.scale, None),
    setup_context=lambda ctx, inputs, output: setattr(ctx, "scale", inputs[1]),
)


def cond(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() * 2, (x,))


def loop(x: Tensor) -> Tensor:
    body = lambda i, x: (i + 1, x.sin() + 1)  # noqa: E731
    return while_loop(lambda i, x: i < 3, body, (torch.tensor(0), x))[1]


def mutating(x: Tensor) -> Tensor:
    y = x.clone()
    add_one_(y)
    return y * 2


PROGRAMS: dict[str, tuple[Callable[..., Any], list[Tensor], str]] = {
    "checkpoint": (
        lambda x, w: checkpoint(lambda x, w: torch.relu(x @ w).sin(), x, w, use_reentrant=False),
        [t(4, 5), t(5, 6)],
        "",
    ),
    "autograd.Function": (lambda x: Squared.apply(x * 2) + 1, [t(4)], ""),
    "cond": (cond, [t(4)], "cond"),
    "scan": (lambda x: scan(lambda c, y: (c * 0.5 + y, c * y), x[0] * 1.0, x)[1], [t(5, 4)], "scan"),
    "associative_scan": (
        lambda x: associative_scan(lambda a, b: a * b, x, 0, combine_mode="generic"),
        [t(5, 4)],
        "",
    ),
    "map": (lambda x, y: map_over(lambda x, y: x.sin() * y, x, y), [t(5, 4), t(4)], "map_impl"),
    "while_loop": (loop, [t(4)], "while_loop"),
    "flex_attention": (
        lambda q: flex_attention(q, q, q, score_mod=lambda s, b, h, i, j: s * 0.5),
        [t(1, 2, 16, 8)],
        "flex_attention",
    ),
    "invoke_subgraph": (lambda x: nested(x) + nested(x + 1), [t(4, 4)], "invoke_subgraph"),
    "mutating operator": (mutating, [t(4)], "auto_functionalized_v2"),
    "custom operator": (lambda x: scaled(x * 1.5, 2.0).sin(), [t(3, 4)], "torchport_test.scaled.default"),
}
INFERENCE_ONLY = ("while_loop", "flex_attention", "invoke_subgraph")
"""Those that PyTorch's own backend "eager" does not differentiate on CPUs, or whose gradient is trivial."""


@pytest.fixture(autouse=True)
def _reset() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def results(fn: Any, tensors: list[Tensor], train: bool) -> list[Tensor]:
    given = [x.clone().requires_grad_(train) for x in tensors]
    torch.manual_seed(0)
    with torch.set_grad_enabled(train):
        out = fn(*given)
    return [out.detach(), *(torch.autograd.grad(out.sum(), given) if train else ())]


@pytest.mark.parametrize(
    ("name", "train"),
    [(n, train) for n in PROGRAMS for train in (False, True) if not train or n not in INFERENCE_ONLY],
)
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # by Dynamo
def test_values_and_gradients_are_those_of_pytorch(name: str, train: bool) -> None:
    fn, tensors, left = PROGRAMS[name]
    tp.reports("torchport_openmp").clear()
    ours = results(torch.compile(fn, backend="torchport_openmp"), tensors, train)
    reports = tp.reports("torchport_openmp")
    found = {r.op.removeprefix("higher_order.") for r in reports.rejections}
    assert reports.graphs
    assert left in found if left else not found
    if left in ROWS:
        assert ROWS[left].treatment is not Treatment.INLINED
    torch._dynamo.reset()
    theirs = results(torch.compile(fn, backend="eager"), tensors, train)
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)
        assert a.stride() == b.stride()


def test_a_checkpoint_draws_the_same_numbers_again() -> None:
    """PyTorch's partitioner adds the random operators of a recomputation without metadata."""

    def program(x: Tensor, w: Tensor) -> Any:
        body = lambda x, w: F.dropout(torch.relu(x @ w), 0.5)  # noqa: E731
        return checkpoint(body, x, w, use_reentrant=False)

    F = torch.nn.functional
    x, w = torch.rand(8, 5).requires_grad_(), torch.rand(5, 6).requires_grad_()
    result = torch.compile(program, backend="torchport_openmp")(x, w)
    kept = (result != 0).float() * 2
    gx, gw = torch.autograd.grad(result.sum(), (x, w))
    torch.testing.assert_close(gw, x.detach().T @ kept)
    torch.testing.assert_close(gx, kept @ w.detach().T)


def test_higher_order_and_custom_operators_may_be_claimed() -> None:
    claimed = ("higher_order.cond", "torchport_test.scaled.default")

    class Claiming(tp.EagerBackend):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            return tp.yes() if node.op in claimed else super().claims(node, target)

    backend = Claiming()
    program = lambda x: cond(scaled(x, 2.0))  # noqa: E731
    x = t(3, 4)
    torch.testing.assert_close(torch.compile(program, backend=backend)(x), program(x))
    ops = {op for g in tp.reports(backend).graphs for r in g.regions for op in r.ops}
    assert set(claimed) <= ops
