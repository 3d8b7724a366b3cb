"""The file that holds an exported program: a manifest as JSON and named sections of bytes.

Layout, integers little-endian::

    "torchport-file-1"            16 bytes
    size of the whole file         8 bytes
    size of the manifest           8 bytes
    manifest                       JSON; lists name, offset and size of each section
    sections                       each at a multiple of 64 bytes, zeros between them
    tag                           32 bytes: HMAC-SHA256 of the SHA-256 of all before it; zeros without a key
    checksum                      32 bytes: SHA-256 of all before it

The checksum finds damage, the tag forgery; both are checked before anything in the file is read. Files are
written beside their place and renamed, so that nobody sees half of one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import mmap
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from torchport.errors import ArtifactError

MAGIC = b"torchport-file-1"
ALIGNMENT = 64
DIGEST = 32
_HEAD = len(MAGIC) + 16
_UNSIGNED = bytes(DIGEST)

Pieces = Iterable[bytes | memoryview]


def write(
    path: Path, manifest: Mapping[str, Any], sections: Mapping[str, tuple[int, Pieces]], key: bytes | None
) -> None:
    """Writes a file; ``sections`` has size and pieces of each, in order.

    Raises:
        OSError: the file cannot be written. Nothing is left behind.
    """
    table, offset = {}, 0
    for name, (size, _) in sections.items():
        table[name] = [offset, size]
        offset += size + -size % ALIGNMENT
    text = json.dumps({**manifest, "sections": table}, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(_HEAD + len(text)) % ALIGNMENT)
    total = _HEAD + len(text) + offset + 2 * DIGEST
    temporary = path.parent / f".{path.name}-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        with open(temporary, "xb") as file:
            out = _Hashing(file)
            out.write(MAGIC + total.to_bytes(8, "little") + len(text).to_bytes(8, "little") + text)
            for name, (size, pieces) in sections.items():
                written = sum(map(out.write, pieces))
                assert written == size, f"section {name} has {written} bytes, not {size}"
                out.write(bytes(-size % ALIGNMENT))
            out.write(_UNSIGNED if key is None else _tag(key, out.digest.digest()))
            file.write(out.digest.digest())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


class _Hashing:
    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.digest = file, hashlib.sha256()

    def write(self, data: bytes | memoryview) -> int:
        self.digest.update(data)
        self.file.write(data)
        return len(data)


def _tag(key: bytes, digest: bytes) -> bytes:
    return hmac.new(key, MAGIC + digest, hashlib.sha256).digest()


class Container:
    """A file that was found whole, and, given its key, unforged.

    The file is mapped privately: what is written to its memory stays in this process.

    Args:
        path: the file.
        key: what it was signed with; ``None`` asks for no signature.

    Raises:
        ArtifactError: not such a file, damaged, cut short, unsigned although a key is given, or forged.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path, key: bytes | None) -> None:
        self.path = path
        if key is not None and not isinstance(key, bytes):
            raise ArtifactError("a key is bytes", got=type(key).__name__)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _HEAD + 2 * DIGEST:
                raise self._error("is not an exported program: it is too short", f"{size} bytes")
            self.memory = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY)
        view = memoryview(self.memory)
        if view[: len(MAGIC)] != MAGIC:
            known = bytes(view[: len(MAGIC) - 1]) == MAGIC[:-1]
            text = "has another format version" if known else "is not an exported program"
            raise self._error(text, repr(bytes(view[: len(MAGIC)])))
        declared = int.from_bytes(view[len(MAGIC) : len(MAGIC) + 8], "little")
        if declared != size:
            raise self._error("is damaged: its size is not what it says", f"{size} bytes, not {declared}")
        self.signed = self._verify(view, key)
        end = _HEAD + int.from_bytes(view[len(MAGIC) + 8 : _HEAD], "little")
        self._start = end
        try:
            self.manifest: dict[str, Any] = json.loads(bytes(view[_HEAD:end]))
            self._sections: dict[str, list[int]] = self.manifest.pop("sections")
        except (ValueError, KeyError) as error:
            raise self._error("has no manifest", str(error)) from error

    def _verify(self, view: memoryview, key: bytes | None) -> bool:
        checksum = hashlib.sha256(view[: -2 * DIGEST])
        content = checksum.digest()
        tag = bytes(view[-2 * DIGEST : -DIGEST])
        checksum.update(tag)
        if checksum.digest() != view[-DIGEST:]:
            raise self._error("is damaged: its checksum does not match", "other bytes than were written")
        if key is not None and tag == _UNSIGNED:
            raise self._error("is not signed, and a key was given", "no signature")
        if key is not None and not hmac.compare_digest(_tag(key, content), tag):
            raise self._error("was not signed with this key", "another signature")
        return tag != _UNSIGNED

    def _error(self, text: str, got: str) -> ArtifactError:
        return ArtifactError(f"{self.path} {text}", got=got, hint="export the program again")

    def section(self, name: str) -> memoryview:
        """The bytes of a section, writable: in the memory of this process only.

        Raises:
            ArtifactError: there is none, or it does not lie within the file.
        """
        offset, size = self._sections.get(name, (-1, 0))
        start = self._start + offset
        if offset < 0 or size < 0 or start + size > len(self.memory) - 2 * DIGEST:
            raise self._error(f"has no section {name!r}", ", ".join(self._sections))
        return memoryview(self.memory)[start : start + size]
