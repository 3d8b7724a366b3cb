"""Vector norms, the older ``norm`` operators, and weight normalization."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import Number, convert, scalar, work_dtype
from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.reduction import Dims, listed, nonzero_mask


def _real(dtype: torch.dtype) -> torch.dtype:
    return dtype.to_real() if dtype.is_complex else dtype


def _squares(elements: Tensor, sizes: Tensor) -> Tensor:
    """``|x|²``: of a complex element the sum of its parts' squares, which no root has rounded before."""
    if not elements.dtype.is_complex:
        return aten.mul.Tensor(sizes, sizes)
    parts = aten.view_as_real.default(elements)
    return aten.sum.dim_IntList(aten.mul.Tensor(parts, parts), [-1], False)


def vector_norm(
    self: Tensor,
    ord: Number = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """``sum(|x|^ord)^(1/ord)``; the largest or smallest size for an infinite order, a count for order 0.

    The result is real; ``dtype`` is that of the elements.
    """
    given = self.dtype if dtype is None else dtype
    x = aten.abs.default(convert(self, work_dtype(given)))
    work = x.dtype
    dims = listed(self, dim)
    order = float(ord.real)
    if order == math.inf:
        value = aten.amax.default(x, dims, keepdim)
    elif order == -math.inf:
        value = aten.amin.default(x, dims, keepdim)
    elif order == 0.0:
        value = convert(aten.sum.dim_IntList(nonzero_mask(x), dims, keepdim, dtype=torch.int64), work)
    elif order == 1.0:
        value = aten.sum.dim_IntList(x, dims, keepdim)
    elif order == 2.0:
        value = aten.sqrt.default(aten.sum.dim_IntList(_squares(convert(self, given), x), dims, keepdim))
    else:
        powers = aten.pow.Tensor_Tensor(x, scalar(order, work, self))
        total = aten.sum.dim_IntList(powers, dims, keepdim)
        value = aten.pow.Tensor_Tensor(total, scalar(1.0 / order, work, self))
    return convert(value, _real(given))


def norm_all(self: Tensor, p: Number = 2) -> Tensor:
    """The norm over all elements."""
    return vector_norm(self, p)


def norm_all_dtype(self: Tensor, p: Number | None, *, dtype: torch.dtype) -> Tensor:
    """The norm over all elements, computed in ``dtype``; an absent order is 2."""
    return vector_norm(self, 2 if p is None else p, dtype=dtype)


def norm_dims(self: Tensor, p: Number | None, dim: Dims, keepdim: bool = False) -> Tensor:
    """The norm over dimensions; an absent order is 2."""
    return vector_norm(self, 2 if p is None else p, dim, keepdim)


def norm_dims_dtype(
    self: Tensor, p: Number | None, dim: Dims, keepdim: bool, *, dtype: torch.dtype
) -> Tensor:
    """The norm over dimensions, computed in ``dtype``; an absent order is 2."""
    return vector_norm(self, 2 if p is None else p, dim, keepdim, dtype=dtype)


def _others(x: Tensor, dim: int) -> list[int]:
    return [d for d in range(x.dim()) if d != dim]


def weight_norm_interface(v: Tensor, g: Tensor, dim: int = 0) -> tuple[Tensor, Tensor]:
    """``v g / |v|`` and the norms ``|v|`` over every dimension but ``dim``, of g's shape.

    Salimans and Kingma, "Weight Normalization" (2016), eq. 2.
    """
    work = work_dtype(v.dtype)
    x = convert(v, work)
    dims = _others(v, dim)
    square = aten.mul.Tensor(x, x)
    total = aten.sum.dim_IntList(square, dims, True) if dims else square
    norms = aten.view.default(aten.sqrt.default(total), list(g.shape))
    scale = aten.div.Tensor(convert(g, work), norms)
    return convert(aten.mul.Tensor(x, scale), v.dtype), norms


def weight_norm_interface_backward(
    grad_w: Tensor, saved_v: Tensor, saved_g: Tensor, saved_norms: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    """With ``s = sum(grad v)`` over every dimension but ``dim``: ``g (grad / n - v s / n³)`` and ``s / n``.

    Salimans and Kingma, "Weight Normalization" (2016), eq. 3.
    """
    work = work_dtype(saved_v.dtype)
    grad, v, g = (convert(t, work) for t in (grad_w, saved_v, saved_g))
    norms = convert(saved_norms, work)
    dims = _others(saved_v, dim)
    products = aten.mul.Tensor(grad, v)
    dots: Any = aten.sum.dim_IntList(products, dims, True) if dims else products
    along = aten.div.Tensor(aten.view.default(dots, list(saved_g.shape)), norms)
    unit = aten.div.Tensor(v, norms)
    grad_v = aten.mul.Tensor(aten.sub.Tensor(grad, aten.mul.Tensor(unit, along)), aten.div.Tensor(g, norms))
    return convert(grad_v, saved_v.dtype), convert(along, saved_g.dtype)
