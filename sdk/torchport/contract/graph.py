"""The contract's graph: immutable, functional, in topological order, free of FX.

A :class:`Graph` is what claims are made on, what the verifier checks and what a serialized region holds.
Symbolic integers are not nodes: they are :class:`~torchport.contract.symbols.SymExpr` literals in arguments
and shapes.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

import torch

from torchport.contract.symbols import Scalar, SymExpr, from_sympy

Dim = Scalar
"""A size or stride: an int, or a SymExpr."""


class Role(enum.StrEnum):
    """What a value is to the program that was captured."""

    INPUT = "input"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    CONSTANT = "constant"
    TANGENT = "tangent"
    SAVED = "saved"
    INTERMEDIATE = "intermediate"


class Alias(enum.StrEnum):
    """Whether a value shares memory with another one."""

    NONE = "none"
    MAY = "may"
    MUST = "must"
    DONATED = "donated"


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """Everything known about a tensor before it exists.

    ``shape`` and ``stride`` are in elements; ``storage_offset`` in elements from the start of the storage;
    ``alignment`` in bytes of the first element (1 = nothing is promised). ``name`` is the qualified name of a
    parameter or buffer ("encoder.layer.0.weight"), else "". ``weight_id`` names a weight to a
    ``WeightSource``. ``quant`` and ``sharding`` are JSON-like descriptions, ``None`` when they do not apply.
    """

    shape: tuple[Dim, ...]
    stride: tuple[Dim, ...]
    dtype: torch.dtype
    device: str = "cpu"
    storage_offset: Dim = 0
    alignment: int = 1
    role: Role = Role.INTERMEDIATE
    name: str = ""
    requires_grad: bool = False
    mutated: bool = False
    alias: Alias = Alias.NONE
    weight_id: str | None = None
    memory_space: str = "default"
    quant: str | None = None
    sharding: str | None = None

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """True when no size or stride is symbolic."""
        return all(isinstance(d, int) for d in (*self.shape, *self.stride, self.storage_offset))

    @property
    def is_contiguous(self) -> bool:
        """True when the strides are provably row-major (size-1 dimensions are ignored)."""
        expected: Dim = 1
        for size, stride in zip(reversed(self.shape), reversed(self.stride), strict=True):
            if size == 1:
                continue
            if str(stride) != str(expected):
                return False
            expected = _times(expected, size)
        return True

    @property
    def has_unusual_units(self) -> bool:
        """Whether a dimension of size 1 has another stride than in a row-major tensor of this shape."""
        if 1 not in [size for size in self.shape if isinstance(size, int)]:
            return False
        row_major = contiguous_strides(self.shape)
        pairs = zip(self.shape, self.stride, row_major, strict=True)
        return any(size == 1 and str(stride) != str(usual) for size, stride, usual in pairs)

    @property
    def has_inner_steps(self) -> bool:
        """Whether the innermost stride is not known to be 1."""
        return bool(self.stride) and str(self.stride[-1]) != "1"

    @property
    def symbols(self) -> frozenset[str]:
        """Names of the symbols in shape, stride and offset."""
        found = frozenset[str]()
        for d in (*self.shape, *self.stride, self.storage_offset):
            if isinstance(d, SymExpr):
                found |= d.symbols
        return found

    def with_(self, **changes: Any) -> TensorSpec:
        """A copy with some fields changed."""
        return replace(self, **changes)


def contiguous_strides(shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """Row-major strides of ``shape``; a size of 0 counts as 1, as in PyTorch."""
    strides: list[Dim] = []
    step: Dim = 1
    for size in reversed(shape):
        strides.insert(0, step)
        step = _times(step, size if size != 0 else 1)
    return tuple(strides)


def _times(a: Dim, b: Dim) -> Dim:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    return _symbolic_product(a, b)


@lru_cache(maxsize=65536)
def _symbolic_product(a: Dim, b: Dim) -> Dim:
    to_sympy = [d.sympy() if isinstance(d, SymExpr) else d for d in (a, b)]
    return from_sympy(to_sympy[0] * to_sympy[1])  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class ScalarSpec:
    """A host scalar that a node produces (``aten._local_scalar_dense``): its Python type and symbol."""

    kind: str  # "int" | "float" | "bool"
    expr: Scalar | float


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A named tensor (or host scalar) in a graph. Names are unique within the graph; identity is by name."""

    name: str
    spec: TensorSpec | ScalarSpec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def tensor(self) -> TensorSpec:
        """The spec, for values that are tensors."""
        assert isinstance(self.spec, TensorSpec), f"{self.name} is a host scalar"
        return self.spec

    def __repr__(self) -> str:
        return f"%{self.name}"


@dataclass(frozen=True, slots=True)
class Opaque:
    """An argument that cannot be serialized (a sub-graph of a higher-order op, a generator, a process
    group).
    """

    payload: Any


Arg = Any
"""None, bool, int, float, complex, str, SymExpr, torch.dtype/device/layout/memory_format, Value, Opaque, or a
tuple of these."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a node came from: user source lines and the chain of operators it was decomposed out of."""

    source: str = ""
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One operator call. ``args`` binds every schema argument by name, defaults included, in schema order.

    ``name`` is unique within the graph. An operator without a tensor result has no outputs. ``outputs`` has
    one entry per schema return (lists are flattened); ``None`` where the operator returned no tensor.
    """

    name: str
    op: str
    args: tuple[tuple[str, Arg], ...]
    outputs: tuple[Value | None, ...]
    provenance: Provenance = Provenance()
    returns_sequence: bool = False
    _read: tuple[Value, ...] | None = field(default=None, init=False, repr=False)
    _made: tuple[Value, ...] | None = field(default=None, init=False, repr=False)

    @property
    def arguments(self) -> Mapping[str, Arg]:
        """Arguments by schema name, in schema order."""
        return MappingProxyType(dict(self.args))

    def arg(self, name: str, default: Arg = None) -> Arg:
        """One argument by schema name."""
        for key, value in self.args:
            if key == name:
                return value
        return default

    @property
    def inputs(self) -> tuple[Value, ...]:
        """Values read, in argument order; a value read twice appears twice."""
        found = self._read
        if found is None:  # every pass asks for it, so it is kept
            found = tuple(v for _, a in self.args for v in values_in(a))
            object.__setattr__(self, "_read", found)
        return found

    @property
    def results(self) -> tuple[Value, ...]:
        """Outputs that exist."""
        found = self._made
        if found is None:
            found = tuple(v for v in self.outputs if v is not None)
            object.__setattr__(self, "_made", found)
        return found

    @property
    def input_specs(self) -> tuple[TensorSpec, ...]:
        """Specs of the tensor inputs."""
        return tuple(v.spec for v in self.inputs if isinstance(v.spec, TensorSpec))

    @property
    def output_specs(self) -> tuple[TensorSpec, ...]:
        """Specs of the tensor outputs."""
        return tuple(v.spec for v in self.results if isinstance(v.spec, TensorSpec))

    def map_values(self, fn: Any) -> Node:
        """The node with its argument values replaced by ``fn(value)``; itself when that changes none."""
        new = {id(value): fn(value) for value in self.inputs}
        if all(new[id(value)] is value for value in self.inputs):
            return self

        def swapped(value: Value) -> Any:
            return new[id(value)]

        args = tuple(
            [(k, map_values(a, swapped) if type(a) is Value or type(a) is tuple else a) for k, a in self.args]
        )
        return Node(self.name, self.op, args, self.outputs, self.provenance, self.returns_sequence)

    def __str__(self) -> str:
        outs = ", ".join("_" if v is None else f"{v!r}: {describe(v.spec)}" for v in self.outputs)
        return f"{outs} = {self.op}({', '.join(f'{k}={show(a)}' for k, a in self.args)})"


def values_in(arg: Arg) -> Sequence[Value]:
    """Every :class:`Value` in an argument, depth first."""
    if isinstance(arg, Value):
        return (arg,)
    if not isinstance(arg, tuple):
        return ()
    found: list[Value] = []
    for item in arg:
        if isinstance(item, Value):
            found.append(item)
        elif isinstance(item, tuple):
            found += values_in(item)
    return found


def map_values(arg: Arg, fn: Any) -> Arg:
    """``arg`` with each :class:`Value` replaced by ``fn(value)``."""
    if isinstance(arg, Value):
        return fn(arg)
    if isinstance(arg, tuple):
        return tuple([map_values(a, fn) if isinstance(a, Value | tuple) else a for a in arg])
    return arg


def symbols_in(arg: Arg) -> frozenset[str]:
    """Names of the symbols used directly in an argument."""
    if isinstance(arg, SymExpr):
        return arg.symbols
    if isinstance(arg, tuple):
        return frozenset().union(*(symbols_in(a) for a in arg))
    return frozenset()


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbolic integer: inclusive range (``None`` = unbounded above), an example value, and where it is
    read from.

    ``source`` is ``("argument", i)`` for the i-th graph argument, ``("size", value name, dim)`` for a size of
    a value, or ``("scalar", value name)`` for a host scalar that a node produces.
    """

    name: str
    low: int = 0
    high: int | None = None
    hint: int | None = None
    source: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class Graph:
    """A functional graph in topological order.

    ``outputs`` entries are values, symbolic or plain scalars, or ``None``. ``constants`` holds the tensors of
    inputs whose role is ``constant``.
    """

    inputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Value | Scalar | float | None, ...]
    symbols: tuple[Symbol, ...] = ()
    constants: Mapping[str, torch.Tensor] = field(default_factory=dict)

    @cached_property
    def producers(self) -> Mapping[str, Node]:
        """The node that computes each value name."""
        return {v.name: n for n in self.nodes for v in n.results}

    @cached_property
    def users(self) -> Mapping[str, tuple[Node, ...]]:
        """The nodes that read each value name, without repeats, in order."""
        found: dict[str, dict[str, Node]] = {}
        for node in self.nodes:
            for value in node.inputs:
                found.setdefault(value.name, {})[node.name] = node
        return {name: tuple(nodes.values()) for name, nodes in found.items()}

    @property
    def output_values(self) -> tuple[Value, ...]:
        """Outputs that are values, in order, repeats included."""
        return tuple(v for v in self.outputs if isinstance(v, Value))

    def __str__(self) -> str:
        lines = [f"graph({', '.join(f'{v!r}: {describe(v.spec)}' for v in self.inputs)}):"]
        lines += [f"  {node}" for node in self.nodes]
        lines.append(f"  return {', '.join(show(o) for o in self.outputs)}")
        lines += [
            f"  # {s.name} in [{s.low}, {s.high}], hint {s.hint}, from {s.source}" for s in self.symbols
        ]
        return "\n".join(lines)


def describe(spec: TensorSpec | ScalarSpec) -> str:
    """Short text of a spec, such as ``float32[4, s0]``."""
    if isinstance(spec, ScalarSpec):
        return f"{spec.kind}({spec.expr})"
    text = f"{dtype_name(spec.dtype)}[{', '.join(map(str, spec.shape))}]"
    return text if spec.is_contiguous else f"{text} stride ({', '.join(map(str, spec.stride))})"


def described(value: Value) -> str:
    """A value with its dtype and shape, such as ``%x: torch.float32[4, s0]``."""
    spec = value.spec
    if isinstance(spec, TensorSpec):
        return f"%{value.name}: {spec.dtype}[{', '.join(map(str, spec.shape))}]"
    return f"%{value.name}: {spec}"


def shown_arguments(node: Node) -> str:
    """The node's arguments, values with their dtypes and shapes."""

    def text(argument: Any) -> str:
        if isinstance(argument, Value):
            return described(argument)
        if isinstance(argument, tuple):
            return f"({', '.join(map(text, argument))})"
        return show(argument)

    return ", ".join(f"{name}={text(argument)}" for name, argument in node.args)


def show(arg: Arg) -> str:
    """Readable text of an argument."""
    if isinstance(arg, tuple):
        return f"[{', '.join(map(show, arg))}]"
    return str(arg) if isinstance(arg, SymExpr) else repr(arg)


def dtype_name(dtype: torch.dtype) -> str:
    """``float32`` for ``torch.float32``."""
    return str(dtype).removeprefix("torch.")
