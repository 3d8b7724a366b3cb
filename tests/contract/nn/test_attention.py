"""Attention: masks, causal rows, grouped heads, fully masked rows, logsumexp, gradients, symbolic sizes."""

from __future__ import annotations

import math

import pytest
import torch

from torchport.contract.decompositions import attention as ours

FORWARD = "aten._scaled_dot_product_flash_attention_for_cpu.default"
BACKWARD = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default"


def draw(*shape: int, seed: int = 0, scale: float = 1.0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * scale


def heads_last(x: torch.Tensor) -> torch.Tensor:
    """The same values with the memory order [B, L, H, D], as a model's projection leaves them."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def operands(queries: int = 5, keys: int = 7, kv_heads: int = 4):
    q, k, v = draw(2, 4, queries, 8), draw(2, kv_heads, keys, 8, seed=1), draw(2, kv_heads, keys, 8, seed=2)
    return q, k, v


def mask_of(kind: str, queries: int, keys: int):
    if kind == "none":
        return None
    mask = draw(
        *{"full": (2, 4, queries, keys), "plane": (queries, keys), "keys": (2, 1, 1, keys)}[kind], seed=9
    )
    mask[..., -1] = -math.inf
    if kind == "plane":
        mask[-1] = -math.inf
    return mask


CASES = [(m, c, s) for m in ("none", "full", "plane", "keys") for c in (False, True) for s in (None, 0.3)]


@pytest.mark.parametrize(("mask", "causal", "scale"), CASES, ids=str)
@pytest.mark.parametrize(("queries", "keys"), [(5, 7), (6, 3), (1, 1)], ids=str)
def test_forward(mask, causal, scale, queries, keys, accurate):
    m = mask_of(mask, queries, keys)

    def call(f, q, k, v, m):
        return f(q, k, v, 0.0, causal, attn_mask=m, scale=scale)

    accurate(FORWARD, ours.flash_attention_for_cpu, [*operands(queries, keys), m], call)


@pytest.mark.parametrize(("mask", "causal", "scale"), CASES, ids=str)
def test_backward(mask, causal, scale, accurate):
    q, k, v = operands()
    m, g = mask_of(mask, 5, 7), draw(2, 4, 5, 8, seed=4)

    def call(f, g, q, k, v, out, logsumexp, m):
        return f(g, q, k, v, out, logsumexp, 0.0, causal, attn_mask=m, scale=scale)

    out, logsumexp = ours.flash_attention_for_cpu(q, k, v, 0.0, causal, attn_mask=m, scale=scale)
    accurate(
        BACKWARD,
        ours.flash_attention_for_cpu_backward,
        [g, q, k, v, out, logsumexp, m],
        call,
        (torch.float32,),
    )


def formula(causal: bool, mask: torch.Tensor | None, kv_heads: int):
    def attention(q, k, v):
        k, v = (t.repeat_interleave(q.shape[1] // kv_heads, 1) for t in (k, v))
        s = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
        if causal:
            s = s.masked_fill(torch.ones(s.shape[2:], dtype=torch.bool).triu(1), -math.inf)
        if mask is not None:
            s = s + mask
        dead = (s == -math.inf).all(3, keepdim=True)
        p = torch.softmax(s.masked_fill(dead, 0.0), 3)
        return p.masked_fill(dead, 0.0) @ v

    return attention


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", ["none", "plane", "full"])
def test_gradients_equal_autograd(kv_heads, causal, mask, differentiable):
    q, k, v, g = (t.float() for t in (*operands(kv_heads=kv_heads), draw(2, 4, 5, 8, seed=4)))
    m = mask_of(mask, 5, 7)
    m32 = None if m is None else m.float()
    out, logsumexp = ours.flash_attention_for_cpu(q, k, v, 0.0, causal, attn_mask=m32)
    exact = formula(causal, None if m32 is None else m32.double(), kv_heads)
    assert (out.double() - exact(q.double(), k.double(), v.double())).abs().max() < 1e-6
    grads = ours.flash_attention_for_cpu_backward(g, q, k, v, out, logsumexp, 0.0, causal, attn_mask=m32)
    differentiable(grads, exact, [q, k, v], g)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_low_precision_gradients_are_close_to_float64(dtype, differentiable):
    q, k, v, g = (t.to(dtype) for t in (*operands(), draw(2, 4, 5, 8, seed=4)))
    out, logsumexp = ours.flash_attention_for_cpu(q, k, v, 0.0, True)
    assert logsumexp.dtype == torch.float32
    grads = ours.flash_attention_for_cpu_backward(g, q, k, v, out, logsumexp, 0.0, True)
    assert all(t.dtype == dtype for t in grads)
    differentiable(grads, formula(True, None, 4), [q, k, v], g)


def test_second_output_is_the_logsumexp_that_the_backward_of_eager_accepts():
    q, k, v, g = (t.float() for t in (*operands(), draw(2, 4, 5, 8, seed=4)))
    out, logsumexp = ours.flash_attention_for_cpu(q, k, v, 0.0, True)
    theirs = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
        g, q, k, v, out, logsumexp, 0.0, True
    )
    mine = ours.flash_attention_for_cpu_backward(g, q, k, v, out, logsumexp, 0.0, True)
    for a, b in zip(mine, theirs, strict=True):
        assert (a - b).abs().max() < 2e-6


def test_strides_are_those_of_eager():
    q, k, v = (heads_last(t.float()) for t in operands())
    want = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v)
    got = ours.flash_attention_for_cpu(q, k, v)
    assert [t.stride() for t in got] == [t.stride() for t in want]
    grads = ours.flash_attention_for_cpu_backward(q, q, k, v, *got, 0.0, False)
    theirs = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
        q, q, k, v, *want, 0.0, False
    )
    assert [t.stride() for t in grads] == [t.stride() for t in theirs]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_sizes_stay_symbolic(causal, masked, symbolic):
    def tensors(batch, queries, keys):
        q, k = heads_last(draw(batch, 4, queries, 8)), heads_last(draw(batch, 4, keys, 8, seed=1))
        return [q, k, heads_last(draw(batch, 4, keys, 8, seed=2)), draw(queries, keys) if masked else None]

    a, b = tensors(2, 5, 7), tensors(3, 6, 9)
    symbolic(
        FORWARD,
        ours.flash_attention_for_cpu,
        a,
        b,
        lambda f, q, k, v, m: f(q, k, v, 0.0, causal, attn_mask=m),
    )

    def backward(f, q, k, v, m):
        out, logsumexp = ours.flash_attention_for_cpu(q, k, v, 0.0, causal, attn_mask=m)
        return f(q, q, k, v, out, logsumexp, 0.0, causal, attn_mask=m)

    symbolic(BACKWARD, ours.flash_attention_for_cpu_backward, a, b, backward)
