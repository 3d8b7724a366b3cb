"""The cache directory, entry by entry: ``torchport doctor --cache``. Nothing is changed or removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import torch

from torchport.compile.store import SECRET_BYTES, Store, cache_limit, files_of, opened
from torchport.tools.environment import settings
from torchport.tools.finding import Finding

UNSIGNED = ("kernels",)
"""Folders of the cache that backends keep by rules of their own."""


def examine_cache() -> tuple[Finding, ...]:
    """Looks at the directory, the signing key, every entry, the size, and PyTorch settings that matter."""
    store = Store.default()
    return (*_directory(store), *_entries(store), *_pytorch())


def _directory(store: Store) -> Iterator[Finding]:
    what, problem = "cache directory", store.problem()
    if problem:
        hint = "chmod 700 it, or set TORCHPORT_CACHE_DIR to a directory of your own"
        yield Finding(what, "broken", f"{store.root}: {problem}", hint)
    elif not store.root.exists():
        yield Finding(what, "ok", f"{store.root}, made when something is compiled")
        return
    else:
        yield Finding(what, "ok", str(store.root))
    key = store.root / "key"
    if not key.exists():
        yield Finding("signing key", "missing", str(key), "it is made with the first entry")
    elif store.secret() is None:
        size, mode = key.stat().st_size, key.stat().st_mode & 0o777
        found = f"{key}: {size} bytes of {SECRET_BYTES}, mode {mode:04o}"
        yield Finding("signing key", "broken", found, "remove it; entries are compiled again")
    else:
        yield Finding("signing key", "ok", str(key))


def _entries(store: Store) -> Iterator[Finding]:
    secret = store.secret()
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    wrong: dict[str, list[Path]] = {"damaged": [], "foreign": [], "unreadable": []}
    remains = []
    for path, size, _ in files_of(store.root):
        place = path.relative_to(store.root).parts
        kind = place[0] if len(place) > 1 else ""
        sizes["all"] += size
        if path.name.startswith(".writing-"):
            remains.append(path)
        elif kind:
            counts[kind] += 1
            sizes[kind] += size
            if kind not in UNSIGNED and (state := _state(path, kind, secret)):
                wrong[state].append(path)
    for kind in sorted(counts):
        yield Finding(kind, "ok", f"{counts[kind]} files, {sizes[kind]} bytes")
    for state, paths in wrong.items():
        if paths:
            found = f"{len(paths)}, such as {paths[0]}"
            yield Finding(f"{state} entries", "broken", found, "they are not used; remove them")
    if remains:
        found = f"{len(remains)} files of writers that were killed or are at work"
        yield Finding("half-written", "ok", found, "removed after an hour, when something is written")
    limit = cache_limit()
    full = f"{sizes['all']} bytes of at most {limit}"
    yield Finding("cache size", "ok", full, "set TORCHPORT_CACHE_LIMIT_MB to change the limit")


def _state(path: Path, kind: str, secret: bytes | None) -> str:
    """What is wrong with an entry's file; empty when nothing is."""
    try:
        body = opened(path.read_bytes(), kind, path.name, secret)
    except FileNotFoundError:
        return ""
    except OSError:
        return "unreadable"
    return body if isinstance(body, str) else ""


def _pytorch() -> Iterator[Finding]:
    from torchport.capture.aot_cache import unavailable

    lacking = unavailable()
    found = f"not with PyTorch {torch.__version__}: {lacking}" if lacking else "with this PyTorch"
    yield Finding("graphs are cached", "missing" if lacking else "ok", found)
    yield from (finding for finding in settings() if "caching_precompile" in finding.what)
