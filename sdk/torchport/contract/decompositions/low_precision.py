"""Products of low-precision matrices: float8 and packed float4 with scales, int8, and groups of products.

Scaling recipes, by number, for an operand of R rows and K columns (the second matrix is read transposed):
0 one scale; 1 one for each row; 2, 3 and 4 one for each 16, 32 or 128 columns of a row; 5 one for each
128 × 128 block, as [K / 128 rounded up to a multiple of 4, R / 128]. Scales of 16 and 32 columns may be
swizzled (1): in tiles of 128 rows by 4 scales, stored as [32, 4, 4] (row % 32, row // 32, scale), as cuBLAS
documents for its 1D block scaling factors. float4 is E2M1 of the OCP Microscaling formats specification 1.0,
§5.3.3, two in a byte, the first in the low half.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import narrow, positions, zeros

BLOCK = {2: 16, 3: 32, 4: 128, 5: 128}
"""Columns that share one scale, by recipe."""
E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Magnitudes of a float4 by its lower three bits."""


def _wide(x: Tensor) -> Tensor:
    """In float32 (float64 stays), float4 pairs unpacked along the last dimension."""
    if x.dtype == torch.float4_e2m1fn_x2:
        return _unpacked(x)
    return x if x.dtype == torch.float64 else x.to(torch.float32)


def _unpacked(x: Tensor) -> Tensor:
    byte = x.view(torch.uint8).to(torch.int64)
    pairs = torch.stack([byte % 16, byte // 16], -1)
    codes = pairs.reshape([*x.shape[:-1], x.shape[-1] * 2])
    magnitude = torch.full(codes.shape, E2M1[0], dtype=torch.float32, device=x.device)
    for code, value in enumerate(E2M1[1:], 1):
        entry = torch.full((), value, dtype=torch.float32, device=x.device)
        magnitude = torch.where(codes % 8 == code, entry, magnitude)
    return torch.where(codes >= 8, -magnitude, magnitude)


# --- scaled products ---


def _unswizzled(scales: Tensor, rows: int, columns: int) -> Tensor:
    """Swizzled scales as [rows, columns]; the tiles pad both to multiples of 128 and 4."""
    tall, wide = (rows + 127) // 128, (columns + 3) // 4
    tiles = scales.reshape([tall, wide, 32, 4, 4]).permute(0, 3, 2, 1, 4)
    return tiles.reshape([tall * 128, wide * 4])[:rows, :columns]


def _expanded(scales: Tensor, rows: int, width: int, recipe: int, swizzle: int) -> Tensor:
    """Scales that broadcast to [rows, width]."""
    wide = _wide(scales)
    if recipe == 0:
        return wide.reshape([1, 1])
    if recipe == 1:
        return wide.reshape([rows, 1])
    block = BLOCK[recipe]
    columns = (width + block - 1) // block
    height = (rows + 127) // 128 if recipe == 5 else rows
    if recipe == 5:
        table = wide[:columns].permute(1, 0)
    else:
        table = _unswizzled(wide, height, columns) if swizzle else wide.reshape([height, columns])
    each = table.unsqueeze(2).expand(height, columns, block).reshape([height, columns * block])[:, :width]
    if recipe == 5:
        each = each.unsqueeze(1).expand(height, 128, width).reshape([height * 128, width])[:rows]
    return each


def _scaled(x: Tensor, scales: Sequence[Tensor], recipes: Sequence[int], swizzles: Sequence[int]) -> Tensor:
    """``x`` [R, K] times its scales, in float32; two levels of scales multiply."""
    wide = _wide(x)
    for i, scale in enumerate(scales):
        swizzle = swizzles[i] if i < len(swizzles) else 0
        wide = wide * _expanded(scale, wide.shape[0], wide.shape[1], recipes[i], swizzle)
    return wide


def _finished(product: Tensor, bias: Tensor | None, result: torch.dtype) -> Tensor:
    return narrow(product if bias is None else product + bias.to(product.dtype), result)


def scaled_mm(
    self: Tensor,
    mat2: Tensor,
    scale_a: Tensor,
    scale_b: Tensor,
    bias: Tensor | None = None,
    scale_result: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    use_fast_accum: bool = False,
) -> Tensor:
    """``(a b) s_a s_b + bias`` with one scale for each matrix, or one for each row of a and column of b."""
    product = torch.mm(_wide(self), _wide(mat2))
    factor = _wide(scale_a).reshape([-1, 1]) * _wide(scale_b).reshape([1, -1])
    return _finished(product * factor, bias, out_dtype or self.dtype)


def scaled_mm_v2(
    self: Tensor,
    mat2: Tensor,
    scale_a: Sequence[Tensor],
    recipe_a: Sequence[int],
    swizzle_a: Sequence[int],
    scale_b: Sequence[Tensor],
    recipe_b: Sequence[int],
    swizzle_b: Sequence[int],
    bias: Tensor | None,
    out_dtype: torch.dtype | None,
    contraction_dim: Sequence[int] = (),
    use_fast_accum: bool = False,
) -> Tensor:
    """``(a ∘ S_a) (b ∘ S_b) + bias`` with the scales spread over the matrices by recipe."""
    a = _scaled(self, scale_a, recipe_a, swizzle_a)
    b = _scaled(mat2.permute(1, 0), scale_b, recipe_b, swizzle_b)
    return _finished(torch.mm(a, b.permute(1, 0)), bias, out_dtype or self.dtype)


# --- groups ---


def _membership(offs: Tensor, length: int) -> Tensor:
    """``bool[groups, length]``: whether a position belongs to a group that ends at ``offs``."""
    ends = offs.to(torch.int64)
    starts = torch.cat([zeros((1,), ends), ends[:-1]])
    at = positions(length, offs)
    return torch.logical_and(at >= starts.unsqueeze(1), at < ends.unsqueeze(1))


def grouped_mm(
    self: Tensor,
    mat2: Tensor,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """The products of a group of matrices, where a dimension of 2-d operands is divided at ``offs``.

    Two 3-d operands are batches. A 2-d operand's divided dimension is the rows of the first, the columns of
    the second, or, of two, the one that is summed. Masks select a group; positions past the last end give 0.
    """
    result = out_dtype or self.dtype
    a, b = _wide(self), _wide(mat2)
    if offs is None:
        return narrow(torch.bmm(a, b), result)
    groups = offs.shape[0]
    zero = zeros((), a)
    if self.dim() == 2 and mat2.dim() == 2:
        chosen = _membership(offs, a.shape[1]).unsqueeze(1)
        each = torch.where(chosen, a.unsqueeze(0), zero)
        return narrow(torch.bmm(each, b.unsqueeze(0).expand(groups, *b.shape)), result)
    if self.dim() == 2:
        chosen = _membership(offs, a.shape[0]).unsqueeze(2)
        each = torch.bmm(a.unsqueeze(0).expand(groups, *a.shape), b)
    else:
        chosen = _membership(offs, b.shape[1]).unsqueeze(1)
        each = torch.bmm(a, b.unsqueeze(0).expand(groups, *b.shape))
    return narrow(torch.where(chosen, each, zero).sum([0]), result)


def scaled_grouped_mm(
    self: Tensor,
    mat2: Tensor,
    scale_a: Tensor,
    scale_b: Tensor,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    scale_result: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    use_fast_accum: bool = False,
) -> Tensor:
    """Grouped products with one scale for each row of a and column of b, in every group.

    Where the summed dimension is divided, each group has scales of its own, applied to its product.
    """
    result = out_dtype or torch.bfloat16
    a, b, s_a, s_b = (_wide(x) for x in (self, mat2, scale_a, scale_b))
    if self.dim() == 2 and mat2.dim() == 2:
        assert offs is not None, "two matrices are divided by offsets"
        groups = offs.shape[0]
        product = grouped_mm(a, b, offs)
        scaled = product * s_a.reshape([groups, -1, 1]) * s_b.reshape([groups, 1, -1])
        return narrow(scaled, result)
    return narrow(grouped_mm(a * s_a.unsqueeze(-1), b * s_b.unsqueeze(-2), offs), result)


def scaled_grouped_mm_v2(
    self: Tensor,
    mat2: Tensor,
    scale_a: Sequence[Tensor],
    recipe_a: Sequence[int],
    swizzle_a: Sequence[int],
    scale_b: Sequence[Tensor],
    recipe_b: Sequence[int],
    swizzle_b: Sequence[int],
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    contraction_dim: Sequence[int] = (),
    use_fast_accum: bool = False,
) -> Tensor:
    """The same, with the scales in lists and their recipe (one for each row) named."""
    return scaled_grouped_mm(self, mat2, scale_a[0], scale_b[0], offs, None, None, out_dtype)


# --- integers ---


def int_mm(self: Tensor, mat2: Tensor) -> Tensor:
    """The product of 8-bit integers in int32."""
    return torch.mm(self.to(torch.int32), mat2.to(torch.int32))


def weight_int8pack_mm(self: Tensor, mat2: Tensor, scales: Tensor) -> Tensor:
    """``(x wᵀ) s`` for int8 weights [n, k] with one scale for each row."""
    x = _wide(self)
    product = torch.mm(x, mat2.to(x.dtype).permute(1, 0))
    return narrow(product * scales.to(x.dtype), self.dtype)


def _nibbles(packed: Tensor, inner: int) -> Tensor:
    """Weights [n, k] in 0 … 15 from ``int32[n / 8, k / (16 inner), 32, inner / 2]``.

    The layout is that of the second operand of the m16n8k16 tensor-core instruction (PTX ISA, "Matrix
    fragments for mma.m16n8k16"): lane t holds row t / 4 and columns 2 (t % 4) + {0, 1, 8, 9} of each tile of
    16 columns. A word holds two tiles, its nibbles from the lowest: values 0, 2, 4, 6, 1, 3, 5, 7.
    """
    tall, wide = packed.shape[0], packed.shape[1]
    word = packed.to(torch.int64)
    parts = [torch.bitwise_and(torch.bitwise_right_shift(word, 4 * p), 15) for p in (0, 4, 1, 5, 2, 6, 3, 7)]
    values = torch.stack(parts, -1).reshape([tall, wide, 8, 4, inner // 2, 2, 2, 2])
    # [row tile, column tile, row, quarter, word, tile of the word, half, pair] to rows and columns
    ordered = values.permute(0, 2, 1, 4, 5, 6, 3, 7)
    return ordered.reshape([tall * 8, wide * inner * 16])


def weight_int4pack_mm(self: Tensor, mat2: Tensor, qGroupSize: int, qScaleAndZeros: Tensor) -> Tensor:
    """``x wᵀ`` with ``w = (q - 8) s + z``; scale and zero [k / group, n, 2] hold for a group of columns."""
    x = _wide(self)
    q = _nibbles(mat2, 2 * mat2.shape[3]).to(x.dtype) - 8.0
    rows, columns = q.shape
    groups = qScaleAndZeros.shape[0]
    table = qScaleAndZeros.to(x.dtype).permute(1, 0, 2).unsqueeze(2)
    grouped = q.reshape([rows, groups, columns // groups])
    weight = (grouped * table.select(3, 0) + table.select(3, 1)).reshape([rows, columns])
    return narrow(torch.mm(x, weight.permute(1, 0)), self.dtype)


def convert_weight_to_int4pack(self: Tensor, innerKTiles: int) -> Tensor:
    """Bytes [n, k / 2] of two weights, the first in the upper half, to the layout of :func:`_nibbles`."""
    byte = self.to(torch.int32)
    rows, half = self.shape
    codes = torch.stack([byte // 16, byte % 16], -1)
    tall, wide, words = rows // 8, half * 2 // (16 * innerKTiles), innerKTiles // 2
    values = codes.reshape([tall, 8, wide, words, 2, 2, 4, 2]).permute(0, 2, 1, 6, 3, 4, 5, 7)
    lanes = values.reshape([tall, wide, 32, words, 8])
    result = zeros((tall, wide, 32, words), lanes)
    for value, place in enumerate((0, 4, 1, 5, 2, 6, 3, 7)):
        nibble = torch.bitwise_left_shift(lanes.select(-1, value), 4 * place)
        result = torch.bitwise_or(result, nibble)
    return result
