"""FX graphs of ATen operators to contract graphs. Symbolic arithmetic nodes become :class:`SymExpr`
literals.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy
import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor

from torchport.contract.adapters import to_contract
from torchport.contract.functionalized import FunctionalCall, functional_call
from torchport.contract.graph import (
    Arg,
    Graph,
    Node,
    Opaque,
    Provenance,
    Role,
    ScalarSpec,
    Symbol,
    TensorSpec,
    Value,
    symbols_in,
)
from torchport.contract.spec import qualified_name
from torchport.contract.symbols import SymExpr, from_sympy, from_torch, size_symbol
from torchport.errors import CaptureError

SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


@dataclass(frozen=True, eq=False)
class Imported:
    """A contract graph, the order of the original call arguments, and the traced tensor behind each value.

    ``arguments`` has one entry per placeholder: a :class:`Value`, a :class:`SymExpr`, or a plain constant.
    """

    graph: Graph
    arguments: tuple[Any, ...]
    fakes: Mapping[str, Any]


def tensor_spec(tensor: torch.Tensor, *, role: Role = Role.INTERMEDIATE, **fields: Any) -> TensorSpec:
    """The spec of a real, fake or meta tensor (dense, strided).

    Raises:
        CaptureError: the tensor is sparse, nested or otherwise not strided.
    """
    if tensor.layout is not torch.strided or tensor.is_nested:
        raise CaptureError(
            "only dense strided tensors can be captured",
            got=f"layout {tensor.layout}, nested {tensor.is_nested}",
            hint="convert the tensor with to_dense() or to_padded_tensor() outside the compiled function",
        )
    return TensorSpec(
        tuple(_dim(s) for s in tensor.shape),
        tuple(_dim(s) for s in tensor.stride()),
        tensor.dtype,
        str(tensor.device),
        _dim(tensor.storage_offset()),
        role=role,
        **fields,
    )


def _dim(value: Any) -> Any:
    return from_torch(value) if isinstance(value, torch.SymInt) else int(value)


RANDOM_AGAIN = ("run_and_save_rng_state", "run_with_rng_state")
"""Higher-order operators that draw the same random numbers twice."""
_SCALAR_TYPES = (
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.float32,
    torch.float64,
)
"""Dtypes by the number that a schema writes as their default."""


def _default_of(parameter: Any) -> Any:
    value = parameter.default_value
    is_dtype = "ScalarType" in str(parameter.real_type) and isinstance(value, int)
    return _SCALAR_TYPES[value] if is_dtype else value


def bind_arguments(
    op: torch._ops.OpOverload, args: Iterable[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[str, Any], ...]:
    """Every schema argument with its value, defaults filled in, in schema order.

    Raises:
        CaptureError: an argument is missing, unknown or given twice.
    """
    bound: dict[str, Any] = {}
    positional = list(args)
    parameters = op._schema.arguments
    names = {p.name for p in parameters}
    unknown = set(kwargs) - names
    if len(positional) > len(parameters) or unknown:
        raise CaptureError(
            "arguments do not fit the schema", op=qualified_name(op), got=f"{positional!r}, {dict(kwargs)!r}"
        )
    for index, parameter in enumerate(parameters):
        if index < len(positional):
            bound[parameter.name] = positional[index]
        elif parameter.name in kwargs:
            bound[parameter.name] = kwargs[parameter.name]
        elif parameter.has_default_value():
            bound[parameter.name] = _default_of(parameter)
        else:
            raise CaptureError(f"argument {parameter.name!r} is missing", op=qualified_name(op))
    return tuple(bound.items())


def scalar_overload(
    op: torch._ops.OpOverload, bound: tuple[tuple[str, Any], ...]
) -> tuple[torch._ops.OpOverload, tuple[tuple[str, Any], ...]]:
    """The overload whose schema has a Scalar where ``bound`` has a number for a Tensor (``mul.Tensor(x,
    2)``).

    PyTorch traces such calls with the Tensor overload; the contract's graphs follow the schema. An operator
    without a matching overload is returned unchanged.
    """
    numbers = [
        p.name
        for p, (_, value) in zip(op._schema.arguments, bound, strict=True)
        if str(p.type) == "Tensor" and _is_number(value)
    ]
    if not numbers:
        return op, bound
    values = dict(bound)
    wanted = {p.name: "number" if p.name in numbers else str(p.type) for p in op._schema.arguments}
    for name in op.overloadpacket.overloads():
        other = getattr(op.overloadpacket, name)
        if {p.name: str(p.type) for p in other._schema.arguments} == wanted:
            return other, tuple((p.name, values[p.name]) for p in other._schema.arguments)
    return op, bound


def _is_number(value: Any) -> bool:
    if isinstance(value, torch.fx.Node):
        return isinstance(value.meta.get("val"), SYMBOLIC)
    return isinstance(value, (int, float, bool, complex, *SYMBOLIC))


def import_fx(
    gm: torch.fx.GraphModule, *, specs: Mapping[str, TensorSpec] | None = None, closed: bool = True
) -> Imported:
    """Imports a functional ATen graph with ``meta['val']`` on every node.

    Args:
        gm: the graph module.
        specs: specs of placeholders by name, where the caller knows more (role, name, mutation) than the
            traced value.
        closed: the graph stands alone, so every symbol must be readable from it; else the graph has no
            symbols.

    Raises:
        CaptureError: a node has no metadata, or is of a kind that a functional ATen graph does not have.
    """
    return _Importer(gm, specs or {}, closed).run()


class _Importer:
    def __init__(self, gm: torch.fx.GraphModule, specs: Mapping[str, TensorSpec], closed: bool) -> None:
        self.gm, self.specs, self.closed = gm, specs, closed
        self.env: dict[torch.fx.Node, Any] = {}
        self.fakes: dict[str, Any] = {}
        self.inputs: list[Value] = []
        self.nodes: list[Node] = []
        self.arguments: list[Any] = []
        self.constants: dict[str, torch.Tensor] = {}

    def run(self) -> Imported:
        outputs: tuple[Any, ...] = ()
        for node in self.gm.graph.nodes:
            match node.op:
                case "placeholder":
                    self.placeholder(node)
                case "get_attr":
                    self.attribute(node)
                case "call_function":
                    self.call(node)
                case "output":
                    outputs = tuple(self.lookup(a) for a in node.args[0])
                case _:
                    raise CaptureError(
                        f"a functional ATen graph has no {node.op} nodes", got=node.format_node() or node.name
                    )
        symbols: tuple[Symbol, ...] = ()
        if self.closed:
            symbols = collect_symbols(self.arguments, self.inputs, self.nodes, outputs, self.fakes)
        graph = Graph(tuple(self.inputs), tuple(self.nodes), outputs, symbols, self.constants)
        return Imported(graph, tuple(self.arguments), self.fakes)

    def placeholder(self, node: torch.fx.Node) -> None:
        val = node.meta.get("val")
        if isinstance(val, torch.Tensor):
            spec = self.specs.get(node.name) or tensor_spec(val, role=Role.INPUT)
            value = Value(node.name, spec)
            self.inputs.append(value)
            self.fakes[value.name] = val
            self.env[node] = value
        elif isinstance(val, SYMBOLIC):
            self.env[node] = from_torch(val)
        else:
            self.env[node] = val if isinstance(val, int | float | bool | str | None) else Opaque(val)
        self.arguments.append(self.env[node])

    def attribute(self, node: torch.fx.Node) -> None:
        target: Any = self.gm
        for part in str(node.target).split("."):
            target = getattr(target, part)
        if isinstance(target, torch.Tensor):
            fake = node.meta.get("val", target)
            value = Value(node.name, tensor_spec(target, role=Role.CONSTANT, name=str(node.target)))
            self.inputs.append(value)
            self.constants[value.name] = target
            self.fakes[value.name] = fake
            self.env[node] = value
        else:
            self.env[node] = Opaque(target)

    def lookup(self, arg: Any) -> Any:
        if isinstance(arg, torch.fx.Node):
            return self.env[arg]
        if isinstance(arg, list | tuple):
            return tuple(self.lookup(a) for a in arg)
        if isinstance(arg, SYMBOLIC):
            return from_torch(arg)
        if arg is None or isinstance(
            arg,
            bool
            | int
            | float
            | complex
            | str
            | torch.dtype
            | torch.device
            | torch.layout
            | torch.memory_format,
        ):
            return arg
        return Opaque(arg)

    def call(self, node: torch.fx.Node) -> None:
        val = node.meta.get("val")
        if isinstance(val, SYMBOLIC) and not self.binds_symbol(node):
            self.env[node] = from_torch(val)
            return
        if node.target is operator.getitem:
            self.env[node] = self.env[node.args[0]][node.args[1]]  # type: ignore[index]
            return
        target = node.target
        if isinstance(target, torch._ops.OpOverload):
            bound = bind_arguments(target, node.args, node.kwargs)
            target, bound = scalar_overload(target, bound)
            name = qualified_name(target)
            args = tuple((k, self.lookup(v)) for k, v in to_contract(name, bound))
        elif isinstance(target, torch._ops.HigherOrderOperator) and target.name() == "with_effects":
            self.effect(node, val)
            return
        elif isinstance(target, torch._ops.HigherOrderOperator) and target.name() in RANDOM_AGAIN:
            self.random_again(node, target.name())
            return
        elif isinstance(target, torch._ops.HigherOrderOperator):
            form = functional_call(target, node.args, node.kwargs)
            if form is not None:
                self.functional(node, form, val)
                return
            pairs = [(str(i), a) for i, a in enumerate(node.args)] + list(node.kwargs.items())
            args, name = tuple((k, self.lookup(v)) for k, v in pairs), f"higher_order.{target.name()}"
        elif not isinstance(val, torch.Tensor | tuple | list) and val is not None:
            self.env[node] = val  # arithmetic on host numbers that was folded while tracing
            return
        else:
            raise CaptureError("not an operator call", got=f"{node.name} = {target}")
        self.add_node(node, name, args, val)

    def effect(self, node: torch.fx.Node, val: Any) -> None:
        """A call that PyTorch orders by a token: graphs keep the order of their nodes, so the call itself is
        the node and the token is handed on.
        """
        token, target, *rest = node.args
        assert isinstance(target, torch._ops.OpOverload)
        name = qualified_name(target)
        bound = bind_arguments(target, tuple(rest), node.kwargs)
        args = tuple((k, self.lookup(v)) for k, v in to_contract(name, bound))
        several = len(target._schema.returns) > 1
        new, result = make_node(
            node.name, name, args, tuple(val[1:]) if several else val[1], provenance_of(node), self.fakes
        )
        self.nodes.append(new)
        self.env[node] = (self.lookup(token), *(result if several else (result,)))

    def random_again(self, node: torch.fx.Node, name: str) -> None:
        """A random operator of an activation checkpoint, which PyTorch's partitioner adds without metadata:
        in the forward graph it returns the generator's state too, beside its results.
        """
        saves = name == "run_and_save_rng_state"
        target, *operands = node.args if saves else node.args[1:]
        assert callable(target)
        given = torch.fx.node.map_arg((tuple(operands), node.kwargs), lambda n: n.meta["val"])
        mode = next(v.fake_mode for v in given[0] if isinstance(v, FakeTensor))
        with mode, enable_python_dispatcher(), torch.no_grad():
            val = target(*given[0], **given[1])
        flat = val if isinstance(val, tuple | list) else (val,)
        if saves:
            state = next(u.meta["val"] for u in node.users if u.args[1] == 0)
            flat = (state, *flat)
        args = [(str(i), a) for i, a in enumerate(node.args)] + list(node.kwargs.items())
        bound = tuple((k, self.lookup(v)) for k, v in args)
        traced = flat[0] if len(flat) == 1 else tuple(flat)
        new, result = make_node(
            node.name, f"higher_order.{name}", bound, traced, provenance_of(node), self.fakes
        )
        self.nodes.append(new)
        if not saves:
            self.env[node] = result
            return
        self.env[node] = (result[0], result[1:] if isinstance(val, tuple | list) else result[1])

    def functional(self, node: torch.fx.Node, form: FunctionalCall, val: Any) -> None:
        """A call of an operator that writes to its arguments, under its functional form."""
        count = max(i for i in form.results if i is not None) + 1
        vals = [val[form.results.index(i)] for i in range(count)]
        args = tuple((k, self.lookup(v)) for k, v in form.arguments)
        traced = vals[0] if count == 1 else tuple(vals)
        new, result = make_node(node.name, form.name, args, traced, provenance_of(node), self.fakes)
        self.nodes.append(new)
        items = (result,) if count == 1 else result
        self.env[node] = tuple(None if i is None else items[i] for i in form.results)

    @staticmethod
    def binds_symbol(node: torch.fx.Node) -> bool:
        """A scalar read out of a tensor is a real node; arithmetic on sizes is not."""
        return (
            isinstance(node.target, torch._ops.OpOverload)
            and any(
                isinstance(a, torch.fx.Node) and isinstance(a.meta.get("val"), torch.Tensor)
                for a in node.args
            )
            and not qualified_name(node.target).startswith(("aten.sym_",))
        )

    def add_node(self, node: torch.fx.Node, name: str, args: tuple[tuple[str, Arg], ...], val: Any) -> None:
        new, result = make_node(node.name, name, args, val, provenance_of(node), self.fakes)
        self.nodes.append(new)
        self.env[node] = result


def provenance_of(node: torch.fx.Node) -> Provenance:
    """The last user source line that a node was traced from."""
    return provenance_of_trace(node.meta.get("stack_trace") or "")


def provenance_of_trace(stack_trace: str) -> Provenance:
    """The last source line of a stack trace as PyTorch keeps it."""
    lines = (line.strip() for line in reversed(stack_trace.strip().splitlines()))
    return Provenance(source=next((line for line in lines if line.startswith("File ")), ""))


def make_node(
    name: str,
    op: str,
    args: tuple[tuple[str, Arg], ...],
    val: Any,
    provenance: Provenance,
    fakes: dict[str, Any],
) -> tuple[Node, Any]:
    """A node for a traced result ``val``; records the traced tensors in ``fakes``.

    Returns:
        The node, whose outputs are flat, and what its result is to later nodes: a value, a scalar, or a tuple
        of these, with tuples for lists among them.
    """
    if isinstance(val, tuple | list):
        items = tuple(_outputs(f"{name}.{i}", v, fakes) for i, v in enumerate(val))
        outputs = tuple(i if isinstance(i, Value) else None for i in _flat(items))
        return Node(name, op, args, outputs, provenance, True), items
    if val is None:
        return Node(name, op, args, (), provenance), None
    value = _output(name, val, fakes)
    node = Node(name, op, args, (value if isinstance(value, Value) else None,), provenance)
    if isinstance(value, Value) and isinstance(value.spec, ScalarSpec):
        return node, value.spec.expr
    return node, value


def _outputs(name: str, val: Any, fakes: dict[str, Any]) -> Any:
    if isinstance(val, tuple | list):
        return tuple(_outputs(f"{name}.{i}", v, fakes) for i, v in enumerate(val))
    return _output(name, val, fakes)


def _flat(items: tuple[Any, ...]) -> list[Any]:
    return [leaf for item in items for leaf in (_flat(item) if isinstance(item, tuple) else [item])]


def _output(name: str, val: Any, fakes: dict[str, Any]) -> Any:
    if isinstance(val, torch.Tensor):
        fakes[name] = val
        return Value(name, tensor_spec(val))
    if isinstance(val, SYMBOLIC):
        kind = {torch.SymInt: "int", torch.SymFloat: "float", torch.SymBool: "bool"}[type(val)]
        return Value(name, ScalarSpec(kind, from_torch(val)))
    return val


def collect_symbols(
    arguments: Iterable[Any],
    inputs: Iterable[Value],
    nodes: Iterable[Node],
    outputs: Iterable[Any],
    fakes: Mapping[str, Any],
) -> tuple[Symbol, ...]:
    """Every symbol used, with range, hint and the place its value is read from.

    Raises:
        CaptureError: a symbol cannot be read from any argument or node.
    """
    nodes = tuple(nodes)
    sources: dict[str, tuple[Any, ...]] = {}
    used: set[str] = set()
    pending: list[tuple[SymExpr, tuple[Any, ...]]] = []

    def offer(expr: Any, source: tuple[Any, ...]) -> None:
        if isinstance(expr, SymExpr):
            used.update(expr.symbols)
            if expr.text in expr.symbols:
                sources.setdefault(expr.text, source)
            elif source:
                pending.append((expr, source))

    def offer_spec(value: Value) -> None:
        if isinstance(value.spec, ScalarSpec):
            offer(value.spec.expr, ("scalar", value.name))
            return
        for i, d in enumerate(value.spec.shape):
            offer(d, ("size", value.name, i))
        for i, d in enumerate(value.spec.stride):
            offer(d, ("stride", value.name, i))

    for i, argument in enumerate(arguments):
        offer(argument, ("argument", i))
    for value in inputs:
        offer_spec(value)
        used.update(value.tensor.symbols)
    _solve(pending, sources, used)  # what the arguments determine is known before any node runs
    for node in nodes:
        for _, arg in node.args:
            used.update(symbols_in(arg))
        for value in node.results:
            offer_spec(value)
            if isinstance(value.spec, TensorSpec):
                used.update(value.spec.symbols)
    for out in outputs:
        used.update(symbols_in(out))
    _solve(pending, sources, used)
    missing = used - sources.keys()
    if missing:
        raise CaptureError(f"symbols {sorted(missing)} cannot be read from any graph argument")
    env = _shape_env(fakes)
    return tuple(symbol_in(name, sources[name], env) for name in sorted(used))


def _solve(
    pending: list[tuple[SymExpr, tuple[Any, ...]]], sources: dict[str, tuple[Any, ...]], used: set[str]
) -> None:
    """Symbols that occur only inside expressions, such as a saved ``4*s0``: solved where there is one
    unknown.
    """
    for expr, source in pending:
        unknown = expr.symbols - sources.keys()
        if len(unknown) != 1:
            continue
        (name,) = unknown
        solution = _inverse(expr, name)
        if solution is not None:
            sources[name] = ("solve", source, solution)


@lru_cache(maxsize=4096)
def _inverse(expr: SymExpr, name: str) -> str | None:
    """A symbol as a quotient of expressions of what ``expr`` is observed to be; None where that leaves it
    open.
    """
    observed = sympy.Symbol("observed", integer=True, nonnegative=True)
    symbol, found = size_symbol(name), expr.sympy()
    rest, product = found.as_independent(symbol, as_Add=True)
    factor, left = product.as_independent(symbol, as_Add=False)
    # Nearly all are linear, and sympy's solver takes milliseconds for them; what rounds has no inverse.
    solutions = [(observed - rest) / factor] if left == symbol else []
    if not solutions or solutions[0].is_nonnegative is False:
        if not found.is_rational_function(symbol):
            return None
        solutions = sympy.solve(sympy.Eq(found, observed), symbol)
    if len(solutions) != 1:
        return None
    over, under = (from_sympy(part) for part in sympy.fraction(sympy.together(solutions[0])))
    return f"({over}) // ({under})"


def _shape_env(fakes: Mapping[str, Any]) -> Any:
    for fake in fakes.values():
        if isinstance(fake, FakeTensor) and fake.fake_mode.shape_env is not None:
            return fake.fake_mode.shape_env
    return None


def symbol_in(name: str, source: tuple[Any, ...], env: Any) -> Symbol:
    """A symbol with the range and the example that a ShapeEnv (``None``: nothing is known) has of it."""
    if env is None:
        return Symbol(name, source=source)
    for symbol, found in env.var_to_range.items():
        if str(symbol) == name:
            low = int(found.lower) if found.lower.is_Integer else 0
            high = int(found.upper) if found.upper.is_Integer and found.upper < 2**62 else None
            hints = env.backed_var_to_val if hasattr(env, "backed_var_to_val") else env.var_to_val
            hint = hints.get(symbol)
            return Symbol(
                name, low, high, int(hint) if hint is not None and hint.is_Integer else None, source
            )
    return Symbol(name, source=source)
