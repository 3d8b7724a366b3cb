"""Which elements of results are outside of their bounds: where two results are wrong in the same places, one
fault can explain both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract import reference as exact_of
from torchport.contract.claims import law_of
from torchport.contract.converted import converted_operands
from torchport.contract.latitude import permitted
from torchport.contract.numerics import any_order, bound, ratios, wide
from torchport.contract.roundoff import accumulator_for
from torchport.contract.spec import OpSpec


def outside(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    got: Sequence[Tensor | None],
    reference: Sequence[Tensor | None],
    scales: exact_of.Scales | None = None,
) -> tuple[Tensor | None, ...]:
    """Which elements of each output are outside of their bounds, as bool tensors of its shape.

    None for an output that does not exist, and for one that has no bounds of its own elements: those of laws,
    and indices beside the values that they point at.

    Args:
        spec: the operator.
        arguments: every schema argument, tensors as the operator got them.
        got: the outputs, of the shapes of the reference.
        reference: the exact outputs.
        scales: those of the arguments, where the caller judges several results.
    """
    found = _outside(spec, arguments, got, reference, scales or exact_of.Scales(spec, arguments))
    converted = converted_operands(spec, arguments, got, accumulator_for(got))
    if converted is None:
        return found
    scales = exact_of.Scales(spec, converted)
    others = _outside(spec, converted, got, exact_of.reference(spec, converted), scales)
    return tuple(a if a is None or b is None else a & b for a, b in zip(found, others, strict=True))


def _outside(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    got: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
    scales: exact_of.Scales,
) -> tuple[Tensor | None, ...]:
    if spec.numerics.kind == "law" or law_of(spec) is not None:
        return (None,) * len(got)
    expected = permitted(spec, arguments, expected, got)
    magnitudes = scales.of(expected, accumulator_for(got))
    length = exact_of.length(spec, arguments)
    return tuple(
        None if mine is None or theirs is None else _elements(spec, mine, theirs, i, scale, length, arguments)
        for i, (mine, theirs, scale) in enumerate(zip(got, expected, magnitudes, strict=True))
    )


def _elements(
    spec: OpSpec,
    got: Tensor,
    reference: Tensor,
    output: int,
    magnitude: Tensor | None,
    length: int,
    arguments: Mapping[str, Any],
) -> Tensor | None:
    got = got.detach().cpu().resolve_conj()
    if not (got.dtype.is_floating_point or got.dtype.is_complex):
        if output > 0 and (spec.numerics.kind == "order" or any_order(arguments)):
            return None
        if "rounded-integers" in spec.numerics.special:
            return (got.to(torch.int64) - reference.to(torch.int64)).abs() > 1
        return got != reference.to(got.dtype)
    limit = bound(spec.numerics, got.dtype, reference=reference, magnitude=magnitude, length=length)
    exact = spec.numerics.kind in ("exact", "order")
    if not got.dtype.is_complex:
        return ratios(spec, got, wide(reference), limit, exact)[0] > 1.0
    mine, theirs = torch.view_as_real(got), torch.view_as_real(wide(reference))
    return ratios(spec, mine, theirs, limit.unsqueeze(-1), exact)[0].gt(1.0).any(-1)
