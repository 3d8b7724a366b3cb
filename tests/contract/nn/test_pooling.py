"""Pooling: strides, padding, dilation, ceil mode, uneven adaptive windows, layouts."""

from __future__ import annotations

import itertools

import pytest
import torch

from torchport.contract.decompositions import pooling as ours

aten = torch.ops.aten
GEOMETRY = [  # kernel, stride, padding
    ([2, 2], [], [0, 0]),
    ([3, 3], [2, 2], [1, 1]),
    ([3, 2], [1, 3], [1, 0]),
    ([2, 2], [3, 3], [1, 1]),
    ([3], [2], [1]),
]


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(("kernel", "stride", "padding"), GEOMETRY, ids=str)
@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 7, 8), (3, 7, 8), (0, 3, 7, 8)], ids=str)
def test_max_pool2d_backward(kernel, stride, padding, ceil_mode, shape, accurate):
    x = draw(*shape)
    for dilation in ([1, 1], [2, 2]):
        out, indices = aten.max_pool2d_with_indices(x, kernel, stride, padding, dilation, ceil_mode)
        g = draw(*out.shape, seed=1)

        def call(f, g, x, indices, dilation=dilation):
            return f(g, x, kernel, stride, padding, dilation, ceil_mode, indices)

        accurate(
            "aten.max_pool2d_with_indices_backward.default",
            ours.max_pool2d_with_indices_backward,
            [g, x, indices],
            call,
        )


def test_max_pool2d_backward_of_ties_and_channels_last(accurate):
    x = torch.zeros(2, 3, 6, 6, dtype=torch.float64).to(memory_format=torch.channels_last)
    out, indices = aten.max_pool2d_with_indices(x, [3, 3], [2, 2], [1, 1])
    call = lambda f, g, x, i: f(g, x, [3, 3], [2, 2], [1, 1], [1, 1], False, i)  # noqa: E731
    accurate(
        "aten.max_pool2d_with_indices_backward.default",
        ours.max_pool2d_with_indices_backward,
        [draw(*out.shape), x, indices],
        call,
    )


AVERAGE = list(itertools.product([False, True], [False, True], [None, 5]))


@pytest.mark.parametrize(("kernel", "stride", "padding"), GEOMETRY, ids=str)
@pytest.mark.parametrize(("ceil_mode", "include", "divisor"), AVERAGE, ids=str)
def test_avg_pool2d_backward(kernel, stride, padding, ceil_mode, include, divisor, accurate):
    x = draw(2, 3, 7, 8)
    out = aten.avg_pool2d(x, kernel, stride, padding, ceil_mode, include, divisor)

    def call(f, g, x):
        return f(g, x, kernel, stride, padding, ceil_mode, include, divisor)

    accurate(
        "aten.avg_pool2d_backward.default", ours.avg_pool2d_backward, [draw(*out.shape, seed=1), x], call
    )


def test_pool3d_backward(accurate):
    x = draw(2, 3, 5, 6, 7)
    out, indices = aten.max_pool3d_with_indices(x, [3, 2, 2], [2, 2, 1], [1, 0, 1])
    accurate(
        "aten.max_pool3d_with_indices_backward.default",
        ours.max_pool3d_with_indices_backward,
        [draw(*out.shape, seed=1), x, indices],
        lambda f, g, x, i: f(g, x, [3, 2, 2], [2, 2, 1], [1, 0, 1], [1, 1, 1], False, i),
    )
    out = aten.avg_pool3d(x, [3, 2, 2], [2, 2, 1], [1, 0, 1], True, False)
    accurate(
        "aten.avg_pool3d_backward.default",
        ours.avg_pool3d_backward,
        [draw(*out.shape, seed=1), x],
        lambda f, g, x: f(g, x, [3, 2, 2], [2, 2, 1], [1, 0, 1], True, False, None),
        (torch.float32,),
    )


@pytest.mark.parametrize("output", [(1, 1), (2, 4), (3, 5), (7, 8), (9, 10)], ids=str)
@pytest.mark.parametrize("shape", [(2, 3, 7, 8), (3, 6, 8), (0, 3, 4, 5)], ids=str)
def test_adaptive_avg_pool2d(output, shape, accurate):
    x = draw(*shape)
    accurate(
        "aten._adaptive_avg_pool2d.default", ours.adaptive_avg_pool2d, [x], lambda f, x: f(x, list(output))
    )
    g = draw(*shape[:-2], *output, seed=1)
    accurate(
        "aten._adaptive_avg_pool2d_backward.default",
        ours.adaptive_avg_pool2d_backward,
        [g, x],
        lambda f, g, x: f(g, x),
    )


def test_adaptive_avg_pool3d(accurate):
    x = draw(2, 3, 5, 6, 7)
    accurate("aten._adaptive_avg_pool3d.default", ours.adaptive_avg_pool3d, [x], lambda f, x: f(x, [2, 3, 4]))
    accurate(
        "aten._adaptive_avg_pool3d_backward.default",
        ours.adaptive_avg_pool3d_backward,
        [draw(2, 3, 2, 3, 4), x],
        lambda f, g, x: f(g, x),
    )


def test_an_infinity_stays_in_its_window():
    x = draw(1, 1, 7, 7).float()
    x[0, 0, 0, 0] = float("inf")
    got = ours.adaptive_avg_pool2d(x, [3, 3])
    assert got.isinf().sum() == 1 and not got.isnan().any()


def test_sizes_stay_symbolic(symbolic):
    sizes = [(2, 3, 8, 9), (4, 5, 11, 7)]

    def pooled(n, c, h, w):
        x = draw(n, c, h, w)
        out, indices = aten.max_pool2d_with_indices(x, [3, 3], [2, 2], [1, 1])
        return [draw(*out.shape, seed=1), x, indices]

    symbolic(
        "max_pool2d_with_indices_backward",
        ours.max_pool2d_with_indices_backward,
        *(pooled(*s) for s in sizes),
        lambda f, g, x, i: f(g, x, [3, 3], [2, 2], [1, 1], [1, 1], False, i),
    )
    symbolic(
        "avg_pool2d_backward",
        ours.avg_pool2d_backward,
        *(pooled(*s)[:2] for s in sizes),
        lambda f, g, x: f(g, x, [3, 3], [2, 2], [1, 1], False, True, None),
    )
    for output in ([1, 1], [3, 4]):
        symbolic(
            "adaptive",
            ours.adaptive_avg_pool2d,
            [draw(*sizes[0])],
            [draw(*sizes[1])],
            lambda f, x, o=output: f(x, o),
        )
        pairs = [[draw(*s[:2], *output, seed=1), draw(*s)] for s in sizes]
        symbolic("adaptive", ours.adaptive_avg_pool2d_backward, *pairs, lambda f, g, x: f(g, x))


def test_gradients_equal_autograd(differentiable):
    x = draw(2, 3, 7, 8).float()
    g = draw(2, 3, 4, 4, seed=1).float()
    _, indices = aten.max_pool2d_with_indices(x, [3, 3], [2, 2], [1, 1])
    grad = ours.max_pool2d_with_indices_backward(g, x, [3, 3], [2, 2], [1, 1], [1, 1], False, indices)
    differentiable([grad], lambda x: torch.nn.functional.max_pool2d(x, 3, 2, 1), [x], g)
    grad = ours.avg_pool2d_backward(g, x, [3, 3], [2, 2], [1, 1], False, True, None)
    differentiable([grad], lambda x: torch.nn.functional.avg_pool2d(x, 3, 2, 1), [x], g)
    g = draw(2, 3, 3, 5, seed=1).float()
    differentiable(
        [ours.adaptive_avg_pool2d_backward(g, x)],
        lambda x: torch.nn.functional.adaptive_avg_pool2d(x, (3, 5)),
        [x],
        g,
    )
