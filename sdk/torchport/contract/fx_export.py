"""Contract graphs as FX graph modules, for tools and tests that want PyTorch's own interpreter or printer."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.fx

from torchport.contract.adapters import to_running
from torchport.contract.graph import Graph, Node, Opaque, Value
from torchport.contract.spec import resolve
from torchport.contract.symbols import SymExpr

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": torch.sym_min,
    "max": torch.sym_max,
    "float": torch.sym_float,
    "int": torch.sym_int,
    "trunc": torch.sym_int,
}


def export_fx(graph: Graph, arguments: Sequence[Any], fakes: Mapping[str, Any]) -> torch.fx.GraphModule:
    """An FX graph module that computes ``graph``.

    Args:
        graph: the contract graph.
        arguments: the calling order: values, symbols, or constants (which become unused placeholders).
        fakes: traced tensors by value name, put into ``meta['val']``.
    """
    return _Exporter(graph, arguments, fakes).run()


class _Exporter:
    def __init__(self, graph: Graph, arguments: Sequence[Any], fakes: Mapping[str, Any]) -> None:
        self.graph, self.arguments, self.fakes = graph, arguments, fakes
        self.fx = torch.fx.Graph()
        self.env: dict[str, Any] = {}
        self.symbols: dict[str, Any] = {}
        self.root = torch.nn.Module()

    def run(self) -> torch.fx.GraphModule:
        for index, argument in enumerate(self.arguments):
            name = argument.name if isinstance(argument, Value) else f"arg{index}"
            placeholder = self.fx.placeholder(name)
            if isinstance(argument, Value):
                self.define(argument, placeholder)
            elif isinstance(argument, SymExpr) and argument.text in argument.symbols:
                self.symbols[argument.text] = placeholder
        for name, tensor in self.graph.constants.items():
            self.root.register_buffer(name, tensor)
            self.env[name] = self.fx.get_attr(name)
        for node in self.graph.nodes:
            self.node(node)
        self.fx.output(tuple(self.arg(o) for o in self.graph.outputs))
        return torch.fx.GraphModule(self.root, self.fx)

    def define(self, value: Value, node: torch.fx.Node) -> None:
        self.env[value.name] = node
        if value.name in self.fakes:
            node.meta["val"] = self.fakes[value.name]

    def node(self, node: Node) -> None:
        op = resolve(node.op)
        args = dict(to_running(node.op, node.args))
        positional = tuple(self.arg(args[a.name]) for a in op._schema.arguments if not a.kwarg_only)
        keywords = {a.name: self.arg(args[a.name]) for a in op._schema.arguments if a.kwarg_only}
        call = self.fx.call_function(op, positional, keywords)
        if node.provenance.source:
            call.meta["stack_trace"] = node.provenance.source
        if not node.returns_sequence:
            if node.results:
                self.define(node.results[0], call)
            return
        call.meta["val"] = tuple(None if v is None else self.fakes.get(v.name) for v in node.outputs)
        for index, value in enumerate(node.outputs):
            if value is not None:
                self.define(value, self.fx.call_function(operator.getitem, (call, index)))

    def arg(self, arg: Any) -> Any:
        if isinstance(arg, Value):
            return self.env[arg.name]
        if isinstance(arg, SymExpr):
            return self.expression(ast.parse(arg.text, mode="eval").body)
        if isinstance(arg, Opaque):
            return arg.payload
        return [self.arg(a) for a in arg] if isinstance(arg, tuple) else arg

    def symbol(self, name: str) -> Any:
        if name not in self.symbols:
            source = next(s.source for s in self.graph.symbols if s.name == name)
            match source:
                case ("size", value, dim):
                    self.symbols[name] = self.fx.call_function(
                        torch.ops.aten.sym_size.int, (self.env[value], dim)
                    )
                case ("scalar", value):
                    self.symbols[name] = self.env[value]
                case _:
                    raise KeyError(f"symbol {name} has no source that FX can express: {source}")
        return self.symbols[name]

    def expression(self, tree: ast.AST) -> Any:
        match tree:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self.symbol(name)
            case ast.UnaryOp(ast.USub(), operand):
                return self.fx.call_function(operator.neg, (self.expression(operand),))
            case ast.BinOp(left, kind, right):
                operands = (self.expression(left), self.expression(right))
                return self.fx.call_function(_OPERATORS[type(kind)], operands)
            case ast.Call(ast.Name(name), args):
                return self.fx.call_function(_FUNCTIONS[name], tuple(self.expression(a) for a in args))
        raise KeyError(f"{ast.unparse(tree)} cannot be expressed in FX")
