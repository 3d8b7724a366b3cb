"""One compiled graph as data: everything between "compile" and "run", and the same as bytes.

A :class:`GraphPackage` is all that the run stage reads. :func:`pack`
turns it into bytes without pickle, and :func:`unpack` reads them in another process that has the same
backends. A graph with something that lives in one process only (an ``InProcess`` region, a sub-graph or
process group as an argument) cannot be packed; :class:`NotPackable` says why.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

import numpy as np
import torch

from torchport.compile.artifact import Artifact, InProcess
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.reason import Reason, Rejection
from torchport.compile.region import Region
from torchport.compile.reports import BufferCopy, GraphReport, RegionReport
from torchport.compile.uncached import Uncached
from torchport.contract.graph import Graph, Node, Symbol, Value, dtype_name
from torchport.contract.graph_json import graph_from_json, graph_to_json
from torchport.errors import ArtifactError, SchemaError
from torchport.run.program import OpStep, RestrideStep

MAGIC = b"torchport-graph-1\n"
_REGION = "torchport.region"
_RESTRIDE = "torchport.restride"


class NotPackable(ArtifactError):
    """A compiled graph that exists in this process only. ``reason`` is typed; the message says what it is."""

    def __init__(self, message: str, *, reason: Uncached, hint: str = "") -> None:
        self.reason = reason
        super().__init__(message, hint=hint)


@dataclass(frozen=True, eq=False)
class CompiledRegion:
    """A region and its code; ``owner`` is the position of its backend in :attr:`GraphPackage.backends`.

    In an unpacked graph ``region.graph`` has one node, which stands for all of the region, and ``source`` is
    the whole region as JSON where it was packed. ``homes`` has for each output the value in whose memory it
    is left, or ``None``; it is empty when none is.
    """

    owner: int
    region: Region
    code: Artifact | InProcess
    source: str = ""
    homes: tuple[Value | None, ...] = ()


@dataclass(frozen=True, slots=True)
class BackendIdentity:
    """Which backend compiled a region, and for what: :func:`unpack` asks for exactly these."""

    name: str
    version: str
    source_hash: str
    target: str

    @classmethod
    def of(cls, backend: Backend, target: Target) -> BackendIdentity:
        """The identity of a backend that compiles for ``target``."""
        return cls(backend.name, backend.version, backend.source_hash(), repr(target))


Part = OpStep | RestrideStep | CompiledRegion


@dataclass(frozen=True, eq=False)
class GraphPackage:
    """A graph with the code of its regions, before anything is loaded.

    ``phase`` is "inference", "forward" or "backward"; ``arguments`` is the calling order (values, SymExpr or
    constants); ``parts`` run in order; ``outputs`` are values, symbolic or plain scalars, or ``None``.
    ``opset`` is the contract version. ``report`` has counts and reasons, its ``seconds`` are empty.
    """

    phase: str
    arguments: tuple[Any, ...]
    inputs: tuple[Value, ...]
    parts: tuple[Part, ...]
    outputs: tuple[Any, ...]
    symbols: tuple[Symbol, ...]
    constants: Mapping[str, torch.Tensor]
    backends: tuple[BackendIdentity, ...]
    opset: str
    report: GraphReport

    @property
    def regions(self) -> tuple[CompiledRegion, ...]:
        """The regions, in the order they run."""
        return tuple(p for p in self.parts if isinstance(p, CompiledRegion))

    def __str__(self) -> str:
        return "\n".join(
            f"{r.name}: {r.backend}, {r.nodes} nodes, cached {r.from_cache}" for r in self.report.regions
        )


class _Blobs:
    """Byte strings behind a header, found by position."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, data: bytes) -> list[int]:
        place = [self.size, len(data)]
        self.parts.append(data)
        self.size += len(data)
        return place


def pack(graph: GraphPackage, *, sources: bool = False) -> bytes:
    """``graph`` as bytes: a JSON header, then artifacts and constants as they are. No pickle.

    Args:
        graph: what to pack.
        sources: keep each region whole as JSON as well; it can then be compiled anew.

    Raises:
        NotPackable: some of it cannot leave this process.
    """
    blobs = _Blobs()
    regions = []
    for part in graph.regions:
        if isinstance(part.code, InProcess):
            raise NotPackable(
                f"region {part.region.name!r} of backend {graph.backends[part.owner].name!r} is InProcess",
                reason=Uncached.IN_PROCESS,
                hint="return an Artifact from compile(), and implement load()",
            )
        regions.append(_region_to_json(part, part.code, blobs, sources))
    outline = Graph(
        graph.inputs,
        tuple(_part_to_node(part, index) for index, part in enumerate(graph.parts)),
        cast(Any, (graph.arguments, graph.outputs)),
        graph.symbols,
    )
    try:
        plain = graph_to_json(outline)
    except SchemaError as error:
        raise NotPackable(error.message + f": {error.got}", reason=Uncached.ARGUMENT) from error
    header = {
        "phase": graph.phase,
        "opset": graph.opset,
        "outline": plain,
        "regions": regions,
        "constants": {name: _tensor_to_json(t, blobs) for name, t in sorted(graph.constants.items())},
        "backends": [asdict(b) for b in graph.backends],
        "report": _report_to_json(graph.report),
    }
    text = zlib.compress(json.dumps(header, separators=(",", ":"), allow_nan=False).encode(), 1)
    return b"".join([MAGIC, len(text).to_bytes(8, "little"), text, *blobs.parts])


def unpack(data: bytes) -> GraphPackage:
    """The inverse of :func:`pack`. Loads no code: that is what linking does.

    Raises:
        ArtifactError: not a packed graph, or a damaged one.
    """
    try:
        return _unpack(memoryview(data))
    except (ValueError, KeyError, TypeError, IndexError, zlib.error, SchemaError) as error:
        raise ArtifactError(
            "not a packed graph, or a damaged one",
            got=f"{type(error).__name__}: {error}",
            hint="compile the graph again",
        ) from error


def _unpack(data: memoryview) -> GraphPackage:
    start = len(MAGIC) + 8
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("the first bytes are not those of a packed graph")
    end = start + int.from_bytes(data[len(MAGIC) : start], "little")
    header = json.loads(zlib.decompress(data[start:end]))
    blobs = data[end:]
    outline = graph_from_json(header["outline"])
    code = [_region_from_json(r, blobs) for r in header["regions"]]
    arguments, outputs = cast(Any, outline.outputs)
    return GraphPackage(
        header["phase"],
        arguments,
        outline.inputs,
        tuple(_parts_of(outline.nodes, code)),
        outputs,
        outline.symbols,
        {name: _tensor_from_json(t, blobs) for name, t in header["constants"].items()},
        tuple(BackendIdentity(**b) for b in header["backends"]),
        header["opset"],
        _report_from_json(header["report"]),
    )


def _part_to_node(part: Part, index: int) -> Node:
    match part:
        case OpStep(node, None):
            return node
        case CompiledRegion():
            values = (("inputs", part.region.input_values), ("homes", part.homes))
            return Node(f"{_REGION}.{index}", _REGION, values, part.region.output_values)
        case RestrideStep(source, target):
            return Node(f"{_RESTRIDE}.{index}", _RESTRIDE, (("source", source),), (target,))
    raise NotPackable(f"a step that cannot be packed: {part}", reason=Uncached.ARGUMENT)


def _parts_of(nodes: Sequence[Node], regions: Sequence[CompiledRegion]) -> Iterator[Part]:
    waiting = iter(regions)
    for node in nodes:
        if node.op == _REGION:
            yield replace(next(waiting), homes=node.arg("homes"))
        elif node.op == _RESTRIDE:
            yield RestrideStep(node.arg("source"), node.results[0])
        else:
            yield OpStep(node)


def _region_to_json(part: CompiledRegion, code: Artifact, blobs: _Blobs, sources: bool) -> dict[str, Any]:
    region = part.region
    call = Node("call", _REGION, (("inputs", region.input_values),), region.output_values)
    whole = Graph(region.input_values, (call,), region.output_values, region.symbols)
    source = (part.source or region.to_json()) if sources else ""
    return {
        "owner": part.owner,
        "name": region.name,
        "graph": graph_to_json(whole),
        "phase": region.phase,
        "opset": region.opset,
        "source": blobs.add(zlib.compress(source.encode(), 1)) if source else None,
        "format": code.format,
        "payload": blobs.add(code.payload),
        "workspace": code.workspace,
        "aliases": [[out, into] for out, into in code.aliases.items()],
        "provenance": dict(code.provenance),
    }


def _region_from_json(data: Mapping[str, Any], blobs: memoryview) -> CompiledRegion:
    region = Region(data["name"], graph_from_json(data["graph"]), data["phase"], data["opset"])
    code = Artifact(
        data["format"],
        _blob(blobs, data["payload"]),
        data["workspace"],
        {int(out): int(into) for out, into in data["aliases"]},
        data["provenance"],
    )
    source = zlib.decompress(_blob(blobs, data["source"])).decode() if data["source"] else ""
    return CompiledRegion(data["owner"], region, code, source)


def _blob(blobs: memoryview, place: Sequence[int]) -> bytes:
    start, size = place
    if start < 0 or size < 0 or start + size > len(blobs):
        raise ValueError(f"{size} bytes are wanted at {start}, and there are {len(blobs)}")
    return bytes(blobs[start : start + size])


def _tensor_to_json(tensor: torch.Tensor, blobs: _Blobs) -> dict[str, Any]:
    if type(tensor) is not torch.Tensor or tensor.layout != torch.strided:
        raise NotPackable(f"a constant is a {type(tensor).__name__}", reason=Uncached.ARGUMENT)
    plain = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
    raw = plain.reshape(-1).view(torch.uint8).numpy().tobytes() if plain.numel() else b""
    return {
        "dtype": dtype_name(tensor.dtype),
        "shape": list(tensor.shape),
        "stride": list(tensor.stride()),
        "device": str(tensor.device),
        "data": blobs.add(raw),
    }


def _tensor_from_json(data: Mapping[str, Any], blobs: memoryview) -> torch.Tensor:
    dtype = getattr(torch, data["dtype"])
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"no dtype {data['dtype']!r}")
    raw = np.frombuffer(_blob(blobs, data["data"]), dtype=np.uint8).copy()
    out = torch.empty_strided(data["shape"], data["stride"], dtype=dtype, device=data["device"])
    if out.numel():
        out.copy_(torch.from_numpy(raw).view(dtype).reshape(data["shape"]))
    return out


def _report_to_json(report: GraphReport) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):  # asdict() rebuilds a Counter from pairs, which counts the pairs
            return dict(value)
        return [asdict(item) for item in value] if isinstance(value, tuple) else value

    return {field.name: plain(getattr(report, field.name)) for field in fields(report)}


def _report_from_json(data: Mapping[str, Any]) -> GraphReport:
    regions = tuple(RegionReport(**{**r, "ops": tuple(r["ops"])}) for r in data["regions"])
    rejections = tuple(Rejection(**{**r, "reason": Reason(r["reason"])}) for r in data["rejections"])
    copies = tuple(BufferCopy(**c) for c in data["copies"])
    return GraphReport(**{**data, "regions": regions, "rejections": rejections, "copies": copies})


def loaded_report(graph: GraphPackage) -> GraphReport:
    """The report of a graph that came from a cache or a file: no region was compiled."""
    regions = tuple(replace(r, from_cache=True, seconds=0.0) for r in graph.report.regions)
    return replace(graph.report, regions=regions)
