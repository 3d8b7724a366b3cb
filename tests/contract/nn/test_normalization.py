"""Normalization: values, large means, gradient masks, mixed precision, symbolic sizes."""

from __future__ import annotations

import itertools

import pytest
import torch

from torchport.contract.decompositions import normalization as ours

aten = torch.ops.aten
MASKS = list(itertools.product([True, False], repeat=3))


def draw(*shape: int, seed: int = 0, scale: float = 1.0, offset: float = 0.5) -> torch.Tensor:
    return (
        torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * scale
        + offset
    )


def affine(size, weight: bool, bias: bool):
    return draw(*size, seed=7) if weight else None, draw(*size, seed=8) if bias else None


@pytest.mark.parametrize(
    ("shape", "axes"), [((5, 16), 1), ((2, 3, 4, 5), 2), ((7,), 1), ((3, 1), 1), ((0, 4), 1)], ids=str
)
@pytest.mark.parametrize(("weight", "bias"), [(True, True), (True, False), (False, False)])
def test_layer_norm(shape, axes, weight, bias, accurate):
    w, b = affine(shape[len(shape) - axes :], weight, bias)
    x = draw(*shape)
    accurate(
        "aten.native_layer_norm.default",
        ours.native_layer_norm,
        [x, w, b],
        lambda f, x, w, b: f(x, list(x.shape[-axes:]), w, b, 1e-5),
    )


def test_layer_norm_mixed_precision_keeps_float32_statistics():
    x, w = draw(4, 64).bfloat16(), draw(64).float()
    got = ours.native_layer_norm(x, [64], w, w, 1e-5)
    assert [t.dtype for t in got] == [t.dtype for t in aten.native_layer_norm(x, [64], w, w, 1e-5)]
    assert got[1].dtype == torch.float32


@pytest.mark.parametrize("mean", [0.0, 1e2, 1e4])
def test_moments_survive_a_large_mean(mean, accurate):
    x = draw(16, 768, offset=mean)
    accurate(
        "aten.native_layer_norm.default",
        ours.native_layer_norm,
        [x],
        lambda f, x: f(x, [768], None, None, 1e-5),
        (torch.float32,),
    )
    rounded = x.float()
    variance = rounded.double().var(1, correction=0)
    rstd = ours.native_layer_norm(rounded, [768], None, None, 0.0)[2][:, 0].double()
    assert ((rstd**-2 - variance) / variance).abs().max() < 8 * torch.finfo(torch.float32).eps


@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_layer_norm_backward(mask, accurate):
    x, g, (w, b) = draw(6, 5, 16), draw(6, 5, 16, seed=1), affine((16,), True, True)
    _, mean, rstd = aten.native_layer_norm(x, [16], w, b, 1e-5)

    def call(f, g, x, mean, rstd, w, b):
        return f(g, x, [x.shape[-1]], mean, rstd, w, b, list(mask))

    accurate(
        "aten.native_layer_norm_backward.default",
        ours.native_layer_norm_backward,
        [g, x, mean, rstd, w, b],
        call,
    )


@pytest.mark.parametrize("spatial", [(4, 3), (), (1,)], ids=str)
@pytest.mark.parametrize("weight", [True, False])
@pytest.mark.parametrize("channels_last", [False, True])
def test_group_norm(spatial, weight, channels_last, accurate):
    x, (w, b) = draw(2, 6, *spatial), affine((6,), weight, weight)
    if channels_last and len(spatial) == 2:
        x = x.to(memory_format=torch.channels_last)

    def call(f, x, w, b):
        n, c = x.shape[:2]
        return f(x, w, b, n, c, x[0, 0].numel(), 3, 1e-5)

    accurate("aten.native_group_norm.default", ours.native_group_norm, [x, w, b], call)


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize("offset", [0.5, 1e3])
def test_group_norm_backward(mask, offset, accurate):
    x, g, w = draw(2, 6, 4, 3, offset=offset), draw(2, 6, 4, 3, seed=1), draw(6, seed=7)
    _, mean, rstd = aten.native_group_norm(x, w, None, 2, 6, 12, 3, 1e-5)

    def call(f, g, x, mean, rstd, w):
        n, c, h, v = x.shape
        return f(g, x, mean, rstd, w, n, c, h * v, 3, list(mask))

    dtypes = (torch.float32,) if offset > 1 else (torch.float32, torch.bfloat16, torch.float16)
    accurate(
        "aten.native_group_norm_backward.default",
        ours.native_group_norm_backward,
        [g, x, mean, rstd, w],
        call,
        dtypes,
    )


@pytest.mark.parametrize("shape", [(4, 3, 5, 2), (6, 3), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("weight", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_functional(shape, weight, training, accurate):
    x, (w, b) = draw(*shape), affine((3,), weight, weight)
    rm, rv = draw(3, seed=3), draw(3, seed=4).abs() + 0.5

    def call(f, x, w, b, rm, rv):
        return f(x, w, b, rm, rv, training, 0.1, 1e-5)

    accurate(
        "aten._native_batch_norm_legit_functional.default",
        ours.batch_norm_functional,
        [x, w, b, rm, rv],
        call,
    )


def test_batch_norm_other_forms(accurate):
    x, (w, b) = draw(4, 3, 5, 2), affine((3,), True, True)
    rm, rv = draw(3, seed=3), draw(3, seed=4).abs() + 0.5
    accurate(
        "aten._native_batch_norm_legit.no_stats",
        ours.batch_norm_no_stats,
        [x, w, b],
        lambda f, x, w, b: f(x, w, b, True, 0.1, 1e-5),
    )
    rest = [x, w, b, rm, rv]
    accurate(
        "aten._native_batch_norm_legit_no_training.default",
        ours.batch_norm_no_training,
        rest,
        lambda f, *t: f(*t, 0.1, 1e-5),
    )
    accurate(
        "aten._batch_norm_with_update_functional.default",
        ours.batch_norm_with_update_functional,
        rest,
        lambda f, *t: f(*t, 0.1, 1e-5),
    )
    accurate(
        "aten._batch_norm_no_update.default", ours.batch_norm_no_update, rest, lambda f, *t: f(*t, 0.1, 1e-5)
    )


def test_batch_norm_mixed_precision_keeps_float32_statistics():
    x, w, rm = draw(4, 3, 5).bfloat16(), draw(3).float(), draw(3).abs().float()
    for training in (True, False):
        got = ours.batch_norm_functional(x, w, w, rm, rm, training, 0.1, 1e-5)
        want = aten._native_batch_norm_legit_functional(x, w, w, rm, rm, training, 0.1, 1e-5)
        assert [(t.dtype, t.shape) for t in got] == [(t.dtype, t.shape) for t in want]


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("weight", [True, False])
def test_batch_norm_backward(mask, train, weight, accurate):
    x, g, (w, _) = draw(4, 3, 5, 2), draw(4, 3, 5, 2, seed=1), affine((3,), weight, False)
    rm, rv = draw(3, seed=3), draw(3, seed=4).abs() + 0.5
    mean, rstd = x.mean((0, 2, 3)), (x.var((0, 2, 3), correction=0) + 1e-5).rsqrt()

    def call(f, g, x, w, rm, rv, mean, rstd):
        return f(g, x, w, rm, rv, mean, rstd, train, 1e-5, list(mask))

    accurate(
        "aten.native_batch_norm_backward.default",
        ours.native_batch_norm_backward,
        [g, x, w, rm, rv, mean, rstd],
        call,
    )


@pytest.mark.parametrize("eps", [None, 1e-6])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_rms_norm_forward_and_backward(eps, dtype):
    x, w, g = (t.to(dtype) for t in (draw(4, 6, 32), draw(32, seed=1), draw(4, 6, 32, seed=2)))
    want, want_rstd = aten._fused_rms_norm(x, [32], w, eps)
    got, rstd = ours.fused_rms_norm(x, [32], w, eps)
    assert (got.dtype, rstd.dtype, rstd.shape) == (want.dtype, want_rstd.dtype, want_rstd.shape)

    def formula(x, w):
        return (
            x
            * (
                (x * x).mean(-1, keepdim=True) + (torch.finfo(torch.float32).eps if eps is None else eps)
            ).rsqrt()
            * w
        )

    leaves = [t.double().requires_grad_() for t in (x, w)]
    exact = formula(*leaves)
    unit = torch.finfo(dtype).eps
    assert (got.double() - exact).abs().max() <= 2 * (want.double() - exact).abs().max() + unit
    grads = ours.fused_rms_norm_backward(g, x, [32], rstd, w, [True, True])
    for mine, reference in zip(grads, torch.autograd.grad(exact, leaves, g.double()), strict=True):
        assert mine.dtype == dtype
        assert (mine.double() - reference).abs().max() <= 4 * unit * reference.abs().max()
    assert ours.fused_rms_norm_backward(g, x, [32], rstd, None, [False, True]) == (None, None)


def test_sizes_stay_symbolic(symbolic):
    def layer(f, x, w):
        return f(x, x.shape[-1:], w, w, 1e-5)

    used = symbolic(
        "native_layer_norm", ours.native_layer_norm, [draw(4, 6), draw(6)], [draw(5, 9), draw(9)], layer
    )
    assert used == {"aten.mean.dim", "aten.sub.Tensor", "aten.mul.Tensor", "aten.add.Tensor", "aten.rsqrt"}

    def layer_backward(f, g, x, mean, rstd, w):
        return f(g, x, x.shape[-1:], mean, rstd, w, w, [True] * 3)

    def sizes(n, d):
        return [draw(n, d), draw(n, d), draw(n, 1), draw(n, 1), draw(d)]

    symbolic(
        "native_layer_norm_backward",
        ours.native_layer_norm_backward,
        sizes(4, 6),
        sizes(5, 9),
        layer_backward,
    )

    def group(f, x, w):
        return f(x, w, w, x.shape[0], x.shape[1], x.shape[2] * x.shape[3], 2, 1e-5)

    images = [draw(3, 4, 5, 6), draw(4)], [draw(2, 8, 7, 9), draw(8)]
    symbolic("native_group_norm", ours.native_group_norm, *images, group)

    def group_backward(f, g, x, mean, rstd, w):
        return f(g, x, mean, rstd, w, x.shape[0], x.shape[1], x.shape[2] * x.shape[3], 2, [True] * 3)

    def grouped(n, c, h):
        return [draw(n, c, h, h + 1), draw(n, c, h, h + 1), draw(n, 2), draw(n, 2), draw(c)]

    symbolic(
        "native_group_norm_backward",
        ours.native_group_norm_backward,
        grouped(3, 4, 5),
        grouped(5, 8, 3),
        group_backward,
    )

    def batch(f, x, w):
        return f(x, w, w, w, w, True, 0.1, 1e-5)

    symbolic("batch_norm", ours.batch_norm_functional, *images, batch)

    def batch_backward(f, g, x, w):
        return f(g, x, w, w, w, w, w, True, 1e-5, [True] * 3)

    pairs = [[i, *case] for i, case in ((images[0][0], images[0]), (images[1][0], images[1]))]
    symbolic("batch_norm_backward", ours.native_batch_norm_backward, *pairs, batch_backward)


def test_gradients_equal_autograd(differentiable):
    x, w, b, g = (t.float() for t in (draw(8, 6, 5), draw(6, seed=1), draw(6, seed=2), draw(8, 6, 5, seed=3)))
    _, mean, rstd, *_ = ours.batch_norm_functional(x, w, b, w, w, True, 0.1, 1e-5)
    grads = ours.native_batch_norm_backward(g, x, w, None, None, mean, rstd, True, 1e-5, [True] * 3)
    differentiable(
        grads, lambda x, w, b: torch.nn.functional.batch_norm(x, None, None, w, b, True), [x, w, b], g
    )
    _, mean, rstd = ours.native_group_norm(x, w, b, 8, 6, 5, 2, 1e-5)
    grads = ours.native_group_norm_backward(g, x, mean, rstd, w, 8, 6, 5, 2, [True] * 3)
    differentiable(grads, lambda x, w, b: torch.nn.functional.group_norm(x, 2, w, b), [x, w, b], g)
    w, b = draw(6, 5, seed=1).float(), draw(6, 5, seed=2).float()
    _, mean, rstd = ours.native_layer_norm(x, [6, 5], w, b, 1e-5)
    grads = ours.native_layer_norm_backward(g, x, [6, 5], mean, rstd, w, b, [True] * 3)
    differentiable(grads, lambda x, w, b: torch.nn.functional.layer_norm(x, [6, 5], w, b), [x, w, b], g)
