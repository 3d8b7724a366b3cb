"""How a macro is defined: an operator of the ``torchport`` namespace that hardware wants whole, its entry at
the macro tier, and eager PyTorch's composite behind it.

A macro has a decomposition into ATen-tier operators, and appears in graphs only where a backend claims it:
composites called by name and forms written out by hand are raised to it
(:mod:`torchport.capture.raising`), what nobody claims stays as the program wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from torchport.contract.library import define
from torchport.contract.ops.builders import Decomposition, Rule, derived, entry
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier


def macro(
    schema: str,
    implementation: Callable[..., Any],
    *,
    category: Category,
    accepts: Mapping[str, Sequence[str]],
    results: str | Sequence[str],
    shape: str | Sequence[str],
    operands: Mapping[str, Operand],
    decomposition: Decomposition,
    numerics: Numerics | None = None,
    layout: str | Sequence[str] = "contiguous",
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
) -> OpSpec:
    """Defines ``torchport::schema`` and gives its entry; the fields are those of an ordinary entry.

    ``numerics`` is by default twice the running error of the decomposition, sums in 16 bits allowed.
    """
    spec = entry(
        define(schema, implementation),
        category=category,
        accepts=accepts,
        results=results,
        shape=shape,
        layout=layout,
        numerics=derived(narrow="sums") if numerics is None else numerics,
        operands=operands,
        constraints=constraints,
        errors=errors,
        decomposition=decomposition,
    )
    return replace(spec, tier=Tier.MACRO)
