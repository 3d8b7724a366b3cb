"""Scaled dot-product attention in the form PyTorch selects on CPU, with the logsumexp its backward consumes.

Shapes: query [B, H, L, D], key and value [B, K, S, D] with ``H`` a multiple of ``K`` (grouped-query
attention). The results have the memory order [B, L, H, D] and the logsumexp [B, L, H], as the operator has in
eager. A row whose every key is masked gives zeros and logsumexp 0.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from torchport.contract.decompositions.layout import is_row_major, reshaped
from torchport.contract.decompositions.precision import compute_dtype, constant, narrow, positions, widen


def _scale(query: Tensor, scale: float | None) -> float:
    if scale is not None:
        return scale
    width = query.size(3)
    return 1 / math.sqrt(width) if isinstance(width, int) else torch.sym_float(width) ** -0.5


def _fold(x: Tensor) -> Tensor:
    """[B, H, L, D] as [B H, L, D]."""
    batch, heads, length, width = x.shape
    size = [batch * heads, length, width]
    return x.view(size) if is_row_major(x) else reshaped(x, size)


def _to_heads(x: Tensor, query: Tensor) -> Tensor:
    """Key or value [B, K, S, D] repeated to the heads of ``query``: [B, H, S, D]."""
    batch, kv_heads, length, width = x.shape
    heads = query.size(1)
    if not _grouped(query, x):
        return x
    repeats = heads // kv_heads
    expanded = x.unsqueeze(2).expand(batch, kv_heads, repeats, length, width)
    return expanded.clone(memory_format=torch.contiguous_format).view(batch, heads, length, width)


def _from_heads(grad: Tensor, query: Tensor, x: Tensor) -> Tensor:
    """The adjoint of :func:`_to_heads`: sums the gradients of the heads that share a key or value head."""
    batch, kv_heads, length, width = x.shape
    if not _grouped(query, x):
        return grad
    return grad.view(batch, kv_heads, query.size(1) // kv_heads, length, width).sum([2])


def _grouped(query: Tensor, x: Tensor) -> bool:
    heads, kv_heads = query.size(1), x.size(1)
    return isinstance(heads, int) and isinstance(kv_heads, int) and heads != kv_heads


def _scores(query: Tensor, key: Tensor, is_causal: bool, attn_mask: Tensor | None, scale: float) -> Tensor:
    """Masked scores [B, H, L, S] in the compute dtype; query and key are widened and have the same heads."""
    batch, heads, length, _ = query.shape
    keys = key.size(2)
    scores = torch.bmm(_fold(query * scale), _fold(key).permute(0, 2, 1)).view(batch, heads, length, keys)
    if is_causal:
        future = positions(keys, query) > positions(length, query).unsqueeze(1)
        scores = torch.where(future, constant(-math.inf, scores), scores)
    if attn_mask is not None:
        scores = scores + widen(attn_mask)
    return scores


def _by_length(x: Tensor, *order: int) -> Tensor:
    """``x`` with the memory order ``order``, its logical order unchanged."""
    inverse = [order.index(d) for d in range(len(order))]
    return x.permute(order).clone(memory_format=torch.contiguous_format).permute(inverse)


def flash_attention_for_cpu(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """``softmax(scale q kᵀ + mask) v`` [B, H, L, D] and the logsumexp of the masked scores [B, H, L]."""
    batch, heads, length, width = query.shape
    q, k, v = (widen(x) for x in (query, key, value))
    scores = _scores(q, _to_heads(k, q), is_causal, attn_mask, _scale(query, scale))
    m = scores.amax([3], keepdim=True)
    if attn_mask is not None:
        m = torch.where(m == -math.inf, constant(0, m), m)
    e = torch.exp(scores - m)
    total = e.sum([3], keepdim=True)
    if attn_mask is not None:
        total = torch.where(total == 0, constant(1, total), total)
    weights = (e / total).view(batch * heads, length, key.size(2))
    output = torch.bmm(weights, _fold(_to_heads(v, q))).view(batch, heads, length, width)
    logsumexp = (m + torch.log(total)).squeeze((3,))
    return _by_length(narrow(output, query.dtype), 0, 2, 1, 3), _by_length(logsumexp, 0, 2, 1)


def flash_attention_for_cpu_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """``P = exp(scores - logsumexp)``, ``dS = P (g vᵀ - sum(g out))``; ``dS k``, ``dSᵀ q``, ``Pᵀ g``."""
    batch, heads, length, width = query.shape
    keys = key.size(2)
    factor = _scale(query, scale)
    q, k, v, g = (widen(x) for x in (query, key, value, grad_out))
    k_heads, v_heads = _to_heads(k, q), _to_heads(v, q)
    scores = _scores(q, k_heads, is_causal, attn_mask, factor)
    weights = torch.exp(scores - logsumexp.to(compute_dtype(query.dtype)).unsqueeze(3))
    folded_g = _fold(g)
    grad_weights = torch.bmm(folded_g, _fold(v_heads).permute(0, 2, 1)).view(batch, heads, length, keys)
    delta = (g * widen(out)).sum([3], keepdim=True)
    grad_scores = _fold((grad_weights - delta) * weights * factor)
    grad_q = torch.bmm(grad_scores, _fold(k_heads)).view(batch, heads, length, width)
    grad_k = torch.bmm(grad_scores.permute(0, 2, 1), _fold(q)).view(batch, heads, keys, width)
    grad_v = torch.bmm(_fold(weights).permute(0, 2, 1), folded_g).view(batch, heads, keys, width)
    return (
        _by_length(narrow(grad_q, query.dtype), 0, 2, 1, 3),
        _by_length(narrow(_from_heads(grad_k, q, key), key.dtype), 0, 2, 1, 3),
        _by_length(narrow(_from_heads(grad_v, q, value), value.dtype), 0, 2, 1, 3),
    )
