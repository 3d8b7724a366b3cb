"""Generated graphs: plain data that runs as Python, prints as Python, and can be cut down."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.cases.case import TensorPlan
from torchport_conformance.cases.layouts import LAYOUTS, extent
from torchport_conformance.cases.values import draw


class Size(int):
    """A size that may take another value: every equal ``Size`` of a graph then takes it."""


@dataclass(frozen=True, slots=True)
class Ref:
    """The value with a number: arguments come first, then the results of each step."""

    number: int


@dataclass(frozen=True, slots=True)
class Input:
    """An argument. ``values`` is a value class of the contract; ``data`` its values instead, row-major."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    layout: str = "contiguous"
    values: str = "any"
    seed: int = 0
    grad: bool = False
    data: tuple[Any, ...] | None = None

    def tensor(self) -> Tensor:
        """The argument, made anew; memory around it is poison."""
        if self.data is None:
            plan = TensorPlan(
                tuple(int(n) for n in self.shape), tuple(self.shape), self.dtype, values=self.values
            )
            flat = draw(plan, torch.Generator().manual_seed(self.seed))
        else:
            flat = torch.tensor(self.data, dtype=self.dtype).reshape(self.shape)
        rule = LAYOUTS[self.layout]
        if self.layout != "contiguous" and rule.applies(len(self.shape)):
            strides = rule.strides(self.shape)
            size = extent(self.shape, strides) + rule.offset + 3
            poison = math.nan if self.dtype.is_floating_point else 99
            whole = torch.full((size,), poison).to(self.dtype)
            flat = whole.as_strided(tuple(self.shape), strides, rule.offset).copy_(flat)
        return flat.requires_grad_(self.grad)


@dataclass(frozen=True, slots=True)
class Step:
    """A call of an operator: ``arguments`` by name, tensors as :class:`Ref`; ``count`` results, of which some
    may be no tensors. ``in_place`` steps have none.
    """

    op: str
    arguments: tuple[tuple[str, Any], ...]
    count: int
    in_place: bool = False

    @property
    def refs(self) -> tuple[int, ...]:
        """Numbers of the values that it reads."""
        return tuple(_refs(tuple(a for _, a in self.arguments)))


@dataclass(frozen=True, slots=True)
class Graph:
    """A whole graph. ``results`` are numbers of values; ``sizes`` are further sizes that it is called with,
    each a map from its own; ``dynamic`` is as for ``torch.compile``.
    """

    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    sizes: tuple[tuple[tuple[int, int], ...], ...] = ()
    dynamic: bool | None = False

    @property
    def ops(self) -> tuple[str, ...]:
        """The operators, in order."""
        return tuple(step.op for step in self.steps)

    def first_of(self, step: int) -> int:
        """The number of a step's first result."""
        return len(self.inputs) + sum(s.count for s in self.steps[:step])

    def resized(self, sizes: Mapping[int, int]) -> Graph:
        """The graph with other sizes; arguments with values of their own keep the first of them."""
        inputs = tuple(_resized(i, sizes) for i in self.inputs)
        steps = tuple(
            replace(s, arguments=tuple((n, _mapped(a, sizes)) for n, a in s.arguments)) for s in self.steps
        )
        return replace(self, inputs=inputs, steps=steps)

    def source(self) -> str:
        """The program as Python, a function of its arguments."""
        names = [f"x{i}" for i in range(len(self.inputs))]
        lines = [f"def program({', '.join(names)}):"]
        written: dict[int, str] = {}
        for i, given in enumerate(self.inputs):
            for d, n in enumerate(given.shape):
                if isinstance(n, Size) and int(n) not in written:
                    written[int(n)] = f"s{int(n)}"
                    lines.append(f"    s{int(n)} = x{i}.shape[{d}]")
        for step in self.steps:
            outs = [f"v{len(names) + i}" for i in range(step.count)]
            names += outs
            call = f"torch.ops.{step.op}({', '.join(_text(n, a, names, written) for n, a in step.arguments)})"
            to = f"{', '.join(outs)} = " if outs else ""
            lines.append(f"    {to}{call}")
        lines.append(f"    return ({', '.join(names[r] for r in self.results)},)")
        return "\n".join(lines) + "\n"

    def function(self) -> Callable[..., Any]:
        """The program."""
        scope: dict[str, Any] = {"torch": torch, "inf": math.inf, "nan": math.nan}
        exec(compile(self.source(), "<generated graph>", "exec"), scope)
        made: Callable[..., Any] = scope["program"]
        return made

    def reproducer(self, compiler: str, seed: str) -> str:
        """A program that runs as pasted: it compiles the graph and prints what differs from eager."""
        lines = ["import torch", "from math import inf, nan", "", f"# {seed}", self.source(), ""]
        lines += ["def arguments():", "    return ["]
        lines += [f"        {_input_text(i)}," for i in self.inputs]
        lines += [
            "    ]",
            "",
            "",
            f"compiled = torch.compile(program, backend={compiler}, dynamic={self.dynamic})",
        ]
        lines += ["ours, eager = arguments(), arguments()", "got, wanted = compiled(*ours), program(*eager)"]
        lines += ["for a, b in zip([*got, *ours], [*wanted, *eager]):"]
        lines += ["    torch.testing.assert_close(a, b, equal_nan=True, check_stride=True)"]
        if any(i.grad for i in self.inputs):
            lines += [
                "for results, given in ((got, ours), (wanted, eager)):",
                "    sum(r.double().sum() for r in results if r.requires_grad).backward()",
                "for a, b in zip(ours, eager):",
                "    torch.testing.assert_close(a.grad, b.grad, equal_nan=True)",
            ]
        return "\n".join(lines) + "\n"


def live(graph: Graph) -> Graph:
    """The graph without steps and arguments that nothing reads."""
    needed = set(graph.results)
    kept: list[int] = []
    for index in range(len(graph.steps) - 1, -1, -1):
        step, first = graph.steps[index], graph.first_of(index)
        if step.in_place or needed & set(range(first, first + step.count)):
            kept.append(index)
            needed |= set(step.refs)
    kept.reverse()
    numbers: dict[int, int] = {}
    inputs = [i for i in range(len(graph.inputs)) if i in needed]
    for i in inputs:
        numbers[i] = len(numbers)
    for index in kept:
        for k in range(graph.steps[index].count):
            numbers[graph.first_of(index) + k] = len(numbers)
    return replace(
        graph,
        inputs=tuple(graph.inputs[i] for i in inputs),
        steps=tuple(renumbered(graph.steps[i], numbers) for i in kept),
        results=tuple(numbers[r] for r in graph.results),
    )


def renumbered(step: Step, numbers: Mapping[int, int]) -> Step:
    """A step that reads other numbers."""
    arguments = tuple((n, _swapped(a, numbers)) for n, a in step.arguments)
    return replace(step, arguments=arguments)


def _swapped(argument: Any, numbers: Mapping[int, int]) -> Any:
    if isinstance(argument, Ref):
        return Ref(numbers[argument.number])
    return tuple(_swapped(a, numbers) for a in argument) if isinstance(argument, tuple) else argument


def _refs(argument: Any) -> Iterator[int]:
    if isinstance(argument, Ref):
        yield argument.number
    elif isinstance(argument, tuple):
        for item in argument:
            yield from _refs(item)


def _mapped(argument: Any, sizes: Mapping[int, int]) -> Any:
    if isinstance(argument, Size):
        return Size(sizes.get(int(argument), int(argument)))
    return tuple(_mapped(a, sizes) for a in argument) if isinstance(argument, tuple) else argument


def _resized(given: Input, sizes: Mapping[int, int]) -> Input:
    shape = tuple(Size(sizes.get(int(n), int(n))) if isinstance(n, Size) else n for n in given.shape)
    data = given.data
    if data is not None:
        values = list(data) * (math.prod(shape) // max(len(data), 1) + 1)
        data = tuple(values[: math.prod(shape)])
    return replace(given, shape=shape, data=data)


def _text(name: str, argument: Any, names: list[str], sizes: Mapping[int, str]) -> str:
    return f"{name}={_value(argument, names, sizes)}"


def _value(argument: Any, names: list[str], sizes: Mapping[int, str]) -> str:
    if isinstance(argument, Ref):
        return names[argument.number]
    if isinstance(argument, Size):
        return sizes.get(int(argument), str(int(argument)))
    if isinstance(argument, tuple):
        return f"[{', '.join(_value(a, names, sizes) for a in argument)}]"
    return repr(argument)


def _input_text(given: Input) -> str:
    tensor = given.tensor().detach()
    flat = tensor.reshape(-1).tolist()
    text = f"torch.tensor({flat}, dtype={given.dtype}).reshape({tuple(int(n) for n in given.shape)})"
    if not tensor.is_contiguous():
        place = f"torch.empty_strided({tuple(tensor.shape)}, {tensor.stride()}, dtype={given.dtype})"
        text = f"{place}.copy_({text})"
    return f"{text}.requires_grad_()" if given.grad else text
