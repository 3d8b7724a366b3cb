"""Attention as PyTorch's device kernels offer it: outputs, the logsumexp that their backwards consume, and
the seed and offset that their dropout is a function of.

The forward is ``D ∘ softmax(scale q kᵀ + bias) v`` with dropout factors D (0 or 1 / (1 - p)); with P the
softmax and g the gradient of the output o, the backward is ``dS = P ∘ (D ∘ (g vᵀ) - sum(g ∘ o))``, from which
``dS k``, ``dSᵀ q``, ``(D ∘ P)ᵀ g`` and, of the bias, ``dS`` follow (Dao et al., "FlashAttention", NeurIPS
2022, algorithm 4). A row whose every key is masked gives zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.attention import _fold, _from_heads, _scale, _to_heads
from torchport.contract.decompositions.precision import constant, narrow, positions, widen

Gradients = tuple[Tensor, Tensor, Tensor]
SEEDS = 2**31 - 1
PADDED = 32
"""The efficient kernel's logsumexp is padded to a multiple of this, with infinity."""


# --- dropout as a function of a seed and an offset ---


def _seed(dropout_p: float, like: Tensor) -> tuple[Tensor, Tensor]:
    """A drawn seed and offset 0, int64 0-d; both 0 without dropout."""
    zero = torch.full((), 0, dtype=torch.int64, device=like.device)
    if dropout_p == 0:
        return zero, torch.full((), 0, dtype=torch.int64, device=like.device)
    draw: Callable[..., Tensor] = torch.ops.aten.randint.low
    return draw(1, SEEDS, [], dtype=torch.int64, device=like.device), zero


def _factors(shape: Sequence[int], dropout_p: float, seed: Tensor, offset: Tensor) -> Tensor | None:
    """What dropout multiplies the weights by; None without dropout."""
    if dropout_p == 0:
        return None
    keyed: Callable[..., Tensor] = torch.ops.torchport.keyed_uniform.default
    kept = keyed(shape, seed.to(torch.int64), offset.to(torch.int64)) >= dropout_p
    return kept.to(torch.float32) * (1.0 / (1.0 - dropout_p))


def _words(seed: Tensor, offset: Tensor) -> tuple[Tensor, Tensor]:
    """Seed and offset as the uint64 pair and the unused word of the flash kernels."""
    pair = torch.stack([seed, offset]).to(torch.uint64)
    return pair, torch.full((), 0, dtype=torch.int64, device=seed.device).to(torch.uint64)


def _of_words(pair: Tensor) -> tuple[Tensor, Tensor]:
    words = pair.to(torch.int64)
    return words.select(0, 0), words.select(0, 1)


# --- the mathematics, on [batch, heads, length, width] ---


def _masked(query: Tensor, key: Tensor, bias: Tensor | None, causal: bool, scale: float) -> Tensor:
    batch, heads, length, _ = query.shape
    keys = key.size(2)
    scores = torch.bmm(_fold(query * scale), _fold(key).permute(0, 2, 1)).view(batch, heads, length, keys)
    if bias is not None:
        scores = scores + widen(bias)
    if causal:
        future = positions(keys, query) > positions(length, query).unsqueeze(1)
        scores = torch.where(future, constant(-math.inf, scores), scores)
    return scores


def _attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None,
    causal: bool,
    scale: float | None,
    factors: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Output [B, H, L, Dv] and logsumexp [B, H, L], both in the compute dtype."""
    q, k, v = (widen(x) for x in (query, key, value))
    scores = _masked(q, _to_heads(k, q), bias, causal, _scale(query, scale))
    m = scores.amax([3], keepdim=True)
    m = torch.where(m == -math.inf, constant(0, m), m)
    e = torch.exp(scores - m)
    total = e.sum([3], keepdim=True)
    total = torch.where(total == 0, constant(1, total), total)
    weights = e / total
    if factors is not None:
        weights = weights * factors.to(weights.dtype)
    batch, heads, length, _ = query.shape
    output = torch.bmm(_fold(weights), _fold(_to_heads(v, q)))
    return output.view(batch, heads, length, value.size(3)), (m + torch.log(total)).squeeze((3,))


def _differentiate(
    grad: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None,
    out: Tensor,
    logsumexp: Tensor,
    causal: bool,
    scale: float | None,
    factors: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Gradients of query, key, value and scores, in the compute dtype."""
    batch, heads, length, width = query.shape
    keys, factor = key.size(2), _scale(query, scale)
    q, k, v, g = (widen(x) for x in (query, key, value, grad))
    k_heads, v_heads = _to_heads(k, q), _to_heads(v, q)
    scores = _masked(q, k_heads, bias, causal, factor)
    weights = torch.exp(scores - logsumexp.to(q.dtype).unsqueeze(3))
    folded = _fold(g)
    of_weights = torch.bmm(folded, _fold(v_heads).permute(0, 2, 1)).view(batch, heads, length, keys)
    dropped = weights
    if factors is not None:
        of_weights, dropped = of_weights * factors.to(q.dtype), weights * factors.to(q.dtype)
    of_scores = (of_weights - (g * widen(out)).sum([3], keepdim=True)) * weights
    ds = _fold(of_scores * factor)
    of_q = torch.bmm(ds, _fold(k_heads)).view(batch, heads, length, width)
    of_k = torch.bmm(ds.permute(0, 2, 1), _fold(q)).view(batch, heads, keys, width)
    of_v = torch.bmm(_fold(dropped).permute(0, 2, 1), folded).view(batch, heads, keys, value.size(3))
    return of_q, _from_heads(of_k, q, key), _from_heads(of_v, q, value), of_scores


def _sum_to(x: Tensor, target: Tensor) -> Tensor:
    """``x`` summed over the dimensions that ``target`` broadcasts in."""
    lead = x.dim() - target.dim()
    if lead:
        x = x.sum(list(range(lead)))
    ones = [d for d in range(target.dim()) if _is_one(target.size(d)) and not _is_one(x.size(d))]
    return x.sum(ones, keepdim=True) if ones else x


def _is_one(size: int) -> bool:
    return isinstance(size, int) and size == 1


def _padded(logsumexp: Tensor, wanted: bool) -> Tensor:
    """The efficient kernel's logsumexp: padded with infinity, or with no columns where it is not wanted."""
    batch, heads, length = logsumexp.shape
    if not wanted:
        return torch.full((batch, heads, 0), 0, dtype=logsumexp.dtype, device=logsumexp.device)
    fill = (length + PADDED - 1) // PADDED * PADDED - length
    pad: Callable[..., Tensor] = torch.ops.aten.constant_pad_nd.default
    return pad(logsumexp, [0, fill], math.inf)


# --- scaled dot-product attention of the device kernels ---

Flash = tuple[Tensor, Tensor, None, None, int, int, Tensor, Tensor, Tensor]


def flash(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    return_debug_mask: bool = False,
    *,
    scale: float | None = None,
) -> Flash:
    """Output, logsumexp, two absent tensors, both lengths, the words of the dropout and an empty tensor."""
    seed, offset = _seed(dropout_p, query)
    factors = _factors([*query.shape[:3], key.size(2)], dropout_p, seed, offset)
    output, logsumexp = _attend(query, key, value, None, is_causal, scale, factors)
    pair, unused = _words(seed, offset)
    empty = torch.full((0,), 0, dtype=query.dtype, device=query.device)
    return narrow(output, query.dtype), logsumexp, None, None, query.size(2), key.size(2), pair, unused, empty


def flash_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    cum_seq_q: Tensor | None,
    cum_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    dropout_p: float,
    is_causal: bool,
    philox_seed: Tensor,
    philox_offset: Tensor,
    *,
    scale: float | None = None,
) -> Gradients:
    """Gradients of query, key and value; ``philox_seed`` is the pair of words of the forward."""
    factors = None
    if dropout_p != 0:
        factors = _factors([*query.shape[:3], key.size(2)], dropout_p, *_of_words(philox_seed))
    of_q, of_k, of_v, _ = _differentiate(
        grad_out, query, key, value, None, out, logsumexp, is_causal, scale, factors
    )
    return narrow(of_q, query.dtype), narrow(of_k, key.dtype), narrow(of_v, value.dtype)


def efficient(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | None,
    compute_log_sumexp: bool,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Output, padded logsumexp, seed and offset."""
    seed, offset = _seed(dropout_p, query)
    factors = _factors([*query.shape[:3], key.size(2)], dropout_p, seed, offset)
    output, logsumexp = _attend(query, key, value, attn_bias, is_causal, scale, factors)
    return narrow(output, query.dtype), _padded(logsumexp, compute_log_sumexp), seed, offset


def efficient_backward(
    grad_out_: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | None,
    out: Tensor,
    logsumexp: Tensor,
    philox_seed: Tensor,
    philox_offset: Tensor,
    dropout_p: float,
    grad_input_mask: Sequence[bool],
    is_causal: bool = False,
    *,
    scale: float | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Gradients of query, key, value and, where there is one and it is wanted, the bias."""
    factors = _factors([*query.shape[:3], key.size(2)], dropout_p, philox_seed, philox_offset)
    lse = logsumexp[:, :, : query.size(2)]
    of_q, of_k, of_v, of_scores = _differentiate(
        grad_out_, query, key, value, attn_bias, out, lse, is_causal, scale, factors
    )
    of_bias = None
    if attn_bias is not None and grad_input_mask[3]:
        of_bias = narrow(_sum_to(of_scores, attn_bias), attn_bias.dtype)
    return narrow(of_q, query.dtype), narrow(of_k, key.dtype), narrow(of_v, value.dtype), of_bias


Overrideable = tuple[Tensor, Tensor, None, None, int, int, Tensor, Tensor, None]


def overrideable(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    return_debug_mask: bool = False,
    *,
    scale: float | None = None,
) -> Overrideable:
    """Output, logsumexp, two absent tensors, both lengths, seed, offset and no debug mask."""
    seed, offset = _seed(dropout_p, query)
    factors = _factors([*query.shape[:3], key.size(2)], dropout_p, seed, offset)
    output, logsumexp = _attend(query, key, value, attn_bias, is_causal, scale, factors)
    return narrow(output, query.dtype), logsumexp, None, None, query.size(2), key.size(2), seed, offset, None


def overrideable_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | None,
    grad_input_mask: Sequence[bool],
    out: Tensor,
    logsumexp: Tensor,
    cum_seq_q: Tensor | None,
    cum_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    dropout_p: float,
    is_causal: bool,
    philox_seed: Tensor,
    philox_offset: Tensor,
    *,
    scale: float | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """As :func:`efficient_backward`, with a logsumexp that is not padded."""
    return efficient_backward(
        grad_out, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p,
        grad_input_mask, is_causal, scale=scale,
    )  # fmt: skip


def cudnn(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | None,
    compute_log_sumexp: bool,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    return_debug_mask: bool = False,
    *,
    scale: float | None = None,
) -> Overrideable:
    """As :func:`overrideable`; the logsumexp is [B, H, L, 1]."""
    output, logsumexp, *rest = overrideable(
        query, key, value, attn_bias, dropout_p, is_causal, return_debug_mask, scale=scale
    )
    return output, logsumexp.unsqueeze(3), *rest  # type: ignore[return-value]


def cudnn_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    philox_seed: Tensor,
    philox_offset: Tensor,
    attn_bias: Tensor | None,
    cum_seq_q: Tensor | None,
    cum_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    dropout_p: float,
    is_causal: bool,
    *,
    scale: float | None = None,
) -> Gradients:
    """Gradients of query, key and value."""
    factors = _factors([*query.shape[:3], key.size(2)], dropout_p, philox_seed, philox_offset)
    of_q, of_k, of_v, _ = _differentiate(
        grad_out, query, key, value, attn_bias, out, logsumexp.squeeze((3,)), is_causal, scale, factors
    )
    return narrow(of_q, query.dtype), narrow(of_k, key.dtype), narrow(of_v, value.dtype)


# --- the kernels themselves, on [batch, length, heads, width] ---


def _heads_first(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3)


def flash_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cum_seq_q: Tensor | None,
    cum_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    dropout_p: float,
    is_causal: bool,
    return_debug_mask: bool,
    *,
    scale: float | None = None,
    window_size_left: int | None = None,
    window_size_right: int | None = None,
    seqused_k: Tensor | None = None,
    alibi_slopes: Tensor | None = None,
    block_table: Tensor | None = None,
    num_splits: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Output [B, L, H, D], logsumexp [B, H, L], the words of the dropout and an empty tensor."""
    output, logsumexp, _, _, _, _, pair, unused, empty = flash(
        _heads_first(query), _heads_first(key), _heads_first(value), dropout_p, is_causal, scale=scale
    )
    return _heads_first(output), logsumexp, pair, unused, empty


def flash_forward_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    cum_seq_q: Tensor | None,
    cum_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    dropout_p: float,
    is_causal: bool,
    rng_state: Tensor,
    unused: Tensor,
    *,
    scale: float | None = None,
    window_size_left: int | None = None,
    window_size_right: int | None = None,
) -> Gradients:
    """Gradients [B, L, H, D] of query, key and value."""
    g, q, k, v, o = (_heads_first(x) for x in (grad_out, query, key, value, out))
    found = flash_backward(
        g,
        q,
        k,
        v,
        o,
        logsumexp,
        None,
        None,
        max_q,
        max_k,
        dropout_p,
        is_causal,
        rng_state,
        unused,
        scale=scale,
    )
    of_q, of_k, of_v = (_heads_first(x) for x in found)
    return of_q, of_k, of_v


def efficient_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None,
    cu_seqlens_q: Tensor | None,
    cu_seqlens_k: Tensor | None,
    max_seqlen_q: int | None,
    max_seqlen_k: int | None,
    dropout_p: float,
    custom_mask_type: int,
    compute_log_sumexp: bool = False,
    *,
    scale: float | None = None,
    seqlen_k: Tensor | None = None,
    window_size: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, int, int]:
    """Output [B, L, H, D], padded logsumexp, seed, offset and both lengths; mask type 1 is causal."""
    output, logsumexp, seed, offset = efficient(
        _heads_first(query), _heads_first(key), _heads_first(value), bias, compute_log_sumexp, dropout_p,
        custom_mask_type == 1, scale=scale,
    )  # fmt: skip
    return _heads_first(output), logsumexp, seed, offset, query.size(1), key.size(1)


# --- pieces of transformer layers ---


def transform_bias_rescale_qkv(qkv: Tensor, qkv_bias: Tensor, num_heads: int) -> Gradients:
    """``qkv + bias`` [B, T, 3 H D] as three [B, H, T, D], the first divided by ``sqrt(D)``."""
    batch, length, width = qkv.shape
    depth = width // (3 * num_heads)
    shifted = widen(qkv) + widen(qkv_bias)
    split = shifted.reshape([batch, length, 3, num_heads, depth]).permute(2, 0, 3, 1, 4)
    q, k, v = (split.select(0, i).clone(memory_format=torch.contiguous_format) for i in range(3))
    root = math.sqrt(depth) if isinstance(depth, int) else torch.sym_float(depth) ** 0.5
    return narrow(q / root, qkv.dtype), narrow(k, qkv.dtype), narrow(v, qkv.dtype)


def masked_scale(self: Tensor, mask: Tensor, scale: float) -> Tensor:
    """``x mask scale``."""
    x = widen(self)
    return narrow(x * mask.to(x.dtype) * scale, self.dtype)


def fused_dropout(self: Tensor, p: float, generator: None = None) -> tuple[Tensor, Tensor]:
    """Elements kept with probability ``p``, divided by it, and the mask (uint8) of what was kept."""
    draw: Callable[..., Tensor] = torch.ops.aten.rand.default
    kept = draw(list(self.shape), dtype=torch.float32, device=self.device) < p
    x = widen(self)
    return narrow(x * kept.to(x.dtype) * (1.0 / p), self.dtype), kept.to(torch.uint8)


# --- the keyed generator ---

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW = 0xFFFFFFFF


def _product(a: Tensor, multiplier: int) -> tuple[Tensor, Tensor]:
    """High and low 32 bits of a 32-bit product, in int64 that must not overflow."""
    upper, lower = (a >> 16) * multiplier, (a & 0xFFFF) * multiplier
    shifted = ((upper & 0xFFFF) << 16) + lower
    return ((upper >> 16) + (shifted >> 32)) & _LOW, shifted & _LOW


def keyed_uniform(size: Sequence[int], seed: Tensor, offset: Tensor) -> Tensor:
    """float32 in [0, 1), a function of seed, offset and position.

    Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011, §3.3); the first
    word of each block is used.
    """
    count = 1
    for length in size:
        count = count * length
    c0 = torch.arange(count, device=seed.device) & _LOW
    c2 = torch.zeros_like(c0) + (offset & _LOW)
    c1, c3 = torch.zeros_like(c0), torch.zeros_like(c0)
    k0, k1 = seed & _LOW, (seed >> 32) & _LOW
    for _ in range(10):
        high0, low0 = _product(c0, _MULTIPLIERS[0])
        high1, low1 = _product(c2, _MULTIPLIERS[1])
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + _WEYL[0]) & _LOW, (k1 + _WEYL[1]) & _LOW
    return ((c0 >> 8).to(torch.float32) * 2.0**-24).reshape(list(size))
