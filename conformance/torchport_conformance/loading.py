"""From a backend and a region to something that can be called, by the SDK's own loader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.compile.artifact import Artifact, InProcess, Refusal
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.loading import load_region
from torchport.compile.region import Region
from torchport.errors import CompileError

RunRegion = Callable[
    [Sequence[torch.Tensor], Sequence[torch.Tensor], Mapping[str, int]], "tuple[Sharing, ...]"
]
"""Called with the inputs, the destinations and the values of the symbols by name; returns which results that
the backend allocated itself lie in memory of others.
"""


@dataclass(frozen=True, slots=True)
class Refused:
    """The backend claimed the node and its ``compile`` refused it."""

    text: str


def load_compiled(backend: Backend, region: Region, compiled: Any, target: Target) -> RunRegion | Refused:
    """Loads what a backend made of a region.

    Raises:
        CompileError: it is nothing that may be returned, or ``load`` failed.
    """
    if isinstance(compiled, Refusal):
        return Refused(f"{compiled.reason}{': ' + compiled.text if compiled.text else ''}")
    if not isinstance(compiled, Artifact | InProcess):
        raise CompileError(
            f"backend {backend.name!r} returned something else from compile()",
            got=type(compiled).__name__,
            hint="return an Artifact, an InProcess or a Refusal",
        )
    loaded = load_region(backend, region, compiled, target)
    order = [symbol.name for symbol in region.symbols]

    def run(
        args: Sequence[torch.Tensor], outs: Sequence[torch.Tensor], symbols: Mapping[str, int]
    ) -> tuple[Sharing, ...]:
        values = tuple(symbols[name] for name in order)
        if loaded.destination:
            loaded.run(args, outs, symbols=values)
            return ()
        results = loaded.fn(args, values)
        found = sharings(args, results)
        _deliver(results, outs, backend.name)
        return found

    return run


@dataclass(frozen=True, slots=True)
class Sharing:
    """Output ``output`` lies in memory of an input or of an earlier output, whose position is ``other``."""

    output: int
    with_input: bool
    other: int


def sharings(args: Sequence[torch.Tensor], results: Sequence[torch.Tensor]) -> tuple[Sharing, ...]:
    """Which results lie in memory of arguments or of each other; those without elements lie nowhere."""
    if len(args) + len(results) < 2:
        return ()
    inputs, outputs = [_place(a) for a in args], [_place(r) for r in results]
    found = []
    for i, mine in enumerate(outputs):
        others = [(True, k, place) for k, place in enumerate(inputs)]
        others += [(False, k, place) for k, place in enumerate(outputs[:i])]
        found += [Sharing(i, is_input, k) for is_input, k, place in others if _meet(mine, place)]
    return tuple(found)


_Place = tuple[torch.device, int, int]
"""A device, and where a storage begins and ends in its memory."""


def _place(tensor: torch.Tensor) -> _Place:
    storage = tensor.untyped_storage()
    start = storage.data_ptr()
    return tensor.device, start, start + (storage.nbytes() if tensor.numel() else 0)


def _meet(a: _Place, b: _Place) -> bool:
    # A storage that holds nothing for its tensor ends where it begins, and meets none.
    return a[1] < b[2] and b[1] < a[2] and a[1] != a[2] and b[1] != b[2] and a[0] == b[0]


def _deliver(results: Sequence[torch.Tensor], outs: Sequence[torch.Tensor], name: str) -> None:
    """Copies returned tensors to the destinations; the SDK's copy would hide a wrong shape or dtype."""
    if len(results) != len(outs):
        raise CompileError(f"backend {name!r} returned {len(results)} results for {len(outs)} outputs")
    for i, (result, out) in enumerate(zip(results, outs, strict=True)):
        if (result.dtype, result.shape) != (out.dtype, out.shape):
            raise CompileError(
                f"output {i} of backend {name!r} has another dtype or shape than the contract's",
                got=f"{result.dtype} {list(result.shape)}, expected {out.dtype} {list(out.shape)}",
            )
        out.copy_(result)
