"""The sizes of what embedding bags return beside their values, where PyTorch's shape functions are wrong.

Eager PyTorch on the CPU needs no bag of each element for sums of unpadded rows, and returns none; the shape
function knows that of float32 and float16, and has one for each element of bfloat16. A region would be held
to a size that neither eager PyTorch nor the contract's decomposition gives. So it is for the third and fourth
result of the operator without gradients, where offsets end with the last one. See ``meta_embedding_bag`` of
https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_meta_registrations.py and ``is_fast_path`` of
https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/native/EmbeddingBag.cpp.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract.fx_import import bind_arguments

_BAGS, _COUNTS, _SOURCES = 1, 2, 3
_SUM = 0


def correct_bag_sizes(gm: torch.fx.GraphModule) -> None:
    """Corrects ``meta["val"]`` of embedding bags and of their results."""
    aten = torch.ops.aten
    for target in (aten._embedding_bag.default, aten._embedding_bag_forward_only.default):
        for node in gm.graph.find_nodes(op="call_function", target=target):
            bound = dict(bind_arguments(target, node.args, node.kwargs))
            given = {n: a.meta.get("val") if isinstance(a, torch.fx.Node) else a for n, a in bound.items()}
            values = list(node.meta.get("val") or ())
            alone = target is aten._embedding_bag_forward_only.default
            if len(values) != 4 or not all(isinstance(given[n], Tensor) for n in ("weight", "offsets")):
                continue
            for index, size in _sizes(given, alone=alone).items():
                values[index] = _resized(values[index], size)
            node.meta["val"] = tuple(values)
            for user in node.users:
                if user.target is operator.getitem:
                    user.meta["val"] = values[user.args[1]]


def _sizes(given: Mapping[str, Any], *, alone: bool) -> dict[int, Sequence[Any]]:
    weight, factors, offsets = given["weight"], given["per_sample_weights"], given["offsets"]
    found: dict[int, Sequence[Any]] = {}
    if weight.device.type != "cpu":
        return found
    sums = given["mode"] == _SUM
    steps = [weight.stride(1), 1 if factors is None else factors.stride(0)]
    if sums and weight.dtype == torch.bfloat16 and given["padding_idx"] < 0 and steps == [1, 1]:
        found[_BAGS] = (0,)
    if alone and given["include_last_offset"]:
        found |= {_SOURCES: (offsets.shape[0],)} if sums else {_COUNTS: (offsets.shape[0] - 1,)}
    return found


def _resized(value: Tensor, size: Sequence[Any]) -> Tensor:
    mode = getattr(value, "fake_mode", None)
    if mode is None:
        return value.new_empty(size)
    with mode:
        return value.new_empty(size)
