"""Whether a mutant that survives can be told from the right kernel at all.

A mutant is presumed equivalent when its results are bit for bit those of the right kernel on every one of
many calls: all cases of the operator, each with fresh values, and again with layouts, special values and
extremes drawn at random for every operand on its own. One call that differs makes it a survivor.

Where it is argued that the contract allows the other results, they are judged as a case's are: a call differs
when the mutant's results are outside of the contract's bound and the right kernel's are not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from torchport.contract.dims import lower
from torchport_conformance.buffers import place_input
from torchport_conformance.cases.case import Case, TensorPlan, strides_of
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.mutants.backend import MutantBackend, OneOperator
from torchport_conformance.mutants.kernel import ANY_DTYPE, Call
from torchport_conformance.mutants.mutant import Mutant
from torchport_conformance.numerics import judge
from torchport_conformance.oracle import ERRORS, arguments_of, operands, reference
from torchport_conformance.specs import spec_of

_FILLS = (
    "random",
    "random",
    "nan@first",
    "nan@last",
    "inf@first",
    "inf@last",
    "-inf@last",
    "-0@first",
    "extreme",
    "ties",
)
_FREE = ("any", "small", "positive", "nonzero", "unit")


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many calls were compared, and the first that differed, as text; empty where none did. ``judged``
    counts those whose results differ and that the contract allows all the same.
    """

    calls: int
    difference: str = ""
    judged: int = 0

    @property
    def presumed_equivalent(self) -> bool:
        """Whether calls were compared and none differed."""
        return self.calls > 0 and not self.difference


def compare(
    mutant: Mutant, cases: Sequence[Case], *, rounds: int = 2, seed: int = 0, within: bool = False
) -> Comparison:
    """Compares a mutant with the right kernel, bit for bit.

    Args:
        mutant: whose fault is planted in kernels.
        cases: of its operator; where the calls start from.
        rounds: how often every case is drawn again with random layouts and fills.
        seed: of the draws.
        within: results that differ are held against the contract's bound instead.
    """
    right = OneOperator(mutant.op)
    faulty = MutantBackend(mutant.op, mutant.fault, mutant.variant, mutant.dtype)
    compared = judged = 0
    for case in _drawn(mutant, cases, rounds, seed):
        try:
            values = operands(case, seed)
            wanted = _outcome(right, case, values)
        except ERRORS:
            continue
        compared += 1
        try:
            got = _outcome(faulty, case, values)
        except (*ERRORS, ArithmeticError) as error:
            return Comparison(compared, f"{case.call()}: raises {type(error).__name__}", judged)
        if wanted.equals(got):
            continue
        if not within or not _allowed(case, values, wanted, got):
            return Comparison(compared, case.call(), judged)
        judged += 1
    return Comparison(compared, judged=judged)


def _drawn(mutant: Mutant, cases: Sequence[Case], rounds: int, seed: int) -> Iterator[Case]:
    chosen = [c for c in cases if mutant.dtype in (ANY_DTYPE, c.dtype)]
    yield from chosen
    source = random.Random(f"{seed}:{mutant.id}")
    for turn in range(rounds):
        for case in chosen:
            arguments = tuple((name, _redrawn(a, source)) for name, a in case.arguments)
            yield replace(case, id=f"{case.id}/{turn}", arguments=arguments)


def _redrawn(argument: Any, source: random.Random) -> Any:
    """The argument with a layout and a fill of its own."""
    if isinstance(argument, tuple):
        return tuple(_redrawn(a, source) for a in argument)
    if not isinstance(argument, TensorPlan):
        return argument
    fits = [name for name, layout in LAYOUTS.items() if layout.applies(len(argument.shape))]
    fill = source.choice(_FILLS) if argument.values in _FREE else "random"
    if argument.dtype.is_complex or ("@" in fill and not argument.dtype.is_floating_point):
        fill = "random"
    return replace(argument, layout=source.choice(fits), fill=fill)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a kernel left in its destinations, and in the memory of its operands."""

    results: list[Tensor]
    operands: list[Tensor]

    def equals(self, other: _Outcome) -> bool:
        return _all_same(self.results, other.results) and _all_same(self.operands, other.operands)


def _allowed(case: Case, values: dict[str, Tensor], wanted: _Outcome, got: _Outcome) -> bool:
    """Whether no case could tell them apart: the contract allows what the mutant computes, or refuses what
    the right kernel does.
    """
    if not _all_same(wanted.operands, got.operands):
        return False
    spec, exact = spec_of(case.op), reference(case, values)
    return judge(spec, exact, got.results).ok or not judge(spec, exact, wanted.results).ok


def _outcome(backend: OneOperator, case: Case, values: dict[str, Tensor]) -> _Outcome:
    """What a backend's kernel leaves in destinations that held ones, and in its operands."""
    placed = {}
    for name, plan in case.tensors():
        strides, offset = strides_of(plan)
        placed[name] = place_input(values[name], strides, offset)
    arguments = {k: lower(v) for k, v in arguments_of(case, {n: g.tensor for n, g in placed.items()}).items()}
    torch.manual_seed(0)
    spec = spec_of(case.op)
    outs = [torch.empty_like(r).fill_(1) for r in Call(spec, arguments, ()).right()]
    torch.manual_seed(0)
    backend.kernel(Call(spec, arguments, outs, {}, backend.cache))
    return _Outcome(outs, [guarded.whole for guarded in placed.values()])


def _all_same(a: Sequence[Tensor], b: Sequence[Tensor]) -> bool:
    return all(map(_same, a, b))


def _same(a: Tensor, b: Tensor) -> bool:
    if a.shape != b.shape or a.dtype is not b.dtype:
        return False
    return torch.equal(_bits(a), _bits(b))


def _bits(x: Tensor) -> Tensor:
    packed = torch.empty(x.shape, dtype=x.dtype).copy_(x).reshape(-1)
    return packed.view(torch.uint8) if x.numel() else packed
