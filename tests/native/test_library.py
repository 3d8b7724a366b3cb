"""Loading: what is accepted, and the three distinct ways in which a file is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from torchport import _native

from .conftest import Compile


def test_describes_itself(kernels: _native.KernelLibrary, kernels_path: Path) -> None:
    assert (kernels.name, kernels.version, kernels.abi) == ("testkernels", "1.2.3", _native.ABI_VERSION)
    assert kernels.path == str(kernels_path)
    assert kernels.kernel_names[:2] == ("add", "copy")
    assert (kernels.kernel("add").name, kernels.kernel("add").library) == ("add", "testkernels")


def test_kernel_is_one_object(kernels: _native.KernelLibrary) -> None:
    assert kernels.kernel("add") is kernels.kernel("add")


def test_kernel_keeps_its_library(kernels_path: Path) -> None:
    kernel = _native.KernelLibrary(str(kernels_path)).kernel("live")
    out = torch.full((), -1)
    kernel.run((), (out,))
    assert out.item() >= 0


def test_unknown_kernel_lists_the_known(kernels: _native.KernelLibrary) -> None:
    for _ in range(2):
        with pytest.raises(
            _native.UnknownKernel, match=r"testkernels 1\.2\.3 .*has no kernel 'mul'"
        ) as caught:
            kernels.kernel("mul")
    assert caught.value.hint.startswith("it has: add, copy, ")


def test_missing_file() -> None:
    with pytest.raises(_native.LibraryNotLoadable, match=r"/no/such/file\.so: cannot open.*ldd"):
        _native.KernelLibrary("/no/such/file.so")


def test_not_a_library(tmp_path: Path) -> None:
    path = tmp_path / "text.so"
    path.write_text("not an ELF file")
    with pytest.raises(_native.LibraryNotLoadable, match="text.so"):
        _native.KernelLibrary(str(path))


def test_bare_name_is_a_file_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernels_path: Path
) -> None:
    """The loader would find libm.so.6 in the system's folders."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(_native.LibraryNotLoadable):
        _native.KernelLibrary("libm.so.6")
    (tmp_path / "here.so").symlink_to(kernels_path)
    assert _native.KernelLibrary("here.so").name == "testkernels"


def test_undefined_symbols_are_found_at_load(compile_library: Compile) -> None:
    path = compile_library(
        "variants.c", "-DFIRST_RUN=undefined_run", "-includeundefined.h", f"-I{Path(__file__).parent}"
    )
    with pytest.raises(_native.LibraryNotLoadable, match="undefined_run"):
        _native.KernelLibrary(str(path))


def test_missing_symbol(compile_library: Compile) -> None:
    path = compile_library("generated.c", "-Wno-missing-prototypes")
    with pytest.raises(_native.AbiMismatch, match="exports no symbol tp_library_get"):
        _native.KernelLibrary(str(path))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["-DMAJOR=2", "-DMINOR=5"],
            r"built for kernel ABI 2\.5, this torchport serves 1\.x; update torchport",
        ),
        (["-DMAJOR=0"], r"built for kernel ABI 0\.0, .*; rebuild the library"),
        (["-DMAJOR=2", "-DLIBRARY_SIZE=12"], r"kernel ABI 2"),
        (["-DLIBRARY_SIZE=20"], r"tp_library\.struct_size is 20, at least 48"),
        (["-DKERNEL_SIZE=20"], r"kernels\[0\]\.struct_size is 20, at least 48"),
        (["-DRESULT=NULL"], r"tp_library_get\(\) returned NULL"),
        (["-DLIBRARY_NAME=NULL"], "name or version is NULL"),
        (["-DKERNELS=NULL"], "kernel_count is 2 and kernels is NULL"),
        (["-DKERNELS=kernels_with_hole"], r"kernels\[1\] is NULL"),
        (["-DFIRST_NAME=NULL"], r"kernels\[0\] has no name"),
        (['-DFIRST_NAME=""'], r"kernels\[0\] has no name"),
        (['-DFIRST_NAME="second"'], "kernel 'second' occurs twice"),
        (["-DFIRST_RUN=NULL"], "kernel 'first' has no run function"),
    ],
)
def test_refused_description(compile_library: Compile, options: list[str], complaint: str) -> None:
    path = compile_library("variants.c", *options)
    with pytest.raises(_native.AbiMismatch, match=complaint) as caught:
        _native.KernelLibrary(str(path))
    assert str(path) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("minor", [0, 9])
def test_appended_fields_are_accepted(compile_library: Compile, minor: int) -> None:
    library = _native.KernelLibrary(str(compile_library("variants.c", f"-DMINOR={minor}")))
    assert library.abi == (1, minor)
    for name in library.kernel_names:
        out = torch.zeros((), dtype=torch.int64)
        library.kernel(name).run((), (out,))
        assert out.item() == 7


def test_cache_limit_must_hold_one(kernels_path: Path) -> None:
    with pytest.raises(ValueError, match="cache_limit"):
        _native.KernelLibrary(str(kernels_path), cache_limit=0)
