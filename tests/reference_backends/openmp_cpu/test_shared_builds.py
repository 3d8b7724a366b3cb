"""Many regions in one run of the compiler: the same results, and one bad region costs the others nothing."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.compile.artifact import Artifact
from torchport.compile.backend import Backend, compiles_many
from torchport.compile.capabilities import Target
from torchport.compile.loading import load_region
from torchport.compile.options import Options
from torchport.compile.region import Region
from torchport.contract.fx_import import import_fx
from torchport.errors import ToolchainError
from torchport_reference.openmp_cpu import OpenMPBackend
from torchport_reference.openmp_cpu.kernel_store import load
from torchport_reference.openmp_cpu.shared_builds import SharedBuild, build_together
from torchport_reference.openmp_cpu.toolchain import Toolchain


def answer(value: str) -> str:
    return f'#include "tp.h"\n#include "loops.h"\nKERNEL kernel_0(int64_t* out) {{ *out = {value}; }}\n'


def call(built: SharedBuild | ToolchainError) -> int:
    assert isinstance(built, SharedBuild)
    out = ctypes.c_int64()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(load(built.payload).address(f"{built.prefix}kernel_0"))(
        ctypes.addressof(out)
    )
    return out.value


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Says how often the compiler has run since it was last asked; the store is empty at first."""
    runs = tmp_path / "runs"
    script = tmp_path / "compiler"
    script.write_text(f'#!/bin/sh\necho x >> {runs}\nexec {Toolchain.find().command[0]} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path / "cache"))

    def count() -> int:
        found = runs.read_text().count("x") if runs.exists() else 0
        runs.write_text("")
        return found

    return count


def test_one_run_of_the_compiler_serves_many_sources(compiler: Callable[[], int]) -> None:
    toolchain = Toolchain.find()
    sources = [answer("1"), answer("2"), answer("1")]
    assert [call(b) for b in build_together(toolchain, sources)] == [1, 2, 1]
    assert compiler() == 1
    # What was built is found in any other company.
    assert [call(b) for b in build_together(toolchain, [answer("2"), answer("3")])] == [2, 3]
    assert compiler() == 1
    assert [call(b) for b in build_together(toolchain, [answer("3"), answer("1"), answer("2")])] == [3, 1, 2]
    assert compiler() == 0
    # A library of its own does not carry the others along.
    alone = SharedBuild(toolchain.build(answer("2")), "")
    assert call(alone) == 2
    assert compiler() == 1


def test_a_source_that_the_compiler_refuses_fails_alone() -> None:
    good, bad, last = build_together(Toolchain.find(), [answer("4"), answer("undeclared"), answer("5")])
    assert (call(good), call(last)) == (4, 5)
    assert isinstance(bad, ToolchainError)
    assert "undeclared" in str(bad.got)


def region(fn: Callable[..., Any], *args: torch.Tensor) -> Region:
    return Region("test", import_fx(make_fx(fn, tracing_mode="fake")(*args)).graph, "inference", "1.0")


def test_regions_compiled_together_run_as_when_compiled_alone() -> None:
    backend, x = OpenMPBackend(), torch.linspace(-2, 2, 24).view(4, 6)
    regions = [
        region(lambda x: (torch.softmax(x, 1),), x),
        region(lambda x: (x.to(torch.complex64),), x),
        region(lambda x: (x.t() @ x,), x),  # a library call: nothing to build
        region(lambda x: (x.sum(0), x * 2), x),
    ]
    found = backend.compile_many(regions, Target(), Options({}))
    assert isinstance(found[1], Exception)
    del regions[1], found[1]
    for one, artifact in zip(regions, found, strict=True):
        assert isinstance(artifact, Artifact)
        results = []
        for compiled in (artifact, backend.compile(one, Target(), Options({}))):
            outs = [torch.empty_strided(s.shape, s.stride, dtype=s.dtype) for s in one.outputs]
            load_region(backend, one, compiled, Target()).run([x], outs)
            results.append(outs)
        assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


def test_a_backend_without_a_way_of_its_own_compiles_one_after_the_other() -> None:
    class Plain(OpenMPBackend):
        compile_many = Backend.compile_many

    x = torch.ones(3)
    good, bad = Plain().compile_many(
        [region(lambda x: (-x,), x), region(lambda x: (x.to(torch.complex64),), x)], Target(), Options({})
    )
    assert isinstance(good, Artifact)
    assert isinstance(bad, Exception)
    assert compiles_many(OpenMPBackend())
    assert not compiles_many(Plain())
