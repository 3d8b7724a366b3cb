"""Facts about operators that follow from their PyTorch schemas."""

from __future__ import annotations

from functools import lru_cache

import torch

from torchport.contract.graph import Node
from torchport.contract.spec import resolve


@lru_cache(maxsize=4096)
def _operator(name: str) -> torch._ops.OpOverload | None:
    try:
        return resolve(name)
    except (AttributeError, ValueError):
        return None


@lru_cache(maxsize=4096)
def is_view(name: str) -> bool:
    """True when the schema says that every result shares memory with an argument and nothing is written."""
    op = _operator(name)
    if op is None or not isinstance(op, torch._ops.OpOverload):
        return False
    returns = op._schema.returns
    return bool(returns) and all(r.alias_info is not None and not r.alias_info.is_write for r in returns)


@lru_cache(maxsize=4096)
def _ordered(name: str) -> bool:
    op = _operator(name)
    if op is None or not isinstance(op, torch._ops.OpOverload):
        return True
    return bool(
        torch.Tag.nondeterministic_seeded in op.tags
        or op._schema.is_mutable
        or name.startswith("_c10d_functional.")
    )


def is_ordered(node: Node) -> bool:
    """True when the node must keep its place among its like: random draws, effects, collectives, unknown
    operators.
    """
    return not node.outputs or _ordered(node.op)
