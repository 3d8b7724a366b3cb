"""Strides that a replaced value had: parts may compute the same values in another layout, and what follows
(a view, above all) was traced for the layout of the whole.
"""

from __future__ import annotations

from itertools import permutations

import torch

from torchport.contract.graph import Node, Provenance, TensorSpec, Value, contiguous_strides

_LARGEST_RANK = 6


def differ(new: TensorSpec, old: TensorSpec) -> bool:
    """Whether two specs of one shape place their elements differently; size-1 dimensions have no say."""
    if any(d == 0 for d in old.shape):
        return False
    pairs = zip(old.shape, new.stride, old.stride, strict=True)
    return any(str(a) != str(b) for n, a, b in pairs if n != 1)


def restoring(new: Value, old: Value, provenance: Provenance) -> tuple[Node, ...]:
    """Nodes that copy ``new`` into the layout of ``old``; the last one has the result.

    They are a permutation to row-major order, a copy, and the permutation back. None where ``old`` is not
    dense.
    """
    order = _order(old.tensor)
    if order is None:
        return ()
    result = Value(f"{old.name}__laid_out", old.tensor.with_(storage_offset=0))
    if order == tuple(range(len(order))):
        return (_clone(new, result, provenance),)
    inverse = tuple(order.index(d) for d in range(len(order)))
    shape = tuple(new.tensor.shape[d] for d in order)
    moved_spec = new.tensor.with_(shape=shape, stride=tuple(new.tensor.stride[d] for d in order))
    moved = Value(f"{old.name}__permuted", moved_spec)
    copied_spec = moved_spec.with_(stride=contiguous_strides(shape), storage_offset=0)
    copied = Value(f"{old.name}__copied", copied_spec)
    return (
        _permute(new, moved, order, provenance),
        _clone(moved, copied, provenance),
        _permute(copied, result, inverse, provenance),
    )


def _order(spec: TensorSpec) -> tuple[int, ...] | None:
    """The order of dimensions in which ``spec`` is row-major."""
    if spec.rank > _LARGEST_RANK:
        return None
    for order in permutations(range(spec.rank)):
        shape = tuple(spec.shape[d] for d in order)
        if spec.with_(shape=shape, stride=tuple(spec.stride[d] for d in order)).is_contiguous:
            return order
    return None


def _permute(source: Value, target: Value, order: tuple[int, ...], provenance: Provenance) -> Node:
    name = target.name
    return Node(name, "aten.permute.default", (("self", source), ("dims", order)), (target,), provenance)


def _clone(source: Value, target: Value, provenance: Provenance) -> Node:
    arguments = (("self", source), ("memory_format", torch.contiguous_format))
    return Node(target.name, "aten.clone.default", arguments, (target,), provenance)
