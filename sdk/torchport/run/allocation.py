"""Uninitialised tensors on the CPU without the cost of parsing keyword arguments: half a microsecond each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

EmptyStrided = Callable[[Sequence[int], Sequence[int], torch.dtype], torch.Tensor]


def _slower(size: Sequence[int], stride: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    return torch.empty_strided(size, stride, dtype=dtype, device="cpu")


empty_strided_cpu: EmptyStrided = getattr(torch._C._dynamo.guards, "_empty_strided_cpu", _slower)
"""An uninitialised CPU tensor of these sizes and strides, in elements."""
