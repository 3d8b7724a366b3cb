"""The axes along which the calls of one operator are varied, from its contract entry alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from torchport.contract.dtype_rules import accepted_names
from torchport_conformance.cases.assemble import Row
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.patterns import BROADCASTS, parse, variadic
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.signature import Recipe, Signature, letters_of
from torchport_conformance.cases.sizes import SMALL, SizeClass

DTYPE_CLASSES = (
    ("float32",),
    ("float64",),
    ("float16", "bfloat16"),
    ("int64",),
    ("int32", "int16", "int8", "uint8"),
    ("bool",),
    ("complex64", "complex128"),
    ("uint16", "uint32", "uint64", "complex32"),
)
"""Dtypes that kernels tend to treat alike; all others are one more class."""
LAYOUT_CLASSES = (
    ("contiguous",),
    ("step2",),
    ("transposed",),
    ("rows2", "columns", "scattered"),
    ("permuted", "channel_slice", "reversed", "channels_last"),
    ("expanded",),
    ("windows", "expanded_last", "expanded_middle"),
    ("offset7", "offset1", "offset4"),
)
LAYOUT_LEVELS = (
    ("contiguous", "offset7", "offset1", "offset4"),
    ("step2", "rows2", "columns", "scattered"),
    ("transposed", "permuted", "channel_slice", "reversed", "channels_last"),
    ("expanded", "windows", "expanded_last", "expanded_middle"),
)
"""Layouts that take turns where those of several operands meet."""
_FEW_LAYOUTS = (
    ("scattered",),
    ("channels_last", "transposed", "permuted", "channel_slice", "reversed"),
    ("expanded_last", "windows", "expanded", "expanded_middle"),
)
"""Layouts in which most wrong ways to read memory show at once, for profiles with few cases."""
USUAL = ("float32", "float64", "int64", "bool")
"""What an operand has that does not take the dtype of the first, in order of preference."""


@dataclass(frozen=True, slots=True)
class Axis:
    """``kind`` is ``dtype``, ``own dtype``, ``layout``, ``broadcast``, ``choice`` or ``absent``, ``of``
    the argument. A level is one or more values that count as the same; they are taken in turn.
    """

    kind: str
    of: str
    levels: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes of one operator in a profile."""

    sig: Signature
    profile: Profile
    _rows: dict[int, Case | None] = field(default_factory=dict)

    @cached_property
    def variadic(self) -> tuple[str, ...]:
        """Parts of the shape patterns that may have any rank."""
        return variadic(self.sig.patterns)

    @cached_property
    def dtypes(self) -> tuple[str, ...]:
        """Dtypes of the first tensor, the usual ones first; one that means nothing where there is none."""
        if not self.sig.tensors:
            return ("float32",)
        accepted = accepted_names(self.sig.spec.dtypes, self.sig.tensors[0])
        ordered = tuple(dict.fromkeys([*(d for d in USUAL if d in accepted), *accepted])) or ("float32",)
        return tuple(d for d in ordered if self._computes(d)) or ordered[:1]

    def _computes(self, dtype: str) -> bool:
        """Whether the operator computes where every operand has a dtype that may have it."""
        if not self.sig.spec.dtypes.computes and not self.sig.spec.constraints:
            return True
        dtypes = self.dtypes_with(dtype)
        for rank in self.ranks:
            plain = Recipe(dtypes, dict.fromkeys(self.variadic, rank), SizeClass("small", {}))
            if any(self._exists(replace(plain, absent=absent)) for absent in self._absences(plain)):
                return True
        return False

    def _exists(self, recipe: Recipe) -> bool:
        """Whether the contract has a call of a recipe."""
        row = Row(self.sig, recipe)
        return row.case(SMALL.of(row.letters)) is not None

    def _absences(self, recipe: Recipe) -> Iterator[frozenset[str]]:
        """Which optional operands may be absent in a recipe: as it says, then all other ways."""
        yield recipe.absent
        optional = [n for n in self.sig.tensors if self.sig.operands[n].optional]
        for count in range(len(optional) + 1):
            yield from map(frozenset, combinations(optional, count))

    @cached_property
    def coupled(self) -> bool:
        """Whether some optional operands have to be absent where other arguments are as they are first."""
        plain = Recipe(self.dtypes_with(self.dtypes[0]), {}, SizeClass("small", {}))
        ranked = (replace(plain, ranks=dict.fromkeys(self.variadic, rank)) for rank in (*self.ranks, 0))
        return any(self.sig.operands[n].optional for n in self.sig.tensors) and not any(
            map(self._exists, ranked)
        )

    @cached_property
    def dtype_classes(self) -> tuple[tuple[str, ...], ...]:
        """The dtypes of the first tensor by class."""
        return _split(self.dtypes, DTYPE_CLASSES)

    def dtypes_with(self, first: str, own: Mapping[str, str] | None = None) -> dict[str, str]:
        """Dtypes of all tensor arguments when the first has ``first``: the same where accepted, else the
        usual one; ``own`` are dtypes of single operands.
        """
        rule, found = self.sig.spec.dtypes, dict[str, str]()
        for name in tied_last(self.sig):
            accepted = rule.accepts.get(name, ())
            chosen = (own or {}).get(name)
            if chosen is not None:
                found[name] = chosen
            elif is_tied(self.sig, name):
                found[name] = found.get(accepted[0].removeprefix("same:"), first)
            else:
                usual = next((d for d in USUAL if d in accepted), (accepted or (first,))[0])
                found[name] = first if not accepted or first in accepted else usual
        return {name: found[name] for name in self.sig.tensors}

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """Ranks of the parts of any rank, the main one first; one where there are no such parts."""
        return self.profile.ranks if self.variadic else self.profile.ranks[:1]

    @cached_property
    def main_rank(self) -> int:
        """The first rank at which the contract has a call."""
        return next((rank for rank in (*self.ranks, 0) if self.plain(rank) is not None), self.ranks[0])

    def plain(self, rank: int) -> Case | None:
        """The plainest case of a rank."""
        if rank not in self._rows:
            row = Row(self.sig, self.recipe(rank=rank))
            self._rows[rank] = row.case(SMALL.of(row.letters))
        return self._rows[rank]

    def recipe(self, *, rank: int | None = None, dtype: str | None = None, **varied: Any) -> Recipe:
        """A recipe of contiguous operands with the first choices, save for what is given."""
        ranks = dict.fromkeys(self.variadic, self.main_rank if rank is None else rank)
        dtypes = varied.pop("dtypes", None) or self.dtypes_with(dtype or self.dtypes[0])
        made = Recipe(dtypes, ranks, SizeClass("small", {}), **varied)
        if not self.coupled:
            return made
        fitting = (replace(made, absent=absent) for absent in self._absences(made))
        return next(filter(self._exists, fitting), made)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Letters of the patterns at the main rank."""
        return letters_of(self.sig, dict.fromkeys(self.variadic, self.main_rank))

    @cached_property
    def variadic_letters(self) -> frozenset[str]:
        """Letters of the first dimension of the parts of any rank."""
        return frozenset(f"{name}0" for name in self.variadic)

    @cached_property
    def letters_of_any_rank(self) -> frozenset[str]:
        """Letters of the parts of any rank, at the largest rank."""
        return frozenset(f"{name}{i}" for name in self.variadic for i in range(max(self.ranks)))

    @cached_property
    def operand_ranks(self) -> Mapping[int, Mapping[str, int]]:
        """The rank of each operand at every rank at which the contract has a plain call."""
        found: dict[int, dict[str, int]] = {}
        for rank in (*self.ranks, *((0,) if self.variadic else ())):
            case = self.plain(rank)
            if case is not None:
                found[rank] = {n.partition("[")[0]: len(plan.shape) for n, plan in case.tensors()}
        return found

    def layouts_of(self, name: str) -> tuple[str, ...]:
        """Layouts that an operand can have at some rank, contiguous first."""
        ranks = {ranks.get(name, 0) for ranks in self.operand_ranks.values()}
        return tuple(
            n for n, layout in LAYOUTS.items() if any(map(layout.applies, ranks)) and not layout.of_units
        )

    def rank_for(self, layouts: Mapping[str, str], wanted: int) -> int:
        """The rank nearest after ``wanted`` at which most operands can have their layouts."""
        known = list(self.operand_ranks) or [wanted]
        start = known.index(wanted) if wanted in known else 0
        turned = known[start:] + known[:start]

        def fitting(rank: int) -> int:
            ranks = self.operand_ranks.get(rank, {})
            return sum(self.tells(layout, ranks.get(n, 0)) for n, layout in layouts.items())

        return max(turned, key=lambda rank: (fitting(rank), -turned.index(rank)))

    def tells(self, layout: str, rank: int) -> bool:
        """Whether a layout is one of a rank; in a sparse profile, whether its elements are not all one."""
        known = LAYOUTS[layout]
        return known.applies(rank) and not (self.profile.sparse and known.overlaps and rank < 2)

    @cached_property
    def broadcastable(self) -> tuple[str, ...]:
        """Operands that may broadcast: those whose pattern says so, and what they broadcast with."""
        patterns = dict(zip(self.sig.tensors, self.sig.patterns, strict=True))
        found = [n for n, p in patterns.items() if not p.startswith("=") and _kinds(p) == ["broadcast"]]
        if not found or not any("broadcast(" in text for text in self.sig.spec.shape):
            return tuple(found)
        whole = [n for n, p in patterns.items() if not p.startswith("=") and _kinds(p) == ["rest"]]
        read = {n for rule in self.sig.shapes for n in rule.names}
        return tuple(n for n in self.sig.tensors if n in found or (n in whole and n in read))

    @cached_property
    def promoting(self) -> tuple[str, ...]:
        """Operands whose dtypes are promoted together; none, or at least two."""
        rules = [r.partition(":") for r in self.sig.spec.dtypes.results if r.startswith("promote")]
        named = {name for _, _, names in rules for name in names.split(",")}
        free = [n for n in self.sig.tensors if n in named and not is_tied(self.sig, n)]
        return tuple(free) if len(free) > 1 else ()

    def axes(self) -> Iterator[Axis]:
        """The axes that compiled code may depend on."""
        each = self.profile.strength == 1
        dtypes = self.dtypes[1:] or self.dtypes if self.profile.sparse else self.dtypes
        levels: tuple[tuple[str, ...], ...] = tuple((d,) for d in dtypes) if each else (tuple(dtypes),)
        yield Axis("dtype", "", levels)
        if self.further_dtypes:
            yield Axis("own dtype", "", ((None,), (None,), *((d,) for d in self.further_dtypes)))
        for name in self.sig.tensors:
            levels = self.layout_levels(name, each=each)
            if levels:
                yield Axis("layout", name, levels)
        for name in self.broadcastable:
            yield Axis(
                "broadcast", name, (("full",), ("full",), *((b,) for b in BROADCASTS if b in _RESHAPES))
            )
        for name in self.sig.choosable:
            yield Axis("choice", name, tuple((i,) for i in range(len(self.sig.choices[name]))))
        for name in self.sig.tensors:
            if self.sig.operands[name].optional:
                yield Axis("absent", name, ((False,), (False,), (True,)))

    def layout_levels(self, name: str, *, each: bool) -> tuple[tuple[str, ...], ...]:
        """Layouts of an operand by class, by finer ones without row-major ones where ``each`` has a row."""
        known = self.layouts_of(name)
        classes: tuple[tuple[str, ...], ...] = LAYOUT_CLASSES[1:] if each else LAYOUT_LEVELS
        if self.profile.sparse:
            classes = _FEW_LAYOUTS
        levels = [tuple(n for n in members if n in known) for members in classes]
        return tuple(level for level in levels if level)

    def with_own(self, dtype: str | None) -> dict[str, str]:
        """``dtype`` for every operand that may have it beside the usual one of the first."""
        return {n: dtype for n in self.sig.tensors if dtype is not None and dtype in self.own_dtypes(n)}

    @cached_property
    def further_dtypes(self) -> tuple[str, ...]:
        """What some operand other than the first may have whatever the first has."""
        return tuple(dict.fromkeys(d for name in self.sig.tensors for d in self.own_dtypes(name)))

    def own_dtypes(self, name: str) -> tuple[str, ...]:
        """Further dtypes that an operand other than the first takes, whatever the first has."""
        if name == self.sig.tensors[0] or is_tied(self.sig, name) or self.promoting:
            return ()
        accepted = accepted_names(self.sig.spec.dtypes, name)
        usual = self.dtypes_with(self.dtypes[0])[name]
        few = accepted if len(accepted) <= 4 else ("float32", "int64")
        return tuple(d for d in few if d in accepted and d != usual)[:3]

    def promotions(self) -> Iterator[dict[str, str]]:
        """Dtypes of all operands where two that promote differ."""
        if not self.promoting:
            return
        first, last = self.promoting[0], self.promoting[-1]
        known = [d for members in DTYPE_CLASSES for d in members]
        sides = [
            [d for d in known if d in accepted_names(self.sig.spec.dtypes, n) and d not in _RARE]
            for n in (first, last)
        ]
        if self.profile.strength > 1:
            pairs = [(a, b) for a in sides[0] for b in sides[1] if a != b]
        else:
            pairs = [(a, b) for i, a in enumerate(sides[0]) for b in _partners(a, sides[1], i)]
        for a, b in pairs:
            if a != b:
                middle = dict.fromkeys(self.promoting[1:-1], a)
                yield self.dtypes_with(a, {first: a, **middle, last: b})


_RARE = DTYPE_CLASSES[-1]
_RESHAPES = ("unit", "lead", "outer")
"""Ways to broadcast that leave an operand dimensions to lay out."""


def _partners(dtype: str, others: Sequence[str], turn: int) -> tuple[str, ...]:
    """Two dtypes to promote one with: a floating one, then one that is none."""
    floats = [d for d in others if "float" in d and d != dtype]
    rest = [d for d in others if "float" not in d and d != dtype]
    return tuple(turned(group, turn) for group in (floats, rest) if group)


def _split(dtypes: Sequence[str], classes: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Dtypes by class, those of no class in one of their own."""
    known = [tuple(d for d in members if d in dtypes) for members in classes]
    rest = tuple(d for d in dtypes if not any(d in members for members in classes))
    return tuple(members for members in (*known, rest) if members)


def _kinds(pattern: str) -> list[str]:
    return [item.kind for item in parse(pattern)]


def tied_last(sig: Signature) -> list[str]:
    """The operands, those that have the dtype of another one, which may come later, at the end."""
    return sorted(sig.tensors, key=lambda name: is_tied(sig, name))


def is_tied(sig: Signature, name: str) -> bool:
    """Whether an operand has the dtype of another one."""
    own = sig.spec.dtypes.accepts.get(name, ())
    return bool(own) and own[0].startswith("same:")


def is_rare(dtype: str) -> bool:
    """Whether few operators compute with a dtype."""
    return dtype in _RARE or not any(dtype in members for members in DTYPE_CLASSES)


def turned(levels: Sequence[Any], turn: int) -> Any:
    """The value of a level whose turn it is."""
    return levels[turn % len(levels)]
