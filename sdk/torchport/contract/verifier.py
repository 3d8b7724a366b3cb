"""The verifier: whether a contract graph keeps the contract.

Every violation is a :class:`~torchport.errors.VerifierError` with the node, the operator and a label.
Labels written in an entry (``mm.C1``) name its constraints; the others follow from the entry's rules and
count from 1: ``mm.A2`` the second argument's presence or type, ``mm.T2`` its dtype, ``mm.S1`` the first
output's shape, ``mm.D1`` its dtype. ``graph.*`` labels are about the graph's structure.

Cost is linear in the nodes. A node whose operator, argument metadata and result metadata were seen before
in the same graph is only looked up, so that a model's repeated layers cost little.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import torch

from torchport.contract import dtype_rules
from torchport.contract.dims import DataDependent, lift
from torchport.contract.extension import verify_results
from torchport.contract.graph import (
    Graph,
    Node,
    ScalarSpec,
    Symbol,
    TensorSpec,
    Value,
    described,
    show,
    shown_arguments,
    values_in,
)
from torchport.contract.plans import Plan
from torchport.contract.shape_rules import Bindings, ShapeError, ShapeRule, UndecidedError, bind
from torchport.contract.spec import Constraint, OpSpec, Tier, resolve
from torchport.contract.symbol_checks import dims_agree
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError, VerifierError


class Verifier:
    """Checks graphs against a set of entries; keeps them prepared, so one instance should serve many graphs.

    Args:
        ops: entries by qualified operator name.
    """

    def __init__(self, ops: Mapping[str, OpSpec]) -> None:
        self._ops = ops
        self._plans: dict[str, Plan] = {}
        self._constraints: dict[tuple[str, Tier], tuple[tuple[Constraint, ShapeRule], ...]] = {}

    def verify(
        self,
        graph: Graph,
        *,
        tier: str | Tier = Tier.ATEN,
        allow_unknown: bool = False,
        outside: Collection[str] = (),
    ) -> None:
        """Checks ``graph``; returns on success.

        Args:
            graph: the graph.
            tier: ``"aten"``; ``"macro"``: macros may occur too; ``"prim"``: primitives only, under their own
                constraints.
            allow_unknown: let operators pass that the contract does not have (they will run in a fallback);
                their references are still checked, and operators that write to an argument are still refused.
            outside: names of nodes of which only the references are checked, see :meth:`violations`.

        Raises:
            VerifierError: the graph violates the contract.
            ContractError: ``tier`` is not a tier.
        """
        try:
            wanted = Tier(tier)
        except ValueError:
            raise ContractError("not a tier", got=repr(tier), hint="use 'macro', 'aten' or 'prim'") from None
        if not isinstance(graph, Graph):
            raise ContractError("only a contract graph can be verified", got=type(graph).__name__)
        run = _Run(self, graph, wanted, allow_unknown)
        run.outside = dict.fromkeys(outside)
        run.run()

    def violations(self, graph: Graph) -> dict[str, VerifierError]:
        """What single nodes with a contract operator violate, by node name: calls that PyTorch accepts and
        the contract does not describe. Such nodes are left to eager PyTorch.

        Raises:
            VerifierError: the graph as a whole is malformed.
        """
        run = _Run(self, graph, Tier.MACRO, allow_unknown=True)
        run.collected = {}
        run.run()
        return run.collected

    def plan(self, name: str) -> Plan | None:
        """The prepared entry, or None where the contract has none."""
        found = self._plans.get(name)
        if found is None:
            spec = self._ops.get(name)
            if spec is None:
                return None
            found = self._plans[name] = Plan(spec)
        return found

    def is_primitive(self, node: Node) -> bool:
        """Whether a call is of a primitive, under the constraints that hold at the prim tier only."""
        plan = self.plan(node.op)
        if plan is None or plan.spec.tier is not Tier.PRIM:
            return False
        own = [rule for c, rule in self.constraints(plan, Tier.PRIM) if c.tier is Tier.PRIM]
        if not own:
            return True
        bound = bind(dict(node.args))
        return all(rule.holds(bound) is not False for rule in own)

    def constraints(self, plan: Plan, tier: Tier) -> tuple[tuple[Constraint, ShapeRule], ...]:
        """The constraints that hold at a tier, parsed."""
        key = (plan.spec.name, tier)
        found = self._constraints.get(key)
        if found is None:
            found = self._constraints[key] = plan.constraints(tier)
        return found


class _Run:
    """One verification of one graph."""

    def __init__(self, verifier: Verifier, graph: Graph, tier: Tier, allow_unknown: bool) -> None:
        self.verifier, self.graph, self.tier, self.allow_unknown = verifier, graph, tier, allow_unknown
        self.values: dict[str, Value] = {}
        self.symbols: dict[str, Symbol] = {}
        self.seen: dict[Any, VerifierError | None] = {}
        self.declared: set[SymExpr] = set()
        self.outside: dict[str, None] = {}
        self.collected: dict[str, VerifierError] | None = None
        self.default_dtype = torch.get_default_dtype()

    def run(self) -> None:
        for container in ("inputs", "nodes", "outputs", "symbols"):
            if not isinstance(getattr(self.graph, container), tuple):
                raise _graph_error(container, f"Graph.{container} is not a tuple")
        for symbol in self.graph.symbols:
            if not isinstance(symbol, Symbol) or not isinstance(symbol.name, str):
                raise _graph_error("symbol", "a symbol is not a Symbol with a name", got=repr(symbol))
            if symbol.name in self.symbols:
                raise _graph_error("duplicate-symbol", f"symbol {symbol.name!r} is declared twice")
            self.symbols[symbol.name] = symbol
        for value in self.graph.inputs:
            self.define(value, "inputs", None)
        names: set[str] = set()
        for node in self.graph.nodes:
            if type(node) is not Node or type(node.name) is not str or type(node.op) is not str:
                raise _graph_error(
                    "node", "a node is not a Node with a name and an operator", got=repr(node)[:200]
                )
            if node.name in names:
                raise VerifierError(
                    "two nodes have this name", node=node.name, op=node.op, label="graph.duplicate-node"
                )
            names.add(node.name)
            self.node(node)
        for output in self.graph.outputs:
            self.output(output)
        self.sources()

    def sources(self) -> None:
        """Symbols that are read from a value name one that exists."""
        for symbol in self.graph.symbols:
            if len(symbol.source) > 1 and symbol.source[0] in ("size", "scalar"):
                value = self.values.get(symbol.source[1])
                if value is None:
                    raise _graph_error(
                        "dangling-symbol",
                        f"symbol {symbol.name!r} is read from a value that does not exist",
                        got=repr(symbol.source),
                    )

    def define(self, value: Value, where: str, op: str | None) -> None:
        self.well_formed(value, where, op)
        if value.name in self.values:
            raise VerifierError(
                f"value {value.name!r} is defined twice",
                node=where,
                op=op,
                label="graph.duplicate-value",
                hint="every value name is unique within its graph",
            )
        self.values[value.name] = value

    def well_formed(self, value: Value, where: str, op: str | None) -> None:
        """The value has a name and a spec whose sizes are integers or declared symbols."""
        if type(value) is not Value or type(value.name) is not str:
            raise VerifierError(
                "what is defined is not a Value with a name",
                node=where,
                op=op,
                label="graph.value",
                got=repr(value),
            )
        spec = value.spec
        if type(spec) is TensorSpec:
            if (
                type(spec.shape) is not tuple
                or type(spec.stride) is not tuple
                or len(spec.shape) != len(spec.stride)
            ):
                raise VerifierError(
                    f"value {value.name!r} has not one stride for each size",
                    node=where,
                    op=op,
                    label="graph.stride",
                    got=f"shape {spec.shape}, stride {spec.stride}",
                )
            if type(spec.dtype) is not torch.dtype:
                raise VerifierError(
                    f"value {value.name!r} has no dtype",
                    node=where,
                    op=op,
                    label="graph.spec",
                    got=repr(spec.dtype),
                )
            for dim in spec.shape:
                if type(dim) is not int:
                    self.dim(dim, value.name, where, op)
                elif dim < 0:
                    raise VerifierError(
                        f"a size of {value.name!r} is negative",
                        node=where,
                        op=op,
                        label="graph.size",
                        got=str(dim),
                    )
            for dim in spec.stride:
                if type(dim) is not int:
                    self.dim(dim, value.name, where, op)
            if type(spec.storage_offset) is not int:
                self.dim(spec.storage_offset, value.name, where, op)
        elif isinstance(spec, ScalarSpec):
            if isinstance(spec.expr, SymExpr):
                self.dim(spec.expr, value.name, where, op)
        else:
            raise VerifierError(
                f"value {value.name!r} has no spec", node=where, op=op, label="graph.spec", got=repr(spec)
            )

    def dim(self, dim: Any, name: str, where: str, op: str | None) -> None:
        if type(dim) is SymExpr and dim in self.declared:
            return
        if not isinstance(dim, SymExpr):
            raise VerifierError(
                f"a size of {name!r} is neither an integer nor symbolic",
                node=where,
                op=op,
                label="graph.size",
                got=repr(dim),
            )
        missing = dim.symbols - self.symbols.keys()
        if missing:
            raise VerifierError(
                f"symbol {sorted(missing)[0]!r} is not declared by the graph",
                node=where,
                op=op,
                label="graph.dangling-symbol",
                got=f"{dim} in {name!r}",
                hint="declare it in Graph.symbols",
            )
        self.declared.add(dim)

    def reference(self, value: Value, node: str, op: str | None) -> None:
        known = self.values.get(value.name)
        if known is value:
            return
        if known is None:
            later = any(
                value.name == v.name for n in self.graph.nodes for v in n.outputs if isinstance(v, Value)
            )
            raise VerifierError(
                f"value {value.name!r} is used before it is defined"
                if later
                else f"value {value.name!r} does not exist",
                node=node,
                op=op,
                label="graph.use-before-definition" if later else "graph.dangling-value",
                hint="nodes are in topological order" if later else "",
            )
        if known.spec != value.spec:
            raise VerifierError(
                f"value {value.name!r} is read under another spec than it is defined with",
                node=node,
                op=op,
                label="graph.spec",
                got=f"{described(value)}, defined as {described(known)}",
            )

    def output(self, output: Any) -> None:
        if isinstance(output, Value):
            self.reference(output, "outputs", None)
        elif isinstance(output, SymExpr):
            self.dim(output, "a graph output", "outputs", None)
        elif not isinstance(output, int | float | None):
            raise _graph_error("output", "a graph output is neither a value nor a scalar", got=repr(output))

    # --- one node ---

    def node(self, node: Node) -> None:
        key = self.key(node)
        if node.name not in self.outside:
            if key not in self.seen:
                self.seen[key] = self.problem(node)
            found = self.seen[key]
            if found is not None and self.collected is None:
                raise found
            if found is not None and self.collected is not None:
                self.collected[node.name] = found
        for value in node.outputs:
            if value is not None:
                self.define(value, node.name, node.op)

    def problem(self, node: Node) -> VerifierError | None:
        try:
            self.check(node)
        except VerifierError as error:
            return error
        return None

    def key(self, node: Node) -> Any:
        """What the checks of a node depend on; looks every argument's value up on the way."""
        try:
            if type(node.args) is not tuple or type(node.outputs) is not tuple:
                raise TypeError("args and outputs are tuples")
            parts: list[Any] = [node.op]
            for name, argument in node.args:
                parts.append(name)
                self.part(argument, node, parts)
            for value in node.outputs:
                spec = None if value is None else value.spec
                parts.append((spec.shape, spec.dtype) if isinstance(spec, TensorSpec) else spec)
            key = tuple(parts)
            hash(key)
        except VerifierError:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            raise VerifierError(
                "the node's arguments or outputs are malformed",
                node=str(node.name),
                op=str(node.op),
                label="graph.node",
                got=str(error),
                hint="args are (name, value) pairs of immutable values",
            ) from error
        return key

    def part(self, argument: Any, node: Node, parts: list[Any]) -> None:
        kind = type(argument)
        if kind is Value:
            if self.values.get(argument.name) is not argument:
                self.reference(argument, node.name, node.op)
            spec = argument.spec
            parts.append((spec.shape, spec.dtype) if type(spec) is TensorSpec else spec)
        elif kind is tuple:
            parts.append(len(argument))
            for item in argument:
                if type(item) is int:
                    parts.append(item)
                else:
                    self.part(item, node, parts)
        elif kind is SymExpr:
            self.dim(argument, "an argument", node.name, node.op)
            parts.append(argument)
        else:
            # The type keeps 1, 1.0 and True apart.
            parts.append(kind)
            parts.append(argument)

    def check(self, node: Node) -> None:
        for value in node.outputs:
            if value is not None:
                self.well_formed(value, node.name, node.op)
        plan = self.verifier.plan(node.op)
        if plan is None:
            self.unknown(node)
            return
        if self.tier is Tier.PRIM and plan.spec.tier is not Tier.PRIM:
            raise VerifierError(
                "the operator is not a primitive",
                node=node.name,
                op=node.op,
                label="graph.tier",
                hint="decompose it, or verify at tier='aten'",
            )
        if self.tier is Tier.ATEN and plan.spec.tier is Tier.MACRO:
            raise VerifierError(
                "the operator is a macro",
                node=node.name,
                op=node.op,
                label="graph.tier",
                hint="decompose it, or verify at tier='macro'",
            )
        self.argument_list(node, plan)
        arguments = dict(node.args)
        bound = bind(arguments)
        self.accepted(node, plan, arguments)
        self.constrained(node, plan, bound)
        self.results(node, plan, arguments, bound)

    def unknown(self, node: Node) -> None:
        op = _resolved(node.op)
        if op is not None and op._schema.is_mutable:
            raise VerifierError(
                "the operator writes to an argument; contract graphs are functional",
                node=node.name,
                op=node.op,
                label="graph.mutation",
                hint="functionalize the graph (AOTAutograd does) before it is verified",
            )
        if not self.allow_unknown:
            raise VerifierError(
                "the operator is not in the contract",
                node=node.name,
                op=node.op,
                label="graph.unknown-op",
                hint="decompose it, or leave it to a fallback (allow_unknown=True)",
            )

    def argument_list(self, node: Node, plan: Plan) -> None:
        names = tuple(name for name, _ in node.args)
        if names != plan.names:
            missing = [n for n in plan.names if n not in names]
            extra = [str(n) for n in names if n not in plan.names]
            index = plan.names.index(missing[0]) + 1 if missing else len(plan.names)
            raise VerifierError(
                "the arguments are not those of the schema",
                node=node.name,
                op=node.op,
                label=f"{plan.stem}.A{index}",
                got=f"missing {missing}, unknown {extra}"
                if missing or extra
                else f"order {list(map(str, names))}",
                hint=f"bind every argument, defaults included, in schema order: {plan.spec.schema}",
            )
        for i, ((name, argument), (_, text, check)) in enumerate(
            zip(node.args, plan.arguments, strict=True), 1
        ):
            if not check(argument):
                raise VerifierError(
                    f"argument {name!r} is not of type {text}",
                    node=node.name,
                    op=node.op,
                    label=f"{plan.stem}.A{i}",
                    got=show(argument)[:200],
                )

    def accepted(self, node: Node, plan: Plan, arguments: Mapping[str, Any]) -> None:
        rule = plan.spec.dtypes
        for name in rule.accepts:
            for value in values_in(arguments.get(name)):
                if not isinstance(value.spec, TensorSpec):
                    continue
                if not dtype_rules.accepted(rule, name, value.spec.dtype, arguments):
                    raise VerifierError(
                        f"argument {name!r} does not accept this dtype",
                        node=node.name,
                        op=node.op,
                        label=f"{plan.stem}.T{plan.names.index(name) + 1}",
                        got=described(value),
                        hint=f"accepted: {', '.join(rule.accepts[name])}",
                    )
        if rule.computes and not dtype_rules.computable(rule, arguments, self.default_dtype):
            raise VerifierError(
                "the operator does not compute in the common dtype of these operands",
                node=node.name,
                op=node.op,
                label=f"{plan.stem}.T0",
                got=shown_arguments(node)[:400],
                hint="; ".join(
                    f"{text} is one of {', '.join(names)}" for text, names in rule.computes.items()
                ),
            )

    def constrained(self, node: Node, plan: Plan, bound: Bindings) -> None:
        for constraint, rule in self.verifier.constraints(plan, self.tier):
            if rule.holds(bound) is False:
                raise VerifierError(
                    constraint.prose,
                    node=node.name,
                    op=node.op,
                    label=constraint.label,
                    got=shown_arguments(node)[:400],
                    hint=f"must hold: {constraint.text}",
                )

    def results(self, node: Node, plan: Plan, arguments: Mapping[str, Any], bound: Bindings) -> None:
        if plan.spec.fake is not None:
            verify_results(node, plan.spec, self.symbols)
            return
        expected = self.shapes(node, plan, bound)
        dtypes = dtype_rules.result_dtypes(plan.spec.dtypes, arguments, self.default_dtype)
        if len(node.outputs) != len(expected):
            raise VerifierError(
                "the number of outputs is not the operator's",
                node=node.name,
                op=node.op,
                label=f"{plan.stem}.S1",
                got=f"{len(node.outputs)} outputs, the contract says {len(expected)}",
            )
        for i, (value, shape) in enumerate(zip(node.outputs, expected, strict=True)):
            dtype = dtypes[min(i, len(dtypes) - 1)]
            self.result(node, plan, i + 1, value, shape, dtype)

    def shapes(self, node: Node, plan: Plan, bound: Bindings) -> list[Any]:
        """Expected raw shape per output; ``...`` where symbols leave it open."""
        found: list[Any] = []
        for i, rule in enumerate(plan.shapes, 1):
            listed = i <= len(plan.returns) and plan.returns[i - 1].startswith("List")
            try:
                shape = rule.raw(bound)
            except UndecidedError:
                found += [...] * (len(node.outputs) if listed else 1)
                continue
            except ShapeError as error:
                raise VerifierError(
                    error.message,
                    node=node.name,
                    op=node.op,
                    label=f"{plan.stem}.S{i}",
                    got=error.got,
                    hint=f"shape rule: {rule.text}",
                ) from error
            found += list(shape) if listed else [shape]
        return found

    def result(self, node: Node, plan: Plan, number: int, value: Any, shape: Any, dtype: torch.dtype) -> None:
        if value is None or not isinstance(value, Value):
            if shape is None or shape is ... or (value is None and number > len(plan.returns)):
                return
            raise VerifierError(
                f"output {number} is missing",
                node=node.name,
                op=node.op,
                label=f"{plan.stem}.S{number}",
                got=repr(value),
            )
        if not isinstance(value.spec, TensorSpec):
            if plan.returns[min(number, len(plan.returns)) - 1] == "Tensor":
                raise VerifierError(
                    f"output {number} is a tensor",
                    node=node.name,
                    op=node.op,
                    label=f"{plan.stem}.S{number}",
                    got=described(value),
                )
            return
        if shape is None:
            raise VerifierError(
                f"output {number} does not exist with these arguments",
                node=node.name,
                op=node.op,
                label=f"{plan.stem}.S{number}",
                got=described(value),
            )
        if value.spec.dtype != dtype:
            raise VerifierError(
                f"output {number} has the wrong dtype",
                node=node.name,
                op=node.op,
                label=f"{plan.stem}.D{number}",
                got=described(value),
                hint=f"the contract says {dtype}",
            )
        if shape is not ... and not self.same_shape(value.spec.shape, shape):
            raise VerifierError(
                f"output {number} has the wrong shape",
                node=node.name,
                op=node.op,
                label=f"{plan.stem}.S{number}",
                got=described(value),
                hint=f"the contract says [{', '.join(map(str, shape))}]",
            )

    def same_shape(self, declared: tuple[Any, ...], expected: tuple[Any, ...]) -> bool:
        return len(declared) == len(expected) and all(
            isinstance(e, DataDependent) or dims_agree(lift(d), e, self.symbols)
            for d, e in zip(declared, expected, strict=True)
        )


def _graph_error(label: str, message: str, got: str | None = None) -> VerifierError:
    return VerifierError(message, node="graph", label=f"graph.{label}", got=got)


def _resolved(name: str) -> torch._ops.OpOverload | None:
    try:
        op = resolve(name)
    except (AttributeError, ValueError, TypeError, RuntimeError):
        return None
    return op if isinstance(op, torch._ops.OpOverload) else None
