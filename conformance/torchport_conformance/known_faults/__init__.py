"""Faults of real backends, taken from public reports, each planted in a right backend: what profile ``full``
has to find. :func:`known_faults` lists them, :func:`caught` runs one.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import lru_cache

from torchport_conformance.known_faults.fault import KnownFault

MODULES = (
    "layouts",
    "dtypes",
    "integers",
    "special_values",
    "shapes",
    "windows",
    "normalization",
    "draws",
    "gradients",
    "metadata",
)


@lru_cache(maxsize=1)
def known_faults() -> Mapping[str, KnownFault]:
    """Every known fault by id, by what it is about."""
    found: dict[str, KnownFault] = {}
    for module in MODULES:
        for fault in importlib.import_module(f"{__name__}.{module}").FAULTS:
            found[fault.id] = fault
    return found
