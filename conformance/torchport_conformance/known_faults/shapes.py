"""Sizes of zero and one, ranks, limits of grids, and dimensions counted from the end."""

from __future__ import annotations

import torch

from torchport_conformance.known_faults.fault import KernelError, in_kernel
from torchport_conformance.mutants.kernel import Call


@in_kernel("aten.constant_pad_nd.default", "rank-limit", cases=r"pad=\((-?\d+, ?){7}", cause="exception")
def b032(call: Call) -> None:
    """Pads of four dimensions are refused."""
    if len(call.arguments["pad"]) > 6:
        raise KernelError("at most three dimensions are padded")
    call.write(call.right())


@in_kernel("aten.topk.default", "k-limit", cases=r"k=(17|31|33|41|67)\b", cause=".+")
def b061(call: Call) -> None:
    """Past the sixteenth, the largest elements and their indices are zeros."""
    results, dim = call.right(), call.arguments["dim"]
    if call.arguments["k"] > 16:
        for result in results:
            result.narrow(dim, 16, result.shape[dim] - 16).zero_()
    call.write(results)


@in_kernel("aten.sort.stable", "grid-limit", cases=r"float32-2d\.S1=4194305", cause=".+")
def b062(call: Call) -> None:
    """Columns past the limit of a launch grid get the indices of columns that were not sorted."""
    results, x, dim = call.right(), call.arguments["self"], call.arguments["dim"]
    if x.dim() > 1 and x.numel() > 65535 * x.shape[dim]:
        moved = results[1].movedim(dim, 0)
        rows = moved.reshape(x.shape[dim], -1)
        rows[:, 65535:] = torch.arange(rows.shape[0])[:, None]
        results[1] = rows.view(moved.shape).movedim(0, dim)
    call.write(results)


@in_kernel("aten.dot.default", "empty-tensor", cases=r"=0", cause="exception")
def b063(call: Call) -> None:
    """A dot product of nothing meets an internal check."""
    _refuse(call.arguments["self"].numel() == 0, "internal: a vector is empty")
    call.write(call.right())


@in_kernel("aten.baddbmm.default", "empty-tensor", cases=r"(m|n|all)=0", cause="exception")
def b064(call: Call) -> None:
    """A batched product without rows meets an internal check."""
    _refuse(call.arguments["batch1"].shape[1] == 0, "internal: a matrix has no rows")
    call.write(call.right())


@in_kernel("aten.mv.default", "empty-tensor", cases=r"=0", cause="exception")
def b066(call: Call) -> None:
    """A product of a matrix without rows and a vector meets an internal check."""
    _refuse(call.arguments["self"].shape[0] == 0, "internal: a matrix has no rows")
    call.write(call.right())


@in_kernel("torchport.linear.default", "empty-tensor", cases=r"k=0", cause="exception")
def b067(call: Call) -> None:
    """A linear layer without input features ends in the library."""
    _refuse(call.arguments["weight"].shape[1] == 0, "leading dimension is 0")
    call.write(call.right())


@in_kernel("aten._fft_c2r.default", "rank-limit", cases=r"complex64-[456]d", cause="exception")
def b100(call: Call) -> None:
    """A transform along another dimension than the last of a tensor of rank five is refused."""
    x, dims = call.arguments["self"], call.arguments["dim"]
    _refuse(x.dim() >= 5 and dims[-1] != x.dim() - 1, "too many dimensions around the transform")
    call.write(call.right())


@in_kernel("aten.cumsum.default", "zero-dim", cases=r"-0d", cause="exception")
def b136(call: Call) -> None:
    """A running sum of a tensor without dimensions fails."""
    _refuse(call.arguments["self"].dim() == 0, "dimension 0 of none")
    call.write(call.right())


@in_kernel("aten.view.default", "negative-dim", cases=r"size=\(-?\d+,", cause=".+")
def b180(call: Call) -> None:
    """Sizes that were asked for by negative dimensions come in the wrong order."""
    size = call.arguments["size"]
    x, (out,) = call.arguments["self"], call.outs
    if len(size) == 2 and x.numel():
        call.write([x.reshape(out.shape[::-1]).t().reshape(out.shape[0], out.shape[1])])
    else:
        call.write(call.right())


@in_kernel("aten.cat.default", "negative-dim", cases=r"dim=-", cause="exception")
def b181(call: Call) -> None:
    """Tensors are not joined along a dimension that is counted from the end."""
    _refuse(call.arguments["dim"] < 0, "dimension out of range")
    call.write(call.right())


@in_kernel("aten.stack.default", "negative-dim", cases=r"dim=-", cause=".+")
def b182(call: Call) -> None:
    """The last dimension of a stack is counted in the rank of its operands, which is one less."""
    dim, rank = call.arguments["dim"], call.arguments["tensors"][0].dim()
    _refuse(dim < 0 and dim + rank < 0, "dimension out of range")
    if dim >= 0 or not rank:
        call.write(call.right())
        return
    stacked = call.right({"dim": dim + rank})[0]
    call.write([stacked.reshape(call.outs[0].shape)])


@in_kernel("aten.constant_pad_nd.default", "negative-pad", cases=r"pad=\(-", cause="exception")
def b184(call: Call) -> None:
    """Pads that are negative, which crop, are refused."""
    _refuse(min(call.arguments["pad"], default=0) < 0, "a pad is negative")
    call.write(call.right())


@in_kernel("aten.scatter.value", "shape-degenerate", cases=r"(S\d|n|m|k|all)=1\b", cause="exception")
def b221(call: Call) -> None:
    """A last dimension of size 1 of destination and indices is dropped, and their ranks no longer agree."""
    x = call.arguments["self"]
    _refuse(x.dim() > 1 and x.shape[-1] == 1, "ranks of destination and indices differ")
    call.write(call.right())


def _refuse(condition: bool, text: str) -> None:
    if condition:
        raise KernelError(text)


FAULTS = (b032, b061, b062, b063, b064, b066, b067, b100, b136, b180, b181, b182, b184, b221)
