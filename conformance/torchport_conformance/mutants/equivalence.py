"""Whether a mutant that survives can be told from the right kernel at all.

A mutant is presumed equivalent when its results are bit for bit those of the right kernel on every one of
many calls: all cases of the operator, each with fresh values, and again with layouts, special values and
extremes drawn at random for every operand on its own. One call that differs makes it a survivor, whatever the
contract allows there.
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
from torchport_conformance.oracle import ERRORS, arguments_of, operands
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
    """How many calls were compared, and the first that differed, as text; empty where none did."""

    calls: int
    difference: str = ""

    @property
    def presumed_equivalent(self) -> bool:
        """Whether calls were compared and none differed."""
        return self.calls > 0 and not self.difference


def compare(mutant: Mutant, cases: Sequence[Case], *, rounds: int = 2, seed: int = 0) -> Comparison:
    """Compares a mutant with the right kernel, bit for bit.

    Args:
        mutant: whose fault is planted in kernels.
        cases: of its operator; where the calls start from.
        rounds: how often every case is drawn again with random layouts and fills.
        seed: of the draws.
    """
    right = OneOperator(mutant.op)
    faulty = MutantBackend(mutant.op, mutant.fault, mutant.variant, mutant.dtype)
    compared = 0
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
            return Comparison(compared, f"{case.call()}: raises {type(error).__name__}")
        if not all(_same(w, g) for w, g in zip(wanted, got, strict=True)):
            return Comparison(compared, case.call())
    return Comparison(compared)


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


def _outcome(backend: OneOperator, case: Case, values: dict[str, Tensor]) -> list[Tensor]:
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
    return [*outs, *(guarded.whole for guarded in placed.values())]


def _same(a: Tensor, b: Tensor) -> bool:
    if a.shape != b.shape or a.dtype is not b.dtype:
        return False
    return torch.equal(_bits(a), _bits(b))


def _bits(x: Tensor) -> Tensor:
    return x.resolve_conj().contiguous().reshape(-1).view(torch.uint8) if x.numel() else x.reshape(-1)
