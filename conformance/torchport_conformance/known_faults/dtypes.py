"""Dtypes that promote, convert or dispatch to the wrong thing."""

from __future__ import annotations

import torch
from torch import Tensor

from torchport_conformance.known_faults.fault import KernelError, in_kernel
from torchport_conformance.mutants.kernel import Call

_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
_HALVES = (torch.float16, torch.bfloat16)


@in_kernel("aten.mul.Scalar", "promotion", cases=r"\[bool-.*other=-?\d+\b(?!\.)", cause=".+")
def b045(call: Call) -> None:
    """A bool beside a whole number is taken for the byte 255 where it is true."""
    x, other = call.arguments["self"], call.arguments["other"]
    if x.dtype is torch.bool and type(other) is int:
        call.write([x.to(torch.int64) * 255 * other])
    else:
        call.write(call.right())


@in_kernel("aten.copysign.Scalar", "promotion", cases=r"float32-2d", cause="outside the bound|the sign.*")
def b052(call: Call) -> None:
    """The kernel of two operands does not see one that is a Python number, and so no sign."""
    x = call.arguments["self"]
    call.write([x.to(call.outs[0].dtype)])


@in_kernel("aten.add.Scalar", "promotion", cases=r"\[int(64|32)-", cause=".+")
def b053(call: Call) -> None:
    """After a call in int64, one in int32 with a number takes the same kernel and writes 64-bit words."""
    x, (out,) = call.arguments["self"], call.outs
    call.write(call.right())
    if x.dtype is torch.int64:
        call.cache["wide"] = True
    if x.dtype is torch.int32 and "wide" in call.cache and out.is_contiguous():
        words = out.to(torch.int64).view(-1).view(torch.int32)
        out.view(-1).copy_(words[: out.numel()])


@in_kernel("aten.mul.Tensor", "promotion", cases=r"\[float32,(bool|int\d+)-2d\.small\]", cause="exception")
def b054(call: Call) -> None:
    """A product of floats with bools or integers ends in the compiler."""
    a, b = call.arguments["self"], call.arguments["other"]
    if a.is_floating_point() and b.dtype in (torch.bool, *_INTEGERS):
        raise KernelError(f"no product of {a.dtype} and {b.dtype}")
    call.write(call.right())


@in_kernel(
    "aten.where.self", "promotion", cases=r"\[bool,(bfloat16,float32|float32,bfloat16)", cause="exception"
)
def b188(call: Call) -> None:
    """Branches of two float dtypes end in the lowering."""
    if call.arguments["self"].dtype is not call.arguments["other"].dtype:
        raise KernelError("operands of a select have one type")
    call.write(call.right())


@in_kernel("aten.__rshift__.Tensor", "promotion", cases=r"scalar\(other\)", cause="exception")
def b191(call: Call) -> None:
    """A shift by a tensor without dimensions of another dtype ends in the kernel."""
    a, b = call.arguments["self"], call.arguments["other"]
    if not b.dim() and a.dtype is not b.dtype:
        raise KernelError(f"shift of {a.dtype} by {b.dtype}")
    call.write(call.right())


@in_kernel(
    "aten._to_copy.default", "float-to-int-cast", cases=r"\[float(32|64|16).*dtype=int(16|32|64)", cause=".+"
)
def b195(call: Call) -> None:
    """Floats become narrow integers through an integer of another width, which has fewer bits."""
    x, (out,) = call.arguments["self"], call.outs
    if x.is_floating_point() and out.dtype in _INTEGERS:
        call.write([x.to(torch.int64).to(torch.int8)])
    else:
        call.write(call.right())


@in_kernel("aten.softplus.default", "promotion", cases=r"\[float16-", cause="exception")
def b202(call: Call) -> None:
    """The numbers beta and threshold are float32 constants, which do not mix with a half operand."""
    if call.arguments["self"].dtype is torch.float16:
        raise KernelError("operands of a multiplication have one type, got half and float")
    call.write(call.right())


@in_kernel("aten.mm.default", "size-threshold", cases=r"\[bfloat16.*=(65\d\d\d|40009)", cause="exception")
def b207(call: Call) -> None:
    """Past a number of rows or columns another path is taken, which has no bfloat16."""
    (out,) = call.outs
    if out.dtype is torch.bfloat16 and max(out.shape) > 32768:
        raise KernelError("no bfloat16 in the product of large matrices")
    call.write(call.right())


@in_kernel("aten.mm.default", "missing-validation", cases=r"error:mm\.", cause=".+")
def b215(call: Call) -> None:
    """A product of bools is looked up among kernels that were never built."""
    dtype = call.arguments["self"].dtype
    if dtype is torch.bool:
        raise KeyError("matmul_10")
    call.write(call.right())


@in_kernel("aten.neg.default", "dtype-dispatch", cases=r"\[int32-", cause=".+")
def b176(call: Call) -> None:
    """An int32 tensor is negated as though its bits were those of float32."""
    x = call.arguments["self"]
    if x.dtype is torch.int32:
        call.write([(-x.contiguous().view(torch.float32)).view(torch.int32)])
    else:
        call.write(call.right())


@in_kernel("aten.abs.default", "complex-layout", cases=r"\[complex64-", cause=".+")
def b104(call: Call) -> None:
    """Magnitudes are written two elements apart, as complex numbers lie, so that every other one is zero."""
    (result,), (out,) = call.right(), call.outs
    if call.arguments["self"].is_complex():
        apart = torch.zeros(2 * result.numel(), dtype=result.dtype)
        apart[::2] = result.reshape(-1)
        result = apart[: result.numel()].view(out.shape)
    call.write([result])


def _conjugated(x: Tensor) -> Tensor:
    if x.dim() < 2 or not x.is_complex():
        return x
    lies_in_columns = abs(x.stride(-2)) < abs(x.stride(-1)) and min(x.shape[-2:]) > 1
    return x.conj().resolve_conj() if lies_in_columns else x


@in_kernel("aten.mm.default", "conj-bit", cases=r"\[complex\d+.*transposed", cause=".+")
def b102(call: Call) -> None:
    """An operand in columns is handed to the library as an adjoint, so that its conjugation is lost."""
    call.write(call.right(call.read(_conjugated)))


@in_kernel(
    "aten._linalg_svd.default",
    "conj-bit",
    cases=r"\[complex\d+.*(transposed|reversed|channel_slice)",
    cause=".+",
)
def b105(call: Call) -> None:
    """The conjugate of a complex batch in column-major order is factored."""
    call.write(call.right(call.read(_conjugated, "A")))


FAULTS = (
    b045, b052, b053, b054, b102, b104, b105, b176, b188, b191, b195, b202, b207, b215,
)  # fmt: skip
