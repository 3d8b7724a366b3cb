"""Transposed convolution: extra output, groups, dilation, empty batch, integers, gradients."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.decompositions import convolution as ours

GEOMETRY = [  # stride, padding, dilation, output padding
    ([1, 1], [0, 0], [1, 1], [0, 0]),
    ([2, 3], [1, 0], [1, 2], [1, 1]),
    ([1, 2], [1, 2], [3, 1], [2, 0]),
    ([1], [1], [2], [1]),
]

# Eager accumulates some 16-bit geometries in 16 bits.
PRECISE = (torch.float32, torch.float64)


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(("stride", "padding", "dilation", "extra"), GEOMETRY, ids=str)
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("batch", [2, 0])
def test_transposed(stride, padding, dilation, extra, groups, batch, accurate):
    x, w, b = draw(batch, 4, 5, 6), draw(4, 3, 2, 3, seed=1), draw(3 * groups, seed=2)

    def call(f, x, w, b):
        return f(x, w, b, stride, padding, dilation, True, extra, groups)

    accurate("aten.convolution.default", ours.convolution, [x, w, b], call, PRECISE)
    accurate("aten.convolution.default", ours.convolution, [x, w, None], call, PRECISE)


@pytest.mark.parametrize(("stride", "padding", "dilation", "extra"), GEOMETRY, ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_backward(stride, padding, dilation, extra, groups, accurate):
    x, w = draw(2, 4, 5, 6), draw(4, 3, 2, 3, seed=1)
    y = torch.ops.aten.convolution.default(x, w, None, stride, padding, dilation, True, extra, groups)

    def call(f, g, x, w):
        mask = [True, True, True]
        return f(g, x, w, [3 * groups], stride, padding, dilation, True, extra, groups, mask)

    name = "aten.convolution_backward.default"
    accurate(name, ours.convolution_backward, [draw(*y.shape, seed=3), x, w], call, PRECISE)


@pytest.mark.parametrize(("stride", "padding", "dilation", "extra"), GEOMETRY, ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_integers(stride, padding, dilation, extra, groups):
    x = (draw(2, 4, 5, 6) * 4).to(torch.int64)
    w = (draw(4, 3, 2, 3, seed=1) * 4).to(torch.int64)
    arguments = (x, w, torch.tensor([1, -2, 3] * groups), stride, padding, dilation, True, extra, groups)
    assert torch.equal(ours.convolution(*arguments), torch.ops.aten.convolution.default(*arguments))


def test_sizes_stay_symbolic(symbolic):
    pairs = [[draw(n, 4, h, w), draw(4, 3, 3, 2, seed=1)] for n, h, w in ((2, 5, 6), (3, 7, 4))]
    call = lambda f, x, w: f(x, w, None, [2, 1], [1, 0], [1, 1], True, [1, 0], 1)  # noqa: E731
    used = symbolic("transposed", ours.convolution, *pairs, call)
    assert "aten.convolution_backward" in used and "aten.convolution" not in used
