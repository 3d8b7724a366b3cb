"""Results of a lower precision than the contract allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, computes_values, floats_of, named, tensors_of
from torchport_conformance.mutants.kernel import Call

_COMPUTED = ("ulp", "dot", "reduction")
_NARROW = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}


def rounded(x: Tensor, to: str) -> Tensor:
    """The values in a narrower format, ``tf32`` among them, and back."""
    if to != "tf32":
        return x.to(_NARROW[to]).to(x.dtype)
    bits = x.to(torch.float32).view(torch.int32)
    kept = ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)
    return torch.where(x.isfinite(), kept.to(x.dtype), x)


def _operands_lowered(call: Call, variant: str) -> None:
    to, _, operand = variant.partition(" ")
    call.write(call.right(call.read(lambda x: rounded(x, to) if x.is_floating_point() else x, operand)))


def _result_lowered(call: Call, to: str) -> None:
    call.write([rounded(r, to) if r.is_floating_point() else r for r in call.right()])


def _lowerings(spec: OpSpec) -> Iterable[str]:
    if spec.numerics.kind in _COMPUTED and tensors_of(spec):
        yield from ("bfloat16", "tf32", "float16")
        for name in tensors_of(spec)[:2] if len(tensors_of(spec)) > 1 else ():
            yield f"bfloat16 {name}"


def _stores(spec: OpSpec) -> Iterable[str]:
    return ("bfloat16", "float16") if spec.numerics.kind in _COMPUTED and computes_values(spec) else ()


def _only(*names: str) -> Callable[[OpSpec, str], Sequence[str]]:
    return lambda spec, variant: [d for d in names if d in floats_of(spec)]


def _double_as_single(call: Call, variant: str) -> None:
    call.write(call.right(call.read(lambda x: x.float().double() if x.dtype is torch.float64 else x)))


def _double(spec: OpSpec) -> Iterable[str]:
    return ("",) if spec.numerics.kind in _COMPUTED and tensors_of(spec) else ()


def _approximate(call: Call, bits: str) -> None:
    """A table or a short polynomial: relative errors of both signs."""
    results = []
    for r in call.right():
        if r.is_floating_point():
            signs = 1 - 2 * (torch.arange(r.numel()).reshape(r.shape) % 2)
            r = (r.double() * (1 + signs * 2.0 ** -int(bits))).to(r.dtype)
        results.append(r)
    call.write(results)


def _functions(spec: OpSpec) -> Iterable[str]:
    return ("10", "16") if spec.category is Category.ELEMENTWISE and spec.numerics.kind == "ulp" else ()


def summed(x: Tensor, dim: Sequence[int], keepdim: bool, accumulator: torch.dtype) -> Tensor:
    """The sum over ``dim``, one term after the other in ``accumulator``."""
    dims = [d % max(x.dim(), 1) for d in dim]
    kept = [d for d in range(x.dim()) if d not in dims]
    rows = x.permute(*kept, *dims).reshape(*(x.shape[d] for d in kept), -1)
    total = torch.zeros(rows.shape[:-1], dtype=accumulator)
    for i in range(rows.shape[-1]):
        total = (total + rows[..., i].to(accumulator)).to(accumulator)
    return total.reshape([1 if d in dims else n for d, n in enumerate(x.shape)]) if keepdim else total


def _narrow_sum(call: Call, accumulator: str) -> None:
    x, arguments = call.arguments["self"], call.arguments
    if not x.is_floating_point():
        call.write(call.right())
        return
    dim = arguments.get("dim")
    dims = dim if dim else range(x.dim())
    total = summed(x, dims, bool(arguments.get("keepdim", False)), _NARROW[accumulator])
    if call.spec.name.startswith("aten.mean"):
        count = x.numel() // max(total.numel(), 1)
        total = total / max(count, 1)
    call.write([total])


def _narrow_scan(call: Call, accumulator: str) -> None:
    x, dim = call.arguments["self"], call.arguments["dim"]
    if not (x.is_floating_point() and x.dim()):
        call.write(call.right())
        return
    total, parts = torch.zeros(x.select(dim, 0).shape if x.shape[dim] else (), dtype=_NARROW[accumulator]), []
    for part in x.unbind(dim):
        total = (total + part.to(total.dtype)).to(total.dtype)
        parts.append(total)
    call.write([torch.stack(parts, dim) if parts else x])


def _narrow_matmul(call: Call, accumulator: str) -> None:
    """Products are added one after the other in a narrow accumulator."""
    a, b = (x for x in (call.arguments[n] for n in _FACTORS[call.spec.name]))
    if not a.is_floating_point():
        call.write(call.right())
        return
    narrow = _NARROW[accumulator]
    x = a.unsqueeze(-2) if a.dim() == 1 else a
    y = b.unsqueeze(-1) if b.dim() == 1 else b
    total = torch.zeros((*x.shape[:-1], y.shape[-1]), dtype=narrow)
    for k in range(x.shape[-1]):
        total = (total + (x[..., k : k + 1] * y[..., k : k + 1, :]).to(narrow)).to(narrow)
    total = total.to(call.outs[0].dtype)
    if call.spec.name.startswith(("aten.addmm", "aten.baddbmm")):
        total = call.arguments["self"] * call.arguments["beta"] + total * call.arguments["alpha"]
    call.write([total.reshape(call.outs[0].shape)])


_FACTORS = {
    "aten.mm.default": ("self", "mat2"),
    "aten.bmm.default": ("self", "mat2"),
    "aten.addmm.default": ("mat1", "mat2"),
    "aten.baddbmm.default": ("batch1", "batch2"),
    "aten.mv.default": ("self", "vec"),
    "aten.dot.default": ("self", "tensor"),
}
_SUMS = ("sum.dim_IntList", "sum.default", "mean.dim", "mean.default")


def _accumulators(*ops: str) -> Callable[[OpSpec], Iterable[str]]:
    """Accumulators that the contract does not allow these operators."""
    allowed = named(*ops)

    def variants(spec: OpSpec) -> Iterable[str]:
        narrow = {"narrow-accumulator", "narrow-sums"} & set(spec.numerics.special)
        return ("bfloat16", "float16") if list(allowed(spec)) and not narrow else ()

    return variants


FAULTS = (
    Fault(
        "operands-lowered",
        "operands are rounded to a narrower format",
        ("accum-dtype",),
        _operands_lowered,
        _lowerings,
        _only("float32", "float64"),
    ),
    Fault(
        "result-lowered",
        "results are rounded to a narrower format",
        ("accum-dtype",),
        _result_lowered,
        _stores,
        _only("float32", "float64"),
    ),
    Fault(
        "double-as-single",
        "float64 is computed in float32",
        ("dtype-dispatch",),
        _double_as_single,
        _double,
        _only("float64"),
    ),
    Fault(
        "approximate",
        "a function with fewer right bits than the contract asks for",
        (),
        _approximate,
        _functions,
        _only("float32", "float64"),
    ),
    Fault(
        "sum-narrowed",
        "terms are added in a 16-bit accumulator",
        ("accum-dtype",),
        _narrow_sum,
        _accumulators(*_SUMS),
        _only("float32", "float64", "float16", "bfloat16"),
    ),
    Fault(
        "scan-narrowed",
        "a running sum is kept in 16 bits",
        ("accum-dtype",),
        _narrow_scan,
        _accumulators("cumsum.default"),
        _only("float32", "float64", "float16", "bfloat16"),
    ),
    Fault(
        "products-narrowed",
        "products are added in a 16-bit accumulator",
        ("accum-dtype",),
        _narrow_matmul,
        _accumulators(*(n.removeprefix("aten.") for n in _FACTORS)),
        _only("float32", "float16", "bfloat16"),
    ),
)
