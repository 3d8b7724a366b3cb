"""Macros with a gradient: the macro's own backward operator where a backend claims it, else the gradient of
its decomposition.

A raised macro is called through an ``autograd.Function``, so AOTAutograd sees one operator in the forward
graph and, in the backward graph, either one operator or what autograd makes of the decomposition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.capture.tracing import silent, without_autocast
from torchport.contract.decompositions.precision import narrow, widen
from torchport.contract.gradients import in_backward
from torchport.contract.spec import OpSpec, resolve


@dataclass(frozen=True, slots=True)
class Backward:
    """A macro's backward operator: its arguments, of which ``grad_output`` is the gradient and the others are
    arguments of the forward operator, and the forward arguments whose gradients it returns, in order.
    """

    op: str
    arguments: tuple[str, ...]
    gradients: tuple[str, ...]


ATTENTION = (
    "query",
    "key",
    "value",
    "attn_mask",
    "dropout_mask",
    "is_causal",
    "scale",
    "zero_masked_rows",
)
LOSS = ("input", "target", "weight", "reduction", "ignore_index", "label_smoothing")
_BACKWARD = (
    ("rms_norm", ("input", "normalized_shape", "weight", "eps"), ("input", "weight")),
    ("scaled_dot_product_attention", ATTENTION, ("query", "key", "value")),
    ("rope", ("cos", "sin", "interleaved"), ("x",)),
    ("swiglu", ("gate", "up"), ("gate", "up")),
    ("cross_entropy", LOSS, ("input",)),
)
BACKWARD = {
    f"torchport.{name}.default": Backward(
        f"torchport.{name}_backward.default", ("grad_output", *arguments), gradients
    )
    for name, arguments, gradients in _BACKWARD
}
"""Backward operators by macro."""
STATISTICS = ("running_mean", "running_var")
"""Arguments that a program writes between the forward and the backward pass: what is saved is a copy, which
is dropped from the graph where the gradient does not read it.
"""
CONSTANT_RESULTS = {"torchport.batch_norm_training.default": (1, 2)}
"""Results that take no gradient, by macro: new running statistics, which a program keeps over its steps."""


def differentiable(spec: OpSpec, own_backward: bool) -> Callable[..., Any]:
    """A function of the macro's arguments, in schema order, that autograd can differentiate.

    Args:
        spec: the macro.
        own_backward: the gradients that the macro's backward operator gives are taken from it.
    """
    op = resolve(spec.name)
    names = [a.name for a in op._schema.arguments]
    backward = BACKWARD.get(spec.name) if own_backward else None
    written = [i for i, name in enumerate(names) if name in STATISTICS]
    constant = CONSTANT_RESULTS.get(spec.name, ())

    class Macro(torch.autograd.Function):
        """The macro as a node of autograd's graph."""

        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            ctx.constants = [None if isinstance(a, torch.Tensor) else a for a in args]
            ctx.places = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor)]
            ctx.save_for_backward(*(args[i].clone() if i in written else args[i] for i in ctx.places))
            results = op(*args)
            if isinstance(results, tuple):
                fixed = [r for i, r in enumerate(results) if i in constant or not r.is_floating_point()]
                ctx.mark_non_differentiable(*fixed)
            return results

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            args = list(ctx.constants)
            for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
                args[place] = tensor
            wanted = [i for i in ctx.places if ctx.needs_input_grad[i]]
            found: list[Any] = [None] * len(args)
            if backward is not None and all(names[i] in backward.gradients for i in wanted):
                values = {**dict(zip(names, args, strict=True)), "grad_output": grads[0].contiguous()}
                results = resolve(backward.op)(*(values[name] for name in backward.arguments))
                results = results if isinstance(results, tuple) else (results,)
                for name, gradient in zip(backward.gradients, results, strict=True):
                    at = names.index(name)
                    found[at] = gradient if at in wanted else None
                return tuple(found)
            with in_backward(), without_autocast():
                given = [None if i in constant else g for i, g in enumerate(grads)]
                gradients = _through_decomposition(spec, args, wanted, given)
            for place, gradient in zip(wanted, gradients, strict=True):
                found[place] = gradient
            return tuple(found)

    def call(*args: Any) -> Any:
        return Macro.apply(*args)  # type: ignore[no-untyped-call]

    short = spec.name.split(".")[1]
    call.__name__ = call.__qualname__ = f"raised_{short}{'_with_backward' if backward else ''}"
    call.__doc__ = f"``{spec.name}`` with a gradient."
    return call


def _normalized(input: torch.Tensor, dim: int, eps: float) -> torch.Tensor:
    """The norm as one operator, whose gradient is 0 where the norm is 0; that of a square root is not."""
    return narrow(torch.nn.functional.normalize(widen(input), 2.0, dim, eps), input.dtype)


DIFFERENTIABLE = {"torchport.l2_normalize.default": _normalized}
"""Macros whose decomposition has no gradient everywhere, with a function that has."""


def _through_decomposition(
    spec: OpSpec, args: Sequence[Any], wanted: Sequence[int], grads: Sequence[Any]
) -> Sequence[Any]:
    """Gradients of the decomposition, or of what stands for it, in the arguments at ``wanted``."""
    function = DIFFERENTIABLE.get(spec.name, spec.decomposition)
    assert function is not None
    inputs = list(args)
    for place in wanted:
        inputs[place] = args[place].detach().requires_grad_()
    with torch.enable_grad(), silent():
        results = function(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    pairs = [(r, g) for r, g in zip(results, grads, strict=True) if r.requires_grad and g is not None]
    return torch.autograd.grad(
        [r for r, _ in pairs],
        [inputs[place] for place in wanted],
        [g for _, g in pairs],
        allow_unused=True,
    )
