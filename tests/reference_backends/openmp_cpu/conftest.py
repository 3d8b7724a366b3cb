"""Runs functions through the OpenMP backend, region by region, without torch.compile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.compile.capabilities import Target
from torchport.compile.loading import LoadedRegion, bind_symbols, load_region
from torchport.compile.options import Options
from torchport.compile.region import Region
from torchport.contract.fx_import import import_fx
from torchport.contract.symbols import evaluate
from torchport_reference.openmp_cpu import OpenMPBackend

POISON = 77


class Compiled:
    """A function compiled for one set of ranks; ``source`` is its C++."""

    def __init__(self, fn: Callable[..., Any], args: Sequence[torch.Tensor], mode: str) -> None:
        graph = import_fx(make_fx(fn, tracing_mode=mode)(*args)).graph
        self.region = Region("test", graph, "inference", "1.0")
        backend = OpenMPBackend()
        claims = {n.op: backend.claims(n, Target()) for n in graph.nodes}
        assert all(claim.accepted for claim in claims.values()), claims
        artifact = backend.compile(self.region, Target(), Options({}))
        self.loaded: LoadedRegion = load_region(backend, self.region, artifact, Target())

    def __call__(self, *args: torch.Tensor) -> list[torch.Tensor]:
        symbols = dict(
            zip([s.name for s in self.region.symbols], bind_symbols(self.region, args), strict=True)
        )
        outs = []
        for spec in self.region.outputs:
            shape, stride = ([evaluate(d, symbols) for d in dims] for dims in (spec.shape, spec.stride))
            outs.append(torch.empty_strided(shape, stride, dtype=spec.dtype).fill_(POISON))
        self.loaded.run(args, outs)
        return outs


@pytest.fixture
def compiled() -> Callable[..., Compiled]:
    """``compiled(fn, *args, mode="fake")``; ``mode="symbolic"`` leaves the sizes open."""
    return lambda fn, *args, mode="fake": Compiled(fn, args, mode)
