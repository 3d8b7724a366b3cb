"""The C++ toolchain: what it builds, keeps, and says when a compiler misbehaves."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from torchport.errors import ToolchainError
from torchport_reference.openmp_cpu import kernel_store
from torchport_reference.openmp_cpu.kernel_store import load
from torchport_reference.openmp_cpu.toolchain import Toolchain

SOURCE = 'extern "C" __attribute__((visibility("default"))) int answer() { return 42; }\n'
Compiler = Callable[[str], Toolchain]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "cache"
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(root))
    return root / "kernels"


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    """Makes a shell script the compiler; ``$real`` in it is the real one, ``$out`` the output file."""
    real = Toolchain.find().command[0]

    def make(script: str) -> Toolchain:
        path = tmp_path / "compiler"
        find_output = 'out=""; last=""; for a in "$@"; do [ "$last" = "-o" ] && out="$a"; last="$a"; done\n'
        path.write_text(f"#!/bin/sh\nreal={real}\n{find_output}{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("CXX", str(path))
        return Toolchain.find()

    return make


def call(payload: bytes) -> int:
    return int(ctypes.CFUNCTYPE(ctypes.c_int)(load(payload).address("answer"))())


def test_builds_and_calls() -> None:
    assert call(Toolchain.find().build(SOURCE)) == 42


def test_a_second_build_runs_no_compiler(compiler: Compiler, tmp_path: Path) -> None:
    toolchain = compiler(f'echo x >> {tmp_path}/runs; exec $real "$@"')
    first, second = toolchain.build(SOURCE), toolchain.build(SOURCE)
    assert first == second
    assert (tmp_path / "runs").read_text() == "x\n"


def test_the_key_changes_with_source_flags_and_compiler(compiler: Compiler) -> None:
    toolchain = Toolchain.find()
    keys = {
        toolchain.key(SOURCE),
        toolchain.key(SOURCE + " "),
        replace(toolchain, flags=("-O1",)).key(SOURCE),
    }
    keys.add(compiler('exec $real "$@"').key(SOURCE))
    assert len(keys) == 4


@pytest.mark.parametrize("damage", [b"", b"\x7fELF and then nothing", None])
def test_a_damaged_library_is_built_again(cache: Path, damage: bytes | None) -> None:
    toolchain = Toolchain.find()
    payload = toolchain.build(SOURCE)
    [library] = cache.glob("*.so")
    if damage is None:
        library.unlink()
    else:
        library.write_bytes(damage)
    assert toolchain.build(SOURCE) == payload
    assert library.read_bytes() == payload


def test_a_foreign_record_is_not_followed(cache: Path, tmp_path: Path) -> None:
    toolchain = Toolchain.find()
    payload = toolchain.build(SOURCE)
    (tmp_path / "evil.so").write_bytes(b"evil")
    [record] = cache.glob("*.built")
    record.write_text("../../evil")
    assert toolchain.build(SOURCE) == payload


def test_parallel_builds_run_one_compiler(compiler: Compiler, tmp_path: Path) -> None:
    toolchain = compiler(f'echo x >> {tmp_path}/runs; sleep 0.3; exec $real "$@"')
    with ThreadPoolExecutor(4) as pool:
        results = set(pool.map(toolchain.build, [SOURCE] * 4))
    assert len(results) == 1
    assert (tmp_path / "runs").read_text() == "x\n"


def test_the_store_holds_no_partial_files(cache: Path) -> None:
    Toolchain.find().build(SOURCE)
    assert not list(cache.glob(".writing-*"))
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_a_store_that_others_can_write_is_refused(cache: Path) -> None:
    Toolchain.find().build(SOURCE)
    cache.chmod(0o777)
    with pytest.raises(ToolchainError, match="written by other users"):
        Toolchain.find().build(SOURCE)


@pytest.fixture
def no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_store, "_substitutes", {})
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path / "file"))


@pytest.mark.usefixtures("no_store")
def test_without_a_store_kernels_are_built_in_a_temporary_folder() -> None:
    with pytest.warns(RuntimeWarning, match="cannot be written.*TORCHPORT_CACHE_DIR") as caught:
        assert call(Toolchain.find().build(SOURCE)) == 42
    assert len(caught) == 1
    directory = kernel_store.store_directory()
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert list(directory.glob("*.built"))


@pytest.mark.usefixtures("no_store")
def test_an_unwritable_store_is_a_clear_error_where_nothing_else_can_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(**_: str) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(kernel_store.tempfile, "mkdtemp", full)
    with pytest.raises(ToolchainError, match="cannot be written") as error:
        Toolchain.find().build(SOURCE)
    assert "TORCHPORT_CACHE_DIR" in error.value.hint


def test_a_store_that_becomes_full_keeps_what_it_has(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_store, "_substitutes", {})
    first = SOURCE.replace("42", "44")  # of this test alone: libraries stay loaded
    kept, replace_file = Toolchain.find().build(first), os.replace

    def replaced(source: str, target: Path) -> None:
        if Path(target).parent == cache:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace_file(source, target)

    monkeypatch.setattr(kernel_store.os, "replace", replaced)
    other = SOURCE.replace("42", "43")
    with pytest.warns(RuntimeWarning, match="No space left"):
        assert call(Toolchain.find().build(other)) == 43
    assert kernel_store.load(kept).path.parent == cache
    assert Toolchain.find().build(first) == kept


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ToolchainError, match=r"no C\+\+ compiler was found") as caught:
        Toolchain.find()
    assert "apt-get install g++" in caught.value.hint


def test_a_compiler_that_cxx_names_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -v")
    with pytest.raises(ToolchainError, match="CXX") as caught:
        Toolchain.find()
    assert caught.value.got == "CXX=no-such-compiler -v"


def test_an_error_shows_the_compilers_words_and_the_command() -> None:
    with pytest.raises(ToolchainError, match="exit status 1") as caught:
        Toolchain.find().build('extern "C" int f() { return undeclared_name; }')
    assert caught.value.got is not None
    assert "undeclared_name" in caught.value.got
    assert ".cpp" in caught.value.got.splitlines()[0]
    assert len(caught.value.got.splitlines()) <= 6


def test_a_source_named_by_an_error_is_kept(cache: Path) -> None:
    broken = 'extern "C" int f() { return undeclared_name; }'
    with pytest.raises(ToolchainError):
        Toolchain.find().build(broken)
    assert [p.read_text() for p in cache.glob("*.cpp")] == [broken]
    assert not list(cache.glob("*.built"))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 0", "wrote nothing"),
        ('echo garbage > "$out"', "no shared library"),
        ('head -c 4 "$0" > /dev/null; printf "\\177EL" > "$out"', "no shared library"),
        ("echo boom: error: out of luck; exit 3", "exit status 3"),
        ("kill -SEGV $$", "exit status -11"),
    ],
)
def test_hostile_compilers(compiler: Compiler, script: str, message: str) -> None:
    with pytest.raises(ToolchainError, match=message):
        compiler(script).build(SOURCE)


def test_a_hanging_compiler_is_stopped_with_its_children(compiler: Compiler, tmp_path: Path) -> None:
    toolchain = replace(compiler(f"sleep 600 & echo $! > {tmp_path}/child; wait"), timeout=0.5)
    with pytest.raises(ToolchainError, match=r"did not finish within 0\.5 s"):
        toolchain.build(SOURCE)
    child = Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/stat")
    for _ in range(50):
        if not child.exists() or child.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the compiler's child is still running")


def test_a_compiler_that_lacks_a_flag_is_given_fewer(compiler: Compiler) -> None:
    refuse = (
        'for a in "$@"; do [ "$a" = "-march=native" ] && { echo "error: unknown -march"; exit 1; }; done; '
    )
    toolchain = compiler(refuse + 'exec $real "$@"')
    assert "-march=native" in toolchain.flags
    assert call(toolchain.build(SOURCE)) == 42
    assert "-march=native" not in Toolchain.find().flags  # remembered
    assert "-ffp-contract=off" in Toolchain.find().flags


def test_a_payload_loads_in_another_process(tmp_path: Path) -> None:
    declaration = 'extern "C" __attribute__((visibility("default"))) float f(float x)'
    payload = Toolchain.find().build(f'#include "tp.h"\n{declaration} {{ return tp::sin(x); }}\n')
    (tmp_path / "payload").write_bytes(payload)
    code = (
        "import ctypes, sys, pathlib\n"
        "from torchport_reference.openmp_cpu.kernel_store import load\n"
        "f = load(pathlib.Path(sys.argv[1]).read_bytes()).address('f')\n"
        "sys.stdout.write(str(ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_float)(f)(0.5)))\n"
    )
    environment = {**os.environ, "TORCHPORT_CACHE_DIR": str(tmp_path / "elsewhere")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "payload")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) == pytest.approx(0.479425538604203, rel=1e-7)


def test_a_missing_symbol_is_named() -> None:
    library = load(Toolchain.find().build(SOURCE))
    with pytest.raises(ToolchainError, match="'question'"):
        library.address("question")


def test_an_unloadable_library_is_a_clear_error() -> None:
    with pytest.raises(ToolchainError, match="cannot be loaded"):
        load(b"\x7fELF but not really")


def test_kernels_share_pytorchs_openmp_runtime() -> None:
    source = SOURCE + '#include <omp.h>\nextern "C" __attribute__((visibility("default"))) int threads() '
    library = load(Toolchain.find().build(source + "{ return omp_get_max_threads(); }\n"))
    assert ctypes.CFUNCTYPE(ctypes.c_int)(library.address("threads"))() > 0
    mapped = {
        line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libgomp" in line
    }
    assert len(mapped) == 1, mapped


def test_a_library_is_loaded_once() -> None:
    payload = Toolchain.find().build(SOURCE)
    assert load(payload) is load(payload)
    assert kernel_store.store_directory().is_dir()
