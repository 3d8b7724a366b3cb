"""Calls whose results have no elements, of operators whose decompositions do not bear them.

A released decomposition stays as it is. Where it divides by a count that is 0, or scatters into nothing, its
call is answered without it: nothing is to be computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.dtype_rules import result_dtypes
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import OpSpec

NEED_ELEMENTS = (
    "quantized_decomposed.quantize_per_channel_group.default",
    "quantized_decomposed.dequantize_per_channel_group.default",
    "torchport.embedding_bag.default",
)
"""Operators whose decompositions need results with elements."""


def are_empty(op: str, shapes: Sequence[Sequence[Any]]) -> bool:
    """Whether results of these shapes have no elements, and the decomposition needs some; not where a size
    is symbolic.
    """
    return op in NEED_ELEMENTS and all(any(type(n) is int and n == 0 for n in shape) for shape in shapes)


def empty_results(spec: OpSpec, arguments: Mapping[str, Any]) -> tuple[Tensor, ...] | None:
    """The results of a call that the decomposition does not bear, by the entry's own rules of shapes and
    dtypes; None of all other calls.
    """
    if spec.name not in NEED_ELEMENTS:
        return None
    bound = bind(arguments)
    shapes = [tuple(parse(text).value(bound)) for text in spec.shape]
    if not are_empty(spec.name, shapes):
        return None
    dtypes = result_dtypes(spec.dtypes, arguments)
    return tuple(torch.zeros(shape, dtype=dtype) for shape, dtype in zip(shapes, dtypes, strict=True))
