"""Operands read, and results written, as though memory were laid out in another way."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, most_dimensions, tensors_of
from torchport_conformance.mutants.kernel import Call, reread, row_major


def operands_read(spec: OpSpec) -> Iterable[str]:
    """Tensor arguments whose values the result depends on."""
    return () if spec.category is Category.CREATION else tensors_of(spec)


def _of_rank(least: int) -> Callable[[OpSpec], Iterable[str]]:
    """Operands that can have so many dimensions."""

    def variants(spec: OpSpec) -> Iterable[str]:
        for name in operands_read(spec):
            if most_dimensions(spec.operands[name].pattern or "") >= least:
                yield name

    return variants


def _strides_ignored(call: Call, operand: str) -> None:
    call.write(call.right(call.read(lambda x: reread(x, row_major(x), int(x.storage_offset())), operand)))


def _offset_ignored(call: Call, operand: str) -> None:
    call.write(call.right(call.read(lambda x: reread(x, x.stride(), 0), operand)))


def _channels_last_as_row_major(call: Call, operand: str) -> None:
    def read(x: Tensor) -> Tensor:
        order = {4: torch.channels_last, 5: torch.channels_last_3d}.get(x.dim())
        if order is None or x.is_contiguous() or not x.is_contiguous(memory_format=order):
            return x
        return reread(x, row_major(x), int(x.storage_offset()))

    call.write(call.right(call.read(read, operand)))


def _expanded_as_dense(call: Call, operand: str) -> None:
    def read(x: Tensor) -> Tensor:
        repeats = any(s == 0 and n > 1 for n, s in zip(x.shape, x.stride(), strict=True))
        return reread(x, row_major(x), int(x.storage_offset())) if repeats else x

    call.write(call.right(call.read(read, operand)))


def _last_stride_one(call: Call, operand: str) -> None:
    def read(x: Tensor) -> Tensor:
        if not x.dim() or x.stride(-1) in (0, 1):
            return x
        return reread(x, (*x.stride()[:-1], 1), int(x.storage_offset()))

    call.write(call.right(call.read(read, operand)))


def _packed_rows(call: Call, operand: str) -> None:
    """The innermost stride is honoured, and rows are taken to follow one another."""

    def read(x: Tensor) -> Tensor:
        if x.dim() < 2 or x.stride(-1) != 1:
            return x
        return reread(x, row_major(x), int(x.storage_offset()))

    call.write(call.right(call.read(read, operand)))


def _destination_packed(call: Call, variant: str) -> None:
    for out, result in zip(call.outs, call.right(), strict=True):
        if out.is_contiguous() or not out.numel():
            out.copy_(result)
        else:
            out.as_strided(out.shape, row_major(out), out.storage_offset()).copy_(result)


def _follows_operands(spec: OpSpec) -> Iterable[str]:
    followed = any(rule in ("elementwise", "eager") for rule in spec.layout)
    kinds = (Category.ELEMENTWISE, Category.NORMALIZATION, Category.POOLING, Category.CONVOLUTION)
    return ("",) if followed and tensors_of(spec) and spec.category in kinds else ()


def _trusts_unit_strides(call: Call, operand: str) -> None:
    """Rows are as long as the stride of the dimension before says, also where that dimension has size 1."""

    def read(x: Tensor) -> Tensor:
        odd = [
            d
            for d, (n, s, r) in enumerate(zip(x.shape, x.stride(), row_major(x), strict=True))
            if n == 1 != s != r
        ]
        if not odd or x.numel() < 2:
            return x
        return reread(x, x.stride(), int(x.storage_offset()) + x.stride(odd[0]) - row_major(x)[odd[0]])

    call.write(call.right(call.read(read, operand)))


FAULTS = (
    Fault(
        "stride-ignored",
        "an operand is read as row-major memory from its first element",
        ("ignores-stride",),
        _strides_ignored,
        _of_rank(1),
    ),
    Fault(
        "offset-ignored",
        "an operand is read from the start of its storage",
        ("storage-offset",),
        _offset_ignored,
        operands_read,
    ),
    Fault(
        "channels-last-ignored",
        "a channels-last operand is read as row-major memory",
        ("memory-format",),
        _channels_last_as_row_major,
        _of_rank(4),
    ),
    Fault(
        "expanded-as-dense",
        "an operand with a stride of 0 is read as row-major memory",
        ("expanded-stride0",),
        _expanded_as_dense,
        _of_rank(1),
    ),
    Fault(
        "last-stride-one",
        "the last dimension of an operand is read without its stride",
        ("ignores-stride",),
        _last_stride_one,
        _of_rank(1),
    ),
    Fault(
        "rows-packed",
        "rows of an operand are taken to follow one another in memory",
        ("ignores-stride", "view-fusion"),
        _packed_rows,
        _of_rank(2),
    ),
    Fault(
        "unit-stride-trusted",
        "the stride of a dimension of size 1 is used",
        ("shape-degenerate",),
        _trusts_unit_strides,
        _of_rank(2),
    ),
    Fault(
        "destination-packed",
        "a result is written in row-major order whatever the strides of its destination",
        ("wrong-output-stride", "fake-stride-mismatch"),
        _destination_packed,
        _follows_operands,
    ),
)
