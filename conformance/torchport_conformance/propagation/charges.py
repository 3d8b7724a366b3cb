"""What one call of an operator may be wrong by, whatever its operands: the contract's bound on its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

from torchport.contract import numerics, reference
from torchport.contract.claims import law_of
from torchport.contract.fx_import import bind_arguments, scalar_overload
from torchport.contract.roundoff import accumulator_of
from torchport.contract.spec import OpSpec, qualified_name
from torchport.errors import ContractError
from torchport_conformance.specs import all_specs

UNDECLARED_WRITES: Mapping[str, tuple[str, ...]] = {
    "aten.native_batch_norm.default": ("running_mean", "running_var")
}
"""Arguments that operators write to although their schemas do not say so, by operator."""
_BATCH_NORM = "aten._native_batch_norm_legit_functional.default"


@cache
def functional_spec(op: torch._ops.OpOverload) -> OpSpec | None:
    """The contract entry of an operator, or of the functional one that computes what it writes.

    ``aten.add_.Tensor`` and ``aten.add.out`` are judged as ``aten.add.Tensor``. None where the contract has
    neither.
    """
    specs, name = all_specs(), qualified_name(op)
    if name in UNDECLARED_WRITES:
        return specs[_BATCH_NORM]
    if name in specs:
        return specs[name]
    namespace, packet, overload = name.split(".")
    written = {a.name for a in op._schema.arguments if a.is_out}
    if not written:
        return specs.get(f"{namespace}.{packet.removesuffix('_')}.{overload}")
    wanted = [(a.name, str(a.type)) for a in op._schema.arguments if not a.is_out]
    for other in op.overloadpacket.overloads():
        found = specs.get(f"{namespace}.{packet}.{other}")
        if found is not None and wanted == [(a.name, str(a.type)) for a in found.overload._schema.arguments]:
            return found
    return None


def charges(
    op: torch._ops.OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]
) -> tuple[Tensor | None, ...]:
    """The bound on the error of each result, float64 in its shape; None where no rounding is allowed.

    Args:
        op: the operator that was called.
        args: its operands, before it wrote to any.
        kwargs: the same.
        results: what eager PyTorch returned or wrote, lists flattened.

    Raises:
        ContractError: the contract says nothing about the operator's numerics.
    """
    if not any(_inexact(r) for r in results):
        return (None,) * len(results)
    if op.namespace not in ("aten", "prims"):
        # Custom operators run as they are on every backend; those of the suite only move elements.
        return (None,) * len(results)
    if qualified_name(op).startswith("aten._foreach_"):
        return _elementwise_lists(op, args, kwargs, results)
    spec = functional_spec(op)
    if spec is None or spec.numerics.kind == "law" or law_of(spec) is not None:
        raise ContractError("the contract has no numerics for an operator of this program", op=str(op))
    given = {k: v for k, v in kwargs.items() if k in {a.name for a in spec.overload._schema.arguments}}
    overload, bound = scalar_overload(spec.overload, bind_arguments(spec.overload, args, given))
    entry = functional_spec(overload) or spec
    return _bounds(entry, dict(bound), results)


def _bounds(spec: OpSpec, arguments: Mapping[str, Any], results: Sequence[Any]) -> tuple[Tensor | None, ...]:
    exact = reference.reference(spec, arguments)
    first = next((r.dtype for r in results if _inexact(r)), torch.float32)
    scales = reference.magnitude(spec, arguments, exact, accumulator_of(first))
    length = reference.length(spec, arguments)
    found: list[Tensor | None] = []
    for result, wanted, scale in zip(results, exact, scales, strict=False):
        if not _inexact(result) or not isinstance(wanted, Tensor) or wanted.shape != result.shape:
            found.append(None)
            continue
        if not _inexact(wanted):
            wanted = wanted.to(torch.float64)
        limit = numerics.bound(spec.numerics, result.dtype, reference=wanted, magnitude=scale, length=length)
        if spec.numerics.kind in ("exact", "order"):
            # What is only moved or chosen is not rounded: the operands are numbers of the dtype already.
            rounded = wanted.to(result.dtype).to(wanted.dtype) != wanted
            limit = torch.where(rounded & wanted.isfinite(), limit, 0.0)
        # A choice inside of an operator, such as the trunc of a quotient next to an integer: where eager is
        # further off than allowed, that far is allowed.
        own = (result.detach().to(wanted.dtype) - wanted).abs().nan_to_num(0.0, 0.0, 0.0)
        found.append(torch.maximum(limit, torch.where(own > limit, own, 0.0)))
    return tuple(found) + (None,) * (len(results) - len(found))


def _elementwise_lists(
    op: torch._ops.OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]
) -> tuple[Tensor | None, ...]:
    """Operators on lists of tensors round as the operator on each tensor does."""
    name = qualified_name(op).split(".")[1].removeprefix("_foreach_").removesuffix("_")
    specs = all_specs()
    found: list[Tensor | None] = []
    for i, result in enumerate(results):
        own = [a[i] if isinstance(a, list | tuple) else a for a in args]
        candidates = (f"aten.{name}.{form}" for form in ("Tensor", "default", "Tensor_Tensor"))
        spec = next((specs[c] for c in candidates if c in specs), None)
        if spec is None:
            raise ContractError("the contract has no numerics for an operator of this program", op=str(op))
        overload, bound = scalar_overload(spec.overload, bind_arguments(spec.overload, own, kwargs))
        found += _bounds(functional_spec(overload) or spec, dict(bound), (result,))
    return tuple(found)


def _inexact(x: Any) -> bool:
    return isinstance(x, Tensor) and (x.is_floating_point() or x.is_complex())
