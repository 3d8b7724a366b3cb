"""Attention, rotary embedding, score capping and cache writes as one operator each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import constant, narrow, positions, widen
from torchport.contract.dtype_rules import join

MINUS_INFINITY = -math.inf


def _contiguous(x: Tensor) -> Tensor:
    return x if x.is_contiguous() else x.clone(memory_format=torch.contiguous_format)


def _grouped(query: Tensor, key: Tensor) -> tuple[int, int, int]:
    """Batches of independent key heads, query heads a key head, and query rows: the sizes of the products.

    The heads that share a key head are rows of one product, so no key is repeated.
    """
    batches = prod(key.shape[:-2])
    sharing = query.shape[-3] // key.shape[-3] if query.dim() > 3 else 1
    return batches, sharing, query.shape[-2]


def _scale(query: Tensor, scale: float | None) -> float:
    if scale is not None:
        return scale
    width = query.size(-1)
    return 1 / math.sqrt(width) if isinstance(width, int) else torch.sym_float(width) ** -0.5


def _weights(
    query: Tensor, key: Tensor, mask: Tensor | None, is_causal: bool, scale: float, zero_masked_rows: bool
) -> Tensor:
    """Softmax of the masked scores, [*batch, L, S]; query and key are widened."""
    batches, sharing, rows = _grouped(query, key)
    width, keys = query.shape[-1], key.shape[-2]
    q = _contiguous(query * scale).view([batches, sharing * rows, width])
    k = _contiguous(key).view([batches, keys, width])
    scores = torch.bmm(q, k.permute(0, 2, 1)).view([*query.shape[:-1], keys])
    if is_causal:
        visible = positions(keys, query) <= positions(rows, query).unsqueeze(1)
        scores = torch.where(visible, scores, constant(MINUS_INFINITY, scores))
    if mask is not None and mask.dtype == torch.bool:
        scores = torch.where(mask, scores, constant(MINUS_INFINITY, scores))
    elif mask is not None:
        scores = scores + widen(mask)
    top = scores.amax([-1], keepdim=True)
    if zero_masked_rows and mask is not None:
        top = torch.where(top == MINUS_INFINITY, constant(0, top), top)
    e = torch.exp(scores - top)
    total = e.sum([-1], keepdim=True)
    if zero_masked_rows and mask is not None:
        total = torch.where(total == 0, constant(1, total), total)
    return e / total


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_mask: Tensor | None,
    is_causal: bool,
    scale: float | None,
    zero_masked_rows: bool,
) -> Tensor:
    """``softmax(scale q kᵀ + mask) v``; grouped-query where the query has a multiple of the key's heads."""
    q, k, v = (widen(x) for x in (query, key, value))
    weights = _weights(q, k, attn_mask, is_causal, _scale(query, scale), zero_masked_rows)
    if dropout_mask is not None:
        weights = weights * widen(dropout_mask)
    batches, sharing, rows = _grouped(query, key)
    keys, width = value.shape[-2:]
    product = torch.bmm(
        weights.view([batches, sharing * rows, keys]), _contiguous(v).view([batches, keys, width])
    )
    return narrow(product.view([*query.shape[:-1], width]), query.dtype)


def scaled_dot_product_attention_backward(
    grad_output: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_mask: Tensor | None,
    is_causal: bool,
    scale: float | None,
    zero_masked_rows: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """With weights P and dropped weights D: ``dP = (g vᵀ) drop``, ``dS = P (dP - sum(dP P)) scale``;
    ``dS k``, ``dSᵀ q``, ``Dᵀ g``. Nothing but the operands is read, so nothing is saved.
    """
    q, k, v, g = (widen(x) for x in (query, key, value, grad_output))
    factor = _scale(query, scale)
    weights = _weights(q, k, attn_mask, is_causal, factor, zero_masked_rows)
    batches, sharing, rows = _grouped(query, key)
    keys, width = value.shape[-2:]
    wide, length = [batches, sharing * rows, keys], query.shape[-1]
    folded_g = _contiguous(g).view([batches, sharing * rows, width])
    folded_q = _contiguous(q).view([batches, sharing * rows, length])
    folded_k = _contiguous(k).view([batches, keys, length])
    folded_v = _contiguous(v).view([batches, keys, width])
    dropped = weights if dropout_mask is None else weights * widen(dropout_mask)
    grad_weights = torch.bmm(folded_g, folded_v.permute(0, 2, 1)).view(weights.shape)
    if dropout_mask is not None:
        grad_weights = grad_weights * widen(dropout_mask)
    average = (grad_weights * weights).sum([-1], keepdim=True)
    grad_scores = (weights * (grad_weights - average) * factor).view(wide)
    grad_q = torch.bmm(grad_scores, folded_k).view(query.shape)
    grad_k = torch.bmm(grad_scores.permute(0, 2, 1), folded_q).view(key.shape)
    grad_v = torch.bmm(dropped.view(wide).permute(0, 2, 1), folded_g).view(value.shape)
    return narrow(grad_q, query.dtype), narrow(grad_k, key.dtype), narrow(grad_v, value.dtype)


def _rotate(x: Tensor, interleaved: bool) -> Tensor:
    """Each pair (a, b) becomes (-b, a): pairs of neighbours when interleaved, else of the two halves."""
    half = x.size(-1) // 2
    if interleaved:
        pairs = _contiguous(x).view([*x.shape[:-1], half, 2])
        a, b = pairs.select(-1, 0), pairs.select(-1, 1)
        return torch.cat([torch.neg(b).unsqueeze(-1), a.unsqueeze(-1)], -1).view(x.shape)
    a = torch.ops.aten.slice.Tensor(x, -1, 0, half)
    b = torch.ops.aten.slice.Tensor(x, -1, half, 2 * half)
    return torch.cat([torch.neg(b), a], -1)


def rope(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool) -> Tensor:
    """``x cos + rotate(x) sin`` (Su et al., "RoFormer", 2021, §3.2.2)."""
    wide = widen(x)
    return narrow(wide * widen(cos) + _rotate(wide, interleaved) * widen(sin), join(x.dtype, cos.dtype))


def rope_backward(grad_output: Tensor, cos: Tensor, sin: Tensor, interleaved: bool) -> Tensor:
    """``g cos - rotate(g sin)``: the rotation's transpose is its negative."""
    g = widen(grad_output)
    return narrow(g * widen(cos) - _rotate(g * widen(sin), interleaved), grad_output.dtype)


def softcap(input: Tensor, cap: float) -> Tensor:
    """``cap tanh(x / cap)``."""
    x = widen(input)
    return narrow(torch.tanh(x / cap) * cap, input.dtype)


def kv_cache_write(cache: Tensor, positions: Tensor, update: Tensor, dim: int) -> Tensor:
    """``cache`` with the rows at ``positions`` (int64[n], distinct) along ``dim`` taken from ``update``."""
    shape: Sequence[int] = [1] * cache.dim()
    at = dim % cache.dim()
    index = positions.view([*shape[:at], positions.size(0), *shape[at + 1 :]]).expand(update.shape)
    return torch.scatter(cache, at, index, update)
