"""Integers of the wrong width, rounded, saturated, or with the wrong sign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import (
    Fault,
    accepts,
    computes_values,
    dtypes_of,
    integers_of,
    named,
    tensors_of,
)
from torchport_conformance.mutants.faults.shapes import KernelError
from torchport_conformance.mutants.kernel import Call

_EXACT = (
    Category.ELEMENTWISE,
    Category.REDUCTION,
    Category.LAYOUT,
    Category.VIEW,
    Category.INDEXING,
    Category.SCAN,
)


def _integral(x: Tensor) -> bool:
    return not (x.is_floating_point() or x.is_complex() or x.dtype is torch.bool)


def _reading(read: Callable[[Tensor], Tensor]) -> Callable[[Call, str], None]:
    def plant(call: Call, operand: str) -> None:
        call.write(call.right(call.read(lambda x: read(x) if _integral(x) else x, operand)))

    return plant


def _through_float(x: Tensor) -> Tensor:
    """Out of range, the cast back saturates, as most devices do."""
    limits = torch.iinfo(x.dtype)
    wide = x.to(torch.float32).to(torch.float64)
    inside = (wide < limits.max) & (wide > limits.min)
    clipped = torch.where(wide > 0, limits.max, limits.min)
    return (
        torch.where(inside, wide, torch.zeros_like(wide)).to(torch.int64).where(inside, clipped).to(x.dtype)
    )


def _low_half(x: Tensor) -> Tensor:
    return x.to(torch.int32).to(x.dtype) if x.dtype is torch.int64 else x


def _signed_bytes(x: Tensor) -> Tensor:
    return x.view(torch.int8).to(torch.int16) if x.dtype is torch.uint8 else x


def integer_operands(spec: OpSpec) -> Iterable[str]:
    """Integer operands with values of any size."""
    if spec.category in _EXACT and computes_values(spec):
        for name in tensors_of(spec):
            if spec.operands[name].values in ("any", "nonzero", "positive") and accepts(
                spec, name, "integer"
            ):
                yield name


def _saturated(call: Call, variant: str) -> None:
    """Computed in 64 bits, then clipped to the range of the result."""
    wide = call.right(call.read(lambda x: x.to(torch.int64) if _integral(x) else x))
    results = []
    for out, r in zip(call.outs, wide, strict=True):
        clip = _integral(out) and out.dtype is not torch.int64
        results.append(r.clamp(torch.iinfo(out.dtype).min, torch.iinfo(out.dtype).max) if clip else r)
    call.write(results)


def _wrapping(spec: OpSpec) -> Iterable[str]:
    return ("",) if spec.category is Category.ELEMENTWISE and "wraps" in spec.numerics.special else ()


def _narrow(spec: OpSpec, variant: str) -> Sequence[str]:
    return [d for d in integers_of(spec) if d != "int64"]


def _narrow_accumulator(call: Call, variant: str) -> None:
    """Sums of narrow integers are kept in the operands' dtype."""
    x = call.arguments["self"]
    kept = torch.uint8 if x.dtype is torch.bool else x.dtype
    if not (_integral(x) or x.dtype is torch.bool):
        call.write(call.right())
        return
    call.write([r.to(kept).to(r.dtype) if r.dtype is torch.int64 else r for r in call.right()])


def _small(spec: OpSpec, variant: str) -> Sequence[str]:
    return [d for d in dtypes_of(spec) if d in ("bool", "uint8", "int8", "int16", "int32")]


def _only(*names: str) -> Callable[[OpSpec, str], Sequence[str]]:
    return lambda spec, variant: [d for d in names if d in dtypes_of(spec)]


def _other(call: Call) -> Tensor:
    other = call.arguments["other"]
    return other if isinstance(other, Tensor) else torch.tensor(other)


def _truncated_division(call: Call, variant: str) -> None:
    x, y = call.arguments["self"], _other(call)
    if call.arguments.get("rounding_mode", "floor") != "floor":
        call.write(call.right())
        return
    call.write([torch.div(x, y, rounding_mode="trunc")])


def _division_through_float(call: Call, variant: str) -> None:
    x, y = call.arguments["self"], _other(call)
    (right,) = call.right()
    if right.is_floating_point() or call.arguments.get("rounding_mode", "floor") is None:
        call.write([right])
        return
    quotient = x.to(torch.float32) / y.to(torch.float32)
    call.write(
        [
            _through_float_of(
                quotient.trunc() if call.arguments.get("rounding_mode") == "trunc" else quotient.floor(),
                right.dtype,
            )
        ]
    )


def _through_float_of(x: Tensor, dtype: torch.dtype) -> Tensor:
    limits = torch.iinfo(dtype)
    inside = (x < limits.max) & (x > limits.min)
    return (
        torch.where(inside, x, torch.zeros_like(x))
        .to(torch.int64)
        .where(inside, torch.where(x > 0, limits.max, limits.min))
        .to(dtype)
    )


def _trap(call: Call, variant: str) -> None:
    x, y = torch.broadcast_tensors(call.arguments["self"], _other(call))
    if _integral(x) and bool(((x == torch.iinfo(x.dtype).min) & (y == -1)).any()):
        raise KernelError("integer division overflowed")
    call.write(call.right())


def _remainder_of_c(call: Call, variant: str) -> None:
    x, y = call.arguments["self"], call.arguments["other"]
    call.write([torch.fmod(x if isinstance(x, Tensor) else torch.tensor(x), y)])


def _away(call: Call, variant: str) -> None:
    """Halves are rounded away from zero."""
    x, scale = call.arguments["self"], 10.0 ** call.arguments.get("decimals", 0)
    if not x.is_floating_point():
        call.write(call.right())
        return
    y = x.double() * scale
    call.write([torch.where(y.frac().abs() == 0.5, y.trunc() + y.sign(), y.round()) / scale])


def _kept_negative(call: Call, variant: str) -> None:
    """Unsigned results stay signed until they are stored, and are clipped there."""
    (out,) = call.outs
    (wide,) = call.right(call.read(lambda x: x.to(torch.int64) if _integral(x) else x))
    call.write([wide.clamp(min=0) if out.dtype is torch.uint8 else wide])


def _unclean_bools(call: Call, variant: str) -> None:
    call.write(call.right())
    for out in call.outs:
        if out.dtype is torch.bool and out.is_contiguous() and out.numel():
            out.view(torch.uint8).mul_(255)


def _bool_results(spec: OpSpec) -> Iterable[str]:
    return ("",) if "bool" in spec.dtypes.results and spec.category is Category.ELEMENTWISE else ()


def _reinterpreted(call: Call, variant: str) -> None:
    """Bits of integers are taken for floats, as a wrong entry of a dispatch table does."""

    def read(x: Tensor) -> Tensor:
        as_float = {torch.int32: torch.float32, torch.int64: torch.float64, torch.int16: torch.float16}.get(
            x.dtype
        )
        return (
            x if as_float is None or x.dim() == 0 else x.contiguous().view(as_float).nan_to_num().to(x.dtype)
        )

    call.write(call.right(call.read(read)))


def _identity(call: Call, variant: str) -> None:
    x = call.arguments["self"]
    call.write([x.expand(call.outs[0].shape)])


DIVISIONS = ("div.Tensor_mode", "div.Scalar_mode", "floor_divide.default", "floor_divide.Scalar")
FAULTS = (
    Fault(
        "integer-through-float",
        "an integer operand goes through float32",
        ("int-via-float",),
        _reading(_through_float),
        integer_operands,
        _only("int64", "int32"),
    ),
    Fault(
        "int64-truncated",
        "an int64 operand loses its upper half",
        ("int64-truncation",),
        _reading(_low_half),
        integer_operands,
        _only("int64"),
    ),
    Fault(
        "bytes-signed",
        "uint8 is read as int8",
        ("overflow-wrap",),
        _reading(_signed_bytes),
        integer_operands,
        _only("uint8"),
    ),
    Fault(
        "saturates",
        "results are clipped where they should wrap",
        ("overflow-wrap",),
        _saturated,
        _wrapping,
        _narrow,
    ),
    Fault(
        "integer-sum-narrowed",
        "sums of narrow integers are kept in their own dtype",
        ("accum-dtype",),
        _narrow_accumulator,
        named(
            "sum.dim_IntList",
            "sum.default",
            "cumsum.default",
            "prod.default",
            "prod.dim_int",
            "cumprod.default",
            "trace.default",
        ),
        _small,
    ),
    Fault(
        "floor-truncates",
        "floor division rounds toward zero",
        ("rounding-mode", "remainder-sign"),
        _truncated_division,
        named(*DIVISIONS),
        _only("float32", "int64", "int32", "int8"),
    ),
    Fault(
        "division-through-float",
        "integers are divided in float32",
        ("int-via-float",),
        _division_through_float,
        named(*DIVISIONS),
        _only("int64", "int32"),
    ),
    Fault(
        "division-traps",
        "the least integer divided by -1 is an error",
        ("overflow-wrap", "crash"),
        _trap,
        named("floor_divide.default", "div.Tensor_mode", "remainder.Tensor"),
        _only("int64", "int32"),
    ),
    Fault(
        "remainder-of-c",
        "a remainder has the sign of the dividend",
        ("remainder-sign",),
        _remainder_of_c,
        named("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor"),
        _only("float32", "int64", "int32", "float16"),
    ),
    Fault(
        "rounds-half-away",
        "halves are rounded away from zero",
        ("rounding-mode",),
        _away,
        named("round.default", "round.decimals"),
        _only("float32", "float64"),
    ),
    Fault(
        "unsigned-kept-signed",
        "negative intermediates of uint8 are clipped to 0",
        ("overflow-wrap",),
        _kept_negative,
        named("neg.default", "sub.Tensor", "rsub.Scalar", "bitwise_not.default"),
        _only("uint8"),
    ),
    Fault(
        "bools-unclean",
        "true is stored as 255",
        ("dtype-dispatch", "promotion"),
        _unclean_bools,
        _bool_results,
    ),
    Fault(
        "bits-reinterpreted",
        "bits of integers are taken for floats",
        ("dtype-dispatch",),
        _reinterpreted,
        lambda s: ("",) if any(integer_operands(s)) else (),
        _only("int64", "int32", "int16"),
    ),
    Fault(
        "scan-identity",
        "a running sum of integers is its operand",
        ("dtype-dispatch",),
        _identity,
        named("cumsum.default", "cumprod.default"),
        _only("int64", "int32", "int16", "int8", "uint8"),
    ),
)
