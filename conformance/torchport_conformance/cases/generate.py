"""Cases of an operator, from its contract entry alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import torch

from torchport.contract.dtype_rules import accepted_names, dtype_from_name
from torchport.contract.spec import Category, OpSpec
from torchport_conformance.cases.assemble import Recipe, Signature, assemble, letters_of, signature
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.patterns import BROADCASTS, parse, variadic
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.sizes import SizeClass, base_sizes, size_classes
from torchport_conformance.cases.values import POSITIONS, SPECIAL

_PREFERRED = ("float32", "float64", "int64", "bool")
_USUAL = ("float16", "bfloat16", "int32", "uint8", "complex64")
"""Further dtypes that a quick walk takes; a thorough one takes all that are accepted."""
_FREE_VALUES = ("any", "small", "positive", "nonzero", "unit")
_UNDEFINED_INPUTS = (Category.CONVERSION, Category.RANDOM, Category.LINEAR_ALGEBRA, Category.TRANSFORM)
"""Categories in which a special value has no defined result: a NaN converted to an integer, or factored,
which LAPACK may refuse or not survive.
"""


def cases_for(spec: OpSpec, profile: Profile) -> tuple[Case, ...]:
    """Every case of one operator in a profile, without repeats, in a fixed order.

    None where :func:`reason_without_cases` says why.
    """
    if reason_without_cases(spec):
        return ()
    found: dict[str, Case] = {}
    for case in _Walk(signature(spec), profile).cases():
        found.setdefault(case.id, case)
    return tuple(found.values())


def reason_without_cases(spec: OpSpec) -> str:
    """Why an operator is not tested by cases of its own; empty where it is."""
    if spec.category is Category.COLLECTIVE:
        return "a collective needs a process group: collectives are tested with the system layer"
    if not any("Tensor" in str(r.real_type) for r in spec.overload._schema.returns):
        return "there is no tensor result, and so nothing that a region writes"
    return ""


class _Walk:
    """Walks the axes of one operator."""

    def __init__(self, sig: Signature, profile: Profile) -> None:
        self.sig, self.profile = sig, profile
        self.variadic = variadic(sig.patterns)
        self.turn = 0

    def cases(self) -> Iterator[Case]:
        """Cases, simplest first."""
        main, *others = self.dtype_choices()
        yield from self.sizes(main)
        yield from self.fills(main)
        yield from self.layouts(main)
        yield from self.broadcasts(main)
        yield from self.absences(main)
        yield from self.choices(main)
        for dtypes in others:
            if self.profile.thorough:
                yield from self.sizes(dtypes)
                yield from self.layouts(dtypes)
                yield from self.choices(dtypes)
            else:
                yield from self.few_sizes(dtypes)
            yield from self.fills(dtypes, few=not self.profile.thorough)
        for dtypes in self.mixed_dtypes(main):
            yield from self.promotions(dtypes)

    # --- axes ---

    def dtype_choices(self) -> list[dict[str, str]]:
        """A dtype for every tensor argument, for each that the first one accepts, the usual ones first."""
        if not self.sig.tensors:
            return [{}]
        accepted = accepted_names(self.sig.spec.dtypes, self.sig.tensors[0])
        rest = [d for d in accepted if d not in _PREFERRED and (self.profile.thorough or d in _USUAL)]
        ordered = [d for d in _PREFERRED if d in accepted] + rest
        return [self.dtypes_with(name) for name in ordered] or [self.dtypes_with("float32")]

    def dtypes_with(self, first: str) -> dict[str, str]:
        """Dtypes of all tensor arguments when the first has ``first``: the same where accepted, else the
        usual one.
        """
        rule = self.sig.spec.dtypes
        found: dict[str, str] = {}
        for name in self.sig.tensors:
            own = rule.accepts.get(name, ())
            if own and own[0].startswith("same:"):
                found[name] = found.get(own[0].removeprefix("same:"), first)
                continue
            accepted = own or (first,)
            usual = next((d for d in _PREFERRED if d in accepted), accepted[0])
            found[name] = first if first in accepted else usual
        return found

    def mixed_dtypes(self, main: Mapping[str, str]) -> Iterator[dict[str, str]]:
        """Pairs of dtypes that differ, where an operator promotes."""
        if (
            not any(r.startswith("promote") for r in self.sig.spec.dtypes.results)
            or len(self.sig.tensors) < 2
        ):
            return
        first, second = self.sig.tensors[-2:]
        accepted = [accepted_names(self.sig.spec.dtypes, n) for n in (first, second)]
        pairs = [("float32", "int64"), ("int32", "float32"), ("float16", "float32"), ("bool", "int32")]
        if self.profile.thorough:
            pairs = [(a, b) for a, b in product(*accepted) if a != b]
        for a, b in pairs:
            if a in accepted[0] and b in accepted[1]:
                yield {**main, first: a, second: b}

    def ranks(self, rank: int) -> dict[str, int]:
        """The same rank for every variadic part."""
        return dict.fromkeys(self.variadic, rank)

    @property
    def all_ranks(self) -> Sequence[int]:
        """Ranks to walk; one when no operand has a variadic part."""
        return self.profile.ranks if self.variadic else self.profile.ranks[:1]

    def base(self, dtypes: Mapping[str, str], rank: int, size: str = "small") -> Recipe:
        """Contiguous operands with random values and the first choices."""
        ranks = self.ranks(rank)
        return Recipe(dtypes, ranks, SizeClass(size, base_sizes(letters_of(self.sig, ranks), size)))

    def make(self, recipe: Recipe, layout: str = "contiguous") -> Iterator[Case]:
        """The recipe's case, if the contract allows one."""
        case = assemble(self.sig, recipe, layout)
        if case is not None:
            yield case

    # --- walks ---

    def sizes(self, dtypes: Mapping[str, str]) -> Iterator[Case]:
        """Every size class at the first rank; the ordinary ones at the other ranks, 0 included."""
        first = self.all_ranks[0]
        recipe = self.base(dtypes, first)
        letters = letters_of(self.sig, recipe.ranks)
        for size in size_classes(letters, self.profile.edges, every_letter=self.profile.thorough):
            yield from self.make(replace(recipe, size=size))
        if self.variadic:
            yield from self.make(self.base(dtypes, 0))
        for rank in self.all_ranks[1:]:
            yield from self.make(self.base(dtypes, rank))
            if self.profile.thorough:
                yield from self.make(self.base(dtypes, rank, "odd"))

    def few_sizes(self, dtypes: Mapping[str, str]) -> Iterator[Case]:
        """Two sizes that one compiled region serves."""
        for size in ("small", "odd"):
            yield from self.make(self.base(dtypes, self.all_ranks[0], size))

    def fills(self, dtypes: Mapping[str, str], *, few: bool = False) -> Iterator[Case]:
        """Special values in each operand on its own, first and last; extremes; ties where order matters."""
        spec = self.sig.spec
        recipe = self.base(dtypes, self.all_ranks[0], "odd")
        if spec.category is Category.RANDOM:
            return
        for name in self.sig.tensors:
            for fill in self.fills_of(name, dtype_from_name(dtypes[name]), few=few):
                yield from self.make(replace(recipe, fill=(name, fill)))
        if spec.category is Category.ORDER or spec.numerics.kind == "order":
            yield from self.make(replace(recipe, fill=(self.sig.tensors[0], "ties")))

    def fills_of(self, name: str, dtype: torch.dtype, *, few: bool) -> Iterator[str]:
        """What is put into one operand, where its value class leaves that free."""
        spec = self.sig.spec
        if spec.operands[name].values not in _FREE_VALUES:
            return
        if dtype.is_floating_point and spec.category not in _UNDEFINED_INPUTS:
            for special, position in product(SPECIAL, POSITIONS):
                usual = (special in ("nan", "inf")) == (position == "first")
                if self.profile.thorough or (special == "nan" and position == "first" if few else usual):
                    yield f"{special}@{position}"
        # Values that the contract keeps small are so for a reason: sin(2**53) is noise in float32.
        bounded = not dtype.is_complex and dtype is not torch.bool and spec.operands[name].values != "small"
        if bounded and spec.category is Category.ELEMENTWISE and not (few and name != self.sig.tensors[0]):
            yield "extreme"

    def layouts(self, dtypes: Mapping[str, str]) -> Iterator[Case]:
        """Each operand's layout on its own, then all alike; a thorough walk does so at every rank."""
        names = self.sig.tensors
        strided = [layout for layout in self.profile.layouts if layout != "contiguous"]
        for turn, layout in enumerate(strided):
            for assignment in self.assignments(names, layout, turn, strided):
                for recipe in self.layout_bases(dtypes, turn):
                    yield from self.make(replace(recipe, layouts=assignment), _layout_text(names, assignment))

    def assignments(
        self, names: Sequence[str], layout: str, turn: int, strided: Sequence[str]
    ) -> Iterator[dict[str, str]]:
        """Which operand gets which layout."""
        if self.profile.thorough:
            for name in names:
                yield {name: layout}
            if len(names) > 1:
                yield dict.fromkeys(names, layout)
            return
        if names:
            # One operand at a time has the layout; every other one has the next layout of the list, or is
            # contiguous.
            target = names[turn % len(names)]
            other = strided[(turn + 1) % len(strided)] if turn % 2 else "contiguous"
            yield {name: layout if name == target else other for name in names}
            if len(names) > 1:
                second = names[(turn + 1) % len(names)]
                yield {second: layout}

    def layout_bases(self, dtypes: Mapping[str, str], turn: int) -> Iterator[Recipe]:
        """Ranks and sizes that layouts are tried at."""
        if self.profile.thorough:
            for rank, size in product(self.all_ranks, ("small", "odd")):
                yield self.base(dtypes, rank, size)
            return
        for size in ("small", "odd"):
            recipe = self.base(dtypes, self.all_ranks[turn % 2 % len(self.all_ranks)], size)
            yield replace(recipe, choices=dict.fromkeys(self.sig.choosable, turn))

    def broadcasts(self, dtypes: Mapping[str, str]) -> Iterator[Case]:
        """Every way in which an operand that may broadcast relates to the others."""
        for name, how in product(self.broadcastable(), BROADCASTS[1:]):
            for size in ("small", "odd"):
                recipe = self.base(dtypes, self.all_ranks[0], size)
                yield from self.make(replace(recipe, broadcasts={name: how}))

    def broadcastable(self) -> list[str]:
        """Operands that may broadcast."""
        patterns = zip(self.sig.tensors, self.sig.patterns, strict=True)
        return [
            name
            for name, pattern in patterns
            if not pattern.startswith("=") and any(i.kind == "broadcast" for i in parse(pattern))
        ]

    def promotions(self, dtypes: Mapping[str, str]) -> Iterator[Case]:
        """Mixed dtypes with equal shapes, and with the second operand 0-dimensional, which promotes
        differently.
        """
        recipe = self.base(dtypes, self.all_ranks[0])
        yield from self.make(recipe)
        for name in self.broadcastable():
            yield from self.make(replace(recipe, broadcasts={name: "scalar"}))

    def absences(self, dtypes: Mapping[str, str]) -> Iterator[Case]:
        """Optional tensors left out, each on its own and all together."""
        optional = [n for n in self.sig.tensors if self.sig.operands[n].optional]
        recipe = self.base(dtypes, self.all_ranks[0])
        for absent in [{n} for n in optional] + ([set(optional)] if len(optional) > 1 else []):
            yield from self.make(replace(recipe, absent=frozenset(absent)))

    def choices(self, dtypes: Mapping[str, str]) -> Iterator[Case]:
        """Every choice of every argument; in a thorough walk every pair, else each on its own."""
        names = self.sig.choosable
        counts = {n: len(self.sig.operands[n].choices) for n in names}
        ranks = self.all_ranks[:2] if self.profile.thorough else self.all_ranks[:1]
        for rank in ranks:
            recipe = self.base(dtypes, rank)
            for name in names:
                for choice in range(counts[name]):
                    yield from self.make(replace(recipe, choices={name: choice}))
            if self.profile.thorough:
                for a, b in product(names, names):
                    if a < b:
                        for i, j in product(range(counts[a]), range(counts[b])):
                            yield from self.make(replace(recipe, choices={a: i, b: j}))


def _layout_text(names: Sequence[str], assignment: Mapping[str, str]) -> str:
    layouts = {name: assignment.get(name, "contiguous") for name in names}
    if len(set(layouts.values())) == 1:
        return next(iter(layouts.values()))
    return ",".join(f"{layout}({name})" for name, layout in layouts.items() if layout != "contiguous")
