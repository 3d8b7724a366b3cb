"""Elements moved between channels and space, and quarter turns."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.operators import aten
from torchport.contract.decompositions.windows import packed


def pixel_shuffle(self: Tensor, upscale_factor: int) -> Tensor:
    """[*, C·r·r, H, W] as [*, C, H·r, W·r]."""
    lead, (channels, height, width), r = self.shape[:-3], self.shape[-3:], upscale_factor
    n = len(lead)
    split = packed(self, [*lead, channels // (r * r), r, r, height, width])
    mixed = split.permute([*range(n), n, n + 3, n + 1, n + 4, n + 2])
    return packed(mixed, [*lead, channels // (r * r), height * r, width * r])


def pixel_unshuffle(self: Tensor, downscale_factor: int) -> Tensor:
    """[*, C, H·r, W·r] as [*, C·r·r, H, W]."""
    lead, (channels, height, width), r = self.shape[:-3], self.shape[-3:], downscale_factor
    n = len(lead)
    split = packed(self, [*lead, channels, height // r, r, width // r, r])
    mixed = split.permute([*range(n), n, n + 2, n + 4, n + 1, n + 3])
    return packed(mixed, [*lead, channels * r * r, height // r, width // r])


def channel_shuffle(self: Tensor, groups: int) -> Tensor:
    """[N, C, *]: the channels, as ``groups`` rows, read column by column."""
    batch, channels, *spatial = self.shape
    split = packed(self, [batch, groups, channels // groups, *spatial])
    mixed = split.permute([0, 2, 1, *range(3, split.dim())])
    return packed(mixed, [batch, channels, *spatial])


def rot90(self: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """``k`` quarter turns from the first of two dimensions towards the second."""
    first, second = (d % self.dim() for d in dims)
    order = list(range(self.dim()))
    order[first], order[second] = second, first
    match k % 4:
        case 1:
            return self.flip([second]).permute(order)
        case 2:
            return self.flip([first, second])
        case 3:
            return self.flip([first]).permute(order)
        case _:
            return aten.clone.default(self, memory_format=torch.contiguous_format)
