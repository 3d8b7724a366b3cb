"""Statistics that normalization takes."""

from __future__ import annotations

import torch

from torchport_conformance.known_faults.fault import in_kernel
from torchport_conformance.mutants.kernel import Call


@in_kernel(
    "aten.native_layer_norm.default", "cancellation", cases=r"float32.*(tiny|shifted)\(input\)", cause=".+"
)
def b085(call: Call) -> None:
    """The variance is E[x²] - mean², and no less than 1e-6."""
    x, eps, results = call.arguments["input"], call.arguments["eps"], call.right()
    dims = list(range(x.dim() - len(call.arguments["normalized_shape"]), x.dim()))
    mean = x.mean(dims, keepdim=True)
    variance = ((x * x).mean(dims, keepdim=True) - mean * mean).clamp(min=1e-6)
    rstd = torch.rsqrt(variance + eps)
    weight, bias = call.arguments["weight"], call.arguments["bias"]
    normal = (x - mean) * rstd
    normal = normal if weight is None else normal * weight
    results[0] = normal if bias is None else normal + bias
    call.write([results[0], mean.view(results[1].shape), rstd.view(results[2].shape)])


@in_kernel("aten.native_batch_norm.default", "batchnorm-stats", cases=r"training=True", cause=".+")
def b087(call: Call) -> None:
    """In training the batch is normalized by the statistics of its first sample."""
    arguments, results = call.arguments, call.right()
    x = arguments["input"]
    if arguments["training"] and x.dim() > 2 and x.shape[0] > 1:
        first = call.right({"input": x[:1]})
        shape = (1, -1, *(1 for _ in x.shape[2:]))
        normal = (x - first[1].view(shape)) * first[2].view(shape)
        weight, bias = arguments["weight"], arguments["bias"]
        normal = normal if weight is None else normal * weight.view(shape)
        results = [normal if bias is None else normal + bias.view(shape), first[1], first[2]]
    call.write(results)


FAULTS = (b085, b087)
