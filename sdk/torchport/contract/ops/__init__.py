"""The contract's entries, one module per family. A module has ``ENTRIES``; this file only concatenates them."""

from __future__ import annotations

from torchport.contract.ops import elementwise
from torchport.contract.spec import OpSpec

MODULES = (elementwise,)
ENTRIES: tuple[OpSpec, ...] = tuple(entry for module in MODULES for entry in module.ENTRIES)
