"""Kernels of backward graphs, and what autograd makes of them."""

from __future__ import annotations

import os
import signal

import torch

from torchport_conformance.known_faults.fault import in_kernel
from torchport_conformance.mutants.kernel import Call

_LOST = "crashed.*|.*SIG.*|.*signal.*"
_WRONG = "gradient .*"


@in_kernel(
    "aten.native_batch_norm_backward.default",
    "memory-format",
    layer="autograd",
    select="aten._native_batch_norm_legit_functional.default",
    cases=r"channels_last",
    cause="exception",
)
def b011(call: Call) -> None:
    """The backward of a batch norm views a channels-last activation as rows, which raises."""
    call.arguments["input"].view(-1)
    call.write(call.right())


@in_kernel(
    "aten.convolution_backward.default",
    "memory-format",
    layer="autograd",
    select="aten.convolution.default",
    cases=r"-transposed",
    cause="exception",
)
def b012(call: Call) -> None:
    """The backward of a convolution views a transposed activation as rows, which raises."""
    call.arguments["input"].view(-1)
    call.write(call.right())


@in_kernel(
    "aten.div.Tensor",
    "empty-tensor",
    layer="autograd",
    cases=r"float32-2d\.S1=0\]",
    cause=_LOST,
    isolated=True,
)
def b068(call: Call) -> None:
    """The backward of a quotient of empty tensors ends the process."""
    if call.kept["phase"] == "backward" and not call.outs[0].numel():
        os.kill(os.getpid(), signal.SIGSEGV)
    call.write(call.right())


@in_kernel(
    "aten.reflection_pad1d_backward.default",
    "grid-limit",
    layer="autograd",
    select="aten.reflection_pad1d.default",
    cases=r"w=65537",
    cause=_WRONG,
)
def b077(call: Call) -> None:
    """The gradient of a row that is longer than 65,536 is that of its start again past that."""
    (result,) = call.right()
    if result.shape[-1] > 65536:
        result[..., 65536:] = result[..., : result.shape[-1] - 65536].clone()
    call.write([result])


@in_kernel(
    "aten.native_layer_norm_backward.default",
    "grad-mask",
    layer="autograd",
    select="aten.native_layer_norm.default",
    cases=r"frozen:input",
    cause=_WRONG,
)
def b089(call: Call) -> None:
    """Where the operand takes no gradient, that of the weight is not of the normalized operand."""
    a = call.arguments
    if a["output_mask"][0]:
        call.write(call.right())
    else:
        call.write(call.right({"mean": torch.zeros_like(a["mean"]), "rstd": torch.ones_like(a["rstd"])}))


@in_kernel(
    "aten.embedding_dense_backward.default",
    "padding-idx",
    layer="autograd",
    select="aten.embedding.default",
    cases=r"padding_idx=0",
    cause=_WRONG,
)
def b090(call: Call) -> None:
    """The row of the padding takes gradients."""
    call.write(call.right({"padding_idx": -1}))


@in_kernel(
    "aten.nll_loss_backward.default",
    "crash",
    layer="autograd",
    select="aten.nll_loss_forward.default",
    cases=r"float32,int64.*reduction=",
    cause=_LOST,
    isolated=True,
)
def b206(call: Call) -> None:
    """The backward of a loss of class indices ends the process."""
    os.kill(os.getpid(), signal.SIGABRT)


@in_kernel(
    "aten.mm.default",
    "autocast-state",
    layer="graph",
    select="graph:guard/context",
    cases=r"autocast-bfloat16,use=nested,grad=yes",
    cause=".+",
)
def b212(call: Call) -> None:
    """The backward of a region without autocast computes in the outer one's bfloat16."""
    a, b = call.arguments["self"], call.arguments["mat2"]
    if call.kept["phase"] == "forward" and a.dtype is torch.bfloat16:
        call.cache["autocast"] = True
    if call.kept["phase"] == "backward" and a.dtype is torch.float32 and "autocast" in call.cache:
        call.write(call.right({"self": a.bfloat16().float(), "mat2": b.bfloat16().float()}))
    else:
        call.write(call.right())


@in_kernel(
    "aten.slice_scatter.default",
    "broadcast-bwd",
    layer="autograd",
    cases=r"float32.*(tangent:expanded|tangent:)|float32-small-start=0-end=3-step=1\]",
    cause=_WRONG,
)
def b227(call: Call) -> None:
    """In the backward, the mask of a slice of a broadcast gradient is that of one coordinate."""
    (result,), given = call.right(), call.arguments["self"]
    if call.kept["phase"] == "backward" and result.numel():
        at = (call.arguments["start"] or 0) + 1
        result.narrow(call.arguments["dim"], at, given.shape[call.arguments["dim"]] - at).copy_(
            given.narrow(call.arguments["dim"], at, given.shape[call.arguments["dim"]] - at)
        )
    call.write([result])


FAULTS = (b011, b012, b068, b077, b089, b090, b206, b212, b227)
