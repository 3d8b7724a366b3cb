"""Whole Dynamo graphs across processes: the compiled forward and backward with all that AOTAutograd puts
around them. On a hit nothing is traced, claimed, lowered or compiled.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import torch

from torchport.capture import aot_cache
from torchport.capture.graph_key import graph_key
from torchport.compile.package import GraphPackage, NotPackable, pack, unpack
from torchport.compile.reports import RaisedMacro
from torchport.compile.store import Store
from torchport.compile.uncached import CacheCounts, NotCached, Uncached

KIND = "graphs"
MAX_VARIANTS = 16
"""Entries of one graph under different conditions on its symbols that are looked at."""

log = logging.getLogger("torchport.cache")
Runner = Callable[[list[Any]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A graph from the cache: the callable, its packages, and the macros that had been raised in it."""

    call: Callable[..., Any]
    packages: tuple[GraphPackage, ...]
    macros: tuple[RaisedMacro, ...]


class GraphCache:
    """The cache as one Dynamo graph sees it: looked up once, and stored once when it was not found.

    Every failure means "compiled as if there were no cache", and is counted.
    """

    def __init__(
        self,
        gm: torch.fx.GraphModule,
        example_inputs: Sequence[Any],
        identity: Callable[[], Iterable[str]],
        counts: CacheCounts,
        *,
        off: str = "",
    ) -> None:
        self._gm, self._inputs, self._counts = gm, example_inputs, counts
        self._store = Store.default(counts.failures)
        self._packages: list[bytes] = []
        self._phases: list[str] = []
        self._problem: NotCached | None = None
        self._guards = 0
        self.key: str | None = None
        self.keeper: aot_cache.Keeper | None = None
        try:
            self.key = _key(gm, identity, off)
        except NotCached as problem:
            self._leave(problem)

    def load(self, link: Callable[[GraphPackage], Runner]) -> Loaded | None:
        """The graph as an earlier process compiled it, or ``None``; afterwards :attr:`keeper` is set if it is
        to be kept.

        Raises:
            TensorifyScalarRestartAnalysis: Dynamo is to trace anew, as it was to in the earlier process.
        """
        if self.key is None:
            return None
        for name in self._store.names(KIND, self.key)[:MAX_VARIANTS]:
            body = self._store.get(KIND, name)
            if body is None:
                continue
            try:
                loaded = self._read(body, link)
            except Exception:
                self._counts.failures["an entry cannot be loaded"] += 1
                log.warning(
                    "torchport cache: entry %s cannot be loaded; compiling again", name, exc_info=True
                )
                self._store.remove(KIND, name)
                continue
            if isinstance(loaded, list):
                aot_cache.restart(loaded)
            if loaded is not None:
                self._counts.hits += 1
                return loaded
        self._guards = aot_cache.count_alias_guards()
        self.keeper = aot_cache.Keeper()
        return None

    def add(self, package: GraphPackage) -> None:
        """One compiled graph of the Dynamo graph."""
        if self.keeper is None or self._problem is not None:
            return
        try:
            self._packages.append(pack(package))
            self._phases.append(package.phase)
        except NotPackable as problem:
            self._problem = NotCached(problem.reason, problem.message)

    def gives_up(self, error: Exception) -> bool:
        """Whether a trace failed only because it was to be kept; it is then traced again without."""
        if self.keeper is None or not aot_cache.failed_to_write(error):
            return False
        self._counts.failures["AOTAutograd cannot write its entry"] += 1
        log.warning("torchport cache: a graph cannot be kept; compiling again without", exc_info=error)
        self.keeper = None
        return True

    @contextmanager
    def watching(self) -> Iterator[None]:
        """In which AOTAutograd traces the graph: whether it has Dynamo trace anew is kept as well."""
        try:
            yield
        except aot_cache.Restart:
            if self.keeper is not None and self.key is not None:
                text = json.dumps({"restart": aot_cache.wanted_constants()}).encode()
                self._store.put(KIND, f"{self.key}-restart", len(text).to_bytes(8, "little") + text)
            raise

    def store(self, macros: Iterable[RaisedMacro]) -> None:
        """Keeps the graph, when all of it could be packed."""
        if self.keeper is None or self.key is None:
            return
        self._counts.misses += 1
        entry = self.keeper.entry
        try:
            if self._problem is not None:
                raise self._problem
            guards = "" if entry is None else aot_cache.guards_of(entry)
            metadata = aot_cache.dump(entry)
            aliases = aot_cache.alias_guards(self._gm, self._guards)
        except NotCached as problem:
            self._leave(problem)
            return
        finally:
            if entry is not None:
                aot_cache.release(entry)
        header = {
            "guards": guards,
            "aliases": aliases,
            "macros": [asdict(m) for m in macros],
            "phases": self._phases,
            "sizes": [len(p) for p in self._packages],
        }
        text = json.dumps(header).encode()
        body = b"".join([len(text).to_bytes(8, "little"), text, *self._packages, metadata])
        name = f"{self.key}-{hashlib.sha256(guards.encode()).hexdigest()[:16]}"
        self._counts.stored += self._store.put(KIND, name, body)

    def _read(self, body: bytes, link: Callable[[GraphPackage], Runner]) -> Loaded | list[str] | None:
        start = 8 + int.from_bytes(body[:8], "little")
        header = json.loads(body[8:start])
        if "restart" in header:
            return [str(name) for name in header["restart"]]
        if not aot_cache.guards_hold(header["guards"], self._inputs):
            return None
        packages: dict[str, GraphPackage] = {}
        for phase, size in zip(header["phases"], header["sizes"], strict=True):
            packages[phase] = unpack(body[start : start + size])
            start += size
        functions: Mapping[str, Runner] = {phase: link(package) for phase, package in packages.items()}
        call = aot_cache.restore(body[start:], functions)
        aot_cache.restore_alias_guards(self._gm, header["aliases"])
        return Loaded(call, tuple(packages.values()), tuple(RaisedMacro(**m) for m in header["macros"]))

    def _leave(self, problem: NotCached) -> None:
        self._counts.uncached[str(problem)] += 1
        if problem.reason is not Uncached.OFF:
            log.info("torchport cache: a graph is not kept: %s", problem)


def _key(gm: torch.fx.GraphModule, identity: Callable[[], Iterable[str]], off: str) -> str:
    if off:
        raise NotCached(Uncached.OFF, off)
    lacking = aot_cache.unavailable()
    if lacking:
        raise NotCached(Uncached.PYTORCH, lacking)
    if any(True for _ in gm.parameters()) or any(True for _ in gm.buffers()):
        raise NotCached(Uncached.INPUT, "the graph module owns parameters or buffers")
    digest = hashlib.sha256("\n".join(identity()).encode())
    digest.update(graph_key(gm).encode())
    return digest.hexdigest()
