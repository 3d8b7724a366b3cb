"""Functional collectives by way of sums, extremes, products, gathers and exchanges.

A collective's result holds its values after ``wait_tensor``; what a decomposition computes on is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
import torch.distributed._functional_collectives
from torch import Tensor

from torchport.contract.decompositions.precision import narrow, widen
from torchport.contract.spec import resolve


def _call(name: str, *args: Any) -> Tensor:
    """The value of a collective, waited for."""
    collective = cast(Callable[..., Tensor], resolve(f"{name}.default"))
    wait = cast(Callable[..., Tensor], resolve("_c10d_functional.wait_tensor.default"))
    return wait(collective(*args))


def all_reduce(input: Tensor, reduce_op: str, group_name: Any) -> Tensor:
    """``avg`` is a sum over the sum of ones; ``min`` the reflected maximum."""
    if reduce_op == "avg":
        wide = widen(input)
        total = _call("_c10d_functional.all_reduce", wide, "sum", group_name)
        one = torch.full((), 1, dtype=wide.dtype, device=input.device)
        return narrow(total / _call("_c10d_functional.all_reduce", one, "sum", group_name), input.dtype)
    if reduce_op == "min":
        return _reflected(_call("torchport.all_reduce_max", _reflected(input), group_name))
    if reduce_op == "max":
        return _call("torchport.all_reduce_max", input, group_name)
    return _call("torchport.all_reduce_product", input, group_name)


def _reflected(x: Tensor) -> Tensor:
    """An order-reversing map that is its own inverse: the negative, or of integers the complement."""
    return -x if x.is_floating_point() else torch.bitwise_not(x)


def reduce_scatter_tensor(input: Tensor, reduce_op: str, group_size: int, group_name: Any) -> Tensor:
    """The parts of all ranks are exchanged and reduced here."""
    if reduce_op == "avg":
        wide = widen(input)
        total = _call("_c10d_functional.reduce_scatter_tensor", wide, "sum", group_size, group_name)
        return narrow(total / group_size, input.dtype)
    part = input.size(0) // group_size
    sizes = [part] * group_size
    parts = _call("_c10d_functional.all_to_all_single", input, sizes, sizes, group_name)
    stacked = parts.reshape([group_size, part, *input.shape[1:]])
    if reduce_op == "product":
        return narrow(widen(stacked).prod(0), input.dtype)
    return stacked.amax([0]) if reduce_op == "max" else stacked.amin([0])


def all_reduce_coalesced(inputs: Sequence[Tensor], reduce_op: str, group_name: Any) -> list[Tensor]:
    """One reduction for each tensor."""
    return [_started("_c10d_functional.all_reduce", x, reduce_op, group_name) for x in inputs]


def all_gather_into_tensor_coalesced(
    inputs: Sequence[Tensor], group_size: int, group_name: Any
) -> list[Tensor]:
    """One gather for each tensor."""
    return [_started("_c10d_functional.all_gather_into_tensor", x, group_size, group_name) for x in inputs]


def reduce_scatter_tensor_coalesced(
    inputs: Sequence[Tensor], reduce_op: str, group_size: int, group_name: Any
) -> list[Tensor]:
    """One reduction for each tensor."""
    return [
        _started("_c10d_functional.reduce_scatter_tensor", x, reduce_op, group_size, group_name)
        for x in inputs
    ]


def _started(name: str, *args: Any) -> Tensor:
    return cast(Callable[..., Tensor], resolve(f"{name}.default"))(*args)


def all_gather_into_tensor_autograd(input: Tensor, group_size: int, group_name: Any) -> Tensor:
    """The form whose gradient PyTorch knows, as the plain one."""
    return _started("_c10d_functional.all_gather_into_tensor", input, group_size, group_name)


def reduce_scatter_tensor_autograd(input: Tensor, reduce_op: str, group_size: int, group_name: Any) -> Tensor:
    """The form whose gradient PyTorch knows, as the plain one."""
    return _started("_c10d_functional.reduce_scatter_tensor", input, reduce_op, group_size, group_name)


def all_to_all_single_autograd(
    input: Tensor, output_split_sizes: Sequence[int], input_split_sizes: Sequence[int], group_name: Any
) -> Tensor:
    """The form whose gradient PyTorch knows, as the plain one."""
    return _started(
        "_c10d_functional.all_to_all_single", input, output_split_sizes, input_split_sizes, group_name
    )
