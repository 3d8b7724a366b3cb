"""How close a result has to be to the exact one: the contract's only source of tolerances.

Everything is measured against a reference computed in float64 from the operands as they are (already
rounded to their dtype). In short:

    result = check(spec, got, reference, output=0, magnitude=m, length=n)     # one output, what a suite calls
    result = judge(spec, arguments, got)                                      # everything, reference included
    limit = bound(spec.numerics, dtype, reference=r, magnitude=m, length=n)   # the bound alone

``magnitude`` and ``length`` come from :func:`torchport.contract.reference.magnitude` and
:func:`~torchport.contract.reference.length`; ``judge`` calls both.

With u the unit roundoff of the accumulator (float32 for the 16-bit dtypes and float32, float64 for
float64), ulp(x) the spacing of the result dtype at |x|, r the reference, m the magnitude and n the length,
the bound on |got - r| is

* ``exact``: 0 after rounding r to the dtype; ½ ulp(r) before.
* ``ulp``: N ulp(max(|r|, m)), N by dtype from the entry. m is 0 unless the entry names a magnitude.
* ``reduction``: g(n) m + ½ ulp(r); m is the sum of |terms|.
* ``dot``: g(n) m + ½ ulp(r); m is the sum of |a| |b|, the scale that the TOSA conformance method uses for
  dot products.

g(n) is the smaller of γ(n) = n u / (1 - n u) (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd
ed., §3.1 and §4.2: any order of summation) and λ √n u with λ = 8 (Higham and Mary, *A New Approach to
Probabilistic Rounding Error Analysis*, SIAM J. Sci. Comput. 41(5), 2019: rounding errors that are
independent with mean zero exceed it with probability under 2n exp(-λ²/2)). float64 results are compared
with a float64 reference that has an error of its own, so their bounds are doubled.

Integer operands of a float result, or of a comparison with floats, may be converted to the dtype that
PyTorch's promotion gives, and numbers that elements of an ``exact`` operator are compared with to that of
the accumulator: a result is right that is within the bound of the exact one or of that of the converted
operands.

NaN must be where the reference has NaN and nowhere else. An infinity must be one in the reference, or
within the bound of what overflows the dtype. ``special`` adds: ``signed-zero`` (the sign of an exact zero
counts), ``narrow-accumulator`` (sums may be accumulated in the result's dtype, as scatters do),
``own-precision`` (the operator is about the bits of its dtype, so the reference is computed in it),
``by-decomposition`` (PyTorch has the operator for few dtypes or devices, or wrong in float64, so the
reference is the entry's decomposition in float64),
``rounded-integers`` (an integer result is a rounded real one and may be off by one),
``own-result@I`` (output I is bookkeeping that depends on the operands' dtype), ``own-eps`` (an absent
``eps`` is that of the dtype the operator computes in, not that of float64),
``infinite-mean@I`` and ``unspecified-if-empty@I`` (see :mod:`torchport.contract.latitude`; I is an output),
``unique-indices`` (see :mod:`torchport.contract.repeated_places`)
and, for ``law``, the law first (:data:`torchport.contract.laws.LAWS`, ``dropout``,
``unspecified-values`` or, for matrix operators, ``obeys@NAME``: see :mod:`torchport.contract.claims`; only
:func:`judge` judges those, all outputs together).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torchport.contract.claims import Results, claims, law_of, worst
from torchport.contract.converted import converted_operands
from torchport.contract.graph import dtype_name
from torchport.contract.latitude import permitted
from torchport.contract.laws import ENOUGH_SAMPLES, SIGMAS, correlated, verdict
from torchport.contract.reference import (
    Scales,
    absent,
    length as reduction_length,
    reference as reference_of,
    widened,
)
from torchport.contract.roundoff import accumulator_for, accumulator_of, digits, gamma, ulp, unit_roundoff
from torchport.contract.spec import Numerics, OpSpec
from torchport.errors import ContractError


@dataclass(frozen=True, slots=True)
class NumericsResult:
    """Verdict on one output (or on all of them, for :func:`judge`).

    ``max_ratio`` is the largest error relative to its bound (1 is just allowed, ``inf`` where a special
    value is wrong); ``max_ulp`` the largest error in units of the last place of the reference; ``message``
    is empty when ``ok``; ``index`` is the worst element of ``output``.
    """

    ok: bool
    max_ratio: float
    max_ulp: float
    message: str = ""
    index: tuple[int, ...] | None = None
    output: int = 0


PASSED = NumericsResult(True, 0.0, 0.0)


def bound(
    numerics: Numerics,
    dtype: torch.dtype,
    *,
    reference: Tensor,
    magnitude: Tensor | None = None,
    length: int = 1,
    accumulator: torch.dtype | None = None,
) -> Tensor:
    """The elementwise bound on |got - reference|, float64 in the reference's shape.

    Args:
        numerics: the entry's.
        dtype: dtype of the result; integers and bool have bound 0.
        reference: the exact result, float64 (complex128, or an integer dtype).
        magnitude: what errors are relative to, broadcastable to ``reference``; |reference| when None.
        length: reduction length, for ``dot`` and ``reduction``.
        accumulator: dtype of the accumulator where it is not :func:`accumulator_of` ``dtype``.

    Raises:
        ContractError: the kind has no bound (``law``), or states none for ``dtype``.
    """
    if not (dtype.is_floating_point or dtype.is_complex):
        return torch.zeros(reference.shape, dtype=torch.float64)
    size = wide(reference).abs().to(torch.float64)
    if numerics.kind == "law":
        raise ContractError("a random operator has no bound on its values", got="law")
    if numerics.kind in ("exact", "order"):
        return 0.5 * ulp(size, dtype)
    slack = 2.0 if digits(dtype) == 53 else 1.0
    if numerics.kind == "ulp":
        units = numerics.ulps.get(dtype_name(dtype))
        if units is None:
            raise ContractError("the entry states no ulps for this dtype", got=dtype_name(dtype))
        scale = size if magnitude is None else torch.maximum(size, _finite(magnitude).expand_as(size))
        return slack * units * ulp(scale, dtype)
    if numerics.kind in ("reduction", "dot"):
        scale = size if magnitude is None else torch.maximum(size, _finite(magnitude).expand_as(size))
        narrow = dtype if "narrow-accumulator" in numerics.special else accumulator_of(dtype)
        growth = gamma(length, unit_roundoff(accumulator or narrow))
        # A complex product is four real ones and two sums (Higham §3.6): a factor of 2√2 covers them.
        growth *= 2.0 * math.sqrt(2.0) if dtype.is_complex else 1.0
        limit = slack * (growth * scale + 0.5 * ulp(size, dtype))
        if numerics.magnitude == "derived" and magnitude is not None:
            # An error that float64 cannot hold, of operands near the end of its range.
            limit = torch.where(magnitude.isposinf(), math.inf, limit)
        return limit
    raise ContractError("unknown kind of numerics", got=numerics.kind)


def _finite(x: Tensor) -> Tensor:
    return x.abs().to(torch.float64).nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)


def check(
    spec: OpSpec,
    got: Tensor,
    reference: Tensor,
    *,
    output: int = 0,
    magnitude: Tensor | None = None,
    length: int = 1,
    accumulator: torch.dtype | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> NumericsResult:
    """Whether one output is close enough.

    Args:
        spec: the operator.
        got: the result, in its dtype.
        reference: the exact result, float64 (complex128; integers and bool as they are), of the same shape.
        output: which output it is.
        magnitude: as for :func:`bound`.
        length: as for :func:`bound`.
        accumulator: as for :func:`bound`.
        arguments: the operator's arguments; with them, indices of ``order`` operators are checked by what
            they point at.

    Raises:
        ContractError: shapes differ, or the entry states nothing for the dtype.
    """
    if got.shape != reference.shape:
        raise ContractError(
            "result and reference have different shapes",
            op=spec.name,
            got=f"{list(got.shape)}, {list(reference.shape)}",
        )
    got = got.detach().cpu().resolve_conj()
    if law_of(spec) is not None:
        return PASSED
    if spec.numerics.kind == "law":
        return _law(spec, got, arguments or {})
    if got.numel() == 0:
        return PASSED
    if not (got.dtype.is_floating_point or got.dtype.is_complex):
        if output > 0 and (spec.numerics.kind == "order" or any_order(arguments)):
            return _pointed_at(spec, got, arguments)
        if "rounded-integers" in spec.numerics.special:
            return _within_one(got, reference)
        return _equal(got, reference)
    limit = bound(
        spec.numerics,
        got.dtype,
        reference=reference,
        magnitude=magnitude,
        length=length,
        accumulator=accumulator,
    )
    exact = spec.numerics.kind in ("exact", "order")
    if got.dtype.is_complex:
        parts = zip(
            torch.view_as_real(got).unbind(-1), torch.view_as_real(wide(reference)).unbind(-1), strict=True
        )
        found = [_compare(spec, g, r, limit, exact) for g, r in parts]
        return max(found, key=lambda r: (not r.ok, r.max_ratio))
    return _compare(spec, got, wide(reference), limit, exact)


def any_order(arguments: Mapping[str, Any] | None) -> bool:
    """Whether a call leaves the order of equal elements open: that of a sort that is not stable."""
    return arguments is not None and "stable" in arguments and not arguments["stable"]


def wide(x: Tensor) -> Tensor:
    """In float64, or complex128."""
    return x.to(torch.complex128).resolve_conj() if x.dtype.is_complex else x.to(torch.float64)


def _compare(spec: OpSpec, got: Tensor, reference: Tensor, limit: Tensor, exact: bool) -> NumericsResult:
    ratio, units = ratios(spec, got, reference, limit, exact)
    return _verdict(ratio, units, got, reference, None if exact else limit)


def ratios(spec: OpSpec, got: Tensor, reference: Tensor, limit: Tensor, exact: bool) -> tuple[Tensor, Tensor]:
    """Of each element, the error over its bound and the error in units of the last place."""
    value = got.to(torch.float64)
    rounded = reference.to(got.dtype).to(torch.float64)
    if all(bool(x.isfinite().all()) for x in (value, rounded, reference)):
        return _finite_ratios(
            spec, got.dtype, value, rounded if exact else reference, reference, limit, exact
        )
    # A format without infinities, of 8 bits, has NaN for them, and for what is out of its range.
    lost = rounded.isnan() if exact else rounded.isnan() & reference.isinf()
    reference = torch.where(lost, torch.nan, reference)
    largest = torch.finfo(got.dtype).max
    # Where the bound is past the range of the dtype, intermediates may overflow, to NaN as well.
    asked = ~(reference.isfinite() & limit.isfinite() & (limit >= largest))
    wrong_nan = (value.isnan() != reference.isnan()) & asked
    overflows = (reference.abs() + limit >= largest) & ~reference.isinf()
    endless = value.isinf() | rounded.isinf()
    wrong_infinity = endless & (value != rounded) & ~overflows & ~wrong_nan & ~reference.isnan()
    wrong_infinity |= value.isinf() & overflows & (torch.sign(value) != torch.sign(reference))
    usable = ~(value.isnan() | reference.isnan() | endless)
    error = torch.where(usable, (value - (rounded if exact else reference)).abs(), 0.0)
    units = torch.where(usable, (value - reference).abs(), 0.0) / ulp(reference, got.dtype)
    ratio = torch.where(error > 0, error / limit.clamp(min=torch.finfo(torch.float64).tiny), 0.0)
    if exact:
        ratio = torch.where(error > 0, math.inf, 0.0)
    ratio = torch.where(wrong_nan | (wrong_infinity & asked), math.inf, ratio)
    if "signed-zero" in spec.numerics.special:
        ratio = torch.where(_of_other_sign(value, reference), math.inf, ratio)
    return ratio, units


def _finite_ratios(
    spec: OpSpec,
    dtype: torch.dtype,
    value: Tensor,
    wanted: Tensor,
    reference: Tensor,
    limit: Tensor,
    exact: bool,
) -> tuple[Tensor, Tensor]:
    """As :func:`ratios`, where there are finite numbers alone."""
    error = (value - wanted).abs()
    units = (error if wanted is reference else (value - reference).abs()) / ulp(reference, dtype)
    least = torch.finfo(torch.float64).tiny
    # A bound may be NaN, as that of a complex 0 is; what is exact is within it.
    ratio = torch.where(error > 0, math.inf if exact else error / limit.clamp(min=least), 0.0)
    if "signed-zero" in spec.numerics.special:
        ratio = torch.where(_of_other_sign(value, reference), math.inf, ratio)
    return ratio, units


def _of_other_sign(value: Tensor, reference: Tensor) -> Tensor:
    """Which zeros have the other sign than those of the reference."""
    return (value == 0) & (reference == 0) & (value.signbit() != reference.signbit())


def _verdict(
    ratio: Tensor, units: Tensor, got: Tensor, reference: Tensor, limit: Tensor | None
) -> NumericsResult:
    worst, most = float(ratio.max()), float(units.max())
    if worst <= 1.0:
        return NumericsResult(True, worst, most)
    flat = int(ratio.argmax())
    index = _position(flat, got.shape)
    wrong = int((ratio > 1.0).sum())
    message = (
        f"{wrong} of {got.numel()} elements are outside of the bound; worst at {list(index)}: "
        f"got {got[index].item()!r}, "
        f"exact {reference[index].item()!r}, allowed "
        + (f"that in {dtype_name(got.dtype)}" if limit is None else f"±{limit[index].item():.3g}")
    )
    return NumericsResult(False, worst, most, message, index)


def _position(flat: int, shape: Sequence[int]) -> tuple[int, ...]:
    index: list[int] = []
    for size in reversed(shape):
        index.insert(0, flat % size)
        flat //= size
    return tuple(index)


def _within_one(got: Tensor, reference: Tensor) -> NumericsResult:
    apart = (got.to(torch.int64) - reference.to(torch.int64)).abs()
    most = float(apart.max())
    if most <= 1.0:
        return NumericsResult(True, most, 0.0)
    index = _position(int(apart.argmax()), got.shape)
    message = (
        f"{int((apart > 1).sum())} of {got.numel()} elements are off by more than one; "
        f"worst at {list(index)}: got {got[index].item()}, exact {reference[index].item()}"
    )
    return NumericsResult(False, most, 0.0, message, index)


def _equal(got: Tensor, reference: Tensor) -> NumericsResult:
    differs = got != reference.to(got.dtype)
    if not bool(differs.any()):
        return PASSED
    index = _position(int(differs.to(torch.uint8).argmax()), got.shape)
    message = (
        f"{int(differs.sum())} of {got.numel()} elements differ; first at {list(index)}: "
        f"got {got[index].item()}, exact {reference[index].item()}"
    )
    return NumericsResult(False, math.inf, 0.0, message, index)


def _pointed_at(spec: OpSpec, got: Tensor, arguments: Mapping[str, Any] | None) -> NumericsResult:
    """Indices of a sort or an extreme: in range, and naming elements equal to the values returned beside
    them.
    """
    if arguments is None:
        return PASSED
    source, dim = _gatherable(arguments["self"]), arguments.get("dim", -1)
    source = source.reshape(1) if source.dim() == 0 else source
    kept = got
    if got.dim() < source.dim():
        kept = got.unsqueeze(dim if dim >= 0 else dim + source.dim())
    size = source.shape[dim]
    if bool(((kept < 0) | (kept >= size)).any()):
        return NumericsResult(False, math.inf, 0.0, f"an index is outside of [0, {size})")
    values = _gatherable(spec.overload(**arguments)[0])
    values = values.unsqueeze(dim) if values.dim() < source.dim() else values
    picked = torch.gather(source, dim, kept)
    same = (picked == values) | (
        picked.isnan() & values.isnan() if picked.is_floating_point() else picked == values
    )
    if not bool(same.all()):
        return NumericsResult(False, math.inf, 0.0, "an index does not point at the value beside it")
    if kept.shape == source.shape and spec.category.value == "order":
        expected = torch.arange(size).reshape(
            [-1 if d == dim % source.dim() else 1 for d in range(source.dim())]
        )
        if not bool((kept.sort(dim)[0] == expected).all()):
            return NumericsResult(False, math.inf, 0.0, "the indices are not a permutation")
    return PASSED


def _law(spec: OpSpec, got: Tensor, arguments: Mapping[str, Any]) -> NumericsResult:
    """Properties of random values: the range always, the moments where there are enough samples."""
    law = spec.numerics.special[0]
    if law == "unspecified-values":
        return PASSED
    ratio, message = verdict(law, arguments, got)
    return NumericsResult(not message, ratio, 0.0, message)


def _dropout(arguments: Mapping[str, Any], got: Sequence[Tensor | None]) -> NumericsResult:
    """The kept elements are scaled by 1 / (1 - p) within 2 ulp, the others are 0, and the share kept is 1 -
    p.
    """
    source, p = arguments["input"], 0.0 if arguments["train"] is False else float(arguments["p"])
    output, mask = got
    if output is None or mask is None or output.shape != source.shape or mask.shape != source.shape:
        raise ContractError("an output of the dropout is missing or has another shape")
    exact = source.to(torch.float64) * (1.0 / (1.0 - p) if p < 1.0 else 0.0)
    expected = torch.where(mask.cpu(), exact, 0.0)
    wrong = ~((output.cpu().to(torch.float64) - expected).abs() <= 2.0 * ulp(expected, output.dtype))
    wrong &= expected.isfinite()
    if bool(wrong.any()):
        return NumericsResult(
            False, math.inf, 0.0, f"{int(wrong.sum())} elements are not scaled or not dropped"
        )
    if source.numel() == 0:
        return PASSED
    allowed = SIGMAS * math.sqrt(p * (1.0 - p) / source.numel())
    off = abs(float(mask.to(torch.float64).mean()) - (1.0 - p))
    if off > max(allowed, 1e-9) and (p in (0.0, 1.0) or source.numel() >= ENOUGH_SAMPLES):
        return NumericsResult(False, off / max(allowed, 1e-9), 0.0, f"the share kept is off by {off:.3g}")
    if source.numel() >= ENOUGH_SAMPLES and 0.0 < p < 1.0:
        kept = mask.cpu().to(torch.float64) - (1.0 - p)
        wrong_together = correlated(kept, torch.full_like(kept, p * (1.0 - p)))
        if wrong_together:
            return NumericsResult(False, math.inf, 0.0, f"the mask: {wrong_together}")
    return PASSED


def _by_law(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    got: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
) -> NumericsResult:
    """All outputs together, by the law of a matrix operator."""
    for i, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
        if mine is None or theirs is None or mine.shape != theirs.shape:
            shapes = [None if x is None else list(x.shape) for x in (mine, theirs)]
            raise ContractError(f"output {i} is missing or has another shape", op=spec.name, got=str(shapes))
    pairs = zip(got, expected, strict=True)
    if any(
        mine is not None and theirs is not None and _overflows(mine.dtype, theirs) for mine, theirs in pairs
    ):
        return PASSED
    operand = next(v.dtype for v in arguments.values() if isinstance(v, Tensor))
    inexact = operand.is_floating_point or operand.is_complex
    narrow = "narrow-accumulator" in spec.numerics.special
    # As for :func:`bound`: a complex product is four real ones and two sums.
    parts = 2.0 * math.sqrt(2.0) if operand.is_complex else 1.0
    results = Results(
        widened(spec, arguments),
        [_widest(g.detach().cpu()) for g in got if g is not None],
        expected,
        parts * unit_roundoff(operand if narrow else accumulator_of(operand)) if inexact else 0.0,
        unit_roundoff(operand) if inexact else 0.0,
    )
    ratio, text = worst(claims(spec, results))
    message = "" if ratio <= 1.0 else f"{text}: the error is {ratio:.3g} times what is allowed"
    return NumericsResult(ratio <= 1.0, ratio, 0.0, message)


def _overflows(dtype: torch.dtype, exact: Tensor) -> bool:
    """Whether a finite exact result is out of the range of a float dtype: a law says nothing about what it
    rounds to. An infinite one, as of a singular matrix, is what it is in every dtype.
    """
    if not (dtype.is_floating_point or dtype.is_complex) or not exact.numel():
        return False
    return bool((exact.isfinite() & (exact.abs() > torch.finfo(dtype).max)).any())


def _widest(x: Tensor) -> Tensor:
    return wide(x) if x.is_floating_point() or x.is_complex() else x


def _gatherable(x: Tensor) -> Tensor:
    """Equal where ``x`` is: PyTorch does not gather wide unsigned integers."""
    return x.to(torch.int64) if x.dtype in (torch.uint16, torch.uint32, torch.uint64) else x


def judge(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    got: Sequence[Tensor | None],
    *,
    reference: Sequence[Tensor | None] | None = None,
    accumulator: torch.dtype | None = None,
    scales: Scales | None = None,
) -> NumericsResult:
    """Whether all outputs are close enough: computes reference, magnitude and length from the arguments.

    Args:
        spec: the operator.
        arguments: every schema argument, tensors as the operator got them.
        got: the outputs, lists flattened, ``None`` where there is none.
        reference: the exact outputs, where the caller has them.
        accumulator: as for :func:`bound`.
        scales: those of the arguments, where the caller judges several results.

    Raises:
        ContractError: the number or the shapes of the outputs are wrong.
    """
    expected = reference_of(spec, arguments) if reference is None else tuple(reference)
    if len(got) != len(expected):
        raise ContractError(
            "the number of outputs is wrong", op=spec.name, got=f"{len(got)}, expected {len(expected)}"
        )
    if "dropout" in spec.numerics.special:
        return _dropout(arguments, got)
    if law_of(spec) is not None:
        return _by_law(spec, arguments, got, expected)
    found = _against(spec, arguments, got, expected, accumulator, scales or Scales(spec, arguments))
    if found.ok:
        return found
    converted = converted_operands(spec, arguments, got, accumulator or accumulator_for(got))
    if converted is None:
        return found
    scales = Scales(spec, converted)
    other = _against(spec, converted, got, reference_of(spec, converted), accumulator, scales)
    return other if other.ok else found


def _against(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    got: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
    accumulator: torch.dtype | None,
    scales: Scales,
) -> NumericsResult:
    """Each output against that of the reference."""
    expected = permitted(spec, arguments, expected, got)
    if spec.numerics.magnitude == "derived":
        # No bound of theirs is narrower than that of the result's own size, and they take long to compute.
        sizes = (None,) * len(expected)
        found = _within(spec, arguments, got, expected, accumulator, sizes)
        if found.ok:
            return found
    magnitudes = scales.of(expected, accumulator or accumulator_for(got))
    return _within(spec, arguments, got, expected, accumulator, magnitudes)


def _within(
    spec: OpSpec,
    arguments: Mapping[str, Any],
    got: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
    accumulator: torch.dtype | None,
    magnitudes: Sequence[Tensor | None],
) -> NumericsResult:
    """Each output against that of the reference, with bounds relative to these magnitudes."""
    length = reduction_length(spec, arguments)
    worst = PASSED
    for i, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
        if mine is None or theirs is None:
            if (mine is None) != (theirs is None) and not absent(spec, arguments, i):
                raise ContractError(f"output {i} is missing or too many", op=spec.name)
            continue
        result = check(
            spec,
            mine,
            theirs,
            output=i,
            magnitude=magnitudes[i],
            length=length,
            accumulator=accumulator,
            arguments=arguments,
        )
        if not result.ok:
            return NumericsResult(
                False, result.max_ratio, result.max_ulp, f"output {i}: {result.message}", result.index, i
            )
        worst = NumericsResult(
            True, max(worst.max_ratio, result.max_ratio), max(worst.max_ulp, result.max_ulp)
        )
    return worst
