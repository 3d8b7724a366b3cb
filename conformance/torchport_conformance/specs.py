"""The contract entries that cases are made from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from torchport.contract.opset import opset
from torchport.contract.spec import OpSpec
from torchport.errors import OptionError

VERSION = "1.0"
"""The contract version that this suite tests."""


@lru_cache(maxsize=1)
def all_specs() -> Mapping[str, OpSpec]:
    """Every entry of the contract by name."""
    return opset(VERSION).ops


def spec_of(op: str) -> OpSpec:
    """The entry called ``op``."""
    return all_specs()[op]


def selected(select: tuple[str, ...] | None) -> tuple[OpSpec, ...]:
    """The entries to be tested, in contract order.

    ``select`` names operators, with or without overload (``aten.add`` means each of its overloads).

    Raises:
        OptionError: a name is not in the contract.
    """
    specs = all_specs()
    if select is None:
        return tuple(specs.values())
    wanted: set[str] = set()
    for text in select:
        found = {name for name in specs if name == text or name.rsplit(".", 1)[0] == text}
        if not found:
            raise OptionError(
                f"the contract has no operator {text!r}", hint="torchport opset list shows every name"
            )
        wanted |= found
    return tuple(spec for name, spec in specs.items() if name in wanted)
