"""Numbers among a node's arguments that the dtype of its results cannot hold."""

from __future__ import annotations

import math

import torch

from torchport.contract.graph import Node, dtype_name
from torchport.contract.spec import resolve


def unfit_number(node: Node) -> str:
    """An argument whose number the results' dtype cannot hold: PyTorch raises for most such calls.

    Empty where every number fits.
    """
    if not node.results:
        return ""
    dtype = node.results[0].tensor.dtype
    if dtype is torch.bool or dtype.is_complex:
        return ""
    limits = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    for argument in resolve(node.op)._schema.arguments:
        value = node.arg(argument.name)
        # The type of an int, such as the end of a slice, is no number's.
        if "number" not in str(argument.real_type) or not isinstance(value, int | float):
            continue
        if math.isfinite(value) and abs(value) > max(limits.max, -limits.min):
            return f"{argument.name}={value!r} does not fit {dtype_name(dtype)}"
    return ""
