"""The contract's entries, one module per family. A module has ``ENTRIES``; this file only concatenates them."""

from __future__ import annotations

from torchport.contract.ops import (
    contraction,
    conversion,
    creation,
    elementwise,
    indexing,
    layout,
    ordering,
    reductions,
    views,
)
from torchport.contract.spec import OpSpec

MODULES = (
    elementwise,
    reductions,
    ordering,
    views,
    layout,
    indexing,
    creation,
    conversion,
    contraction,
)
ENTRIES: tuple[OpSpec, ...] = tuple(entry for module in MODULES for entry in module.ENTRIES)
