"""The contract entries that cases are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import torch

from torchport.contract.dtype_rules import result_dtypes
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


def defaults_of(spec: OpSpec) -> Mapping[str, Any]:
    """The schema's defaults, by argument."""
    return _defaults(spec.overload)


@cache
def _defaults(overload: Any) -> Mapping[str, Any]:
    return {a.name: a.default_value for a in overload._schema.arguments if a.has_default_value()}


def is_listed(spec: OpSpec) -> tuple[bool, ...]:
    """Which of an operator's results are lists of tensors."""
    return _listed(spec.overload)


@cache
def _listed(overload: Any) -> tuple[bool, ...]:
    return tuple(str(r.type).startswith("List") for r in overload._schema.returns)


def dtypes_of_results(spec: OpSpec, arguments: Mapping[str, Any], count: int) -> tuple[torch.dtype, ...]:
    """The contract's dtype of each result, lists flattened; ``count`` is how many there are.

    Raises:
        ContractError: as :func:`~torchport.contract.dtype_rules.result_dtypes` does.
    """
    parts = [result_dtypes(replace(spec.dtypes, results=(text,)), arguments) for text in spec.dtypes.results]
    rules = zip(parts, spec.dtypes.results, is_listed(spec), strict=True)
    alike = [many and not text.startswith("each:") for _, text, many in rules]
    # A list that states one dtype for all of its tensors has what the other results leave.
    left = count - sum(len(part) for part, one in zip(parts, alike, strict=True) if not one)
    return tuple(
        dtype for part, one in zip(parts, alike, strict=True) for dtype in (part * left if one else part)
    )


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
