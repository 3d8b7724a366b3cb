"""Choices for arguments that are no tensors, beyond those that contract entries list: they follow from the
schema.

A number is also tried as zero, negative, fractional, as a bool and past 32 bits; a dimension as every one
from either end; a list of integers with zeros, negative and other entries; a flag both ways; what may be None
as None. Which of these an operator takes is found by its constraints and by its reference, once, and kept in
``derived.json``, so that a profile has the same cases on every PyTorch.

``python -m torchport_conformance.cases.derive`` writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

FILE = "derived.json"


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[str, Sequence[Any]]]:
    text = files("torchport_conformance.cases").joinpath(FILE).read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Sequence[Any]]] = json.loads(text)["choices"]
    return found


def further_choices(op: str, argument: str) -> tuple[Any, ...]:
    """The choices of an argument that its operator's entry does not list."""
    return tuple(_table().get(op, {}).get(argument, ()))
