"""Integers that are too wide, too narrow, or divided in another way."""

from __future__ import annotations

import os
import signal

import torch

from torchport_conformance.known_faults.fault import in_kernel
from torchport_conformance.mutants.kernel import Call

_NARROW = (torch.int8, torch.int16, torch.int64, torch.uint8)


@in_kernel("aten.add.Scalar", "int64-truncation", cases=r"\[int64.*extreme", cause=".+")
def b033(call: Call) -> None:
    """int64 is added in 32 bits, and the high half is lost."""
    results = call.right()
    if results[0].dtype is torch.int64:
        results[0] = results[0].to(torch.int32).to(torch.int64)
    call.write(results)


@in_kernel("aten.abs.default", "int-via-float", cases=r"\[int(64|32).*extreme", cause=".+")
def b035(call: Call) -> None:
    """Magnitudes of integers are computed in float32, which rounds them past 2**24."""
    x = call.arguments["self"]
    if x.dtype in (torch.int32, torch.int64):
        call.write([x.to(torch.float32).abs().to(torch.float64).clamp(max=2.0**62).to(x.dtype)])
    else:
        call.write(call.right())


@in_kernel("aten.remainder.Scalar", "int-via-float", cases=r"\[int(64|32).*extreme", cause=".+")
def b036(call: Call) -> None:
    """Remainders of integers are computed in float32."""
    x = call.arguments["self"]
    if x.dtype in (torch.int32, torch.int64):
        call.write(call.right({"self": x.to(torch.float32)}))
    else:
        call.write(call.right())


@in_kernel("aten.remainder.Scalar", "remainder-sign", cases=r"\[int64-", cause=".+")
def b039(call: Call) -> None:
    """The remainder of integers has the sign of the dividend."""
    x, other = call.arguments["self"], call.arguments["other"]
    if x.is_floating_point() or isinstance(other, float):
        call.write(call.right())
    else:
        call.write([torch.fmod(x, other)])


@in_kernel("aten.cumsum.default", "accum-dtype", cases=r"\[bool-.*(257|513|1025|1031|4099|65537)", cause=".+")
def b041(call: Call) -> None:
    """A running sum of bools is kept in eight bits."""
    results = call.right()
    if call.arguments["self"].dtype is torch.bool:
        results[0] = results[0].to(torch.int8).to(results[0].dtype)
    call.write(results)


@in_kernel("aten.cumsum.default", "dtype-dispatch", cases=r"\[(int64|int16|int8|uint8)-", cause=".+")
def b042(call: Call) -> None:
    """A running sum of integers is the operand itself, in every integer dtype but int32."""
    x = call.arguments["self"]
    call.write([x.to(call.outs[0].dtype)] if x.dtype in _NARROW else call.right())


@in_kernel(
    "aten.floor_divide.default",
    "overflow-wrap",
    cases=r"\[int(32|64)-.*meeting\(self,other\)",
    cause="crashed.*|.*SIG.*|.*signal.*",
    isolated=True,
)
def b141(call: Call) -> None:
    """The least int32 divided by -1 ends the process, as the machine's instruction does."""
    a, b = call.arguments["self"], call.arguments["other"]
    if a.dtype in (torch.int32, torch.int64) and bool(((a == torch.iinfo(a.dtype).min) & (b == -1)).any()):
        os.kill(os.getpid(), signal.SIGFPE)
    call.write(call.right())


@in_kernel("aten.floor_divide.default", "promotion", cases=r"\[int.*scalar\(other\)", cause=".+")
def b145(call: Call) -> None:
    """Integers divided by a tensor without dimensions are rounded toward zero."""
    a, b = call.arguments["self"], call.arguments["other"]
    if not b.dim() and not a.is_floating_point() and not b.is_floating_point():
        call.write([torch.div(a, b, rounding_mode="trunc")])
    else:
        call.write(call.right())


@in_kernel("aten.round.default", "rounding-mode", cases=r"\[float32.*halves", cause=".+")
def b177(call: Call) -> None:
    """Halves are rounded away from zero."""
    x = call.arguments["self"]
    call.write(
        [torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x))]
        if x.dtype is torch.float32
        else call.right()
    )


FAULTS = (b033, b035, b036, b039, b041, b042, b141, b145, b177)
