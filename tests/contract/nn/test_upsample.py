"""Resampling: growing and shrinking, given scales, aligned corners, symbolic sizes, gradients."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.decompositions import upsample as ours

SIZES = [
    ((6, 10), (None, None)),
    ((4, 7), (1.4, 1.5)),
    ((2, 3), (None, None)),
    ((1, 1), (None, None)),
    ((5, 9), (None, 1.8)),
]
NEAR_EXACT = (torch.float32, torch.bfloat16)


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(("output", "scales"), SIZES, ids=str)
@pytest.mark.parametrize("channels_last", [False, True])
def test_nearest2d(output, scales, channels_last, accurate):
    x = draw(2, 4, 3, 5)
    if channels_last:
        x = x.to(memory_format=torch.channels_last)
    accurate(
        "aten.upsample_nearest2d.default",
        ours.upsample_nearest2d,
        [x],
        lambda f, x: f(x, list(output), *scales),
    )
    call = lambda f, g: f(g, list(output), [2, 4, 3, 5], *scales)  # noqa: E731
    accurate(
        "aten.upsample_nearest2d_backward.default",
        ours.upsample_nearest2d_backward,
        [draw(2, 4, *output, seed=1)],
        call,
        NEAR_EXACT,
    )


@pytest.mark.parametrize(("output", "scales"), SIZES, ids=str)
@pytest.mark.parametrize("align", [False, True])
def test_bilinear2d(output, scales, align, accurate):
    x = draw(2, 4, 3, 5)
    accurate(
        "aten.upsample_bilinear2d.default",
        ours.upsample_bilinear2d,
        [x],
        lambda f, x: f(x, list(output), align, *scales),
    )
    call = lambda f, g: f(g, list(output), [2, 4, 3, 5], align, *scales)  # noqa: E731
    accurate(
        "aten.upsample_bilinear2d_backward.default",
        ours.upsample_bilinear2d_backward,
        [draw(2, 4, *output, seed=1)],
        call,
        NEAR_EXACT,
    )


@pytest.mark.parametrize("output", [1, 4, 11])
def test_one_dimension(output, accurate):
    x, g = draw(2, 3, 5), draw(2, 3, output, seed=1)
    accurate("aten.upsample_nearest1d.default", ours.upsample_nearest1d, [x], lambda f, x: f(x, [output]))
    accurate(
        "aten.upsample_nearest1d_backward.default",
        ours.upsample_nearest1d_backward,
        [g],
        lambda f, g: f(g, [output], [2, 3, 5]),
        NEAR_EXACT,
    )
    accurate(
        "aten.upsample_linear1d.default", ours.upsample_linear1d, [x], lambda f, x: f(x, [output], False)
    )
    accurate(
        "aten.upsample_linear1d_backward.default",
        ours.upsample_linear1d_backward,
        [g],
        lambda f, g: f(g, [output], [2, 3, 5], False),
        NEAR_EXACT,
    )


@pytest.mark.parametrize(("factor", "size"), [(2.3, 37), (1 / 3, 100), (1.7, 61)])
def test_nearest_reads_the_pixel_that_eager_reads(factor, size):
    x = torch.arange(float(size)).view(1, 1, size)
    output = int(size * factor)
    for scale in (None, factor):
        want = torch.ops.aten.upsample_nearest1d(x, [output], scale)
        assert torch.equal(ours.upsample_nearest1d(x, [output], scale), want)


def test_sizes_stay_symbolic(symbolic):
    a, b = [draw(2, 3, 4, 5)], [draw(3, 2, 6, 7)]
    symbolic("nearest", ours.upsample_nearest2d, a, b, lambda f, x: f(x, [x.shape[2] * 2, x.shape[3] * 2]))
    symbolic(
        "bilinear", ours.upsample_bilinear2d, a, b, lambda f, x: f(x, [x.shape[2] * 2, x.shape[3] * 3], False)
    )
    symbolic("bilinear", ours.upsample_bilinear2d, a, b, lambda f, x: f(x, [8, x.shape[3] * 3], True))

    def backward(f, x, *rest):
        return f(x.repeat(1, 1, 2, 2), [x.shape[2] * 2, x.shape[3] * 2], x.shape, *rest)

    symbolic("nearest", ours.upsample_nearest2d_backward, a, b, backward)
    symbolic("bilinear", ours.upsample_bilinear2d_backward, a, b, lambda f, x: backward(f, x, False))


@pytest.mark.parametrize("align", [False, True])
def test_gradients_equal_autograd(align, differentiable):
    x, g = draw(2, 3, 4, 5).float(), draw(2, 3, 7, 9, seed=1).float()
    grad = ours.upsample_bilinear2d_backward(g, [7, 9], [2, 3, 4, 5], align)
    differentiable(
        [grad],
        lambda x: torch.nn.functional.interpolate(x, (7, 9), mode="bilinear", align_corners=align),
        [x],
        g,
    )
    grad = ours.upsample_nearest2d_backward(g, [7, 9], [2, 3, 4, 5])
    differentiable([grad], lambda x: torch.nn.functional.interpolate(x, (7, 9), mode="nearest"), [x], g)
