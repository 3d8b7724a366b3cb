"""Compiled artifacts on disk: private to the user, written atomically, checksummed. A damaged entry is
recompiled.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import torch

from torchport.compile.artifact import Artifact
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.options import Options
from torchport.compile.region import Region
from torchport.errors import SchemaError

MAGIC = b"torchport-artifact-1\n"
log = logging.getLogger("torchport.cache")


def cache_directory() -> Path:
    """Where artifacts are kept: ``TORCHPORT_CACHE_DIR``, else the user's cache directory."""
    configured = os.environ.get("TORCHPORT_CACHE_DIR")
    return Path(configured) if configured else Path(platformdirs.user_cache_dir("torchport"))


def region_key(
    backend: Backend, region: Region, target: Target, options: Options, opset_sha: str
) -> str | None:
    """A digest of everything that identifies a compiled region; ``None`` when the region cannot be
    serialized.
    """
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
    """Artifacts by key under ``root``. Every failure to read or write is logged and means "not cached"."""

    root: Path

    @classmethod
    def default(cls) -> ArtifactCache:
        """The cache in :func:`cache_directory`."""
        return cls(cache_directory() / "artifacts")

    def path(self, key: str) -> Path:
        """The file of an entry."""
        return self.root / key[:2] / key

    def get(self, key: str) -> Artifact | None:
        """The artifact, or ``None`` when there is none or it is damaged (a damaged one is removed)."""
        path = self.path(key)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            log.warning("cannot read cache entry %s: %s", path, error)
            return None
        artifact = _decode(raw, key)
        if artifact is None:
            log.warning("cache entry %s is damaged; recompiling", path)
            _remove(path)
        return artifact

    def put(self, key: str, artifact: Artifact) -> None:
        """Writes an entry: to a temporary file in the same directory, then renamed over the target."""
        path = self.path(key)
        temporary: str | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
            with os.fdopen(handle, "wb") as file:
                file.write(_encode(artifact, key))
            os.replace(temporary, path)
        except OSError as error:
            log.warning("cannot write cache entry %s: %s", path, error)
            if temporary is not None:
                _remove(Path(temporary))


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("cannot remove %s: %s", path, error)


def _encode(artifact: Artifact, key: str) -> bytes:
    header = json.dumps(
        {
            "key": key,
            "format": artifact.format,
            "workspace": artifact.workspace,
            "aliases": {str(k): v for k, v in artifact.aliases.items()},
            "provenance": dict(artifact.provenance),
            "payload_bytes": len(artifact.payload),
        }
    ).encode()
    body = len(header).to_bytes(8, "little") + header + artifact.payload
    return MAGIC + hashlib.sha256(body).digest() + body


def _decode(raw: bytes, key: str) -> Artifact | None:
    start = len(MAGIC)
    digest, body = raw[start : start + 32], raw[start + 32 :]
    if not raw.startswith(MAGIC) or hashlib.sha256(body).digest() != digest:
        return None
    length = int.from_bytes(body[:8], "little")
    header = json.loads(body[8 : 8 + length])
    payload = body[8 + length :]
    if header["key"] != key or len(payload) != header["payload_bytes"]:
        return None
    aliases = {int(k): int(v) for k, v in header["aliases"].items()}
    return Artifact(header["format"], payload, header["workspace"], aliases, header["provenance"])
