"""NaN, infinities, signs of zeros, masks that let nothing through, and sums that cancel."""

from __future__ import annotations

import torch

from torchport_conformance.known_faults.fault import KernelError, in_kernel
from torchport_conformance.mutants.kernel import Call


@in_kernel(
    "aten.remainder.Tensor", "signed-zero", cases=r"\[float(32|64).*(meeting|-0@)", cause=".*sign.*zero.*"
)
def b037(call: Call) -> None:
    """A remainder of zero is +0 whatever the signs of the operands."""
    call.write([torch.where(r == 0, torch.zeros_like(r), r) for r in call.right()])


@in_kernel("aten.argmax.default", "nan-propagation", cases=r"\[float(32|16).*nan@", cause=".+")
def b057(call: Call) -> None:
    """The largest number's place is found past NaN."""
    x = call.arguments["self"]
    if x.is_floating_point():
        x = torch.where(x.isnan(), torch.full_like(x, -torch.inf), x)
    call.write(call.right({"self": x}))


@in_kernel("aten.clamp.default", "nan-propagation", cases=r"\[float32.*nan@", cause="NaN is dropped")
def b059(call: Call) -> None:
    """NaN is replaced with a bound."""
    x, low, high = (call.arguments[n] for n in ("self", "min", "max"))
    results = call.right()
    if x.is_floating_point():
        bound = high if low is None else low
        results[0] = torch.where(x.isnan(), torch.full_like(results[0], bound), results[0])
    call.write(results)


@in_kernel("aten.clamp.default", "bound-order", cases=r"max=0\.75", cause=".+")
def b060(call: Call) -> None:
    """Where the lower bound is above the upper one, the lower one wins."""
    low, high = call.arguments["min"], call.arguments["max"]
    if low is not None and high is not None and low > high:
        call.write(call.right({"max": None}))
    else:
        call.write(call.right())


@in_kernel(
    "torchport.scaled_dot_product_attention.default",
    "inf-mask",
    cases=r"-inf@row\(attn_mask\)",
    cause=".*NaN.*",
)
def b071(call: Call) -> None:
    """A query of which every key is masked gives NaN where zeros are asked for."""
    call.write(call.right({"zero_masked_rows": False}))


@in_kernel(
    "torchport.scaled_dot_product_attention.default",
    "nan-propagation",
    cases=r"float32.*nan@(first|last)\(query\)",
    cause="NaN is dropped",
)
def b073(call: Call) -> None:
    """NaN in a query is lost in the running maximum of its scores."""
    results = call.right()
    if bool(call.arguments["query"].isnan().any()):
        results[0] = results[0].nan_to_num(0.0)
    call.write(results)


@in_kernel("aten.clamp.default", "optional-arg", cases=r"min=None", cause="exception")
def b173(call: Call) -> None:
    """An upper bound alone is not taken."""
    if call.arguments["min"] is None:
        raise KernelError("a lower bound is needed")
    call.write(call.right())


@in_kernel("aten.isnan.default", "nan-propagation", cases=r"\[bfloat16.*(nan@|meeting)", cause=".+")
def b175(call: Call) -> None:
    """No NaN of bfloat16 is seen."""
    results = call.right()
    if call.arguments["self"].dtype is torch.bfloat16:
        results[0] = torch.zeros_like(results[0])
    call.write(results)


@in_kernel("aten._log_softmax.default", "numerical-stability", cases=r"float32.*wide", cause=".+")
def b203(call: Call) -> None:
    """The logarithm is taken of probabilities, which underflow far below the largest."""
    x, dim = call.arguments["self"], call.arguments["dim"]
    call.write([torch.softmax(x, dim).log()] if x.dtype is torch.float32 else call.right())


@in_kernel(
    "aten.grid_sampler_2d.default",
    "float-to-int-overflow",
    cases=r"float32.*(inf@|extreme|wide).*\(grid\)",
    cause="exception",
)
def b093(call: Call) -> None:
    """Coordinates that no integer holds become an index, which is out of range."""
    grid = call.arguments["grid"]
    if bool((grid.abs() > 2.0**31).any()):
        raise KernelError("index out of range")
    call.write(call.right())


FAULTS = (b037, b057, b059, b060, b071, b073, b093, b173, b175, b203)
