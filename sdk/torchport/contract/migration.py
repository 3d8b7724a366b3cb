"""Graphs from one contract version to another: :func:`upgrade` and :func:`downgrade`.

An operator that the target version lacks is replaced by its decomposition, again and again until every
operator is one of the target's: going up, the decompositions of what was retired; going down, those of what
was added. Where an operator has no decomposition, or one that needs what the target lacks, there is no way
down, and :func:`downgrade` says so where the graph is produced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from torchport.contract.fx_import import import_fx
from torchport.contract.graph import (
    Graph,
    Node,
    Opaque,
    Provenance,
    ScalarSpec,
    TensorSpec,
    Value,
    map_values,
    values_in,
)
from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import OpSpec
from torchport.contract.symbols import SymExpr, from_sympy
from torchport.contract.version import LOG, ordered
from torchport.errors import ContractError

DEEPEST = 32
"""Decompositions within decompositions; more is a circle."""


def upgrade(graph: Graph, to: str | OpSet, *, since: str | OpSet = "1.0") -> Graph:
    """``graph``, which keeps version ``since``, in terms of version ``to`` (the same or a newer one).

    Raises:
        ContractError: a version does not exist, ``to`` is older, or an operator that was retired has no
            decomposition.
    """
    target, source = opset(to), opset(since)
    if ordered(target.base) < ordered(source.base):
        raise ContractError(
            "upgrade() goes to a newer version",
            got=f"{source.version} to {target.version}",
            hint="downgrade()",
        )
    return _migrate(graph, source, target)


def downgrade(graph: Graph, to: str | OpSet, *, since: str | OpSet | None = None) -> Graph:
    """``graph``, which keeps version ``since`` (by default the newest), in terms of the older version ``to``.

    Raises:
        ContractError: a version does not exist, ``to`` is newer, or a node's operator cannot be expressed in
            ``to``; the error names operator, node and versions.
    """
    target, source = opset(to), opset(list(LOG)[-1] if since is None else since)
    if ordered(target.base) > ordered(source.base):
        raise ContractError(
            "downgrade() goes to an older version",
            got=f"{source.version} to {target.version}",
            hint="upgrade()",
        )
    return _migrate(graph, source, target)


def _migrate(graph: Graph, source: OpSet, target: OpSet) -> Graph:
    """Replaces what ``target`` lacks; operators that neither version has stay (they run in a fallback)."""
    missing = {name: spec for name, spec in source.ops.items() if name not in target.ops}
    if not any(node.op in missing for node in graph.nodes):
        return graph
    migration = _Migration(graph, source, target, missing)
    nodes: list[Node] = []
    renamed: dict[str, Any] = {}
    for original in graph.nodes:
        node = original.map_values(lambda value: renamed.get(value.name, value))
        parts, outputs = migration.replace(node, depth=0)
        nodes += parts
        for old, new in zip(node.outputs, outputs, strict=True):
            if old is not None and new is not old:
                renamed[old.name] = new
    outputs = map_values(graph.outputs, lambda value: renamed.get(value.name, value))
    constants = {**graph.constants, **migration.constants}
    inputs = graph.inputs + tuple(migration.constant_values)
    return replace(graph, inputs=inputs, nodes=tuple(nodes), outputs=outputs, constants=constants)


@dataclass(frozen=True, slots=True)
class _Traced:
    """A decomposition traced on the arguments of a call."""

    nodes: tuple[Node, ...]
    outputs: tuple[Any, ...]


class _Migration:
    def __init__(self, graph: Graph, source: OpSet, target: OpSet, missing: Mapping[str, OpSpec]) -> None:
        from torch._dynamo.source import ConstantSource  # deferred: reading a region needs no Dynamo

        self.source, self.target, self.missing = source, target, missing
        self.constants: dict[str, torch.Tensor] = {}
        self.constant_values: list[Value] = []
        self.env = ShapeEnv()
        self.mode = FakeTensorMode(shape_env=self.env)
        self.symbols: dict[str, sympy.Symbol] = {}
        for symbol in graph.symbols:
            if symbol.hint is None:
                made = self.env.create_unbacked_symint().node.expr
            else:
                made = self.env.create_symbol(
                    symbol.hint,
                    ConstantSource(symbol.name),
                    DimDynamic.DYNAMIC,
                    do_not_specialize_zero_one=True,
                )
            self.symbols[symbol.name] = made
        self.names = {made: sympy.Symbol(name, integer=True) for name, made in self.symbols.items()}

    def replace(self, node: Node, depth: int) -> tuple[list[Node], tuple[Any, ...]]:
        """The nodes that stand for ``node``, and what stands for its outputs."""
        spec = self.missing.get(node.op)
        if spec is None:
            return [node], node.outputs
        if spec.decomposition is None or depth > DEEPEST:
            raise self.impossible(node)
        traced = self.trace(node, spec)
        nodes: list[Node] = []
        renamed: dict[str, Any] = {}
        for part in traced.nodes:
            current = part.map_values(lambda value: renamed.get(value.name, value))
            if current.op not in self.target.ops and current.op not in self.missing:
                raise self.impossible(node, needs=current.op)
            inner, outputs = self.replace(current, depth + 1)
            nodes += inner
            for old, new in zip(current.outputs, outputs, strict=True):
                if old is not None and new is not old:
                    renamed[old.name] = new
        return nodes, map_values(traced.outputs, lambda value: renamed.get(value.name, value))

    def impossible(self, node: Node, needs: str = "") -> ContractError:
        versions = f"contract {self.target.version}"
        because = f"its decomposition needs {needs}" if needs else "it has no decomposition"
        down = ordered(self.target.base) < ordered(self.source.base)
        return ContractError(
            f"node {node.name!r} cannot be expressed in {versions}: {because}",
            op=node.op,
            got=f"a graph of contract {self.source.version}",
            hint=f"keep contract {self.source.version}, or leave the operator out of what is captured"
            if down
            else "compute it in another way",
        )

    def trace(self, node: Node, spec: OpSpec) -> _Traced:
        leaves = list(dict.fromkeys(v for _, a in node.args for v in values_in(a)))
        with self.mode:
            inputs = [self.stand_in(leaf) for leaf in leaves]

        def call(*tensors: Any) -> tuple[Any, ...]:
            bound = {leaf.name: t for leaf, t in zip(leaves, tensors, strict=True)}
            positional, keywords = [], {}
            for argument, (name, value) in zip(spec.signature.arguments, node.args, strict=True):
                if argument.kwarg_only:
                    keywords[name] = self.real(value, bound)
                else:
                    positional.append(self.real(value, bound))
            assert spec.decomposition is not None
            result = spec.decomposition(*positional, **keywords)
            return tuple(result) if isinstance(result, tuple | list) else (result,)

        with torch.no_grad(), self.mode:
            gm = make_fx(call, tracing_mode="real")(*inputs)
        gm.graph.eliminate_dead_code()
        return self.spliced(node, gm, leaves)

    def stand_in(self, value: Value) -> Any:
        spec = value.spec
        if isinstance(spec, ScalarSpec):
            return self.number(spec.expr)
        sizes, strides = ([self.number(d) for d in dims] for dims in (spec.shape, spec.stride))
        return torch.empty_strided(sizes, strides, dtype=spec.dtype, device=spec.device)

    def number(self, dim: Any) -> Any:
        if not isinstance(dim, SymExpr):
            return dim
        expr = dim.sympy()
        expr = expr.xreplace({s: self.symbols[s.name] for s in expr.free_symbols})
        return self.env.create_symintnode(expr, hint=None)

    def real(self, argument: Any, bound: Mapping[str, Any]) -> Any:
        match argument:
            case Value():
                return bound[argument.name]
            case SymExpr():
                return self.number(argument)
            case Opaque():
                return argument.payload
            case tuple():
                return [self.real(a, bound) for a in argument]
        return argument

    def spliced(self, node: Node, gm: torch.fx.GraphModule, leaves: list[Value]) -> _Traced:
        """The traced nodes over the values and symbols of the graph, under names of their own."""
        imported = import_fx(gm, closed=False)
        renamed: dict[str, Any] = {
            argument.name: leaf
            for argument, leaf in zip(imported.arguments, leaves, strict=True)
            if isinstance(argument, Value)
        }
        for value in imported.graph.inputs:
            if value.name not in renamed:
                constant = Value(f"{node.name}__{value.name}", value.spec)
                renamed[value.name] = constant
                self.constants[constant.name] = imported.graph.constants[value.name]
                self.constant_values.append(constant)
        provenance = Provenance(node.provenance.source, (*node.provenance.origins, node.op))
        nodes = []
        for part in imported.graph.nodes:
            outputs: list[Value | None] = []
            for result in part.outputs:
                made = None if result is None else self.own(node, result)
                if result is not None:
                    renamed[result.name] = made
                outputs.append(made)
            args = tuple((k, self.argument(map_values(a, lambda v: renamed[v.name]))) for k, a in part.args)
            nodes.append(
                Node(
                    f"{node.name}__{part.name}",
                    part.op,
                    args,
                    tuple(outputs),
                    provenance,
                    part.returns_sequence,
                )
            )
        return _Traced(tuple(nodes), map_values(imported.graph.outputs, lambda v: renamed[v.name]))

    def own(self, node: Node, value: Value) -> Value:
        spec = value.spec
        if isinstance(spec, TensorSpec):
            shape, stride = (tuple(map(self.dim, dims)) for dims in (spec.shape, spec.stride))
            spec = spec.with_(shape=shape, stride=stride, storage_offset=self.dim(spec.storage_offset))
        return Value(f"{node.name}__{value.name}", spec)

    def argument(self, argument: Any) -> Any:
        if isinstance(argument, tuple):
            return tuple(self.argument(a) for a in argument)
        return self.dim(argument)

    def dim(self, dim: Any) -> Any:
        """A symbolic size under the graph's own symbol names."""
        if not isinstance(dim, SymExpr):
            return dim
        by_name = {made.name: own for made, own in self.names.items()}
        expr = dim.sympy()
        return from_sympy(expr.xreplace({s: by_name[s.name] for s in expr.free_symbols}))
