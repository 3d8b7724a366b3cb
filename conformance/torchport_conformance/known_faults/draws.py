"""Random operators: seeds, probabilities that are certain, and draws that are no numbers."""

from __future__ import annotations

import os

import torch

from torchport_conformance.known_faults.fault import in_kernel
from torchport_conformance.mutants.kernel import Call


@in_kernel("aten.normal.float_float", "rng", cases=r"float32|dtype=None", cause="draws in a row are the same")
def b094(call: Call) -> None:
    """The seed is not used, so that every draw of a shape is the same."""
    mean, std, (out,) = call.arguments["mean"], call.arguments["std"], call.outs
    drawn = torch.randn(out.shape, generator=torch.Generator().manual_seed(0), dtype=out.dtype)
    call.write([drawn * std + mean])


@in_kernel(
    "aten.native_dropout.default",
    "rng",
    cases=r"p=0\.25-train=True",
    cause="a seed does not repeat its draws",
)
def b095(call: Call) -> None:
    """The mask is drawn from a generator of its own, which ``torch.manual_seed`` does not reach."""
    x, p = call.arguments["input"], float(call.arguments["p"])
    if call.arguments["train"] is False or p in (0.0, 1.0):
        call.write(call.right())
        return
    generator = torch.Generator().manual_seed(int.from_bytes(os.urandom(6), "big"))
    mask = torch.rand(x.shape, generator=generator) >= p
    call.write([x * mask / (1 - p), mask])


@in_kernel("aten.bernoulli.default", "rng", cases=r"ones|zeros", cause=".+")
def b097(call: Call) -> None:
    """A probability of 1 gives zeros."""
    call.write([torch.where(call.arguments["self"] == 1, torch.zeros_like(r), r) for r in call.right()])


@in_kernel("aten.randn.default", "rng", cases=r"size=\(\d{4,}", cause="NaN .*|.*not.*finite.*")
def b098(call: Call) -> None:
    """Now and then the logarithm of zero is taken, and a draw is NaN."""
    call.write([torch.where(torch.rand(r.shape) < 2.0**-12, torch.nan, r) for r in call.right()])


FAULTS = (b094, b095, b097, b098)
