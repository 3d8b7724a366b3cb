"""One-node regions whose results are those of PyTorch's own shape functions, strides included.

The suite's only user of fake tensors and of ``ShapeEnv``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import (
    FakeTensor,
    FakeTensorMode,
    UnsupportedOperatorException,
    in_kernel_invocation_manager,
)
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from torchport.contract import shape_rules
from torchport.contract.fx_import import bind_arguments, make_node, tensor_spec
from torchport.contract.graph import Provenance, Role, Value
from torchport.contract.reference import flatten
from torchport.contract.spec import resolve
from torchport.contract.symbols import from_torch
from torchport_conformance.cases.arguments import evaluated, in_order, reads
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.patterns import sizes_of
from torchport_conformance.oracle import ERRORS
from torchport_conformance.regions import (
    BuiltRegion,
    dense_order,
    finish,
    unnested,
    value_names,
    with_ruled_results,
)
from torchport_conformance.specs import defaults_of, spec_of

_LOGGER = logging.getLogger("torch._subclasses.fake_tensor")


def region_by_tracing(case: Case, *, symbolic: bool, device: str) -> BuiltRegion:
    """The region of a case on ``device``.

    Args:
        case: the case.
        symbolic: sizes of 2 and more become symbols.
        device: device of every tensor.

    Raises:
        RuntimeError, IndexError, ValueError, TypeError, NotImplementedError: PyTorch's shape function refuses
            the case.
    """
    environment = ShapeEnv()
    bindings: dict[str, Any] = dict(case.sizes)
    letters: dict[str, str] = {}
    if symbolic:
        # What has no shape function, or is refused, is so with plain sizes too, which takes no time.
        region_by_tracing(case, symbolic=False, device=device)
        for letter, size in case.sizes:
            if size > 1:
                symbol = environment.create_symbol(size, ConstantSource(letter), DimDynamic.DYNAMIC)
                bindings[letter] = environment.create_symintnode(symbol, hint=size)
                letters[str(symbol)] = letter
    builder = _Builder(case, bindings, device, _uncached(shape_env=environment))
    call = builder.call()
    bound = bind_arguments(resolve(case.op), (), call)
    try:
        with builder.mode, _quiet():
            result = resolve(case.op)(**{name: _unwrapped(value) for name, value in bound})
    except UnsupportedOperatorException as error:
        raise NotImplementedError(f"no shape function: {error}") from error
    args = tuple((name, _as_arg(value)) for name, value in bound)
    name = f"{case.op.split('.')[1]}_result"
    node, _ = make_node(name, case.op, args, unnested(result), Provenance(source=case.id), {})
    node = with_ruled_results(node)
    return finish(case, builder.values, node, letters, tuple(guard.expr for guard in environment.guards))


def result_orders(case: Case, device: str, count: int) -> tuple[list[int] | None, ...]:
    """The order in memory of the dimensions of each of ``count`` results, as PyTorch's shape function gives
    them for the case's sizes, which stands for the whole group; None for what has gaps, and where PyTorch
    refuses the case or has no such function.
    """
    mode = _fake_mode()
    builder = _Builder(case, dict(case.sizes), device, mode)
    # On CPU the kernels for fake tensors are asked without the dispatch around them, which takes three times
    # as long as they do and is there for what other devices lay out in ways of their own.
    around = in_kernel_invocation_manager(mode) if torch.device(device).type == "cpu" else mode
    try:
        bound = bind_arguments(resolve(case.op), (), builder.call())
        with around, _quiet():
            found = flatten(resolve(case.op)(**{name: _unwrapped(value) for name, value in bound}))
    except ERRORS:
        return (None,) * count
    if len(found) != count:
        return (None,) * count
    return tuple(dense_order(result) if isinstance(result, torch.Tensor) else None for result in found)


@lru_cache(maxsize=1)
def _fake_mode() -> FakeTensorMode:
    """Fake tensors with plain sizes."""
    return _uncached(shape_env=None)


def _uncached(shape_env: ShapeEnv | None) -> FakeTensorMode:
    """A mode that keeps no results of shape functions: a region is built once, and noting them takes longer
    than they do.

    PyTorch would run a kernel on zeros where it has no shape function, which may end the process.
    """
    mode = FakeTensorMode(shape_env=shape_env, allow_fallback_kernels=False)
    mode.cache_enabled = False
    return mode


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the log of a shape function that fails on symbols: the case is then built with plain sizes."""
    # A filter, and not the level: with a change of level every logger forgets whether it is enabled.
    _LOGGER.addFilter(_is_critical)
    try:
        yield
    finally:
        _LOGGER.removeFilter(_is_critical)


def _is_critical(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.CRITICAL


class _Fake:
    """A fake tensor and the value that stands for it."""

    def __init__(self, tensor: torch.Tensor, value: Value) -> None:
        self.tensor, self.value = tensor, value


def _unwrapped(argument: Any) -> Any:
    if isinstance(argument, list | tuple):
        return [_unwrapped(a) for a in argument]
    return argument.tensor if isinstance(argument, _Fake) else argument


def _as_arg(argument: Any) -> Any:
    if isinstance(argument, _Fake):
        return argument.value
    if isinstance(argument, list | tuple):
        return tuple(_as_arg(a) for a in argument)
    return from_torch(argument)


class _Builder:
    """Fake tensors for the tensors of a case, and its other arguments, under symbolic or plain sizes."""

    def __init__(self, case: Case, bindings: Mapping[str, Any], device: str, mode: FakeTensorMode) -> None:
        self.case, self.bindings, self.device, self.mode = case, bindings, device, mode
        self.names = value_names(case)
        self.values: dict[str, Value] = {}

    def call(self) -> dict[str, Any]:
        """Arguments by name, in schema order; those that expressions read are made first."""
        given = dict(self.case.arguments)
        found: dict[str, Any] = {}
        for name in in_order({name: reads(argument) for name, argument in given.items()}):
            found[name] = self.argument(name, given[name], found)
        return {name: found[name] for name in given}

    def argument(self, name: str, argument: Argument, known: Mapping[str, Any]) -> Any:
        if isinstance(argument, TensorPlan):
            ruled = isinstance(argument.dims, str)
            shape = self.evaluated(argument.dims, known) if ruled else sizes_of(argument.dims, self.bindings)
            return self.tensor(name, argument, tuple(shape))
        if isinstance(argument, tuple):
            return [self.argument(f"{name}[{i}]", a, known) for i, a in enumerate(argument)]
        return self.evaluated(argument.text, known) if isinstance(argument, SizeExpr) else argument

    def evaluated(self, text: Any, known: Mapping[str, Any]) -> Any:
        """The value of an expression over letters and the arguments known so far."""
        seen = {name: _unwrapped(value) for name, value in known.items()}
        defaults = defaults_of(spec_of(self.case.op))
        return evaluated(text, shape_rules.bind({**defaults, **self.bindings, **seen}))

    def tensor(self, name: str, plan: TensorPlan, shape: tuple[Any, ...]) -> _Fake:
        layout = LAYOUTS[plan.layout]
        strides = layout.strides(shape)
        # Made on the meta device and given its device: as PyTorch does, without a dispatch for each step.
        if layout.offset:
            elements = layout.offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
            whole = torch.empty((elements,), dtype=plan.dtype, device="meta")
            meta = whole.as_strided(shape, strides, layout.offset)
        else:
            meta = torch.empty_strided(shape, strides, dtype=plan.dtype, device="meta")
        fake = FakeTensor(self.mode, meta, torch.device(self.device))
        self.values[name] = Value(self.names[name], tensor_spec(fake, role=Role.INPUT))
        return _Fake(fake, self.values[name])
