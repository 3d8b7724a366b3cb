"""Compiled regions on disk, by everything that identifies them. A damaged entry is recompiled."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import torch

from torchport.compile.artifact import Artifact
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.options import Options
from torchport.compile.region import Region
from torchport.compile.store import Store, cache_directory
from torchport.errors import SchemaError

KIND = "artifacts"


def may_return_artifacts(backend: Backend) -> bool:
    """Whether ``compile`` may return an artifact: only where ``load`` is implemented."""
    return type(backend).load is not Backend.load or "load" in vars(backend)


def region_key(
    backend: Backend, region: Region, target: Target, options: Options, opset_sha: str
) -> str | None:
    """A digest of everything that identifies a compiled region; ``None`` when the region cannot be
    serialized, or the backend returns no artifacts.
    """
    if not may_return_artifacts(backend):
        return None
    try:
        data = json.loads(region.to_json())
    except SchemaError:
        return None
    data.pop("name")
    for node in data["graph"]["nodes"]:
        node.pop("provenance")
    for symbol in data["graph"]["symbols"]:
        symbol.pop("hint")
    identity = [
        backend.name,
        backend.version,
        backend.source_hash(),
        repr(target),
        options.cache_key(),
        opset_sha,
        torch.__version__,
        json.dumps(data, sort_keys=True),
    ]
    return hashlib.sha256("\0".join(identity).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ArtifactCache:
    """Artifacts by key in a :class:`~torchport.compile.store.Store` under ``root``. Every failure to read or
    write means "not cached", and is counted in ``failures``.
    """

    root: Path
    failures: Counter[str] = field(default_factory=Counter)

    @classmethod
    def default(cls, failures: Counter[str] | None = None) -> ArtifactCache:
        """The cache in :func:`~torchport.compile.store.cache_directory`."""
        return cls(cache_directory(), Counter() if failures is None else failures)

    @property
    def store(self) -> Store:
        """Where the entries are."""
        return Store(self.root, self.failures)

    def path(self, key: str) -> Path:
        """The file of an entry."""
        return self.store.path(KIND, key)

    def get(self, key: str) -> Artifact | None:
        """The artifact, or ``None`` when there is none or it is damaged (a damaged one is removed)."""
        body = self.store.get(KIND, key)
        return None if body is None else _decode(body)

    def put(self, key: str, artifact: Artifact) -> None:
        """Keeps an artifact."""
        self.store.put(KIND, key, _encode(artifact))


def _encode(artifact: Artifact) -> bytes:
    header = json.dumps(
        {
            "format": artifact.format,
            "workspace": artifact.workspace,
            "aliases": [[out, into] for out, into in artifact.aliases.items()],
            "provenance": dict(artifact.provenance),
        }
    ).encode()
    return len(header).to_bytes(8, "little") + header + artifact.payload


def _decode(body: bytes) -> Artifact:
    length = int.from_bytes(body[:8], "little")
    header = json.loads(body[8 : 8 + length])
    aliases = {int(out): int(into) for out, into in header["aliases"]}
    return Artifact(header["format"], body[8 + length :], header["workspace"], aliases, header["provenance"])
