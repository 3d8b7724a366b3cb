"""Decompositions of matrix products with an addend, and of products with vectors.

The 16-bit dtypes are multiplied in their own dtype by ``mm`` and ``bmm``, which accumulate in float32; the
addend is added in float32 and rounded once more.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.complex_numbers import conjugate
from torchport.contract.decompositions.elementwise import Number, convert, scalar, work_dtype
from torchport.contract.decompositions.operators import aten


def _combine(addend: Tensor, product: Tensor, beta: Number, alpha: Number, dtype: torch.dtype) -> Tensor:
    """``beta·addend + alpha·product`` in the work dtype; an addend with beta 0 is ignored, NaN included."""
    work = product.dtype
    scaled = product if alpha == 1 else aten.mul.Tensor(product, scalar(alpha, work, product))
    if beta == 0:
        return convert(scaled, dtype)
    base = convert(addend, work)
    base = base if beta == 1 else aten.mul.Tensor(base, scalar(beta, work, base))
    return convert(aten.add.Tensor(base, scaled), dtype)


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """``beta·self + alpha·(mat1 @ mat2)``."""
    work = work_dtype(mat1.dtype)
    product = aten.mm.default(convert(mat1, work), convert(mat2, work))
    return _combine(self, product, beta, alpha, self.dtype)


def baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """``beta·self + alpha·(batch1 @ batch2)``."""
    work = work_dtype(batch1.dtype)
    product = aten.bmm.default(convert(batch1, work), convert(batch2, work))
    return _combine(self, product, beta, alpha, self.dtype)


def mv(self: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector."""
    return aten.squeeze.dims(aten.mm.default(self, aten.unsqueeze.default(vec, 1)), [1])


def addmv(self: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """``beta·self + alpha·(mat @ vec)``."""
    work = work_dtype(mat.dtype)
    return _combine(self, mv(convert(mat, work), convert(vec, work)), beta, alpha, self.dtype)


def dot(self: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors."""
    product = aten.mm.default(aten.unsqueeze.default(self, 0), aten.unsqueeze.default(tensor, 1))
    return aten.squeeze.dims(product, [0, 1])


def addr(self: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """``beta·self + alpha·(vec1 ⊗ vec2)``."""
    work = work_dtype(self.dtype)
    product = aten.mul.Tensor(aten.unsqueeze.default(convert(vec1, work), 1), convert(vec2, work))
    return _combine(self, product, beta, alpha, self.dtype)


def vdot(self: Tensor, other: Tensor) -> Tensor:
    """The inner product of two vectors, the first conjugated."""
    return dot(conjugate(self) if self.dtype.is_complex else self, other)


def addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """``beta·self + alpha·Σ_b batch1[b] @ batch2[b]``: one product, with b and the inner dimension as one."""
    work = work_dtype(batch1.dtype)
    rows, columns = batch1.shape[1], batch2.shape[2]
    inner = batch1.shape[0] * batch1.shape[2]
    wide = aten.permute.default(convert(batch1, work), [1, 0, 2])
    left = aten.view.default(aten.clone.default(wide, memory_format=torch.contiguous_format), [rows, inner])
    tall = aten.clone.default(convert(batch2, work), memory_format=torch.contiguous_format)
    right = aten.view.default(tall, [inner, columns])
    return _combine(self, aten.mm.default(left, right), beta, alpha, self.dtype)


def mm_dtype(self: Tensor, mat2: Tensor, out_dtype: torch.dtype) -> Tensor:
    """The product in ``out_dtype``: products of 16-bit numbers are exact in float32."""
    work = work_dtype(self.dtype)
    return convert(aten.mm.default(convert(self, work), convert(mat2, work)), out_dtype)


def bmm_dtype(self: Tensor, mat2: Tensor, out_dtype: torch.dtype) -> Tensor:
    """As :func:`mm_dtype`, for batches."""
    work = work_dtype(self.dtype)
    return convert(aten.bmm.default(convert(self, work), convert(mat2, work)), out_dtype)


def addmm_dtype(
    self: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    out_dtype: torch.dtype,
    *,
    beta: Number = 1,
    alpha: Number = 1,
) -> Tensor:
    """``beta·self + alpha·(mat1 @ mat2)`` in ``out_dtype``."""
    work = work_dtype(mat1.dtype)
    product = aten.mm.default(convert(mat1, work), convert(mat2, work))
    return _combine(self, product, beta, alpha, out_dtype)


def baddbmm_dtype(
    self: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    out_dtype: torch.dtype,
    *,
    beta: Number = 1,
    alpha: Number = 1,
) -> Tensor:
    """``beta·self + alpha·(batch1 @ batch2)`` in ``out_dtype``."""
    work = work_dtype(batch1.dtype)
    product = aten.bmm.default(convert(batch1, work), convert(batch2, work))
    return _combine(self, product, beta, alpha, out_dtype)


def addmm_activation(
    self: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    use_gelu: bool = False,
) -> Tensor:
    """``relu`` or ``gelu`` of ``beta·self + alpha·(mat1 @ mat2)``."""
    work = work_dtype(mat1.dtype)
    product = aten.mm.default(convert(mat1, work), convert(mat2, work))
    result = _combine(self, product, beta, alpha, work)
    return convert(aten.gelu.default(result) if use_gelu else aten.relu.default(result), self.dtype)


def trilinear(
    i1: Tensor,
    i2: Tensor,
    i3: Tensor,
    expand1: Sequence[int],
    expand2: Sequence[int],
    expand3: Sequence[int],
    sumdim: Sequence[int],
    unroll_dim: int = 1,
) -> Tensor:
    """``Σ i1·i2·i3`` over ``sumdim``, each operand with dimensions of size 1 put in where ``expand`` says.

    Contracted in pairs; what only the first two have is summed before the third is multiplied.
    """
    work = work_dtype(i1.dtype)
    rank = i1.dim() + len(expand1)
    operands, terms = [], []
    for x, gaps in ((i1, expand1), (i2, expand2), (i3, expand3)):
        operands.append(convert(x, work))
        terms.append("".join(_letter(d) for d in range(rank) if d not in gaps))
    kept = "".join(_letter(d) for d in range(rank) if d not in sumdim)
    present = [c for c in kept if any(c in t for t in terms)]
    result = torch.einsum(f"{','.join(terms)}->{''.join(present)}", *operands)
    for position, c in enumerate(kept):
        if c not in present:
            result = aten.unsqueeze.default(result, position)
    return convert(result, i1.dtype)


def _letter(dim: int) -> str:
    return chr(ord("a") + dim)
