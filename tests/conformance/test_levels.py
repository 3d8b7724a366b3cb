"""Compilers of torch.compile by name, and eager devices, under the op layer's cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from typer import Typer
from typer.testing import CliRunner

import torchport_conformance as tc
from torchport.errors import OptionError, RegistrationError
from torchport_conformance.cases.case import Case
from torchport_conformance.cli import conformance
from torchport_conformance.levels import LevelRunner, level_subject, run_level
from torchport_conformance.report.model import Status
from torchport_conformance.subject import Subject

SELECT = ["aten.sub.Tensor", "aten.gelu"]


def test_the_cpu_is_right_as_an_eager_device() -> None:
    report = run_level("cpu", "device", tc.plan(select=SELECT, layers=["op"]))
    assert [(f.id, f.message) for f in report.failures] == []
    assert report.ok and report.passed + report.eager_defects == report.cases > 50
    assert report.backend == "device:cpu" and report.environment["level"] == "device"


def test_a_compiler_is_run_by_its_name() -> None:
    report = run_level(
        "aot_eager", "inductor", tc.plan(select=["aten.sub.Tensor"], layers=["op"], sample=0.2)
    )
    assert report.ok and report.passed == report.cases > 5


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda t: t.half().to(t.dtype) if t.is_floating_point() else t, "outside the bound"),
        (lambda t: t.double(), "wrong dtype or shape"),
    ],
)
def test_a_compiler_that_is_wrong_is_found(spoil: Any, cause: str) -> None:
    def compiler(gm: torch.fx.GraphModule, _: Any) -> Any:
        return lambda *args: tuple(spoil(r) for r in gm(*args))

    runner = LevelRunner(Subject("wrong", "inductor", "cpu", None, compiler), 0)
    cases = [c for c in tc.plan(select=["aten.gelu"], layers=["op"]).cases if isinstance(c, Case)]
    results = [runner.run(c) for c in cases if c.dtype == "float32"][:12]
    assert cause in {r.cause for r in results if r.status is Status.FAILED}


def test_an_unknown_subject_is_refused() -> None:
    with pytest.raises(RegistrationError, match="no such backend"):
        level_subject("no_such_compiler", "inductor")
    with pytest.raises(RegistrationError, match="no such device"):
        level_subject("no_such_device", "device")
    with pytest.raises(OptionError, match="level"):
        level_subject("inductor", "dynamo")


def test_options_that_mean_nothing_at_a_level_are_refused(tmp_path: Path) -> None:
    app = Typer()
    app.command()(conformance)
    common = ["cpu", "--level", "device", "--select", "aten.neg", "--sample", "0.2"]
    assert CliRunner().invoke(app, [*common, "--report", str(tmp_path)]).exit_code == 0
    assert (tmp_path / "index.html").exists()
    told = CliRunner().invoke(app, [*common, "--jobs", "2", "--resume"])
    assert told.exit_code == 2 and "--jobs, --resume" in told.output
