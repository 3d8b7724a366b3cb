"""Embedding, dropout, and the gradients of slicing."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.decompositions import embedding as ours, slicing

aten = torch.ops.aten


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def indices(*shape: int, rows: int = 6) -> torch.Tensor:
    return torch.randint(0, rows, shape, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("shape", [(4, 5), (), (0,), (1, 1)], ids=str)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_embedding(shape, dtype, accurate):
    accurate(
        "aten.embedding.default",
        ours.embedding,
        [draw(6, 8), indices(*shape).to(dtype)],
        lambda f, w, i: f(w, i, 2),
    )


@pytest.mark.parametrize("padding", [-1, 2])
@pytest.mark.parametrize("by_frequency", [False, True])
@pytest.mark.parametrize("shape", [(4, 5), (30,), (1,)], ids=str)
def test_embedding_dense_backward(padding, by_frequency, shape, accurate):
    i = indices(*shape)
    accurate(
        "aten.embedding_dense_backward.default",
        ours.embedding_dense_backward,
        [draw(*shape, 8, seed=1), i],
        lambda f, g, i: f(g, i, 6, padding, by_frequency),
    )


def test_embedding_gradient_equals_autograd(differentiable):
    i, w, g = indices(4, 5), draw(6, 8).float(), draw(4, 5, 8, seed=1).float()
    grad = ours.embedding_dense_backward(g, i, 6, -1, False)
    differentiable([grad], lambda w: torch.nn.functional.embedding(i, w), [w], g)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_dropout_keeps_the_right_share_and_scales_it(dtype, p):
    torch.manual_seed(0)
    x = draw(200, 100).to(dtype)
    out, mask = ours.native_dropout(x, p, True)
    assert out.dtype == dtype and mask.dtype == torch.bool
    deviation = (p * (1 - p) / x.numel()) ** 0.5
    assert abs(mask.double().mean().item() - (1 - p)) <= 5 * deviation
    scale = 0.0 if p == 1 else 1 / (1 - p)
    assert torch.equal(out, torch.where(mask, (x.float() * scale).to(dtype), 0))
    again, _ = ours.native_dropout(x, p, True)
    assert (p in (0.0, 1.0)) == torch.equal(out, again)
    g = draw(200, 100, seed=1).to(dtype)
    assert torch.equal(
        ours.native_dropout_backward(g, mask, scale), aten.native_dropout_backward(g, mask, scale)
    )


def test_dropout_outside_training_is_the_identity():
    x = draw(4, 5)
    out, mask = ours.native_dropout(x, 0.7, False)
    assert torch.equal(out, x) and mask.all() and out.data_ptr() != x.data_ptr()


@pytest.mark.parametrize(("dim", "index"), [(0, 0), (1, -1), (-1, 2), (1, -4)])
def test_select_backward(dim, index, accurate):
    g = draw(3, 4, 5).select(dim, index)
    accurate(
        "aten.select_backward.default", slicing.select_backward, [g], lambda f, g: f(g, [3, 4, 5], dim, index)
    )


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [
        (0, 9, 1),
        (2, 7, 1),
        (-4, 9223372036854775807, 1),
        (1, 9, 3),
        (0, 8, 2),
        (4, 4, 1),
        (-20, 3, 1),
        (20, 30, 1),
    ],
)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_slice_backward(start, end, step, dim, accurate):
    g = aten.slice(draw(9, 9, 9), dim, start, end, step)
    accurate(
        "aten.slice_backward.default",
        slicing.slice_backward,
        [g],
        lambda f, g: f(g, [9, 9, 9], dim, start, end, step),
    )


def test_sizes_stay_symbolic(symbolic):
    a, b = [draw(6, 8), indices(4, 5)], [draw(7, 9), indices(3, 2)]
    symbolic("embedding", ours.embedding, a, b, lambda f, w, i: f(w, i))
    a, b = [draw(4, 5, 8), indices(4, 5)], [draw(3, 2, 9), indices(3, 2)]
    for by_frequency in (False, True):
        symbolic(
            "dense", ours.embedding_dense_backward, a, b, lambda f, g, i, s=by_frequency: f(g, i, 6, 2, s)
        )
    symbolic(
        "select", slicing.select_backward, [draw(4, 5)], [draw(6, 7)], lambda f, g: f(g, [*g.shape, 3], 2, -1)
    )

    def slice_call(f, g, start=1, step=1):
        return f(g, [g.shape[0], g.shape[1] * step + 3], 1, start, 2**63 - 1, step)

    symbolic("slice", slicing.slice_backward, [draw(4, 5)], [draw(6, 7)], slice_call)
    symbolic(
        "slice", slicing.slice_backward, [draw(4, 5)], [draw(6, 7)], lambda f, g: slice_call(f, g, -4, 2)
    )
