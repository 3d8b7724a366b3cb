"""What a backend declares about a target. Declared is owed: conformance holds the backend to it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch

from torchport.errors import ContractError


class DynamicShapes(enum.StrEnum):
    """How much a backend's compiled code may leave open. Where it may not, the SDK compiles the region anew
    for each tuple of sizes that is seen, up to the option ``max_specializations``.
    """

    NONE = "none"
    """Every size must be a number."""
    BOUNDED = "bounded"
    """Sizes may stay open in a region whose symbols all have an upper bound."""
    RANGED = "ranged"
    """Sizes may stay open within the ranges that the claims state (``tp.yes(within=...)``)."""
    FULL = "full"
    """Any size may stay open, those that depend on data among them."""


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
    or ``"contiguous"`` (inputs are made row-major first). ``index_width`` is 32 or 64: with 32, tensors that
    reach beyond 2^31 elements are left to others. ``alignment`` in bytes: inputs that start elsewhere are
    copied first. ``deterministic=False``: nothing is claimed under
    ``torch.use_deterministic_algorithms(True)``. ``region_size_limit`` in nodes.

    Raises:
        ContractError: a limit that means nothing.
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
    donation: bool = False

    def __post_init__(self) -> None:
        problems = {
            "layouts": self.layouts in ("strided", "contiguous"),
            "index_width": self.index_width in (32, 64),
            "alignment": self.alignment > 0 and self.alignment & (self.alignment - 1) == 0,
            "max_rank": self.max_rank is None or self.max_rank >= 0,
            "region_size_limit": self.region_size_limit is None or self.region_size_limit > 0,
            "dynamic": self.dynamic in tuple(DynamicShapes),
        }
        for name, fine in problems.items():
            if not fine:
                raise ContractError(f"Capabilities.{name} has no such value", got=repr(getattr(self, name)))
        object.__setattr__(self, "dynamic", DynamicShapes(self.dynamic))  # given as text perhaps
