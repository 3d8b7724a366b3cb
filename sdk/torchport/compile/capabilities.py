"""What a backend declares about a target. Declared is owed: conformance holds the backend to it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch


class DynamicShapes(enum.StrEnum):
    """How much a backend's compiled code may leave open."""

    NONE = "none"
    BOUNDED = "bounded"
    RANGED = "ranged"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Target:
    """One piece of hardware as a compiler sees it. Making one opens no device.

    ``memory`` in bytes (0 = unknown); ``alignment`` in bytes.
    """

    arch: str = "generic"
    device: str = "cpu"
    memory: int = 0
    alignment: int = 64
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Limits of a backend on one target; the defaults promise the least that lets eager-like kernels work.

    ``dtypes`` empty means that ``claims`` alone decides. ``layouts`` is ``"strided"`` (any strides accepted)
    or ``"contiguous"`` (inputs are made row-major first).
    """

    dtypes: tuple[torch.dtype, ...] = ()
    accumulators: Mapping[torch.dtype, torch.dtype] = field(default_factory=dict)
    layouts: str = "strided"
    dynamic: DynamicShapes = DynamicShapes.FULL
    max_rank: int | None = None
    index_width: int = 64
    alignment: int = 1
    training: bool = True
    deterministic: bool = True
    graph_capture: bool = False
    region_size_limit: int | None = None
