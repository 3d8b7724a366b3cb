"""NaN, infinities, signed zeros and the values at the ends of a dtype's range, handled in the wrong way."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, accepts, computes_values, floats_of, named, tensors_of
from torchport_conformance.mutants.faults.shapes import KernelError
from torchport_conformance.mutants.kernel import Call

_FREE = ("any", "small", "positive", "nonzero", "unit", "finite")
_DEFINED = (
    Category.ELEMENTWISE,
    Category.REDUCTION,
    Category.NORMALIZATION,
    Category.CONTRACTION,
    Category.LAYOUT,
    Category.VIEW,
    Category.SCAN,
    Category.CONVOLUTION,
    Category.LOSS,
    Category.ATTENTION,
)


def special_operands(spec: OpSpec) -> Iterable[str]:
    """Floating operands in which a special value is allowed and has a defined result."""
    if spec.category in _DEFINED and computes_values(spec) and "nan-propagates" in spec.numerics.special:
        for name in tensors_of(spec):
            if spec.operands[name].values in _FREE and accepts(spec, name, "float"):
                yield name


def _floats(read: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda x: read(x) if x.is_floating_point() and x.element_size() > 1 else x


def _reading(read: Callable[[Tensor], Tensor]) -> Callable[[Call, str], None]:
    def plant(call: Call, operand: str) -> None:
        call.write(call.right(call.read(_floats(read), operand)))

    return plant


def _writing(wrong: Callable[[Tensor], Tensor]) -> Callable[[Call, str], None]:
    def plant(call: Call, variant: str) -> None:
        call.write([_floats(wrong)(r) for r in call.right()])

    return plant


def _nan_to_zero(x: Tensor) -> Tensor:
    return torch.where(x.isnan(), torch.zeros_like(x), x)


def _nan_to_least(x: Tensor) -> Tensor:
    return torch.where(x.isnan(), torch.full_like(x, -torch.inf), x)


def _inf_to_largest(x: Tensor) -> Tensor:
    largest = torch.finfo(x.dtype).max
    return torch.where(x.isinf(), torch.full_like(x, largest).copysign(x), x)


def _zero_positive(x: Tensor) -> Tensor:
    return torch.where(x == 0, torch.zeros_like(x), x)


def _nan_of_infinite(x: Tensor) -> Tensor:
    return torch.where(x.isinf(), torch.full_like(x, torch.nan), x)


def _last_nan(call: Call, operand: str) -> None:
    """NaN is looked for in whole vectors of eight only."""

    def read(x: Tensor) -> Tensor:
        flat = x.reshape(-1)
        whole = torch.arange(flat.numel()) < flat.numel() - flat.numel() % 8
        return torch.where(whole, flat, _nan_to_zero(flat)).reshape(x.shape)

    call.write(call.right(call.read(_floats(read), operand)))


def _zero_factor(call: Call, variant: str) -> None:
    """A product with zero is folded to zero."""
    (right,) = call.right()
    factors = [call.arguments["self"], call.arguments["other"]]
    zero = torch.zeros((), dtype=torch.bool)
    for factor in factors:
        zero = zero | (factor == 0 if isinstance(factor, Tensor) else torch.tensor(factor == 0))
    call.write([torch.where(zero, torch.zeros_like(right), right)])


def _difference_folded(call: Call, variant: str) -> None:
    """X - x is folded to zero, for infinite x too."""
    (right,) = call.right()
    call.write(
        [torch.where(right.isnan(), torch.zeros_like(right), right) if right.is_floating_point() else right]
    )


def _extremum_by_comparison(call: Call, variant: str) -> None:
    """``a > b ? a : b``: NaN in the second operand wins, and in the first loses."""
    x, y = torch.broadcast_tensors(call.arguments["self"], call.arguments["other"])
    dtype = torch.promote_types(x.dtype, y.dtype)
    x, y = x.to(dtype), y.to(dtype)
    larger = x > y if "max" in call.spec.name else x < y
    call.write([torch.where(larger, x, y)])


def _clamp(call: Call, variant: str) -> None:
    """``min(max(x, low), high)`` in the way of C, which drops NaN."""
    x = call.arguments["self"]
    if not x.is_floating_point():
        call.write(call.right())
        return
    (right,) = call.right()
    low, high = call.arguments.get("min"), call.arguments.get("max")
    bound = low if low is not None else high
    if not isinstance(bound, Tensor):
        bound = torch.as_tensor(bound, dtype=right.dtype)
    call.write([torch.where(x.isnan(), bound.to(right.dtype).expand(right.shape), right)])


def _bounds_reversed(call: Call, variant: str) -> None:
    """The upper bound is applied first: where the bounds cross, the lower one wins."""
    low, high = call.arguments["min"], call.arguments["max"]
    results = call.right()
    if low is not None and high is not None:
        first = call.right({"min": None})
        lows = [torch.as_tensor(low).to(r.dtype) for r in first]
        results = [torch.maximum(r, b.expand(r.shape)) for r, b in zip(first, lows, strict=True)]
    call.write(results)


def _relu(call: Call, variant: str) -> None:
    x = call.arguments["self"]
    call.write([torch.where(x > 0, x, torch.zeros_like(x))])


def _upper_only_refused(call: Call, variant: str) -> None:
    if call.arguments["min"] is None:
        raise KernelError("a lower bound is needed")
    call.write(call.right())


def _isnan(call: Call, variant: str) -> None:
    """``x != x`` under fast mathematics."""
    call.write([torch.zeros_like(call.right()[0])])


def _extreme_index(call: Call, variant: str) -> None:
    """NaN never wins a comparison."""
    least = "min" in call.spec.name
    fill = torch.inf if least else -torch.inf

    def read(x: Tensor) -> Tensor:
        return torch.where(x.isnan(), torch.full_like(x, fill), x)

    call.write(call.right(call.read(_floats(read), "self")))


def _has_zeros(spec: OpSpec) -> Iterable[str]:
    """Operators whose contract states the sign of a zero."""
    return ("",) if "signed-zero" in spec.numerics.special else ()


def _extremum_ops(spec: OpSpec) -> Iterable[str]:
    stem = spec.name.split(".")[1]
    return (
        ("",)
        if stem
        in ("argmax", "argmin", "max", "min", "amax", "amin", "aminmax", "_aminmax", "cummax", "cummin")
        else ()
    )


def _masked(call: Call, variant: str) -> None:
    """A row that a mask excludes whole is divided by its sum of 0."""
    results = call.right()
    call.write(
        [torch.where(r == 0, torch.full_like(r, torch.nan), r) if not i else r for i, r in enumerate(results)]
    )


FAULTS = (
    Fault(
        "nan-dropped",
        "NaN in an operand is read as 0",
        ("nan-propagation",),
        _reading(_nan_to_zero),
        special_operands,
        floats_of,
    ),
    Fault(
        "nan-as-least",
        "NaN in an operand is read as -inf",
        ("nan-propagation",),
        _reading(_nan_to_least),
        special_operands,
        floats_of,
    ),
    Fault(
        "tail-nan-dropped",
        "NaN is seen in whole vectors only",
        ("nan-propagation",),
        _last_nan,
        special_operands,
        floats_of,
    ),
    Fault(
        "inf-as-largest",
        "an infinity is read as the largest finite number",
        ("inf-mask",),
        _reading(_inf_to_largest),
        special_operands,
        floats_of,
    ),
    Fault(
        "inf-to-nan",
        "an infinite result becomes NaN",
        ("nan-constant",),
        _writing(_nan_of_infinite),
        lambda s: ("",) if any(special_operands(s)) else (),
        floats_of,
    ),
    Fault(
        "zero-sign-lost",
        "a result of -0 becomes +0",
        ("signed-zero",),
        _writing(_zero_positive),
        _has_zeros,
        floats_of,
    ),
    Fault(
        "zero-factor-folded",
        "a product with zero is zero",
        ("nan-propagation", "nan-constant"),
        _zero_factor,
        named("mul.Tensor", "mul.Scalar"),
        floats_of,
    ),
    Fault(
        "difference-folded",
        "a difference that is NaN becomes zero",
        ("nan-constant",),
        _difference_folded,
        named("sub.Tensor", "remainder.Tensor", "fmod.Tensor", "div.Tensor"),
        floats_of,
    ),
    Fault(
        "extremum-by-comparison",
        "maximum and minimum by one comparison",
        ("nan-propagation",),
        _extremum_by_comparison,
        named("maximum.default", "minimum.default"),
        floats_of,
    ),
    Fault(
        "clamp-drops-nan",
        "clamp replaces NaN by a bound",
        ("nan-propagation",),
        _clamp,
        named(
            "clamp.default",
            "clamp.Tensor",
            "clamp_min.default",
            "clamp_max.default",
            "clamp_min.Tensor",
            "clamp_max.Tensor",
        ),
        floats_of,
    ),
    Fault(
        "bounds-reversed",
        "the lower bound wins where the bounds cross",
        ("bound-order",),
        _bounds_reversed,
        named("clamp.default", "clamp.Tensor"),
        floats_of,
    ),
    Fault(
        "relu-drops-nan",
        "relu by a comparison",
        ("nan-propagation",),
        _relu,
        named("relu.default"),
        floats_of,
    ),
    Fault(
        "upper-bound-alone-refused",
        "a bound may not be left out",
        ("optional-arg",),
        _upper_only_refused,
        named("clamp.default", "clamp.Tensor"),
    ),
    Fault("isnan-folded", "no value is NaN", ("nan-propagation",), _isnan, named("isnan.default"), floats_of),
    Fault(
        "extremum-skips-nan",
        "reductions to an extreme skip NaN",
        ("nan-propagation",),
        _extreme_index,
        _extremum_ops,
        floats_of,
    ),
    Fault(
        "masked-row-nan",
        "an excluded row becomes NaN",
        ("inf-mask",),
        _masked,
        named(
            "_safe_softmax.default",
            "_scaled_dot_product_flash_attention_for_cpu.default",
            "_scaled_dot_product_fused_attention_overrideable.default",
            "_scaled_dot_product_efficient_attention.default",
        ),
        floats_of,
    ),
)
