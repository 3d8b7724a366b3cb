"""Windows, borders, broadcasting and resampling."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, floats_of, named, tensors_of
from torchport_conformance.mutants.faults.shapes import KernelError
from torchport_conformance.mutants.kernel import Call

_CONVOLUTIONS = ("convolution.default", "_convolution.default", "convolution_backward.default")


def _broadcasting(spec: OpSpec) -> Iterable[str]:
    for name in tensors_of(spec):
        if (spec.operands[name].pattern or "").startswith("~"):
            yield name


def _cycled(call: Call, operand: str) -> None:
    """An operand that is smaller than the result is read round and round."""
    shape = call.outs[0].shape

    def read(x: Tensor) -> Tensor:
        if x.numel() >= shape.numel() or not x.numel():
            return x
        return x.reshape(-1)[torch.arange(shape.numel()) % x.numel()].reshape(shape)

    call.write(call.right(call.read(read, operand)))


def _broadcast_refused(call: Call, operand: str) -> None:
    shape = call.outs[0].shape
    if any(name == operand and x.shape != shape and x.dim() for name, x in call.tensors()):
        raise KernelError("shapes differ")
    call.write(call.right())


def _divisor(call: Call, variant: str) -> None:
    """Every window counts whole, also where it runs over the border."""
    size = call.arguments["kernel_size"]
    rank = 3 if "3d" in call.spec.name else 2
    count = size[0] ** rank if len(size) == 1 else torch.Size(size).numel()
    changed = {} if call.arguments["divisor_override"] is not None else {"divisor_override": count}
    call.write(call.right(changed))


def _zero_border(call: Call, variant: str) -> None:
    """The border of a maximum is zeros."""
    results = call.right()
    if any(call.arguments["padding"]):
        results[0] = results[0].clamp(min=0)
    call.write(results)


def _unit_corners(call: Call, variant: str) -> None:
    """The scale of a dimension of size 1 is 0 / 0."""
    results = call.right()
    x = call.tensors()[0][1]
    if call.arguments["align_corners"] and 1 in x.shape[2:]:
        results = [torch.full_like(r, torch.nan) for r in results]
    call.write(results)


def _neighbour(call: Call, variant: str) -> None:
    """Positions are rounded in another way: where one is at a half, the element before is taken."""
    x = call.arguments["self"]
    n, m = x.shape[-1], call.outs[0].shape[-1]
    if n <= m or not x.numel() or not m:
        call.write(call.right())
        return
    place = (torch.arange(m, dtype=torch.float64) + 0.5) * n / m
    places = torch.where(place == place.floor(), place - 1, place.floor()).clamp(0, n - 1).to(torch.int64)
    rest = call.right()[0]
    rows = x
    for d in range(2, x.dim() - 1):
        size = call.outs[0].shape[d]
        rows = rows.index_select(d, ((torch.arange(size) + 0.5) * x.shape[d] / size).floor().to(torch.int64))
    found = rows.index_select(-1, places)
    call.write([found if found.shape == rest.shape and call.arguments.get("scales") is None else rest])


def _transposed_shifted(call: Call, variant: str) -> None:
    """A transposed convolution crops its padding at one end."""
    results = call.right()
    if call.arguments["transposed"] and any(call.arguments["padding"]):
        results[0] = results[0].roll(1, -1)
    call.write(results)


def _transposed_refused(call: Call, variant: str) -> None:
    if call.arguments["transposed"] and max(call.arguments["stride"]) > 1:
        raise KernelError("a transposed convolution with steps")
    call.write(call.right())


def _flipped_weight(call: Call, variant: str) -> None:
    """Weights are taken from last to first where the convolution is transposed."""
    changed = {}
    if call.arguments["transposed"]:
        weight = call.arguments["weight"]
        changed = {"weight": weight.flip(list(range(2, weight.dim())))}
    call.write(call.right(changed))


def _negative_refused(call: Call, variant: str) -> None:
    if min(call.arguments["pad"], default=0) < 0:
        raise KernelError("a pad is negative")
    call.write(call.right())


def _negative_kept(call: Call, variant: str) -> None:
    """Negative pads crop at the other end."""
    pad = list(call.arguments["pad"])
    for i in range(0, len(pad), 2):
        if min(pad[i], pad[i + 1]) < 0:
            pad[i], pad[i + 1] = pad[i + 1], pad[i]
    call.write(call.right({"pad": pad}))


def _border_lost(call: Call, variant: str) -> None:
    """The gradient of what the border mirrors is not added."""
    results, grad = call.right(), call.arguments["grad_output"]
    inner = grad.clone()
    if inner.numel():
        inner[..., 0] = 0
        inner[..., -1] = 0
    call.write([results[0] if not grad.numel() else call.right({"grad_output": inner})[0]])


def _mirroring(spec: OpSpec) -> Iterable[str]:
    stem = spec.name.split(".")[1]
    return (
        ("",) if stem.startswith(("reflection_pad", "replication_pad")) and stem.endswith("backward") else ()
    )


def _averaging(spec: OpSpec) -> Iterable[str]:
    return ("",) if spec.name.split(".")[1].startswith("avg_pool") else ()


def _largest(spec: OpSpec) -> Iterable[str]:
    stem = spec.name.split(".")[1]
    return ("",) if stem in ("max_pool2d_with_indices", "max_pool3d_with_indices") else ()


def _resampled(spec: OpSpec) -> Iterable[str]:
    linear = spec.name.split(".")[1].startswith(
        ("upsample_linear", "upsample_bilinear", "upsample_trilinear")
    )
    return ("",) if linear and "align_corners" in spec.operands and spec.category is Category.POOLING else ()


def _transposable(spec: OpSpec) -> Iterable[str]:
    return named(*_CONVOLUTIONS)(spec)


def _rows_over(call: Call, variant: str) -> None:
    """Places past 65535 of a row wrap around."""
    results = []
    for r in call.right():
        if r.dim() and r.shape[-1] > 65535:
            r = r.index_select(-1, torch.arange(r.shape[-1]) % 65536)
        results.append(r)
    call.write(results)


def _moving(spec: OpSpec) -> Iterable[str]:
    kinds = (Category.LAYOUT, Category.ELEMENTWISE, Category.SCAN, Category.ORDER)
    return ("",) if spec.category in kinds and tensors_of(spec) else ()


FAULTS = (
    Fault(
        "broadcast-cycled",
        "a smaller operand is read round and round",
        ("broadcast", "broadcast-bwd"),
        _cycled,
        _broadcasting,
    ),
    Fault(
        "broadcast-refused",
        "an operand of another shape is refused",
        ("broadcast",),
        _broadcast_refused,
        _broadcasting,
    ),
    Fault(
        "window-counts-whole",
        "an average divides by the whole window at borders",
        ("ceil-mode",),
        _divisor,
        _averaging,
    ),
    Fault("border-is-zero", "a maximum sees zeros at the border", ("ceil-mode",), _zero_border, _largest),
    Fault(
        "unit-corners",
        "aligned corners of one element divide by zero",
        ("align-corners",),
        _unit_corners,
        _resampled,
    ),
    Fault(
        "nearest-off",
        "the nearest element is the one before",
        ("rounding-mode",),
        _neighbour,
        named("_upsample_nearest_exact1d.default", "_upsample_nearest_exact2d.default"),
        floats_of,
    ),
    Fault(
        "transposed-shifted",
        "a transposed convolution crops at one end",
        ("conv-transpose",),
        _transposed_shifted,
        _transposable,
    ),
    Fault(
        "transposed-steps-refused",
        "a transposed convolution with steps is refused",
        ("conv-transpose",),
        _transposed_refused,
        _transposable,
    ),
    Fault(
        "transposed-weight-flipped",
        "a transposed convolution takes its weight from last to first",
        ("conv-transpose",),
        _flipped_weight,
        _transposable,
    ),
    Fault(
        "negative-pad-refused",
        "a negative pad is refused",
        ("negative-pad",),
        _negative_refused,
        named("constant_pad_nd.default"),
    ),
    Fault(
        "negative-pad-swapped",
        "a negative pad crops at the other end",
        ("negative-pad",),
        _negative_kept,
        named("constant_pad_nd.default"),
    ),
    Fault(
        "border-gradient-lost",
        "the gradient of the border is dropped",
        ("broadcast-bwd",),
        _border_lost,
        _mirroring,
        floats_of,
    ),
    Fault("long-row-wraps", "places past 65535 of a row wrap around", ("grid-limit",), _rows_over, _moving),
)
