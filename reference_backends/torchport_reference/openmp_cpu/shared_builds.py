"""Many sources in one run of the compiler: reading the headers costs it more than a small kernel does.

Every source gets a prefix of its own before the names that it exports. The store remembers under a source's
key which library it went into; a source is then found whatever it was built together with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from torchport.errors import ToolchainError
from torchport_reference.openmp_cpu.kernel_store import read_build, read_shared_build, write_shared_build
from torchport_reference.openmp_cpu.toolchain import Toolchain

MAX_SOURCES = 48
"""Sources that one run of the compiler takes: beyond it, reading the headers is a small part of its time."""
_EXPORTED = re.compile(r"^KERNEL (\w+)\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SharedBuild:
    """A shared library, and what stands before a source's names in it."""

    payload: bytes
    prefix: str


def build_together(toolchain: Toolchain, sources: Sequence[str]) -> list[SharedBuild | ToolchainError]:
    """Builds sources with as few runs of the compiler as make sense; finds in the store what was built.

    Where the compiler refuses a group, each of its sources is built alone, so that one bad source costs the
    others nothing. An error takes the place of the source that it belongs to.

    Args:
        toolchain: the compiler.
        sources: C++ texts whose exported functions are declared ``KERNEL name(``.
    """
    found: dict[str, SharedBuild | ToolchainError] = {}
    missing: dict[str, str] = {}
    for source in sources:
        key = toolchain.key(source)
        payload = read_build(key)
        known = SharedBuild(payload, "") if payload is not None else _stored(key)
        if known is None:
            missing[key] = source
        else:
            found[key] = known
    keys = list(missing)
    for start in range(0, len(keys), MAX_SOURCES):
        group = {key: missing[key] for key in keys[start : start + MAX_SOURCES]}
        found |= _group(toolchain, group)
    return [found[toolchain.key(source)] for source in sources]


def _stored(key: str) -> SharedBuild | None:
    stored = read_shared_build(key)
    return None if stored is None else SharedBuild(stored, _prefix(key))


def _prefix(key: str) -> str:
    return f"s{key[:16]}_"


def _group(toolchain: Toolchain, group: dict[str, str]) -> dict[str, SharedBuild | ToolchainError]:
    if len(group) > 1:
        try:
            payload = toolchain.build("\n".join(_prefixed(source, _prefix(k)) for k, source in group.items()))
        except ToolchainError:
            return {key: alone for k, s in group.items() for key, alone in _group(toolchain, {k: s}).items()}
        for key in group:
            write_shared_build(key, payload)
        return {key: SharedBuild(payload, _prefix(key)) for key in group}
    [(key, source)] = group.items()
    try:
        return {key: SharedBuild(toolchain.build(source), "")}
    except ToolchainError as error:
        return {key: error}


def _prefixed(source: str, prefix: str) -> str:
    names = _EXPORTED.findall(source)
    defined = [f"#define {name} {prefix}{name}" for name in names]
    return "\n".join([*defined, source, *(f"#undef {name}" for name in names)])
