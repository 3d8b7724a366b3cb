"""What a backend's ``compile`` may return, and what its ``load`` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch

from torchport.compile.reason import Reason


@dataclass(frozen=True, slots=True)
class Artifact:
    """Compiled code as bytes: can be cached on disk, exported and loaded in another process.

    ``format`` is the backend's own name of the payload's format; ``workspace`` in bytes; ``aliases`` maps an
    output index to the index of the input whose memory it takes, one of ``Region.donations``: ``run`` is then
    given the same tensor for both; ``provenance`` is free text pairs (compiler, flags, source hash).
    ``region`` is filled in before ``load``, and not kept: the name of the region that the code is loaded for,
    which profiles show. Where the cache answers, another region was compiled.
    """

    format: str
    payload: bytes
    workspace: int = 0
    aliases: Mapping[int, int] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)
    region: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class InProcess:
    """A Python callable as the compiled form of a region: simple, never cached, never exported.

    ``fn(*inputs)`` takes the region's inputs in order and returns its outputs in order, as a sequence. With
    ``wants_symbols`` the values of ``region.symbols`` come first, as one tuple of ints. With ``destination``
    the signature is that of ``Executable.run``: ``fn(args, outs, stream=None, *, symbols=())`` writes into
    ``outs``, and may have ``aliases`` as an :class:`Artifact` has.
    """

    fn: Callable[..., Any]
    wants_symbols: bool = False
    destination: bool = False
    aliases: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A late refusal: these nodes (by name) cannot be compiled. The region is split around them and tried
    again.
    """

    nodes: tuple[str, ...]
    reason: Reason
    text: str = ""


@runtime_checkable
class Executable(Protocol):
    """A loaded region.

    ``args`` are the region's inputs; ``outs`` are allocated by the caller with the sizes and strides of the
    region's outputs; ``stream`` is the device stream handle as an int (``None`` = the current one);
    ``workspace`` is a byte tensor of at least ``Artifact.workspace`` bytes or ``None``; ``symbols`` are the
    values of ``region.symbols``.
    """

    def run(
        self,
        args: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
        stream: int | None = None,
        *,
        workspace: torch.Tensor | None = None,
        symbols: Sequence[int] = (),
    ) -> None:
        """Computes the region into ``outs``."""

    def update_weights(self, names: Iterable[str]) -> None:
        """Drops whatever was derived from these weights (qualified names)."""


class WeightSource(Protocol):
    """Hands weights to ``Backend.load``. Each weight is asked for once per residency."""

    def names(self) -> Sequence[str]:
        """Weights that can be asked for."""

    def get(self, weight_id: str) -> torch.Tensor:
        """One weight."""

    @property
    def frozen(self) -> bool:
        """True when weights never change, so that they may be prepacked."""


class LiveWeights:
    """The default source: nothing is handed out ahead, weights arrive as region inputs on every call."""

    frozen = False

    def names(self) -> Sequence[str]:
        """No names: weights are live."""
        return ()

    def get(self, weight_id: str) -> torch.Tensor:
        """Always an error: live weights are arguments of ``run``."""
        raise KeyError(f"{weight_id}: weights are live, they are passed to run()")


Compiled = Artifact | InProcess | Refusal
"""What ``Backend.compile`` may return."""
