"""Softmax family: values, wide ranges, masked rows, empty and size-1 rows, symbolic sizes, gradients."""

from __future__ import annotations

import math

import pytest
import torch

from torchport.contract.decompositions import softmax as ours

FORWARD = [("_softmax", ours.softmax), ("_log_softmax", ours.log_softmax)]
BACKWARD = [
    ("_softmax_backward_data", ours.softmax_backward_data),
    ("_log_softmax_backward_data", ours.log_softmax_backward_data),
]


def draw(*shape: int, seed: int = 0, scale: float = 3.0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * scale


@pytest.mark.parametrize(("name", "decomposition"), FORWARD, ids=[f[0] for f in FORWARD])
@pytest.mark.parametrize(
    ("shape", "dim"),
    [((4, 9), 1), ((4, 9), 0), ((2, 3, 5), -2), ((3, 1), 1), ((0, 3), 1), ((3, 0), 1), ((), 0)],
    ids=str,
)
def test_forward(name, decomposition, shape, dim, accurate):
    accurate(f"aten.{name}.default", decomposition, [draw(*shape)], lambda f, x: f(x, dim, False))


@pytest.mark.parametrize(("name", "decomposition"), FORWARD, ids=[f[0] for f in FORWARD])
@pytest.mark.parametrize("offset", [0.0, 1e4, -1e4])
def test_wide_ranges(name, decomposition, offset, accurate):
    x = draw(6, 300, scale=40.0) + offset
    accurate(f"aten.{name}.default", decomposition, [x], lambda f, x: f(x, 1, False), (torch.float32,))


@pytest.mark.parametrize(("name", "decomposition"), FORWARD, ids=[f[0] for f in FORWARD])
def test_infinities(name, decomposition, accurate):
    x = draw(5, 8)
    x[0, 2:5], x[1], x[2, 3], x[3, 0] = -math.inf, -math.inf, math.inf, math.nan
    accurate(f"aten.{name}.default", decomposition, [x], lambda f, x: f(x, 1, False))


@pytest.mark.parametrize(("name", "decomposition"), BACKWARD, ids=[f[0] for f in BACKWARD])
@pytest.mark.parametrize(("shape", "dim"), [((4, 9), 1), ((2, 3, 5), 1), ((3, 1), 1), ((3, 0), 1)], ids=str)
def test_backward(name, decomposition, shape, dim, accurate):
    g = draw(*shape, seed=1)
    y = torch.softmax(draw(*shape), dim)
    y = y if name == "_softmax_backward_data" else torch.log(y)
    accurate(f"aten.{name}.default", decomposition, [g, y], lambda f, g, y: f(g, y, dim, y.dtype))


def test_safe_softmax_gives_zero_rows(accurate):
    x = draw(5, 8)
    x[0, 2:5], x[1] = -math.inf, -math.inf
    accurate("aten._safe_softmax.default", ours.safe_softmax, [x], lambda f, x: f(x, 1))
    assert torch.equal(ours.safe_softmax(x, 1)[1], torch.zeros(8, dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_safe_softmax_converts_first(dtype):
    x = draw(4, 8).to(dtype)
    y = ours.safe_softmax(x, 1, torch.float32)
    assert y.dtype == torch.float32
    assert (y.double() - torch.softmax(x.double(), 1)).abs().max() < 2e-7


@pytest.mark.parametrize(("name", "decomposition"), FORWARD, ids=[f[0] for f in FORWARD])
def test_half_to_float_returns_float32(name, decomposition):
    y = decomposition(draw(4, 8).half(), 1, True)
    exact = getattr(torch.ops.aten, name)(draw(4, 8).half().double(), 1, False)
    assert y.dtype == torch.float32
    assert (y.double() - exact).abs().max() < 4e-7 * exact.abs().max()


def test_graphs_are_minimal(symbolic):
    x = [draw(4, 6)], [draw(5, 9)]
    used = symbolic("_softmax", ours.softmax, *x, lambda f, x: f(x, 1, False))
    assert used == {f"aten.{op}" for op in ("amax", "sub.Tensor", "exp", "sum.dim_IntList", "div.Tensor")}
    used = symbolic("_log_softmax", ours.log_softmax, *x, lambda f, x: f(x, 1, False))
    assert used == {f"aten.{op}" for op in ("amax", "sub.Tensor", "exp", "sum.dim_IntList", "log")}
    symbolic("_safe_softmax", ours.safe_softmax, *x, lambda f, x: f(x, 1))
    for name, decomposition in BACKWARD:
        pair = [draw(4, 6), draw(4, 6)], [draw(5, 9), draw(5, 9)]
        symbolic(name, decomposition, *pair, lambda f, g, y: f(g, y, 1, torch.float32))


@pytest.mark.parametrize("log", [False, True])
def test_gradients_equal_autograd(log, differentiable):
    x, g = draw(6, 40).float(), draw(6, 40, seed=1).float()
    forward, backward = (FORWARD[1][1], BACKWARD[1][1]) if log else (FORWARD[0][1], BACKWARD[0][1])
    y = forward(x, 1, False)
    formula = torch.log_softmax if log else torch.softmax
    differentiable([backward(g, y, 1, torch.float32)], lambda x: formula(x, 1), [x], g)
