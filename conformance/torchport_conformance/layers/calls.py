"""Calls of operators as cases of the layers that run them through ``torch.compile``."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from torchport.contract.dtype_rules import accepted_names
from torchport.contract.spec import Category, OpSpec
from torchport_conformance.cases.assemble import Recipe, Signature, assemble, letters_of, signature
from torchport_conformance.cases.axes import is_tied, tied_last
from torchport_conformance.cases.case import Case, seed_of
from torchport_conformance.cases.classes import compares_many_classes
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.patterns import variadic
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.sizes import SizeClass, base_sizes

_PREFERRED = ("float32", "float64", "int64", "bool")
_ALIKE = (
    ("float16", "bfloat16"),
    ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"),
    ("complex64", "complex128", "complex32"),
    ("int32", "int8", "int16"),
    ("uint8", "uint32", "uint16", "uint64"),
)
"""Dtypes that stand for each other where a layer is not about the arithmetic of one."""


class Breadth(enum.IntEnum):
    """How many calls of an operator a layer takes: one or two, one of each kind, or all."""

    FEW = 0
    SOME = 1
    ALL = 2


def breadth(profile: Profile) -> Breadth:
    """How far a profile goes in the layers that compile each call."""
    if profile.thorough:
        return Breadth.ALL
    return Breadth.FEW if profile.name == "quick" else Breadth.SOME


@dataclass(frozen=True, slots=True)
class CallCase:
    """A call of one operator in a layer other than ``op``.

    ``base`` says which operator, which operands and which other arguments; ``variant`` what the layer does
    with it, as part of the id.
    """

    layer: str
    base: Case
    variant: str = ""

    @property
    def id(self) -> str:
        """``LAYER:OP[...-VARIANT]``."""
        variant = f"-{self.variant}" if self.variant else ""
        return f"{self.layer}:{self.base.id[:-1]}{variant}]"

    @property
    def op(self) -> str:
        """The operator."""
        return self.base.op

    @property
    def dtype(self) -> str:
        """The dtype of the first tensor."""
        return self.base.dtype

    @property
    def layout(self) -> str:
        """The first layout that is not contiguous."""
        return self.base.layout

    @property
    def label(self) -> str | None:
        """The contract label that the call is about."""
        return self.base.label

    @property
    def group(self) -> tuple[Any, ...]:
        """Calls are compiled together with whatever comes beside them, so nothing is shared by a group."""
        return (self.layer, self.op)

    def call(self) -> str:
        """The call as text."""
        return self.base.call() + (f"  # {self.variant}" if self.variant else "")

    def seed(self, run_seed: int) -> int:
        """The seed of the values."""
        return seed_of(self.id, run_seed)


@dataclass(frozen=True, slots=True)
class Setting:
    """A rank of variadic operands, a size class and a layout of all operands, tried together."""

    layout: str
    rank: int
    size: str = "small"


class Calls:
    """Calls of one operator that the contract allows."""

    def __init__(self, spec: OpSpec) -> None:
        self.spec = spec
        self.sig: Signature = signature(spec)
        self.variadic = variadic(self.sig.patterns)

    @property
    def main(self) -> str:
        """The usual dtype of the first tensor; empty for an operator without tensors."""
        return next(iter(self.dtypes), "")

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Dtypes of the first tensor, the usual ones first."""
        if not self.sig.tensors:
            return ()
        accepted = accepted_names(self.spec.dtypes, self.sig.tensors[0])
        return tuple(dict.fromkeys([d for d in _PREFERRED if d in accepted] + list(accepted)))

    def dtypes_in_turn(self, turn: int) -> tuple[str, ...]:
        """The usual dtypes of the first tensor, and one of each set of dtypes that are alike: another one of
        them for other turns.
        """
        standing = []
        for alike in _ALIKE:
            accepted = [d for d in alike if d in self.dtypes]
            standing += [d for d in accepted if d != accepted[turn % len(accepted)]]
        return tuple(d for d in self.dtypes if d == self.main or d not in standing)

    def with_dtype(self, first: str) -> dict[str, str]:
        """A dtype for each tensor when the first has ``first``: the same where it is accepted."""
        rule, found = self.spec.dtypes, dict[str, str]()
        for name in tied_last(self.sig):
            own = rule.accepts.get(name, ())
            if is_tied(self.sig, name):
                found[name] = found.get(own[0].removeprefix("same:"), first)
                continue
            accepted = own or (first,)
            usual = next((d for d in _PREFERRED if d in accepted), accepted[0])
            found[name] = first if first in accepted else usual
        return {name: found[name] for name in self.sig.tensors}

    def recipe(self, dtype: str, rank: int, size: str = "small", **varied: Any) -> Recipe:
        """Contiguous operands; ``size`` is ``small``, ``odd``, or ``unit``, ``empty`` and ``large`` for one
        letter at 1, 0 and past 65,536; ``varied`` are other fields of the recipe.
        """
        ranks = dict.fromkeys(self.variadic, rank)
        letters = letters_of(self.sig, ranks)
        sizes = base_sizes(letters, "odd" if size == "odd" else "small")
        name, special = size, {"unit": 1, "empty": 0, "large": 65537}.get(size)
        if special is not None and letters:
            turn = len(letters) // 2 if size == "unit" else -1
            sizes[letters[turn]] = special
            name = f"{letters[turn]}={special}"
        return Recipe(self.with_dtype(dtype), ranks, SizeClass(name, sizes), **varied)

    def case(self, recipe: Recipe, layout: str = "contiguous") -> Case | None:
        """The call of a recipe with ``layout`` for each operand that can have it; None if the contract allows
        none, no operand has the layout, or it would take minutes.
        """
        if layout not in LAYOUTS:
            return None
        laid = recipe
        if layout != "contiguous":
            laid = replace(recipe, layouts=dict.fromkeys(self.sig.tensors, layout))
        found = assemble(self.sig, laid, layout)
        if found is None or (layout != "contiguous" and found.layout != layout):
            return None
        return None if compares_many_classes(self.spec, found) else found

    def in_settings(self, dtype: str, settings: Sequence[Setting]) -> Iterator[Case]:
        """The calls in settings that the operator has, without repeats."""
        seen: set[str] = set()
        for setting in settings:
            found = self.case(self.recipe(dtype, setting.rank, setting.size), setting.layout)
            if found is not None and found.id not in seen:
                seen.add(found.id)
                yield found


def turn_of(spec: OpSpec) -> int:
    """A number by which operators take turns, of the operator's name alone."""
    return int.from_bytes(sha256(spec.name.encode()).digest()[:4], "big")


def has_tensor_results(spec: OpSpec) -> bool:
    """Whether an operator computes something that a graph can return."""
    return any("Tensor" in str(r.real_type) for r in spec.overload._schema.returns)


def alone_in_a_process(spec: OpSpec) -> bool:
    """Whether an operator can be called without other processes."""
    return spec.category is not Category.COLLECTIVE
