"""Calls in which what rows vary one at a time comes together in one dtype.

Rows take dtypes, layouts, sizes, values and other arguments in turn: two of them meet somewhere, three of
them by chance. Kernels are compiled for a dtype, so that a fault of one dtype may show with one argument
alone, in one layout or at one size.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from torchport.contract.dtype_rules import accepted_names
from torchport.contract.spec import Category, OpSpec
from torchport_conformance.cases.assemble import Row
from torchport_conformance.cases.axes import Axes, is_rare, is_tied, turned
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.covering import each_value, pairs
from torchport_conformance.cases.fills import PLAIN, Fill, fills
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.signature import Recipe, signature
from torchport_conformance.cases.sizes import ODD, SMALL, Extent, SizeClass, one_letter
from torchport_conformance.cases.values import SPECIAL

ORDERS = (("transposed", 2), ("channels_last", 4))
"""Layouts that other arguments meet, and the rank that they are tried at."""
_OF_VALUES = ("float32", "float64", "float16", "bfloat16", "int64")
"""Dtypes that every kind of value is tried with."""
_OF_INDICES = ("int32", "int64")
_FILLED = Extent(67, 0)
_BYTE = 128
"""Indices below it are held in seven bits."""
_FAR, _ALL_FAR = 1031, 131
"""A size past it, of one letter or of each."""
_MOST_FAR = 1 << 22


def joined(spec: OpSpec, profile: Profile, known: Collection[Case]) -> Iterator[Case]:
    """What the ``known`` cases of an operator may lack, for each usual dtype: other arguments with each other
    and in each order of memory, other arguments where sizes are 1, operands left out, indices past a byte,
    dtypes of indices, notable values.
    """
    axes = Axes(signature(spec), profile)
    special = _special(known)
    for dtype in [d for d in axes.dtypes if not is_rare(d)] or axes.dtypes[:1]:
        start = allowed(axes, dtype)
        yield from _arguments(axes, dtype)
        yield from _units(axes, start)
        yield from _left_out(axes, start)
        yield from _far_indices(axes, start)
        yield from _dtypes_of_indices(axes, dtype, start)
        if dtype in _OF_VALUES:
            yield from _values(axes, dtype, start, special)
    yield from _rare_beside_usual(axes)


def allowed(axes: Axes, dtype: str) -> Recipe:
    """Row-major operands with the first other arguments, and as few operands left out, as the contract allows
    together.
    """
    optional = [n for n in axes.sig.tensors if axes.sig.operands[n].optional]
    left_out = [frozenset[str](), *(frozenset((n,)) for n in optional), frozenset(optional)]
    for absent, other in product(left_out, pairs(_counts(axes))):
        recipe = axes.recipe(dtype=dtype, choices=_choices(axes, other), absent=absent)
        if any(_cases(axes, recipe, SMALL)):
            return recipe
    return axes.recipe(dtype=dtype)


def _counts(axes: Axes) -> list[int]:
    return [len(axes.sig.choices[name]) for name in axes.sig.choosable]


def _choices(axes: Axes, other: Sequence[int]) -> dict[str, int]:
    return dict(zip(axes.sig.choosable, other, strict=True))


def _cases(axes: Axes, recipe: Recipe, *extents: Extent, fill: Fill = PLAIN) -> Iterator[Case]:
    """The recipe's cases of these sizes that the contract has."""
    row = Row(axes.sig, recipe)
    found = (row.case(extent.of(row.letters), fill, axes.profile.most) for extent in extents)
    return (case for case in found if case is not None)


def _one(found: Iterable[Case]) -> Iterator[Case]:
    """The first, if there is one."""
    for case in found:
        yield case
        return


def _arguments(axes: Axes, dtype: str) -> Iterator[Case]:
    """Every pair of other arguments, and each of them in each order of memory; row-major where that is no
    call.
    """
    counts = _counts(axes)
    for turn, *other in pairs([len(ORDERS), *counts]) if counts else ():
        layout, rank = ORDERS[turn]
        layouts = dict.fromkeys(axes.sig.tensors, layout)
        plain = axes.recipe(dtype=dtype, choices=_choices(axes, other))
        ordered = axes.recipe(
            rank=axes.rank_for(layouts, rank), dtype=dtype, layouts=layouts, choices=plain.choices
        )
        yield from _one(case for recipe in (ordered, plain) for case in _cases(axes, recipe, ODD, SMALL))


def _units(axes: Axes, start: Recipe) -> Iterator[Case]:
    """Every value of other arguments where all sizes are 1, or where that is no call, one of them."""
    counts, letters = _counts(axes), axes.letters
    for turn, other in enumerate(each_value(counts)) if counts and letters else ():
        row = Row(axes.sig, replace(start, choices=_choices(axes, other)))
        sizes = [SizeClass("all=1", dict.fromkeys(row.letters, 1))]
        sizes += [one_letter(row.letters, turned(row.letters, -1 - turn - i), 1) for i in range(len(letters))]
        found = (row.case(size, most=axes.profile.most) for size in sizes)
        yield from _one(case for case in found if case is not None)


def _left_out(axes: Axes, start: Recipe) -> Iterator[Case]:
    """Each optional operand left out, with the other arguments that allow it."""
    for name in axes.sig.tensors:
        if axes.sig.operands[name].optional and name not in start.absent:
            recipes = (
                replace(
                    start, choices={**start.choices, **_choices(axes, other)}, absent=start.absent | {name}
                )
                for other in pairs(_counts(axes))
            )
            yield from _one(case for recipe in recipes for case in _cases(axes, recipe, ODD, SMALL))


def _far_indices(axes: Axes, start: Recipe) -> Iterator[Case]:
    """Indices that seven bits do not hold: one dimension is long, or where it takes that, each."""
    if not any(axes.sig.operands[n].values.startswith("index(") for n in axes.sig.tensors):
        return
    row = Row(axes.sig, start)
    sizes = [Extent(_FAR, turn).of(row.letters) for turn in range(len(row.letters))]
    sizes.append(Extent(_ALL_FAR, None).of(row.letters))
    found = (row.case(size, most=_MOST_FAR) for size in sizes)
    yield from _one(case for case in found if case is not None and _reaches_far(case))


def _reaches_far(case: Case) -> bool:
    """Whether some index is expected to be past a byte's seven bits."""
    for _, plan in case.tensors():
        kind, _, bound = plan.values.partition(":")
        if kind == "index" and math.prod(plan.shape) * (1 - _BYTE / max(int(bound), _BYTE)) >= 2:
            return True
    return False


def _dtypes_of_indices(axes: Axes, dtype: str, start: Recipe) -> Iterator[Case]:
    """Indices of each dtype, of as many dimensions as there may be; of several operands all at once."""
    accepted = {n: accepted_names(axes.sig.spec.dtypes, n) for n in axes.sig.tensors[1:]}
    free = [n for n in accepted if not is_tied(axes.sig, n)]
    if not any(axes.sig.operands[name].values.startswith("index(") for name in free):
        return
    for own in _OF_INDICES:
        chosen = {name: own for name in free if own in accepted[name]}
        if chosen:
            recipe = replace(start, dtypes=axes.dtypes_with(dtype, chosen))
            yield from _one(_cases(axes, recipe, ODD, SMALL))


def _rare_beside_usual(axes: Axes) -> Iterator[Case]:
    """Rare dtypes of the first operand, which may compute beside floating ones alone: of equal shapes, and
    each operand that may broadcast.
    """
    if not axes.promoting:
        return
    first, *others = axes.promoting
    for dtype in filter(is_rare, accepted_names(axes.sig.spec.dtypes, first)):
        dtypes = axes.dtypes_with(dtype, {first: dtype, **dict.fromkeys(others, "float32")})
        for how in ({}, *({name: "unit"} for name in axes.broadcastable)):
            recipe = axes.recipe(dtypes=dtypes, broadcasts=how)
            yield from _one(_cases(axes, recipe, ODD, SMALL))


def _values(
    axes: Axes, dtype: str, start: Recipe, special: Collection[tuple[str, str, str]]
) -> Iterator[Case]:
    """Notable values on row-major operands: a row may leave out the operand that was to have them, or
    multiply them by 0. Single special values are left where ``special`` says that a case has them.
    """
    dtypes = axes.dtypes_with(dtype)
    extents = (_FILLED if axes.sig.spec.category is Category.ELEMENTWISE else ODD, SMALL)
    for names, what in fills(axes.sig, dtypes, thorough=True):
        if not all((dtype, name, what) in special for name in names.split(",")):
            yield from _one(_cases(axes, start, *extents, fill=(names, what)))


def _special(cases: Iterable[Case]) -> set[tuple[str, str, str]]:
    """The dtypes, operands and single special values of cases in which no elements share memory."""
    return {
        (case.dtype, name.partition("[")[0], plan.fill)
        for case in cases
        if not any(LAYOUTS[plan.layout].overlaps for _, plan in case.tensors())
        for name, plan in case.tensors()
        if plan.fill.partition("@")[0] in SPECIAL
    }
