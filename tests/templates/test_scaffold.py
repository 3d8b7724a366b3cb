"""Rendering: complete, valid, atomic, and never over something that exists."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from torchport.errors import ScaffoldError
from torchport.tools import scaffold
from torchport.tools.scaffold import new
from torchport.tools.templates import Discovery, Template, discover

TEMPLATES = [(t.level, t.kernels) for t in discover().templates]
LARGEST_PACKAGE = 250  # lines outside tests and CMake: a vendor reads it all


def tree(directory: Path) -> dict[str, bytes]:
    return {p.relative_to(directory).as_posix(): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def test_both_kernel_languages_have_a_template() -> None:
    assert {("dynamo", "python"), ("dynamo", "cpp")} <= set(TEMPLATES)


@pytest.mark.parametrize(("level", "kernels"), TEMPLATES)
class TestEveryTemplate:
    def test_reports_exactly_what_it_wrote(self, level: str, kernels: str, tmp_path: Path) -> None:
        written = new("my_accel", level=level, kernels=kernels, directory=tmp_path)
        assert written.directory == tmp_path / "my_accel"
        assert sorted(tree(written.directory)) == list(written.files)
        assert [p.name for p in tmp_path.iterdir()] == ["my_accel"]

    def test_nothing_is_left_unrendered(self, level: str, kernels: str, tmp_path: Path) -> None:
        written = new("my_accel", level=level, kernels=kernels, directory=tmp_path)
        for path, data in tree(written.directory).items():
            assert "__name__" not in path and not path.endswith((".jinja", "template.toml"))
            text = data.decode()
            assert not any(mark in text for mark in ("{{ ", " }}", "{% ", " %}"))
            assert not text or text.endswith("\n")

    def test_python_compiles_and_metadata_is_valid(self, level: str, kernels: str, tmp_path: Path) -> None:
        written = new("my_accel", level=level, kernels=kernels, directory=tmp_path)
        files = tree(written.directory)
        for path, data in files.items():
            if path.endswith(".py"):
                assert ast.get_docstring(ast.parse(data, path)), path
        project = tomllib.loads(files["pyproject.toml"].decode())["project"]
        assert project["name"] == "my_accel"
        assert project["entry-points"] == {
            "torchport.backends": {"my_accel": "my_accel:MyAccelBackend"},
            "torch_dynamo_backends": {"my_accel": "my_accel:dynamo_backend"},
        }

    def test_has_the_parts_a_vendor_needs(self, level: str, kernels: str, tmp_path: Path) -> None:
        files = tree(new("my_accel", level=level, kernels=kernels, directory=tmp_path).directory)
        assert {
            "README.md",
            "pyproject.toml",
            "tests/test_conformance.py",
            "tests/test_training.py",
        } <= files.keys()
        assert b'run("my_accel", profile="quick"' in files["tests/test_conformance.py"]

    def test_stays_short_enough_to_read(self, level: str, kernels: str, tmp_path: Path) -> None:
        files = tree(new("my_accel", level=level, kernels=kernels, directory=tmp_path).directory)
        lines = {
            p: d.count(b"\n")
            for p, d in files.items()
            if not p.startswith("tests/") and p != "CMakeLists.txt"
        }
        assert sum(lines.values()) < LARGEST_PACKAGE, lines

    @pytest.mark.parametrize("name", ["a", "my_accel", "zeta2", "x" * 32])
    def test_is_clean_under_ruff(self, level: str, kernels: str, name: str, tmp_path: Path) -> None:
        if importlib.util.find_spec("ruff") is None:
            pytest.skip("ruff is not installed")
        written = new(name, level=level, kernels=kernels, directory=tmp_path)
        rules = "E,W,F,I,UP,B,BLE,C4,SIM,RUF,T20,ANN"
        options = ["--isolated", "--line-length=120", f"--select={rules}", "--ignore=RUF001,RUF002,RUF003"]
        command = [sys.executable, "-m", "ruff", "check", *options, str(written.directory)]
        ran = subprocess.run(command, cwd=written.directory, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout


def test_a_combination_without_template_lists_what_there_is(tmp_path: Path) -> None:
    for options in ({"level": "inductor"}, {"kernels": "cuda"}, {"level": "", "kernels": ""}):
        with pytest.raises(ScaffoldError, match="--level dynamo --kernels python"):
            new("my_accel", directory=tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["directory", "full directory", "file", "dangling link"])
def test_what_exists_is_refused_and_untouched(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "my_accel"
    if kind == "file":
        target.write_text("mine")
    elif kind == "dangling link":
        target.symlink_to(tmp_path / "nowhere")
    else:
        target.mkdir()
        if kind == "full directory":
            (target / "notes").write_text("mine")
    before = (target.lstat().st_mtime_ns, tree(tmp_path), os.listdir(tmp_path))
    with pytest.raises(ScaffoldError, match="already exists"):
        new("my_accel", directory=tmp_path)
    assert (target.lstat().st_mtime_ns, tree(tmp_path), os.listdir(tmp_path)) == before


@pytest.mark.parametrize("failing", [0, 4])
def test_a_failing_write_leaves_nothing(
    failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = Path.write_bytes, []

    def write_bytes(path: Path, data: bytes) -> int:
        calls.append(path)
        if len(calls) > failing:
            raise OSError(28, "No space left on device")
        return original(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(ScaffoldError, match="No space left"):
        new("my_accel", directory=tmp_path / "deep" / "parent")
    assert len(calls) == failing + 1
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_appears_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Path.write_bytes

    def write_bytes(path: Path, data: bytes) -> int:
        (tmp_path / "my_accel").mkdir(exist_ok=True)
        return original(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(ScaffoldError, match="appeared meanwhile"):
        new("my_accel", directory=tmp_path)
    assert os.listdir(tmp_path) == ["my_accel"] and os.listdir(tmp_path / "my_accel") == []


def test_a_parent_that_is_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "parent").write_text("")
    with pytest.raises(ScaffoldError, match="cannot be written"):
        new("my_accel", directory=tmp_path / "parent")


def test_directories_get_the_usual_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.mkdir()
    written = new("my_accel", directory=tmp_path)
    assert written.directory.stat().st_mode == usual.stat().st_mode


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ nmae }}", "'nmae' is undefined"),
        ("{{ name", "end of template"),
        ("{% if name %}", "end of template"),
    ],
)
def test_a_faulty_template_is_named_and_writes_nothing(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = tmp_path / "template", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    (folder / "good.txt").write_text("good")
    (folder / "faulty.py.jinja").write_text(text)
    found = Discovery((Template("dynamo", "python", "", (folder,)),), ())
    monkeypatch.setattr(scaffold, "discover", lambda: found)
    with pytest.raises(ScaffoldError, match=reason) as caught:
        new("my_accel", directory=out)
    assert "faulty.py.jinja" in str(caught.value)
    assert list(out.iterdir()) == []
