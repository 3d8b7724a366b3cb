"""Programs by kind, one module each. One line of :data:`MODULES` adds one."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache

from torchport.errors import OptionError
from torchport_conformance.layers.graph.case import GraphCase
from torchport_conformance.layers.graph.program import Family, Kind, Program

MODULES = (
    "aliases",
    "writes",
    "overlaps",
    "guards",
    "sizes",
    "state",
    "integers",
    "constants",
    "views",
    "indexing",
    "reductions",
    "random",
    "autograd",
    "custom",
)


@cache
def families() -> tuple[Family, ...]:
    """Every family of programs, by kind."""
    found: list[Family] = []
    for name in MODULES:
        kind: Kind = importlib.import_module(f"{__name__}.{name}").KIND
        found += kind.families.values()
    return tuple(found)


@cache
def _by_name() -> Mapping[tuple[str, str], Family]:
    return {(family.kind, family.name): family for family in families()}


def program_of(case: GraphCase) -> Program:
    """The program of a case.

    Raises:
        OptionError: there is no such family.
    """
    found = _by_name().get((case.kind, case.name))
    if found is None:
        raise OptionError("the graph layer has no such program", got=case.op)
    return found.build(case.choices)
