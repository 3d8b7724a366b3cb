"""Backends by name: found in the current directory by commands, and refused before a run is planned."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

import torchport_conformance as tc
from torchport.errors import RegistrationError
from torchport_conformance import cli, suite

ABSENT = {
    "dynamo": ("no_such_backend", "no backend 'no_such_backend' is installed"),
    "inductor": ("no_such_compiler", "torch.compile has no such backend"),
    "device": ("no_such_device", "PyTorch has no such device"),
}


@pytest.fixture
def unplanned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be planned."""

    def refuse(*args: Any, **options: Any) -> Any:
        raise AssertionError("a run was planned")

    monkeypatch.setattr(cli, "plan", refuse)
    monkeypatch.setattr(suite, "plan", refuse)


@pytest.mark.usefixtures("unplanned")
@pytest.mark.parametrize("level", ABSENT)
def test_a_wrong_name_is_told_before_anything_is_planned(level: str) -> None:
    name, reason = ABSENT[level]
    app = Typer()
    app.command()(cli.conformance)
    for jobs in ("0", "1", "2"):
        refused = CliRunner().invoke(app, [name, "--level", level, "--jobs", jobs], env={"COLUMNS": "200"})
        assert refused.exit_code == 2 and reason in refused.output, refused.output
    with pytest.raises(RegistrationError, match=reason):
        tc.run(name, level=level)
    with pytest.raises(RegistrationError, match=reason):
        tc.reproduce(name, "aten.abs.default[any]", level=level)


@pytest.mark.usefixtures("unplanned")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no_such_module:Mine", "ModuleNotFoundError"),
        ("planted_faults:Absent", "AttributeError"),
        ("planted_faults:__name__", "is not a torchport.Backend"),
        (":Mine", "cannot be imported"),
    ],
)
def test_a_wrong_class_is_told_before_anything_is_planned(name: str, reason: str) -> None:
    with pytest.raises(RegistrationError, match=reason):
        tc.run(name)


def test_a_backend_of_the_current_directory_runs_in_workers(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "here_alone.py").write_text("import torchport as tp\n\nclass Mine(tp.EagerBackend):\n    pass\n")
    (work / "torchport.py").write_text("raise ImportError('what is installed goes first')\n")
    # A script of another directory, as the installed command is.
    script = tmp_path / "command.py"
    script.write_text("from torchport.cli import main\n\nmain()\n")

    def ran(**environment: str) -> subprocess.CompletedProcess[str]:
        options = ("--select", "aten.abs.default", "--layer", "op", "--sample", "0.2")
        return subprocess.run(
            [sys.executable, str(script), "conformance", "here_alone:Mine", *options],
            cwd=work,
            env={**os.environ, "COLUMNS": "200", **environment},
            capture_output=True,
            text=True,
            timeout=240,
        )

    found = ran()
    assert found.returncode == 0 and "here_alone:Mine: conformance" in found.stdout, found.stderr
    left_out = ran(PYTHONSAFEPATH="1")
    assert left_out.returncode == 2 and "No module named 'here_alone'" in left_out.stderr


def test_a_run_leaves_the_import_path_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "not_on_the_path.py").write_text("import torchport as tp\nMine = tp.EagerBackend\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in ("", ".")])
    before = list(sys.path)
    with pytest.raises(RegistrationError, match="No module named 'not_on_the_path'"):
        tc.run("not_on_the_path:Mine")
    assert sys.path == before
