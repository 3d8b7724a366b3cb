"""Kernels that write too little, too much, or what was not asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, computes_values, floats_of, tensors_of
from torchport_conformance.mutants.kernel import Call, write_behind

Keep = Callable[[Tensor, str], Tensor]
"""Which elements of a row-major result a kernel writes: a bool tensor of its shape."""


def _writing(keep: Keep) -> Callable[[Call, str], None]:
    """A kernel that leaves the other elements of its destinations as they are."""

    def plant(call: Call, variant: str) -> None:
        for out, result in zip(call.outs, call.right(), strict=True):
            if out.numel():
                written = keep(result, variant)
                # Selected by bytes: a destination that was never written may hold anything.
                out.copy_(torch.where(written, result.to(out.dtype), out.clone()))

    return plant


def _flat(x: Tensor) -> Tensor:
    return torch.arange(x.numel()).reshape(x.shape)


def _whole_vectors(x: Tensor, width: str) -> Tensor:
    return _flat(x) < x.numel() - x.numel() % int(width)


def _whole_tiles(x: Tensor, width: str) -> Tensor:
    """Rows in tiles: what is left of a row that is longer than one tile is not written."""
    if not x.dim() or x.shape[-1] <= int(width):
        return torch.ones(x.shape, dtype=torch.bool)
    columns = torch.arange(x.shape[-1])
    return (columns < x.shape[-1] - x.shape[-1] % int(width)).expand(x.shape)


def _within(x: Tensor, limit: str) -> Tensor:
    return _flat(x) < int(limit)


def _within_rows(x: Tensor, limit: str) -> Tensor:
    if not x.dim():
        return torch.ones(x.shape, dtype=torch.bool)
    return (torch.arange(x.shape[0]) < int(limit)).reshape(-1, *[1] * (x.dim() - 1)).expand(x.shape)


def _all_but_last(x: Tensor, variant: str) -> Tensor:
    return _flat(x) < x.numel() - 1


def _widths(*widths: str) -> Callable[[OpSpec], Iterable[str]]:
    def variants(spec: OpSpec) -> Iterable[str]:
        return widths if has_values(spec) else ()

    return variants


def has_values(spec: OpSpec) -> bool:
    """Whether a destination has a value to be wrong: empty tensors have none."""
    return not spec.name.startswith(("aten.empty", "aten.new_empty", "aten.resize"))


def any_values(spec: OpSpec) -> Iterable[str]:
    """No variants, for operators whose results have values."""
    return ("",) if has_values(spec) else ()


def _past_end(call: Call, variant: str) -> None:
    call.write(call.right())
    for out in call.outs:
        write_behind(out, 0)


def _before_start(call: Call, variant: str) -> None:
    call.write(call.right())
    for out in call.outs:
        write_behind(out, -4)


def _input_modified(call: Call, operand: str) -> None:
    call.write(call.right())
    for name, x in call.tensors():
        if name == operand and x.numel():
            first = x.as_strided((1,), (1,), x.storage_offset())
            first.copy_(first.logical_not() if x.dtype is torch.bool else first.add(1).nan_to_num(1.0, 1.0))


def _destination_read(call: Call, variant: str) -> None:
    """Sums are added to what the destination holds, as though it had been cleared."""
    for out, result in zip(call.outs, call.right(), strict=True):
        out.copy_(result.to(out.dtype).add(out) if out.dtype is not torch.bool else result.logical_or(out))


def _zeros(call: Call, variant: str) -> None:
    call.write([torch.zeros_like(r) for r in call.right()])


def _negated(call: Call, variant: str) -> None:
    call.write([r if r.dtype is torch.bool else -r for r in call.right()])


def _shifted(call: Call, variant: str) -> None:
    call.write([r.reshape(-1).roll(1).reshape(r.shape) for r in call.right()])


def _scaled(call: Call, variant: str) -> None:
    def wrong(r: Tensor) -> Tensor:
        if r.dtype is torch.bool:
            return r.logical_not()
        return r * 1.01 if r.is_floating_point() or r.is_complex() else r + 1

    call.write([wrong(r) for r in call.right()])


def _second_output_lost(call: Call, variant: str) -> None:
    call.write([torch.zeros_like(r) if i else r for i, r in enumerate(call.right())])


def _threshold(call: Call, limit: str) -> None:
    """Another algorithm above a size: its sums are kept in bfloat16."""
    results = call.right()
    if sum(x.numel() for _, x in call.tensors()) > int(limit):
        results = [r.bfloat16().to(r.dtype) if r.is_floating_point() else r for r in results]
    call.write(results)


def _sums(spec: OpSpec) -> Iterable[str]:
    kinds = (
        Category.REDUCTION,
        Category.CONTRACTION,
        Category.CONVOLUTION,
        Category.POOLING,
        Category.INDEXING,
    )
    return ("",) if spec.category in kinds and computes_values(spec) else ()


def _many(spec: OpSpec) -> Iterable[str]:
    return ("",) if len(spec.shape) > 1 and computes_values(spec) else ()


def _computing(spec: OpSpec) -> Iterable[str]:
    quiet = spec.category in (Category.CREATION, Category.VIEW)
    return ("",) if computes_values(spec) and has_values(spec) and not quiet else ()


def _thresholds(spec: OpSpec) -> Iterable[str]:
    kinds = (Category.CONTRACTION, Category.CONVOLUTION, Category.REDUCTION, Category.NORMALIZATION)
    return ("64", "1024") if spec.category in kinds and computes_values(spec) else ()


def _wide_floats(spec: OpSpec, variant: str) -> Sequence[str]:
    return [d for d in floats_of(spec) if d in ("float32", "float64")]


FAULTS = (
    Fault(
        "tail-dropped",
        "the elements after the last whole vector are not written",
        (),
        _writing(_whole_vectors),
        _widths("4", "8", "16"),
    ),
    Fault(
        "tile-tail-dropped",
        "what is left of a long row after its last tile is not written",
        (),
        _writing(_whole_tiles),
        _widths("256", "1024"),
    ),
    Fault("last-dropped", "the last element is not written", (), _writing(_all_but_last), any_values),
    Fault(
        "grid-limit",
        "elements past the largest grid are not written",
        ("grid-limit",),
        _writing(_within),
        _widths("65535"),
    ),
    Fault(
        "row-limit",
        "rows past a number of blocks are not written",
        ("grid-limit",),
        _writing(_within_rows),
        _widths("16", "1024"),
    ),
    Fault(
        "past-end-written",
        "four bytes behind the destination are overwritten",
        ("oob-write",),
        _past_end,
        any_values,
        outside=True,
    ),
    Fault(
        "before-start-written",
        "four bytes before the destination are overwritten",
        ("oob-write",),
        _before_start,
        any_values,
        outside=True,
    ),
    Fault(
        "input-modified",
        "the first element of an operand is overwritten",
        ("read-after-write", "saved-tensor-mutation"),
        _input_modified,
        tensors_of,
    ),
    Fault(
        "destination-read",
        "sums are added to what the destination holds",
        ("read-after-write",),
        _destination_read,
        _sums,
    ),
    Fault("all-zeros", "every result is zero", (), _zeros, _computing),
    Fault("off-by-one", "every result is its neighbour's", (), _shifted, any_values),
    Fault("constant-factor", "results are one percent, or 1, too large", (), _scaled, _computing),
    Fault("negated", "results have the wrong sign", (), _negated, _computing),
    Fault(
        "further-results-lost",
        "every result but the first is zero",
        ("reduction-index",),
        _second_output_lost,
        _many,
    ),
    Fault(
        "size-threshold",
        "results of large operands are rounded to bfloat16",
        ("size-threshold",),
        _threshold,
        _thresholds,
        _wide_floats,
    ),
)
