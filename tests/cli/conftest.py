"""Runs the real command line in its own process, with invented distributions on its path."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A directory that :func:`torchport` puts on the path; see :func:`add_distribution`."""
    directory = tmp_path / "site"
    directory.mkdir()
    return directory


@pytest.fixture
def torchport(site: Path, tmp_path: Path) -> Run:
    """Runs ``torchport ARGUMENTS`` in an empty working directory."""
    work = tmp_path / "work"
    work.mkdir()

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        settings = {
            "COLUMNS": "200",
            "NO_COLOR": "1",
            "TORCHPORT_CACHE_DIR": str(tmp_path / "cache"),
            **environment,
        }
        command = [sys.executable, "-c", "from torchport.cli import main; main()", *arguments]
        return subprocess.run(
            command,
            cwd=work,
            capture_output=True,
            text=True,
            timeout=240,
            env={**os.environ, "PYTHONPATH": str(site), **settings},
        )

    return run


def add_distribution(site: Path, name: str, entry_points: str, **modules: str) -> None:
    """Adds an installed distribution: its metadata, entry points and single-file modules."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    for module, source in modules.items():
        (site / f"{module}.py").write_text(source)
