"""Calls that break one condition of the contract: a valid call with one argument, or two, changed.

The search knows no operator. It changes each argument in the ways in which an argument of its schema type can
be wrong, evaluates every labelled condition of the entry, and keeps, for each label, the call that breaks the
fewest others. What it finds is frozen (:mod:`torchport_conformance.cases.errors`), after eager PyTorch has
shown that it raises.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchport.contract import dtype_rules, shape_rules
from torchport.contract.dtype_rules import accepted_names, dtype_from_name
from torchport.contract.graph import dtype_name
from torchport.contract.plans import Plan
from torchport.contract.spec import OpSpec, Tier
from torchport.errors import ContractError
from torchport_conformance.cases.arguments import bindings_of
from torchport_conformance.cases.assemble import Recipe, assemble, letters_of, signature
from torchport_conformance.cases.case import Argument, Case, SizeExpr, TensorPlan
from torchport_conformance.cases.patterns import variadic
from torchport_conformance.cases.sizes import SizeClass, base_sizes
from torchport_conformance.specs import defaults_of, spec_of

_DTYPES = ("float32", "float64", "float16", "int64", "int32", "uint8", "bool", "complex64")
_NUMBERS = (-1, 0, 1, 2, 3, 4, 5, 7, -2, -7, 100, -100)
_REALS = (-1.0, 0.0, 0.5, 1.0, 1.5, 2.5, -3.5)
_HUGE = (70000.0, 3.4e39, -3.4e39, 2**40, -(2**40), 300, -300)
"""Beyond the range of float16, float32, int32, and of one byte."""
_TEXTS = ("nonsense", "left", "right", "mean", "sum", "avg", "prod", "auto", "full", "none", "bilinear")
_PAIRS = 6000


@dataclass(frozen=True, slots=True)
class Violation:
    """A call that breaks the condition ``label``.

    ``valid`` is the call that it was made from, ``changed`` the arguments that differ from it; ``others`` are
    labels that the call breaks too.
    """

    label: str
    prose: str
    valid: Case
    changed: tuple[tuple[str, Argument], ...]
    others: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[tuple[str, Argument], ...]:
        """The arguments of the call that is to raise, in schema order."""
        return with_changes(self.valid, self.changed)


def with_changes(valid: Case, changed: Sequence[tuple[str, Argument]]) -> tuple[tuple[str, Argument], ...]:
    """The arguments of a case with some replaced or added; schema order is kept."""
    given = {**dict(valid.arguments), **dict(changed)}
    order = [a.name for a in spec_of(valid.op).overload._schema.arguments]
    return tuple((name, given[name]) for name in order if name in given)


@dataclass(frozen=True, slots=True)
class _Condition:
    label: str
    prose: str
    rule: shape_rules.ShapeRule
    breaks_when: bool

    def broken(self, bindings: shape_rules.Bindings) -> bool:
        holds = self.rule.holds(bindings)
        if self.breaks_when:
            return holds is True
        return holds is False


class Search:
    """Searches the violations of one operator."""

    def __init__(self, spec: OpSpec) -> None:
        self.spec = spec
        self.sig = signature(spec)
        self.types = {a.name: str(a.real_type) for a in spec.overload._schema.arguments}
        self.defaults = defaults_of(spec)
        self.stem = Plan(spec).stem
        named = [_Condition(c.label, c.prose, shape_rules.parse(c.text), True) for c in spec.errors]
        named += [
            _Condition(c.label, c.prose, shape_rules.parse(c.text), False)
            for c in spec.constraints
            if c.tier in (None, Tier.ATEN)
        ]
        self.conditions = tuple(named)

    # --- what a call breaks ---

    def broken(self, arguments: Mapping[str, Argument]) -> tuple[str, ...]:
        """Labels of all that a call breaks: conditions, and dtypes (``T``) as the verifier names them."""
        bindings = bindings_of({**self.defaults, **arguments}, {})
        found = [c.label for c in self.conditions if c.broken(bindings)]
        return (*found, *self._dtype_labels(arguments))

    def _dtype_labels(self, arguments: Mapping[str, Argument]) -> Iterator[str]:
        metas = {name: _meta(argument) for name, argument in arguments.items()}
        names = list(self.types)
        for name in self.spec.dtypes.accepts:
            tensors = metas.get(name)
            listed = tensors if isinstance(tensors, list) else [tensors]
            if not all(
                dtype_rules.accepted(self.spec.dtypes, name, t.dtype, metas)
                for t in listed
                if isinstance(t, torch.Tensor)
            ):
                yield f"{self.stem}.T{names.index(name) + 1}"
        if self.spec.dtypes.computes and not dtype_rules.computable(self.spec.dtypes, metas):
            yield f"{self.stem}.T0"

    # --- valid calls ---

    def bases(self) -> list[Case]:
        """Valid calls of different ranks, dtypes and choices, the plainest first."""
        found: dict[str, Case] = {}
        for recipe in self._recipes():
            case = assemble(self.sig, recipe, "contiguous")
            if case is not None:
                found.setdefault(case.id, case)
        return list(found.values())

    def _recipes(self) -> Iterator[Recipe]:
        parts = variadic(self.sig.patterns)
        ranks = (2, 3, 1, 4, 5) if parts else (2,)
        first = accepted_names(self.spec.dtypes, self.sig.tensors[0]) if self.sig.tensors else ()
        dtypes = [d for d in _DTYPES if d in first] or list(first[:1]) or ["float32"]
        for rank, dtype in itertools.product(ranks, dtypes[:4]):
            yield self.recipe(dict.fromkeys(parts, rank), dtype, {})
        for name in self.sig.choosable:
            for choice in range(1, len(self.sig.operands[name].choices)):
                for rank in ranks[:2]:
                    yield self.recipe(dict.fromkeys(parts, rank), dtypes[0], {name: choice})
        for dtype in dtypes[4:]:
            yield self.recipe(dict.fromkeys(parts, ranks[0]), dtype, {})
        for choices in itertools.islice(self._combined_choices(), 40):
            yield self.recipe(dict.fromkeys(parts, ranks[0]), dtypes[0], choices)

    def _combined_choices(self) -> Iterator[dict[str, int]]:
        names = self.sig.choosable
        for a, b in itertools.combinations(names, 2):
            for i in range(1, len(self.sig.operands[a].choices)):
                for j in range(1, len(self.sig.operands[b].choices)):
                    yield {a: i, b: j}

    def recipe(self, ranks: Mapping[str, int], first: str, choices: Mapping[str, int]) -> Recipe:
        """Small contiguous operands; those that accept the first one's dtype have it."""
        dtypes: dict[str, str] = {}
        for name in self.sig.tensors:
            own = self.spec.dtypes.accepts.get(name, ())
            if own and own[0].startswith("same:"):
                dtypes[name] = dtypes.get(own[0].removeprefix("same:"), first)
            else:
                usual = next((d for d in ("float32", "float64", "int64", "bool") if d in own), None)
                dtypes[name] = first if not own or first in own else usual or own[0]
        sizes = base_sizes(letters_of(self.sig, ranks), "small")
        return Recipe(dtypes, ranks, SizeClass("small", sizes), choices=choices)

    # --- the search ---

    def violations(self) -> Iterator[Violation]:
        """Candidates for every label, those that break the fewest others first: eager may not raise for one
        and raise for the next.
        """
        by_label: dict[str, list[Violation]] = {}
        bases = self.bases()
        seen: set[tuple[Any, ...]] = set()
        for base in bases:
            for changed in self._single_changes(base):
                self._note(base, changed, by_label, seen)
        missing = [c for c in self.conditions if c.label not in by_label]
        if missing:
            for base in bases[:6]:
                for changed in itertools.islice(self._double_changes(base, missing), _PAIRS):
                    self._note(base, changed, by_label, seen)
        prose = {c.label: c.prose for c in self.conditions}
        for label, candidates in by_label.items():
            ordered = sorted(candidates, key=lambda v: (len(v.others), len(v.changed)))
            for violation in ordered[:6]:
                yield replace(violation, prose=prose.get(label) or _dtype_prose(self.spec, label))

    def _note(
        self,
        base: Case,
        changed: tuple[tuple[str, Argument], ...],
        by_label: dict[str, list[Violation]],
        seen: set[tuple[Any, ...]],
    ) -> None:
        arguments = with_changes(base, changed)
        key = tuple((n, str(a), type(a).__name__) for n, a in arguments)
        if key in seen:
            return
        seen.add(key)
        try:
            labels = self.broken(dict(arguments))
        except (ContractError, ValueError, TypeError, AttributeError, RuntimeError, IndexError):
            return  # not a call whose conditions can be told
        for label in labels:
            others = tuple(o for o in labels if o != label)
            by_label.setdefault(label, []).append(Violation(label, "", base, changed, others))

    def _single_changes(self, base: Case) -> Iterator[tuple[tuple[str, Argument], ...]]:
        given = dict(base.arguments)
        for name, kind in self.types.items():
            for value in changes_of(given.get(name, self.defaults.get(name)), kind):
                yield ((name, value),)

    def _double_changes(
        self, base: Case, missing: Sequence[_Condition]
    ) -> Iterator[tuple[tuple[str, Argument], ...]]:
        """Pairs of changes of arguments that the conditions still without a call read."""
        given = dict(base.arguments)
        for condition in missing:
            read = [n for n in self.types if n in condition.rule.names or n in condition.rule.dtype_names]
            for a, b in itertools.combinations(read or list(self.types), 2):
                firsts = list(changes_of(given.get(a, self.defaults.get(a)), self.types[a]))
                seconds = list(changes_of(given.get(b, self.defaults.get(b)), self.types[b]))
                for x, y in itertools.product(firsts, seconds):
                    yield ((a, x), (b, y))

    def unfit_numbers(self) -> Iterator[Violation]:
        """Calls within every condition, with a number that the operand's dtype cannot hold."""
        names = list(self.types)
        for base in self.bases()[:8]:
            for name, kind in self.types.items():
                if kind not in ("number", "Optional[number]"):
                    continue
                for value in _HUGE:
                    arguments = dict(with_changes(base, ((name, value),)))
                    try:
                        labels = self.broken(arguments)
                    except ContractError:
                        continue
                    if not labels:
                        label = f"{self.stem}.A{names.index(name) + 1}"
                        text = f"{name!r} does not fit {base.dtype}"
                        yield Violation(label, text, base, ((name, value),))


def changes_of(value: Any, schema_type: str) -> Iterator[Argument]:
    """Other values that an argument of a schema type could be given by mistake."""
    if isinstance(value, SizeExpr):
        value = value.value
    if schema_type.startswith("Optional["):
        if value is not None:
            yield None
        yield from changes_of(value, schema_type[len("Optional[") : -1])
    elif schema_type == "Tensor":
        yield from _tensor_changes(value)
    elif schema_type.startswith("List[") and "Tensor" in schema_type:
        yield from _list_changes(value)
    elif schema_type.startswith("List["):
        yield from _sequence_changes(value, schema_type)
    elif schema_type in ("int", "SymInt"):
        yield from (n for n in _NUMBERS if n != value)
        yield from (dtype_from_name(d) for d in _DTYPES)  # a dtype is an int to the schema
    elif "ScalarType" in schema_type:
        yield from (dtype_from_name(d) for d in _DTYPES)
    elif schema_type in ("float", "number"):
        yield from (n for n in (*_NUMBERS, *_REALS, True) if n != value or type(n) is not type(value))
    elif schema_type == "bool":
        yield not value
    elif schema_type == "str":
        yield from (t for t in _TEXTS if t != value)


def _tensor_changes(plan: Any) -> Iterator[Argument]:
    if not isinstance(plan, TensorPlan):
        plan = TensorPlan((2, 3), (2, 3), torch.float32)
        for shape in ((2, 3), (3,), ()):
            yield _shaped(plan, shape)
    shape = plan.shape
    for i in range(len(shape)):
        for size in (shape[i] + 1, shape[i] - 1, 0, 1, 2, 7):
            if size >= 0 and size != shape[i]:
                yield _shaped(plan, (*shape[:i], size, *shape[i + 1 :]))
    for other in (shape[1:], shape[:-1], (2, *shape), (*shape, 2), (), (3,), (2, 3), (2, 2), (2, 3, 4)):
        if other != shape:
            yield _shaped(plan, other)
    for rank in (4, 5, 6, 7):
        if len(shape) != rank:
            yield _shaped(plan, ((2,) * rank)[: max(0, rank - len(shape))] + shape[-rank:])
    if shape:
        yield _shaped(plan, (0,) * len(shape))
        yield _shaped(plan, (1,) * len(shape))
    for dtype in _DTYPES:
        if dtype != dtype_name(plan.dtype):
            yield replace(plan, dtype=dtype_from_name(dtype), values=_drawable(plan.values, dtype))


def _drawable(values: str, dtype: str) -> str:
    return (
        "small"
        if values.startswith(("result(", "positive-definite")) and not dtype.startswith(("float", "complex"))
        else values
    )


def _shaped(plan: TensorPlan, shape: tuple[int, ...]) -> TensorPlan:
    values = plan.values
    if values.startswith(("result(", "pivots", "positive-definite", "offsets", "ends")):
        values = "small" if plan.dtype.is_floating_point or plan.dtype.is_complex else "index:1"
    return replace(plan, dims=shape, shape=shape, values=values, layout="contiguous")


def _list_changes(value: Any) -> Iterator[Argument]:
    items = value if isinstance(value, tuple) else ()
    if items:
        yield ()
        yield items[:-1]
        yield (*items, items[-1])
        for changed in itertools.islice(_tensor_changes(items[0]), 40):
            yield (changed, *items[1:])
            yield (changed,) * len(items)


def _sequence_changes(value: Any, schema_type: str) -> Iterator[Argument]:
    items = tuple(value) if isinstance(value, tuple | list) else ()
    if "bool" in schema_type:
        yield tuple(not v for v in items)
        return
    yield ()
    yield items[:-1]
    yield (*items, 1)
    yield (*items, *items)
    if items:
        yield (items[0],) * max(2, len(items))
    for i in range(len(items)):
        for number in (-1, 0, 1, 2, 3, 5, 9, 100, -100):
            yield (*items[:i], number, *items[i + 1 :])
    for number in (0, -1, 1, 2, 9):
        yield (number,) * max(len(items), 1)
        yield (number,) * (len(items) + 1)
    yield (0, 0)
    yield (0, 100)


def _meta(argument: Argument) -> Any:
    if isinstance(argument, TensorPlan):
        return torch.empty(argument.shape, dtype=argument.dtype, device="meta")
    if isinstance(argument, tuple):
        return [_meta(a) for a in argument]
    return argument.value if isinstance(argument, SizeExpr) else argument


def _number(label: str) -> str:
    return label.rpartition(".")[2]


def _dtype_prose(spec: OpSpec, label: str) -> str:
    index = int(_number(label)[1:])
    if not index:
        return "the operator does not compute in the common dtype of these operands"
    name = spec.overload._schema.arguments[index - 1].name
    return f"argument {name!r} does not accept this dtype"
