"""Runs the command line, with invented distributions on the path."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from torchport.cli import main


@dataclass(frozen=True)
class Ran:
    """What a command wrote and its exit code."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Ran]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory on the import path; see :func:`add_distribution`. Its modules are forgotten afterwards."""
    directory = tmp_path / "site"
    directory.mkdir()
    monkeypatch.syspath_prepend(str(directory))
    yield directory
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").parent == directory:
            del sys.modules[name]


@pytest.fixture
def torchport(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs ``torchport ARGUMENTS`` in this process and an empty working directory."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path / "cache"))

    def run(*arguments: str, **environment: str) -> Ran:
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            capsys.readouterr()
            with pytest.raises(SystemExit) as end:
                main(arguments)
        written = capsys.readouterr()
        return Ran(int(end.value.code or 0), written.out, written.err)

    return run


@pytest.fixture
def torchport_process(site: Path, tmp_path: Path) -> Run:
    """Runs ``torchport ARGUMENTS`` in a process of its own."""

    def run(*arguments: str, **environment: str) -> Ran:
        command = [sys.executable, "-c", "from torchport.cli import main; main()", *arguments]
        settings = {**os.environ, "PYTHONPATH": str(site), **environment}
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, env=settings)
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    return run


def add_distribution(site: Path, name: str, entry_points: str, **modules: str) -> None:
    """Adds an installed distribution: its metadata, entry points and single-file modules."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    for module, source in modules.items():
        (site / f"{module}.py").write_text(source)
