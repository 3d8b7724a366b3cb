"""Mixed dtypes and Python scalars computed in the wrong dtype, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.spec import OpSpec
from torchport_conformance.mutants.fault import Fault, dtypes_of, floats_of, integers_of, named, tensors_of
from torchport_conformance.mutants.faults.shapes import KernelError
from torchport_conformance.mutants.kernel import Call


def promotes(spec: OpSpec) -> Iterable[str]:
    """Operators that promote their tensors' dtypes."""
    promoted = any(r.startswith("promote") for r in spec.dtypes.results)
    return ("",) if promoted and len(tensors_of(spec)) > 1 else ()


def scalars_of(spec: OpSpec) -> Iterable[str]:
    """Arguments that are numbers of a program, not sizes."""
    for argument in spec.signature.arguments:
        kind = str(argument.real_type)
        numeric = "number" in kind and "List" not in kind and argument.name in spec.operands
        if numeric and any(type(c) in (int, float) for c in spec.operands[argument.name].choices):
            yield argument.name


def _first_decides(call: Call, variant: str) -> None:
    """Every operand is converted to the dtype of the first."""
    first = call.tensors()[0][1].dtype
    call.write(call.right(call.read(lambda x: _converted(x, first))))


def _converted(x: Tensor, dtype: torch.dtype) -> Tensor:
    if x.dtype is dtype:
        return x
    # Conversions out of range are undefined; the kernel's are to zero.
    if x.is_floating_point() and not (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool):
        limits = torch.iinfo(dtype)
        return torch.where((x > limits.min) & (x < limits.max), x, torch.zeros_like(x)).to(dtype)
    return x.to(dtype)


def _mixed_refused(call: Call, variant: str) -> None:
    if len({x.dtype for _, x in call.tensors()}) > 1:
        raise KernelError("operands have several dtypes")
    call.write(call.right())


def _scalar_operand_ignored(call: Call, operand: str) -> None:
    """A 0-dimensional operand is read in the dtype of the other one, bit by bit."""
    dtypes = [x.dtype for _, x in call.tensors() if x.dim()]

    def read(x: Tensor) -> Tensor:
        if x.dim() or not dtypes or x.dtype is dtypes[0]:
            return x
        width = torch.empty(0, dtype=dtypes[0]).element_size()
        raw = torch.zeros(max(width, x.element_size()), dtype=torch.uint8)
        raw[: x.element_size()] = x.reshape(1).contiguous().view(torch.uint8)
        return raw[:width].view(dtypes[0])[0]

    call.write(call.right(call.read(read)))


def _truncated(call: Call, name: str) -> None:
    """A number is converted to the tensor's dtype, integers too."""
    value = call.arguments[name]
    integral = all(not (x.is_floating_point() or x.is_complex()) for _, x in call.tensors())
    call.write(call.right({name: int(value) if integral and isinstance(value, float) else value}))


def _number_narrowed(call: Call, name: str) -> None:
    """A number is handed on in 16 bits."""
    value = call.arguments[name]
    narrow = torch.tensor(value).half().item() if isinstance(value, float) else value
    call.write(call.right({name: narrow}))


def _sign_lost(call: Call, name: str) -> None:
    value = call.arguments[name]
    call.write(call.right({name: abs(value) if isinstance(value, int | float) else value}))


def _integral_number_refused(call: Call, name: str) -> None:
    if type(call.arguments[name]) is int and call.tensors() and call.tensors()[0][1].is_floating_point():
        raise KernelError("a float is expected")
    call.write(call.right())


def _fractions(spec: OpSpec) -> Iterable[str]:
    for name in scalars_of(spec):
        if any(isinstance(c, float) and not c.is_integer() for c in spec.operands[name].choices):
            yield name


def _negatives(spec: OpSpec) -> Iterable[str]:
    for name in scalars_of(spec):
        if any(isinstance(c, int | float) and c < 0 for c in spec.operands[name].choices):
            yield name


def _inexact(spec: OpSpec) -> Iterable[str]:
    """Numbers that 16 bits do not hold."""
    for name in _fractions(spec):
        values = [c for c in spec.operands[name].choices if isinstance(c, float)]
        if any(torch.tensor(c).half().item() != torch.tensor(c).item() for c in values):
            yield name


def _whole(spec: OpSpec, variant: str) -> Sequence[str]:
    return integers_of(spec)


def _wide(spec: OpSpec, variant: str) -> Sequence[str]:
    return [d for d in floats_of(spec) if d in ("float32", "float64")]


def _casts(call: Call, variant: str) -> None:
    """Casts to narrow integers go through eight signed bits."""
    results = call.right()
    source = call.tensors()[0][1]
    narrow = {torch.uint8, torch.int16, torch.uint16}
    call.write(
        [
            r.to(torch.int8).to(r.dtype) if r.dtype in narrow and source.is_floating_point() else r
            for r in results
        ]
    )


def _casts_round(call: Call, variant: str) -> None:
    """Casts to integers round to the nearest."""
    x = call.tensors()[0][1]
    name = call.tensors()[0][0]
    out = call.outs[0].dtype
    whole = not (out.is_floating_point or out.is_complex or out is torch.bool)
    changed: dict[str, Any] = {name: x.round()} if whole and x.is_floating_point() else {}
    call.write(call.right(changed))


FAULTS = (
    Fault(
        "first-dtype-decides",
        "every operand is converted to the dtype of the first",
        ("promotion",),
        _first_decides,
        promotes,
        lambda s, v: [d for d in dtypes_of(s) if d in ("int32", "int64", "bool", "float16")],
    ),
    Fault(
        "mixed-refused", "operands of several dtypes are refused", ("promotion",), _mixed_refused, promotes
    ),
    Fault(
        "zero-dim-bits",
        "a 0-dimensional operand of another dtype is read without conversion",
        ("promotion",),
        _scalar_operand_ignored,
        promotes,
    ),
    Fault(
        "number-truncated",
        "a number is truncated to the tensor's dtype",
        ("promotion",),
        _truncated,
        _fractions,
        _whole,
    ),
    Fault(
        "number-narrowed",
        "a number is handed on in 16 bits",
        ("promotion", "dynamic-scalar"),
        _number_narrowed,
        _inexact,
        _wide,
    ),
    Fault("number-sign-lost", "a number's sign is dropped", ("promotion",), _sign_lost, _negatives),
    Fault(
        "whole-number-refused",
        "a whole number with a floating tensor is refused",
        ("promotion", "dynamic-scalar"),
        _integral_number_refused,
        lambda s: [n for n in scalars_of(s) if any(type(c) is int for c in s.operands[n].choices)],
        lambda s, v: floats_of(s),
    ),
    Fault(
        "cast-through-byte",
        "casts to narrow integers go through eight signed bits",
        ("float-to-int-cast",),
        _casts,
        named("_to_copy.default"),
        floats_of,
    ),
    Fault(
        "cast-rounds",
        "casts to integers round to the nearest",
        ("float-to-int-cast", "float-to-int-overflow"),
        _casts_round,
        named("_to_copy.default"),
        floats_of,
    ),
)
