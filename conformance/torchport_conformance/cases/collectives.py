"""Cases of collectives: calls in a group of two processes on this machine, with values that are exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from torchport.contract.dtype_rules import accepted_names, dtype_from_name
from torchport.contract.spec import Category, OpSpec
from torchport_conformance.cases.case import seed_of
from torchport_conformance.cases.profiles import Profile

SIZE = 2
"""Processes of the group."""
_DTYPES = ("float32", "int64", "float16")
_REDUCTIONS = ("sum", "avg", "max", "min", "product")
_SPLITS = (1, 3)
"""Rows that each process sends to the first and to the second."""


@dataclass(frozen=True, slots=True)
class CollectiveCase:
    """One call that every process of the group makes. ``reduction`` is empty where nothing is reduced."""

    op: str
    dtype: str
    reduction: str = ""
    layer: ClassVar[str] = "op"
    layout: ClassVar[str] = "contiguous"
    label: ClassVar[str | None] = None
    group: ClassVar[str] = "collectives"

    @property
    def id(self) -> str:
        """Names dtype, processes and reduction."""
        return f"{self.op}[{self.dtype}-{SIZE}processes{self.reduction and '-' + self.reduction}]"

    def call(self) -> str:
        """The call, as text."""
        return f"{self.op}({self.dtype}[4, 3]{self.reduction and ', ' + self.reduction}) in {SIZE} processes"

    def seed(self, run_seed: int) -> int:
        """Operands are functions of the rank alone."""
        return seed_of(self.id, run_seed)


def collective_cases_for(spec: OpSpec, profile: Profile) -> Iterator[CollectiveCase]:
    """The cases of a collective; none of another operator, and none in a quick profile, which starts no
    processes of its own.
    """
    if spec.category is not Category.COLLECTIVE or profile.name == "quick":
        return
    accepted = accepted_names(spec.dtypes, next(iter(spec.dtypes.accepts)))
    reduces = any(a.name == "reduce_op" for a in spec.overload._schema.arguments)
    for dtype in (d for d in _DTYPES if d in accepted):
        for reduction in _REDUCTIONS if reduces else ("",):
            if reduction != "avg" or "float" in dtype:
                yield CollectiveCase(spec.name, dtype, reduction)


def operand(rank: int, dtype: str) -> torch.Tensor:
    """What a process puts in, ``[4, 3]``: small whole numbers, so that every reduction is exact."""
    return ((torch.arange(12) * 7 + rank * 3) % 5 + 1).reshape(4, 3).to(dtype_from_name(dtype))


def arguments(case: CollectiveCase, rank: int, group: str) -> tuple[Any, ...]:
    """The arguments of a process's call."""
    x = operand(rank, case.dtype)
    name = case.op.split(".")[1]
    first: Any = [x, x + 1] if name.endswith("coalesced") else x
    if name == "wait_tensor":
        return (first,)
    if name == "all_to_all_single":
        return first, [_SPLITS[rank]] * SIZE, list(_SPLITS), group
    reduction = (case.reduction,) if case.reduction else ()
    size = (1,) if name == "broadcast" else (SIZE,) if "gather" in name or "scatter" in name else ()
    return (first, *reduction, *size, group)


def expected(case: CollectiveCase, rank: int) -> list[torch.Tensor]:
    """What the call has to give to a process, from what all put in."""
    name = case.op.split(".")[1]
    mine = [operand(r, case.dtype) for r in range(SIZE)]
    lists = [mine, [m + 1 for m in mine]] if name.endswith("coalesced") else [mine]
    return [_expected(name, case.reduction, each, rank) for each in lists]


def _expected(name: str, reduction: str, put_in: list[torch.Tensor], rank: int) -> torch.Tensor:
    if name == "wait_tensor":
        return put_in[rank]
    if name == "broadcast":
        return put_in[1]
    if name.startswith("all_gather"):
        return torch.cat(put_in)
    if name == "all_to_all_single":
        return torch.cat([x.split(list(_SPLITS))[rank] for x in put_in])
    kind = reduction or name.removeprefix("all_reduce_")
    stacked = torch.stack([x.double() for x in put_in])
    reduced = {
        "sum": stacked.sum(0),
        "avg": stacked.mean(0),
        "max": stacked.amax(0),
        "min": stacked.amin(0),
        "product": stacked.prod(0),
    }[kind].to(put_in[0].dtype)
    return reduced.chunk(SIZE)[rank] if name.startswith("reduce_scatter") else reduced
