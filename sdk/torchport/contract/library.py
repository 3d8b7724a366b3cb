"""Operators of the ``torchport`` namespace: what the contract needs and PyTorch has no operator for.

These are primitives that PyTorch only offers as one mode of a larger operator, and macros. They are ordinary
custom operators (``torch.ops.torchport.NAME``): functional, with an eager implementation, a shape function
taken from the same implementation, and no gradient formula (they appear after autograd).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

NAMESPACE = "torchport"
LIBRARY = torch.library.Library(NAMESPACE, "DEF")
"""Where the operators of the namespace are defined."""


def define(schema: str, implementation: Callable[..., Any]) -> str:
    """Defines ``torchport::schema`` and returns its qualified name, ``torchport.NAME.default``.

    Args:
        schema: a functional schema, such as
            ``"scatter_amax(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"``.
        implementation: the operator in terms of ATen operators; it runs in eager mode and, on meta and fake
            tensors, gives the shapes.
    """
    name = schema.partition("(")[0]
    LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    LIBRARY.impl(name, implementation, "CompositeExplicitAutograd")
    return f"{NAMESPACE}.{name}.default"
