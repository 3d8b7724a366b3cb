"""What ends up in one kernel, what is stored, and in which order steps run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.contract.fx_import import import_fx
from torchport.contract.graph import Graph, Node
from torchport.loops.expand import Space
from torchport.loops.fusion import Fused, Kernel, fuse, joined
from torchport.loops.index import const
from torchport.loops.schedule import schedule


def graph_of(fn: Callable[..., Any], *args: torch.Tensor, mode: str = "fake") -> Graph:
    return import_fx(make_fx(fn, tracing_mode=mode)(*args)).graph


def fused(fn: Callable[..., Any], *args: torch.Tensor, mode: str = "fake") -> Fused:
    graph = graph_of(fn, *args, mode=mode)
    return fuse(graph, graph.output_values)


def kernels(result: Fused) -> list[Kernel]:
    return [s for s in result.steps if isinstance(s, Kernel)]


def softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


def softmax_backward(dy: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor]:
    return (y * (dy - (dy * y).sum(-1, keepdim=True)),)


def layer_norm(x: torch.Tensor, g: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    mean = x.mean(-1, keepdim=True)
    rstd = (((x - mean) ** 2).mean(-1, keepdim=True) + 1e-5).rsqrt()
    return (x - mean) * rstd * g + b, mean, rstd


def layer_norm_backward(
    dy: torch.Tensor, x: torch.Tensor, g: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    hat, t = (x - mean) * rstd, dy * g
    dx = rstd * (t - t.mean(-1, keepdim=True) - hat * (t * hat).mean(-1, keepdim=True))
    return dx, (dy * hat).sum(0), dy.sum(0)


A, ROW = torch.randn(6, 48), torch.randn(48)
COLUMN = torch.rand(6, 1) + 0.5
ONE_KERNEL: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...], int]] = {
    "softmax": (lambda x: (softmax(x),), (A,), 3),
    "softmax over rows": (lambda x: (softmax(x, 0),), (A,), 3),
    "softmax backward": (softmax_backward, (A, A.softmax(-1)), 2),
    "layer norm": (layer_norm, (A, ROW, ROW), 3),
    "layer norm backward": (layer_norm_backward, (A, A, ROW, COLUMN, COLUMN), 2),
    "chain": (lambda x: (torch.sigmoid(softmax(x).tanh() * 2),), (A,), 3),
    "views between": (lambda x: (softmax(x.view(6, 4, 12)).view(6, 48) + 1,), (A,), 3),
    "two outputs": (lambda x: (x.exp() + 1, x.exp() * 2), (A,), 1),
    "log softmax": (lambda x: (x - x.amax(-1, keepdim=True) - x.exp().sum(-1, keepdim=True).log(),), (A,), 2),
}


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
@pytest.mark.parametrize("name", ONE_KERNEL)
def test_becomes_one_kernel(name: str, mode: str) -> None:
    if name == "views between" and mode == "symbolic":
        pytest.skip("a view to constants makes the sizes static")
    fn, args, passes = ONE_KERNEL[name]
    result = fused(fn, *args, mode=mode)
    (kernel,) = kernels(result)
    assert len(result.steps) == 1
    assert len(schedule(kernel, result.program.hints).passes) == passes


def test_the_exponential_of_a_softmax_is_computed_once() -> None:
    result = fused(lambda x: (softmax(x),), A)
    passes = schedule(kernels(result)[0], result.program.hints).passes
    assert [[e.op for e in p.keeps] for p in passes] == [[], ["exp"], []]


def test_a_product_separates_kernels_and_order_is_kept() -> None:
    result = fused(lambda x, w: (softmax((x.exp() * 2 + 1) @ w) + 1,), A, torch.randn(48, 48))
    kinds = [s.op if isinstance(s, Node) else "kernel" for s in result.steps]
    assert kinds == ["kernel", "aten.mm.default", "kernel"]


def test_a_path_through_an_outside_node_forbids_fusion() -> None:
    def fn(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor]:
        y = x.exp()
        return (y.mm(w) + y.sin() * y,)

    kinds = [
        s.op if isinstance(s, Node) else "kernel"
        for s in fused(fn, torch.randn(8, 8), torch.randn(8, 8)).steps
    ]
    assert kinds == ["kernel", "aten.mm.default", "kernel"]


def test_cheap_masks_are_computed_where_they_are_used() -> None:
    def fn(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor]:
        mask = torch.arange(48)[:, None] >= torch.arange(48)[None]
        first = torch.where(mask, x, -1.0).mm(w)
        return (torch.where(mask, first, 0.0),)

    result = fused(fn, torch.randn(48, 48), torch.randn(48, 48))
    assert [[v.name for v in k.reads] for k in kernels(result)] == [["x_1"], ["mm"]]


def test_a_row_whose_length_is_a_sum_is_recognised() -> None:
    def fn(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = x[:, :, ::4][:, :, 1:].exp().unsqueeze(1)
        return rows.sum(-1), rows * rows.sum(-1, keepdim=True)

    (kernel,) = kernels(fused(fn, torch.randn(3, 8, 22), mode="symbolic"))
    assert [d.reduced for d in kernel.space.dims][-1]


@pytest.mark.parametrize(("layout", "form"), [("nchw", "rows"), ("nhwc", "columns")])
def test_statistics_of_channels_follow_the_layout_of_the_data(layout: str, form: str) -> None:
    def fn(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        dims = (0, 2, 3) if layout == "nchw" else (0, 1, 2)
        mean, square = x.mean(dims), (x * x).mean(dims)
        return mean, square, (square - mean * mean).rsqrt()

    shape = (2, 16, 8, 8) if layout == "nchw" else (2, 8, 8, 16)
    result = fused(fn, torch.randn(shape))
    (kernel,) = kernels(result)
    assert schedule(kernel, result.program.hints).form == form


def test_unused_work_is_dropped() -> None:
    result = fused(lambda x: (x + 1, x.exp().sum())[:1], A)
    assert [n.op for k in kernels(result) for n in k.nodes] == ["aten.add.Scalar"]


@pytest.mark.parametrize("step", [lambda x: x + 1, torch.sin, softmax, lambda x: x * x * 0.5])
def test_long_chains_become_few_kernels_in_little_time(step: Callable[[torch.Tensor], torch.Tensor]) -> None:
    def fn(x: torch.Tensor) -> tuple[torch.Tensor]:
        for _ in range(120):
            x = step(x)
        return (x,)

    result = fused(fn, A)
    assert 2 <= len(kernels(result)) <= 40
    for kernel in kernels(result):
        schedule(kernel, result.program.hints)


def test_a_transposed_reader_gets_the_stored_value() -> None:
    result = fused(lambda x: ((y := x.exp() * x.sin()), y.t().contiguous() + 1), A)
    assert [len(k.stores) for k in kernels(result)] == [1, 1]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (((4, False), (6, True)), ((24, False),), ((4, False), (6, True))),
        (((8, False), (6, True)), ((2, False), (4, False), (6, False)), ((2, False), (4, False), (6, True))),
        (((4, False), (6, True)), ((4, True), (6, False)), ((4, False), (6, True))),
        (((4, False), (6, True)), ((6, False), (4, True)), None),
        (((4, False), (6, True)), ((4, False),), ((4, False), (6, True))),
        (((4, False), (6, False)), ((8, False), (3, False)), None),
    ],
)
def test_joined_spaces(left: Any, right: Any, expected: Any) -> None:
    a, b = (Space.of(tuple((const(s), r) for s, r in dims)) for dims in (left, right))
    found = joined(a, b)
    assert (None if found is None else tuple((d.size.value, d.reduced) for d in found.dims)) == expected
