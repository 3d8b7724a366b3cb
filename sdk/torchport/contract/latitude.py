"""Results that the contract leaves open, where eager PyTorch's own algorithms differ from each other.

``numerics.special`` of an entry names the outputs:

* ``infinite-mean@I``: output I is a mean. The mean of values that include infinities of one sign is that
  infinity, which a sum divided by a count gives; updating formulas (Welford's) give NaN. Eager does
  one or the other, by operator, so both are right. Where the values hold NaN or
  infinities of both signs only NaN is.
* ``unspecified-if-empty@I``: output I is a statistic of the operand ``input``; it may be
  anything where there are no values.

Normalizations multiply by a weight what they have shifted, or shift what they have multiplied: with an
infinite weight the one is an infinity where the other is NaN, and eager does one or the other, by the layout
of its operands; an exact 0 before that weight may be a small number of either sign. A number that is rounded
to decimals goes to either neighbour where, scaled in its own precision, it is half way. A pixel that is not
finite may count or not where its weight is 0 up to rounding (:mod:`torchport.contract.zero_weights`), and
experts whose probabilities rounding makes equal may stand in any order
(:mod:`torchport.contract.tied_experts`). ``mvlgamma`` is undefined where its argument is at most (p - 1) / 2.
Of several values that are written to one place, any may stand there
(:mod:`torchport.contract.repeated_places`). A state of a recurrent layer that rounding made 0 is lost to an
infinite weight (:mod:`torchport.contract.lost_states`). An element on the edge of two bins counts in either
(:mod:`torchport.contract.edge_bins`).

And for every operator that moves values: a number that is converted to an integer dtype which cannot hold it,
NaN included, becomes any number there (C++ leaves it undefined, and eager's loops differ).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.edge_bins import HISTOGRAM, counted_otherwise
from torchport.contract.lost_states import RECURRENT, open_after_lost_states
from torchport.contract.reference import flatten, outputs_marked, reference, widened
from torchport.contract.repeated_places import open_where_repeated
from torchport.contract.roundoff import accumulator_of, unit_roundoff
from torchport.contract.spec import Category, OpSpec
from torchport.contract.tied_experts import DISPATCH, chosen_otherwise
from torchport.contract.zero_weights import RESAMPLERS, open_at_zero_weights

_MOVES = (Category.LAYOUT, Category.CONVERSION)
_UNDEFINED_BELOW = "aten.mvlgamma.default"
_DECIMALS = "aten.round.decimals"
_HUGE = 1e150
"""Stands for infinity: its square is finite, and no mean of ordinary values is as large as its root."""


def permitted(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    expected: Sequence[Tensor | None],
    got: Sequence[Tensor | None],
) -> tuple[Tensor | None, ...]:
    """The reference with the elements of ``got`` in the places where the contract permits them.

    Args:
        spec: the operator.
        arguments: every schema argument.
        expected: the outputs of the reference, float64.
        got: the outputs to be judged, in their dtypes.
    """
    found = list(expected)
    if spec.name == DISPATCH:
        return tuple(chosen_otherwise(arguments, expected, got))
    if spec.name == HISTOGRAM:
        return tuple(counted_otherwise(arguments, expected, got))
    if expected[0] is not None and got[0] is not None:
        found[0] = open_where_repeated(spec, arguments, expected[0], got[0])
    if spec.name in RECURRENT:
        found = open_after_lost_states(arguments, found, got)
    data = arguments.get("input", arguments.get("self"))
    if not isinstance(data, Tensor):
        return tuple(found)
    means = outputs_marked(spec, "infinite-mean")
    if means and bool(data.isinf().any()):
        signed, sized = (_with_finite(spec, arguments, absolute=a) for a in (False, True))
        for i in means:
            found[i] = _either(expected[i], got[i], signed[i], sized[i])
    if spec.category is Category.NORMALIZATION:
        found = _shifted_first_or_last(spec, arguments, found, got)
    if spec.name == _DECIMALS:
        found = _to_decimals(data, arguments["decimals"], found, got)
    if spec.name == _UNDEFINED_BELOW:
        found = _open_below(0.5 * (arguments["p"] - 1), data, found, got)
    if spec.name in RESAMPLERS:
        for i, (theirs, mine) in enumerate(zip(expected, got, strict=True)):
            if theirs is not None and mine is not None and mine.dtype.is_floating_point:
                unit = unit_roundoff(accumulator_of(mine.dtype))
                found[i] = open_at_zero_weights(spec, arguments, theirs, mine, unit)
    if spec.category in _MOVES:
        found = _open_where_out_of_range(spec, arguments, found, got)
    if data.numel() == 0:
        for i in outputs_marked(spec, "unspecified-if-empty"):
            mine, theirs = got[i], expected[i]
            if mine is not None and theirs is not None and mine.shape == theirs.shape:
                found[i] = mine.detach().cpu().to(theirs.dtype)
    return tuple(found)


def _shifted_first_or_last(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    expected: Sequence[Tensor | None],
    got: Sequence[Tensor | None],
) -> list[Tensor | None]:
    """The infinities of the decomposition where ``got`` has them and the reference has NaN."""
    weight = arguments.get("weight")
    if spec.decomposition is None or not isinstance(weight, Tensor) or not bool(weight.isinf().any()):
        return list(expected)
    with torch.no_grad():
        apart = flatten(spec.decomposition(**widened(spec, arguments)))
    # Finite but for the weight: NaN is then an exact 0 times infinity.
    unit = torch.where(weight.isinf(), torch.ones_like(weight), weight)
    plain = reference(spec, {**arguments, "weight": unit})
    found: list[Tensor | None] = []
    for theirs, mine, other, finite in zip(expected, got, apart, plain, strict=True):
        if theirs is None or mine is None or not isinstance(other, Tensor) or theirs.shape != mine.shape:
            found.append(theirs)
            continue
        infinite = theirs.isnan() & other.isinf() & (mine.detach().cpu().to(theirs.dtype) == other)
        result = torch.where(infinite, other.to(theirs.dtype), theirs)
        if finite is not None and finite.shape == theirs.shape:
            value = mine.detach().cpu().to(theirs.dtype)
            result = torch.where(theirs.isnan() & finite.isfinite() & value.isinf(), value, result)
        found.append(result)
    return found


def _to_decimals(
    x: Tensor, decimals: int, expected: Sequence[Tensor | None], got: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """The neighbour that ``got`` is nearest to, where ``x`` times a power of ten is half way between two, up
    to its rounding.
    """
    (theirs,), (mine,) = expected, got
    if theirs is None or mine is None or theirs.shape != mine.shape or not mine.is_floating_point():
        return list(expected)
    power = 10.0**decimals
    scaled, value = x.detach().cpu().to(torch.float64) * power, mine.detach().cpu().to(torch.float64)
    below = scaled.floor()
    doubt = 2.0 * unit_roundoff(accumulator_of(mine.dtype)) * scaled.abs()
    upper = (value * power - below).abs() > (value * power - below - 1.0).abs()
    # An exact tie goes to the even neighbour.
    past = (scaled - below - 0.5).abs()
    return [torch.where((past > 0) & (past <= doubt), (below + upper) / power, theirs)]


def _open_below(
    limit: float, data: Tensor, expected: Sequence[Tensor | None], got: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """Results as they are where ``data`` is at most ``limit``."""
    outside = data.to(torch.float64) <= limit
    return [
        theirs
        if theirs is None or mine is None or theirs.shape != mine.shape
        else torch.where(outside, mine.detach().cpu().to(theirs.dtype), theirs)
        for theirs, mine in zip(expected, got, strict=True)
    ]


def _open_where_out_of_range(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    expected: Sequence[Tensor | None],
    got: Sequence[Tensor | None],
) -> list[Tensor | None]:
    """Integer results as they are where they come from a number that their dtype cannot hold: from there on
    they follow what stands in its place.
    """
    found = list(expected)
    for i, (theirs, mine) in enumerate(zip(expected, got, strict=True)):
        if theirs is None or mine is None or theirs.dtype.is_floating_point or theirs.dtype.is_complex:
            continue
        if theirs.dtype is torch.bool or theirs.shape != mine.shape:
            continue
        zeros, ones = (_held(arguments, theirs.dtype, number) for number in (0.0, 1.0))
        if zeros is None or ones is None:
            continue
        differ = reference(spec, zeros)[i] != reference(spec, ones)[i]
        found[i] = torch.where(torch.as_tensor(differ), mine.detach().cpu().to(theirs.dtype), theirs)
    return found


def _held(arguments: Mapping[str, Any], dtype: torch.dtype, number: float) -> dict[str, Any] | None:
    """Arguments with ``number`` for what an integer dtype cannot hold; None where it can hold all."""
    limits, changed, found = torch.iinfo(dtype), False, dict(arguments)
    for name, value in arguments.items():
        if isinstance(value, Tensor) and value.is_floating_point():
            wide = value.to(torch.float64)
            lost = ~((wide > limits.min - 1.0) & (wide < limits.max + 1.0))
            if bool(lost.any()):
                found[name], changed = torch.where(lost, number, value), True
    return found if changed else None


def _with_finite(spec: OpSpec, arguments: Mapping[str, Any], *, absolute: bool) -> tuple[Tensor | None, ...]:
    """The reference of operands whose infinities are replaced by a number, with its sign or without."""
    wide = widened(spec, arguments)
    name = "input" if "input" in wide else "self"
    data = wide[name]
    number = torch.full_like(data, _HUGE) if absolute else _HUGE * torch.sign(data)
    return reference(spec, {**wide, name: torch.where(data.isinf(), number, data)})


def _either(
    expected: Tensor | None, got: Tensor | None, signed: Tensor | None, sized: Tensor | None
) -> Tensor | None:
    if expected is None or got is None or signed is None or sized is None or got.shape != expected.shape:
        return expected
    value = got.detach().cpu().to(expected.dtype)
    one_sign = torch.isclose(signed.abs(), sized, rtol=1e-6) & signed.isfinite()
    infinite = one_sign & (sized > _HUGE**0.5) & ~expected.isfinite()
    right = value.isnan() | (value == torch.sign(signed) * torch.inf)
    return torch.where(infinite & right, value, expected)
