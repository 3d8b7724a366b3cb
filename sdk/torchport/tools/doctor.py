"""What this installation has, and what is wrong with it: ``torchport doctor``."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement

from torchport.tools.templates import discover

State = Literal["ok", "missing", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``missing`` limits what can be done; ``broken`` needs repair."""

    what: str
    state: State
    found: str
    hint: str = ""

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return asdict(self)


def examine() -> tuple[Finding, ...]:
    """Looks at versions, the native extension, build tools, plugins and the cache directory."""
    return (*_versions(), _native(), *_build_tools(), *_plugins(), *_templates(), _cache())


def _versions() -> Iterator[Finding]:
    yield Finding("python", "ok", f"{platform.python_version()} ({sys.executable})")
    yield Finding("platform", "ok", platform.platform())
    yield Finding("torchport", "ok", metadata.version("torchport"))
    required = [Requirement(text) for text in metadata.requires("torchport") or ()]
    for requirement in required:
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            found = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            yield Finding(requirement.name, "broken", "not installed", f"pip install '{requirement}'")
            continue
        fits = requirement.specifier.contains(found, prereleases=True)
        hint = "" if fits else f"torchport needs {requirement}"
        yield Finding(requirement.name, "ok" if fits else "broken", found, hint)


def _native() -> Finding:
    what = "native extension"
    try:
        from torchport import _native
    except ImportError as error:
        return Finding(
            what, "broken", str(error), "reinstall torchport; its C++ extension was not built for this Python"
        )
    return Finding(what, "ok", str(_native.__file__))


def _build_tools() -> Iterator[Finding]:
    compiler = os.environ.get("CXX") or next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), "c++")
    yield _tool("C++ compiler", compiler, "install a C++17 compiler, or name one in CXX")
    yield _tool("cmake", "cmake", "pip install cmake")
    yield _tool("ninja", "ninja", "pip install ninja")


def _tool(what: str, command: str, hint: str) -> Finding:
    path = shutil.which(command)
    if path is None:
        return Finding(what, "missing", f"{command} is not on PATH", hint)
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(what, "broken", f"{path}: {error}", hint)
    return Finding(what, "ok", f"{answer.stdout.partition(chr(10))[0].strip()} ({path})")


def _plugins() -> Iterator[Finding]:
    from torchport.compile.registry import backends

    for info in backends():
        what = f"backend {info.name}"
        if info.error is None:
            yield Finding(what, "ok", f"{info.target} from {info.distribution}")
        else:
            yield Finding(what, "broken", str(info.error), "repair or uninstall its package")


def _templates() -> Iterator[Finding]:
    found = discover()
    for template in found.templates:
        what = f"template {template.level}, {template.kernels}"
        yield Finding(what, "ok", str(template.folders[0]))
    for problem in found.problems:
        yield Finding("templates", "broken", problem, "repair or uninstall its package")


def _cache() -> Finding:
    from torchport.compile.store import cache_directory

    directory = cache_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory) as probe:
            probe.write(b"torchport")
    except OSError as error:
        return Finding(
            "cache directory",
            "broken",
            f"{directory}: {error}",
            "set TORCHPORT_CACHE_DIR to a directory you own",
        )
    return Finding("cache directory", "ok", f"{directory}, {_size(directory) / 2**20:.1f} MiB")


def _size(directory: Path) -> int:
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())
