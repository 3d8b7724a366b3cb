"""``tp.export``: a model, compiled by a backend, as one file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from torchport.capture.exported import ExportedGraph, Origin, captured_export, exported_program
from torchport.capture.offering.offer import offering
from torchport.compile.artifact import Artifact, InProcess
from torchport.compile.backend import Backend
from torchport.compile.bound import Bound
from torchport.compile.capabilities import Target
from torchport.compile.package import GraphPackage, NotPackable, pack
from torchport.compile.reports import Reports
from torchport.compile.specialize import SPECIALIZED
from torchport.deploy import tensors
from torchport.deploy.container import Pieces, write
from torchport.deploy.description import described
from torchport.deploy.manifest import Manifest
from torchport.deploy.shells import on_meta, with_stand_ins
from torchport.dynamo import DynamoBackend, dynamo_backend
from torchport.errors import ExportError
from torchport.pipeline import Session, assemble, compile_regions, divide, lower, session_for

MODES = ("embed", "external", "none")


def export(
    model: Any,
    args: Sequence[Any] = (),
    *,
    backend: str | Backend | type[Backend] | DynamoBackend,
    path: str | os.PathLike[str],
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    target: Target | None = None,
    weights: str = "embed",
    key: bytes | None = None,
    options: Mapping[str, Any] | None = None,
) -> Manifest:
    """Compiles a model ahead of time and writes one file that ``tp.load`` runs without compiling.

    Args:
        model: a ``torch.export.ExportedProgram``, or a module or function that is exported for ``args`` here.
            Weights of a module may be on the meta device when ``weights="none"``.
        args: example arguments, as for ``torch.export.export``; not needed with an ExportedProgram.
        backend: as for ``torch.compile``; one that returns artifacts from ``compile``.
        path: the file to write; an existing one is replaced when all went well.
        kwargs: example keyword arguments.
        dynamic_shapes: which sizes stay open, as for ``torch.export.export``.
        target: what to compile for; the backend's default target when ``None``.
        weights: ``"embed"`` puts them into the file, ``"external"`` into a safetensors file beside it whose
            hash the file holds, ``"none"`` leaves them to ``tp.load(path, weights=...)``.
        key: signs the file: ``tp.load`` with this key refuses any other file.
        options: options of the SDK and of the backend.

    Raises:
        ExportError: the model, or what the backend made of it, cannot leave this process.
        TorchportError: a stage of the compilation failed.
        OSError: the file cannot be written.
    """
    if weights not in MODES:
        raise ExportError(f"weights must be one of {', '.join(MODES)}", got=repr(weights))
    _check_key(key)
    entry = dynamo_backend(backend)
    session = _for_target(session_for(entry.backends, entry.parse(options, None), Reports()), target)
    absent = on_meta(model)
    if absent and weights != "none":
        raise ExportError(
            "weights on the meta device cannot be written",
            got=", ".join(sorted(absent)[:8]),
            hint='export with weights="none", and give them to tp.load',
        )
    if absent:
        model = with_stand_ins(model, session.backends[0].target.device)
    program = exported_program(model, args, kwargs, dynamic_shapes)
    macros = session.options["raise_macros"]
    offers = offering(session.backends, session.opset, session.reports.macros, trains=False, macros=macros)
    exported = captured_export(program, offers)
    if lost := [e.target for e in exported.inputs if e.origin is Origin.CONSTANT and e.target in absent]:
        raise ExportError(
            "buffers that no state_dict has are on the meta device, so their values are lost",
            got=", ".join(lost),
            hint="make these buffers on a real device",
        )
    package = _compiled(exported, session)
    return _written(Path(path), exported, package, session, weights, key)


def _check_key(key: bytes | None) -> None:
    if key is not None and (not isinstance(key, bytes) or len(key) < 16):
        got = f"{len(key)} bytes" if isinstance(key, bytes) else type(key).__name__
        raise ExportError("a key is at least 16 bytes", got=got, hint="secrets.token_bytes(32) makes one")


def _for_target(session: Session, target: Target | None) -> Session:
    if target is None:
        return session
    if len(session.backends) != 1:
        names = ", ".join(b.backend.name for b in session.backends)
        raise ExportError("target= goes with one backend", got=names)
    backend = session.backends[0].backend
    if target not in tuple(backend.targets()):
        known = ", ".join(map(repr, backend.targets()))
        raise ExportError(f"backend {backend.name!r} has no such target", got=repr(target), hint=known)
    return replace(session, backends=(Bound(backend, target, backend.capabilities(target)),))


def _compiled(exported: ExportedGraph, session: Session) -> GraphPackage:
    captured = exported.captured
    lowered = lower(captured, session)
    compiled = compile_regions(divide(lowered, session), lowered, captured, session)
    package = assemble(captured, compiled, session)
    stuck = [r for r in package.regions if isinstance(r.code, InProcess)]
    if stuck:
        raise ExportError(
            f"backend {session.backends[stuck[0].owner].backend.name!r} returned InProcess, which lives in "
            f"this process, for {len(stuck)} of {len(package.regions)} regions",
            got="; ".join(f"{r.region.name} ({_ops(r.region.nodes)})" for r in stuck),
            hint="return an Artifact from compile(), and implement load()",
        )
    varying = [r for r in package.regions if isinstance(r.code, Artifact) and r.code.format == SPECIALIZED]
    if varying:
        raise ExportError(
            f"backend {session.backends[varying[0].owner].backend.name!r} compiles for static sizes only, "
            f"and {len(varying)} of {len(package.regions)} regions leave some open",
            got="; ".join(f"{r.region.name} ({_ops(r.region.nodes)})" for r in varying),
            hint="export without dynamic_shapes, one file for each size",
        )
    return package


def _ops(nodes: Iterable[Any]) -> str:
    names = sorted({n.op for n in nodes})
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _written(
    path: Path,
    exported: ExportedGraph,
    package: GraphPackage,
    session: Session,
    mode: str,
    key: bytes | None,
) -> Manifest:
    try:
        program = pack(package)
    except NotPackable as error:
        raise ExportError(error.message, hint="claim the operator, or leave it out of the model") from error
    sections: dict[str, tuple[int, Pieces]] = {"program": (len(program), [program])}
    sections["constants"] = _section(_of(exported, Origin.CONSTANT))
    info: dict[str, Any] = {"mode": mode, "tensors": []}
    if mode == "embed":
        sections["weights"] = _section(_of(exported, Origin.WEIGHT))
    elif mode == "external":
        info["file"] = path.with_suffix(".safetensors").name
        if info["file"] == path.name:
            raise ExportError("the weights beside it would take the file's own name", got=path.name)
        info["sha256"] = _write_beside(path.parent / info["file"], _of(exported, Origin.WEIGHT))
    data = described(exported, package, session.opset, info)
    write(path, data, sections, key)
    return Manifest(path, key is not None, data)


def _of(exported: ExportedGraph, origin: Origin) -> dict[str, torch.Tensor]:
    return {e.target: exported.tensors[e.target] for e in exported.inputs if e.origin is origin}


def _section(found: Mapping[str, torch.Tensor]) -> tuple[int, Pieces]:
    pieces = tensors.chunks(found)
    header = next(pieces)
    size = len(header) + sum(t.numel() * t.element_size() for t in found.values())
    return size, _chained(header, pieces)


def _chained(first: bytes | memoryview, rest: Pieces) -> Pieces:
    yield first
    yield from rest


def _write_beside(path: Path, found: Mapping[str, torch.Tensor]) -> str:
    digest = hashlib.sha256()
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            for piece in tensors.chunks(found):
                digest.update(piece)
                file.write(piece)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return digest.hexdigest()
