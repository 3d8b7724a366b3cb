"""Indices that are wrapped, clipped, narrowed or repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, dtypes_of, named, tensors_of
from torchport_conformance.mutants.kernel import Call


def index_operands(spec: OpSpec) -> Iterable[str]:
    """Integer operands that point into others."""
    for name in tensors_of(spec):
        if spec.operands[name].values.startswith("index"):
            yield name


def _reading(read: Callable[[Tensor], Tensor]) -> Callable[[Call, str], None]:
    def plant(call: Call, operand: str) -> None:
        whole = (torch.int32, torch.int64)
        call.write(call.right(call.read(lambda x: read(x) if x.dtype in whole and x.numel() else x, operand)))

    return plant


def _last_unreached(x: Tensor) -> Tensor:
    return x.clamp(max=max(int(x.max()) - 1, 0)).to(x.dtype)


def _in_a_byte(x: Tensor) -> Tensor:
    return x & 0x7F


def _first_for_all(x: Tensor) -> Tensor:
    return x.reshape(-1)[:1].expand(x.numel()).reshape(x.shape).clone()


def _high_word(x: Tensor) -> Tensor:
    """int32 indices are read as int64, two at a time."""
    if x.dtype is not torch.int32:
        return x
    flat = x.reshape(-1)
    return torch.cat([flat[::2], torch.zeros(flat.numel() // 2, dtype=x.dtype)]).reshape(x.shape)


def _later_along(index: Tensor, dim: int, size: int) -> Tensor:
    """Where the same place along ``dim`` is named again later."""
    places = torch.arange(index.shape[dim]).reshape(
        [-1 if d == dim % index.dim() else 1 for d in range(index.dim())]
    )
    shape = list(index.shape)
    shape[dim] = size
    last = torch.full(shape, -1).scatter_reduce(dim, index, places.expand(index.shape), "amax")
    return last.gather(dim, index) != places


def _updates_lost(call: Call, variant: str) -> None:
    """Of several updates of one place, the last alone is made."""
    given = call.arguments
    index = given["index"]
    source = next((n for n in ("src", "source") if n in given), "")
    value = given[source]
    if not index.dim() or not index.numel():
        call.write(call.right())
        return
    dim, wide = given["dim"], index.to(torch.int64)
    lost = _later_along(
        wide, dim if call.spec.name == "aten.scatter_add.default" else 0, call.outs[0].shape[dim]
    )
    if call.spec.name == "aten.scatter_add.default":
        value = value.clone()
        inside = tuple(slice(0, n) for n in index.shape)
        value[inside] = torch.where(lost, torch.zeros_like(value[inside]), value[inside])
    else:
        shape = [-1 if d == dim % value.dim() else 1 for d in range(value.dim())] if value.dim() else []
        value = torch.where(lost.reshape(shape), torch.zeros_like(value), value)
    call.write(call.right({source: value}))


def _accumulation_lost(call: Call, variant: str) -> None:
    """Updates of one place overwrite one another, and are added once."""
    given = call.arguments
    by_mask = any(i is not None and i.dtype is torch.bool for i in given["indices"])
    if by_mask or not given["accumulate"]:
        call.write(call.right())
        return
    zero = torch.zeros_like(given["self"])
    written = call.right({"self": zero, "accumulate": False})[0]
    call.write([(given["self"] + written).to(written.dtype) if written.dtype is not torch.bool else written])


def _rows_lost(call: Call, variant: str) -> None:
    """Gradients of a row that was read several times overwrite one another."""
    given = call.arguments
    grad, indices = given["grad_output"], given["indices"].reshape(-1).to(torch.int64)
    rows = grad.reshape(indices.numel(), -1) if indices.numel() else grad
    if not indices.numel():
        call.write(call.right())
        return
    lost = _later_along(indices, 0, given["num_weights"])
    call.write(
        call.right(
            {"grad_output": torch.where(lost.unsqueeze(1), torch.zeros_like(rows), rows).reshape(grad.shape)}
        )
    )


def _mask_inverted(call: Call, operand: str) -> None:
    call.write(call.right(call.read(lambda x: x.logical_not() if x.dtype is torch.bool else x, operand)))


def _masks(spec: OpSpec) -> Iterable[str]:
    for name in tensors_of(spec):
        if spec.dtypes.accepts.get(name) == ("bool",) and spec.category in (
            Category.INDEXING,
            Category.ELEMENTWISE,
        ):
            yield name


def _summable(spec: OpSpec, variant: str) -> Sequence[str]:
    return [
        d for d in dtypes_of(spec) if d in ("float32", "float64", "float16", "bfloat16", "int64", "int32")
    ]


FAULTS = (
    Fault(
        "index-clipped",
        "the largest index is never reached",
        ("broadcast-bwd",),
        _reading(_last_unreached),
        index_operands,
    ),
    Fault(
        "index-in-a-byte",
        "indices are kept in seven bits",
        ("int64-truncation",),
        _reading(_in_a_byte),
        index_operands,
    ),
    Fault(
        "index-not-advanced",
        "every index is the first one",
        ("data-dependent-size",),
        _reading(_first_for_all),
        index_operands,
    ),
    Fault(
        "index-width",
        "indices of 32 bits are read as 64 bits",
        ("dtype-dispatch",),
        _reading(_high_word),
        lambda s: [n for n in index_operands(s) if "int32" in s.dtypes.accepts.get(n, ())],
    ),
    Fault(
        "duplicates-lost",
        "of several updates of one place, the last alone is made",
        ("duplicate-index",),
        _updates_lost,
        named("scatter_add.default", "index_add.default"),
        _summable,
    ),
    Fault(
        "accumulation-lost",
        "accumulated updates overwrite one another",
        ("duplicate-index",),
        _accumulation_lost,
        named("index_put.default", "_unsafe_index_put.default"),
        _summable,
    ),
    Fault(
        "row-gradients-lost",
        "gradients of a repeated row overwrite one another",
        ("duplicate-index",),
        _rows_lost,
        named("embedding_dense_backward.default"),
        _summable,
    ),
    Fault("mask-inverted", "a mask selects what it should leave", ("broadcast-bwd",), _mask_inverted, _masks),
)
