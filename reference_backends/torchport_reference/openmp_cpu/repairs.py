"""Calls of PyTorch's operators that give the right result where its CPU kernels do not.

Each comes with a test of the nodes that need it; every other node pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchport.contract.graph import Node
from torchport.contract.opset import opset
from torchport.contract.spec import resolve

SIXTEEN_BITS = (torch.bfloat16, torch.float16)


def as_attention_reads(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of flash attention's operands, on operands as its kernel reads them: elements lie side by
    side, and masks and logarithms of sums have the dtype of the query or the one that it computes in. Others
    are copied.
    """

    def run(*positional: Any, **keywords: Any) -> Any:
        own = positional[0].dtype
        wide = torch.float64 if own == torch.float64 else torch.float32

        def laid_out(arg: Any) -> Any:
            if not isinstance(arg, torch.Tensor):
                return arg
            if arg.is_floating_point() and arg.dtype not in (own, wide):
                arg = arg.to(wide)
            side_by_side = not arg.dim() or arg.stride(-1) == 1
            return arg if side_by_side else arg.clone(memory_format=torch.contiguous_format)

        return function(*map(laid_out, positional), **{k: laid_out(v) for k, v in keywords.items()})

    return run


def attention_of_any_values(name: str) -> Callable[..., Any]:
    """Flash attention by its definition where the kernel has lost what is not finite: rows of scores that are
    all NaN it takes to be masked, with zeros for a result and a logarithm of 0, and infinite scores leave it
    with an infinite one.
    """
    kernel = as_attention_reads(resolve(name))

    def run(*positional: Any, **keywords: Any) -> Any:
        out, logsumexp = kernel(*positional, **keywords)
        suspect = bool((logsumexp == 0).any()) and not all(map(_is_finite, positional[:2]))
        if suspect or bool((logsumexp == torch.inf).any()):
            return _definition(name)(*positional, **keywords)
        return out, logsumexp

    return run


def attention_gradients_of_any_values(name: str) -> Callable[..., Any]:
    """Gradients of flash attention by their definition where a logarithm of a sum is not finite: the kernel
    leaves out what is masked, and so the NaN of its row.
    """
    kernel, definition = as_attention_reads(resolve(name)), as_attention_reads(_definition(name))

    def run(*positional: Any, **keywords: Any) -> Any:
        logsumexp = positional[5]
        return (kernel if _is_finite(logsumexp) else definition)(*positional, **keywords)

    return run


def _definition(name: str) -> Callable[..., Any]:
    found = opset().ops[name].decomposition
    assert found is not None, name
    return found


def _is_finite(x: torch.Tensor) -> bool:
    """Whether all elements are finite; not of a sum that overflows."""
    return bool(x.sum(dtype=torch.float32).isfinite())


def in_sixteen_bits(node: Node) -> bool:
    """Whether a node computes on 16-bit floats."""
    return any(v.tensor.dtype in SIXTEEN_BITS for v in node.inputs)


def exact_where_not_finite(name: str) -> Callable[..., Any]:
    """A convolution that computes in float32 where an operand holds an infinity or NaN: 16-bit kernels drop
    these, or spread them to elements that do not depend on them.
    """

    def wide(arg: Any) -> Any:
        return arg.float() if isinstance(arg, torch.Tensor) else arg

    def run(*positional: Any, **keywords: Any) -> Any:
        op = resolve(name)
        given = [a for a in (*positional, *keywords.values()) if isinstance(a, torch.Tensor)]
        # A sum that overflows takes the longer way for nothing.
        if all(map(_is_finite, given)):
            return op(*positional, **keywords)
        found = op(*map(wide, positional), **{key: wide(value) for key, value in keywords.items()})
        if isinstance(found, torch.Tensor):
            return found.to(given[0].dtype)
        return tuple(None if t is None else t.to(given[0].dtype) for t in found)

    return run


def has_fractions_for_integers(node: Node) -> bool:
    """Whether a product of integers is scaled by floats, which PyTorch refuses where nothing is summed."""
    factors = (node.arg("beta", 1), node.arg("alpha", 1))
    integers = all(not v.tensor.dtype.is_floating_point for v in node.inputs)
    return integers and any(isinstance(f, float) for f in factors)


def whole_factors(name: str) -> Callable[..., Any]:
    """The operator with the whole part of its factors, which is what it takes of them."""

    def run(*positional: Any, **keywords: Any) -> Any:
        def whole(value: Any) -> Any:
            return int(value) if isinstance(value, float) else value

        return resolve(name)(*map(whole, positional), **{k: whole(v) for k, v in keywords.items()})

    return run


def may_be_empty(node: Node) -> bool:
    """Whether an operand has, or may have, no elements."""
    return any(not isinstance(n, int) or n == 0 for v in node.inputs for n in v.tensor.shape)


def zero_where_empty(grad_output: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """The gradient of adaptive pooling, which PyTorch refuses where there are no channels."""
    if not grad_output.numel():
        return torch.zeros_like(source)
    found: torch.Tensor = resolve("aten._adaptive_avg_pool2d_backward.default")(grad_output, source)
    return found


def counts_in_narrow_integers(node: Node) -> bool:
    """Whether pooling would count pixels in an integer dtype of 8 or 16 bits."""
    return node.arg("self").tensor.dtype in (torch.uint8, torch.int8, torch.int16)


def pooled_in_int64(source: torch.Tensor, *positional: Any, **keywords: Any) -> Any:
    """Maximum pooling of narrow integers, which PyTorch refuses beyond as many pixels as these hold."""
    op = resolve("aten.max_pool2d_with_indices.default")
    found, indices = op(source.long(), *positional, **keywords)
    return found.to(source.dtype), indices
