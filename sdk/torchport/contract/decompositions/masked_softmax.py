"""Softmax over the elements that a mask keeps."""

from __future__ import annotations

import math

from torch import Tensor

from torchport.contract.decompositions.elementwise import convert, scalar, work_dtype
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.softmax import softmax

SOURCE, PADDING = 0, 1
"""Mask types: [L, L] for every batch and head, and [B, L] for every head and row; else the input's shape."""


def _fitted(mask: Tensor, mask_type: int | None) -> Tensor:
    if mask_type == SOURCE:
        return aten.view.default(mask, [1, 1, *mask.shape])
    if mask_type == PADDING:
        return aten.view.default(mask, [mask.shape[0], 1, 1, mask.shape[1]])
    return mask


def masked_softmax(
    self: Tensor, mask: Tensor, dim: int | None = None, mask_type: int | None = None
) -> Tensor:
    """Softmax over ``dim`` (the last one by default) with the elements where ``mask`` is true left out.

    A row without elements is NaN.
    """
    along = self.dim() - 1 if dim is None else dim
    work = work_dtype(self.dtype)
    hidden = aten.where.self(_fitted(mask, mask_type), scalar(-math.inf, work, self), convert(self, work))
    return convert(softmax(hidden, along, False), self.dtype)


def masked_softmax_backward(
    grad_output: Tensor, output: Tensor, mask: Tensor, dim: int | None = None
) -> Tensor:
    """``y (g - sum(g y))`` over the elements that are kept; 0 elsewhere."""
    along = output.dim() - 1 if dim is None else dim
    work = work_dtype(output.dtype)
    zero = scalar(0, work, output)
    g, y = convert(grad_output, work), convert(output, work)
    products = aten.where.self(mask, zero, aten.mul.Tensor(g, y))
    total = aten.sum.dim_IntList(products, [along], True) if output.dim() else products
    grad = aten.sub.Tensor(products, aten.mul.Tensor(y, total))
    return convert(aten.where.self(mask, zero, grad), output.dtype)
