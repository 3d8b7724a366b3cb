"""Backends that need aligned memory: tensors that start elsewhere are copied, and the copies counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from torchport.compile.loading import LoadedRegion
from torchport.compile.reports import AlignmentCopies


def aligned(loaded: LoadedRegion, alignment: int, copies: AlignmentCopies) -> LoadedRegion:
    """``loaded`` behind copies of the tensors whose first element is not at a multiple of ``alignment``
    bytes.
    """
    if alignment == 1:
        return loaded
    fn = loaded.fn

    def prepared(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [
            t if t is None or t.data_ptr() % alignment == 0 else moved(t, alignment, copies) for t in tensors
        ]

    def into(args: Sequence[Any], outs: Sequence[Any], stream: int | None = None, **rest: Any) -> None:
        places = prepared(outs)
        fn(prepared(args), places, stream, **rest)
        for out, place in zip(outs, places, strict=True):
            if place is not out:
                out.copy_(place)

    def returning(args: Sequence[Any], symbols: Sequence[int]) -> Any:
        return fn(prepared(args), symbols)

    return replace(loaded, fn=into if loaded.destination else returning)


def moved(tensor: torch.Tensor, alignment: int, copies: AlignmentCopies) -> torch.Tensor:
    """A copy with the same sizes and strides that starts at a multiple of ``alignment`` bytes."""
    item = tensor.element_size()
    pairs = list(zip(tensor.shape, tensor.stride(), strict=True))
    span = 1 + sum((n - 1) * s for n, s in pairs) if tensor.numel() else 0
    memory = torch.empty(span * item + alignment, dtype=torch.uint8, device=tensor.device)
    start = -memory.data_ptr() % alignment
    flat = memory[start : start + span * item].view(tensor.dtype)
    once = [1 if s == 0 else n for n, s in pairs]  # elements that an expanded tensor repeats are copied once
    source = tensor.as_strided(once, tensor.stride(), tensor.storage_offset())
    flat.as_strided(once, tensor.stride(), flat.storage_offset()).copy_(source)
    copies.count += 1
    copies.bytes += span * item
    return flat.as_strided(tensor.shape, tensor.stride(), flat.storage_offset())
