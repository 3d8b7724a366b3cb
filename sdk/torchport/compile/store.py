"""Entries on disk that later processes of the same user may trust: private, signed, bounded.

An entry holds code. So the directory must belong to the user and be writable by nobody else, and every entry
carries an HMAC-SHA256 under a random key of the user (``key``, mode 0600), which is verified before a byte of
it is used. Writing is atomic; the least recently used entries are removed when the directory grows over its
limit. Whatever goes wrong means "not cached": it is logged once a process and counted.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
import stat
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import platformdirs

MAGIC = b"torchport-entry-1\n"
SECRET_BYTES = 32
DEFAULT_LIMIT_MB = 4096
STALE_SECONDS = 3600
"""Age from which a half-written file is taken for the remains of a killed process."""
_SWEEP_SHARE = 16
"""The directory is measured again when this process has written one of so many parts of the limit."""

State = Literal["ok", "damaged", "foreign"]
log = logging.getLogger("torchport.cache")
_said: set[tuple[str, str]] = set()
_written: dict[str, int] = {}


def cache_directory() -> Path:
    """Where entries are kept: ``TORCHPORT_CACHE_DIR``, else the user's cache directory."""
    configured = os.environ.get("TORCHPORT_CACHE_DIR")
    return Path(configured) if configured else Path(platformdirs.user_cache_dir("torchport"))


def cache_limit() -> int:
    """Most bytes the directory may hold: ``TORCHPORT_CACHE_LIMIT_MB`` (in MiB), else 4096 MiB."""
    configured = os.environ.get("TORCHPORT_CACHE_LIMIT_MB", "")
    return (int(configured) if configured.isdecimal() else DEFAULT_LIMIT_MB) * 2**20


@dataclass(frozen=True, slots=True)
class Store:
    """Entries under ``root`` by kind and name. ``failures`` counts what went wrong, by what it was."""

    root: Path
    failures: Counter[str] = field(default_factory=Counter)

    @classmethod
    def default(cls, failures: Counter[str] | None = None) -> Store:
        """The store in :func:`cache_directory`."""
        return cls(cache_directory(), Counter() if failures is None else failures)

    def path(self, kind: str, name: str) -> Path:
        """The file of an entry."""
        return self.root / kind / name[:2] / name

    def get(self, kind: str, name: str) -> bytes | None:
        """The body of an entry; ``None`` when there is none that can be trusted. A damaged or foreign one is
        removed.
        """
        secret = self._secret(create=False)
        path = self.path(kind, name)
        if secret is None:
            return None
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._failed("an entry cannot be read", f"{path}: {error}")
            return None
        body = opened(raw, kind, name, secret)
        if isinstance(body, str):
            self._failed(f"{body} entry", f"{path} is {body}; it is removed and compiled again")
            self.remove(kind, name)
            return None
        _touch(path)
        return body

    def names(self, kind: str, prefix: str) -> list[str]:
        """Entries whose names begin with ``prefix`` (two characters at least), latest first."""
        try:
            with os.scandir(self.root / kind / prefix[:2]) as found:
                entries = [(e.stat().st_mtime_ns, e.name) for e in found if e.name.startswith(prefix)]
        except FileNotFoundError:
            return []
        except OSError as error:
            self._failed("the cache directory cannot be read", str(error))
            return []
        return [name for _, name in sorted(entries, reverse=True)]

    def put(self, kind: str, name: str, body: bytes) -> bool:
        """Writes an entry: to a temporary file in the same directory, then renamed over the target. Whether
        it was kept.
        """
        limit = cache_limit()
        secret = self._secret(create=True)
        if secret is None:
            return False
        if len(body) > limit:
            self._failed("an entry is larger than the limit", f"{len(body)} bytes, limit {limit}")
            return False
        path = self.path(kind, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write_atomically(path, sealed(body, kind, name, secret))
        except OSError as error:
            self._failed("an entry cannot be written", f"{path}: {error}")
            return False
        self._bound(limit, len(body))
        return True

    def remove(self, kind: str, name: str) -> None:
        """Removes an entry, if it is there."""
        _remove(self.path(kind, name))

    def problem(self) -> str:
        """What makes the directory unfit for entries that are trusted; empty when nothing does."""
        try:
            found = self.root.stat()
        except FileNotFoundError:
            return ""
        except OSError as error:
            return str(error)
        if not stat.S_ISDIR(found.st_mode):
            return "it is not a directory"
        if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
            return f"it belongs to user {found.st_uid}"
        if os.name == "posix" and found.st_mode & 0o022:
            return f"others may write to it (mode {stat.S_IMODE(found.st_mode):04o})"
        return ""

    def secret(self) -> bytes | None:
        """The user's signing key, ``None`` when there is none. No checks: for inspection."""
        return _read_secret(self.root / "key")

    def _secret(self, *, create: bool) -> bytes | None:
        problem = self.problem()
        path = self.root / "key"
        if problem:
            self._failed("the cache directory is not used", f"{self.root}: {problem}")
            return None
        try:
            found = _read_secret(path)
            if found is None and create:
                self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
                found = _make_secret(path)
        except OSError as error:
            self._failed("the cache directory is not used", f"{path}: {error}")
            return None
        return found

    def _bound(self, limit: int, size: int) -> None:
        """Removes what is too much, at the first entry a process writes and now and then after that."""
        place = str(self.root)
        written = _written.get(place)
        _written[place] = (written or 0) + size
        if written is None or _written[place] > limit // _SWEEP_SHARE:
            _written[place] = 0
            self.sweep(limit)

    def sweep(self, limit: int) -> int:
        """Removes the remains of killed writers, and the least recently used entries until four fifths of
        ``limit`` bytes are left, when there are more than ``limit``. How many files went.
        """
        now, entries, removed = time.time(), list[tuple[float, int, Path]](), 0
        for path, size, changed in files_of(self.root):
            if path.name.startswith(".writing-"):
                if not 0 <= now - changed < STALE_SECONDS:
                    removed += _remove(path)
            elif path != self.root / "key":
                # an entry in use is stamped anew, so a stamp from the future is a clock that was put back
                entries.append((0.0 if changed > now + 60 else changed, size, path))
        total = sum(size for _, size, _ in entries)
        if total <= limit:
            return removed
        for _, size, path in sorted(entries):
            if total <= limit * 4 // 5:
                break
            removed += _remove(path)
            total -= size
        return removed

    def _failed(self, what: str, detail: str) -> None:
        self.failures[what] += 1
        if (what, str(self.root)) not in _said:
            _said.add((what, str(self.root)))
            log.warning("torchport cache: %s: %s", what, detail)


def sealed(body: bytes, kind: str, name: str, secret: bytes) -> bytes:
    """An entry's file: magic, SHA-256 of the body, HMAC of kind, name and that digest, body."""
    digest = hashlib.sha256(body).digest()
    return b"".join([MAGIC, digest, _signature(digest, kind, name, secret), body])


def opened(raw: bytes, kind: str, name: str, secret: bytes | None) -> bytes | Literal["damaged", "foreign"]:
    """The body of an entry's file, or what is wrong: bytes have changed, or it was signed with another key or
    for another name.
    """
    start = len(MAGIC)
    digest, signature, body = raw[start : start + 32], raw[start + 32 : start + 64], raw[start + 64 :]
    if not raw.startswith(MAGIC) or len(signature) < 32 or hashlib.sha256(body).digest() != digest:
        return "damaged"
    if secret is None or not hmac.compare_digest(_signature(digest, kind, name, secret), signature):
        return "foreign"
    return body


def files_of(root: Path) -> Iterator[tuple[Path, int, float]]:
    """Every file below ``root``: path, size in bytes, time of its last use. Files that vanish are skipped."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            try:
                found = path.lstat()
            except FileNotFoundError:
                continue
            yield path, found.st_size, found.st_mtime


def _signature(digest: bytes, kind: str, name: str, secret: bytes) -> bytes:
    return hmac.digest(secret, f"{kind}\0{name}\0".encode() + digest, "sha256")


def _read_secret(path: Path) -> bytes | None:
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return None
    return found if len(found) == SECRET_BYTES and not _open_to_others(path) else None


def _open_to_others(path: Path) -> bool:
    return os.name == "posix" and bool(path.stat().st_mode & 0o077)


def _make_secret(path: Path) -> bytes | None:
    """A new signing key, or that of a process that was faster. One that is damaged or that others could read
    is replaced: what it signed is foreign from then on.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(SECRET_BYTES))
        if path.exists():
            os.replace(temporary, path)
        else:
            os.link(temporary, path)
    except FileExistsError:
        pass  # another process made one at this moment: it counts for both
    finally:
        _remove(Path(temporary))
    return _read_secret(path)


def _write_atomically(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        _remove(Path(temporary))
        raise


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        log.info("torchport cache: cannot remove %s: %s", path, error)
        return False
    return True


def _touch(path: Path) -> None:
    try:
        os.utime(path)
    except OSError as error:  # read-only, or just evicted: the entry is as good
        log.debug("torchport cache: cannot stamp %s: %s", path, error)
