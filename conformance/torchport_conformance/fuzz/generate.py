"""Random well-typed graphs of contract operators, restricted to what a backend claims.

A graph is grown by running it: an operator and a case of it are drawn from the contract, its operands are
values that exist already (fitted by views, casts and clamps, which are steps like others) or new arguments.
A step is kept when eager PyTorch runs it, its values stay small, and the backend claims it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from torchport.contract.claims import law_of
from torchport.contract.fx_import import bind_arguments, make_node, tensor_spec
from torchport.contract.graph import Node, Provenance, Role, Value
from torchport.contract.reference import flatten
from torchport.contract.spec import Category, OpSpec, Tier, resolve
from torchport_conformance.cases.case import Case, SizeExpr, TensorPlan
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.cases.layouts import extent
from torchport_conformance.cases.patterns import broadcasts
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.fuzz.graph import Graph, Input, Ref, Size, Step
from torchport_conformance.layers.graph import menus
from torchport_conformance.specs import all_specs, is_listed, spec_of

Claims = Callable[[Node], bool]

DTYPES = (
    torch.float32,
    torch.float32,
    torch.float32,
    torch.bfloat16,
    torch.float64,
    torch.int64,
    torch.int32,
)
"""Dtypes of operators' first operands; repeated ones are drawn more often."""
_FEW, _SMALL, _LARGE = 2, 320, 1e4
_WEIGHTS = {
    Category.ELEMENTWISE: 8,
    Category.REDUCTION: 4,
    Category.VIEW: 4,
    Category.LAYOUT: 3,
    Category.CONTRACTION: 3,
    Category.INDEXING: 3,
    Category.NORMALIZATION: 2,
    Category.CONVERSION: 1,
    Category.SCAN: 1,
    Category.POOLING: 1,
    Category.LOSS: 1,
}
_NEEDS_OWN = ("own-precision", "by-decomposition", "rounded-integers", "unspecified")


@cache
def operators() -> tuple[tuple[OpSpec, int], ...]:
    """Operators that graphs are made of, each with how often it is drawn: those of ATen whose values have a
    bound and follow from their operands alone.
    """
    found = [(s, _WEIGHTS[s.category]) for s in all_specs().values() if s.category in _WEIGHTS]
    return tuple((s, w) for s, w in found if _usable(s))


def _usable(spec: OpSpec) -> bool:
    if not spec.name.startswith("aten.") or spec.tier is Tier.MACRO or law_of(spec) is not None:
        return False
    if spec.numerics.kind == "law" or any(s.startswith(_NEEDS_OWN) for s in spec.numerics.special):
        return False
    # Backward operators read what only their forward gives; what reinterprets bits has no exact counterpart.
    bits = any("dtype" in a.name for a in spec.overload._schema.arguments) and spec.category is Category.VIEW
    # Lists of independent results add nothing to a graph that their operator alone does not have.
    lists = any(is_listed(spec)) and spec.category is not Category.VIEW
    # Histograms are floats that jump where a value passes the edge of a bin.
    return not (bits or lists or any(n in spec.name for n in ("backward", "complex", "histogram")))


@cache
def _writers() -> tuple[menus.InPlace, ...]:
    """The same, where they can write to a float32 operand."""
    names = {spec.name for spec, _ in operators()}
    return tuple(
        o
        for o in menus.in_place_operators()
        if o.name in names and o.dtype is torch.float32 and o.tensors < 2
    )


@cache
def small_cases(op: str) -> tuple[Case, ...]:
    """Cases of an operator with few elements, row-major operands and ordinary values."""
    return tuple(c for c in cases_for(spec_of(op), profile_named("training")) if _is_small(c))


def _is_small(case: Case) -> bool:
    plans = [plan for _, plan in case.tensors()]
    return bool(plans) and all(
        0 < math.prod(p.shape) <= _SMALL
        and p.fill == "random"
        and p.layout == "contiguous"
        and not p.dtype.is_complex
        and not p.values.startswith("result(")
        and (p.dtype is torch.bool or p.dtype in DTYPES or p.dtype is torch.float16)
        for p in plans
    )


class Generator:
    """Grows one graph.

    Args:
        claims: what the backend runs.
        draws: the source of all choices.
    """

    def __init__(self, claims: Claims, draws: random.Random) -> None:
        self._claims, self._draws = claims, draws
        self._inputs: list[Input] = []
        self._live: list[Tensor] = []
        self._steps: list[Step] = []
        self._made: list[Any] = []
        self._static = False
        self._grad = draws.random() < 0.5

    def graph(self, steps: int) -> Graph | None:
        """A graph with about as many operators; None when nothing could be grown."""
        specs, weights = zip(*operators(), strict=True)
        wanted = 0
        for _ in range(8 * steps):
            if wanted >= steps:
                break
            if self._made and self._draws.random() < 0.12:
                wanted += self._attempt(self._write)
                continue
            (spec,) = self._draws.choices(specs, weights)
            cases = small_cases(spec.name)
            if cases:
                case = self._draws.choice(cases)
                wanted += self._attempt(lambda s=spec, c=case: self._operator(s, c))  # type: ignore[misc]
        return self._finished() if self._made else None

    # --- growing ---

    def _attempt(self, grow: Callable[[], bool]) -> bool:
        """Grows, or leaves everything as it was."""
        before = (list(self._inputs), list(self._live), list(self._steps), list(self._made), self._static)
        kept = [t.clone() for t in (*self._live, *(t for t in self._made if isinstance(t, Tensor)))]
        try:
            if grow():
                return True
        except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, ZeroDivisionError):
            pass  # What eager refuses is no step.
        self._inputs, self._live, self._steps, self._made, self._static = before
        tensors = (*self._live, *(t for t in self._made if isinstance(t, Tensor)))
        for tensor, value in zip(tensors, kept, strict=True):
            if not torch.equal(tensor.nan_to_num(), value.nan_to_num()):
                tensor.copy_(value)
        return False

    def _operator(self, spec: OpSpec, case: Case) -> bool:
        arguments = tuple((name, self._argument(name, a, spec)) for name, a in case.arguments)
        return self._call(spec.name, arguments) is not None

    def _argument(self, name: str, argument: Any, spec: OpSpec) -> Any:
        if isinstance(argument, TensorPlan):
            return self._operand(argument)
        if isinstance(argument, SizeExpr):
            self._static = True
            return argument.value
        if isinstance(argument, tuple):
            return tuple(self._argument(name, a, spec) for a in argument)
        return argument

    def _operand(self, plan: TensorPlan) -> Ref:
        letters = isinstance(plan.dims, tuple)
        if not letters:
            # Its shape follows from others by a rule; kernels of eager do not check all of them.
            self._static = True
        shape = tuple(
            Size(n) if letters and isinstance(d, str) and n > 1 else n
            for d, n in zip(plan.dims if letters else plan.shape, plan.shape, strict=True)
        )
        if self._made and self._draws.random() < 0.75:
            found = self._fitted(plan, shape)
            if found is not None:
                return found
        return self._fresh(plan, shape)

    def _fresh(self, plan: TensorPlan, shape: tuple[int, ...]) -> Ref:
        layout = self._draws.choice(("contiguous", "contiguous", "transposed", "step2", "offset7", "rows2"))
        floating = plan.dtype.is_floating_point
        given = Input(
            shape,
            plan.dtype,
            layout,
            plan.values,
            self._draws.getrandbits(40),
            self._grad and floating and self._draws.random() < 0.7,
        )
        self._inputs.append(given)
        self._live.append(replace(given, grad=False).tensor())
        return Ref(-len(self._inputs))

    def _fitted(self, plan: TensorPlan, shape: tuple[int, ...]) -> Ref | None:
        """A value that exists, made to fit: of the shape, the dtype and the value class asked for."""
        numbers = [i for i, v in enumerate(self._made) if isinstance(v, Tensor)]
        numbers = [i for i in numbers if not self._made[i].is_complex()]
        if not numbers:
            return None
        alike = [i for i in numbers if self._made[i].shape == torch.Size(shape)]
        number: int | None = self._draws.choice(alike if alike and self._draws.random() < 0.8 else numbers)
        for change in (
            lambda n: self._shaped(n, shape),
            lambda n: self._cast(n, plan.dtype),
            lambda n: self._classed(n, plan),
        ):
            number = None if number is None else change(number)  # type: ignore[no-untyped-call]
        return None if number is None else Ref(number)

    def _shaped(self, number: int, shape: tuple[int, ...]) -> int | None:
        value: Tensor = self._made[number]
        wanted = torch.Size(shape)
        if value.shape == wanted:
            return number
        if value.dim() == len(shape) == 2 and value.shape == wanted[::-1]:
            return self._call("aten.permute.default", (("self", Ref(number)), ("dims", (1, 0))))
        if broadcasts(value.shape, wanted):
            return self._call("aten.expand.default", (("self", Ref(number)), ("size", shape)))
        if value.dim() == len(shape) and all(a >= b for a, b in zip(value.shape, shape, strict=True)):
            found: int | None = number
            for dim, (have, want) in enumerate(zip(value.shape, shape, strict=True)):
                if have != want and found is not None:
                    start = self._draws.randrange(have - want + 1)
                    end = start + want if start else want
                    found = self._sliced(found, dim, start, end)
            return found
        if value.numel() < math.prod(shape):
            return None
        self._static = True
        found = self._call("aten.clone.default", (("self", Ref(number)), ("memory_format", None)))
        if found is None or not self._made[found].is_contiguous():
            return None
        found = self._call("aten.view.default", (("self", Ref(found)), ("size", (-1,))))
        if found is not None and value.numel() > math.prod(shape):
            found = self._sliced(found, 0, 0, math.prod(shape))
        if found is None:
            return None
        return self._call("aten.view.default", (("self", Ref(found)), ("size", shape)))

    def _sliced(self, number: int, dim: int, start: int, end: int) -> int | None:
        arguments = (("self", Ref(number)), ("dim", dim), ("start", start), ("end", end), ("step", 1))
        return self._call("aten.slice.Tensor", arguments)

    def _cast(self, number: int, dtype: torch.dtype) -> int | None:
        value: Tensor = self._made[number]
        if value.dtype is dtype:
            return number
        if dtype is torch.bool:
            return self._call("aten.gt.Scalar", (("self", Ref(number)), ("other", 0)))
        if not dtype.is_floating_point and value.is_floating_point():
            clamped = self._call("aten.clamp.default", (("self", Ref(number)), ("min", -50), ("max", 50)))
            if clamped is None:
                return None
            number = clamped
        return self._call("aten._to_copy.default", (("self", Ref(number)), ("dtype", dtype)))

    def _classed(self, number: int, plan: TensorPlan) -> int | None:
        """The value in a value class of the contract."""
        kind, _, bound = plan.values.partition(":")
        floating = plan.dtype.is_floating_point
        found: int | None = number
        if plan.dtype is torch.bool or kind == "any":
            return number
        if kind == "index" and not floating:
            return self._call("aten.remainder.Scalar", (("self", Ref(number)), ("other", int(bound))))
        if not floating:
            return None
        if kind in ("positive", "nonzero"):
            found = self._call("aten.abs.default", (("self", Ref(number)),))
            return None if found is None else self._number("aten.add.Scalar", found, 0.5)
        if kind in ("unit", "small", "finite"):
            found = self._call("aten.tanh.default", (("self", Ref(number)),))
            return None if found is None else self._number("aten.mul.Scalar", found, 0.9)
        if kind == "probability":
            found = self._call("aten.sigmoid.default", (("self", Ref(number)),))
            found = None if found is None else self._number("aten.mul.Scalar", found, 0.9)
            return None if found is None else self._number("aten.add.Scalar", found, 0.05)
        return None

    def _number(self, op: str, number: int, other: float) -> int | None:
        return self._call(op, (("self", Ref(number)), ("other", other)))

    def _write(self) -> bool:
        """A value, or a view of it, is written in place."""
        numbers = [i for i, v in enumerate(self._made) if isinstance(v, Tensor) and v.dtype is torch.float32]
        if not numbers:
            return False
        target = self._draws.choice(numbers)
        value: Tensor = self._made[target]
        op = self._draws.choice(_writers())
        operands = [Ref(self._draws.choice([i for i in numbers if self._made[i].shape == value.shape]))]
        names = [a.name for a in resolve(op.name)._schema.arguments]
        given = [operands[0] if a is None else a for a in op.arguments]
        arguments = tuple(zip(names, (Ref(target), *given), strict=False))
        written = op.name.replace(".", "_.", 2).replace("_.", ".", 1)
        return self._call(op.name, arguments, in_place=written) is not None

    # --- steps ---

    def _call(self, op: str, arguments: tuple[tuple[str, Any], ...], in_place: str = "") -> int | None:
        """Adds a step and returns the number of its first tensor; None where it may not be.

        Values are numbered from 0, arguments from -1 down, until the graph is finished.
        """
        given = {name: self._concrete(a) for name, a in arguments}
        with torch.no_grad():
            functional = resolve(op)(**given)
            results = flatten(functional)
            if not all(_sensible(r) for r in results) or not self._claims(_node(op, given, functional)):
                return None
            if in_place:
                resolve(in_place)(**given)
        if in_place:
            if any(isinstance(v, Tensor) and not _sensible(v) for v in self._made):
                return None
            self._steps.append(Step(in_place, arguments, 0, True))
            return 0
        first = len(self._made)
        self._steps.append(Step(op, arguments, len(results)))
        self._made += results
        return next((first + i for i, r in enumerate(results) if isinstance(r, Tensor)), None)

    def _concrete(self, argument: Any) -> Any:
        if isinstance(argument, Ref):
            number = argument.number
            return self._live[-number - 1] if number < 0 else self._made[number]
        if isinstance(argument, tuple):
            return [self._concrete(a) for a in argument]
        return int(argument) if isinstance(argument, Size) else argument

    def _finished(self) -> Graph:
        count = len(self._inputs)
        read = {r for step in self._steps for r in step.refs}
        tensors = [i for i, v in enumerate(self._made) if isinstance(v, Tensor)]
        ends = [i for i in tensors if i not in read]
        more = self._draws.sample(tensors, min(len(tensors), _FEW))
        results = tuple(dict.fromkeys(i + count for i in [*ends[-6:], *more]))
        steps = tuple(
            replace(s, arguments=tuple((n, _final(a, count)) for n, a in s.arguments)) for s in self._steps
        )
        sizes: tuple[tuple[tuple[int, int], ...], ...] = ()
        dynamic: bool | None = self._draws.choice((False, False, None, True))
        if not self._static and dynamic is not False:
            used = sorted({int(n) for i in self._inputs for n in i.shape if isinstance(n, Size)})
            sizes = (tuple((n, n + 1) for n in used),) if used else ()
        return Graph(tuple(self._inputs), steps, results, sizes, dynamic)


def _final(argument: Any, count: int) -> Any:
    if isinstance(argument, Ref):
        return Ref(-argument.number - 1 if argument.number < 0 else argument.number + count)
    return tuple(_final(a, count) for a in argument) if isinstance(argument, tuple) else argument


def _sensible(value: Any) -> bool:
    """Whether values are finite, not too many and not too large, so that what follows is well conditioned;
    and within their memory, which eager PyTorch does not ask of every view.
    """
    if not isinstance(value, Tensor):
        return True
    if value.is_complex() or not 0 < value.numel() <= 4 * _SMALL:
        return False
    end = value.storage_offset() + extent(tuple(value.shape), value.stride())
    if end * value.element_size() > value.untyped_storage().nbytes():
        return False
    if not value.is_floating_point():
        return True
    return bool(value.isfinite().all()) and float(value.abs().max()) < _LARGE


def _node(op: str, given: dict[str, Any], result: Any) -> Node:
    """The call as a backend is asked about it."""
    bound = bind_arguments(resolve(op), (), given)
    inputs: list[Value] = []

    def as_argument(value: Any) -> Any:
        if isinstance(value, Tensor):
            inputs.append(Value(f"arg{len(inputs)}", tensor_spec(value, role=Role.INPUT)))
            return inputs[-1]
        return tuple(as_argument(v) for v in value) if isinstance(value, list | tuple) else value

    arguments = tuple((name, as_argument(value)) for name, value in bound)
    flat = flatten(result) if isinstance(result, list | tuple) else result
    return make_node("node", op, arguments, flat, Provenance(), {})[0]
