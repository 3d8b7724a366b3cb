"""Operands and results whose strides, offset or extent a kernel gets wrong."""

from __future__ import annotations

import torch
from torch import Tensor

from torchport_conformance.known_faults.fault import KernelError, in_kernel
from torchport_conformance.mutants.kernel import Call, reread, row_major, write_behind

_STRIDES = "strides.* ignored"
_OFFSET = "(storage offset|strides or storage offset|memory around) .*"


def _as_row_major(x: Tensor) -> Tensor:
    return reread(x, row_major(x), int(x.storage_offset()))


@in_kernel(
    "torchport.linear.default",
    "ignores-stride",
    cases=r"(rows2|columns)\(weight\)",
    cause="strides of 'weight' ignored",
)
def b003(call: Call) -> None:
    """A fast path of matrix products takes a weight whose rows have a gap between them for a packed one."""

    def read(x: Tensor) -> Tensor:
        return _as_row_major(x) if x.stride(-1) == 1 and x.stride(0) > x.shape[1] else x

    call.write(call.right(call.read(read, "weight")))


@in_kernel(
    "aten.convolution.default",
    "ignores-stride",
    cases=r"rows2\(weight\)",
    cause="strides of 'weight' ignored",
)
def b004(call: Call) -> None:
    """A weight sliced out of a larger one, packed inside and with gaps outside, is read as packed."""

    def read(x: Tensor) -> Tensor:
        packed_inside = x.stride()[-2:] == row_major(x)[-2:]
        return _as_row_major(x) if packed_inside and not x.is_contiguous() else x

    call.write(call.right(call.read(read, "weight")))


@in_kernel("aten.addcdiv.default", "ignores-stride", cases=r"-transposed", cause=_STRIDES + "|strides or .*")
def b007(call: Call) -> None:
    """A destination that is transposed, as that of an update in place, is written as row-major memory."""
    for out, result in zip(call.outs, call.right(), strict=True):
        out.as_strided(out.shape, row_major(out), out.storage_offset()).copy_(result)


@in_kernel("aten.cat.default", "memory-format", cases=r"channels_last", cause=_STRIDES)
def b008(call: Call) -> None:
    """Channels-last operands are joined as though they were NCHW."""

    def read(x: Tensor) -> Tensor:
        last = x.dim() == 4 and x.is_contiguous(memory_format=torch.channels_last)
        return _as_row_major(x) if last and not x.is_contiguous() else x

    call.write(call.right(call.read(read)))


@in_kernel("aten.mul.Tensor", "storage-offset", cases=r"(unit|ones|lead)\(other\).*offset\d", cause=_OFFSET)
def b013(call: Call) -> None:
    """An operand that broadcasts and starts late in its storage is read from another start."""
    shape = call.outs[0].shape

    def read(x: Tensor) -> Tensor:
        return reread(x, x.stride(), 0) if x.shape != shape and x.storage_offset() else x

    call.write(call.right(call.read(read, "other")))


@in_kernel("aten.as_strided.default", "storage-offset", cases=r"storage_offset=[1-9]", cause=".+")
def b015(call: Call) -> None:
    """Of a slice of two dimensions at once only the offset of the second counts, which is 0 where it starts
    at its first element.
    """
    offset, strides = call.arguments["storage_offset"], call.arguments["stride"]
    starts_at_first = len(strides) == 2 and bool(offset) and offset % strides[0] == 0
    call.write(call.right({"storage_offset": 0} if starts_at_first else None))


@in_kernel("aten.zeros_like.default", "oob-write", cases=r"-0d", cause="write outside the destination")
def b019(call: Call) -> None:
    """Zeroing a view of one element clears the element behind it as well."""
    call.write(call.right())
    for out in call.outs:
        if not out.dim():
            write_behind(out, 0, out.element_size())


@in_kernel(
    "torchport.linear.default",
    "expanded-stride0",
    cases=r"expanded\(input\)|-expanded[-\]]",
    cause="exception",
)
def b021(call: Call) -> None:
    """A batch with a stride of 0 makes the kernel ask for a buffer that is larger than the storage."""
    x = call.arguments["input"]
    held = x.untyped_storage().nbytes() // x.element_size() - x.storage_offset()
    if 0 in x.stride() and x.numel() > held:
        raise KernelError(f"a buffer of {x.numel()} elements is past the end of one of {held}")
    call.write(call.right())


@in_kernel(
    "aten.where.self",
    "ignores-stride",
    cases=r"transposed\(condition\)",
    cause="strides of 'condition'.* ignored",
)
def b023(call: Call) -> None:
    """The strides of a transposed condition are ignored."""
    call.write(call.right(call.read(_as_row_major, "condition")))


@in_kernel("aten.nonzero.default", "wrong-output-stride", cases=r"float32-[234]d", cause=".+")
def b024(call: Call) -> None:
    """The indices come row by row, where those of PyTorch, which the next operator reads, lie column by
    column.
    """
    for out, result in zip(call.outs, call.right(), strict=True):
        out.as_strided(out.shape, row_major(out), out.storage_offset()).copy_(result)


@in_kernel(
    "aten.clamp.Tensor", "ignores-stride", cases=r"transposed\((min|max)\)", cause="strides of .*m.* ignored"
)
def b026(call: Call) -> None:
    """Bounds that are transposed tensors are applied in storage order."""
    call.write(call.right({**call.read(_as_row_major, "min"), **call.read(_as_row_major, "max")}))


@in_kernel(
    "aten.native_layer_norm.default", "storage-offset", cases=r"offset\d\(input\)", cause=".*'input'.*"
)
def b027(call: Call) -> None:
    """The statistics of a slice of rows are those of the first rows of the whole."""
    x, results = call.arguments["input"], call.right()
    if x.storage_offset() and x.is_contiguous() and x.numel():
        first = call.right({"input": reread(x, x.stride(), 0)})
        weight, bias = call.arguments["weight"], call.arguments["bias"]
        normal = (x - first[1]) * first[2]
        normal = normal if weight is None else normal * weight
        results = [normal if bias is None else normal + bias, first[1], first[2]]
    call.write(results)


@in_kernel(
    "aten.masked_fill.Scalar",
    "ignores-stride",
    cases=r"step2\(self\)|-step2",
    cause=_STRIDES + "|strides or .*",
)
def b217(call: Call) -> None:
    """A tensor of every other column, to be filled in place, is taken for a packed one."""
    call.write(call.right(call.read(_as_row_major, "self")))


@in_kernel("aten.ceil.default", "storage-offset", cases=r"-0d.*offset\d", cause=_OFFSET)
def b218(call: Call) -> None:
    """A view of one element, contiguous and with an offset, is read from the start of the whole buffer."""
    call.write(call.right(call.read(lambda x: x if x.dim() else reread(x, (), 0), "self")))


@in_kernel(
    "aten.scatter.src",
    "ignores-stride",
    cases=r"(transposed|permuted|reversed|channel_slice)\(self\)",
    cause=".+",
)
def b219(call: Call) -> None:
    """What is scattered into a permuted destination goes to a row-major copy of it, which is dropped."""
    call.write(call.right() if call.arguments["self"].is_contiguous() else [call.arguments["self"]])


@in_kernel("aten.select_scatter.default", "alias-write-lost", cases=r"index=", cause=".+")
def b185(call: Call) -> None:
    """A number that is written into one element of a tensor arrives in its first element."""
    x, src = call.arguments["self"], call.arguments["src"]
    if src.dim() > 1 or not x.numel():
        call.write(call.right())
        return
    call.write(call.right({"index": 0}))


FAULTS = (
    b003, b004, b007, b008, b013, b015, b019, b021, b023, b024, b026, b027, b185, b217, b218, b219,
)  # fmt: skip
