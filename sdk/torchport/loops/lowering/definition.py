"""What a lowering rule returns: each result of a node as a function from an index to a loop expression."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from torchport.contract.graph import Node, TensorSpec, Value
from torchport.loops.index import ONE, ZERO, Index, from_dim
from torchport.loops.ir import Builder, Expr

Indices = tuple[Index, ...]


class Reader(Protocol):
    """What a rule may ask while an expression is built: operands, and the builder that makes expressions."""

    build: Builder

    def read(self, value: Value, at: Indices) -> Expr:
        """Element ``at`` of a value, in the dtype it is computed in."""

    def masked(self, condition: Expr, body: Callable[[], Expr]) -> Expr:
        """``body()``, in which nothing is read from memory where the condition does not hold."""

    def checked(self, value: Expr, size: Index, *, wrap: bool) -> Index:
        """An integer value as an index into ``size`` elements; out of range is an error of the kernel."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction of ``body`` over ``axes`` of the space ``source``; ``kind`` is one of ``ir.REDUCE``."""

    kind: str
    source: Indices
    axes: tuple[int, ...]
    body: Callable[[Reader, Indices], tuple[Expr, ...]]
    accumulate: torch.dtype
    finish: Callable[[Reader, Expr], Expr] = lambda _, x: x


@dataclass(frozen=True, slots=True)
class Definition:
    """One result of a node. Exactly one of ``at`` and ``reduction`` is given; ``view`` marks pure index maps.

    A reduction is indexed by the kept axes of its source; ``keepdim`` results are mapped to that by ``kept``.
    """

    shape: Indices
    dtype: torch.dtype
    at: Callable[[Reader, Indices], Expr] | None = None
    reduction: Reduction | None = None
    view: bool = False

    def kept(self, at: Indices) -> Indices:
        """The part of a result index that belongs to the kept axes of the reduction's source."""
        assert self.reduction is not None
        if len(at) == len(self.reduction.source):
            return tuple(i for axis, i in enumerate(at) if axis not in self.reduction.axes)
        return at


@dataclass(frozen=True, slots=True)
class Scope:
    """Sizes of the graph being lowered as indices; ``lows`` holds the lower bounds of its symbols."""

    lows: Mapping[str, int]

    def dim(self, dim: Any) -> Index:
        """A size, stride or integer argument."""
        return from_dim(dim, self.lows)

    def shape(self, spec: TensorSpec) -> Indices:
        """The shape of a tensor."""
        return tuple(self.dim(d) for d in spec.shape)

    def strides(self, spec: TensorSpec) -> Indices:
        """The strides of a tensor, in elements."""
        return tuple(self.dim(d) for d in spec.stride)


Rule = Callable[[Node, Scope], Definition | tuple[Definition, ...]]
Check = Callable[[Node], str]
"""Returns why a node is not covered by a rule, or an empty text."""


class RuleTable(Mapping[str, Rule]):
    """Rules by operator name, filled by :meth:`rule` where they are written."""

    def __init__(self) -> None:
        self._rules: dict[str, Rule] = {}
        self.checks: dict[str, Check] = {}

    def rule(self, *names: str, check: Check | None = None) -> Callable[[Rule], Rule]:
        """Registers a rule for operators, with a test of arguments that the rule does not cover."""

        def register(fn: Rule) -> Rule:
            self.add(names, fn, check)
            return fn

        return register

    def add(self, names: Sequence[str], fn: Rule, check: Check | None = None) -> None:
        """Registers a rule that was made by a function."""
        for name in names:
            assert name not in self._rules, name
            self._rules[name] = fn
            if check is not None:
                self.checks[name] = check

    def __getitem__(self, name: str) -> Rule:
        return self._rules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)


def result(node: Node, position: int = 0) -> TensorSpec:
    """The spec of one result of a node."""
    value = node.outputs[position]
    assert value is not None
    return value.tensor


def broadcast(at: Indices, shape: Indices) -> Indices:
    """An index of a broadcast result as an index of an operand of ``shape``."""
    tail = at[len(at) - len(shape) :]
    return tuple(ZERO if size == ONE else i for i, size in zip(tail, shape, strict=True))


def operand(reader: Reader, scope: Scope, arg: Any, at: Indices, dtype: torch.dtype) -> Expr:
    """An operand of an elementwise operator at an index of its result, promoted to ``dtype``."""
    if isinstance(arg, Value):
        return reader.build.convert(reader.read(arg, broadcast(at, scope.shape(arg.tensor))), dtype)
    return reader.build.scalar(arg, dtype)
