"""Digests of functions that backends are given, for cache keys and for the identity of runs."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Iterator
from types import CellType, FunctionType, MethodType
from typing import Any

import torch._ops

from torchport.compile.instance_state import code_text, plain_text


def callable_digest(function: Any) -> str:
    """A digest of a callable that is the same in another process.

    Functions count by their source, or by their byte code where that cannot be read (typed at a prompt, made
    by ``exec``), with their defaults and the values that they close over: plain data and functions by what
    they are, all else by its type. Partial calls and methods count by what they are made of. Other callables
    count by their name, or that of their type. Global variables that a function reads do not count.
    """
    return hashlib.sha256("\0".join(_parts(function, ())).encode()).hexdigest()


def _parts(value: Any, within: tuple[FunctionType, ...]) -> Iterator[str]:
    """What a value is made of; ``within`` are the functions that hold it, which may hold themselves."""
    if isinstance(value, FunctionType):
        yield from _of_function(value, within)
    elif isinstance(value, functools.partial):
        for part in (value.func, *value.args, *(p for item in sorted(value.keywords.items()) for p in item)):
            yield from _parts(part, within)
    elif isinstance(value, MethodType):
        yield from _parts(value.__func__, within)
        yield from _parts(value.__self__, within)
    elif isinstance(value, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        yield str(value)
    else:
        try:
            yield plain_text(value)
        except TypeError:
            named = value if hasattr(value, "__qualname__") else type(value)
            yield f"{named.__module__}.{named.__qualname__}"


def _of_function(function: FunctionType, within: tuple[FunctionType, ...]) -> Iterator[str]:
    if function in within:
        yield f"itself, {within.index(function)}"
        return
    try:
        yield inspect.getsource(function)
    except OSError:
        yield code_text(function.__code__)
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for value in [*defaults, *map(_held, function.__closure__ or ())]:
        yield from _parts(value, (*within, function))


def _held(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable has no value yet
        return None
