"""Decompositions of the elementwise operators that are not primitives.

Each function takes its operator's schema arguments and calls contract operators only. Formulas are chosen
for accuracy
first: every one is judged against float64 in tests/contract.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.symbolic_shapes import statically_known_true

from torchport.contract.decompositions.operators import aten
from torchport.contract.dtype_rules import promote

Number = bool | int | float | complex


def scalar(value: Number | torch.SymInt | torch.SymFloat, dtype: torch.dtype, like: Tensor) -> Tensor:
    """A zero-dimensional tensor on ``like``'s device."""
    return aten.full.default([], value, dtype=dtype, device=like.device)


def convert(x: Tensor, dtype: torch.dtype) -> Tensor:
    """``x`` in another dtype; ``x`` itself where it has it."""
    return x if x.dtype == dtype else aten._to_copy.default(x, dtype=dtype)


def operand(value: Any, dtype: torch.dtype, like: Tensor) -> Tensor:
    """A tensor or a Python scalar in ``dtype``."""
    return convert(value, dtype) if isinstance(value, Tensor) else scalar(value, dtype, like)


def pair(a: Any, b: Any) -> tuple[Tensor, Tensor, torch.dtype]:
    """Both operands in their promoted dtype; one of them may be a scalar."""
    like = a if isinstance(a, Tensor) else b
    dtype = promote([a, b], torch.get_default_dtype())
    return operand(a, dtype, like), operand(b, dtype, like), dtype


def float_pair(a: Any, b: Any) -> tuple[Tensor, Tensor, torch.dtype]:
    """As :func:`pair`, with integers promoted to the default float dtype."""
    like = a if isinstance(a, Tensor) else b
    dtype = float_result(promote([a, b], torch.get_default_dtype()))
    return operand(a, dtype, like), operand(b, dtype, like), dtype


def float_result(dtype: torch.dtype) -> torch.dtype:
    """The dtype itself where it is floating or complex, else the default float dtype."""
    return dtype if dtype.is_floating_point or dtype.is_complex else torch.get_default_dtype()


def work_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype that a formula of several roundings is computed in: float32 for the 16-bit floats."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def is_float(x: Tensor) -> bool:
    """Whether ``x`` has a real floating dtype."""
    return x.dtype.is_floating_point


def expanded(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors in their common shape under broadcasting; those that have it are as they were."""
    shape = torch.broadcast_shapes(*(t.shape for t in tensors))
    return tuple(t if _same(t.shape, shape) else aten.expand.default(t, list(shape)) for t in tensors)


def _same(shape: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(shape) == len(other) and all(
        statically_known_true(p == q) for p, q in zip(shape, other, strict=True)
    )


def floated(op: Any) -> Any:
    """The decomposition of a function of floats for an integer operand."""

    def decomposition(self: Tensor) -> Tensor:
        result: Tensor = op(convert(self, float_result(self.dtype)))
        return result

    return decomposition


def aligned(op: Any, *, floats: bool = False) -> Any:
    """The decomposition of a primitive of two operands for calls whose operands differ in shape or dtype.

    ``floats``: integers become the default float dtype. The operands are given by position or by name, in the
    order of the schema.
    """

    def decomposition(*operands: Any, **named: Any) -> Tensor:
        first, second = (*operands, *named.values())
        a, b, _ = float_pair(first, second) if floats else pair(first, second)
        result: Tensor = op(*expanded(a, b))
        return result

    return decomposition


# --- one operand ------------------------------------------------------------------------------------------


def deg2rad(self: Tensor) -> Tensor:
    """``self·π/180``."""
    dtype = float_result(self.dtype)
    work = work_dtype(dtype)
    return convert(aten.mul.Tensor(convert(self, work), scalar(math.pi / 180.0, work, self)), dtype)


def rad2deg(self: Tensor) -> Tensor:
    """``self·180/π``."""
    dtype = float_result(self.dtype)
    work = work_dtype(dtype)
    return convert(aten.mul.Tensor(convert(self, work), scalar(180.0 / math.pi, work, self)), dtype)


def frac(self: Tensor) -> Tensor:
    """``self - trunc(self)``, exact."""
    return aten.sub.Tensor(self, aten.trunc.default(self))


def isnan(self: Tensor) -> Tensor:
    """NaN is the only value that differs from itself."""
    return aten.ne.Tensor(self, self)


def isinf(self: Tensor) -> Tensor:
    """``|self| == inf``, of a complex number where one part is infinite; false for integers."""
    if not is_float(self) and not self.is_complex():
        return aten.ne.Tensor(self, self)
    size = aten.abs.default(self)
    return aten.eq.Tensor(size, scalar(math.inf, size.dtype, self))


def isposinf(self: Tensor) -> Tensor:
    """``self == inf``; false for integers."""
    return (
        aten.eq.Tensor(self, scalar(math.inf, self.dtype, self))
        if is_float(self)
        else aten.ne.Tensor(self, self)
    )


def isneginf(self: Tensor) -> Tensor:
    """``self == -inf``; false for integers."""
    return (
        aten.eq.Tensor(self, scalar(-math.inf, self.dtype, self))
        if is_float(self)
        else aten.ne.Tensor(self, self)
    )


def logical_not(self: Tensor) -> Tensor:
    """``self == 0``."""
    return aten.eq.Tensor(self, scalar(0, self.dtype, self))


def parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """Real and imaginary part."""
    both = aten.view_as_real.default(x)
    return aten.select.int(both, -1, 0), aten.select.int(both, -1, 1)


def sgn(self: Tensor) -> Tensor:
    """``sign``; ``z / |z|`` for complex numbers, 0 at 0."""
    if not self.is_complex():
        return aten.sign.default(self)
    size = aten.unsqueeze.default(aten.abs.default(self), -1)
    zero, one = scalar(0.0, size.dtype, self), scalar(1.0, size.dtype, self)
    flat = aten.eq.Tensor(size, zero)
    direction = aten.div.Tensor(aten.view_as_real.default(self), aten.where.self(flat, one, size))
    return aten.view_as_complex.default(direction)


def angle(self: Tensor) -> Tensor:
    """The argument of a complex number; 0 for positive, π for negative reals; NaN stays."""
    if self.is_complex():
        real, imaginary = parts(self)
        return aten.atan2.default(imaginary, real)
    dtype = float_result(self.dtype)
    x = convert(self, dtype)
    zero, pi = scalar(0.0, dtype, self), scalar(math.pi, dtype, self)
    value = aten.where.self(aten.lt.Tensor(x, zero), pi, zero)
    return aten.where.self(aten.ne.Tensor(x, x), x, value)


def nan_to_num(
    self: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and infinities replaced; by 0 and the finite extremes where no value is given."""
    if self.is_complex():
        real_parts = nan_to_num(aten.view_as_real.default(self), nan, posinf, neginf)
        return aten.view_as_complex.default(real_parts)
    if not is_float(self):
        return aten.clone.default(self)
    limits = torch.finfo(self.dtype)
    high, low = limits.max if posinf is None else posinf, limits.min if neginf is None else neginf
    result = aten.where.self(isnan(self), scalar(0.0 if nan is None else nan, self.dtype, self), self)
    result = aten.where.self(isposinf(self), scalar(high, self.dtype, self), result)
    return aten.where.self(isneginf(self), scalar(low, self.dtype, self), result)


def logit(self: Tensor, eps: float | None = None) -> Tensor:
    """``log(x / (1 - x))``, with x clamped to [eps, 1 - eps] where eps is given."""
    dtype = float_result(self.dtype)
    work = work_dtype(dtype)
    x = convert(self, work)
    if eps is not None:
        x = aten.minimum.default(
            aten.maximum.default(x, scalar(eps, work, self)), scalar(1.0 - eps, work, self)
        )
    return convert(aten.log.default(aten.div.Tensor(x, aten.sub.Tensor(scalar(1.0, work, self), x))), dtype)


def sinc(self: Tensor) -> Tensor:
    """``sin(πx) / (πx)``, 1 at 0."""
    dtype = float_result(self.dtype)
    work = work_dtype(dtype)
    x = aten.mul.Tensor(convert(self, work), scalar(math.pi, work, self))
    zero = aten.eq.Tensor(x, scalar(0.0, work, self))
    one = scalar(1.0, work, self)
    return convert(
        aten.where.self(zero, one, aten.div.Tensor(aten.sin.default(x), aten.where.self(zero, one, x))), dtype
    )


def round_decimals(self: Tensor, *, decimals: int) -> Tensor:
    """``round(self·10^d) / 10^d``; for negative d the division comes first."""
    work = work_dtype(self.dtype)
    factor = scalar(float(10 ** abs(decimals)), work, self)
    x = convert(self, work)
    if decimals >= 0:
        result = aten.div.Tensor(aten.round.default(aten.mul.Tensor(x, factor)), factor)
    else:
        result = aten.mul.Tensor(aten.round.default(aten.div.Tensor(x, factor)), factor)
    return convert(result, self.dtype)


# --- two operands -----------------------------------------------------------------------------------------


def _scaled(value: Any, alpha: Number, dtype: torch.dtype, like: Tensor) -> Tensor:
    other = operand(value, dtype, like)
    return other if alpha == 1 else aten.mul.Tensor(other, scalar(alpha, dtype, like))


def _combine(op: Callable[..., Tensor], a: Any, b: Any, alpha: Number) -> Tensor:
    like = a if isinstance(a, Tensor) else b
    dtype = promote([a, b], torch.get_default_dtype())
    if alpha == 1:
        return op(*expanded(operand(a, dtype, like), operand(b, dtype, like)))
    work = work_dtype(dtype)
    return convert(op(*expanded(operand(a, work, like), _scaled(b, alpha, work, like))), dtype)


def add(self: Tensor, other: Tensor | Number, alpha: Number = 1) -> Tensor:
    """``self + alpha·other``."""
    return _combine(aten.add.Tensor, self, other, alpha)


def sub(self: Tensor, other: Tensor | Number, alpha: Number = 1) -> Tensor:
    """``self - alpha·other``."""
    return _combine(aten.sub.Tensor, self, other, alpha)


def add_relu(self: Tensor, other: Tensor | Number, alpha: Number = 1) -> Tensor:
    """``max(self + alpha·other, 0)``."""
    total = add(self, other, alpha)
    return aten.maximum.default(total, scalar(0, total.dtype, total))


def ldexp(self: Tensor, other: Tensor) -> Tensor:
    """``self·2^other``. Whole exponents are applied in three parts, so that no factor overflows."""
    dtype = float_result(promote([self, other], torch.get_default_dtype()))
    if other.is_floating_point() or other.is_complex():
        a, b, _ = pair(self, aten.pow.Scalar(2.0, other))
        return aten.mul.Tensor(a, b)
    work = work_dtype(dtype)
    real = work.to_real() if work.is_complex else work
    reach = float(3 * (math.frexp(torch.finfo(real).max)[1] - 18))
    n = clamp(convert(other, real), -reach, reach)
    part = aten.trunc.default(aten.div.Tensor(n, scalar(3.0, real, self)))
    factor = convert(aten.pow.Scalar(2.0, part), work)
    rest = aten.sub.Tensor(aten.sub.Tensor(n, part), part)
    result = aten.mul.Tensor(aten.mul.Tensor(convert(self, work), factor), factor)
    return convert(aten.mul.Tensor(result, convert(aten.pow.Scalar(2.0, rest), work)), dtype)


def rsub(self: Tensor, other: Tensor | Number, alpha: Number = 1) -> Tensor:
    """``other - alpha·self``."""
    return _combine(aten.sub.Tensor, other, self, alpha)


def mul_scalar(self: Tensor, other: Number) -> Tensor:
    """``self·other``."""
    a, b, _ = pair(self, other)
    return aten.mul.Tensor(a, b)


def true_divide(self: Tensor, other: Tensor | Number) -> Tensor:
    """``self / other`` in floating point."""
    a, b, _ = float_pair(self, other)
    return aten.div.Tensor(a, b)


def floor_quotient(a: Tensor, b: Tensor) -> Tensor:
    """``floor(a / b)`` as Python's ``//`` has it: from the exact remainder, so that the quotient never
    rounds up.
    """
    if not a.dtype.is_floating_point:
        quotient = aten.div.Tensor_mode(*expanded(a, b), rounding_mode="trunc")
        short = aten.bitwise_and.Tensor(
            aten.ne.Tensor(aten.mul.Tensor(quotient, b), a),
            aten.ne.Tensor(
                aten.lt.Tensor(a, scalar(0, a.dtype, a)), aten.lt.Tensor(b, scalar(0, b.dtype, b))
            ),
        )
        return aten.where.self(short, aten.sub.Tensor(quotient, scalar(1, a.dtype, a)), quotient)
    zero, one = scalar(0.0, a.dtype, a), scalar(1.0, a.dtype, a)
    rest = aten.fmod.Tensor(a, b)
    quotient = aten.div.Tensor(aten.sub.Tensor(a, rest), b)
    short = aten.bitwise_and.Tensor(
        aten.ne.Tensor(rest, zero), aten.ne.Tensor(aten.lt.Tensor(b, zero), aten.lt.Tensor(rest, zero))
    )
    quotient = aten.where.self(short, aten.sub.Tensor(quotient, one), quotient)
    floored = aten.floor.default(quotient)
    above = aten.gt.Tensor(aten.sub.Tensor(quotient, floored), scalar(0.5, a.dtype, a))
    floored = aten.where.self(above, aten.add.Tensor(floored, one), floored)
    plain = aten.div.Tensor(a, b)
    signed_zero = aten.mul.Tensor(plain, zero)
    floored = aten.where.self(aten.eq.Tensor(quotient, zero), signed_zero, floored)
    return aten.where.self(aten.eq.Tensor(b, zero), plain, floored)


def div_mode(self: Tensor, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor:
    """Division rounded towards zero (``trunc``), downwards (``floor``) or not at all."""
    if rounding_mode is None:
        return true_divide(self, other)
    a, b, dtype = pair(self, other)
    work = work_dtype(dtype)
    a, b = convert(a, work), convert(b, work)
    if rounding_mode == "floor":
        return convert(floor_quotient(a, b), dtype)
    if dtype.is_floating_point:
        return convert(aten.trunc.default(aten.div.Tensor(a, b)), dtype)
    return aten.div.Tensor_mode(*expanded(a, b), rounding_mode="trunc")


def floor_divide(self: Tensor, other: Tensor | Number) -> Tensor:
    """``self // other``."""
    return div_mode(self, other, rounding_mode="floor")


def fmod_scalar(self: Tensor, other: Number) -> Tensor:
    """Remainder with the sign of the dividend."""
    a, b, _ = pair(self, other)
    return aten.fmod.Tensor(a, b)


def remainder_scalar(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Remainder with the sign of the divisor."""
    a, b, _ = pair(self, other)
    return aten.remainder.Tensor(a, b)


def power(self: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """``self ** exponent``; small whole exponents are products, 0.5 is a square root."""
    like = self if isinstance(self, Tensor) else exponent
    assert isinstance(like, Tensor)
    dtype = promote([self, exponent], torch.get_default_dtype())
    work = work_dtype(dtype)
    base = operand(self, work, like)
    if isinstance(self, Tensor) and isinstance(exponent, Tensor):
        return aten.pow.Tensor_Tensor(*expanded(convert(self, dtype), convert(exponent, dtype)))
    if not isinstance(exponent, Tensor):
        if exponent == 1:
            return aten.clone.default(convert(base, dtype))
        if exponent == 2:
            return convert(aten.mul.Tensor(base, base), dtype)
        if exponent == 3:
            return convert(aten.mul.Tensor(aten.mul.Tensor(base, base), base), dtype)
        if exponent == 0.5:
            return convert(aten.sqrt.default(base), dtype)
        if exponent == -0.5:
            return convert(aten.rsqrt.default(base), dtype)
        if exponent == -1 and dtype.is_floating_point:
            return convert(aten.reciprocal.default(base), dtype)
    return convert(aten.pow.Tensor_Tensor(*expanded(base, operand(exponent, work, like))), dtype)


def fmax(self: Tensor, other: Tensor) -> Tensor:
    """The larger; a number wins over NaN."""
    a, b, _ = pair(self, other)
    if not is_float(a):
        return aten.maximum.default(a, b)
    return aten.where.self(isnan(a), b, aten.where.self(isnan(b), a, aten.maximum.default(a, b)))


def fmin(self: Tensor, other: Tensor) -> Tensor:
    """The smaller; a number wins over NaN."""
    a, b, _ = pair(self, other)
    if not is_float(a):
        return aten.minimum.default(a, b)
    return aten.where.self(isnan(a), b, aten.where.self(isnan(b), a, aten.minimum.default(a, b)))


def hypot(self: Tensor, other: Tensor) -> Tensor:
    """``sqrt(a² + b²)`` scaled by the larger operand, so that nothing overflows on the way."""
    a, b, dtype = pair(self, other)
    work = work_dtype(dtype)
    a, b = aten.abs.default(convert(a, work)), aten.abs.default(convert(b, work))
    large, small = aten.maximum.default(a, b), aten.minimum.default(a, b)
    zero, one = scalar(0.0, work, a), scalar(1.0, work, a)
    flat = aten.eq.Tensor(large, zero)
    ratio = aten.div.Tensor(small, aten.where.self(flat, one, large))
    value = aten.mul.Tensor(large, aten.sqrt.default(aten.add.Tensor(one, aten.mul.Tensor(ratio, ratio))))
    endless = aten.bitwise_or.Tensor(isposinf(a), isposinf(b))
    return convert(aten.where.self(endless, scalar(math.inf, work, a), value), dtype)


def copysign(self: Tensor, other: Tensor | Number) -> Tensor:
    """``|self|`` with the sign bit of ``other``."""
    a, b, _ = float_pair(self, other)
    size = aten.abs.default(a)
    return aten.where.self(aten.signbit.default(b), aten.neg.default(size), size)


def lcm(self: Tensor, other: Tensor) -> Tensor:
    """``|a / gcd(a, b) · b|``, 0 where both are 0."""
    a, b, dtype = pair(self, other)
    divisor = aten.gcd.default(a, b)
    none = aten.eq.Tensor(divisor, scalar(0, dtype, a))
    part = aten.div.Tensor_mode(a, aten.where.self(none, scalar(1, dtype, a), divisor), rounding_mode="trunc")
    return aten.abs.default(aten.mul.Tensor(part, b))


def heaviside(self: Tensor, values: Tensor) -> Tensor:
    """0 below zero, ``values`` at zero, 1 above; NaN counts as below."""
    zero, one = scalar(0, self.dtype, self), scalar(1, self.dtype, self)
    step = aten.where.self(aten.gt.Tensor(self, zero), one, zero)
    return aten.where.self(aten.eq.Tensor(self, zero), values, step)


def _logaddexp(a: Tensor, b: Tensor, exp: Any, log_of_one_plus: Any) -> Tensor:
    if a.is_complex():
        ahead = aten.ge.Tensor(parts(a)[0], parts(b)[0])
        high, low = aten.where.self(ahead, a, b), aten.where.self(ahead, b, a)
        return aten.add.Tensor(high, log_of_one_plus(exp(aten.sub.Tensor(low, high))))
    high, low = aten.maximum.default(a, b), aten.minimum.default(a, b)
    same_infinity = aten.bitwise_and.Tensor(aten.eq.Tensor(a, b), isinf(a))
    gap = aten.where.self(same_infinity, scalar(0.0, a.dtype, a), aten.sub.Tensor(low, high))
    return aten.where.self(same_infinity, a, aten.add.Tensor(high, log_of_one_plus(exp(gap))))


def logaddexp(self: Tensor, other: Tensor) -> Tensor:
    """``log(exp(a) + exp(b))`` from the larger operand."""
    a, b, dtype = pair(self, other)
    work = work_dtype(dtype)
    return convert(
        _logaddexp(convert(a, work), convert(b, work), aten.exp.default, aten.log1p.default), dtype
    )


def logaddexp2(self: Tensor, other: Tensor) -> Tensor:
    """``log2(2^a + 2^b)`` from the larger operand."""
    a, b, dtype = pair(self, other)
    work = work_dtype(dtype)

    def log2_1p(x: Tensor) -> Tensor:
        return aten.mul.Tensor(aten.log1p.default(x), scalar(1.0 / math.log(2.0), work, x))

    return convert(_logaddexp(convert(a, work), convert(b, work), aten.exp2.default, log2_1p), dtype)


def _x_times(self: Tensor | Number, other: Tensor | Number, log: Any) -> Tensor:
    a, b, dtype = float_pair(self, other)
    work = work_dtype(dtype)
    a, b = convert(a, work), convert(b, work)
    zero = scalar(0.0, work, a)
    value = aten.where.self(aten.eq.Tensor(a, zero), zero, aten.mul.Tensor(a, log(b)))
    return convert(aten.where.self(isnan(b), b, value), dtype)


def xlogy(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """``self·log(other)``, 0 where self is 0 and other is a number."""
    return _x_times(self, other, aten.log.default)


def xlog1py(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """``self·log1p(other)``, 0 where self is 0 and other is a number."""
    return _x_times(self, other, aten.log1p.default)


def logical_and(self: Tensor, other: Tensor) -> Tensor:
    """Both nonzero."""
    return aten.bitwise_and.Tensor(_truth(self), _truth(other))


def logical_or(self: Tensor, other: Tensor) -> Tensor:
    """One nonzero."""
    return aten.bitwise_or.Tensor(_truth(self), _truth(other))


def logical_xor(self: Tensor, other: Tensor) -> Tensor:
    """Exactly one nonzero."""
    return aten.bitwise_xor.Tensor(_truth(self), _truth(other))


def _truth(x: Tensor) -> Tensor:
    return x if x.dtype is torch.bool else aten.ne.Tensor(x, scalar(0, x.dtype, x))


def through(op: Any) -> Any:
    """The decomposition of a Scalar (or mixed) overload into the Tensor overload ``op`` on promoted
    operands.
    """

    def decomposition(self: Tensor | Number, other: Tensor | Number) -> Tensor:
        a, b, _ = pair(self, other)
        result: Tensor = op(a, b)
        return result

    return decomposition


# --- three operands ---------------------------------------------------------------------------------------


def where(condition: Tensor, self: Tensor, other: Tensor) -> Tensor:
    """``self`` where the condition holds, else ``other``, in their common shape and dtype."""
    a, b, _ = pair(self, other)
    return aten.where.self(*expanded(condition, a, b))


def clamp(self: Tensor, min: Number | Tensor | None = None, max: Number | Tensor | None = None) -> Tensor:
    """``minimum(maximum(self, min), max)``; NaN propagates."""
    dtype = promote([self, min, max], torch.get_default_dtype())
    result = convert(self, dtype)
    if min is not None:
        result = aten.maximum.default(result, operand(min, dtype, self))
    if max is not None:
        result = aten.minimum.default(result, operand(max, dtype, self))
    return result


def clamp_min(self: Tensor, min: Number | Tensor) -> Tensor:
    """``maximum(self, min)``."""
    return clamp(self, min)


def clamp_max(self: Tensor, max: Number | Tensor) -> Tensor:
    """``minimum(self, max)``."""
    return clamp(self, None, max)


def lerp(self: Tensor, end: Tensor, weight: Tensor | Number) -> Tensor:
    """``self + weight·(end - self)``, taken from the nearer end so that weight 1 gives ``end`` exactly."""
    work = work_dtype(self.dtype)
    a, b, w = convert(self, work), convert(end, work), operand(weight, work, self)
    step = aten.sub.Tensor(b, a)
    near = aten.add.Tensor(a, aten.mul.Tensor(w, step))
    far = aten.sub.Tensor(b, aten.mul.Tensor(step, aten.sub.Tensor(scalar(1.0, work, self), w)))
    size = aten.abs.default(w)
    half = scalar(0.5, size.dtype, self)
    return convert(aten.where.self(aten.lt.Tensor(size, half), near, far), self.dtype)


def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """``self + value·tensor1·tensor2``."""
    dtype = promote([self, tensor1, tensor2])
    work = work_dtype(dtype)
    scaled = _scaled(tensor1, value, work, self)
    return convert(
        aten.add.Tensor(convert(self, work), aten.mul.Tensor(scaled, convert(tensor2, work))), dtype
    )


def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """``self + value·tensor1/tensor2``."""
    dtype = promote([self, tensor1, tensor2])
    work = work_dtype(dtype)
    scaled = _scaled(tensor1, value, work, self)
    return convert(
        aten.add.Tensor(convert(self, work), aten.div.Tensor(scaled, convert(tensor2, work))), dtype
    )


def copy(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """``src`` in self's shape and dtype."""
    return aten.clone.default(aten.expand.default(convert(src, self.dtype), list(self.shape)))
