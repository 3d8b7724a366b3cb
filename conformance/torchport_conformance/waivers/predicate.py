"""Which cases a waiver is about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from torchport_conformance.cases.case import AnyCase, Case

LARGE = 65536
"""Elements above which a tensor is of the size class ``large``."""


@dataclass(frozen=True, slots=True)
class Range:
    """From ``min`` to ``max``, both included; None is no limit."""

    min: int | None = None
    max: int | None = None

    def __contains__(self, number: int) -> bool:
        return (self.min is None or number >= self.min) and (self.max is None or number <= self.max)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A conjunction; None matches everything, of several texts one has to match.

    ``op``, ``id`` and ``cause`` are patterns with ``*`` and ``?``; in an id ``[`` stands for itself.
    ``size``, ``rank`` and ``elements`` are about tensor operands, and match no case that does not state them.
    """

    op: tuple[str, ...] | None = None
    id: tuple[str, ...] | None = None
    dtype: tuple[str, ...] | None = None
    layout: tuple[str, ...] | None = None
    layer: tuple[str, ...] | None = None
    label: tuple[str, ...] | None = None
    cause: tuple[str, ...] | None = None
    size: tuple[str, ...] | None = None
    rank: Range | None = None
    elements: Range | None = None

    def is_about(self, case: AnyCase) -> bool:
        """Whether it matches a case, its end left aside."""
        return (
            _is_like(case.op, self.op)
            and _is_like(case.id, self.id)
            and _is_one(case.dtype, self.dtype)
            and _is_one(case.layout, self.layout)
            and _is_one(case.layer, self.layer)
            and (self.label is None or case.label in self.label)
            and self._fits(case)
        )

    def is_about_op(self, op: str) -> bool:
        """Whether it matches cases of an operator, everything else left aside."""
        return _is_like(op, self.op)

    def names_cause(self, cause: str) -> bool:
        """Whether it matches the cause of a failure."""
        return _is_like(cause, self.cause)

    def _fits(self, case: AnyCase) -> bool:
        if self.size is None and self.rank is None and self.elements is None:
            return True
        found = list(shapes_of(case))
        if not found:
            return False
        classes = {name for shape in found for name in size_classes(shape)}
        return (
            (self.size is None or not classes.isdisjoint(self.size))
            and (self.rank is None or max(map(len, found)) in self.rank)
            and (self.elements is None or max(map(math.prod, found)) in self.elements)
        )

    def as_dict(self) -> dict[str, Any]:
        """What is limited, as plain data."""
        given: Mapping[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        plain: dict[str, Any] = {}
        for name, value in given.items():
            if isinstance(value, Range):
                plain[name] = {k: v for k, v in (("min", value.min), ("max", value.max)) if v is not None}
            elif value is not None:
                plain[name] = list(value)
        return plain


def shapes_of(case: AnyCase) -> Iterator[tuple[int, ...]]:
    """The shapes of a case's tensor operands; none for a layer whose cases do not state them."""
    if isinstance(case, Case):
        for _, planned in case.tensors():
            yield planned.shape


def size_classes(shape: tuple[int, ...]) -> Iterator[str]:
    """``empty``, ``scalar`` (no dimension), ``unit`` (a dimension of one element), and ``small`` or
    ``large``.
    """
    if 0 in shape:
        yield "empty"
    if not shape:
        yield "scalar"
    if 1 in shape:
        yield "unit"
    yield "large" if math.prod(shape) > LARGE else "small"


def _is_one(text: str, wanted: tuple[str, ...] | None) -> bool:
    return wanted is None or text in wanted


def _is_like(text: str, patterns: tuple[str, ...] | None) -> bool:
    # Brackets are part of every id, and are no set of letters.
    return patterns is None or any(fnmatchcase(text, p.replace("[", "[[]")) for p in patterns)
