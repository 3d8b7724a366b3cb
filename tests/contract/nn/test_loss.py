"""Losses: every reduction and option, ignored targets, extreme inputs, symbolic sizes, gradients."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from torchport.contract.decompositions import loss as ours

PAIRED = [
    ("mse_loss", (), False),
    ("smooth_l1_loss", (0.7,), False),
    ("huber_loss", (0.7,), False),
    ("soft_margin_loss", (), True),
]
REDUCTIONS = [0, 1, 2]


def draw(*shape: int, seed: int = 0, scale: float = 1.0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * scale


def signs(*shape: int) -> torch.Tensor:
    return torch.where(draw(*shape, seed=5) > 0, 1.0, -1.0).double()


@pytest.mark.parametrize(("name", "rest", "margin"), PAIRED, ids=[p[0] for p in PAIRED])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", [(4, 5), (1,), (), (0, 3)], ids=str)
def test_paired_losses(name, rest, margin, reduction, shape, accurate):
    x, t = draw(*shape), signs(*shape) if margin else draw(*shape, seed=1)
    accurate(f"aten.{name}.default", getattr(ours, name), [x, t], lambda f, x, t: f(x, t, reduction, *rest))
    g = draw(*(shape if reduction == 0 else ()), seed=2)
    backward = getattr(ours, f"{name}_backward")
    accurate(
        f"aten.{name}_backward.default", backward, [g, x, t], lambda f, g, x, t: f(g, x, t, reduction, *rest)
    )


def test_soft_margin_does_not_overflow():
    x, t = torch.tensor([1000.0, -1000.0]), torch.tensor([-1.0, -1.0])
    assert torch.equal(ours.soft_margin_loss(x, t, 0), torch.tensor([1000.0, 0.0]))


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_binary_cross_entropy(reduction, weighted, accurate):
    p, t, w = (
        torch.rand(3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)),
        draw(3, 5).sigmoid(),
        None,
    )
    p[0, 0], p[0, 1], t[0, 0], t[0, 1] = 0.0, 1.0, 1.0, 0.0
    if weighted:
        w = draw(5, seed=4).abs()
    accurate(
        "aten.binary_cross_entropy.default",
        ours.binary_cross_entropy,
        [p, t, w],
        lambda f, *a: f(*a, reduction),
    )
    g = draw(*((3, 5) if reduction == 0 else ()), seed=2)
    accurate(
        "aten.binary_cross_entropy_backward.default",
        ours.binary_cross_entropy_backward,
        [g, p, t, w],
        lambda f, *a: f(*a, reduction),
        (torch.float32,),
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(("weighted", "positive"), [(False, False), (True, True), (False, True)])
def test_binary_cross_entropy_with_logits(reduction, weighted, positive, accurate):
    x, t = draw(3, 5, scale=30), draw(3, 5, seed=1).sigmoid()
    w, p = draw(5, seed=4).abs() if weighted else None, draw(5, seed=6).abs() if positive else None
    accurate(
        "aten.binary_cross_entropy_with_logits.default",
        ours.binary_cross_entropy_with_logits,
        [x, t, w, p],
        lambda f, *a: f(*a, reduction),
    )


def targets(*shape: int, classes: int, ignored: bool) -> torch.Tensor:
    t = torch.randint(0, classes, shape, generator=torch.Generator().manual_seed(3))
    if ignored:
        t.view(-1)[:1] = -100
    return t


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("shape", [(6, 5), (5,), (1, 1), (0, 5), (2, 5, 3, 4)], ids=str)
def test_nll_loss(reduction, weighted, ignored, shape, accurate):
    classes = shape[0] if len(shape) == 1 else shape[1]
    kind = "nll_loss2d" if len(shape) == 4 else "nll_loss"
    x, w = draw(*shape), draw(classes, seed=1).abs() if weighted else None
    t = targets(*(shape[:1] + shape[2:] if len(shape) > 1 else ()), classes=classes, ignored=ignored)
    forward, backward = getattr(ours, f"{kind}_forward"), getattr(ours, f"{kind}_backward")
    accurate(
        f"aten.{kind}_forward.default", forward, [x, t, w], lambda f, x, t, w: f(x, t, w, reduction, -100)
    )
    _, total = getattr(torch.ops.aten, f"{kind}_forward")(x, t, w, reduction, -100)
    g = draw(*(t.shape if reduction == 0 else ()), seed=2)
    accurate(
        f"aten.{kind}_backward.default",
        backward,
        [g, x, t, w, total],
        lambda f, g, x, t, w, n: f(g, x, t, w, reduction, -100, n),
    )


def test_nll_loss_of_only_ignored_targets_is_nan():
    x, t = draw(3, 4).float(), torch.full((3,), 2)
    loss, total = ours.nll_loss_forward(x, t, None, 1, 2)
    assert loss.isnan() and total == 0


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_sizes_stay_symbolic(reduction, symbolic):
    for name, rest, _ in PAIRED:
        pairs = [draw(4, 6), draw(4, 6)], [draw(5, 9), draw(5, 9)]
        symbolic(name, getattr(ours, name), *pairs, lambda f, x, t, rest=rest: f(x, t, reduction, *rest))
    kept = [[draw(n, c), targets(n, classes=c, ignored=True), draw(c).abs()] for n, c in ((4, 6), (7, 5))]
    symbolic("nll_loss_forward", ours.nll_loss_forward, *kept, lambda f, x, t, w: f(x, t, w, reduction, -100))
    grads = [[draw(*(t.shape if reduction == 0 else ())), x, t, w, torch.tensor(3.0)] for x, t, w in kept]
    symbolic(
        "nll_loss_backward",
        ours.nll_loss_backward,
        *grads,
        lambda f, g, x, t, w, n: f(g, x, t, w, reduction, -100, n),
    )


def test_cross_entropy_gradient_equals_autograd(differentiable):
    from torchport.contract.decompositions.softmax import log_softmax, log_softmax_backward_data

    x, t = draw(16, 11, scale=4).float(), targets(16, classes=11, ignored=True)
    y = log_softmax(x, 1, False)
    _, total = ours.nll_loss_forward(y, t, None, 1, -100)
    one = torch.tensor(1.0)
    grad = log_softmax_backward_data(
        ours.nll_loss_backward(one, y, t, None, 1, -100, total), y, 1, torch.float32
    )
    differentiable([grad], lambda x: functional.cross_entropy(x, t), [x], one)
