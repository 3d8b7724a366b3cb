"""One-node regions whose results are those of PyTorch's own shape functions, strides included.

The suite's only user of fake tensors and of ``ShapeEnv``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from torchport.contract import shape_rules
from torchport.contract.fx_import import bind_arguments, make_node, tensor_spec
from torchport.contract.graph import Provenance, Role, Value
from torchport.contract.spec import resolve
from torchport.contract.symbols import from_torch
from torchport_conformance.cases.arguments import evaluated
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.patterns import sizes_of
from torchport_conformance.regions import BuiltRegion, finish


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
        for letter, size in case.sizes:
            if size > 1:
                symbol = environment.create_symbol(size, ConstantSource(letter), DimDynamic.DYNAMIC)
                bindings[letter] = environment.create_symintnode(symbol, hint=size)
                letters[str(symbol)] = letter
    builder = _Builder(bindings, device, FakeTensorMode(shape_env=environment))
    call = builder.call(case)
    bound = bind_arguments(resolve(case.op), (), call)
    with builder.mode:
        result = resolve(case.op)(**{name: _unwrapped(value) for name, value in bound})
    args = tuple((name, _as_arg(value)) for name, value in bound)
    name = f"{case.op.split('.')[1]}_result"
    node, _ = make_node(name, case.op, args, result, Provenance(source=case.id), {})
    return finish(case, builder.values, node, letters, tuple(guard.expr for guard in environment.guards))


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
    def __init__(self, bindings: Mapping[str, Any], device: str, mode: FakeTensorMode) -> None:
        self.bindings, self.device, self.mode = bindings, device, mode
        self.values: dict[str, Value] = {}

    def call(self, case: Case) -> dict[str, Any]:
        """Arguments by name; tensors are made first, since others may be expressions over them."""
        found = {name: self.argument(name, a) for name, a in case.arguments if not isinstance(a, SizeExpr)}
        for name, argument in case.arguments:
            if isinstance(argument, SizeExpr):
                seen = {n: _unwrapped(v) for n, v in found.items()}
                found[name] = evaluated(argument.text, shape_rules.bind({**self.bindings, **seen}))
        return {name: found[name] for name, _ in case.arguments}

    def argument(self, name: str, argument: Argument) -> Any:
        if isinstance(argument, TensorPlan):
            return self.tensor(name, argument)
        if isinstance(argument, tuple):
            return [self.argument(f"{name}_{i}", a) for i, a in enumerate(argument)]
        return argument

    def tensor(self, name: str, plan: TensorPlan) -> _Fake:
        shape = sizes_of(plan.dims, self.bindings)
        layout = LAYOUTS[plan.layout]
        strides = layout.strides(shape)
        with self.mode:
            fake = torch.empty_strided(shape, strides, dtype=plan.dtype, device=self.device)
            if layout.offset:
                elements = layout.offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
                fake = torch.empty((elements,), dtype=plan.dtype, device=self.device).as_strided(
                    shape, strides, layout.offset
                )
        value = Value(name, tensor_spec(fake, role=Role.INPUT))
        self.values[name] = value
        return _Fake(fake, value)
