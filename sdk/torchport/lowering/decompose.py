"""One operator as a graph of its parts, by tracing its decomposition on the traced tensors of its
arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.contract.fx_import import import_fx
from torchport.contract.graph import Node, Provenance, Value, map_values, show
from torchport.contract.opset import OpSet
from torchport.contract.spec import qualified_name, resolve
from torchport.contract.symbols import SymExpr
from torchport.errors import LoweringError

UNUSABLE = frozenset({"aten._scaled_dot_product_flash_attention_for_cpu.default"})
"""PyTorch decompositions that are wrong: this one returns attention weights where its backward reads
logsumexp.
"""


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of one node. ``outputs`` are what replaces the node's outputs, in order."""

    nodes: tuple[Node, ...]
    outputs: tuple[Any, ...]
    constants: Mapping[str, torch.Tensor]


class Decomposer:
    """Decomposes nodes of one captured graph; equal calls are traced once.

    Args:
        opset: contract whose decompositions are preferred.
        fakes: the traced tensor behind each value; results of parts are added to it.
    """

    def __init__(self, opset: OpSet, fakes: dict[str, Any]) -> None:
        self.opset, self.fakes = opset, fakes
        self._traced: dict[str, tuple[torch.fx.GraphModule, list[Any]]] = {}
        self._mode = next((f.fake_mode for f in fakes.values() if isinstance(f, FakeTensor)), None)

    def parts(self, node: Node) -> Parts | None:
        """The parts of ``node``, or ``None`` when nothing decomposes it.

        Raises:
            LoweringError: the decomposition itself failed.
        """
        fn = decomposition_of(node.op, self.opset)
        if fn is None or self._mode is None or node.op in node.provenance.origins:
            return None  # an operator among its own parts has been taken apart as far as it goes
        leaves = _leaves(node)
        key = f"{node.op}({', '.join(f'{k}={show(a)}' for k, a in self._canonical(node, leaves))})"
        traced = self._traced.get(key)
        if traced is None:
            traced = self._traced[key] = self._trace(node, fn, leaves)
        return self._instantiate(node, traced[0], leaves)

    @staticmethod
    def _canonical(node: Node, leaves: list[Any]) -> tuple[tuple[str, Any], ...]:
        """Arguments with each value replaced by its position and spec, so that equal calls have equal
        text.
        """
        order = {leaf.name: i for i, leaf in enumerate(leaves) if isinstance(leaf, Value)}
        described = {
            v.name: replace(v.tensor, name="", role=v.tensor.role) for v in leaves if isinstance(v, Value)
        }
        return tuple(
            (k, map_values(a, lambda v: f"#{order[v.name]}:{described[v.name]}")) for k, a in node.args
        )

    def _trace(
        self, node: Node, fn: Callable[..., Any], leaves: list[Any]
    ) -> tuple[torch.fx.GraphModule, list[Any]]:
        assert self._mode is not None
        inputs = [self._fake(leaf, self._mode) for leaf in leaves]

        def call(*tensors: Any) -> Any:
            bound = dict(zip([_key(leaf) for leaf in leaves], tensors, strict=True))

            def real(arg: Any) -> Any:
                if isinstance(arg, Value | SymExpr):
                    return bound[_key(arg)]
                return [real(a) for a in arg] if isinstance(arg, tuple) else arg

            positional, keywords = [], {}
            for parameter, (name, arg) in zip(resolve(node.op)._schema.arguments, node.args, strict=True):
                if parameter.kwarg_only:
                    keywords[name] = real(arg)
                else:
                    positional.append(real(arg))
            return _flatten(fn(*positional, **keywords))

        try:
            with torch.no_grad(), self._mode:
                gm = make_fx(call)(*inputs)
        except Exception as error:
            raise LoweringError(
                f"the decomposition failed: {type(error).__name__}: {error}",
                op=node.op,
                got=str(node),
                hint="claim the operator, or report the decomposition",
            ) from error
        gm.graph.eliminate_dead_code()
        return gm, inputs

    def _fake(self, leaf: Any, mode: FakeTensorMode) -> Any:
        if isinstance(leaf, Value):
            return self.fakes[leaf.name]
        env = mode.shape_env
        assert env is not None
        by_name = {str(symbol): symbol for symbol in env.var_to_range}
        expr = leaf.sympy()
        expr = expr.xreplace({s: by_name[s.name] for s in expr.free_symbols if s.name in by_name})
        return env.create_symintnode(expr, hint=None)

    def _instantiate(self, node: Node, gm: torch.fx.GraphModule, leaves: list[Any]) -> Parts:
        imported = import_fx(gm, closed=False)
        renamed: dict[str, Value] = {}
        for argument, leaf in zip(imported.arguments, leaves, strict=True):
            if isinstance(argument, Value):
                renamed[argument.name] = leaf
        constants = {}
        for value in imported.graph.inputs:
            if value.name not in renamed:
                renamed[value.name] = Value(f"{node.name}__{value.name}", value.spec)
                constants[renamed[value.name].name] = imported.graph.constants[value.name]
        origins = (*node.provenance.origins, node.op)
        provenance = Provenance(node.provenance.source, origins)

        def current(value: Value) -> Value:
            return renamed[value.name]

        nodes = []
        for part in imported.graph.nodes:
            outputs: list[Value | None] = []
            for result in part.outputs:
                if result is not None:
                    renamed[result.name] = Value(f"{node.name}__{result.name}", result.spec)
                    self.fakes[f"{node.name}__{result.name}"] = imported.fakes.get(result.name)
                outputs.append(None if result is None else renamed[result.name])
            moved = part.map_values(current)
            nodes.append(
                replace(
                    moved, name=f"{node.name}__{part.name}", outputs=tuple(outputs), provenance=provenance
                )
            )
        return Parts(tuple(nodes), map_values(imported.graph.outputs, current), constants)


def _leaves(node: Node) -> list[Any]:
    """Distinct values and symbolic numbers among the arguments, in order."""
    found: dict[str, Any] = {}

    def visit(arg: Any) -> None:
        if isinstance(arg, Value | SymExpr):
            found.setdefault(_key(arg), arg)
        elif isinstance(arg, tuple):
            for item in arg:
                visit(item)

    for _, arg in node.args:
        visit(arg)
    return list(found.values())


def _key(leaf: Value | SymExpr) -> str:
    return f"%{leaf.name}" if isinstance(leaf, Value) else leaf.text


def _flatten(result: Any) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def decomposition_of(name: str, opset: OpSet) -> Callable[..., Any] | None:
    """The contract's decomposition where the operator is in the contract, else PyTorch's where it has a
    usable one.
    """
    spec = opset.ops.get(name)
    if spec is not None:
        return spec.decomposition
    return _torch_decompositions().get(name)


@lru_cache(maxsize=1)
def _torch_decompositions() -> dict[str, Callable[..., Any]]:
    table = torch._decomp.core_aten_decompositions()
    found = {qualified_name(op): fn for op, fn in table.items() if isinstance(op, torch._ops.OpOverload)}
    return {name: fn for name, fn in found.items() if name not in UNUSABLE}
