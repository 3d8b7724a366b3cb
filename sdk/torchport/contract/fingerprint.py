"""A fingerprint of a decomposition: the SHA-256 of its source, without what does not change its meaning.

Hashed is the syntax tree of the function and of every function and constant of the contract's own modules
that it reads, however far away; comments, docstrings, annotations, line breaks and names of modules are not.
PyTorch's own functions count by name. A function without a source file (of an extension, typed at a prompt)
counts by its byte code.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

PACKAGE = "torchport.contract"

_SKIPPED = frozenset(
    {"ctx", "type_comment", "type_params", "kind", "returns", "annotation", "decorator_list"}
)


@cache
def fingerprint(function: Callable[..., Any]) -> str:
    """The fingerprint of a decomposition, in hexadecimal."""
    parts: dict[str, str] = {}
    root = _describe(function, parts)
    text = "\n".join([root, *(f"{name} = {parts[name]}" for name in sorted(parts))])
    return hashlib.sha256(text.encode()).hexdigest()


def _describe(value: Any, parts: dict[str, str]) -> str:
    """A text for ``value``; the definitions it needs are added to ``parts`` by qualified name."""
    if isinstance(value, functools.partial):
        bound = [_describe(a, parts) for a in value.args]
        bound += [f"{k}={_describe(a, parts)}" for k, a in sorted(value.keywords.items())]
        return f"partial({', '.join([_describe(value.func, parts), *bound])})"
    if isinstance(value, types.FunctionType):
        return _function(value, parts)
    if isinstance(value, types.MethodType):
        return f"{_describe(value.__self__, parts)}.{_describe(value.__func__, parts)}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_describe(v, parts) for v in value)}]"
    if isinstance(value, Mapping):
        items = (f"{_describe(k, parts)}: {_describe(v, parts)}" for k, v in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, type | types.BuiltinFunctionType | types.ModuleType):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
    text = repr(value)
    return type(value).__qualname__ if " at 0x" in text else text


def _function(function: types.FunctionType, parts: dict[str, str]) -> str:
    inner = inspect.unwrap(function)
    module = inner.__module__ or ""
    name = f"{module}.{inner.__qualname__}"
    if not module.startswith("torchport."):
        return name if module.startswith("torch.") else _own_source(inner)
    closure = inspect.getclosurevars(inner)
    label = name
    if closure.nonlocals:
        held = ", ".join(f"{k}={_describe(v, parts)}" for k, v in sorted(closure.nonlocals.items()))
        label = f"{name}[{held}]"
    if label not in parts:
        parts[label] = ""  # recursion stops here
        parts[label] = _own_source(inner)
        for key, value in sorted(_read(inner).items()):
            if _is_ours(value):
                parts.setdefault(f"{module}:{key}", "")
                parts[f"{module}:{key}"] = _describe(value, parts)
    return label


def _read(function: types.FunctionType) -> dict[str, Any]:
    """Module globals that the function or a function inside it reads, attributes of our modules included."""
    found: dict[str, Any] = {}
    for code in _codes(function.__code__):
        for name in code.co_names:
            if name in function.__globals__:
                found[name] = function.__globals__[name]
    for name, value in list(found.items()):
        if isinstance(value, types.ModuleType) and value.__name__.startswith(PACKAGE):
            del found[name]
            attributes = {n for code in _codes(function.__code__) for n in code.co_names if hasattr(value, n)}
            found |= {f"{name}.{n}": getattr(value, n) for n in attributes}
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _is_ours(value: Any) -> bool:
    if isinstance(value, types.FunctionType):
        return value.__module__.startswith(PACKAGE)
    return isinstance(value, int | float | str | tuple | list | Mapping | functools.partial)


def _own_source(function: types.FunctionType) -> str:
    module = sys.modules.get(function.__module__)
    nodes = _definitions(module) if module is not None else {}
    found = nodes.get(function.__code__.co_firstlineno, [])
    matching = [n for n in found if _holds(n, function.__code__)]
    return _text(matching[-1]) if matching else _byte_code(function.__code__)


def _byte_code(code: types.CodeType) -> str:
    constants = [_byte_code(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return f"code({code.co_code.hex()}, {constants}, {code.co_names}, {code.co_varnames})"


@cache
def _definitions(module: types.ModuleType) -> dict[int, list[ast.AST]]:
    """Functions and lambdas of a module by the line on which Python says that they begin."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError):
        return {}
    found: dict[int, list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            decorators = getattr(node, "decorator_list", [])
            line = min([node.lineno, *(d.lineno for d in decorators)])
            found.setdefault(line, []).append(node)
    return found


def _holds(node: ast.AST, code: types.CodeType) -> bool:
    """Whether ``code`` is that of ``node``: same kind, same parameters, its first position inside."""
    assert isinstance(node, ast.FunctionDef | ast.Lambda)
    if (code.co_name == "<lambda>") != isinstance(node, ast.Lambda):
        return False
    if isinstance(node, ast.FunctionDef):
        return node.name == code.co_name
    inside = [
        (line, column)
        for line, _, column, _ in code.co_positions()
        if line is not None and column is not None and (line, column) != (code.co_firstlineno, 0)
    ]
    start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return all(start <= position <= end for position in inside)


def _text(node: ast.AST) -> str:
    """A canonical text of a syntax tree, the same on every Python version."""
    if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
        node = ast.FunctionDef(**{**dict(ast.iter_fields(node)), "body": node.body[1:]})
    fields = []
    for name, value in ast.iter_fields(node):
        if name in _SKIPPED or value is None or value == []:
            continue
        fields.append(f"{name}={_item(value)}")
    return f"{type(node).__name__}({', '.join(fields)})"


def _item(value: Any) -> str:
    if isinstance(value, ast.AST):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_item, value))}]"
    return repr(value)
