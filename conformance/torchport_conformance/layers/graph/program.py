"""Programs: what is compiled, the calls that it is judged on, and families of programs over axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import torch
from torch import Tensor

from torchport_conformance.cases.layouts import LAYOUTS, extent
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.layers.graph.case import GraphCase

_FULL, _STRIDE = 2, 7919
Fn = Callable[..., Any]
Choices = Mapping[str, str]


class Draws:
    """Makes the tensors of a call; equal seeds give equal values on every device.

    Args:
        seed: of the values.
        device: where the tensors are.
    """

    def __init__(self, seed: int, device: str = "cpu") -> None:
        self._generator, self.device = torch.Generator().manual_seed(seed % 2**63), device

    def normal(self, dtype: torch.dtype, *shape: int) -> Tensor:
        """Normal values; small integers of integer dtypes, both values of bool."""
        if dtype is torch.bool:
            return torch.randint(0, 2, shape, generator=self._generator).bool().to(self.device)
        if not (dtype.is_floating_point or dtype.is_complex):
            low = 0 if not dtype.is_signed else -9
            return torch.randint(low, 10, shape, generator=self._generator).to(dtype).to(self.device)
        if dtype.is_complex:
            parts = [torch.randn(shape, generator=self._generator, dtype=torch.float64) for _ in range(2)]
            return torch.complex(*parts).to(dtype).to(self.device)
        return torch.randn(shape, generator=self._generator, dtype=torch.float64).to(dtype).to(self.device)

    def unit(self, dtype: torch.dtype, *shape: int) -> Tensor:
        """Values in [0.25, 0.75), which nearly every function takes; as :meth:`normal` of other dtypes."""
        if not dtype.is_floating_point:
            return self.normal(dtype, *shape)
        drawn = torch.rand(shape, generator=self._generator, dtype=torch.float64)
        return (0.25 + 0.5 * drawn).to(dtype).to(self.device)

    def leaf(self, dtype: torch.dtype, *shape: int) -> Tensor:
        """Normal values that require a gradient."""
        return self.normal(dtype, *shape).requires_grad_(dtype.is_floating_point)

    def index(self, high: int, *shape: int, dtype: torch.dtype = torch.int64) -> Tensor:
        """Integers in [0, high)."""
        return torch.randint(0, high, shape, generator=self._generator).to(dtype).to(self.device)

    def count(self, dtype: torch.dtype, *shape: int) -> Tensor:
        """0, 1, 2, ... in a shape."""
        return torch.arange(math.prod(shape)).to(dtype).reshape(shape).to(self.device)

    def laid_out(self, tensor: Tensor, layout: str) -> Tensor:
        """The same values in a layout class, inside poison; as they are where the layout does not apply."""
        rule = LAYOUTS[layout]
        if not rule.applies(tensor.dim()) or rule.overlaps:
            return tensor
        strides = rule.strides(tuple(tensor.shape))
        size = extent(tuple(tensor.shape), strides) + rule.offset + 3
        poison = float("nan") if tensor.is_floating_point() or tensor.is_complex() else 99
        whole = torch.full((size,), poison, device=tensor.device).to(tensor.dtype)
        return whole.as_strided(tensor.shape, strides, rule.offset).copy_(tensor)


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a compiled object.

    ``arguments`` makes its arguments anew; ``change`` alters the program before it; ``context`` is what it
    runs in. ``text`` says what is different from the call before.
    """

    arguments: Callable[[Draws], Sequence[Any]]
    text: str = ""
    change: Callable[[Any], None] = lambda program: None
    context: Callable[[], AbstractContextManager[Any]] = nullcontext


@dataclass(frozen=True, eq=False)
class Program:
    """What is compiled and how it is called.

    Attributes:
        make: makes the program, with state of its own.
        calls: in order, all through one compiled object.
        dynamic: as for ``torch.compile``.
        law: judges random results instead of eager's values: takes the results of all calls and returns what
            is wrong, empty if nothing is.
        compares_eager: judge float values by eager's own bits, for programs that only move them.
    """

    make: Callable[[], Fn]
    calls: Sequence[Call]
    dynamic: bool | None = False
    law: Callable[[Sequence[Any]], str] | None = None


def stateless(fn: Fn, *calls: Call, dynamic: bool | None = False) -> Program:
    """A program that is a function."""
    return Program(lambda: fn, calls, dynamic)


def one(fn: Fn, arguments: Callable[[Draws], Sequence[Any]], *, dynamic: bool | None = False) -> Program:
    """A function and a single call."""
    return Program(lambda: fn, (Call(arguments),), dynamic)


@dataclass(frozen=True, eq=False)
class Family:
    """Programs of one name over a product of axes.

    Attributes:
        kind: group of the family, as in ids.
        name: its name.
        axes: choices of each axis; the profile ``full`` has their product, or an even part of a large one.
        build: makes the program of one combination.
        quick: combinations of the profile ``quick``; ``training`` has :attr:`more` times as many.
        more: see ``quick``.
        trains: it is about gradients, and not part of the profile ``inference``.
        applies: whether a combination makes sense.
    """

    kind: str
    name: str
    axes: Mapping[str, Sequence[str]]
    build: Callable[[Choices], Program]
    quick: int = 1
    more: int = 12
    trains: bool = False
    applies: Callable[[Choices], bool] = field(default=lambda choices: True)

    def cases(self, profile: Profile) -> Iterator[GraphCase]:
        """The family's cases in a profile, in a fixed order."""
        if self.trains and profile.name == "inference":
            return
        whole = [c for c in self._product() if self.applies(dict(c))]
        if profile.name == "full":
            most = _FULL * self.quick * self.more
            # A prime stride reaches every choice early; whole families stay whole.
            chosen = whole if len(whole) <= most else [whole[i * _STRIDE % len(whole)] for i in range(most)]
            yield from (GraphCase(self.kind, self.name, axes) for axes in chosen)
            return
        limit = self.quick if profile.name == "quick" else self.quick * self.more
        for axes in spread(whole, limit):
            yield GraphCase(self.kind, self.name, axes)

    def _product(self) -> Iterator[tuple[tuple[str, str], ...]]:
        for combination in product(*self.axes.values()):
            yield tuple(zip(self.axes, combination, strict=True))


def spread(whole: Sequence[tuple[tuple[str, str], ...]], limit: int) -> list[tuple[tuple[str, str], ...]]:
    """At most ``limit`` combinations, chosen so that new choices come as early as possible."""
    if limit >= len(whole):
        return list(whole)
    chosen: list[int] = []
    seen: dict[tuple[str, str], int] = {}
    left = list(range(len(whole)))
    for _ in range(limit):
        # Choices that were taken least come first; of equals, those far from the last one.
        best = min(left, key=lambda i: (sum(seen.get(c, 0) for c in whole[i]), (i * 7919) % len(whole)))
        chosen.append(best)
        left.remove(best)
        for choice in whole[best]:
            seen[choice] = seen.get(choice, 0) + 1
    return [whole[i] for i in sorted(chosen)]


class Kind:
    """The families of one kind; kind modules add to one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.families: dict[str, Family] = {}

    def family(self, _name: str = "", **options: Any) -> Callable[[Callable[[Choices], Program]], Family]:
        """A decorator that makes a function of choices a family; options are those of :class:`Family`, axes
        are given as ``axes``.
        """

        def register(build: Callable[[Choices], Program]) -> Family:
            name = _name or build.__name__
            made = Family(self.name, name, build=build, **options)
            self.families[name] = made
            return made

        return register
