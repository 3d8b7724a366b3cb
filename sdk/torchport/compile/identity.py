"""What identifies the compilers of a session to a cache: this SDK, and every backend with its state."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from torchport.compile.backend import Backend
from torchport.compile.cache import may_return_artifacts
from torchport.compile.capabilities import Capabilities, Target
from torchport.compile.options import Options
from torchport.compile.uncached import NotCached, Uncached
from torchport.contract.opset import OpSet
from torchport.version import __version__


@functools.cache
def sdk_digest() -> str:
    """A digest of the version and of every Python source of torchport, tools and command line apart."""
    digest = hashlib.sha256(__version__.encode())
    root = Path(__file__).resolve().parent.parent
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(("tools/", "cli/")):
            digest.update(f"\0{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def session_identity(
    backends: Sequence[tuple[Backend, Target, Capabilities]], options: Options, opset: OpSet
) -> Iterator[str]:
    """One line for each part of what compiles: the SDK, the contract, the options, each backend in order.

    Raises:
        NotCached: no backend returns artifacts, or one cannot say what tells this instance from others.
    """
    if not any(may_return_artifacts(backend) for backend, _, _ in backends):
        raise NotCached(Uncached.IN_PROCESS, "no backend of this session returns artifacts")
    yield f"torchport {sdk_digest()}"
    yield f"contract {opset.version} {opset.sha256}"
    yield f"options {options.cache_key()}"
    for backend, target, capabilities in backends:
        state = backend.instance_key()
        if state is None:
            raise NotCached(
                Uncached.BACKEND,
                f"backend {backend.name!r} holds what is not plain data; define instance_key()",
            )
        kind = f"{type(backend).__module__}.{type(backend).__qualname__}"
        yield f"backend {backend.name} {backend.version} {kind} {backend.source_hash()}"
        yield f"target {target!r} {capabilities!r} {state}"
