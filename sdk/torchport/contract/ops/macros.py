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

import torch

from torchport.contract.dtype_rules import result_dtypes
from torchport.contract.library import LIBRARY, define
from torchport.contract.ops.builders import Decomposition, Rule, derived, entry
from torchport.contract.shape_rules import bind, parse
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
    spec = replace(spec, tier=Tier.MACRO)
    register_fake(spec)
    return spec


def register_fake(spec: OpSpec) -> None:
    """Fake tensors get their shapes and dtypes from the entry's rules, so that no size is specialised by the
    composite. Results are row-major, or propagate the first operand's strides (layout ``elementwise``).
    """
    names = [a.name for a in spec.overload._schema.arguments]

    def fake(*args: Any) -> Any:
        arguments = dict(zip(names, args, strict=True))
        like = next(a for a in args if isinstance(a, torch.Tensor))
        if spec.layout == ("elementwise",):
            return torch.empty_like(like, dtype=result_dtypes(spec.dtypes, arguments)[0])
        bound = bind(arguments)
        shapes: list[Any] = [shape for text in spec.shape for shape in parse(text).evaluate(bound)]
        dtypes = result_dtypes(spec.dtypes, arguments)
        results = tuple(like.new_empty(s, dtype=d) for s, d in zip(shapes, dtypes, strict=True))
        return results if len(results) > 1 else results[0]

    torch.library.register_fake(spec.name.removesuffix(".default").replace(".", "::"), fake, lib=LIBRARY)
