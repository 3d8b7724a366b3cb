from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from torchport._native import KernelLibrary
from torchport.compile.c_kernels import CKernelLibrary, include_dir

HERE = Path(__file__).parent
BUILD = ["-shared", "-fPIC", "-fvisibility=hidden", "-O1", "-pedantic", "-Wall", "-Wextra", "-Werror"]

Compile = Callable[..., Path]


@pytest.fixture(scope="session")
def compile_library(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles a source of this folder into a shared library of its own."""

    def compile_(source: str, *options: str) -> Path:
        folder = tmp_path_factory.mktemp("library")
        target = folder / f"{Path(source).stem}.so"
        cxx = source.endswith(".cpp")
        compiler = shlex.split(os.environ.get("CXX", "g++") if cxx else os.environ.get("CC", "gcc"))
        standard = "-std=c++17" if cxx else "-std=c99"
        include = f"-I{include_dir()}"
        subprocess.run(
            [*compiler, standard, *BUILD, *options, include, str(HERE / source), "-o", str(target)],
            check=True,
        )
        return target

    return compile_


@pytest.fixture(scope="session")
def kernels_path(compile_library: Compile) -> Path:
    return compile_library("kernels.c")


@pytest.fixture
def kernels(kernels_path: Path) -> KernelLibrary:
    return KernelLibrary(str(kernels_path))


@pytest.fixture
def c_kernels(kernels_path: Path) -> CKernelLibrary:
    return CKernelLibrary(kernels_path)
