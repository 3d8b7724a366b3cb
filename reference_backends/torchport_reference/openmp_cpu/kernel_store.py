"""Built kernels on disk, and in the process.

The store is a directory that only its user can write, because code is loaded from it. Files in it:
``<key>.cpp`` and ``<key>.built`` (a source and the digest of what it was built to), ``<key>.shared`` (the
digest of a library that it was built into with others), ``<digest>.so`` (a library under the digest of its
own bytes). Files are written beside their place and renamed into it; a
damaged one counts as absent.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import os
import re
import shutil
import stat
import tempfile
import warnings
from pathlib import Path

from torchport.compile.store import cache_directory
from torchport.errors import ToolchainError

_substitutes: dict[Path, Path] = {}
"""Directories that stand in for stores that cannot be written, in this process."""


class UnwritableStoreError(ToolchainError):
    """A file of the store cannot be written: the disk is full, or the directory is another's."""


def store_directory() -> Path:
    """Where built kernels are kept: a directory that nobody else can write, because code is loaded from it.

    Where the cache cannot be written, a temporary directory takes its place, with a warning; it is removed
    when the process ends.

    Raises:
        ToolchainError: others can write the directory, or there is no room for temporary files either.
    """
    directory = cache_directory() / "kernels"
    if directory in _substitutes:
        return _substitutes[directory]
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = directory.stat()
    except OSError as error:
        return substitute(_unwritable(directory, error))
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ToolchainError(
            "the kernel cache can be written by other users, and code would be loaded from it",
            got=str(directory),
            hint="chmod go-w it, or set TORCHPORT_CACHE_DIR to a directory of your own",
        )
    return directory


def substitute(reason: UnwritableStoreError) -> Path:
    """A temporary directory in the place of the store, for the rest of the process.

    Raises:
        UnwritableStoreError: ``reason``, where it has one already or none can be made.
    """
    directory = cache_directory() / "kernels"
    if directory in _substitutes:
        raise reason
    try:
        temporary = Path(tempfile.mkdtemp(prefix="torchport-kernels-"))
    except OSError:
        raise reason from None
    atexit.register(_remove, temporary, os.getpid())
    warnings.warn(
        f"{reason.message} ({reason.got}): kernels are built again in every process; {reason.hint}",
        RuntimeWarning,
        stacklevel=2,
    )
    _substitutes[directory] = temporary
    return temporary


def _remove(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked process uses the directory of its parent
        shutil.rmtree(directory, ignore_errors=True)


def _directories() -> tuple[Path, ...]:
    """Where files are looked for: what was kept before the store could not be written is still good."""
    return tuple(dict.fromkeys((store_directory(), cache_directory() / "kernels")))


def read_build(key: str) -> bytes | None:
    """The payload of a finished build, or ``None`` when there is none or a file of it is damaged."""
    return _recorded(f"{key}.built")


def read_shared_build(key: str) -> bytes | None:
    """The library that the source with this key was built into together with others, or ``None``."""
    return _recorded(f"{key}.shared")


def _recorded(name: str) -> bytes | None:
    for directory in _directories():
        digest = read_file(directory / name)
        if digest is None or re.fullmatch(rb"[0-9a-f]{64}", digest) is None:
            continue
        payload = read_file(directory / f"{digest.decode()}.so")
        if payload is not None and hashlib.sha256(payload).hexdigest() == digest.decode():
            return payload
    return None


def write_build(key: str, payload: bytes) -> None:
    """Keeps the payload that the source with this key was built to."""
    digest = hashlib.sha256(payload).hexdigest()
    write_file(store_directory() / f"{digest}.so", payload)
    write_file(store_directory() / f"{key}.built", digest.encode())


def write_shared_build(key: str, payload: bytes) -> None:
    """Keeps that the source with this key is part of ``payload``, which :func:`write_build` has kept."""
    write_file(store_directory() / f"{key}.shared", hashlib.sha256(payload).hexdigest().encode())


def read_file(path: Path) -> bytes | None:
    """The file's content, or ``None`` when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def write_file(path: Path, payload: bytes) -> None:
    """Writes a file in one step, so that no reader ever sees half of it.

    Raises:
        UnwritableStoreError: the disk is full or the directory cannot be written.
    """
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
        with os.fdopen(handle, "wb") as file:
            file.write(payload)
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if temporary is not None:
            os.unlink(temporary)


def _unwritable(path: Path, error: OSError) -> UnwritableStoreError:
    return UnwritableStoreError(
        "the kernel cache cannot be written",
        got=f"{path}: {error.strerror}",
        hint="free space there, or set TORCHPORT_CACHE_DIR",
    )


class KernelLibrary:
    """A loaded shared library. It stays loaded for the life of the process, so addresses stay valid."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise ToolchainError(
                "a compiled kernel cannot be loaded", got=str(error), hint=f"remove {path}"
            ) from error

    def address(self, symbol: str) -> int:
        """Address of an exported function.

        Raises:
            ToolchainError: there is no such symbol.
        """
        try:
            function = getattr(self._library, symbol)
        except AttributeError:
            raise ToolchainError(
                f"a compiled kernel does not export {symbol!r}", got=str(self.path)
            ) from None
        address = ctypes.cast(function, ctypes.c_void_p).value
        assert address is not None
        return address


_loaded: dict[str, KernelLibrary] = {}


def load(payload: bytes) -> KernelLibrary:
    """Loads what ``Toolchain.build`` returned, in this process or another one on a like machine."""
    digest = hashlib.sha256(payload).hexdigest()
    library = _loaded.get(digest)
    if library is None:
        path = next((p for d in _directories() if read_file(p := d / f"{digest}.so") == payload), None)
        if path is None:
            path = store_directory() / f"{digest}.so"
            try:
                write_file(path, payload)
            except UnwritableStoreError as error:
                path = substitute(error) / path.name
                write_file(path, payload)
        library = _loaded[digest] = KernelLibrary(path)
    return library
