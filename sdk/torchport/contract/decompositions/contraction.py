"""Decompositions of matrix products with an addend, and of products with vectors.

The 16-bit dtypes are multiplied in their own dtype by ``mm`` and ``bmm``, which accumulate in float32; the
addend is added in float32 and rounded once more.
"""

from __future__ import annotations

import torch
from torch import Tensor

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
