"""Whether decompositions reach the primitives: every entry, call by call, without running anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchport.contract.fx_import import make_node, tensor_spec
from torchport.contract.graph import Node, Provenance, Role, TensorSpec, Value
from torchport.contract.opset import OpSet
from torchport.contract.reference import flatten
from torchport.contract.spec import OpSpec, Tier
from torchport.errors import TorchportError
from torchport.lowering.decompose import Decomposer
from torchport.tools.meta_results import Found
from torchport.tools.operands import REFUSALS, draw, dtypes_of, on_meta

DEEPEST = 48


class Reach:
    """Follows calls down; a call that was followed once (same operator and argument specs) is not again."""

    def __init__(self, contract: OpSet) -> None:
        self.contract = contract
        self.decomposer = Decomposer(contract, {})
        self.followed = 0
        self.known: dict[Any, Found | None] = {}

    def check(self, spec: OpSpec, calls: int) -> Iterator[Found]:
        """The first call of an entry above the primitives whose parts do not all reach them, and why."""
        if spec.tier is Tier.PRIM and spec.decomposition is None:
            return
        names = dtypes_of(spec)
        dtype = "float32" if "float32" in names else names[0]
        for arguments in draw(spec, dtype, limit=calls):
            node = call_of(spec, arguments)
            if node is None:
                continue
            self.followed += 1
            found = self.follow(node, 0)
            if found is not None:
                yield found
                return

    def follow(self, node: Node, depth: int) -> Found | None:
        """``None`` where ``node`` is a primitive or its parts reach primitives; else what is in the way."""
        key = (node.op, tuple(_key(a) for _, a in node.args))
        if key in self.known:
            return self.known[key]
        self.known[key] = None
        found = self.known[key] = self.obstacle(node, depth)
        return found

    def obstacle(self, node: Node, depth: int) -> Found | None:
        """See :meth:`follow`."""
        if self.contract.is_primitive(node):
            return None
        if node.op not in self.contract.ops and node.op not in self.contract.retired:
            return "decomposes to contract operators", f"{node.op} is not one"
        if depth > DEEPEST:
            return "decomposes to primitives", f"goes in circles at {node.op}"
        try:
            parts = self.decomposer.parts(node)
        except TorchportError as error:
            return "decomposes to primitives", str(error).splitlines()[0]
        if parts is None:
            return "decomposes to primitives", f"nothing decomposes {node}"
        return next((f for part in parts.nodes if (f := self.follow(part, depth + 1)) is not None), None)


def call_of(spec: OpSpec, arguments: dict[str, Any]) -> Node | None:
    """A node that calls ``spec`` with drawn ``arguments``; ``None`` where its results are not known before it
    has run.
    """
    try:
        result = on_meta(spec, arguments)
    except REFUSALS:
        return None
    if not all(r is None or isinstance(r, torch.Tensor) for r in flatten(result)):
        return None
    count = 0

    def value(argument: Any) -> Any:
        nonlocal count
        if isinstance(argument, torch.Tensor):
            count += 1
            return Value(f"x{count}", tensor_spec(argument, role=Role.INPUT))
        return tuple(value(a) for a in argument) if isinstance(argument, list | tuple) else argument

    args = tuple((name, value(argument)) for name, argument in arguments.items())
    node, _ = make_node("call", spec.name, args, result, Provenance(), {})
    return node


def _key(argument: Any) -> Any:
    if isinstance(argument, Value) and isinstance(argument.spec, TensorSpec):
        return argument.spec
    return tuple(map(_key, argument)) if isinstance(argument, tuple) else repr(argument)
