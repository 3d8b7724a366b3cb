"""Nested arguments and results as JSON: read from PyTorch's tree specs, applied without PyTorch.

A tree is ``{"kind": ...}`` with ``"items"``: lists, tuples, dictionaries, named tuples, leaves, and types
registered with PyTorch's pytree. Nothing is imported or called by a name in a file: a registered type is the
one that this process has registered under that name; where there is none, a :class:`Record` stands in.
"""

from __future__ import annotations

import collections
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torch.utils import _pytree

from torchport.errors import ArtifactError, ExportError, RunError

Tree = Mapping[str, Any]
LEAF: Tree = {"kind": "leaf"}


class Record(dict[str, Any]):
    """Stands for a result of a type that this process does not know: its fields by name, attribute or
    position.
    """

    def __getitem__(self, key: Any) -> Any:
        return tuple(self.values())[key] if isinstance(key, int | slice) else super().__getitem__(key)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def describe(spec: Any) -> Tree:
    """The tree of a PyTorch ``TreeSpec``.

    Raises:
        ExportError: it has a type that cannot be named in a file.
    """
    if spec.is_leaf():
        return LEAF
    items = [describe(child) for child in spec.children()]
    kind, context = spec.type, spec.context
    if kind in (list, tuple):
        return {"kind": kind.__name__, "items": items}
    if kind in (dict, collections.OrderedDict):
        if not all(k is None or isinstance(k, str | int | float | bool) for k in context):
            raise ExportError("keys of dictionaries are strings or numbers", got=repr(list(context)))
        return {"kind": "dict" if kind is dict else "ordered", "keys": list(context), "items": items}
    named = context if kind is collections.namedtuple else kind
    if isinstance(named, type) and issubclass(named, tuple) and hasattr(named, "_fields"):
        return {
            "kind": "named",
            "type": _type_name(named),
            "fields": list(named._fields),
            "items": items,
        }
    node = _pytree.SUPPORTED_SERIALIZED_TYPES.get(kind)
    name = None if node is None else node.serialized_type_name
    if not isinstance(name, str) or name == _pytree.NO_SERIALIZED_TYPE_NAME_FOUND:
        raise ExportError(
            "arguments or results of a type that has no name in files",
            got=_type_name(kind),
            hint="register it with torch.export.register_dataclass, or with a serialized_type_name",
        )
    data = {"kind": "registered", "type": name, "context": _dumped(kind, context), "items": items}
    if isinstance(context, list | tuple) and len(context) == len(items):
        data["fields"] = [str(field) for field in context]
    return data


def _dumped(kind: Any, context: Any) -> str:
    node = _pytree.SUPPORTED_SERIALIZED_TYPES[kind]
    try:
        return json.dumps(node.to_dumpable_context(context) if node.to_dumpable_context else context)
    except TypeError as error:
        raise ExportError("a registered type that cannot be written", got=_type_name(kind)) from error


def _type_name(kind: Any) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def leaf_count(tree: Tree) -> int:
    """Number of leaves."""
    return 1 if tree["kind"] == "leaf" else sum(map(leaf_count, tree["items"]))


def leaf_paths(tree: Tree, path: str = "") -> Iterator[str]:
    """Where each leaf is, such as ``mask['a'][0]``, in order."""
    if tree["kind"] == "leaf":
        yield path
        return
    for step, item in zip(_steps(tree), tree["items"], strict=True):
        yield from leaf_paths(item, path + step)


def _steps(tree: Tree) -> list[str]:
    if tree["kind"] in ("dict", "ordered"):
        return [f"[{key!r}]" for key in tree["keys"]]
    if "fields" in tree:
        return [f".{field}" for field in tree["fields"]]
    return [f"[{i}]" for i in range(len(tree["items"]))]


def flatten(tree: Tree, value: Any, path: str = "") -> Iterator[Any]:
    """The leaves of ``value``, which must have the structure of ``tree``.

    Raises:
        RunError: it has another structure; the message says where.
    """
    if tree["kind"] == "leaf":
        yield value
        return
    children = _children(tree, value, path or "the arguments")
    for step, item, child in zip(_steps(tree), tree["items"], children, strict=True):
        yield from flatten(item, child, path + step)


def _children(tree: Tree, value: Any, path: str) -> Sequence[Any]:
    size, kind = len(tree["items"]), tree["kind"]
    match kind:
        case "list" | "tuple" if type(value) is (list if kind == "list" else tuple):
            if len(value) == size:
                return tuple(value)
            raise RunError(f"{path} must have {size} items", got=str(len(value)))
        case "dict" | "ordered" if isinstance(value, dict):
            if value.keys() == set(tree["keys"]):
                return [value[key] for key in tree["keys"]]
            raise RunError(f"{path} must have the keys {tree['keys']}", got=str(list(value)))
        case "named" if isinstance(value, tuple) and list(getattr(value, "_fields", ())) == tree["fields"]:
            return value
        case "registered" if (found := _registered(tree["type"])) is not None and type(value) is found:
            children, context = _pytree.SUPPORTED_NODES[found].flatten_fn(value)
            if _dumped(found, context) == tree["context"]:
                return list(children)
            raise RunError(f"{path} has another structure than when it was exported", got=repr(context))
    raise RunError(f"{path} must be a {tree.get('type', kind)}", got=type(value).__name__)


def _registered(name: str) -> type[Any] | None:
    return _pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE.get(name)


def builder(tree: Tree) -> Callable[[Iterator[Any]], Any]:
    """A function that makes a value of the structure of ``tree`` from an iterator over its leaves.

    Raises:
        ArtifactError: not a tree, or of a registered type that neither this process nor a record can stand
            for.
    """
    kind = tree["kind"]
    if kind == "leaf":
        return next
    items = [builder(item) for item in tree["items"]]

    def made(leaves: Iterator[Any]) -> list[Any]:
        return [item(leaves) for item in items]

    match kind:
        case "list":
            return made
        case "tuple":
            return lambda leaves: tuple(made(leaves))
        case "dict" | "ordered":
            keys, into = tree["keys"], dict if kind == "dict" else collections.OrderedDict
            return lambda leaves: into(zip(keys, made(leaves), strict=True))
        case "named":
            cls = _named_tuple(tree)
            return lambda leaves: cls(*made(leaves))
        case "registered":
            return _registered_builder(tree, made)
    raise ArtifactError("a structure of results that is not known", got=repr(kind))


def _named_tuple(tree: Tree) -> Any:
    """A named tuple of the same name and fields; Python checks that they are plain identifiers."""
    make: Callable[..., Any] = collections.namedtuple
    try:
        return make(tree["type"].rpartition(".")[2], tree["fields"])
    except ValueError as error:
        raise ArtifactError("a named tuple with fields that are no names", got=str(error)) from error


def _registered_builder(tree: Tree, made: Callable[[Iterator[Any]], list[Any]]) -> Callable[..., Any]:
    found = _registered(tree["type"])
    if found is None:
        if "fields" not in tree:
            raise ArtifactError(
                f"results of the type {tree['type']!r}, which this process has not registered",
                hint="import the package that defines it before tp.load",
            )
        return lambda leaves: Record(zip(tree["fields"], made(leaves), strict=True))
    read = _pytree.SUPPORTED_SERIALIZED_TYPES[found].from_dumpable_context
    context = json.loads(tree["context"])
    if read is not None:
        context = read(context)
    unflatten = _pytree.SUPPORTED_NODES[found].unflatten_fn
    return lambda leaves: unflatten(made(leaves), context)
