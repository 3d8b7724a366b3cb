"""Kernels that do not serve some shape: empty, without dimensions, of size 1, of many dimensions, large."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, tensors_of
from torchport_conformance.mutants.faults.extent import any_values
from torchport_conformance.mutants.kernel import Call


class KernelError(RuntimeError):
    """What a faulty kernel raises."""


def _refusing(condition: Callable[[Call, str], bool], text: str) -> Callable[[Call, str], None]:
    def plant(call: Call, variant: str) -> None:
        if condition(call, variant):
            raise KernelError(text)
        call.write(call.right())

    return plant


def variadic(spec: OpSpec) -> Iterable[str]:
    """Operators with an operand of any rank."""
    patterns = [spec.operands[n].pattern or "" for n in tensors_of(spec)]
    return ("",) if any("*" in p and not p.startswith("=") for p in patterns) else ()


def _any_empty(call: Call, variant: str) -> bool:
    return any(not x.numel() for _, x in call.tensors())


def _any_scalar(call: Call, variant: str) -> bool:
    return any(not x.dim() for _, x in call.tensors())


def _rank_over(call: Call, limit: str) -> bool:
    return any(x.dim() > int(limit) for _, x in call.tensors())


def _empty_unwritten(call: Call, variant: str) -> None:
    if not _any_empty(call, variant):
        call.write(call.right())


def _empty_matters(spec: OpSpec) -> Iterable[str]:
    """Operators with results of empty operands that are not empty themselves."""
    kinds = (Category.REDUCTION, Category.CONTRACTION, Category.INDEXING, Category.CONVOLUTION)
    return ("",) if spec.category in kinds and tensors_of(spec) else ()


def _tensors(spec: OpSpec) -> Iterable[str]:
    return ("",) if tensors_of(spec) else ()


def _zero_dim_once(spec: OpSpec) -> Iterable[str]:
    """Operators whose first operand may have no dimensions."""
    first = next(iter(tensors_of(spec)), None)
    pattern = "" if first is None else spec.operands[first].pattern or ""
    return ("",) if pattern.startswith(("*", "~")) else ()


def _units(call: Call, variant: str) -> None:
    """A dimension of size 1 takes the path of a scalar: only the first result is written."""
    if not any(1 in x.shape and x.numel() > 1 for _, x in call.tensors()):
        call.write(call.right())
        return
    for out, result in zip(call.outs, call.right(), strict=True):
        out.copy_(
            result.reshape(-1)[:1].expand(result.numel()).reshape(result.shape) if result.numel() else result
        )


def _stale_size(call: Call, variant: str) -> None:
    """The number of elements of the first call with these ranks is kept."""
    key = tuple(x.dim() for _, x in call.tensors())
    counts = call.cache.setdefault(key, [out.numel() for out in call.outs])
    for out, result, count in zip(call.outs, call.right(), counts, strict=True):
        if out.numel():
            first = torch.arange(out.numel()).reshape(out.shape) < max(count, 1)
            out.copy_(torch.where(first, result.to(out.dtype), out.clone()))


def _dims(spec: OpSpec) -> Iterable[str]:
    """Arguments that are dimensions and may be negative."""
    for name, operand in spec.operands.items():
        names = ("dim", "dims", "dim0", "dim1", "dim2", "axis")
        if operand.pattern is None and name in names and any(map(_negative, operand.choices)):
            yield name


def _negative(choice: Any) -> bool:
    if isinstance(choice, int) and not isinstance(choice, bool):
        return choice < 0
    return "-" in choice if isinstance(choice, str) else any(map(_negative, choice or ()))


def _moved(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_moved(v) for v in value]
    return 0 if isinstance(value, int) and value < 0 else value


def _negative_dim(call: Call, name: str) -> None:
    value = call.arguments[name]
    if _moved(value) == value:
        call.write(call.right())
        return
    results = call.right({name: _moved(value)})
    call.write([_fitted(r, out) for r, out in zip(results, call.outs, strict=True)])


def _fitted(result: Tensor, out: Tensor) -> Tensor:
    """A result in the shape of its destination: what fits of it, then zeros."""
    if result.shape == out.shape:
        return result
    flat = torch.zeros(out.numel(), dtype=result.dtype)
    count = min(out.numel(), result.numel())
    flat[:count] = result.reshape(-1)[:count]
    return flat.reshape(out.shape)


def _negative_dim_refused(call: Call, name: str) -> None:
    value = call.arguments[name]
    if _moved(value) != value:
        raise KernelError("a dimension is out of range")
    call.write(call.right())


def _limited(call: Call, limit: str) -> None:
    """Only the first ``limit`` along the dimension are found; the others are zero."""
    dim = call.arguments.get("dim", -1)
    for out, result in zip(call.outs, call.right(), strict=True):
        if not result.dim():
            out.copy_(result)
            continue
        places = torch.arange(result.shape[dim]).reshape(
            [-1 if d == dim % result.dim() else 1 for d in range(result.dim())]
        )
        out.copy_(torch.where(places < int(limit), result, torch.zeros_like(result)))


def _selecting(spec: OpSpec) -> Iterable[str]:
    ops = (
        "aten.topk.default",
        "aten.sort.default",
        "aten.sort.stable",
        "aten.cumsum.default",
        "aten.cummax.default",
    )
    return ("16", "1024") if spec.name in ops else ()


FAULTS = (
    Fault(
        "empty-refused",
        "an operand without elements is refused",
        ("empty-tensor",),
        _refusing(_any_empty, "a size is 0"),
        _tensors,
    ),
    Fault(
        "empty-unwritten",
        "nothing is written where an operand has no elements",
        ("empty-tensor",),
        _empty_unwritten,
        _empty_matters,
    ),
    Fault(
        "zero-dim-refused",
        "an operand without dimensions is refused",
        ("zero-dim",),
        _refusing(_any_scalar, "a rank is 0"),
        _zero_dim_once,
    ),
    Fault(
        "rank-limit",
        "operands of more dimensions are refused",
        ("rank-limit",),
        _refusing(_rank_over, "too many dimensions"),
        lambda s: ("2", "4") if variadic(s) else (),
    ),
    Fault(
        "unit-as-scalar",
        "operands with a dimension of size 1 are taken for scalars",
        ("shape-degenerate",),
        _units,
        _tensors,
    ),
    Fault(
        "stale-size",
        "the number of elements of the first call is kept",
        ("dynamic-shape-guard", "guard-miss", "data-dependent-size"),
        _stale_size,
        lambda s: any_values(s) if tensors_of(s) else (),
    ),
    Fault(
        "negative-dim", "a negative dimension is taken for the first", ("negative-dim",), _negative_dim, _dims
    ),
    Fault(
        "negative-dim-refused",
        "a negative dimension is refused",
        ("negative-dim",),
        _negative_dim_refused,
        _dims,
    ),
    Fault(
        "k-limit", "only the first places along the dimension are found", ("k-limit",), _limited, _selecting
    ),
)
