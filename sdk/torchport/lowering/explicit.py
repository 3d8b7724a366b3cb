"""Elementwise primitives with everything explicit: one shape, one dtype, no scale factor.

A primitive is an ATen overload under prim-tier constraints. A call that broadcasts or promotes keeps ATen's
meaning and becomes the same operator on expanded and converted operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.dtype_rules import promote
from torchport.contract.graph import Node, TensorSpec, Value
from torchport.contract.spec import Category, OpSpec, Tier, call_bound, resolve

Rule = Callable[..., Any]


def explicit_rule(node: Node, spec: OpSpec, number: Callable[[Any], Any]) -> Rule | None:
    """The rule that makes an elementwise primitive's operands agree; ``None`` where they do.

    ``number`` turns a size of the contract into PyTorch's.
    """
    if spec.tier is not Tier.PRIM or spec.category is not Category.ELEMENTWISE:
        return None
    if _agree(node, spec):
        return _scaled(spec) if node.arg("alpha", 1) != 1 else None
    return _agreeing(spec, [number(d) for d in node.results[0].tensor.shape])


def _promoted(spec: OpSpec) -> tuple[str, ...]:
    """Arguments that take part in type promotion: all tensors but masks."""
    return tuple(name for name, accepted in spec.dtypes.accepts.items() if tuple(accepted) != ("bool",))


def _floats(spec: OpSpec) -> bool:
    return spec.dtypes.results[0].startswith("promote_float")


def _agree(node: Node, spec: OpSpec) -> bool:
    arguments = node.arguments
    tensors = [a.spec for a in arguments.values() if isinstance(a, Value) and isinstance(a.spec, TensorSpec)]
    dtypes = {arguments[n].tensor.dtype for n in _promoted(spec) if isinstance(arguments.get(n), Value)}
    if len({tuple(map(str, t.shape)) for t in tensors}) > 1 or len(dtypes) > 1:
        return False
    return not _floats(spec) or all(d.is_floating_point or d.is_complex for d in dtypes)


def _agreeing(spec: OpSpec, shape: list[Any]) -> Rule:
    names = [a.name for a in resolve(spec.name)._schema.arguments]
    promoted = _promoted(spec)

    def rule(*args: Any, **kwargs: Any) -> Any:
        bound = {**dict(zip(names, args, strict=False)), **kwargs}
        tensors = {n: t for n, t in bound.items() if isinstance(t, Tensor)}
        dtype = promote([t for n, t in tensors.items() if n in promoted], torch.get_default_dtype())
        if _floats(spec) and not (dtype.is_floating_point or dtype.is_complex):
            dtype = torch.get_default_dtype()
        for name, tensor in tensors.items():
            wanted = tensor.to(dtype) if name in promoted and tensor.dtype != dtype else tensor
            bound[name] = wanted if same_sizes(wanted.shape, shape) else wanted.expand(shape)
        return call_bound(resolve(spec.name), bound)

    return rule


def same_sizes(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether two shapes are written alike; nothing is asked of symbolic sizes, which would fix them."""
    return len(a) == len(b) and all(str(x) == str(y) for x, y in zip(a, b, strict=True))


def _scaled(spec: OpSpec) -> Rule:
    names = [a.name for a in resolve(spec.name)._schema.arguments]

    def rule(*args: Any, **kwargs: Any) -> Any:
        bound = {**dict(zip(names, args, strict=False)), **kwargs}
        other: Tensor = bound["other"]
        bound["other"], bound["alpha"] = other * bound["alpha"], 1
        return call_bound(resolve(spec.name), bound)

    return rule
