"""Prints the Python of shape rules, and of the functions that they call, as C++ over ``shape::Value``.

Only what those functions are written in is printed: arithmetic, comparisons, lists, comprehensions and calls
of each other. Anything else is a :class:`ContractError`, so a new rule function either has a C++ form or
says what it lacks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from torchport.errors import ContractError

Resolve = Callable[[str], tuple[str, bool] | None]
"""The C++ name of a function, and whether it takes its arguments as one list; None for an unknown name."""

_BINARY: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_KINDS = {
    "int": "{0}.is_integer()",
    "float": "({0}.kind() == Kind::real)",
    "complex": "false",
    "str": "({0}.kind() == Kind::text)",
    "tuple": "{0}.is_list()",
    "list": "{0}.is_list()",
    "DataDependent": "({0}.kind() == Kind::data_dependent)",
    "SymDim": "false",
    "SymInt": "false",
}
_ONE_ARGUMENT = {
    "len": "length({0})",
    "tuple": "{0}",
    "list": "{0}",
    "set": "unique({0})",
    "sorted": "sorted({0})",
    "reversed": "reversed({0})",
    "any": "any({0})",
    "all": "all({0})",
    "bool": "Value(truth({0}))",
    "int": "to_integer({0})",
    "abs": "absolute({0})",
}


def local(name: str) -> str:
    """A Python variable's name in C++: apart from keywords and from the functions of the language."""
    return f"v_{name}"


class ExpressionPrinter:
    """Prints expressions. ``names`` prints a variable or argument, ``resolve`` finds functions.

    Raises:
        ContractError: from :meth:`text`, for a construct without a C++ form.
    """

    def __init__(self, names: Callable[[str], str], resolve: Resolve, where: str) -> None:
        self.names, self.resolve, self.where = names, resolve, where
        self.bound: set[str] = set()

    def unsupported(self, node: ast.AST) -> ContractError:
        """The error for a construct that is not printed."""
        return ContractError(
            f"{type(node).__name__} has no C++ form in shape rules",
            op=self.where,
            got=ast.unparse(node)[:200],
            hint="write the rule function with arithmetic, lists and comprehensions",
        )

    def text(self, node: ast.expr) -> str:
        """``node`` as a C++ expression of type Value (or convertible to it)."""
        method = getattr(self, f"_print_{type(node).__name__}", None)
        if method is None:
            raise self.unsupported(node)
        printed: str = method(node)
        return printed

    def truth(self, node: ast.expr) -> str:
        """``node`` as a C++ condition."""
        match node:
            case ast.UnaryOp(ast.Not(), operand):
                return f"!{self.truth(operand)}"
            case ast.BoolOp(op, values):
                word = " && " if isinstance(op, ast.And) else " || "
                return f"({word.join(self.truth(v) for v in values)})"
            case ast.Constant(bool(value)):
                return str(value).lower()
        text = self.text(node)
        inner = text.removeprefix("Value(").removesuffix(")")
        return inner if text == f"Value({inner})" and inner.startswith("!") else f"truth({text})"

    def _print_Constant(self, node: ast.Constant) -> str:
        value = node.value
        if value is None:
            return "Value()"
        if isinstance(value, bool):
            return f"Value({str(value).lower()})"
        if isinstance(value, int):
            return f"Value({value}LL)"
        if isinstance(value, float):
            return f"Value({value!r})"
        if isinstance(value, str):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'Value("{escaped}")'
        raise self.unsupported(node)

    def _print_Name(self, node: ast.Name) -> str:
        return local(node.id) if node.id in self.bound else self.names(node.id)

    def _print_UnaryOp(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"Value({self.truth(node)})"
        if isinstance(node.op, ast.USub):
            return f"(-{self.text(node.operand)})"
        raise self.unsupported(node)

    def _print_BinOp(self, node: ast.BinOp) -> str:
        if not any(isinstance(n, ast.Name | ast.Call) for n in ast.walk(node)):
            return self.text(ast.Constant(_number(node)))
        left, right = self.text(node.left), self.text(node.right)
        if isinstance(node.op, ast.FloorDiv):
            return f"floordiv({left}, {right})"
        if type(node.op) not in _BINARY:
            raise self.unsupported(node)
        return f"({left} {_BINARY[type(node.op)]} {right})"

    def _print_BoolOp(self, node: ast.BoolOp) -> str:
        return f"Value{self.truth(node)}"

    def _print_Compare(self, node: ast.Compare) -> str:
        operands = [node.left, *node.comparators]
        parts = [
            self._comparison(a, op, b) for a, op, b in zip(operands[:-1], node.ops, operands[1:], strict=True)
        ]
        return parts[0] if len(parts) == 1 else f"Value({' && '.join(f'truth({p})' for p in parts)})"

    def _comparison(self, a: ast.expr, op: ast.cmpop, b: ast.expr) -> str:
        if isinstance(op, ast.In | ast.NotIn):
            found = f"contains({self.text(b)}, {self.text(a)})"
            return found if isinstance(op, ast.In) else f"Value(!truth({found}))"
        if isinstance(op, ast.Is | ast.IsNot):
            test = self._identity(a, b)
            return f"Value({'!' if isinstance(op, ast.IsNot) else ''}{test})"
        return f"({self.text(a)} {_COMPARE[type(op)]} {self.text(b)})"

    def _identity(self, a: ast.expr, b: ast.expr) -> str:
        if isinstance(b, ast.Constant) and b.value is None:
            return f"{self.text(a)}.is_none()"
        if isinstance(b, ast.Constant) and isinstance(b.value, bool):
            return f"is_{str(b.value).lower()}({self.text(a)})"
        if isinstance(a, ast.Call) and isinstance(a.func, ast.Name) and a.func.id == "type":
            assert isinstance(b, ast.Name)
            return _KINDS[b.id].format(self.text(a.args[0]))
        raise self.unsupported(b)

    def _print_IfExp(self, node: ast.IfExp) -> str:
        return f"({self.truth(node.test)} ? {self.text(node.body)} : {self.text(node.orelse)})"

    def _print_Subscript(self, node: ast.Subscript) -> str:
        base = self.text(node.value)
        if not isinstance(node.slice, ast.Slice):
            return f"at({base}, {self.text(node.slice)})"
        if node.slice.step is not None:
            raise self.unsupported(node)
        ends = [("Value()" if e is None else self.text(e)) for e in (node.slice.lower, node.slice.upper)]
        return f"slice({base}, {ends[0]}, {ends[1]})"

    def _print_List(self, node: ast.List) -> str:
        return self.sequence(node.elts)

    def _print_Tuple(self, node: ast.Tuple) -> str:
        return self.sequence(node.elts)

    def _print_Set(self, node: ast.Set) -> str:
        return f"unique({self.sequence(node.elts)})"

    def sequence(self, items: Sequence[ast.expr]) -> str:
        """A list, where starred items are spliced in."""
        pieces: list[str] = []
        run: list[str] = []
        for item in items:
            if isinstance(item, ast.Starred):
                if run:
                    pieces.append(f"Value::list({{{', '.join(run)}}})")
                    run = []
                pieces.append(self.text(item.value))
            else:
                run.append(self.text(item))
        if run or not pieces:
            pieces.append(f"Value::list({{{', '.join(run)}}})")
        return pieces[0] if len(pieces) == 1 else f"({' + '.join(pieces)})"

    def _print_ListComp(self, node: ast.ListComp) -> str:
        return self.comprehension(node.elt, node.generators)

    def _print_GeneratorExp(self, node: ast.GeneratorExp) -> str:
        return self.comprehension(node.elt, node.generators)

    def _print_SetComp(self, node: ast.SetComp) -> str:
        return f"unique({self.comprehension(node.elt, node.generators)})"

    def comprehension(self, element: ast.expr, generators: Sequence[ast.comprehension]) -> str:
        """A list built in a lambda that is called at once."""
        outer = set(self.bound)
        opening, closing = "", ""
        for depth, generator in enumerate(generators):
            sequence, item = f"seq{depth}_", f"item{depth}_"
            opening += f"const Value {sequence} = {self.text(generator.iter)}; "
            opening += f"for (const Value& {item} : {sequence}.items()) {{ "
            opening += self.unpacked(generator.target, item)
            for condition in generator.ifs:
                held = self.truth(condition)
                opening += f"if ({held[1:] if held.startswith('!') else '!' + held}) continue; "
            closing += "} "
        body = f"out_.push_back({self.text(element)}); "
        self.bound = outer
        return f"[&]() -> Value {{ std::vector<Value> out_; {opening}{body}{closing}return Value(out_); }}()"

    def unpacked(self, target: ast.expr, item: str) -> str:
        """Declarations of the loop variables of ``target``."""
        if isinstance(target, ast.Name):
            self.bound.add(target.id)
            return f"[[maybe_unused]] const Value {local(target.id)} = {item}; "
        if isinstance(target, ast.Tuple):
            return "".join(self.unpacked(t, f"at({item}, {i})") for i, t in enumerate(target.elts))
        raise self.unsupported(target)

    def _print_Call(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Attribute):
            return self._method(node)
        if not isinstance(node.func, ast.Name):
            raise self.unsupported(node)
        name = node.func.id
        found = self.resolve(name)
        if found is not None:
            function, listed = found
            if listed:
                return f"{function}({self.sequence(node.args)})"
            return f"{function}({', '.join(self.text(a) for a in node.args)})"
        return self._builtin(name, node)

    def _builtin(self, name: str, node: ast.Call) -> str:
        if name == "isinstance":
            subject = self.text(node.args[0])
            return f"Value({' || '.join(_KINDS[k].format(subject) for k in _type_names(node.args[1]))})"
        if name in ("tuple", "list", "set") and not node.args:
            return "Value::list()"
        if name in _ONE_ARGUMENT and len(node.args) == 1:
            return _ONE_ARGUMENT[name].format(self.text(node.args[0]))
        arguments = [self.text(a) for a in node.args if not isinstance(a, ast.Starred)]
        match name, len(node.args):
            case "range", 1:
                return f"range(Value(0LL), {arguments[0]})"
            case "range", _:
                return f"range({', '.join(arguments)})"
            case "enumerate", 1:
                return f"enumerated({arguments[0]})"
            case "zip", 1 if isinstance(node.args[0], ast.Starred):
                return f"zip({self.text(node.args[0].value)}.items())"
            case "zip", _:
                strict = any(k.arg == "strict" and ast.unparse(k.value) == "True" for k in node.keywords)
                lists = ", ".join(arguments)
                return f"{'zip_strict' if strict else 'zip'}({{{lists}}})"
            case "sum", 1:
                return f"total({arguments[0]})"
            case "sum", 2:
                return f"({arguments[1]} + total({arguments[0]}))"
            case (("min" | "max"), _):
                return f"fold_{name}({self.sequence(node.args)})"
            case "DataDependent", _:
                return f"Value::data_dependent({', '.join(arguments)})"
        raise self.unsupported(node)

    def _method(self, node: ast.Call) -> str:
        assert isinstance(node.func, ast.Attribute)
        subject, arguments = self.text(node.func.value), [self.text(a) for a in node.args]
        match node.func.attr:
            case "startswith":
                return f"starts_with({subject}, {arguments[0]})"
            case "split":
                return f"split_text({subject}, {arguments[0]})"
            case "append":
                return f"{subject}.items().push_back({arguments[0]})"
            case "insert":
                return f"insert_at({subject}, {arguments[0]}, {arguments[1]})"
            case "pop":
                return f"take_at({subject}, {arguments[0] if arguments else 'Value(-1LL)'})"
        raise self.unsupported(node)


def _type_names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp):
        return [*_type_names(node.left), *_type_names(node.right)]
    if isinstance(node, ast.Tuple):
        return [name for item in node.elts for name in _type_names(item)]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    assert isinstance(node, ast.Name)
    return [node.id]


def _number(node: ast.expr) -> int:
    """The value of arithmetic on integer literals, such as ``2**63 - 1``."""
    match node:
        case ast.Constant(int(value)):
            return value
        case ast.BinOp(left, ast.Sub(), right):
            return _number(left) - _number(right)
        case ast.BinOp(left, ast.Pow(), right):
            return int(_number(left) ** _number(right))
    raise ContractError("not arithmetic on integer literals", got=ast.unparse(node))
