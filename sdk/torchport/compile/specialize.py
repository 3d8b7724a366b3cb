"""Backends that need static sizes under dynamic shapes: one compiled region for each tuple of symbol values.

A region whose symbols its backend cannot leave open becomes an artifact of the SDK, ``SPECIALIZED``, which
holds the region itself. :class:`Specializer` runs it: values seen for the first time are put into the region,
the backend is asked again for its nodes with these sizes, and the static region is compiled (or read from the
cache) and kept. At most ``max_specializations`` are kept for a region. What happens beyond that, and for
sizes that the backend refuses, is counted in :class:`Specializations`.
"""

from __future__ import annotations

import base64
import itertools
import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchport.compile.artifact import Artifact, InProcess, Refusal
from torchport.compile.capabilities import Capabilities, DynamicShapes
from torchport.compile.loading import LoadedRegion
from torchport.compile.options import Options
from torchport.compile.reason import Reason, Rejection
from torchport.compile.region import Region
from torchport.compile.reports import Specializations
from torchport.contract.bindings import Binding
from torchport.contract.graph import Symbol
from torchport.contract.opset import OpSet
from torchport.contract.symbols import SymExpr, evaluate
from torchport.errors import FallbackError
from torchport.run.program import OpStep, Program, build

SPECIALIZED = "torchport.specialized-1"
"""Format of the artifact that stands for all specialisations of a region."""
REMEMBERED = 1024
"""How many refused tuples of sizes are remembered for a region, so that the backend is not asked again, and
appear among its rejections."""
log = logging.getLogger("torchport.specialize")
Entry = Callable[[Sequence[torch.Tensor], Sequence[torch.Tensor], int | None], None]


@dataclass(frozen=True, slots=True)
class Condition:
    """``low <= expr <= high``, which must hold for code with open sizes to be right."""

    expr: SymExpr
    low: int
    high: int

    def holds(self, numbers: Mapping[str, int]) -> bool:
        """Whether it does under these values of the symbols."""
        return bool(self.low <= evaluate(self.expr, numbers) <= self.high)


Values = tuple[int, ...]
"""Values of a region's symbols, in their order; ``()`` stands for code that leaves them open."""
Seeds = Mapping[Values, tuple[Artifact | InProcess, bool]]
"""Code that exists already, and whether it came from the cache."""


@dataclass(frozen=True)
class SpecializedCode(Artifact):
    """What the compile stage returns for a region that is specialised. ``seeds`` is what was compiled for
    the example; what of it is an artifact is part of the payload too.
    """

    seeds: Seeds = field(default_factory=dict)


def specialized_code(region: Region, conditions: Sequence[Condition] | None, seeds: Seeds) -> SpecializedCode:
    """The artifact for ``region``.

    Args:
        region: the region with its symbols.
        conditions: when code with open sizes may run; ``None`` when it never may.
        seeds: what was compiled already.

    Raises:
        SchemaError: the region has an argument that cannot be written down.
    """
    payload = {
        "conditions": None if conditions is None else [[c.expr.text, c.low, c.high] for c in conditions],
        "region": region.to_json(),
        "seeds": [
            [list(values), _to_json(code)]
            for values, (code, _) in seeds.items()
            if isinstance(code, Artifact)
        ],
    }
    return SpecializedCode(SPECIALIZED, json.dumps(payload).encode(), seeds=dict(seeds))


def _to_json(code: Artifact) -> dict[str, Any]:
    return {
        "format": code.format,
        "payload": base64.b64encode(code.payload).decode(),
        "workspace": code.workspace,
        "aliases": [[out, into] for out, into in code.aliases.items()],
        "provenance": dict(code.provenance),
    }


def _from_json(data: Mapping[str, Any]) -> Artifact:
    return Artifact(
        data["format"],
        base64.b64decode(data["payload"]),
        data["workspace"],
        {int(out): int(into) for out, into in data["aliases"]},
        data["provenance"],
    )


def leaves_open(capabilities: Capabilities, symbols: Sequence[Symbol]) -> bool:
    """Whether a backend's compiled code may leave all of these symbols open: ``bounded`` needs an upper bound
    of each, ``none`` never does.
    """
    match capabilities.dynamic:
        case DynamicShapes.NONE:
            return not symbols
        case DynamicShapes.BOUNDED:
            return all(s.high is not None for s in symbols)
    return True


def hints(symbols: Sequence[Symbol]) -> Values | None:
    """The sizes of the example; ``None`` when one of them depends on data."""
    found = [s.hint for s in symbols if s.hint is not None]
    return tuple(found) if len(found) == len(symbols) else None


def static_region(region: Region, values: Sequence[int]) -> Region:
    """``region`` for one tuple of symbol values."""
    numbers = dict(zip((s.name for s in region.symbols), values, strict=True))
    suffix = "_".join(f"{name}_{number}".replace("-", "m") for name, number in numbers.items())
    return replace(region, name=f"{region.name}__{suffix}", graph=Binding(numbers).graph(region.graph))


@dataclass(frozen=True, eq=False)
class Vendor:
    """The backend's side of a specialisation.

    Attributes:
        name: the backend's name.
        rejections: the nodes of a region that the backend refuses, with reasons; empty when it takes all.
        compile: code for a region and whether it came from the cache, or a late refusal.
        load: makes code runnable.
    """

    name: str
    rejections: Callable[[Region], tuple[Rejection, ...]]
    compile: Callable[[Region], tuple[Artifact | InProcess, bool] | Refusal]
    load: Callable[[Region, Artifact | InProcess], LoadedRegion]


class Specializer:
    """A region that is compiled anew for each tuple of symbol values. ``run`` has the signature of
    ``Executable.run``; calls from several threads are fine, and one of them compiles at a time.

    Args:
        code: what :func:`specialized_code` returned, perhaps read from a cache.
        vendor: the backend.
        options: ``max_specializations``, ``specialization_overflow`` and ``strict`` are read.
        opset: the contract version that the region follows.
    """

    def __init__(self, code: Artifact, vendor: Vendor, options: Options, opset: OpSet) -> None:
        data = json.loads(code.payload)
        self.region = Region.from_json(data["region"], to=opset)
        listed = data["conditions"]
        self.conditions = (
            None if listed is None else tuple(Condition(SymExpr(t), low, high) for t, low, high in listed)
        )
        self.vendor, self.options = vendor, options
        self.counts = Specializations(self.region.name, vendor.name, options["max_specializations"])
        self._names = tuple(s.name for s in self.region.symbols)
        self._evicts = options["specialization_overflow"] == "evict"
        self._lock = threading.RLock()
        self._entries: dict[Values, Entry] = {}
        self._used: dict[Values, int] = {}
        self._clock = itertools.count()
        self._refused: dict[Values, tuple[Rejection, ...]] = {}
        self._open: LoadedRegion | Refusal | None = None
        self._eager: Callable[[list[Any]], Sequence[Any]] | None = None
        self._warned = False
        written = {tuple(values): (_from_json(seed), True) for values, seed in data["seeds"]}
        for values, (seed, cached) in (code.seeds if isinstance(code, SpecializedCode) else written).items():
            self.counts.from_cache += cached
            self.counts.compiled += not cached
            if values:
                self._keep(values, vendor.load(static_region(self.region, values), seed))
            else:
                self._open = vendor.load(self.region, seed)

    def run(
        self,
        args: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
        stream: int | None = None,
        *,
        workspace: torch.Tensor | None = None,
        symbols: Sequence[int] = (),
    ) -> None:
        """Runs the region into ``outs`` with code for these sizes.

        Raises:
            FallbackError: the option ``strict`` is set, and the backend refuses these sizes or the limit is
                reached.
            CompileError: the backend failed.
        """
        values = tuple(symbols)
        entry = self._entries.get(values)
        if entry is None:
            entry = self._find(values)
        elif self._evicts:
            self._used[values] = next(self._clock)
        entry(args, outs, stream)

    def _find(self, values: Values) -> Entry:
        """What runs these sizes, which have no code yet."""
        with self._lock:
            entry = self._entries.get(values)
            if entry is not None:
                return entry
            start = time.perf_counter()
            try:
                return self._open_entry(values) or self._static_entry(values)
            finally:
                self.counts.seconds += time.perf_counter() - start

    def _open_entry(self, values: Values) -> Entry | None:
        """Code that leaves the sizes open, where the conditions allow it."""
        if self.conditions is None:
            return None
        numbers = dict(zip(self._names, values, strict=True))
        if not all(c.holds(numbers) for c in self.conditions):
            return None
        if self._open is None:
            self._open = self._compiled(self.region)
        if isinstance(self._open, Refusal):
            return None
        loaded = self._open

        def run(args: Sequence[Any], outs: Sequence[Any], stream: int | None) -> None:
            loaded.run(args, outs, stream, symbols=values)

        return run

    def _static_entry(self, values: Values) -> Entry:
        refused = self._refused.get(values)
        if refused is None:
            loaded = self._specialized(values)
            if isinstance(loaded, LoadedRegion):
                return self._keep(values, loaded)
            refused = self._remember(values, loaded)
        if self.options["strict"]:
            raise FallbackError(
                f"region {self.region.name!r} would run outside the backend for these sizes",
                reasons=tuple(str(r) for r in refused),
                rejections=refused,
                hint="claim these sizes, raise max_specializations, set specialization_overflow to 'evict', "
                "or leave the option strict off",
            )
        self.counts.eager_calls += 1
        return self._eager_entry(values)

    def _specialized(self, values: Values) -> LoadedRegion | tuple[Rejection, ...]:
        """Code for these sizes, or why there is none."""
        if not self._evicts and len(self._entries) >= self.counts.limit:
            return self._over_limit()
        region = static_region(self.region, values)
        rejections = self.vendor.rejections(region)
        if rejections:
            return rejections
        loaded = self._compiled(region)
        return self._late(region, loaded) if isinstance(loaded, Refusal) else loaded

    def _remember(self, values: Values, rejections: tuple[Rejection, ...]) -> tuple[Rejection, ...]:
        where = ", ".join(f"{name}={number}" for name, number in zip(self._names, values, strict=True))
        refused = tuple(replace(r, text=f"{r.text + '; ' if r.text else ''}at {where}") for r in rejections)
        if len(self._refused) < REMEMBERED:
            self._refused[values] = refused
            self.counts.rejections += refused
        return refused

    def _compiled(self, region: Region) -> LoadedRegion | Refusal:
        result = self.vendor.compile(region)
        if isinstance(result, Refusal):
            return result
        code, cached = result
        self.counts.from_cache += cached
        self.counts.compiled += not cached
        return self.vendor.load(region, code)

    def _keep(self, values: Values, loaded: LoadedRegion) -> Entry:
        if len(self._entries) >= self.counts.limit:
            oldest = min(self._entries, key=lambda kept: self._used.get(kept, -1))
            del self._entries[oldest]
            self._used.pop(oldest, None)
            self.counts.evicted += 1
        run = loaded.run

        def entry(args: Sequence[Any], outs: Sequence[Any], stream: int | None) -> None:
            run(args, outs, stream, symbols=())

        self._entries[values] = entry
        self._used[values] = next(self._clock)
        self.counts.shapes = tuple(self._entries)
        return entry

    def _late(self, region: Region, refusal: Refusal) -> tuple[Rejection, ...]:
        ops = {n.name: n.op for n in region.nodes}
        text = f"{refusal.reason}: {refusal.text}" if refusal.text else str(refusal.reason)
        return tuple(
            Rejection(name, ops.get(name, "?"), self.vendor.name, Reason.COMPILE, text)
            for name in refusal.nodes
        )

    def _over_limit(self) -> tuple[Rejection, ...]:
        limit = self.counts.limit
        if not self._warned:
            self._warned = True
            log.warning(
                "region %s has its %d specialisations (max_specializations); further sizes run in eager",
                self.region.name,
                limit,
            )
        node = self.region.nodes[0]
        text = f"{limit} specialisations are kept (max_specializations)"
        source = node.provenance.source
        return (Rejection(node.name, node.op, self.vendor.name, Reason.DYNAMIC, text, source),)

    def _eager_entry(self, values: Values) -> Entry:
        if self._eager is None:
            self._eager = in_eager(self.region)
        call = self._eager

        def run(args: Sequence[Any], outs: Sequence[Any], stream: int | None) -> None:
            for out, result in zip(outs, call([*args, *values]), strict=True):
                out.copy_(result)

        return run


def in_eager(region: Region) -> Callable[[list[Any]], Sequence[Any]]:
    """The region operator by operator through PyTorch: takes inputs, then symbol values, returns outputs."""
    count = len(region.input_values)
    symbols = region.symbols
    return build(
        Program(
            arguments=(*region.input_values, *(SymExpr(s.name) for s in symbols)),
            steps=tuple(OpStep(n) for n in region.nodes),
            outputs=region.output_values,
            symbols=tuple(replace(s, source=("argument", count + i)) for i, s in enumerate(symbols)),
            constants={},
            name=f"{region.name}_eager",
        )
    )
