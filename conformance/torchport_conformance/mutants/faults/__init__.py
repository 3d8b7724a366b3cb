"""The mutation operators, by what they are about: each module lists its own as ``FAULTS``."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import lru_cache

from torchport_conformance.mutants.fault import Fault

MODULES = (
    "layout",
    "extent",
    "shapes",
    "special_values",
    "precision",
    "integers",
    "promotion",
    "stability",
    "ordering",
    "indexing",
    "arguments",
    "windows",
    "draws",
    "complex_numbers",
    "execution",
)


@lru_cache(maxsize=1)
def all_faults() -> Mapping[str, Fault]:
    """Every mutation operator by name, in a fixed order."""
    found: dict[str, Fault] = {}
    for module in MODULES:
        for fault in importlib.import_module(f"{__name__}.{module}").FAULTS:
            found[fault.name] = fault
    return found
