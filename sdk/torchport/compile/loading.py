"""From what ``Backend.compile`` returned to something that runs: the one place where regions are loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchport.compile.artifact import Artifact, Executable, InProcess, LiveWeights, WeightSource
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.region import Region
from torchport.compile.weights import RegionWeights, ResidentWeights
from torchport.contract.symbols import evaluate
from torchport.errors import CompileError, RunError, TorchportError
from torchport.run.program import adopt

LIVE: WeightSource = LiveWeights()
"""The default weight source: weights arrive as region inputs on every call."""


@dataclass(frozen=True, eq=False)
class LoadedRegion:
    """``destination``: ``fn`` has the signature of ``Executable.run``; else ``fn(args, symbols)`` returns the
    outputs.
    """

    region: Region
    fn: Callable[..., Any]
    destination: bool
    executable: Executable | None = None

    def run(
        self,
        args: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
        stream: int | None = None,
        *,
        workspace: torch.Tensor | None = None,
        symbols: Sequence[int] | None = None,
    ) -> None:
        """Runs the region into ``outs``, whichever way it was compiled. Symbols are read from ``args`` when
        not given.

        Raises:
            RunError: wrong number of arguments, or the backend returned other outputs than it promised.
        """
        region = self.region
        if len(args) != len(region.inputs) or len(outs) != len(region.outputs):
            raise RunError(
                f"region {region.name!r} takes {len(region.inputs)} inputs and {len(region.outputs)} outputs",
                got=f"{len(args)} and {len(outs)}",
            )
        values = bind_symbols(region, args) if symbols is None else tuple(symbols)
        if self.destination:
            extra = {} if workspace is None else {"workspace": workspace}
            self.fn(args, outs, stream, symbols=values, **extra)
            return
        promised = [(o.dtype, tuple(o.shape), o.stride()) for o in outs]
        for out, result in zip(outs, adopt(self.fn(args, values), promised, region.name), strict=True):
            out.copy_(result)

    def __call__(self, *args: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Runs the region on ``args`` and returns newly allocated outputs."""
        values = bind_symbols(self.region, args)
        bindings = dict(zip((s.name for s in self.region.symbols), values, strict=True))
        outs = tuple(allocate(spec, bindings) for spec in self.region.outputs)
        self.run(args, outs, symbols=values)
        return outs

    def update_weights(self, names: Iterable[str]) -> None:
        """Passes on that weights were replaced."""
        if self.executable is not None:
            self.executable.update_weights(names)


def allocate(spec: Any, bindings: dict[str, int]) -> torch.Tensor:
    """An uninitialised tensor with the sizes, strides, dtype and device of ``spec`` under ``bindings``."""
    size = [evaluate(d, bindings) for d in spec.shape]
    stride = [evaluate(d, bindings) for d in spec.stride]
    return torch.empty_strided(size, stride, dtype=spec.dtype, device=spec.device)


def bind_symbols(region: Region, args: Sequence[torch.Tensor]) -> tuple[int, ...]:
    """Values of ``region.symbols`` read from the sizes of its inputs.

    Raises:
        RunError: a symbol is not the size of any input; it must be passed.
    """
    position = {value.name: i for i, value in enumerate(region.input_values)}
    found = []
    for symbol in region.symbols:
        match symbol.source:
            case ("size", name, dim) if name in position:
                found.append(int(args[position[name]].shape[dim]))
            case _:
                raise RunError(
                    f"symbol {symbol.name!r} of region {region.name!r} is not the size of an input",
                    hint="pass symbols=, in the order of region.symbols",
                )
    return tuple(found)


def load_region(
    backend: Backend,
    region: Region,
    compiled: Artifact | InProcess,
    target: Target,
    weights: ResidentWeights | None = None,
) -> LoadedRegion:
    """Makes a compiled region runnable.

    ``weights`` are frozen: an executable may take some of them over, and gets ``None`` in their place then.
    Without them weights are live.

    Raises:
        CompileError: ``load`` failed or returned something without ``run``.
    """
    if isinstance(compiled, InProcess):
        fn = compiled.fn
        if compiled.destination:
            return LoadedRegion(region, _in_donated(fn, compiled.aliases), True)
        if compiled.wants_symbols:
            return LoadedRegion(region, lambda args, symbols: fn(tuple(symbols), *args), False)
        return LoadedRegion(region, lambda args, symbols: fn(*args), False)
    source = LIVE if weights is None else weights.of_region(region)
    try:
        executable = backend.load(replace(compiled, region=region.name), target, source)
    except TorchportError:
        raise
    except Exception as error:
        raise CompileError(
            f"load() of backend {backend.name!r} raised {type(error).__name__}: {error}",
            got=f"artifact of format {compiled.format!r}, region {region.name!r}",
            hint="load() must accept what compile() returned, in any process",
        ) from error
    if not isinstance(executable, Executable):
        raise CompileError(
            f"load() of backend {backend.name!r} must return an Executable with run() and update_weights()",
            got=type(executable).__name__,
        )
    run = _with_workspace(executable, compiled.workspace, target.device)
    if isinstance(source, RegionWeights):
        source.loaded(executable)
        places = tuple(i for i, spec in enumerate(region.inputs) if spec.weight_id in source.taken)
        run = _WithoutTaken(run, places, source) if places else run
    return LoadedRegion(region, _in_donated(run, compiled.aliases), True, executable)


def check_aliases(backend: str, region: Region, compiled: Artifact | InProcess) -> None:
    """Checks what ``compile`` says of the memory of a region's outputs.

    Raises:
        CompileError: an alias was not offered, an input is taken twice, or ``fn`` returns its outputs.
    """
    if not compiled.aliases:
        return
    inputs, outputs = ([v.name for v in values] for values in (region.input_values, region.output_values))
    offered = {(outputs.index(out), inputs.index(base)) for out, base in region.donations}
    taken = list(compiled.aliases.values())
    returned = isinstance(compiled, InProcess) and not compiled.destination
    if returned or not set(compiled.aliases.items()) <= offered or len(set(taken)) < len(taken):
        raise CompileError(
            f"aliases of backend {backend!r} must be among the donations of region {region.name!r}",
            got=f"{dict(compiled.aliases)} (output: input), offered {sorted(offered)}",
            hint="read region.donations; InProcess may have aliases with destination=True only",
        )


def _in_donated(run: Callable[..., None], aliases: Mapping[int, int]) -> Callable[..., None]:
    """``run``, always with one tensor for an output and the input whose memory it takes: where the caller
    gives two, the output first becomes a copy of the input.
    """
    if not aliases:
        return run
    pairs = tuple(aliases.items())

    def call(args: Sequence[Any], outs: Sequence[Any], stream: int | None = None, **rest: Any) -> None:
        for out, base in pairs:
            if outs[out] is not args[base]:
                outs[out].copy_(args[base])
                args = [*args[:base], outs[out], *args[base + 1 :]]
        run(args, outs, stream, **rest)

    return call


def _with_workspace(executable: Executable, size: int, device: str) -> Callable[..., None]:
    if not size:
        return executable.run

    def run(args: Any, outs: Any, stream: int | None = None, *, symbols: Sequence[int] = ()) -> None:
        workspace = torch.empty(size, dtype=torch.uint8, device=device)
        executable.run(args, outs, stream, workspace=workspace, symbols=symbols)

    return run


@dataclass(frozen=True, eq=False)
class _WithoutTaken:
    """``run`` with ``None`` at the ``places`` of weights that the executable holds itself. Keeps their
    source alive, through which it is told of new ones.
    """

    run: Callable[..., None]
    places: tuple[int, ...]
    source: RegionWeights

    def __call__(self, args: Sequence[Any], outs: Any, stream: int | None = None, **rest: Any) -> None:
        given = list(args)
        for place in self.places:
            given[place] = None
        self.run(given, outs, stream, **rest)
