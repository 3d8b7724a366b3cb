"""Calls of custom operators that write to their arguments, as AOTAutograd leaves them in a functional graph.

PyTorch wraps such a call in the higher-order operator ``auto_functionalized`` (or its second version).
Where :meth:`OpSet.extend` has given the operator a functional form, the call becomes one of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from torchport.contract.extension import functional_name
from torchport.contract.spec import qualified_name, resolve


@dataclass(frozen=True, eq=False)
class FunctionalCall:
    """A call of a functional form.

    ``results`` has, for each result of the higher-order operator, the index of the form's result, or None.
    """

    name: str
    arguments: tuple[tuple[str, Any], ...]
    results: tuple[int | None, ...]


def functional_call(
    target: torch._ops.HigherOrderOperator, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> FunctionalCall | None:
    """The same call of the operator's functional form; None where it has none, or an argument that is written
    to is a view.
    """
    if target.name() not in ("auto_functionalized", "auto_functionalized_v2") or len(args) != 1:
        return None
    op = args[0]
    try:
        form = resolve(functional_name(qualified_name(op)))
    except AttributeError:
        return None
    schema = op._schema
    written = [a.name for a in schema.arguments if a.alias_info and a.alias_info.is_write]
    values = {k: v for k, v in kwargs.items() if not k.startswith("_")}
    if "_all_bases" in kwargs:
        bases = {name: kwargs.get(f"_{name}_base_index") for name in written}
        if any(index is None or _is_view(name, kwargs) for name, index in bases.items()):
            return None
        values |= {name: kwargs["_all_bases"][index] for name, index in bases.items()}
        count = len(kwargs["_all_bases"])
    else:
        bases, count = {name: i for i, name in enumerate(written)}, len(written)
    returned = len(schema.returns)
    results: list[int | None] = [*range(returned)] or [None]
    places = {index: returned + i for i, index in enumerate(bases.values())}
    results += [places.get(i) for i in range(count)]
    arguments = tuple((a.name, values[a.name]) for a in form._schema.arguments)
    return FunctionalCall(qualified_name(form), arguments, tuple(results))


def _is_view(name: str, kwargs: Mapping[str, Any]) -> bool:
    """Whether what is written to is a part of its base: its geometry is among the arguments."""
    described = {k for k in kwargs if k.startswith(f"_{name}_")} - {f"_{name}_base_index", f"_{name}_alias"}
    return bool(described)
