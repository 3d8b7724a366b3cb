"""Operators over lists of tensors, as the single-tensor operator at each position of the lists.

No formula is written here twice: :func:`each` turns any contract operator into the decomposition of its
``_foreach_`` form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions.precision import narrow, widen
from torchport.contract.spec import resolve

Number = float | int | bool


def each(single: str, names: Sequence[str]) -> Callable[..., list[Tensor]]:
    """The decomposition of a ``_foreach_`` operator whose arguments are ``names``.

    Every list among the arguments is taken apart; what is not a list goes with each position. Arguments are
    handed to ``single`` (``namespace.op.overload``) in order, by name where its schema wants names.
    """
    operator = resolve(single)
    schema = operator._schema.arguments[: len(names)]

    def decomposition(*args: Any, **kwargs: Any) -> list[Tensor]:
        values = [*args, *(kwargs[n] for n in names[len(args) :] if n in kwargs)]
        count = next(len(v) for v in values if isinstance(v, tuple | list))
        results = []
        for i in range(count):
            picked = [v[i] if isinstance(v, tuple | list) else v for v in values]
            pairs = list(zip(schema, picked, strict=False))
            results.append(
                operator(
                    *(v for a, v in pairs if not a.kwarg_only),
                    **{a.name: v for a, v in pairs if a.kwarg_only},
                )
            )
        return results

    return decomposition


def addcmul_tensor(
    self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Tensor
) -> list[Tensor]:
    """``self + scalars[i] tensor1 tensor2`` at each position ``i``."""
    return [
        narrow(widen(x) + _factor(scalars, i, x) * widen(a) * widen(b), x.dtype)
        for i, (x, a, b) in enumerate(zip(self, tensor1, tensor2, strict=True))
    ]


def addcdiv_tensor(
    self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Tensor
) -> list[Tensor]:
    """``self + scalars[i] tensor1 / tensor2`` at each position ``i``."""
    return [
        narrow(widen(x) + _factor(scalars, i, x) * widen(a) / widen(b), x.dtype)
        for i, (x, a, b) in enumerate(zip(self, tensor1, tensor2, strict=True))
    ]


def _factor(scalars: Tensor, i: int, like: Tensor) -> Tensor:
    return scalars.select(0, i).to(widen(like).dtype)


def norm(self: Sequence[Tensor], ord: Number = 2, dtype: torch.dtype | None = None) -> list[Tensor]:
    """The vector norm of each tensor, over all of its elements."""
    vector_norm: Callable[..., Tensor] = torch.ops.aten.linalg_vector_norm.default
    return [vector_norm(x, ord, None, False, dtype=dtype) for x in self]


def powsum(self: Sequence[Tensor], ord: Number = 2, dtype: torch.dtype | None = None) -> list[Tensor]:
    """``Σ |x|^ord`` of each tensor, over all of its elements."""
    return [_powsum(x if dtype is None else x.to(dtype), ord) for x in self]


def _powsum(x: Tensor, ord: Number) -> Tensor:
    size = widen(x).abs()
    if ord != 1:
        size = size * size if ord == 2 else torch.ops.aten.pow.Tensor_Scalar(size, ord)
    return narrow(size.sum(list(range(x.dim()))), x.dtype)


def zero(self: Sequence[Tensor]) -> list[Tensor]:
    """Zeros in the shape and dtype of each tensor."""
    return [torch.full(x.shape, 0, dtype=x.dtype, device=x.device) for x in self]
