"""What is almost a macro is left alone: other values would come out, or an intermediate would be missed."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

X, W = torch.randn(2, 6, 6), torch.randn(6)
Q, K, V = (torch.randn(2, 4, 6, 6) for _ in range(3))
COS, SIN = torch.randn(6, 6), torch.randn(6, 6)
TARGET = torch.randint(0, 6, (6,))


def rms(x: Tensor, w: Tensor, **change: Any) -> Tensor:
    dim, eps = change.get("dim", -1), change.get("eps", 1e-6)
    return w * (x * torch.rsqrt(x.pow(change.get("power", 2)).mean(dim, keepdim=True) + eps))


def extra_reader(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    variance = x.pow(2).mean(-1, keepdim=True)
    return w * (x * torch.rsqrt(variance + 1e-6)), variance


def no_epsilon(x: Tensor, w: Tensor) -> Tensor:
    return w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True)))


def epsilon_outside(x: Tensor, w: Tensor) -> Tensor:
    return w * (x / (torch.sqrt(x.pow(2).mean(-1, keepdim=True)) + 1e-6))


def written_in_between(x: Tensor, w: Tensor) -> Tensor:
    x = x * 1.5
    scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
    x.add_(1.0)
    return w * (x * scale)


def gradient_stopped(x: Tensor, w: Tensor) -> Tensor:
    with torch.no_grad():
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
    return w * (x * scale)


def detached(x: Tensor, w: Tensor) -> Tensor:
    return w * (x * torch.rsqrt(x.detach().pow(2).mean(-1, keepdim=True) + 1e-6))


def two_inputs(x: Tensor, w: Tensor) -> Tensor:
    return w * (x * torch.rsqrt((x + 1).pow(2).mean(-1, keepdim=True) + 1e-6))


def narrowed_on_the_way(x: Tensor, w: Tensor) -> Tensor:
    y = x.to(torch.bfloat16)
    return w * (x * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6))


def attention(q: Tensor, k: Tensor, v: Tensor, *, dim: int = -1, fill: float | None = None) -> Tensor:
    scores = torch.matmul(q, k.transpose(2, 3)) * 0.5
    if fill is not None:
        scores = scores.masked_fill(torch.ones(6, 6, dtype=torch.bool).triu(1), fill)
    return torch.matmul(torch.softmax(scores, dim), v)


def attention_with_weights(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(torch.matmul(q, k.transpose(2, 3)) * 0.5, -1)
    return torch.matmul(weights, v), weights


def attention_shifted_triangle(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    hidden = torch.tril(torch.ones(6, 6), 1) == 0
    scores = (torch.matmul(q, k.transpose(2, 3)) * 0.5).masked_fill(hidden, float("-inf"))
    return torch.matmul(torch.softmax(scores, -1), v)


def attention_untransposed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.matmul(torch.softmax(torch.matmul(q, k) * 0.5, -1), v)


def turned_the_other_way(x: Tensor, c: Tensor, s: Tensor) -> Tensor:
    return x * c + torch.cat((x[..., 3:], -x[..., :3]), -1) * s


def turned_unevenly(x: Tensor, c: Tensor, s: Tensor) -> Tensor:
    return x * c + torch.cat((-x[..., 2:], x[..., :2]), -1) * s


def attention_divided_by(q: Tensor, k: Tensor, v: Tensor, *, by: float) -> Tensor:
    return torch.matmul(torch.softmax(torch.matmul(q, k.transpose(2, 3)) / by, -1), v)


def attention_in_float64(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> Tensor:
    weights = torch.softmax(torch.matmul(q, k.transpose(2, 3)) * 0.5 + m, -1)
    return torch.matmul(weights.to(q.dtype), v)


def gelu_other_constant(x: Tensor) -> Tensor:
    return 0.5 * x * (1.0 + torch.tanh(0.7978845608 * (x + 0.0447 * x**3)))


NEAR: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("rms_norm", lambda x, w: rms(x, w, dim=1), (X, W)),
    ("rms_norm", lambda x, w: rms(x, w, dim=[1, 2]), (X, W)),
    ("rms_norm", lambda x, w: rms(x, w, power=4), (X, W)),
    ("rms_norm", lambda x, w: rms(x, w, eps=w.abs()), (X, W)),
    ("rms_norm", extra_reader, (X, W)),
    ("rms_norm", no_epsilon, (X, W)),
    ("rms_norm", epsilon_outside, (X, W)),
    ("rms_norm", written_in_between, (X, W)),
    ("rms_norm", gradient_stopped, (X, W)),
    ("rms_norm", detached, (X, W)),
    ("rms_norm", two_inputs, (X, W)),
    ("rms_norm", narrowed_on_the_way, (X, W)),
    ("layer_norm", lambda x: (x - x.mean(-1, True)) * torch.rsqrt(x.var(-1, keepdim=True) + 1e-5), (X,)),
    (
        "layer_norm",
        lambda x: (x - x.mean(1, True)) * torch.rsqrt(x.var(-1, False, keepdim=True) + 1e-5),
        (X,),
    ),
    ("scaled_dot_product_attention", lambda q, k, v: attention(q, k, v, dim=-2), (Q, K, V)),
    ("scaled_dot_product_attention", lambda q, k, v: attention(q, k, v, fill=-1.0), (Q, K, V)),
    ("scaled_dot_product_attention", attention_with_weights, (Q, K, V)),
    ("scaled_dot_product_attention", attention_untransposed, (Q, K, V)),
    ("scaled_dot_product_attention", attention_in_float64, (Q, K, V, torch.randn(6, 6).double())),
    ("rope", turned_the_other_way, (Q, COS, SIN)),
    ("rope", turned_unevenly, (Q, COS, SIN)),
    ("gelu_tanh", gelu_other_constant, (X,)),
    ("softcap", lambda x: torch.tanh(x / 30.0) * 20.0, (X,)),
    ("swiglu", lambda a, b: F.silu(a) * b, (X, W)),
    ("cross_entropy", lambda x, t: -F.log_softmax(x, 0)[torch.arange(6), t].mean(), (X[0], TARGET)),
    ("cross_entropy", lambda x, t: -F.log_softmax(x, 1)[torch.arange(3), t[:3]].mean(), (X[0], TARGET)),
    ("interpolate", lambda x: F.interpolate(x, scale_factor=2.0, mode="bicubic"), (Q,)),
    ("embedding_bag", lambda w, i: F.embedding_bag(i, w, mode="max"), (X[0], TARGET.view(2, 3))),
    ("l2_normalize", lambda x: F.normalize(x, p=1.0), (X,)),
]


@pytest.mark.parametrize(
    ("macro", "fn", "args"),
    NEAR,
    ids=[f"{m}-{f.__name__.strip('<>')}-{i}" for i, (m, f, _) in enumerate(NEAR)],
)
def test_is_not_raised(run: Any, macro: str, fn: Any, args: Any) -> None:
    outcome = run(fn, args, train=fn is not written_in_between and macro != "embedding_bag")
    assert outcome.raised[macro] == 0
    outcome.assert_unchanged()


def test_a_shifted_triangle_is_a_mask_and_not_causal(run: Any) -> None:
    """It may be raised, but with its own mask."""
    outcome = run(attention_shifted_triangle, (Q, K, V))
    assert outcome.raised["scaled_dot_product_attention"] == 1
    outcome.assert_unchanged()


def test_rows_without_any_visible_key_stay_not_a_number(run: Any) -> None:
    """Hand-written softmax gives NaN there, the named composite zeros; each keeps its own."""
    visible = torch.ones(6, 6, dtype=torch.bool).tril(-1)

    def by_hand(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> Tensor:
        scores = (q @ k.mT * 0.5).masked_fill(~m, float("-inf"))
        return torch.softmax(scores, -1) @ v

    def by_name(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=m)

    for form, expected in ((by_hand, True), (by_name, False)):
        outcome = run(form, (Q, K, V, visible), train=False)
        assert outcome.raised["scaled_dot_product_attention"] == 1
        outcome.assert_unchanged()
        assert bool(outcome.compiled[0][:, :, 0].isnan().all()) is expected


def test_scores_divided_by_zero_are_left_alone(run: Any) -> None:
    outcome = run(lambda q, k, v: attention_divided_by(q, k, v, by=0.0), (Q, K, V), train=False)
    assert outcome.raised["scaled_dot_product_attention"] == 0
    outcome.assert_unchanged()


def test_classes_that_an_index_counts_from_the_end_stay_what_they_are(run: Any) -> None:
    targets = torch.tensor([-1, 0, -6, 3, 1, 5])
    outcome = run(lambda x, t: -F.log_softmax(x, -1)[torch.arange(6), t].mean(), (X[0], targets))
    assert outcome.raised["cross_entropy"] == 1
    outcome.assert_unchanged()


@pytest.mark.parametrize("eps", [1e-12, 1e-6])
def test_the_gradient_of_a_normalized_row_of_zeros_is_finite(run: Any, eps: float) -> None:
    rows = torch.cat((torch.zeros(2, 6), X[0]))
    for form in (
        lambda x: F.normalize(x, dim=-1, eps=eps),
        lambda x: x / x.norm(2, -1, keepdim=True).clamp_min(eps),
    ):
        outcome = run(form, (rows,))
        assert outcome.raised["l2_normalize"] == 1
        outcome.assert_unchanged()


def test_nothing_that_is_written_out_is_raised_under_autocast(run: Any) -> None:
    def program(x: Tensor, w: Tensor) -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    outcome = run(program, (X, W), train=False)
    assert outcome.raised == {}
    outcome.assert_unchanged()


def test_a_shared_intermediate_is_kept_for_its_other_reader(run: Any) -> None:
    """The repeated keys are read again, so attention takes them as they are."""

    def program(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        keys = k.repeat_interleave(2, dim=1)
        weights = torch.softmax(q @ keys.transpose(-1, -2) * 0.5, -1)
        return weights @ v, keys + 1

    outcome = run(program, (Q, K[:, :2], V))
    assert outcome.raised["scaled_dot_product_attention"] == 1
    outcome.assert_unchanged()
