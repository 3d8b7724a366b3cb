"""What a class and an object of it are made of, as text that means the same in another process."""

from __future__ import annotations

import enum
import functools
import hashlib
import inspect
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import torch

_PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)

_IMPLICIT = ("__", "_abc_")
_SOURCES = frozenset(
    {".py", ".pyi", ".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".cuh", ".cl", ".metal", ".json", ".toml"}
)


def source_digest(cls: type) -> str:
    """A digest of the files that define ``cls``: the sources below its package's folder, or its own file. A
    class without a file (typed at a prompt) counts by its byte code.
    """
    digest = hashlib.sha256(f"{cls.__module__}.{cls.__qualname__}".encode())
    file = source_file(cls)
    if file is None:
        for name, value in sorted(vars(cls).items()):
            code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
            digest.update(f"{name} {code_text(code)}".encode() if code else b"")
    else:
        package = getattr(sys.modules.get(cls.__module__), "__package__", "")
        digest.update(_files_digest(file, bool(package)).encode())
    return digest.hexdigest()


def code_text(code: CodeType) -> str:
    """Byte code with its names and constants, functions among them included; for what is in no file."""
    constants = (code_text(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts)
    variables = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return f"{code.co_name} {code.co_code.hex()} {counts} {variables} [{', '.join(constants)}]"


def _constant(value: Any) -> str:
    """A constant of byte code; the order of a set's elements is another in each process."""
    return f"{{{', '.join(sorted(map(repr, value)))}}}" if isinstance(value, frozenset) else repr(value)


def source_file(cls: type) -> Path | None:
    """The file that a class is written in, if it is in one."""
    try:
        found = inspect.getsourcefile(cls)
    except TypeError:
        return None
    return None if found is None else Path(found)


@functools.cache
def _files_digest(file: Path, package: bool) -> str:
    digest = hashlib.sha256()
    for path in sorted(file.parent.rglob("*")) if package else [file]:
        if path == file or (path.suffix in _SOURCES and path.is_file()):
            digest.update(path.relative_to(file.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def plain_state(instance: object, root: type) -> str | None:
    """Attributes of ``instance``, and what its class took from the function that made it; ``None`` when some
    of it is not plain data, or the class is in no file.

    Plain data are numbers, strings, dtypes, enum members, and containers and dataclasses of them. Classes up
    to ``root`` count. What is written in a class at the top of a module is in its source and is not repeated.
    """
    if source_file(type(instance)) is None:
        return None
    try:
        state = {k: v for k, v in vars(instance).items() if not k.startswith("_dynamo")}
        return "; ".join([plain_text(state), *_made_with(type(instance), root)])
    except TypeError:
        return None


def _made_with(cls: type, root: type) -> Iterator[str]:
    family = cls.__mro__[: cls.__mro__.index(root)]
    for member in family:
        for name, value in vars(member).items():
            function = inspect.unwrap(getattr(value, "__func__", value)) if callable(value) else None
            if inspect.isfunction(function):
                held = [c.cell_contents for c in function.__closure__ or ()]
                held = [value for value in held if value not in family]
                if held:
                    yield f"{member.__qualname__}.{name} with {plain_text(held)}"
            elif "<locals>" in member.__qualname__ and not (callable(value) or name.startswith(_IMPLICIT)):
                yield f"{member.__qualname__}.{name} = {plain_text(value)}"


def plain_text(value: Any) -> str:
    """Plain data as text that means the same in another process.

    Raises:
        TypeError: it is or holds something else.
    """
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join(map(plain_text, value))})"
    if isinstance(value, Set):
        return f"{type(value).__name__}({', '.join(sorted(map(plain_text, value)))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{plain_text(k)}: {plain_text(v)}' for k, v in value.items())}}}"
    if is_dataclass(value) and not isinstance(value, type):
        inside = ", ".join(f"{f.name}={plain_text(getattr(value, f.name))}" for f in fields(value))
        return f"{type(value).__qualname__}({inside})"
    raise TypeError(type(value).__name__)
