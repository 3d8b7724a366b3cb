"""Decomposition rules applied to one call, without tracing it through PyTorch.

A rule is a plain function over tensors. It is run on :class:`Symbolic` stand-ins, and every operator it calls
becomes a contract node: shape, dtype and strides of the result come from the contract's own rules, or from
the view operator itself. What the rules do not decide (views of symbolic sizes, layouts that follow eager's,
operators outside the contract) is asked of a fake tensor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from torchport.contract import dtype_rules
from torchport.contract.adapters import to_contract
from torchport.contract.dims import UndecidedError
from torchport.contract.fx_import import SYMBOLIC, bind_arguments, scalar_overload, tensor_spec
from torchport.contract.graph import (
    Node,
    Opaque,
    Provenance,
    Role,
    ScalarSpec,
    TensorSpec,
    Value,
    contiguous_strides,
    symbols_in,
    values_in,
)
from torchport.contract.layout_rules import is_row_major
from torchport.contract.opset import OpSet
from torchport.contract.plans import Plan
from torchport.contract.shape_rules import bind
from torchport.contract.spec import OpSpec, call_bound, qualified_name, resolve
from torchport.contract.symbols import SymExpr, from_torch
from torchport.contract.views import is_ordered, is_view
from torchport.errors import ContractError
from torchport.lowering.canonicalize import IDENTITIES, SPELLINGS
from torchport.lowering.view_geometry import view_spec


class Symbolic(torch.Tensor):
    """A tensor without data that stands for a graph value while a rule runs."""

    value: Value
    __torch_function__: ClassVar[Any] = torch._C._disabled_torch_function_impl

    @staticmethod
    def of(value: Value, shape: Any, stride: Any, offset: Any = 0) -> Symbolic:
        """The stand-in of ``value``; ``shape``, ``stride`` and ``offset`` are ints or SymInts."""
        spec = value.tensor
        made = torch.Tensor._make_wrapper_subclass(
            Symbolic,
            shape,
            strides=stride,
            storage_offset=offset,
            dtype=spec.dtype,
            device=torch.device(spec.device),
        )
        made.value = value
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        raise ContractError("a stand-in was used outside its rule", op=str(func))


@dataclass(frozen=True, eq=False)
class Template:
    """What a rule does with one call: nodes over the leaves and each other, and what it returns."""

    nodes: tuple[Node, ...]
    outputs: tuple[Any, ...]
    constants: Mapping[str, torch.Tensor] = field(default_factory=dict)


def record(
    rule: Callable[[], Any],
    opset: OpSet,
    plans: dict[str, Plan],
    mode: Callable[[], FakeTensorMode],
    number: Callable[[Any], Any],
    *,
    symbolic: bool,
) -> Template:
    """Runs ``rule`` (its arguments bound) and returns what it did, dead nodes left out.

    Args:
        rule: returns stand-ins, numbers, None or nested sequences of these.
        opset: contract whose rules give shapes, dtypes and layouts.
        plans: parsed entries by name; filled as needed.
        mode: the fake tensor mode to ask what the rules leave open, made on first use.
        number: a size of the contract as PyTorch's: an int, or the SymInt of a symbolic expression.
        symbolic: a size of the arguments is symbolic, which some of PyTorch's operators handle in Python.
    """
    recorder = _Recorder(opset, plans, mode, number)
    with torch.no_grad(), enable_python_dispatcher() if symbolic else nullcontext(), recorder:
        result = rule()
    flat = tuple(result) if isinstance(result, tuple | list) else () if result is None else (result,)
    outputs = tuple(recorder.argument(item) for item in flat)
    return Template(_live(recorder.nodes, outputs), outputs, recorder.constants)


def _live(nodes: list[Node], outputs: tuple[Any, ...]) -> tuple[Node, ...]:
    needed = {v.name for v in outputs if isinstance(v, Value)}
    for item in outputs:
        if isinstance(item, tuple):
            needed |= {v.name for v in item if isinstance(v, Value)}
    kept: list[Node] = []
    for node in reversed(nodes):
        if any(v.name in needed for v in node.results) or (not node.outputs and is_ordered(node)):
            needed |= {v.name for v in node.inputs}
            kept.append(node)
    return tuple(reversed(kept))


class _Recorder(TorchDispatchMode):
    def __init__(
        self,
        opset: OpSet,
        plans: dict[str, Plan],
        mode: Callable[[], FakeTensorMode],
        number: Callable[[Any], Any],
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.opset, self.plans, self.mode, self.number = opset, plans, mode, number
        self.nodes: list[Node] = []
        self.constants: dict[str, torch.Tensor] = {}
        self.names: Counter[str] = Counter()
        self.default = torch.get_default_dtype()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        bound = bind_arguments(func, args, kwargs or {})
        name = qualified_name(func)
        if name in IDENTITIES and isinstance(bound[0][1], Symbolic):
            same = bound[0][1]  # PyTorch wants a view to be another object than its base
            return Symbolic.of(same.value, same.shape, same.stride(), same.storage_offset())
        func, bound = scalar_overload(func, bound)
        name = qualified_name(func)
        if name in SPELLINGS:
            name = SPELLINGS[name]
            func = resolve(name)
        if not any(isinstance(t, Symbolic) for t in _tensors(bound)) and _tensors(bound):
            return func(*args, **(kwargs or {}))  # arithmetic on constants
        arguments = tuple((k, self.argument(a)) for k, a in to_contract(name, bound))
        if is_view(name) and isinstance(bound[0][1], Symbolic):
            if bound[0][1].value.tensor.is_static and not any(symbols_in(a) for _, a in arguments):
                return self.view(func, name, bound, arguments)
            spec = self.symbolic_view(name, dict(arguments))
            if spec is not None:
                return self.finish(func, name, arguments, [spec])
            return self.by_fake(func, name, bound, arguments)
        entry = self.opset.ops.get(name)
        results = None if entry is None or entry.fake is not None else self.by_rule(entry, dict(arguments))
        if results is None:
            return self.by_fake(func, name, bound, arguments)
        return self.finish(func, name, arguments, results)

    def argument(self, arg: Any) -> Any:
        """A literal, or the value behind a stand-in."""
        if isinstance(arg, Symbolic):
            return arg.value
        if isinstance(arg, torch.Tensor):
            return self.constant(arg)
        if isinstance(arg, list | tuple):
            return tuple(self.argument(a) for a in arg)
        if isinstance(arg, SYMBOLIC):
            return from_torch(arg)
        if arg is None or isinstance(arg, bool | int | float | complex | str):
            return arg
        if isinstance(arg, torch.dtype | torch.device | torch.layout | torch.memory_format):
            return arg
        return Opaque(arg)

    def constant(self, tensor: torch.Tensor) -> Value:
        for name, known in self.constants.items():
            if known is tensor:
                return Value(name, tensor_spec(tensor, role=Role.CONSTANT, name=name))
        name = self.fresh("constant")
        self.constants[name] = tensor
        return Value(name, tensor_spec(tensor, role=Role.CONSTANT, name=name))

    def fresh(self, stem: str) -> str:
        self.names[stem] += 1
        count = self.names[stem]
        return stem if count == 1 else f"{stem}_{count - 1}"

    def view(self, func: Any, name: str, bound: Any, arguments: tuple[tuple[str, Any], ...]) -> Any:
        """The geometry of a view is PyTorch's own, over a tensor without data."""
        base: Symbolic = bound[0][1]
        shadow = torch.empty_strided((0,), (1,), dtype=base.dtype, device="meta").as_strided(
            base.shape, base.stride(), base.storage_offset()
        )
        result = call_bound(func, {**dict(bound), bound[0][0]: shadow})
        return self.wrap(func, name, arguments, result, base.value.tensor.device)

    def symbolic_view(self, name: str, arguments: dict[str, Any]) -> TensorSpec | None:
        """The spec of a view of symbolic sizes by the contract's rule; ``None`` where that is open."""
        entry = self.opset.ops.get(name)
        if entry is None:
            return None
        try:
            shape = self.plan(entry).shapes[0].value(bind(arguments))
        except ContractError:
            return None
        known = all(type(d) is int or isinstance(d, SymExpr) for d in shape)
        return view_spec(name, arguments, tuple(shape)) if known else None

    def plan(self, entry: OpSpec) -> Plan:
        """The parsed entry, kept for the next call."""
        found = self.plans.get(entry.name)
        if found is None:
            found = self.plans[entry.name] = Plan(entry)
        return found

    def by_rule(self, spec: OpSpec, arguments: dict[str, Any]) -> list[Any] | None:
        """Specs of the results by the contract's rules; ``None`` where they leave something open."""
        specs = [v.spec for a in arguments.values() for v in values_in(a)]
        inputs = [s for s in specs if isinstance(s, TensorSpec)]
        if len(inputs) != len(specs):
            return None
        plan = self.plan(spec)
        if any(r.startswith("List") for r in plan.returns):
            return None
        try:
            bindings = bind(arguments)
            shapes = [rule.value(bindings) for rule in plan.shapes]
            dtypes = dtype_rules.result_dtypes(spec.dtypes, arguments, self.default)
        except (UndecidedError, ContractError):
            return None  # the operator itself says what is wrong with the call
        device = _device(arguments, inputs)
        found: list[Any] = []
        for shape, layout, dtype in zip(shapes, spec.layout, dtypes, strict=True):
            if shape is None:
                found.append(None)
                continue
            known = all(type(d) is int or isinstance(d, SymExpr) for d in shape)
            if not known or not is_row_major(layout, arguments, inputs):
                return None
            found.append(TensorSpec(tuple(shape), contiguous_strides(tuple(shape)), dtype, device))
        return found

    def finish(self, func: Any, name: str, arguments: tuple[tuple[str, Any], ...], specs: list[Any]) -> Any:
        stem = self.fresh(func.overloadpacket.__name__)
        several = len(func._schema.returns) > 1
        values = [
            None if s is None else Value(f"{stem}.{i}" if several else stem, s) for i, s in enumerate(specs)
        ]
        self.nodes.append(Node(stem, name, arguments, tuple(values), Provenance(), several))
        wrapped = [None if v is None else self.stand_in(v) for v in values]
        if not wrapped:
            return None
        return tuple(wrapped) if several else wrapped[0]

    def stand_in(self, value: Value) -> Symbolic:
        """The stand-in of a value whose spec the rules gave."""
        spec = value.tensor
        sizes, strides = ([*map(self.number, dims)] for dims in (spec.shape, spec.stride))
        return Symbolic.of(value, sizes, strides, self.number(spec.storage_offset))

    def by_fake(self, func: Any, name: str, bound: Any, arguments: tuple[tuple[str, Any], ...]) -> Any:
        """The result as PyTorch's fake tensors give it."""
        mode = self.mode()
        with mode:
            result = call_bound(func, {k: _to_fake(a, mode) for k, a in bound})
        return self.wrap(func, name, arguments, result, None)

    def wrap(
        self, func: Any, name: str, arguments: tuple[tuple[str, Any], ...], result: Any, device: str | None
    ) -> Any:
        stem = self.fresh(func.overloadpacket.__name__)
        several = isinstance(result, tuple | list)
        values: list[Value | None] = []
        wrapped: list[Any] = []
        for index, item in enumerate(result if several else (result,)):
            label = f"{stem}.{index}" if several else stem
            if isinstance(item, torch.Tensor):
                spec = tensor_spec(item) if device is None else tensor_spec(item).with_(device=device)
                value = Value(label, spec)
                wrapped.append(Symbolic.of(value, item.shape, item.stride(), item.storage_offset()))
                values.append(value)
            elif isinstance(item, SYMBOLIC):
                kind = {torch.SymInt: "int", torch.SymFloat: "float", torch.SymBool: "bool"}[type(item)]
                values.append(Value(label, ScalarSpec(kind, from_torch(item))))
                wrapped.append(item)
            else:
                values.append(None)
                wrapped.append(item)
        outputs = () if result is None else tuple(values)
        self.nodes.append(Node(stem, name, arguments, outputs, Provenance(), several))
        return type(result)(wrapped) if several else wrapped[0]


def _tensors(bound: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for _, arg in bound:
        items = arg if isinstance(arg, list | tuple) else (arg,)
        found += [t for t in items if isinstance(t, torch.Tensor)]
    return found


def _to_fake(arg: Any, mode: FakeTensorMode) -> Any:
    if isinstance(arg, Symbolic):
        made = torch.empty_strided(arg.shape, arg.stride(), dtype=arg.dtype, device=arg.device)
        return made if arg.value.tensor.storage_offset == 0 else made.as_strided(arg.shape, arg.stride())
    if isinstance(arg, torch.Tensor):
        return mode.from_tensor(arg)
    return type(arg)(_to_fake(a, mode) for a in arg) if isinstance(arg, list | tuple) else arg


def _device(arguments: Mapping[str, Any], inputs: list[Any]) -> str:
    if arguments.get("device") is not None:
        return str(arguments["device"])
    if not inputs:
        return str(torch.get_default_device())
    return next((s.device for s in inputs if s.shape), inputs[0].device)  # type: ignore[no-any-return]
