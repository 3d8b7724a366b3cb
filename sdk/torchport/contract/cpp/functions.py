"""Prints the functions of the shape-rule language as C++, from their Python."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchport.contract import dims
from torchport.contract.cpp.expressions import ExpressionPrinter, local
from torchport.errors import ContractError

BY_HAND: Mapping[str, tuple[str, bool]] = {
    "min": ("fold_min", True),
    "max": ("fold_max", True),
    "abs": ("absolute", False),
    "len": ("length", False),
    "sum": ("total", False),
    "itemsize": ("itemsize", False),
}
"""Functions of the language that ``shape_value.h`` has: their C++ name, and whether they take one list."""

_OF_DIMS = ("equal", "largest", "smallest", "product", "wrap")


class FunctionPrinter:
    """Collects functions and what they call; :meth:`text` is their C++ code."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self.functions = functions
        self.printed: dict[str, tuple[str, str]] = {}  # C++ name: (declaration, definition)
        self.listed: dict[str, bool] = {}

    def resolve(self, name: str) -> tuple[str, bool] | None:
        """The C++ name of a function of the language, printed on first use."""
        if name in BY_HAND:
            return BY_HAND[name]
        function = self.functions.get(name)
        return None if function is None else self.use(function)

    def use(self, function: Callable[..., Any]) -> tuple[str, bool]:
        """The C++ name of a Python function, and whether it takes its arguments as one list."""
        assert isinstance(function, types.FunctionType)
        if function.__module__ == dims.__name__ and function.__name__ in _OF_DIMS:
            return function.__name__, False
        module = function.__module__.rsplit(".", 1)[-1].removeprefix("shape_")
        name = f"{module}_{function.__name__.strip('_')}"
        if name not in self.listed:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
            assert isinstance(tree, ast.FunctionDef)
            self.listed[name] = tree.args.vararg is not None
            self.printed[name] = ("", "")  # recursion finds it
            self.printed[name] = self.function(name, tree, function.__globals__)
        return name, self.listed[name]

    def function(self, name: str, tree: ast.FunctionDef, scope: Mapping[str, Any]) -> tuple[str, str]:
        """Declaration and definition."""

        def resolve(called: str) -> tuple[str, bool] | None:
            found = scope.get(called)
            if isinstance(found, types.FunctionType) and found.__module__.startswith("torchport."):
                if found.__name__ in BY_HAND and self.functions.get(found.__name__) is found:
                    return BY_HAND[found.__name__]
                return self.use(found)
            return None

        printer = _BodyPrinter(resolve, name)
        parameters = printer.parameters(tree)
        defaults = [""] * (len(parameters) - len(tree.args.defaults))
        defaults += [f" = {printer.text(d)}" for d in tree.args.defaults]
        if tree.args.vararg is not None:
            defaults = [""] * len(parameters)
        signature = ", ".join(f"Value {p}{d}" for p, d in zip(parameters, defaults, strict=True))
        plain = ", ".join(f"[[maybe_unused]] Value {p}" for p in parameters)
        comment = "".join(
            f"// {line}\n" for line in textwrap.wrap(" ".join((ast.get_docstring(tree) or "").split()), 100)
        )
        body = printer.body(tree, parameters)
        return f"Value {name}({signature});", f"{comment}inline Value {name}({plain}) {{\n{body}}}\n"

    def text(self) -> str:
        """Declarations, then definitions."""
        names = sorted(self.printed)
        declarations = "\n".join(self.printed[n][0] for n in names)
        return declarations + "\n\n" + "\n".join(self.printed[n][1] for n in names)


class _BodyPrinter(ExpressionPrinter):
    """Prints the statements of one function."""

    def __init__(self, resolve: Callable[[str], tuple[str, bool] | None], where: str) -> None:
        self.nested: dict[str, bool] = {}
        super().__init__(
            self.variable, lambda n: (f"f_{n}", False) if n in self.nested else resolve(n), where
        )

    def variable(self, name: str) -> str:
        """Names are parameters and locals."""
        if name not in self.bound:
            raise ContractError(f"the name {name!r} has no C++ form in shape rules", op=self.where)
        return local(name)

    def parameters(self, tree: ast.FunctionDef) -> list[str]:
        """Parameter names; they count as bound from here on."""
        names = [a.arg for a in tree.args.args]
        if tree.args.vararg is not None:
            names.append(tree.args.vararg.arg)
        self.bound |= set(names)
        return [local(n) for n in names]

    def body(self, tree: ast.FunctionDef, parameters: Sequence[str]) -> str:
        """Declarations of the locals, then the statements."""
        names = sorted(n for n in _assigned(tree.body) if local(n) not in parameters)
        self.bound |= set(names)
        declared = f"  [[maybe_unused]] Value {', '.join(map(local, names))};\n" if names else ""
        return declared + self._block(tree.body)

    def _block(self, statements: Sequence[ast.stmt]) -> str:
        return textwrap.indent("".join(self._statement(s) for s in statements), "  ")

    def _statement(self, node: ast.stmt) -> str:
        match node:
            case ast.Expr(ast.Constant()) | ast.Pass():
                return ""
            case ast.Expr(value):
                return f"{self.text(value)};\n"
            case ast.Return(None):
                return "return Value();\n"
            case ast.Return(ast.expr() as value):
                return f"return {self.text(value)};\n"
            case ast.Raise(ast.Call(_, [ast.Constant(str(message)), *_])):
                return f'throw Error("{message}");\n'
            case ast.AnnAssign(target, _, value) if value is not None:
                return self._assign(target, self.text(value))
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                stored = "".join(f"const Value tmp{i}_ = {self.text(v)}; " for i, v in enumerate(values))
                return f"{{ {stored}{''.join(self._assign(t, f'tmp{i}_') for i, t in enumerate(targets))}}}\n"
            case ast.Assign([target], value):
                return self._assign(target, self.text(value))
            case ast.AugAssign(target, op, value):
                read = ast.parse(ast.unparse(target), mode="eval").body
                return self._assign(target, self.text(ast.BinOp(read, op, value)))
            case ast.If(test, body, orelse):
                other = f" else {{\n{self._block(orelse)}}}" if orelse else ""
                return f"if ({self.truth(test)}) {{\n{self._block(body)}}}{other}\n"
            case ast.While(test, body, []):
                return f"while ({self.truth(test)}) {{\n{self._block(body)}}}\n"
            case ast.For(target, iterable, body, []):
                inner = self._assign(target, "item_")
                return (
                    f"{{\n  const Value all_ = {self.text(iterable)};\n"
                    f"  for (const Value& item_ : all_.items()) {{\n"
                    f"{textwrap.indent(inner, '    ')}{textwrap.indent(self._block(body), '  ')}  }}\n}}\n"
                )
            case ast.Continue():
                return "continue;\n"
            case ast.Break():
                return "break;\n"
            case ast.FunctionDef():
                return self._nested_function(node)
        raise self.unsupported(node)

    def _nested_function(self, node: ast.FunctionDef) -> str:
        outer = set(self.bound)
        self.nested[node.name] = True
        parameters = [a.arg for a in node.args.args]
        self.bound |= set(parameters)
        body = self.body(node, [local(p) for p in parameters])
        self.bound = outer
        listed = ", ".join(f"Value {local(p)}" for p in parameters)
        return f"auto f_{node.name} = [&]({listed}) -> Value {{\n{body}}};\n"

    def _assign(self, target: ast.expr, value: str) -> str:
        match target:
            case ast.Name(name):
                return f"{local(name)} = {value};\n"
            case ast.Subscript(base, index) if not isinstance(index, ast.Slice):
                return f"at({self.text(base)}, {self.text(index)}) = {value};\n"
            case ast.Tuple(items):
                each = "".join(self._assign(t, f"at(row_, {i})") for i, t in enumerate(items))
                return f"{{ const Value row_ = {value};\n{each}}}\n"
        raise self.unsupported(target)


def _assigned(statements: Sequence[ast.stmt]) -> set[str]:
    """Names that the statements assign, nested functions and comprehensions apart."""
    found: set[str] = set()

    def targets(node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Tuple):
            for item in node.elts:
                targets(item)

    for statement in statements:
        match statement:
            case ast.Assign(assigned, _):
                for target in assigned:
                    targets(target)
            case ast.AnnAssign(target, _, _) | ast.AugAssign(target, _, _):
                targets(target)
            case ast.For(target, _, body, orelse):
                targets(target)
                found |= _assigned([*body, *orelse])
            case ast.If(_, body, orelse) | ast.While(_, body, orelse):
                found |= _assigned([*body, *orelse])
    return found
