"""The contract's entries, one module per family. A module has ``ENTRIES``; this file only concatenates
them.
"""

from __future__ import annotations

from torchport.contract.ops import (
    activation,
    attention,
    comparison,
    contraction,
    conversion,
    convolution,
    creation,
    elementwise,
    embedding,
    foreach,
    indexing,
    layout,
    loss,
    masking,
    normalization,
    norms,
    ordering,
    padding,
    pooling,
    rearrangement,
    reductions,
    scatter,
    selection,
    slicing,
    softmax,
    unfold,
    upsample,
    views,
)
from torchport.contract.spec import OpSpec

MODULES = (
    elementwise,
    comparison,
    selection,
    reductions,
    norms,
    ordering,
    views,
    layout,
    indexing,
    creation,
    conversion,
    contraction,
    activation,
    softmax,
    normalization,
    loss,
    convolution,
    pooling,
    upsample,
    rearrangement,
    unfold,
    padding,
    attention,
    embedding,
    slicing,
    foreach,
    scatter,
    masking,
)
ENTRIES: tuple[OpSpec, ...] = tuple(entry for module in MODULES for entry in module.ENTRIES)
