"""How the calls of a compiled program differ from eager PyTorch's, in words, with a cause for each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from torchport_conformance.layers.graph.observation import Observation, Seen
from torchport_conformance.propagation.worlds import judge

ALIAS_FACTS = (
    "the argument or result that it is",
    "arguments that it shares memory with",
    "results that it shares memory with",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference; ``cause`` is a short stable word for grouping."""

    text: str
    cause: str
    ratio: float = math.inf


@dataclass(eq=False)
class Comparison:
    """All differences between two runs of a program, and how much could be judged.

    ``ratio`` is the largest error over its bound where that is finite. ``pytorchs`` are differences that
    PyTorch's own capture shows in the same way, without any backend.
    """

    differences: list[Difference] = field(default_factory=list)
    pytorchs: list[Difference] = field(default_factory=list)
    ratio: float = 0.0
    elements: int = 0
    judged: int = 0

    def compare(self, ours: Observation, reference: Observation, where: str) -> None:
        """Adds what differs in one call; ``where`` names the call."""
        self.differences += [
            Difference(f"{where}: {d.text}", d.cause, d.ratio) for d in self._call(ours, reference)
        ]

    @property
    def are_strides(self) -> bool:
        """Whether there are differences, all of them of strides."""
        return {d.cause for d in self.differences} == {"strides"}

    def without(self, control: Comparison) -> None:
        """Moves what PyTorch's own capture does in the same way to :attr:`pytorchs`."""
        known = {d.text for d in control.differences}
        self.pytorchs += [d for d in self.differences if d.text in known]
        self.differences = [d for d in self.differences if d.text not in known]

    def _call(self, ours: Observation, reference: Observation) -> Iterator[Difference]:
        if ours.raised and reference.backward_raised:
            return  # Eager refuses the backward when it runs, a compiler when it is traced.
        if bool(ours.raised) != bool(reference.raised):
            yield Difference(
                f"raises {ours.raised[:300]!r}, eager {reference.raised[:300]!r}",
                "exception" if ours.raised else "error not raised",
            )
        if ours.raised or reference.raised:
            return
        if len(ours.results) != len(reference.results):
            yield Difference(
                f"{len(ours.results)} results instead of {len(reference.results)}", "number of results"
            )
            return
        judges = not reference.derailed
        for got, wanted in zip(ours.results, reference.results, strict=True):
            if isinstance(got, Seen) and isinstance(wanted, Seen):
                yield from self._tensor(got, wanted, "values", judges)
            elif not _same(got, wanted):
                yield Difference(f"returns {got!r} instead of {wanted!r}", "number returned")
        for got, wanted in zip(ours.memory, reference.memory, strict=True):
            yield from self._tensor(got, wanted, "write to an argument", judges)
        if bool(ours.backward_raised) != bool(reference.backward_raised):
            yield Difference(
                f"backward raises {ours.backward_raised[:300]!r}, eager {reference.backward_raised[:300]!r}",
                "exception in backward" if ours.backward_raised else "error not raised",
            )
            return
        yield from self._gradients(ours.gradients, reference.gradients, judges)

    def _gradients(
        self, ours: Sequence[Seen | None], reference: Sequence[Seen | None], judges: bool
    ) -> Iterator[Difference]:
        if len(ours) != len(reference):
            yield Difference(f"{len(ours)} gradients instead of {len(reference)}", "gradient missing")
            return
        for i, (got, wanted) in enumerate(zip(ours, reference, strict=True)):
            if got is not None and wanted is not None:
                yield from self._tensor(got, wanted, "gradient", judges)
            elif got is not wanted:
                state = "missing" if got is None else "there although eager has none"
                yield Difference(f"gradient of argument {i} is {state}", "gradient missing")

    def _tensor(self, got: Seen, wanted: Seen, cause: str, judges: bool) -> Iterator[Difference]:
        for key, value in wanted.facts.items():
            if got.facts.get(key) != value:
                alias = key in ALIAS_FACTS
                yield Difference(
                    f"{got.name}: {key}: {got.facts.get(key)} instead of {value}", "alias" if alias else key
                )
        if got.values[0].shape != wanted.values[0].shape or got.facts["dtype"] != wanted.facts["dtype"]:
            return
        found = judge(got.values[0], wanted.values)
        self.elements += found.elements
        if not judges:
            return
        self.judged += found.judged
        if found.ok:
            self.ratio = max(self.ratio, found.ratio)
        else:
            yield Difference(f"{got.name}: {found.message}", cause, found.ratio)


def _same(got: Any, wanted: Any) -> bool:
    if isinstance(got, float) and isinstance(wanted, float) and math.isnan(wanted):
        return math.isnan(got)
    return type(got) is type(wanted) and bool(got == wanted)
