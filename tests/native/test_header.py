"""torchport/kernel.h on its own: it compiles everywhere, is laid out like DLPack, and exports one symbol."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import torch

from torchport import _native
from torchport.compile.c_kernels import include_dir

STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only"]


@pytest.mark.parametrize(
    ("compiler", "standard", "suffix"),
    [
        ("gcc", "c99", ".c"),
        ("gcc", "c11", ".c"),
        ("g++", "c++11", ".cpp"),
        ("g++", "c++17", ".cpp"),
        ("g++", "c++20", ".cpp"),
    ],
)
def test_compiles_without_warnings(tmp_path: Path, compiler: str, standard: str, suffix: str) -> None:
    source = tmp_path / f"only{suffix}"
    source.write_text('#include "torchport/kernel.h"\n#include "torchport/kernel.h"\nint only_this;\n')
    subprocess.run([compiler, f"-std={standard}", *STRICT, f"-I{include_dir()}", str(source)], check=True)


LAYOUT = """
#include {include}
#include "torchport/kernel.h"
#include <stdio.h>
#define FIELD(f) printf("%zu:%zu ", offsetof(DLTensor, f), sizeof(((DLTensor*)0)->f))
int main() {{
  FIELD(data); FIELD(device); FIELD(ndim); FIELD(dtype); FIELD(shape); FIELD(strides); FIELD(byte_offset);
  printf("%zu %zu %zu", sizeof(DLTensor), sizeof(DLDevice), sizeof(DLDataType));
  return 0;
}}
"""


def test_laid_out_like_dlpack(tmp_path: Path) -> None:
    printed = []
    torch_include = Path(torch.__file__).parent / "include"
    for name, include in (("own", "<stddef.h>"), ("torchs", "<ATen/dlpack.h>")):
        source = tmp_path / f"{name}.cpp"
        source.write_text(LAYOUT.format(include=include))
        program = tmp_path / name
        subprocess.run(
            [
                "g++",
                "-std=c++17",
                f"-I{include_dir()}",
                f"-I{torch_include}",
                str(source),
                "-o",
                str(program),
            ],
            check=True,
        )
        printed.append(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout)
    assert printed[0] == printed[1]
    assert printed[0].startswith("0:8 ")


def test_library_exports_one_symbol(kernels_path: Path) -> None:
    assert shutil.which("nm"), "binutils come with the compiler"
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", str(kernels_path)], check=True, capture_output=True, text=True
    ).stdout
    assert [line.split()[-1] for line in listing.splitlines()] == ["tp_library_get"]


def test_extension_serves_the_version_of_the_header() -> None:
    text = (include_dir() / "torchport" / "kernel.h").read_text()
    major, minor = _native.ABI_VERSION
    assert f"#define TP_ABI_MAJOR {major}\n#define TP_ABI_MINOR {minor}\n" in text
