"""One operator as nodes of its parts: its decomposition rule applied to the graph.

Equal calls are worked out once: the nodes are kept as a template, which is then stamped out under the names
of each place where it is used.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._sympy.functions import FloatTrueDiv, IntTrueDiv, ToFloat

from torchport.contract import dtype_rules
from torchport.contract.adapters import schema_of
from torchport.contract.decompositions.operators import aten
from torchport.contract.empty_results import are_empty
from torchport.contract.fx_import import tensor_spec
from torchport.contract.graph import (
    Node,
    Provenance,
    Role,
    ScalarSpec,
    TensorSpec,
    Value,
    map_values,
    values_in,
)
from torchport.contract.opset import OpSet
from torchport.contract.plans import Plan
from torchport.contract.reference import flatten
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError, LoweringError
from torchport.lowering.explicit import explicit_rule
from torchport.lowering.rules import Symbolic, Template, record

_TEMPLATES: OrderedDict[Any, Template] = OrderedDict()
"""Templates of calls with static sizes, least recently used first; shared by all graphs of the process."""
_KEPT = 4096


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of one node. ``outputs`` are what replaces the node's outputs, in order."""

    nodes: tuple[Node, ...]
    outputs: tuple[Any, ...]
    constants: Mapping[str, torch.Tensor]


class _DeclinedError(Exception):
    """A rule does not decompose this call; its cause, if it has one, says why."""


def _declines(error: Exception, node: Node) -> bool:
    """Whether a rule refused the very call (a copy to another device), or the trace has no name for a size
    that depends on data; anything else is a fault of the rule.
    """
    if isinstance(error, ContractError):
        return error.op == node.op
    return isinstance(error, DataDependentOutputException | DynamicOutputShapeException)


class Decomposer:
    """Decomposes nodes of one captured graph.

    Args:
        opset: contract whose decompositions are preferred.
        fakes: traced tensors of the graph; their fake tensor mode knows the graph's symbols.
    """

    def __init__(self, opset: OpSet, fakes: Mapping[str, Any]) -> None:
        self.opset = opset
        self._mode = next((f.fake_mode for f in fakes.values() if isinstance(f, FakeTensor)), None)
        self._plans: dict[str, Plan] = {}
        self._templates: OrderedDict[Any, Template] = OrderedDict()  # of calls with this graph's symbols
        self._symbols: dict[str, Any] = {}

    def parts(self, node: Node) -> Parts | None:
        """The parts of ``node``, or ``None`` when nothing decomposes it.

        Nothing decomposes a copy to another device, a call whose parts have sizes that this trace cannot
        name because they depend on data, or one in a dtype that the contract does not have its parts in.

        Raises:
            LoweringError: the decomposition itself failed.
        """
        rule = decomposition_of(node, self.opset, self._number)
        if rule is None or node.provenance.origins.count(node.op) > 1:
            return None  # an operator among its own parts has been taken apart as far as it goes
        leaves = _leaves(node)
        static = all(
            isinstance(v, Value) and isinstance(v.spec, TensorSpec) and v.spec.is_static for v in leaves
        )
        store = _TEMPLATES if static else self._templates
        key = (self.opset, torch.get_default_dtype(), node.op, *_canonical(node, leaves))
        template = store.get(key)
        if template is None:
            try:
                template = self._apply(node, rule, leaves, symbolic=not static)
            except _DeclinedError:
                return None
            if all(isinstance(v.spec, TensorSpec) for n in template.nodes for v in n.results):
                store[key] = template
                while len(store) > _KEPT:
                    store.popitem(last=False)
        else:
            store.move_to_end(key)
        return _stamp(node, template, leaves)

    def _apply(self, node: Node, rule: Callable[..., Any], leaves: list[Any], *, symbolic: bool) -> Template:
        bound = {_name(leaf): self._stand_in(i, leaf) for i, leaf in enumerate(leaves)}

        def real(arg: Any) -> Any:
            if isinstance(arg, Value | SymExpr):
                return bound[_name(arg)]
            return [real(a) for a in arg] if isinstance(arg, tuple) else arg

        positional, keywords = [], {}
        for parameter, (name, arg) in zip(schema_of(node.op).arguments, node.args, strict=True):
            if parameter.kwarg_only:
                keywords[name] = real(arg)
            else:
                positional.append(real(arg))
        try:
            call = partial(rule, *positional, **keywords)
            found = record(call, self.opset, self._plans, self.mode, self._number, symbolic=symbolic)
        except Exception as error:
            if _declines(error, node):
                raise _DeclinedError from error
            raise LoweringError(
                f"the decomposition failed: {type(error).__name__}: {error}",
                op=node.op,
                got=str(node),
                hint="claim the operator, or report the decomposition",
            ) from error
        if not all(map(self._takes_dtypes, found.nodes)):
            raise _DeclinedError
        return found

    def _takes_dtypes(self, part: Node) -> bool:
        """Whether the contract has a part in the dtypes of its operands: some operators move values of more
        dtypes than their parts compute with (complex32, 8-bit floats).
        """
        spec = self.opset.ops.get(part.op)
        if spec is None:
            return True
        rule, arguments = spec.dtypes, dict(part.args)
        operands = ((name, v.spec) for name in rule.accepts for v in values_in(arguments.get(name)))
        return all(
            dtype_rules.accepted(rule, name, spec.dtype, arguments)
            for name, spec in operands
            if isinstance(spec, TensorSpec)
        ) and (not rule.computes or dtype_rules.computable(rule, arguments))

    def mode(self) -> FakeTensorMode:
        """The fake tensor mode of the graph; made on first use where it came without traced ones."""
        if self._mode is None:
            self._mode = FakeTensorMode(shape_env=ShapeEnv())
        return self._mode

    def _stand_in(self, index: int, leaf: Any) -> Any:
        if not isinstance(leaf, Value):
            return self._number(leaf)
        if isinstance(leaf.spec, ScalarSpec):
            return self._number(leaf.spec.expr)
        spec = leaf.spec
        value = Value(f"#{index}", spec)
        sizes, strides = ([self._number(d) for d in dims] for dims in (spec.shape, spec.stride))
        return Symbolic.of(value, sizes, strides, self._number(spec.storage_offset))

    def _number(self, dim: Any) -> Any:
        """A symbolic expression as the SymInt that PyTorch computes with."""
        if not isinstance(dim, SymExpr):
            return dim
        if dim.text not in self._symbols:
            env = self.mode().shape_env
            assert env is not None
            by_name = {str(symbol): symbol for symbol in env.var_to_range}
            expr = dim.sympy()
            expr = expr.xreplace({s: by_name[s.name] for s in expr.free_symbols if s.name in by_name})
            whole = expr.is_integer is not False and not expr.has(FloatTrueDiv, IntTrueDiv, ToFloat)
            make = env.create_symintnode if whole else env.create_symfloatnode
            self._symbols[dim.text] = make(expr, hint=None)
        return self._symbols[dim.text]

    def fake(self, spec: TensorSpec) -> torch.Tensor:
        """A fake tensor with the geometry of ``spec``."""
        with self.mode():
            return torch.empty_strided(
                [self._number(d) for d in spec.shape],
                [self._number(d) for d in spec.stride],
                dtype=spec.dtype,
                device=spec.device,
            )


def forget_templates() -> None:
    """Empties the store of templates, for measurements of a first lowering."""
    _TEMPLATES.clear()


def _stamp(node: Node, template: Template, leaves: list[Any]) -> Parts:
    """The template's nodes under names that are unique in the graph of ``node``."""
    prefix = f"{node.name}__"
    renamed: dict[str, Any] = {f"#{i}": leaf for i, leaf in enumerate(leaves)}
    for name, tensor in template.constants.items():
        renamed[name] = Value(prefix + name, tensor_spec(tensor, role=Role.CONSTANT, name=name))

    def current(value: Value) -> Any:
        return renamed[value.name]

    provenance = Provenance(node.provenance.source, (*node.provenance.origins, node.op))
    nodes = []
    for part in template.nodes:
        args = tuple((k, map_values(a, current)) for k, a in part.args)
        outputs: list[Value | None] = []
        for result in part.outputs:
            if result is None:
                outputs.append(None)
                continue
            made = renamed[result.name] = Value(prefix + result.name, result.spec)
            outputs.append(made)
        nodes.append(
            Node(prefix + part.name, part.op, args, tuple(outputs), provenance, part.returns_sequence)
        )
    constants = {prefix + name: tensor for name, tensor in template.constants.items()}
    return Parts(tuple(nodes), flatten(map_values(template.outputs, current)), constants)


def _leaves(node: Node) -> list[Any]:
    """Distinct values and symbolic numbers among the arguments, in order."""
    found: dict[str, Any] = {}

    def visit(arg: Any) -> None:
        if isinstance(arg, Value | SymExpr):
            found.setdefault(_name(arg), arg)
        elif isinstance(arg, tuple):
            for item in arg:
                visit(item)

    for _, arg in node.args:
        visit(arg)
    return list(found.values())


def _name(leaf: Value | SymExpr) -> str:
    return f"%{leaf.name}" if isinstance(leaf, Value) else leaf.text


def _canonical(node: Node, leaves: list[Any]) -> tuple[Any, ...]:
    """The arguments as a key: equal for calls that a rule cannot tell apart."""
    order = {_name(leaf): i for i, leaf in enumerate(leaves)}

    def key(arg: Any) -> Any:
        if isinstance(arg, Value):
            spec = arg.spec
            if isinstance(spec, ScalarSpec):
                return (order[_name(arg)], spec.kind, str(spec.expr))
            geometry = (spec.shape, spec.stride, spec.storage_offset)
            return (order[_name(arg)], geometry, spec.dtype, spec.device)
        if isinstance(arg, tuple):
            return tuple(key(a) for a in arg)
        return repr(arg)  # tells 1, 1.0, True, 0.0 and -0.0 apart

    return tuple(key(arg) for _, arg in node.args)


def decomposition_of(node: Node, opset: OpSet, number: Callable[[Any], Any]) -> Callable[..., Any] | None:
    """The contract's decomposition of a call; ``None`` where it is a primitive or outside the contract.

    A call of an elementwise primitive that its prim-tier constraints exclude becomes the same call with
    explicit broadcasts and conversions. Results without elements are made as such where the decomposition
    does not bear them.
    """
    spec = opset.ops.get(node.op) or opset.retired.get(node.op)
    if spec is None:
        return None
    if opset.is_primitive(node):
        return None
    return explicit_rule(node, spec, number) or _empty_rule(node) or spec.decomposition


def _empty_rule(node: Node) -> Callable[..., Any] | None:
    """What makes the results of a call that have no elements, where its decomposition does not bear that."""
    specs = [v.spec for v in node.outputs if v is not None and isinstance(v.spec, TensorSpec)]
    if len(specs) < len(node.outputs) or not are_empty(node.op, [s.shape for s in specs]):
        return None

    def make(*_: Any, **__: Any) -> Any:
        made = [aten.full.default(list(s.shape), 0, dtype=s.dtype, device=s.device) for s in specs]
        return made[0] if len(made) == 1 else tuple(made)

    return make
