"""What this installation has, and what is wrong with it: ``torchport doctor``."""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import entry_points
from pathlib import Path

from packaging.requirements import Requirement

from torchport.errors import ContractError
from torchport.tools.environment import devices, settings, toolchains, variables
from torchport.tools.finding import Finding
from torchport.tools.templates import discover


def examine() -> tuple[Finding, ...]:
    """Looks at versions, the native extension, toolchains, devices, plugins, the cache directory and what
    in the environment changes torchport's behaviour.
    """
    return (
        *_versions(),
        _native(),
        *toolchains(),
        *devices(),
        *_plugins(),
        *_templates(),
        _cache(),
        *variables(),
        *settings(),
    )


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
    abi = ".".join(map(str, _native.ABI_VERSION))
    return Finding(what, "ok", f"kernel ABI {abi}, {_native.__file__}")


def _plugins() -> Iterator[Finding]:
    from torchport.compile.registry import backends
    from torchport.contract.opset import opset

    known = {entry.name for entry in entry_points(group="torch_dynamo_backends")}
    for info in backends():
        what, found = f"backend {info.name}", f"{info.target} from {info.distribution}"
        if info.error is not None or info.backend is None:
            yield Finding(what, "broken", str(info.error), "repair or uninstall its package")
            continue
        try:
            contract = opset(info.backend.opset)
        except ContractError as error:
            yield Finding(what, "broken", str(error), "install the torchport that it was written for")
            continue
        if info.name in known:
            yield Finding(what, "ok", f"{found}, contract {contract.version}")
        else:
            yield Finding(
                what,
                "warning",
                f"{found}, contract {contract.version}; torch.compile does not know it by name",
                "add an entry point of the same name to the group torch_dynamo_backends",
            )


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
