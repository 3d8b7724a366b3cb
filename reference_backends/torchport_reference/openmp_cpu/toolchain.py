"""The system's C++ compiler: found, driven, and its output kept in a user-private, checksummed store.

``Toolchain.find()`` names a compiler and its flags without starting a build. ``Toolchain.build(source)``
returns the bytes of a shared library, from the store when the same source was built before;
``kernel_store.load`` makes them callable. A compiler that is missing, fails, hangs or writes garbage ends in
one :class:`ToolchainError`.

Flags are chosen optimistically. Only when a build fails is the compiler asked which of them it understands;
the answer is stored under the compiler's identity and the processor's features.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import torch
from filelock import FileLock, Timeout

from torchport.errors import ToolchainError
from torchport_reference.openmp_cpu.kernel_store import (
    UnwritableStoreError,
    read_build,
    read_file,
    store_directory,
    substitute,
    write_build,
    write_file,
)

PRELUDE = Path(__file__).parent / "prelude"
CANDIDATES = ("g++", "clang++", "c++")
INSTALL = (
    "install a C++17 compiler (Debian/Ubuntu: apt-get install g++; Fedora/RHEL: dnf install gcc-c++; "
    "conda: conda install -c conda-forge gxx), or point the CXX variable at one"
)
REQUIRED = ("-std=c++17", "-O3", "-fPIC", "-shared", "-w")
# IEEE results are kept: only errno and trap bookkeeping, which PyTorch has no use for, are given up.
SEMANTIC = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
OPTIONAL = ("-fopenmp", "-fvisibility=hidden", "-fno-plt")
TIMEOUT = 300.0
ELF = b"\x7fELF"


class CompilerRefusedError(ToolchainError):
    """The compiler ran and ended with an error: of the source, or of a flag that it does not know."""


@dataclass(frozen=True)
class Toolchain:
    """One compiler with its flags. Immutable; equal toolchains build equal code.

    Args:
        command: the compiler and leading arguments, as in ``("ccache", "g++")``.
        flags: compile flags.
        timeout: seconds that one build may take.
    """

    command: tuple[str, ...]
    flags: tuple[str, ...]
    timeout: float = TIMEOUT

    @classmethod
    def find(cls) -> Toolchain:
        """The compiler that ``CXX`` names, else the first of g++, clang++, c++ on PATH, with its best flags.

        Raises:
            ToolchainError: there is none.
        """
        command = _compiler_command(os.environ.get("CXX", ""))
        flags = _stored_flags(command)
        return cls(command, flags or (*REQUIRED, *SEMANTIC, *_machine_flags(), *OPTIONAL))

    @cached_property
    def identity(self) -> str:
        """Digest of all that built code depends on beside its source; not on where the store is."""
        parts = [
            compiler_identity(self.command),
            *self.flags,
            *(flag for flag in self.link_flags if not flag.startswith(f"-L{store_directory()}")),
            cpu_features(),
            prelude_digest(),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def provenance(self) -> dict[str, str]:
        """What an artifact says of the library in it."""
        return {"compiler": self.identity, "machine": machine_identity()}

    @cached_property
    def link_flags(self) -> tuple[str, ...]:
        """Flags that let kernels use the SLEEF and the OpenMP runtime that PyTorch has already loaded."""
        flags = [f"-I{PRELUDE}"]
        lib = Path(torch.__file__).parent / "lib"
        torch_cpu = lib / "libtorch_cpu.so"
        if torch_cpu.exists():
            if _exports_sleef(torch_cpu):
                flags.append("-DTP_SLEEF=1")
            openmp = sorted(lib.glob("libgomp*.so*"))
            if openmp:
                flags.append(f"-L{_openmp_link_directory(openmp[0])}")
            # No run path is needed: PyTorch has loaded it under this soname. Only users of SLEEF name it.
            flags += [f"-L{lib}", "-Wl,--as-needed", "-l:libtorch_cpu.so"]
        return tuple(flags)

    def key(self, source: str) -> str:
        """Name of the build of ``source`` in the store."""
        return hashlib.sha256(f"{self.identity}\0{source}".encode()).hexdigest()

    def build(self, source: str) -> bytes:
        """The shared library built from C++ ``source``, or found in the store. Safe to call in parallel.

        Raises:
            ToolchainError: the compiler failed, hung, or wrote something that is no shared library.
        """
        key = self.key(source)
        found = read_build(key)
        if found is not None:
            return found
        try:
            return self._build_locked(source, key)
        except UnwritableStoreError as error:
            substitute(error)
            return self._build_locked(source, key)

    def _build_locked(self, source: str, key: str) -> bytes:
        try:
            with FileLock(store_directory() / f"{key}.lock", timeout=self.timeout):
                found = read_build(key)
                return self._build_and_store(source, key) if found is None else found
        except PermissionError as error:
            raise UnwritableStoreError("the kernel cache cannot be written", got=str(error)) from error
        except Timeout:  # another process has held the lock for longer than a build may take
            return self._build_and_store(source, key)

    def _build_and_store(self, source: str, key: str) -> bytes:
        path = store_directory() / f"{key}.cpp"
        write_file(path, source.encode())
        try:
            payload = self.compile(path)
        except CompilerRefusedError:
            weaker = self._understood()
            if weaker.flags == self.flags:
                raise
            payload = weaker.compile(path)
            _store_flags(self.command, weaker.flags)
        write_build(key, payload)
        return payload

    def compile(self, source: Path) -> bytes:
        """Runs the compiler on one file, without looking at the store."""
        with tempfile.TemporaryDirectory(prefix="torchport-build-") as scratch:
            output = Path(scratch) / "kernel.so"
            command = [*self.command, *self.flags, str(source), "-o", str(output), *self.link_flags]
            status, text = _run(command, self.timeout)
            if status != 0:
                raise _failure(
                    f"the C++ compiler failed with exit status {status}", command, text, CompilerRefusedError
                )
            try:
                payload = output.read_bytes()
            except FileNotFoundError:
                raise _failure("the C++ compiler reported success and wrote nothing", command, text) from None
        if not payload.startswith(ELF):
            raise _failure("the C++ compiler wrote a file that is no shared library", command, text)
        return payload

    def _understood(self) -> Toolchain:
        """This toolchain without the optional flags that its compiler refuses on an empty kernel."""
        with tempfile.TemporaryDirectory(prefix="torchport-probe-") as scratch:
            source = Path(scratch) / "probe.cpp"
            source.write_text('#include "tp.h"\nextern "C" float probe(float x) { return tp::exp(x); }\n')
            kept = self
            if kept._accepts(source):
                return kept
            for flag in (*OPTIONAL, *reversed(_machine_flags())):
                kept = replace(kept, flags=tuple(f for f in kept.flags if f != flag))
                if kept._accepts(source):
                    return kept
        return self

    def _accepts(self, source: Path) -> bool:
        try:
            self.compile(source)
        except CompilerRefusedError:
            return False
        return True


# --- what is on this machine -----------------------------------------------------------------------------


def _compiler_command(requested: str) -> tuple[str, ...]:
    if requested:
        command = tuple(shlex.split(requested))
        if shutil.which(command[0]) is None:
            raise ToolchainError(
                "the compiler that CXX names was not found", got=f"CXX={requested}", hint=INSTALL
            )
        return command
    for name in CANDIDATES:
        path = shutil.which(name)
        if path is not None:
            return (path,)
    raise ToolchainError(
        "no C++ compiler was found", got=f"none of {', '.join(CANDIDATES)} on PATH", hint=INSTALL
    )


def compiler_identity(command: Sequence[str]) -> str:
    """Path, size and time of the compiler's executable: changes when the compiler is replaced."""
    path = os.path.realpath(shutil.which(command[0]) or command[0])
    found = os.stat(path)
    return f"{path} {found.st_size} {found.st_mtime_ns} {' '.join(command[1:])}"


@lru_cache(maxsize=1)
def cpu_features() -> str:
    """The machine's architecture and instruction sets, as the operating system lists them."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.machine()
    match = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", text, re.MULTILINE)
    return f"{platform.machine()} {match.group(1) if match else ''}"


@lru_cache(maxsize=1)
def machine_identity() -> str:
    """Digest of what a built library needs where it runs: instruction sets, and the libraries of PyTorch that
    it was linked to.
    """
    lib = Path(torch.__file__).parent / "lib"
    sleef = (lib / "libtorch_cpu.so").exists() and _exports_sleef(lib / "libtorch_cpu.so")
    openmp = sorted(path.name for path in lib.glob("libgomp*.so*"))
    return hashlib.sha256("\0".join([cpu_features(), str(sleef), *openmp]).encode()).hexdigest()


@lru_cache(maxsize=1)
def prelude_digest() -> str:
    """Digest of the headers that generated kernels include."""
    digest = hashlib.sha256()
    for header in sorted(PRELUDE.glob("*.h")):
        digest.update(header.name.encode() + b"\0" + header.read_bytes())
    return digest.hexdigest()


def _machine_flags() -> tuple[str, ...]:
    if platform.machine() in ("x86_64", "AMD64"):
        wide = ("-mprefer-vector-width=512",) if " avx512f " in f"{cpu_features()} " else ()
        return ("-march=native", *wide)
    return ("-mcpu=native",)


@lru_cache(maxsize=1)
def _exports_sleef(torch_cpu: Path) -> bool:
    name = "Sleef_sinf4_u10" if platform.machine() in ("aarch64", "arm64") else "Sleef_sinf8_u10"
    return hasattr(ctypes.CDLL(str(torch_cpu)), name)


def _openmp_link_directory(runtime: Path) -> Path:
    """Where ``-lgomp`` finds the OpenMP runtime PyTorch loaded: two of them would fight for the cores."""
    directory = store_directory() / f"openmp-{hashlib.sha256(str(runtime).encode()).hexdigest()[:12]}"
    link = directory / "libgomp.so"
    if not link.exists():
        directory.mkdir(mode=0o700, exist_ok=True)
        temporary = directory / f".link-{os.getpid()}"
        temporary.symlink_to(runtime)
        os.replace(temporary, link)
    return directory


# --- running the compiler --------------------------------------------------------------------------------


def _run(command: Sequence[str], timeout: float) -> tuple[int, str]:
    """Exit status and combined output; the whole process group is killed at the timeout."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolchainError("the C++ compiler cannot be started", got=str(error), hint=INSTALL) from error
    with process:
        try:
            text, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise _failure(
                f"the C++ compiler did not finish within {timeout:g} s and was stopped", command, ""
            ) from None
    return process.returncode, text


def _failure(
    message: str, command: Sequence[str], text: str, kind: type[ToolchainError] = ToolchainError
) -> ToolchainError:
    lines = [line for line in text.splitlines() if "error" in line.lower()] or text.splitlines()
    shown = "\n    ".join(["command: " + shlex.join(command), *lines[:5]])
    return kind(message, got=shown, hint=f"if the compiler is broken or too old, {INSTALL}")


def _stored_flags(command: Sequence[str]) -> tuple[str, ...] | None:
    raw = read_file(_flags_path(command))
    if raw is None:
        return None
    try:
        flags = json.loads(raw)
    except ValueError:
        return None
    return tuple(flags) if isinstance(flags, list) and all(isinstance(f, str) for f in flags) else None


def _store_flags(command: Sequence[str], flags: Sequence[str]) -> None:
    write_file(_flags_path(command), json.dumps(list(flags)).encode())


def _flags_path(command: Sequence[str]) -> Path:
    machine = hashlib.sha256(f"{compiler_identity(command)}\0{cpu_features()}".encode()).hexdigest()
    return store_directory() / f"flags-{machine[:24]}.json"
