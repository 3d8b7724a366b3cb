"""What :attr:`OpSpec.layout` says about strides, decided from the operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import torch

from torchport.contract.graph import TensorSpec, Value


def is_row_major(layout: str, arguments: Mapping[str, Any], inputs: Sequence[TensorSpec]) -> bool:
    """Whether ``layout`` gives a row-major result for these operands; False where it is another or unstated.

    ``arguments`` are a node's, ``inputs`` the specs of its tensors.
    """
    if layout == "contiguous":
        return arguments.get("memory_format") in (None, torch.contiguous_format)
    if layout == "elementwise":
        return all(map(_falling, inputs))
    if layout.startswith("like:"):
        like = arguments.get(layout.removeprefix("like:"))
        preserved = arguments.get("memory_format") in (None, torch.preserve_format, torch.contiguous_format)
        return isinstance(like, Value) and like.tensor.is_contiguous and preserved
    return False


def _falling(spec: TensorSpec) -> bool:
    """Strides fall from the outermost dimension in; broadcast and size-1 dimensions have no say.

    PyTorch's elementwise operators then give a row-major result, whatever gaps the operands have. Symbolic
    strides count where they are provably those of a row-major tensor.
    """
    kept = [(n, st) for n, st in zip(spec.shape, spec.stride, strict=True) if n != 1 and st != 0]
    strides = [st for _, st in kept]
    if all(isinstance(st, int) for st in strides):
        return all(a >= b for a, b in pairwise(strides))  # type: ignore[operator]
    return spec.with_(shape=tuple(n for n, _ in kept), stride=tuple(strides)).is_contiguous
