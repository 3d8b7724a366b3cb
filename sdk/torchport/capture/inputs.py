"""Inputs that a captured graph cannot have: other layouts, and tensors of a user's own kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from torchport.compile.reason import Reason, Rejection


def foreign_inputs(example_inputs: Sequence[Any], backend: str) -> tuple[Rejection, ...]:
    """Why a graph with these inputs is left to eager PyTorch as a whole; empty when it need not be.

    Tensor subclasses that AOTAutograd can take apart are fine, and so are subclasses of Parameter.
    """
    found = []
    for index, tensor in enumerate(example_inputs):
        wraps: bool = is_traceable_wrapper_subclass(tensor)
        if wraps or not isinstance(tensor, torch.Tensor):
            continue
        where = f"input {index}"
        if tensor.layout is not torch.strided:
            found.append(Rejection(where, "graph", backend, Reason.LAYOUT, f"its layout is {tensor.layout}"))
        elif tensor.is_quantized:
            text = f"it is a quantized tensor, {tensor.dtype}"
            found.append(Rejection(where, "graph", backend, Reason.DTYPE, text))
        elif type(tensor) not in (torch.Tensor, FakeTensor) and not isinstance(tensor, torch.nn.Parameter):
            kind = f"{type(tensor).__module__}.{type(tensor).__qualname__}"
            text = f"it is a {kind}, which AOTAutograd cannot take apart"
            found.append(Rejection(where, "graph", backend, Reason.ARGUMENT, text))
    return tuple(found)
