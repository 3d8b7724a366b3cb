"""Cases just inside and just outside of what a backend declares: the ``when`` and ``dtypes`` of its kernels,
and its highest rank.

They follow from the declarations and the contract alone. Calls around the numbers that a predicate names are
tried against it; kept are those that lie next to a call on its other side, for each of its conditions.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torchport.capture.offering.macros import OFFERED_AS
from torchport.compile.backend import Backend, may_claim
from torchport.compile.kernel_table import Kernel, KernelBackend, KernelTable
from torchport.compile.predicate import Predicate, Undecided
from torchport.contract.composites import backward_name, composites
from torchport.contract.dtype_rules import accepted_names
from torchport.contract.graph import Node
from torchport.contract.spec import OpSpec
from torchport_conformance.cases.arguments import choice_text
from torchport_conformance.cases.assemble import Recipe, assemble, letters_of, signature
from torchport_conformance.cases.case import AboutCase, Case, TensorPlan
from torchport_conformance.cases.patterns import variadic
from torchport_conformance.cases.sizes import SizeClass, base_sizes
from torchport_conformance.cases.violations import Search, with_changes
from torchport_conformance.regions import probe
from torchport_conformance.specs import all_specs

_NEAREST = 3
"""How many calls are kept on either side of a condition."""
_MOST = 70_000
"""A larger number in a predicate is no size of a case."""
_LAYOUTS = ("transposed", "step2")


@dataclass(frozen=True, slots=True)
class BoundaryCase(AboutCase):
    """A call next to the edge of a declaration.

    ``case`` is the call, ``inside`` on which side of ``declared`` it lies, and so whether it has to be
    claimed. A declaration ``of_rank`` is about no operator: there, only rank may not be a reason to refuse.
    """

    case: Case
    inside: bool
    declared: str
    of_rank: bool = False

    @property
    def id(self) -> str:
        """Names the declaration, the side and the arguments."""
        side = "inside" if self.inside else "outside"
        text = ",".join(f"{name}={_shown(argument)}" for name, argument in self.case.arguments)
        return f"{self.op}[when:{side}-{self.declared}-{text}]"

    @property
    def label(self) -> str | None:
        """The declaration."""
        return self.declared

    @property
    def group(self) -> Hashable:
        """As of the call."""
        return ("when", self.case.group)


def boundary_cases(backend: Backend, specs: Sequence[OpSpec]) -> tuple[BoundaryCase, ...]:
    """The cases of a backend's declarations about some operators; none where it declares nothing."""
    found: dict[str, BoundaryCase] = {}
    target = backend.targets()[0]
    highest = backend.capabilities(target).max_rank
    for spec in specs:
        cases: Iterator[BoundaryCase] = iter(())
        if isinstance(backend, KernelBackend) and spec.name in backend.kernels.ops:
            cases = _Edges(spec, backend.kernels, target.device).cases()
        if highest is not None:
            cases = itertools.chain(cases, _at_highest_rank(spec, highest))
        for case in cases:
            found.setdefault(case.id, case)
    return tuple(found.values())


def claimed_without_cases(backend: Backend) -> tuple[str, ...]:
    """Composites and their backward operators that a backend says it may claim and that have no cases: the
    contract has no entry of them, and no macro that they are offered as.

    A backend that does not say which operators it may claim is not asked.
    """
    asked = isinstance(backend, KernelBackend) or not may_claim(backend, "torchport.no_such.operator")
    names = (n for c in sorted(composites()) for n in (c, backward_name(c)))
    tested = all_specs().keys() | OFFERED_AS.keys()
    return tuple(n for n in names if asked and n not in tested and may_claim(backend, n))


def _at_highest_rank(spec: OpSpec, highest: int) -> Iterator[BoundaryCase]:
    search = Search(spec)
    parts = variadic(search.sig.patterns)
    if parts and search.sig.tensors:
        dtype = next(iter(accepted_names(spec.dtypes, search.sig.tensors[0])), "float32")
        recipe = search.recipe(dict.fromkeys(parts, highest), dtype, {})
        case = assemble(search.sig, recipe, "contiguous")
        if case is not None and all(len(p.shape) <= highest for _, p in case.tensors()):
            yield BoundaryCase(case, True, f"max_rank={highest}", of_rank=True)


class _Edges:
    """The calls around the declarations of one operator's kernels."""

    def __init__(self, spec: OpSpec, table: KernelTable, device: str) -> None:
        self.spec, self.table, self.device = spec, table, device
        self.sig, self.search = signature(spec), Search(spec)
        self.kernels = tuple(k for k in table if k.op == spec.name)
        predicates = [k.when for k in self.kernels if k.when is not None]
        numbers = {n for p in predicates for n in p.constants if type(n) is int and 0 <= n <= _MOST}
        self.numbers = sorted(numbers)
        self.names = frozenset[str]().union(*(p.names for p in predicates))
        self.texts = sorted(n for p in predicates for n in p.constants if isinstance(n, str))

    def cases(self) -> Iterator[BoundaryCase]:
        """Inside and outside of each condition of each kernel, then of its dtypes."""
        calls = [
            (case, node) for case in self.calls() if (node := probe(case, device=self.device)) is not None
        ]
        for kernel in self.kernels:
            if kernel.when is not None:
                yield from self.of_predicate(kernel, kernel.when, calls)
        yield from self.of_dtypes()

    def of_predicate(
        self, kernel: Kernel, when: Predicate, calls: Sequence[tuple[Case, Node]]
    ) -> Iterator[BoundaryCase]:
        inside = [case for case, node in calls if kernel.check(node).accepted]
        outside = [(case, node) for case, node in calls if not self.table.find(node)[1].accepted]
        for condition in when.conjuncts:
            beyond = [case for case, node in outside if _broken_alone(condition, when, node)]
            for case in _nearest(beyond, inside):
                yield BoundaryCase(case, False, when.text)
            for case in _nearest(inside, beyond):
                yield BoundaryCase(case, True, when.text)

    def of_dtypes(self) -> Iterator[BoundaryCase]:
        declared = dict.fromkeys(d for k in self.kernels for d in k.dtypes)
        if not declared or not self.sig.tensors or not all(k.dtypes for k in self.kernels):
            return
        text = f"dtypes {', '.join(declared)}"
        accepted = accepted_names(self.spec.dtypes, self.sig.tensors[0])
        for dtype in dict.fromkeys((*declared, *accepted)):
            for call in self.calls_of(dtype):
                node = probe(call, device=self.device)
                if node is None:
                    continue
                claimed = self.table.find(node)[1].accepted and not any(
                    0 in p.shape for _, p in call.tensors()
                )
                if claimed == (dtype in declared):
                    yield BoundaryCase(call, claimed, text)
                    break

    # --- calls ---

    def calls(self) -> Iterator[Case]:
        """Valid calls around the numbers that the predicates name."""
        seen: set[str] = set()
        dtypes = [d for k in self.kernels for d in k.dtypes]
        if "dtype" in self.names:
            dtypes += self.texts
        accepted = accepted_names(self.spec.dtypes, self.sig.tensors[0]) if self.sig.tensors else ("float32",)
        usual = [d for d in dict.fromkeys(dtypes) if d in accepted] or list(accepted[:1])
        if "dtype" not in self.names:
            usual = usual[:1]
        for dtype in usual:
            for case in self.calls_of(dtype):
                if case.call() not in seen:
                    seen.add(case.call())
                    yield case

    def calls_of(self, dtype: str) -> Iterator[Case]:
        """Those in one dtype: sizes at the numbers and beside them, ranks, choices, layouts."""
        parts = variadic(self.sig.patterns)
        around = sorted({n + d for n in self.numbers for d in (-1, 0, 1)} & set(range(1, 9)))
        ranks = tuple(dict.fromkeys((2, 3, 1, *around))) if parts else (2,)
        for rank in ranks:
            base = self.search.recipe(dict.fromkeys(parts, rank), dtype, {})
            for recipe in self.varied(base):
                case = assemble(self.sig, recipe, "contiguous")
                if case is not None:
                    yield case
                    yield from self.with_numbers(case)

    def varied(self, base: Recipe) -> Iterator[Recipe]:
        yield base
        letters = letters_of(self.sig, base.ranks)
        plain = base_sizes(letters, "small")
        sizes = sorted({n * k + d for n in self.numbers for k in (1, 2) for d in (-1, 0, 1)})
        fitting = [n for n in sizes if 0 <= n <= _MOST]
        for letter, size in itertools.product(letters, fitting):
            yield replace(base, size=SizeClass(f"{letter}={size}", {**plain, letter: size}))
        for size in (n for n in fitting if n <= 260):
            yield replace(base, size=SizeClass(f"all={size}", dict.fromkeys(letters, size)))
        for name in self.sig.choosable:
            for choice in range(1, len(self.sig.operands[name].choices)):
                yield replace(base, choices={name: choice})
        if "contiguous" in self.names:
            for layout in _LAYOUTS:
                yield replace(base, layouts=dict.fromkeys(self.sig.tensors, layout))

    def with_numbers(self, case: Case) -> Iterator[Case]:
        """The call with the numbers that the predicates name in the place of an argument that they read."""
        given = dict(case.arguments)
        for name, kind in self.search.types.items():
            if name not in self.names or isinstance(given.get(name), TensorPlan):
                continue
            numbers: list[Any] = [n + d for n in self.numbers for d in (-1, 0, 1)]
            if "float" in kind:
                numbers = [float(n) for n in numbers]
            for value in numbers if "int" in kind.lower() or "float" in kind or "number" in kind else ():
                arguments = with_changes(case, ((name, value),))
                if "List" not in kind and not self.search.broken(dict(arguments)):
                    yield replace(case, id=f"{case.id}{name}={value}", arguments=arguments)


def _broken_alone(condition: Predicate, when: Predicate, node: Node) -> bool:
    """Whether a call breaks one condition of a predicate and keeps the others."""
    try:
        held = {c.text: c.holds(node) for c in when.conjuncts}
    except Undecided:
        return False
    return not held[condition.text] and sum(not h for h in held.values()) == 1


def _nearest(cases: Sequence[Case], others: Sequence[Case]) -> list[Case]:
    """The cases that lie nearest to one of the others."""
    ranked = sorted((min((_distance(c, o) for o in others), default=0.0), i) for i, c in enumerate(cases))
    return [cases[i] for _, i in ranked[:_NEAREST]]


def _distance(a: Case, b: Case) -> float:
    mine, theirs = dict(a.arguments), dict(b.arguments)
    return sum(_apart(mine.get(name), theirs.get(name)) for name in mine.keys() | theirs.keys())


def _apart(a: Any, b: Any) -> float:
    if isinstance(a, TensorPlan) and isinstance(b, TensorPlan):
        other = 100.0 * (a.dtype != b.dtype) + (a.layout != b.layout)
        if len(a.shape) != len(b.shape):
            return other + 2.0 * abs(len(a.shape) - len(b.shape))
        return other + sum(abs(x - y) for x, y in zip(a.shape, b.shape, strict=True))
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return sum(_apart(x, y) for x, y in zip(a, b, strict=True))
    return 0.0 if a == b and type(a) is type(b) else 1.0


def _shown(argument: Any) -> str:
    if isinstance(argument, TensorPlan):
        return str(argument).replace(" ", "")
    if isinstance(argument, tuple):
        return f"({','.join(_shown(a) for a in argument)})"
    return choice_text(argument)
