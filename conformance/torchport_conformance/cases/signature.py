"""An operator's arguments as conformance fills them, and a choice on every axis (a :class:`Recipe`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from torchport.contract import shape_rules
from torchport.contract.spec import Operand, OpSpec, Tier
from torchport.errors import ContractError
from torchport_conformance.cases.arguments import names_in
from torchport_conformance.cases.derived import derived_choices
from torchport_conformance.cases.patterns import dims_of, letters_in
from torchport_conformance.cases.sizes import SizeClass
from torchport_conformance.specs import all_specs, defaults_of


@dataclass(frozen=True, slots=True)
class Recipe:
    """One choice on every axis.

    ``dtypes``, ``layouts``, ``broadcasts`` and ``choices`` are per argument; ``fill`` names the arguments
    and what is put in them (``("self,other", "nan@first")``; ``""`` is all of them); ``absent`` are optional
    tensors left at None.
    """

    dtypes: Mapping[str, str]
    ranks: Mapping[str, int]
    size: SizeClass
    layouts: Mapping[str, str] = field(default_factory=dict)
    broadcasts: Mapping[str, str] = field(default_factory=dict)
    fill: tuple[str, str] = ("", "random")
    choices: Mapping[str, int] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Signature:
    """An operator's arguments: schema types by name, in order, and which of them conformance fills."""

    spec: OpSpec
    types: Mapping[str, str]

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """Tensor arguments, list arguments included, that have a shape pattern."""
        return tuple(n for n, o in self.operands.items() if o.pattern is not None)

    @cached_property
    def operands(self) -> Mapping[str, Operand]:
        """Operands in schema order. Where a precondition says what shape one has by that of others, and its
        pattern shares no letter with theirs, that is its pattern.
        """
        found = {n: self.spec.operands[n] for n in self.types if n in self.spec.operands}
        for constraint in self.spec.constraints:
            name, equal, shape = constraint.text.partition(" == ")
            if not equal or name not in found:
                continue
            others = {n: o.pattern for n, o in found.items() if n != name and o.pattern}
            own = _letters(found[name].pattern)
            taken = frozenset[str]().union(*map(_letters, others.values()))
            if own and own.isdisjoint(taken) and not others.keys().isdisjoint(names_in(shape)):
                found[name] = replace(found[name], pattern=f"={shape}")
        return found

    @cached_property
    def choices(self) -> Mapping[str, tuple[Any, ...]]:
        """The contract's choices for each argument that is no tensor, then those that follow from them."""
        return {
            n: (*o.choices, *derived_choices(self.spec, n, self.types[n], o.choices))
            for n, o in self.operands.items()
            if o.pattern is None
        }

    @cached_property
    def choosable(self) -> tuple[str, ...]:
        """Arguments with more than one choice."""
        return tuple(n for n, choices in self.choices.items() if len(choices) > 1)

    @cached_property
    def patterns(self) -> tuple[str, ...]:
        """Shape patterns, in schema order."""
        return tuple(element_pattern(self.operands[n]) for n in self.tensors)

    @cached_property
    def rules(self) -> tuple[shape_rules.ShapeRule, ...]:
        """The preconditions of the canonical operator."""
        return tuple(shape_rules.parse(c.text) for c in self.spec.constraints if c.tier in (None, Tier.ATEN))

    @cached_property
    def shapes(self) -> tuple[shape_rules.ShapeRule, ...]:
        """The shape rule of each result."""
        return tuple(map(shape_rules.parse, self.spec.shape))

    @cached_property
    def defaults(self) -> shape_rules.Bindings:
        """Default values of the schema, as rules see them."""
        return shape_rules.bind(defaults_of(self.spec))

    @cached_property
    def turns(self) -> list[int]:
        """Which of the alternative sizes the operator's constraints allowed, latest last."""
        return [0]

    @cached_property
    def views(self) -> bool:
        """Whether the operator is a view, or the copy of one, which only some strides allow."""
        name = self.spec.name.replace("_copy.", ".")
        return any(
            "view" in entry.layout for entry in (self.spec, all_specs().get(name)) if entry is not None
        )

    @cached_property
    def addresses_storage(self) -> bool:
        """Whether the operator means something else for every layout of its operand."""
        return self.resizes or "storage_offset" in self.types or (self.views and "stride" in self.types)

    @cached_property
    def resizes(self) -> bool:
        """Whether the result is the operand's memory, cut off or continued by memory of any content."""
        return self.spec.name.split(".")[1].startswith("resize")


def _letters(pattern: str | None) -> frozenset[str]:
    """The letters of a pattern that is a list of sizes; none of any other."""
    listed = pattern is not None and pattern.startswith("[") and pattern != "[]" and "*" not in pattern
    return letters_in(tuple(pattern[1:-1].split(", "))) if pattern and listed else frozenset()


def is_list(operand: Operand) -> bool:
    """Whether an operand is a list of tensors."""
    return (operand.pattern or "").startswith("list(")


def element_pattern(operand: Operand) -> str:
    """The shape pattern of an operand; of its elements, where it is a list."""
    pattern = operand.pattern or "[]"
    return pattern[len("list(") : -1] if is_list(operand) else pattern


def signature(spec: OpSpec) -> Signature:
    """The signature of a contract entry."""
    return Signature(spec, {a.name: str(a.real_type) for a in spec.overload._schema.arguments})


def choice_of(sig: Signature, recipe: Recipe, name: str) -> Any:
    """What a recipe puts in an argument that is no tensor.

    Raises:
        ContractError: there is nothing to put.
    """
    choices = sig.choices[name]
    if not choices:
        raise ContractError("conformance has nothing to put in an argument", op=sig.spec.name, got=name)
    return choices[recipe.choices.get(name, 0) % len(choices)]


def letters_of(sig: Signature, ranks: Mapping[str, int]) -> tuple[str, ...]:
    """Letters of all patterns at these ranks, in order of appearance."""
    return _letters_of(sig.patterns, tuple(ranks.items()))


@lru_cache(maxsize=1 << 14)
def _letters_of(patterns: tuple[str, ...], ranks: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for pattern in patterns:
        if pattern.startswith("="):
            continue
        for dim in dims_of(pattern, dict(ranks)):
            found.update(dict.fromkeys(sorted(letters_in((dim,)))))
    return tuple(found)
