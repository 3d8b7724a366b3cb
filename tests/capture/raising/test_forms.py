"""Forms that people write are raised, in inference and in training, and nothing changes."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


X, W, B = draw(2, 5, 8), draw(8, seed=1), draw(8, seed=2)
Q, K, V = draw(2, 4, 6, 8), draw(2, 2, 6, 8, seed=1), draw(2, 2, 6, 8, seed=2)
KEYS, VALUES = draw(2, 4, 6, 8, seed=3), draw(2, 4, 6, 8, seed=4)
COS, SIN = draw(6, 8, seed=5), draw(6, 8, seed=6)
LOGITS, TARGET = draw(10, 7), torch.randint(0, 7, (10,), generator=torch.Generator().manual_seed(1))


def rms_as_in_llama(x: Tensor, w: Tensor) -> Tensor:
    wide = x.to(torch.float32)
    variance = wide.pow(2).mean(-1, keepdim=True)
    wide = wide * torch.rsqrt(variance + 1e-6)
    return w * wide.to(x.dtype)


def rms_with_a_square_root(x: Tensor, w: Tensor) -> Tensor:
    return x / torch.sqrt(torch.mean(x * x, dim=-1, keepdim=True) + 1e-6) * w


def rms_as_in_gemma(x: Tensor, w: Tensor) -> Tensor:
    wide = x.float()
    normed = wide * torch.rsqrt(1e-6 + wide.square().mean([-1], keepdim=True))
    return (normed * (1.0 + w.float())).type_as(x)


def rms_without_weight(x: Tensor, w: Tensor) -> Tensor:
    return x * (x**2).mean(2, True).add(1e-6).pow(-0.5)


def layer_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).pow(2).mean(-1, keepdim=True)
    return w * ((x - mean) / torch.sqrt(variance + 1e-5)) + b


def layer_with_var(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5) * w + b


def rotate_half(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rotate_chunks(x: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def rotate_pairs(x: Tensor) -> Tensor:
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)


def gelu_new(x: Tensor) -> Tensor:
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


def gelu_fast(x: Tensor) -> Tensor:
    return 0.5 * x * (1.0 + torch.tanh(x * 0.7978845608 * (1.0 + 0.044715 * x * x)))


def repeat(x: Tensor, n: int) -> Tensor:
    b, heads, length, width = x.shape
    return x[:, :, None, :, :].expand(b, heads, n, length, width).reshape(b, heads * n, length, width)


def attention_as_in_llama(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    scores = torch.matmul(q, repeat(k, 2).transpose(2, 3)) * 8**-0.5 + mask
    weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    return torch.matmul(F.dropout(weights, p=0.0, training=True), repeat(v, 2))


def attention_with_a_triangle(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.size(-1))
    hidden = torch.tril(torch.ones(6, 6)) == 0
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v


def attention_with_an_added_triangle(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (q * 0.25) @ k.transpose(-1, -2)
    scores += torch.triu(torch.full((6, 6), float("-inf")), diagonal=1)
    return torch.softmax(scores, -1) @ v


def attention_with_dropout(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = torch.softmax(torch.matmul(q, k.transpose(-2, -1)) / 2.0, dim=-1)
    return torch.matmul(F.dropout(weights, 0.5), v)


def attention_with_a_hidden_mask(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    scores = torch.matmul(q, k.transpose(-2, -1)) * 0.5
    return torch.softmax(scores.masked_fill(~visible, -torch.inf), -1) @ v


def loss_by_index(x: Tensor, t: Tensor) -> Tensor:
    return -F.log_softmax(x, dim=-1)[torch.arange(10), t].mean()


def loss_by_gather(x: Tensor, t: Tensor) -> Tensor:
    return -x.log_softmax(1).gather(1, t.unsqueeze(1)).squeeze(1).mean()


def loss_by_logsumexp(x: Tensor, t: Tensor) -> Tensor:
    return (torch.logsumexp(x, -1) - x.gather(-1, t[:, None].squeeze(-1).unsqueeze(-1)).squeeze(-1)).mean()


def loss_in_two_calls(x: Tensor, t: Tensor) -> Tensor:
    return F.nll_loss(F.log_softmax(x, dim=-1), t)


def route(x: Tensor) -> tuple[Tensor, Tensor]:
    weights, experts = torch.topk(F.softmax(x, dim=-1), 2, dim=-1)
    weights /= weights.sum(dim=-1, keepdim=True)
    return weights, experts


MASK = torch.where(torch.ones(6, 6).tril() > 0, 0.0, torch.finfo(torch.float32).min)
VISIBLE = torch.ones(6, 6, dtype=torch.bool).tril()
INT8 = torch.randint(-8, 8, (3, 8), generator=torch.Generator().manual_seed(2)).to(torch.int8)
FORMS: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("rms_norm", rms_as_in_llama, (X, W)),
    ("rms_norm", rms_with_a_square_root, (X, W)),
    ("rms_norm", rms_as_in_gemma, (X, W)),
    ("rms_norm", rms_without_weight, (X, W)),
    ("layer_norm", layer_by_hand, (X, W, B)),
    ("layer_norm", layer_with_var, (X, W, B)),
    ("rope", lambda x, c, s: (x * c) + (rotate_half(x) * s), (Q, COS, SIN)),
    ("rope", lambda x, c, s: rotate_chunks(x) * s + x * c, (Q, COS, SIN)),
    ("rope", lambda x, c, s: (x * c) + (rotate_pairs(x) * s), (Q, COS, SIN)),
    ("rope", lambda x, c, s: x * c + rotate_half(x) * s, (Q.transpose(1, 2), COS[0], SIN[0])),
    ("swiglu", lambda a, b: F.silu(a) * b, (X, X + 1)),
    ("swiglu", lambda a, b: a * torch.sigmoid(a) * b, (X, X + 1)),
    ("geglu", lambda a, b: F.gelu(a, approximate="tanh") * b, (X, X + 1)),
    ("silu_and_mul", lambda x: F.silu(x[..., :4]) * x[..., 4:], (X,)),
    ("gelu_tanh", gelu_new, (X,)),
    ("gelu_tanh", gelu_fast, (X,)),
    ("relu_squared", lambda x: torch.relu(x).square(), (X,)),
    ("softcap", lambda x: torch.tanh(x / 30.0) * 30.0, (X,)),
    ("l2_normalize", lambda x: x / x.norm(p=2, dim=-1, keepdim=True).clamp_min(1e-6), (X,)),
    ("scaled_dot_product_attention", attention_as_in_llama, (Q, K, V, MASK)),
    ("scaled_dot_product_attention", attention_with_a_triangle, (Q, KEYS, VALUES)),
    ("scaled_dot_product_attention", attention_with_an_added_triangle, (Q, KEYS, VALUES)),
    ("scaled_dot_product_attention", attention_with_dropout, (Q, KEYS, VALUES)),
    ("scaled_dot_product_attention", attention_with_a_hidden_mask, (Q, KEYS, VALUES, VISIBLE)),
    ("cross_entropy", loss_by_index, (LOGITS, TARGET)),
    ("cross_entropy", loss_by_gather, (LOGITS, TARGET)),
    ("cross_entropy", loss_by_logsumexp, (LOGITS, TARGET)),
    ("cross_entropy", loss_in_two_calls, (LOGITS, TARGET)),
    ("expert_dispatch", route, (LOGITS,)),
    ("quantized_linear", lambda x, q, s: F.linear(x, q.to(x.dtype) * s), (X, INT8, draw(3, 1))),
    (
        "kv_cache_write",
        lambda c, p, u: c.index_copy(2, p, u),
        (Q, torch.tensor([1, 3]), draw(2, 4, 2, 8)),
    ),
]


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize(
    ("macro", "fn", "args"),
    FORMS,
    ids=[f"{m}-{f.__name__.strip('<>')}-{i}" for i, (m, f, _) in enumerate(FORMS)],
)
def test_is_raised_and_changes_nothing(run: Any, macro: str, fn: Any, args: Any, train: bool) -> None:
    outcome = run(fn, args, train=train)
    assert outcome.raised[macro] == 1, outcome.reports.macros
    outcome.assert_unchanged()


NAMED: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("linear", lambda x, w, b: F.linear(x, w, b), (X, draw(3, 8), draw(3))),
    ("matmul", lambda a, b: a @ b, (Q, COS.T)),
    ("layer_norm", lambda x, w, b: F.layer_norm(x, [8], w, b), (X, W, B)),
    ("rms_norm", lambda x, w: F.rms_norm(x, [8], w), (X, W)),
    ("group_norm", lambda x, w, b: F.group_norm(x, 2, w, b), (Q, W[:4], B[:4])),
    ("instance_norm", lambda x: F.instance_norm(x), (Q,)),
    (
        "batch_norm_inference",
        lambda x, m, v: F.batch_norm(x, m.detach(), v.detach().abs() + 1),
        (Q, W[:4], B[:4]),
    ),
    ("l2_normalize", lambda x: F.normalize(x, dim=1), (X,)),
    ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), (X,)),
    (
        "cross_entropy",
        lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1, ignore_index=3),
        (LOGITS, TARGET),
    ),
    ("cross_entropy", lambda x, t: F.cross_entropy(x, t, reduction="sum"), (LOGITS, TARGET)),
    ("interpolate", lambda x: F.interpolate(x, scale_factor=2.0), (Q,)),
    ("interpolate", lambda x: F.interpolate(x, size=(9, 5), mode="bilinear", align_corners=True), (Q,)),
    (
        "embedding_bag",
        lambda w, i, o: F.embedding_bag(i, w, o, mode="sum"),
        (LOGITS, TARGET, torch.tensor([0, 4])),
    ),
    ("embedding_bag", lambda w, i: F.embedding_bag(i, w), (LOGITS, TARGET.view(2, 5))),
    (
        "scaled_dot_product_attention",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True),
        (Q, K, V),
    ),
    (
        "scaled_dot_product_attention",
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m, scale=0.3),
        (Q, KEYS, VALUES, VISIBLE & (torch.arange(6) != 2)[:, None]),
    ),
]


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize(
    ("macro", "fn", "args"), NAMED, ids=[f"{m}-{i}" for i, (m, _, _) in enumerate(NAMED)]
)
def test_composites_called_by_name_arrive_as_themselves(
    run: Any, macro: str, fn: Any, args: Any, train: bool
) -> None:
    outcome = run(fn, args, train=train)
    assert outcome.raised == {macro: 1}, outcome.reports.macros
    outcome.assert_unchanged()


def test_batch_norm_updates_its_statistics(run: Any) -> None:
    mean, var = torch.zeros(4), torch.ones(4)

    def train(x: Tensor, m: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return F.batch_norm(x, m, v, training=True, momentum=0.5), m.clone(), v.clone()

    outcome = run(train, (Q, mean, var), train=False, copy=True)
    assert outcome.raised == {"batch_norm_training": 1}
    outcome.assert_unchanged()
    assert not torch.equal(outcome.compiled[1], mean)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("form", [rms_as_in_llama, rms_as_in_gemma])
def test_sixteen_bits_are_as_close_to_float64_as_eager(run: Any, dtype: torch.dtype, form: Any) -> None:
    x, w = X.to(dtype), W.to(dtype)
    outcome = run(form, (x, w), train=False)
    assert outcome.raised == {"rms_norm": 1}
    exact = form(x.double(), w.double())
    if form is rms_as_in_llama:
        wide = x.double()
        exact = w.double() * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6))
    ours, eager = ((t.double() - exact).abs() for t in (outcome.compiled[0], outcome.eager[0]))
    assert (ours <= 2 * eager + torch.finfo(dtype).eps * exact.abs()).all()


@pytest.mark.parametrize(
    ("macro", "fn", "args"),
    [
        ("rms_norm", lambda x, w: rms_as_in_llama(x, w), (X, W)),
        ("cross_entropy", lambda x, t: F.cross_entropy(x.view(-1, 7), t.view(-1)), (LOGITS, TARGET)),
        ("rope", lambda x, c, s: x * c + rotate_half(x) * s, (Q, COS, SIN)),
        ("scaled_dot_product_attention", attention_with_dropout, (Q, KEYS, VALUES)),
        ("swiglu", lambda a, b: F.silu(a) * b, (X, X + 1)),
    ],
)
def test_leading_sizes_may_be_symbolic(run: Any, macro: str, fn: Any, args: Any) -> None:
    given = [a.clone() for a in args]
    for tensor in given:
        if tensor.size(0) == given[0].size(0):
            torch._dynamo.mark_dynamic(tensor, 0)
    outcome = run(fn, given, train=False)
    assert outcome.raised == {macro: 1}, outcome.reports.macros
    outcome.assert_unchanged()


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("kind", ["lstm", "gru"])
@pytest.mark.parametrize("layers", [1, 2])
def test_recurrences_are_raised_by_layer_and_direction(run: Any, kind: str, layers: int, train: bool) -> None:
    torch.manual_seed(2)
    module = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[kind](
        8, 6, num_layers=layers, bidirectional=layers == 2, batch_first=True, bias=layers == 2
    ).train(train)
    names = [n for n, _ in module.named_parameters()]

    def program(x: Tensor, *weights: Tensor) -> Any:
        return torch.func.functional_call(module, dict(zip(names, weights, strict=True)), (x,))

    with torch._dynamo.config.patch(allow_rnn=True):
        outcome = run(program, (X, *(p.detach() for p in module.parameters())), train=train)
    assert outcome.raised == {kind: layers * layers}
    outcome.assert_unchanged()
