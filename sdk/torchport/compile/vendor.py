"""Calling a backend's ``compile``, through the cache of compiled regions."""

from __future__ import annotations

from collections import Counter

from torchport.compile.artifact import Artifact, InProcess, Refusal
from torchport.compile.backend import Backend
from torchport.compile.cache import ArtifactCache, region_key
from torchport.compile.capabilities import Target
from torchport.compile.loading import check_aliases
from torchport.compile.options import Options
from torchport.compile.region import Region
from torchport.contract.opset import OpSet
from torchport.errors import CompileError, TorchportError


def compile_region(
    backend: Backend,
    target: Target,
    options: Options,
    opset: OpSet,
    region: Region,
    *,
    failures: Counter[str] | None = None,
) -> tuple[Artifact | InProcess, bool] | Refusal:
    """The code of a region and whether it came from the cache, or the backend's refusal. What goes wrong with
    the cache is counted in ``failures``.

    Raises:
        CompileError: ``compile`` raised, or returned something else.
    """
    cache = ArtifactCache.default(failures) if options["cache"] else None
    key = region_key(backend, region, target, options, opset.sha256) if cache else None
    found = cache.get(key) if cache and key else None
    if found is not None:
        return found, True
    compiled = _call(backend, region, target, options)
    if isinstance(compiled, Refusal):
        return compiled
    if cache and key and isinstance(compiled, Artifact):
        cache.put(key, compiled)
    return compiled, False


def _call(
    backend: Backend, region: Region, target: Target, options: Options
) -> Artifact | InProcess | Refusal:
    try:
        compiled = backend.compile(region, target, options)
    except TorchportError:
        raise
    except Exception as error:
        raise CompileError(
            f"compile() of backend {backend.name!r} raised {type(error).__name__}: {error}",
            got=f"region {region.name!r}: {', '.join(sorted({n.op for n in region.nodes}))}",
            hint="return tp.Refusal(nodes, reason, text) for what cannot be compiled",
        ) from error
    if not isinstance(compiled, Artifact | InProcess | Refusal):
        raise CompileError(
            f"compile() of backend {backend.name!r} must return Artifact, InProcess or Refusal",
            got=type(compiled).__name__,
        )
    if not isinstance(compiled, Refusal):
        check_aliases(backend.name, region, compiled)
    return compiled
