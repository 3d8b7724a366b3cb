"""Windows: convolutions, pools, and resampling."""

from __future__ import annotations

import torch
from torch import Tensor

from torchport_conformance.known_faults.fault import KernelError, in_kernel
from torchport_conformance.mutants.kernel import Call


@in_kernel("aten.convolution.default", "conv-transpose", cases=r"conv_transpose1d", cause=".+")
def b078(call: Call) -> None:
    """A transposed convolution of one dimension with a stride crops its padding at one end."""
    arguments, results = call.arguments, call.right()
    steps, (padding, *_) = max(arguments["stride"]), arguments["padding"]
    if arguments["transposed"] and len(arguments["stride"]) == 1 and steps > 1 and padding:
        results[0] = results[0].roll(-padding, -1)
    call.write(results)


@in_kernel("aten.convolution.default", "conv-transpose", cases=r"conv_transpose", cause="exception")
def b079(call: Call) -> None:
    """A transposed convolution whose output padding is larger than its padding pads by a negative number."""
    arguments = call.arguments
    pads = zip(arguments["padding"], arguments["output_padding"], strict=False)
    if arguments["transposed"] and any(more > padding for padding, more in pads):
        raise KernelError("a pad is negative")
    call.write(call.right())


def _pool(call: Call, **changed: object) -> list[Tensor]:
    return call.right(changed)


@in_kernel(
    "aten.avg_pool2d.default",
    "ceil-mode",
    cases=r"padding=\(1,1\)-ceil_mode=True-count_include_pad=True-divisor_override=None|opinfo:",
    cause=".+",
)
def b080(call: Call) -> None:
    """With ``ceil_mode`` and padding that counts, a window that runs over the padded edge counts whole."""
    a = call.arguments
    sides = [*a["kernel_size"]] * (1 if len(a["kernel_size"]) == 2 else 2)
    if a["ceil_mode"] and a["count_include_pad"] and a["divisor_override"] is None:
        call.write(_pool(call, divisor_override=sides[0] * sides[1]))
    else:
        call.write(call.right())


@in_kernel("aten.avg_pool2d.default", "ceil-mode", cases=r"padding=\(1,1\)|opinfo:", cause=".+")
def b179(call: Call) -> None:
    """The divisor counts the padding that a window covers where it must not."""
    a = call.arguments
    if any(a["padding"]) and not a["count_include_pad"] and a["divisor_override"] is None:
        call.write(_pool(call, count_include_pad=True))
    else:
        call.write(call.right())


@in_kernel("aten.upsample_linear1d.default", "align-corners", cases=r"w=1\b|all=1\b", cause="NaN where .*")
def b083(call: Call) -> None:
    """With aligned corners a row of one element is scaled by 0 / 0."""
    results = call.right()
    if call.arguments["align_corners"] and call.arguments["self"].shape[-1] == 1:
        results = [torch.full_like(r, torch.nan) for r in results]
    call.write(results)


@in_kernel("aten._upsample_nearest_exact1d.default", "rounding-mode", cases=r"scales=None", cause=".+")
def b084(call: Call) -> None:
    """A source position that falls on an integer is rounded to the element before it."""
    x, (out,) = call.arguments["self"], call.outs
    n, m = x.shape[-1], out.shape[-1]
    if call.arguments["scales"] is not None or not n or not m:
        call.write(call.right())
        return
    exact = (2 * torch.arange(m) + 1) * n
    at = exact // (2 * m) - (exact % (2 * m) == 0).long()
    call.write([x.index_select(-1, at.clamp(0, n - 1))])


FAULTS = (b078, b079, b080, b083, b084, b179)
