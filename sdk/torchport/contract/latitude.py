"""Results that the contract leaves open, where eager PyTorch's own algorithms differ from each other.

``numerics.special`` of an entry names the outputs:

* ``infinite-mean@I``: output I is a mean. The mean of values that include infinities of one sign is that
  infinity, which a sum divided by a count gives; updating formulas (Welford's) give NaN. Eager does
  one or the other, by operator, so both are right. Where the values hold NaN or
  infinities of both signs only NaN is.
* ``unspecified-if-empty@I``: output I is a statistic of the operand ``input``; it may be
  anything where there are no values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.reference import outputs_marked, reference, widened
from torchport.contract.spec import OpSpec

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
    data = arguments.get("input", arguments.get("self"))
    if not isinstance(data, Tensor):
        return tuple(found)
    means = outputs_marked(spec, "infinite-mean")
    if means and bool(data.isinf().any()):
        signed, sized = (_with_finite(spec, arguments, absolute=a) for a in (False, True))
        for i in means:
            found[i] = _either(expected[i], got[i], signed[i], sized[i])
    if data.numel() == 0:
        for i in outputs_marked(spec, "unspecified-if-empty"):
            mine, theirs = got[i], expected[i]
            if mine is not None and theirs is not None and mine.shape == theirs.shape:
                found[i] = mine.detach().cpu().to(theirs.dtype)
    return tuple(found)


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
