"""Cases of an operator, from its contract entry alone.

The axes of :mod:`~torchport_conformance.cases.axes` make rows: regions that differ in dtypes, ranks, layouts,
broadcasting and other arguments. A covering array says which, so that every value of every axis, or every
pair of values, occurs in few rows. Each row is run with several sizes and values, which the compiled region
of the row serves: they go round, so that each meets every class of dtypes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from random import Random
from typing import Any

from torchport.contract.spec import Category, OpSpec, Tier
from torchport_conformance.cases.assemble import Row
from torchport_conformance.cases.axes import Axes, Axis, is_rare, turned
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.classes import compares_many_classes
from torchport_conformance.cases.covering import each_value, pairs
from torchport_conformance.cases.fills import PLAIN, Fill, cancelling, fills
from torchport_conformance.cases.products import long_products
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.ranks import wide_cases
from torchport_conformance.cases.signature import Recipe, signature
from torchport_conformance.cases.sizes import ODD, SMALL, Extent, SizeClass, base_sizes
from torchport_conformance.cases.together import joined
from torchport_conformance.specs import is_listed

Sample = tuple[Extent, Fill]
KINDS = ("float32", "float64", "float16", "bfloat16", "int64", "bool", "complex64")
"""Dtypes that most layouts, sizes and values are tried with; all others with few."""
_HALVES = ("float16", "bfloat16")
_FURTHER = ("float64", *_HALVES, "int64")
"""Dtypes that a sparse profile has further rows of."""
_LAID_OUT = (
    ("columns", 2),
    ("channels_last", 4),
    ("step2", 5),
    ("expanded", 3),
    ("offset7", 1),
    ("transposed", 2),
)
"""Layouts, and the ranks they are tried at, that between them tell each wrong way to read memory: in turn one
with gaps and one in another order.
"""
_WAYS = ("full", "unit", "full", "outer", "full", "lead", "full")
"""How operands that broadcast relate to the others in these rows."""
_ROUNDS = 16
"""How often other arguments go through their values before they meet in the same company again."""
_LONG = 65551
"""Past the largest grid, the longest row and the number of rows of common launches; a prime."""
_ROW = 1031
"""A row of a sparse profile that is all there is of an operand."""
_FILLED, _LONG_ROW = Extent(67, 0), Extent(263, 0)
_ACCUMULATES = ("dot", "reduction")
_CUBIC = (Category.LINEAR_ALGEBRA, Category.TRANSFORM)
"""Categories whose work grows with the cube of a size."""
_LINEAR = (
    Category.ELEMENTWISE,
    Category.REDUCTION,
    Category.SCAN,
    Category.ORDER,
    Category.INDEXING,
    Category.LAYOUT,
    Category.VIEW,
    Category.CONVERSION,
    Category.NORMALIZATION,
)
"""Categories whose work grows with the number of elements."""
_EACH = (Category.ELEMENTWISE, Category.CONVERSION)
"""Categories in which notable values hide nothing of the others."""
_FOLDS = (Category.REDUCTION, Category.SCAN, Category.ORDER, Category.CONTRACTION, Category.NORMALIZATION)
"""Categories to which it matters whether the dimension that is empty is the one they fold."""
_MOST_CUBIC = 1 << 12
_LEAST_WORK = 1 << 16
"""Multiplications that every profile affords."""


def cases_for(spec: OpSpec, profile: Profile) -> tuple[Case, ...]:
    """Every case of one operator in a profile, without repeats, in a fixed order.

    Every other one of those that have a region for themselves is static, as what ``torch.compile`` compiles
    first, and most of them in a sparse profile: symbols take long. All other regions have symbols for sizes.
    None where :func:`reason_without_cases` says why, or the profile does not take the operator.
    """
    if reason_without_cases(spec) or not profile.takes(spec):
        return ()
    found: dict[str, Case] = {}
    same: set[Any] = set()

    def keep(cases: Iterable[Case]) -> None:
        for case in cases:
            content = (case.arguments, case.sizes)
            if case.id not in found and content not in same:
                found[case.id] = case
                same.add(content)

    keep(_Walk(Axes(signature(spec), profile)).cases())
    if profile.thorough:
        keep((*wide_cases(spec, profile), *long_products(spec, profile)))
        keep(joined(spec, profile, tuple(found.values())))
    served = Counter(case.group for case in found.values())
    alone = [case for case in found.values() if served[case.group] == 1]
    static = frozenset(case.id for i, case in enumerate(alone) if i % (8 if profile.sparse else 2))
    return tuple(replace(c, static=True) if c.id in static else c for c in found.values())


def reason_without_cases(spec: OpSpec) -> str:
    """Why an operator is not tested by cases of its own; empty where it is."""
    if spec.category is Category.COLLECTIVE:
        return "a collective needs a process group, which every profile but quick starts"
    if not any("Tensor" in str(r.real_type) for r in spec.overload._schema.returns):
        return "there is no tensor result, and so nothing that a region writes"
    return ""


class _Pool:
    """Samples that rows take in turn, round and round. ``failed`` are those that a row could not have."""

    def __init__(self, samples: list[Sample]) -> None:
        self.samples, self.taken = samples, 0
        self.failed: list[Sample] = []

    def next(self) -> Sample:
        """The next sample."""
        sample: Sample = turned(self.samples, self.taken)
        self.taken += 1
        return sample

    def left(self) -> list[Sample]:
        """The samples that no row had."""
        return [*self.failed, *self.samples[self.taken :]]


def loaded(notable: Sequence[Fill], sized: Sequence[Extent], first: Extent) -> list[Sample]:
    """Notable values in notable sizes, so that one case tells of both."""
    extents = [first, ODD, *sized]
    kinds = notable or (PLAIN,)
    return [(turned(extents, i), turned(kinds, i)) for i in range(max(len(extents), len(kinds)))]


class _Walk:
    """Walks the axes of one operator."""

    def __init__(self, axes: Axes) -> None:
        self.axes, self.sig, self.profile = axes, axes.sig, axes.profile
        self.spec = axes.sig.spec
        self.most = min(self.profile.most, _MOST_CUBIC) if self.spec.category in _CUBIC else self.profile.most
        self.dimensions = list(axes.axes())
        self.pools: dict[str, _Pool] = {}
        self.turns: dict[tuple[Any, ...], int] = {}
        self.reached: set[str] = set()
        self.rows = 0

    @property
    def brief(self) -> bool:
        """Whether a sparse profile has fewer rows: of operators on lists, to which each tensor is what the
        only one is to another operator.
        """
        lists = all(is_listed(self.spec)) and bool(self.sig.tensors)
        return self.profile.sparse and lists and "List" in self.sig.types[self.sig.tensors[0]]

    def cases(self) -> Iterator[Case]:
        """Cases, simplest first."""
        plain = self.axes.recipe(dtype=self.axes.dtypes[0])
        yield from self.row(plain, [(SMALL, PLAIN), (ODD, PLAIN)][: 1 if self.profile.sparse else 2])
        yield from self.other_ranks()
        for turn, dtype in enumerate(self.axes.dtypes[: None if self.profile.thorough else 1]):
            yield from self.laid_out(dtype, turn)
        yield from self.covering()
        yield from self.row_major()
        yield from self.leftovers()
        yield from self.without_dimensions()
        yield from self.degenerate()
        yield from self.spread()
        yield from self.long()
        for turn, dtypes in enumerate(self.axes.promotions()):
            yield from self.promotion(dtypes, turn)
        yield from self.huge()

    def row(self, recipe: Recipe, samples: list[Sample]) -> Iterator[Case]:
        """The recipe's cases with these sizes and values, as far as the contract allows."""
        row = Row(self.sig, recipe)
        for extent, fill in samples:
            case = self.affordable(row, extent, fill)
            if case is not None:
                yield case

    def other_ranks(self) -> Iterator[Case]:
        """Row-major operands of the main dtype at every rank: rows with other layouts say nothing about a
        backend that takes no others.
        """
        for rank in self.axes.ranks if not self.profile.sparse else ():
            if rank != self.axes.main_rank and (rank < 5 or self.profile.thorough):
                yield from self.row(self.axes.recipe(rank=rank, dtype=self.axes.dtypes[0]), [(ODD, PLAIN)])

    def affordable(self, row: Row, extent: Extent, fill: Fill) -> Case | None:
        """The row's case with a sample; None as well where it would take long."""
        if self.profile.sparse and len(row.letters) == 1 and 0 < extent.size < _ROW:
            extent = Extent(_ROW)
        roomy = self.spec.category in _LINEAR and set(row.letters) <= self.axes.letters_of_any_rank
        case = row.case(extent.of(row.letters, roomy=roomy), fill, self.most)
        if case is None:
            return None
        if self.spec.numerics.kind == "dot":
            work = math.prod(size for _, size in case.sizes)
            return case if work <= max(self.most // 4, _LEAST_WORK) else None
        return None if compares_many_classes(self.spec, case) else case

    # --- sizes and values ---

    def samples(self, dtype: str) -> list[Sample]:
        """Sizes and values that operands of a dtype are tried with, the most telling ones first."""
        thorough = self.profile.thorough
        dtypes = self.axes.dtypes_with(dtype)
        elementwise = self.spec.category is Category.ELEMENTWISE
        filled = [
            (_FILLED if elementwise or fill[1] in ("meeting", "extreme") else ODD, fill)
            for fill in fills(self.sig, dtypes, thorough=thorough)
        ]
        count = max(len(self.axes.letters), 1)
        sized = [Extent(size, 0) for size in self.profile.edges]
        sized += [Extent(size, turn) for turn in range(1, count) for size in self.profile.far_edges]
        if self.spec.category is Category.RANDOM:
            sized = [Extent(4099, 0), *sized]
        if self.profile.sparse and dtype != self.axes.dtypes[0] and self.axes.letters:
            return loaded([fill for _, fill in filled], sized, _FILLED if elementwise else _LONG_ROW)
        if thorough:
            sized[1:1] = [Extent(41, None), Extent(131, None)]
        kinds = (PLAIN, cancelling(self.sig, dtypes))
        if self.profile.sparse and self.spec.category in _EACH and filled:
            kinds = (filled[0][1], PLAIN)
        plain: list[Sample] = (
            [(extent, turned(kinds, i)) for i, extent in enumerate(sized, start=dtype != self.axes.dtypes[0])]
            if self.axes.letters
            else []
        )
        woven: list[Sample] = []
        for i in range(max(len(filled), len(plain))):
            woven += filled[i : i + 1] + plain[i : i + 1]
        return woven or [(SMALL, PLAIN), (ODD, PLAIN)]

    def pool_of(self, dtype: str) -> _Pool:
        """The samples of a dtype."""
        if dtype not in self.pools:
            self.pools[dtype] = _Pool(self.samples(dtype))
        return self.pools[dtype]

    def sampled(self, recipe: Recipe, count: int) -> Iterator[Case]:
        """The recipe's cases with the next samples of its dtype's class; one for dtypes that few kernels
        have. Operands that a sample is about are there.
        """
        dtype = recipe.dtypes[self.sig.tensors[0]] if self.sig.tensors else self.axes.dtypes[0]
        pool, row = self.pool_of(dtype), Row(self.sig, recipe)
        for _ in range(count if self.profile.thorough or dtype in self.telling else 1):
            for _ in range(3 if self.profile.sparse else 1):
                extent, fill = sample = pool.next()
                filled = recipe.absent.intersection(fill[0].split(","))
                own = Row(self.sig, replace(recipe, absent=recipe.absent - filled)) if filled else row
                case = self.affordable(own, extent, fill)
                if case is not None:
                    self.reached.add(dtype)
                    yield case
                    break
                pool.failed.append(sample)

    @property
    def telling(self) -> tuple[str, ...]:
        """Dtypes of which each row has several samples in every profile: the main one and floating ones."""
        return (self.axes.dtypes[0], *(d for d in KINDS if "float" in d))

    def leftovers(self) -> Iterator[Case]:
        """What no row has been run with, on row-major operands, in a profile that is not sparse: of the main
        dtype everything, of the other kinds of dtypes in a thorough profile special values.
        """
        if self.profile.sparse:
            return
        yield from self.row(self.axes.recipe(), self.pool_of(self.axes.dtypes[0]).left())
        for dtype in self.axes.dtypes[1:]:
            if self.profile.thorough and dtype in KINDS:
                left = [sample for sample in self.pool_of(dtype).left() if sample[1] != PLAIN]
                yield from self.row(self.axes.recipe(dtype=dtype), left)

    def row_major(self) -> Iterator[Case]:
        """Row-major operands of every usual dtype, where rows lack them; in a sparse profile of floating
        ones, of one of the halves where elements are computed alone; of each that no row has had.
        """
        wanted: Collection[str] = ()
        if self.profile.sparse and not self.brief:
            alone = self.spec.category in _EACH
            half = turned(_HALVES, Random(self.spec.name).randrange(2))
            wanted = ("float64", half) if alone else ("float64", *_HALVES)
        elif self.profile.strength == 1 and not self.profile.sparse:
            wanted = [d for d in self.axes.dtypes if not is_rare(d)]
        for turn, dtype in enumerate(self.axes.dtypes[1:], 1):
            if dtype not in self.reached or dtype in wanted:
                recipe = self.axes.recipe(dtype=dtype, choices=self.rotated(turn))
                yield from list(self.sampled(recipe, 1)) or self.row(
                    self.axes.recipe(dtype=dtype), [(SMALL, PLAIN)]
                )

    # --- regions ---

    def laid_out(self, dtype: str, turn: int) -> Iterator[Case]:
        """Rows of one dtype in which each operand has each of the layouts that tell, one after the other, and
        other arguments each of their values, twice in a row; the main dtype has more combinations of those.
        """
        if is_rare(dtype):
            return
        counts = [len(self.sig.choices[n]) for n in self.sig.choosable]
        longest, most = max(counts, default=1), self.profile.company
        if self.spec.category is Category.CONVERSION:
            most = max(most, longest)
        usual = dtype in KINDS
        twice = 2 if usual and 2 * longest <= most else 1
        rows = min(max(6 if usual else 4, twice * longest), most)
        company = each_value(counts, _ROUNDS)
        telling = self.telling_sample(dtype)
        for i in range(rows):
            recipe = self.laid_out_row(dtype, i + turn, turned(company, turn * longest + i // twice))
            made = list(self.row(recipe, telling)) if i % twice == 0 and not self.profile.sparse else []
            made += self.sampled(recipe, self.profile.samples - len(made))
            yield from made or self.row(replace(recipe, absent=frozenset()), [(SMALL, PLAIN)])
        if dtype == self.axes.dtypes[0] and len(counts) > 1:
            for i, other in enumerate(pairs(counts)[: most if self.profile.sparse else most // 2]):
                recipe = self.laid_out_row(dtype, i, other)
                # Many backends take row-major operands only: these arguments meet there as well.
                yield from self.sampled(replace(recipe, layouts={}) if self.profile.sparse else recipe, 1)

    def telling_sample(self, dtype: str) -> list[Sample]:
        """The sample of a dtype that tells most; none where there are but plain values."""
        return [sample for sample in self.pool_of(dtype).samples if sample[1] != PLAIN][:1]

    def laid_out_row(self, dtype: str, turn: int, other: Sequence[int]) -> Recipe:
        """The row of a dtype whose turn it is, with these other arguments."""
        layouts = {n: turned(_LAID_OUT, turn + a)[0] for a, n in enumerate(self.sig.tensors)}
        optional = [n for n in self.sig.tensors if self.sig.operands[n].optional]
        own = turned((None, *self.axes.further_dtypes), turn)
        ways = {n: turned(_WAYS, turn + a) for a, n in enumerate(self.axes.broadcastable)}
        return self.axes.recipe(
            rank=self.axes.rank_for(layouts, turned(_LAID_OUT, turn)[1]),
            dtypes=self.axes.dtypes_with(dtype, self.axes.with_own(own)),
            layouts=layouts,
            broadcasts={n: how for n, how in ways.items() if how != "full"},
            choices=dict(zip(self.sig.choosable, other, strict=True)),
            absent=frozenset(n for a, n in enumerate(optional) if (turn + a) % 3 == 1),
        )

    def covering(self) -> Iterator[Case]:
        """Rows in which each value, or each pair of values, of the axes occurs."""
        reached: set[tuple[Any, ...]] = set()
        once = self.profile.strength == 1
        for row in self.mixed_rows() if once else pairs([len(axis.levels) for axis in self.dimensions]):
            yield from self.region(dict(enumerate(row)), reached, self.profile.covered)
        yield from self.repairs(reached)

    def region(
        self, chosen: Mapping[int, int], reached: set[tuple[Any, ...]], samples: int = 1
    ) -> Iterator[Case]:
        """The cases of a row: ``chosen`` are levels by axis, the first ones where it has none. What it
        reaches is added to ``reached``.
        """
        recipe = self.recipe(chosen)
        made = list(self.sampled(recipe, samples)) or list(self.row(recipe, [(SMALL, PLAIN)]))
        if made:
            actual = self.actual(chosen, made[0])
            reached.update((a,) for a in actual)
            reached.update(combinations(actual, 2))
        yield from made

    def actual(self, chosen: Mapping[int, int], case: Case) -> list[tuple[int, int]]:
        """The levels that a case really has: a layout that an operand cannot have at its rank is none."""
        layouts = {n.partition("[")[0]: plan.layout for n, plan in case.tensors()}
        return [
            (i, level)
            for i, level in chosen.items()
            if self.dimensions[i].kind != "layout"
            or layouts.get(self.dimensions[i].of) in self.dimensions[i].levels[level]
        ]

    def mixed_rows(self) -> Iterator[tuple[int, ...]]:
        """Rows in which each dtype occurs with other levels of the other axes each time: of every dtype, then
        in each further round, in a sparse profile of the usual ones. The first of an argument's values occurs
        twice as often as the others.
        """
        dtypes, *others = [len(axis.levels) for axis in self.dimensions]
        first = [axis.kind == "choice" for axis in self.dimensions[1:]]
        drawn = Random(self.spec.name)
        starts = [[drawn.randrange(60) for _ in others] for _ in range(dtypes)]
        turns = [0] * dtypes
        rows, rounds = max(dtypes, *others, 0), 1 if self.brief else self.profile.rounds
        if self.spec.category is Category.CONVERSION:
            rounds = max(rounds, *(n + 1 for n, choice in zip(others, first, strict=True) if choice), 0)
        for row in range(rows * rounds):
            level = row % dtypes
            (dtype,) = self.dimensions[0].levels[level]
            if self.profile.sparse and row >= rows and dtype not in _FURTHER:
                continue
            places = [(start + turns[level], n) for start, n in zip(starts[level], others, strict=True)]
            turns[level] += 1
            yield (
                level,
                *(max(i % (n + 1) - 1, 0) if f else i % n for f, (i, n) in zip(first, places, strict=True)),
            )

    def repairs(self, reached: set[tuple[Any, ...]]) -> Iterator[Case]:
        """A row for each value or pair of values that no row has had, all else being plain."""
        axes = list(enumerate(self.dimensions))
        for i, axis in axes:
            for level in range(len(axis.levels)):
                if ((i, level),) not in reached:
                    yield from self.region({i: level}, reached)
        if self.profile.strength == 1:
            return
        for (i, first), (j, second) in combinations(axes, 2):
            if first.of == second.of and "choice" not in (first.kind, second.kind):
                continue  # an operand that is absent or broadcast has other layouts, or none
            for a in range(len(first.levels)):
                for b in range(len(second.levels)):
                    if ((i, a), (j, b)) not in reached:
                        yield from self.region({i: a, j: b}, reached)

    def recipe(self, chosen: Mapping[int, int]) -> Recipe:
        """The recipe of a row."""
        values: dict[tuple[str, str], Any] = {}
        for i, level in chosen.items():
            axis = self.dimensions[i]
            values[axis.kind, axis.of] = self.variant(axis, level)

        def of(kind: str) -> dict[str, Any]:
            return {of: value for (k, of), value in values.items() if k == kind}

        layouts = of("layout")
        self.rows += 1
        rank = self.axes.rank_for(layouts, turned(self.axes.ranks, self.rows))
        dtypes = self.axes.dtypes_with(
            values.get(("dtype", ""), self.axes.dtypes[0]), self.axes.with_own(values.get(("own dtype", "")))
        )
        return self.axes.recipe(
            rank=rank,
            dtypes=dtypes,
            layouts=layouts,
            broadcasts={n: how for n, how in of("broadcast").items() if how != "full"},
            choices={n: self.whole(n, i, dtypes) for n, i in of("choice").items()},
            absent=frozenset(n for n, gone in of("absent").items() if gone),
        )

    def whole(self, name: str, choice: int, dtypes: Mapping[str, str]) -> int:
        """The choice; beside integers of a dtype that has one row, a whole number in place of one that
        would promote them, and of 0.
        """
        dtype, values = dtypes[self.sig.tensors[0]] if self.sig.tensors else "", self.sig.choices[name]
        numbers = [i for i, value in enumerate(values) if type(value) is int and value]
        useless = isinstance(values[choice], float) or values[choice] == 0
        alone = self.profile.sparse and "int" in dtype and dtype not in _FURTHER
        return turned(numbers, choice) if alone and useless and numbers else choice

    def variant(self, axis: Axis, level: int) -> Any:
        """The value of a level: its values take turns."""
        key = (axis.kind, axis.of, level)
        turn = self.turns[key] = self.turns.get(key, -1) + 1
        return turned(axis.levels[level], turn)

    def without_dimensions(self) -> Iterator[Case]:
        """Operands without dimensions, at an offset and not, for one or two dtypes or all usual ones."""
        if not self.axes.variadic:
            return
        usual = [d for d in self.axes.dtypes if not is_rare(d)] if self.profile.thorough else []
        few = (self.axes.dtypes[0], turned(self.axes.dtype_classes, 1)[0])[: 1 if self.profile.sparse else 2]
        for turn, dtype in enumerate(dict.fromkeys((*few, *usual))):
            layouts = {} if turn % 2 else dict.fromkeys(self.sig.tensors, "offset7")
            recipe = self.axes.recipe(rank=0, dtype=dtype, layouts=layouts, choices=self.rotated(turn))
            yield from (
                self.row(recipe, [(SMALL, PLAIN)])
                if turn
                else list(self.sampled(recipe, 1)) or self.row(replace(recipe, choices={}), [(SMALL, PLAIN)])
            )

    def rotated(self, turn: int) -> dict[str, int]:
        """Other choices of every argument each time."""
        return dict.fromkeys(self.sig.choosable, turn)

    def degenerate(self) -> Iterator[Case]:
        """Each letter at 1, with odd strides there, and at 0; all of them; the main dtype and another one in
        turn, all usual ones in a thorough profile.
        """
        letters, turn = self.axes.letters, 0
        usual = [d for d in self.axes.dtypes if not is_rare(d)] or list(self.axes.dtypes[:1])
        groups: list[tuple[str, ...]] = [(letter,) for letter in reversed(letters)]
        if len(letters) > 1 and self.profile.thorough:
            groups.append(letters)
        for size in (0, 1):
            wanted = list(product(groups, self.axes.dtypes[:1]))
            wanted += [(turned(groups, i), d) for i, d in enumerate(usual)] if groups else []
            if not self.profile.thorough:
                wanted = wanted[: len(groups)][: 2 if not size and self.spec.category in _FOLDS else 1]
                if not size:
                    wanted += [(g, turned(usual, len(letters))) for g in groups[-1:]]
            if self.profile.thorough and groups and not size:
                wanted += [(groups[0], d) for d in self.axes.dtypes if is_rare(d)]
            for some, dtype in dict.fromkeys(wanted):
                turn += 1
                odd = size and (dtype == self.axes.dtypes[0] or turn % 3)
                unit = dict.fromkeys(self.sig.tensors, "unit_strides") if odd else {}
                recipe = self.axes.recipe(dtype=dtype, layouts=unit, choices=self.rotated(turn))
                made = list(self.degenerate_row(recipe, some, size))
                made = made or list(self.degenerate_row(replace(recipe, choices={}), some, size))
                if not made and dtype != self.axes.dtypes[0]:
                    others = (self.degenerate_row(replace(recipe, choices={}), g, size) for g in groups)
                    made = next((found for found in map(list, others) if found), [])
                yield from made

    def degenerate_row(self, recipe: Recipe, some: tuple[str, ...], size: int) -> Iterator[Case]:
        row = Row(self.sig, recipe)
        name = f"{some[0]}={size}" if len(some) == 1 else f"all={size}"
        sizes = {**base_sizes(row.letters, "small"), **dict.fromkeys(some, size)}
        case = row.case(SizeClass(name, sizes), PLAIN, self.most)
        if case is not None:
            yield case

    def spread(self) -> Iterator[Case]:
        """Each operand that may broadcast without dimensions, and with all of them of size 1; where rows do
        not vary that, in each way.
        """
        ways = ("unit", "scalar", "ones")[self.profile.strength > 1 :]
        if self.profile.sparse:
            ways = ("scalar",)
        for turn, (name, how) in enumerate(product(self.axes.broadcastable, ways)):
            classes = self.axes.dtype_classes
            chosen = (
                [turned(turned(classes, turn), turn)]
                if self.profile.strength == 1
                else [c[0] for c in classes]
            )
            for dtype in chosen:
                recipe = self.axes.recipe(dtype=dtype, broadcasts={name: how}, choices=self.rotated(turn))
                yield from self.sampled(recipe, 1)

    def promotion(self, dtypes: Mapping[str, str], turn: int) -> Iterator[Case]:
        """Dtypes that differ: equal shapes, and one operand or the other without dimensions, which promotes
        differently.
        """
        able = [n for n in self.axes.broadcastable if n in self.axes.promoting]
        how = [{}, *({n: "scalar"} for n in reversed(able))]
        recipe = self.axes.recipe(
            dtypes=dtypes, broadcasts=turned(how, turn), choices=self.rotated(turn // 7)
        )
        yield from self.row(recipe, [(SMALL, PLAIN)])

    def long(self) -> Iterator[Case]:
        """One long row, of the main dtype or of all usual ones: past the number of blocks of common grids."""
        if not self.axes.variadic or self.spec.category in (*_CUBIC, Category.CONTRACTION):
            return
        usual = [d for d in self.axes.dtypes if not is_rare(d)] if self.profile.thorough else []
        for dtype in dict.fromkeys((self.axes.dtypes[0], *usual)):
            row = Row(self.sig, self.axes.recipe(rank=1, dtype=dtype))
            behind = sum(letter not in self.axes.variadic_letters for letter in row.letters)
            case = row.case(Extent(_LONG, behind).of(row.letters), most=max(self.most, 4 * _LONG))
            if case is not None:
                yield case

    def huge(self) -> Iterator[Case]:
        """Past the number of blocks of any launch grid, where that is cheap."""
        if not self.profile.huge or len(self.sig.tensors) != 1 or not self.axes.letters:
            return
        category = self.spec.category
        if category in (Category.ORDER, Category.SCAN, Category.REDUCTION):
            rank = 2
        elif category in (Category.LAYOUT, Category.INDEXING) or (
            category is Category.ELEMENTWISE and self.spec.tier is Tier.PRIM
        ):
            rank = 1
        else:
            return
        row = Row(self.sig, self.axes.recipe(rank=rank if self.axes.variadic else self.axes.main_rank))
        case = row.case(Extent(self.profile.huge, 0).of(row.letters))
        if case is not None:
            yield case
