"""One-node regions: what a backend is asked to compile for a case.

Sizes that are letters of the case's patterns become symbols, so that one region serves every size of a group.
Results follow from the contract's shape, dtype and layout rules; where the contract leaves the layout to
eager, PyTorch's own shape functions are asked for the order of the dimensions in memory, and for all where
that does not settle it (:mod:`torchport_conformance.traced`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy
import torch

from torchport.compile.region import Region
from torchport.contract import shape_rules
from torchport.contract.dims import DataDependent, SymDim, lower
from torchport.contract.fx_import import bind_arguments, collect_symbols, make_node
from torchport.contract.graph import (
    Graph,
    Node,
    Provenance,
    Role,
    ScalarSpec,
    Symbol,
    TensorSpec,
    Value,
    contiguous_strides,
)
from torchport.contract.layout_rules import is_row_major
from torchport.contract.opset import opset
from torchport.contract.reference import absent, flatten
from torchport.contract.spec import Category, OpSpec
from torchport.contract.symbols import size_symbol
from torchport.contract.views import is_view
from torchport.errors import ContractError
from torchport_conformance.cases.arguments import evaluated, in_order, reads
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan, strides_of
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.patterns import sizes_of
from torchport_conformance.oracle import ERRORS, arguments_of, operands
from torchport_conformance.specs import VERSION, defaults_of, dtypes_of_results, is_listed, spec_of


@dataclass(frozen=True, eq=False)
class BuiltRegion:
    """A region with one node. ``letters`` maps the region's symbols to the case's letters, ``guards`` are the
    conditions on symbols under which the region is right for other sizes.
    """

    region: Region
    letters: Mapping[str, str]
    guards: tuple[sympy.Basic, ...] = ()

    @property
    def node(self) -> Node:
        """The node."""
        return self.region.nodes[0]

    def symbols(self, case: Case) -> dict[str, int]:
        """Values of the region's symbols in a case."""
        sizes = dict(case.sizes)
        return {symbol: sizes[letter] for symbol, letter in self.letters.items()}

    def serves(self, case: Case) -> bool:
        """Whether the region is right for the sizes of a case of its group."""
        values = self.symbols(case)
        return all(bool(g.subs({s: values[str(s)] for s in g.free_symbols})) for g in self.guards)


def sizes_follow_values(case: Case) -> bool:
    """Whether some size of a case's results depends on the values of its operands, as on a mask among
    indices.
    """
    spec = spec_of(case.op)
    masks = any(p.dtype is torch.bool and p.values.startswith("index") for _, p in case.tensors())
    return (
        masks
        or spec.category is Category.DATA_DEPENDENT
        or any("data_dependent(" in text for text in spec.shape)
    )


def build_region(case: Case, seed: int, *, symbolic: bool, device: str) -> BuiltRegion:
    """The region of a case: by the contract's rules, else by PyTorch's shape functions.

    Args:
        case: the case.
        seed: the run's; the values decide where result sizes depend on them.
        symbolic: sizes of 2 and more become symbols.
        device: device of every tensor.

    Raises:
        RuntimeError, IndexError, ValueError, TypeError, NotImplementedError: PyTorch refuses the case, or it
            depends on sizes that were to be ``symbolic``.
    """
    spec = spec_of(case.op)
    if sizes_follow_values(case):
        return _region_by_values(case, spec, operands(case, seed), device)
    found = region_by_rules(case, spec, symbolic=symbolic, device=device)
    if found is None:
        # Imported where it is needed: PyTorch's symbolic shapes take seconds to load.
        from torchport_conformance.traced import region_by_tracing

        try:
            found = region_by_tracing(case, symbolic=symbolic, device=device)
        except NotImplementedError:
            # PyTorch has no shape function: layouts that the contract leaves open are row-major.
            found = region_by_rules(case, spec, symbolic=symbolic, device=device, row_major=True)
            if found is None:
                raise
        except ERRORS:
            if symbolic:
                raise
            # PyTorch's shape functions refuse some arguments that its kernels take: the result itself tells.
            try:
                return _region_by_values(case, spec, operands(case, seed), device)
            except ERRORS:
                # What its kernels refuse as well may still be in the contract.
                found = region_by_rules(case, spec, symbolic=False, device=device, row_major=True)
                if found is None:
                    raise
        if symbolic and opset(VERSION).violations(found.region.graph):
            # PyTorch took a symbol for a number, as where it counts the pieces of a split: sizes must be
            # numbers. What follows from the contract's rules is no violation of them.
            raise ValueError("with symbols for sizes the call is not one of the contract")
    return found


def with_ruled_results(node: Node) -> Node:
    """The node with result dtypes by the contract, from which PyTorch's shape functions differ at times, and
    without results that are no tensors or that the contract does not have for these arguments.
    """
    spec, arguments = spec_of(node.op), dict(node.args)
    optional = [not many and "absent" in text for text, many in zip(spec.shape, is_listed(spec), strict=True)]
    dtypes = dtypes_of_results(spec, arguments, len(node.outputs))
    outputs = (
        None
        if value is None
        or isinstance(value.spec, ScalarSpec)
        or (any(optional) and optional[i] and absent(spec, arguments, i))
        else replace(value, spec=value.tensor.with_(dtype=dtype))
        for i, (value, dtype) in enumerate(zip(node.outputs, dtypes, strict=True))
    )
    return replace(node, outputs=tuple(outputs))


def unnested(result: Any) -> Any:
    """A result as a node has it: lists among several results are flattened."""
    return flatten(result) if isinstance(result, tuple | list) else result


def _region_by_values(
    case: Case, spec: OpSpec, values: Mapping[str, torch.Tensor], device: str
) -> BuiltRegion:
    """The region of an operator whose result sizes depend on values: right for these values alone."""
    builder = _Builder(case, dict(case.sizes), device)
    args = bind_arguments(spec.overload, (), builder.call())
    arguments = arguments_of(case, values)
    with torch.no_grad():
        try:
            result = spec.overload(**arguments)
        except ERRORS:
            if spec.decomposition is None:
                raise
            # What the processor has no kernel for is in the contract all the same.
            result = spec.decomposition(**arguments)
    name = f"{case.op.split('.')[1]}_result"
    bound = tuple((key, _as_arg(value)) for key, value in args)
    node, _ = make_node(name, case.op, bound, unnested(result), Provenance(source=case.id), {})
    return finish(case, builder.inputs, with_ruled_results(node), {})


def region_by_rules(
    case: Case, spec: OpSpec, *, symbolic: bool, device: str, row_major: bool = False
) -> BuiltRegion | None:
    """The region of a case by the contract's rules; None where they leave something open.

    Args:
        case: the case.
        spec: its operator's contract entry.
        symbolic: sizes of 2 and more become symbols.
        device: device of every tensor.
        row_major: layouts that the rules leave open are row-major.
    """
    names = {letter: f"s{i}" for i, (letter, size) in enumerate(case.sizes) if symbolic and size > 1}
    letters = {
        letter: SymDim(size_symbol(names[letter])) if letter in names else size for letter, size in case.sizes
    }
    builder = _Builder(case, letters, device)
    try:
        args = bind_arguments(spec.overload, (), builder.call())
        outputs = _outputs(case, spec, dict(args), device, row_major=row_major)
    except ContractError:
        return None
    if outputs is None:
        return None
    node = _node(case, spec, args, outputs)
    return finish(case, builder.inputs, node, {symbol: letter for letter, symbol in names.items()})


def probe(case: Case, *, device: str) -> Node | None:
    """A node to ask a backend about an operator, its dtypes and arguments, made without PyTorch.

    It is as in the case's region, save for what the contract's rules leave open: layouts that eager chooses
    are row-major, and sizes that depend on values are the largest that they can be. None where the shape
    rules do not apply.
    """
    spec = spec_of(case.op)
    builder = _Builder(case, dict(case.sizes), device)
    try:
        args = bind_arguments(spec.overload, (), builder.call())
        outputs = _outputs(case, spec, dict(args), device, row_major=True, largest=True)
    except ContractError:
        return None
    return None if outputs is None else _node(case, spec, args, outputs)


def _node(
    case: Case, spec: OpSpec, args: Iterable[tuple[str, Any]], outputs: tuple[Value | None, ...]
) -> Node:
    return Node(
        f"{case.op.split('.')[1]}_result",
        case.op,
        tuple((name, _as_arg(value)) for name, value in args),
        outputs,
        Provenance(source=case.id),
        returns_sequence=_returns_sequence(spec),
    )


def finish(
    case: Case,
    inputs: Mapping[str, Value],
    node: Node,
    letters: Mapping[str, str],
    guards: tuple[sympy.Basic, ...] = (),
) -> BuiltRegion:
    """The region around a node; ``letters`` maps symbol names to letters of the case."""
    values = tuple(inputs[name] for name, _ in case.tensors())
    # A region writes into destinations of its own: what is a view in a graph is a dense copy here, and what
    # repeats elements, as a piece of an expanded tensor does, cannot be written.
    outputs = (v if v is None or not (is_view(node.op) or _repeats(v)) else _dense(v) for v in node.outputs)
    node = replace(node, outputs=tuple(outputs))
    sizes = dict(case.sizes)
    found = collect_symbols((), values, (node,), node.results, {})
    if any(s.name not in letters for s in found):
        raise RuntimeError(f"{case.op}: a size of the result is known only when it has run")
    symbols = tuple(Symbol(s.name, low=2, hint=sizes[letters[s.name]], source=s.source) for s in found)
    region = Region(
        case.op.split(".")[1], Graph(values, (node,), node.results, symbols), "inference", VERSION
    )
    return BuiltRegion(region, {s.name: letters[s.name] for s in symbols}, guards)


def _repeats(value: Value) -> bool:
    sizes = zip(value.tensor.shape, value.tensor.stride, strict=True)
    return any(stride == 0 and size != 1 for size, stride in sizes)


def _dense(value: Value) -> Value:
    spec = value.tensor
    return replace(value, spec=spec.with_(stride=contiguous_strides(spec.shape), storage_offset=0))


def value_names(case: Case) -> dict[str, str]:
    """Names of the region's inputs by operand name, in the style of a captured graph."""
    return {name: f"arg{i}_1" for i, (name, _) in enumerate(case.tensors())}


def _returns_sequence(spec: OpSpec) -> bool:
    returns = spec.overload._schema.returns
    return len(returns) != 1 or "List" in str(returns[0].real_type)


def _as_arg(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_as_arg(v) for v in value)
    return lower(value)


class _Builder:
    """Values for the tensors of a case, and its other arguments, under symbolic or plain sizes."""

    def __init__(self, case: Case, letters: Mapping[str, Any], device: str) -> None:
        self.case, self.letters, self.device = case, letters, device
        self.names = value_names(case)
        self.inputs: dict[str, Value] = {}

    def call(self) -> dict[str, Any]:
        """Arguments by name, in schema order; those that expressions read are made first."""
        given = dict(self.case.arguments)
        found: dict[str, Any] = {}
        for name in in_order({name: reads(argument) for name, argument in given.items()}):
            found[name] = self.argument(name, given[name], found)
        return {name: found[name] for name in given}

    def argument(self, name: str, argument: Argument, known: Mapping[str, Any]) -> Any:
        if isinstance(argument, tuple):
            return tuple(self.argument(f"{name}[{i}]", a, known) for i, a in enumerate(argument))
        if isinstance(argument, SizeExpr):
            return _as_arg(self.evaluated(argument.text, known))
        if not isinstance(argument, TensorPlan):
            return argument
        ruled = isinstance(argument.dims, str)
        shape = self.evaluated(argument.dims, known) if ruled else sizes_of(argument.dims, self.letters)
        layout = LAYOUTS[argument.layout]
        spec = TensorSpec(
            tuple(lower(d) for d in shape),
            tuple(lower(d) for d in layout.strides(shape)),
            argument.dtype,
            self.device,
            layout.offset,
            role=Role.INPUT,
        )
        self.inputs[name] = Value(self.names[name], spec)
        return self.inputs[name]

    def evaluated(self, text: Any, known: Mapping[str, Any]) -> Any:
        """The value of an expression over letters and the arguments known so far."""
        defaults = defaults_of(spec_of(self.case.op))
        return evaluated(text, shape_rules.bind({**defaults, **self.letters, **known}))


def _outputs(
    case: Case,
    spec: OpSpec,
    arguments: Mapping[str, Any],
    device: str,
    *,
    row_major: bool = False,
    largest: bool = False,
) -> tuple[Value | None, ...] | None:
    """Values of the results by the contract's rules, lists flattened; None where a size is not stated, unless
    it is then the ``largest``, or where a layout is not and PyTorch's result is not dense, unless it is then
    ``row_major``.
    """
    bindings = shape_rules.bind(arguments)
    rules = zip(spec.shape, spec.layout, is_listed(spec), strict=True)
    shaped = [
        (shape, layout)
        for text, layout, many in rules
        for shape in shape_rules.parse(text).evaluate(bindings, many)
    ]
    dtypes = dtypes_of_results(spec, arguments, len(shaped))
    stem, many = case.op.split(".")[1], _returns_sequence(spec)
    orders: Sequence[list[int] | None] | None = None
    values: list[Value | None] = []
    for i, ((shape, layout), dtype) in enumerate(zip(shaped, dtypes, strict=True)):
        if shape is None:
            values.append(None)
            continue
        if not largest and any(isinstance(d, DataDependent) for d in shape):
            return None
        sizes = tuple((d.upper or 1) if isinstance(d, DataDependent) else d for d in shape)
        strides = contiguous_strides(sizes) if row_major else _strides(layout, sizes, arguments, case, spec)
        if strides is None:
            if orders is None:
                # Imported where it is needed: PyTorch's fake tensors take seconds to load.
                from torchport_conformance.traced import result_orders

                orders = result_orders(case, device, len(shaped))
            strides = packed(sizes, orders[i])
        if strides is None:
            return None
        name = f"{stem}_result.{i}" if many else f"{stem}_result"
        values.append(Value(name, TensorSpec(sizes, strides, dtype, device)))
    return tuple(values)


def _strides(
    layout: str, shape: tuple[Any, ...], arguments: Mapping[str, Any], case: Case, spec: OpSpec
) -> tuple[Any, ...] | None:
    """Strides of a result under a layout rule; None where the rule does not settle them."""
    if layout in ("contiguous", "view"):
        # What is a view in a graph is a dense copy in a region of its own.
        return contiguous_strides(shape)
    if layout != "elementwise":
        return None
    if is_row_major(layout, arguments, [v.tensor for v in arguments.values() if isinstance(v, Value)]):
        return contiguous_strides(shape)
    return packed(shape, _memory_order(case, spec))


def packed(shape: Sequence[Any], order: Sequence[int] | None) -> tuple[Any, ...] | None:
    """Dense strides of dimensions that lie in memory in ``order``, outermost first; None without an order of
    so many.
    """
    if order is None or len(order) != len(shape):
        return None
    inner = contiguous_strides(tuple(shape[d] for d in order))
    return tuple(inner[order.index(d)] for d in range(len(shape)))


def dense_order(result: torch.Tensor) -> list[int] | None:
    """Dimensions of a tensor from outermost to innermost in memory; None where it has gaps or overlaps."""
    found = result.stride()
    order = sorted(range(result.dim()), key=lambda d: (-found[d], d))
    inner = contiguous_strides(tuple(result.shape[d] for d in order))
    dense = all(result.shape[d] < 2 or inner[i] == found[d] for i, d in enumerate(order))
    return order if dense else None


def _memory_order(case: Case, spec: OpSpec) -> list[int] | None:
    """Dimensions of an elementwise result from outermost to innermost, as PyTorch orders them for the case's
    sizes.

    The order follows from the operands' strides and not from their sizes, so that it holds for the whole
    group. None where the result is not dense.
    """

    def meta(argument: Argument) -> Any:
        if isinstance(argument, TensorPlan):
            strides, _ = strides_of(argument)
            return torch.empty_strided(argument.shape, strides, dtype=argument.dtype, device="meta")
        if isinstance(argument, tuple):
            return [meta(a) for a in argument]
        return argument.value if isinstance(argument, SizeExpr) else argument

    try:
        result = spec.overload(**{name: meta(argument) for name, argument in case.arguments})
    except ERRORS:
        return None
    return dense_order(result) if isinstance(result, torch.Tensor) and result.numel() else None
