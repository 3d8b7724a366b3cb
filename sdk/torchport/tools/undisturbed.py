"""Running somebody's program without leaving a trace: state is kept and put back.

What is found from the program (its modules, its arguments, what a function closes over or names) keeps its
parameters, buffers, gradients and plain attributes; the state of the random number generators and what Dynamo
counted stay as they were.
"""

from __future__ import annotations

import functools
import random
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch

from torchport.tools.dynamo_records import dynamo_kept

DEPTH = 6
"""How deep containers and closures are looked into."""


@contextmanager
def undisturbed(fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[None]:
    """While this is open ``fn(*args, **kwargs)`` may be called; afterwards everything is as it was.

    Tensors are put back in place, so views and references of the caller stay valid. Memory is needed for a
    copy of every tensor that the program can reach.
    """
    found = _Reachable()
    found.look((fn, args, dict(kwargs)), DEPTH)
    with ExitStack() as stack:
        stack.enter_context(_random_state())
        stack.enter_context(dynamo_kept())
        stack.enter_context(_objects_kept(tuple(found.objects.values())))
        stack.enter_context(_tensors_kept(tuple(found.tensors.values())))
        yield


class _Reachable:
    """Tensors, modules and optimizers that can be reached from an object."""

    def __init__(self) -> None:
        self.tensors: dict[int, torch.Tensor] = {}
        self.objects: dict[int, Any] = {}
        self.seen: dict[int, Any] = {}

    def look(self, item: Any, depth: int) -> None:
        if depth < 0 or id(item) in self.seen:
            return
        self.seen[id(item)] = item
        match item:
            case torch.Tensor():
                self.tensors[id(item)] = item
                if item.is_leaf and item.grad is not None:
                    self.tensors[id(item.grad)] = item.grad
            case torch.nn.Module():
                self.objects[id(item)] = item
                for part in vars(item).values():
                    self.look(part, depth)
            case torch.optim.Optimizer():
                self.objects[id(item)] = item
                self.look([*item.state.values(), *item.param_groups], depth)
            case dict():
                for part in tuple(item.values()):
                    self.look(part, depth - 1)
            case list() | tuple() | set() | frozenset():
                for part in tuple(item):
                    self.look(part, depth - 1)
            case functools.partial():
                self.look((item.func, item.args, item.keywords), depth)
            case types.MethodType():
                self.look((item.__self__, item.__func__), depth)
            case types.FunctionType():
                self.function(item, depth - 1)

    def function(self, fn: types.FunctionType, depth: int) -> None:
        for cell in fn.__closure__ or ():
            try:
                self.look(cell.cell_contents, depth)
            except ValueError:  # a variable that is not bound yet
                continue
        names = (fn.__globals__[n] for n in fn.__code__.co_names if n in fn.__globals__)
        held = (torch.Tensor, torch.nn.Module, torch.optim.Optimizer, types.FunctionType, list, tuple, dict)
        for value in names:
            if isinstance(value, held):
                self.look(value, depth)


@contextmanager
def _tensors_kept(tensors: Sequence[torch.Tensor]) -> Iterator[None]:
    before = [(t, t.detach().clone(), t.grad if t.is_leaf else None) for t in tensors if not _lazy(t)]
    try:
        yield
    finally:
        for tensor, kept, gradient in before:
            if tensor.shape == kept.shape and not _identical(tensor, kept):
                tensor.data.copy_(kept)
            if tensor.is_leaf:
                tensor.grad = gradient


def _lazy(tensor: torch.Tensor) -> bool:
    kinds = (torch.nn.UninitializedParameter, torch.nn.UninitializedBuffer)
    return tensor.is_meta or isinstance(tensor, kinds)


def _identical(a: torch.Tensor, b: torch.Tensor) -> bool:
    same = a.detach() == b
    if a.is_floating_point() or a.is_complex():
        same |= a.detach().isnan() & b.isnan()
    return bool(same.all())


@contextmanager
def _objects_kept(objects: Sequence[Any]) -> Iterator[None]:
    """The attributes of modules and optimizers, and the tables among them, hold what they held."""
    before = [(item, dict(vars(item)), _tables(vars(item))) for item in objects]
    try:
        yield
    finally:
        for item, attributes, tables in before:
            vars(item).clear()
            vars(item).update(attributes)
            for table, contents in tables:
                table.clear()
                table.update(contents)


def _tables(attributes: Mapping[str, Any]) -> list[tuple[Any, dict[Any, Any]]]:
    """Dictionaries among attributes (parameters, buffers, optimizer state) and those right inside them."""
    found = []
    for value in attributes.values():
        if isinstance(value, dict):
            found.append((value, dict(value)))
            found += [(inner, dict(inner)) for inner in value.values() if isinstance(inner, dict)]
    return found


@contextmanager
def _random_state() -> Iterator[None]:
    python, numbers = random.getstate(), np.random.get_state()
    devices = range(torch.accelerator.device_count()) if torch.accelerator.is_available() else ()
    kind = device.type if (device := torch.accelerator.current_accelerator()) is not None else "cuda"
    try:
        with torch.random.fork_rng(list(devices), device_type=kind):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numbers)
