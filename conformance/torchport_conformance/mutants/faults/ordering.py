"""Ties, NaN and directions of what orders its operand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from torchport.contract.spec import OpSpec
from torchport_conformance.mutants.fault import Fault, dtypes_of, floats_of, named
from torchport_conformance.mutants.kernel import Call


def _dim(call: Call) -> int:
    return int(call.arguments.get("dim", -1))


def _flipped(call: Call, dim: int | None) -> list[Tensor]:
    """Results on the reversed operand, with indices turned back: of equals, the last comes first."""
    x = call.tensors()[0][1]
    name = call.tensors()[0][0]
    if not x.dim() or not x.numel():
        return call.right()
    if dim is None:
        results, size = call.right({name: x.flatten().flip(0).reshape(x.shape)}), x.numel()
    else:
        results, size = call.right({name: x.flip(dim)}), x.shape[dim]
    return [size - 1 - r if r.dtype is torch.int64 and x.dtype is not torch.int64 else r for r in results]


def _last_of_equals(call: Call, variant: str) -> None:
    dim = call.arguments.get("dim")
    x = call.tensors()[0][1]
    results = call.right()
    if x.dtype is torch.int64:
        # Values and indices have the same dtype; indices are the last result.
        flipped = _flipped(call, dim)
        size = x.numel() if dim is None else x.shape[dim] if x.dim() else 1
        results[-1] = size - 1 - flipped[-1] if x.dim() and x.numel() else results[-1]
        call.write(results)
        return
    call.write(_flipped(call, dim))


def _sort_unstable(call: Call, variant: str) -> None:
    """Equals come in reverse order."""
    x, dim = call.arguments["self"], _dim(call)
    if not x.dim() or not x.numel():
        call.write(call.right())
        return
    values, indices = call.right({"self": x.flip(dim)})
    call.write([values, x.shape[dim] - 1 - indices])


def _nan_first(call: Call, variant: str) -> None:
    """NaN sorts as the least."""
    x, dim = call.tensors()[0][1], _dim(call)
    if not x.is_floating_point() or not x.dim():
        call.write(call.right())
        return
    least = x.nan_to_num(-torch.inf, torch.inf, -torch.inf)
    results = call.right({call.tensors()[0][0]: least})
    if len(results) > 1 and results[1].dtype is torch.int64 and results[1].shape == results[0].shape:
        shown = results[1].unsqueeze(dim) if results[1].dim() < x.dim() else results[1]
        values = x.gather(dim, shown)
        results[0] = values.reshape(results[0].shape)
    call.write(results)


def _indices_zero(call: Call, variant: str) -> None:
    call.write([torch.zeros_like(r) if i else r for i, r in enumerate(call.right())])


def _indices_of_storage(call: Call, variant: str) -> None:
    """A flat index counts along the memory."""
    x = call.arguments["self"]
    if call.arguments["dim"] is not None or x.is_contiguous() or not x.numel():
        call.write(call.right())
        return
    order = sorted(range(x.dim()), key=lambda d: -x.stride(d))
    call.write(call.right({"self": x.permute(order).contiguous().reshape(x.shape)}))


def _unsorted(call: Call, variant: str) -> None:
    """The largest are found and left in the order of the operand."""
    values, indices = call.right()
    if not values.dim():
        call.write([values, indices])
        return
    dim = _dim(call)
    ordered = indices.sort(dim)[0]
    call.write([call.arguments["self"].gather(dim, ordered), ordered])


def _side_ignored(call: Call, variant: str) -> None:
    call.write(call.right({"right": False, "side": None} if "side" in call.arguments else {"right": False}))


def _indexed(spec: OpSpec) -> Iterable[str]:
    ops = ("argmax.default", "argmin.default", "max.dim", "min.dim", "cummax.default", "cummin.default")
    return ("",) if spec.name.removeprefix("aten.") in ops else ()


def _some(spec: OpSpec, variant: str) -> Sequence[str]:
    return [d for d in dtypes_of(spec) if d in ("float32", "float16", "int64", "int32", "uint8", "int8")]


FAULTS = (
    Fault(
        "tie-order",
        "of equal elements the last is taken",
        ("reduction-index",),
        _last_of_equals,
        _indexed,
        _some,
    ),
    Fault("sort-unstable", "equal elements are reversed", (), _sort_unstable, named("sort.stable"), _some),
    Fault(
        "nan-sorts-first",
        "NaN sorts as the least",
        ("nan-propagation",),
        _nan_first,
        named(
            "sort.default",
            "sort.stable",
            "topk.default",
            "kthvalue.default",
            "median.dim",
            "median.default",
            "mode.default",
        ),
        floats_of,
    ),
    Fault(
        "indices-zero",
        "indices are zero",
        ("reduction-index",),
        _indices_zero,
        named(
            "max.dim",
            "min.dim",
            "sort.default",
            "topk.default",
            "cummax.default",
            "cummin.default",
            "mode.default",
            "median.dim",
            "kthvalue.default",
        ),
        _some,
    ),
    Fault(
        "index-along-memory",
        "a flat index counts along the memory",
        ("reduction-index", "ignores-stride"),
        _indices_of_storage,
        named("argmax.default", "argmin.default"),
        _some,
    ),
    Fault(
        "selection-unsorted",
        "the largest elements are not put in order",
        ("k-limit",),
        _unsorted,
        named("topk.default"),
        _some,
    ),
    Fault(
        "side-ignored",
        "of equal boundaries always the left one is found",
        (),
        _side_ignored,
        named("searchsorted.Tensor", "searchsorted.Scalar", "bucketize.Tensor", "bucketize.Scalar"),
        _some,
    ),
)
