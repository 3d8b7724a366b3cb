"""Compilers of torch.compile by name, and eager devices, under the op layer's cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from typer import Typer
from typer.testing import CliRunner

import torchport as tp
import torchport_conformance as tc
from torchport.errors import OptionError, RegistrationError
from torchport_conformance.cases.case import Case
from torchport_conformance.certificate.challenge import challenge
from torchport_conformance.cli import conformance
from torchport_conformance.levels import Runner, needs_backend
from torchport_conformance.report.model import Status
from torchport_conformance.subject import Subject, level_subject

SELECT = ["aten.sub.Tensor", "aten.gelu"]
CASES = tc.plan(select=SELECT, layers=["op"]).cases


def test_the_cpu_is_right_as_an_eager_device() -> None:
    report = tc.run("cpu", level="device", select=SELECT, layers=["op"], jobs=0)
    assert [(f.id, f.message) for f in report.failures] == []
    assert report.ok and report.passed + report.eager_defects == report.cases > 50
    assert report.backend == "cpu" and report.environment["level"] == "device"
    assert all(needs_backend(case) == ("error:" in case.id and "compiled" not in case.id) for case in CASES)


def test_a_compiler_is_run_by_its_name_in_workers() -> None:
    report = tc.run(
        "aot_eager",
        level="inductor",
        profile="training",
        select=["aten.gelu.default"],
        layers=["op", "metadata", "decomposition", "autograd"],
        sample=0.2,
    )
    assert [(f.id, f.message) for f in report.failures] == []
    assert report.ok and report.passed + report.eager_defects > 5
    assert {result.layer for result in report.results} == {"op", "metadata", "autograd"}


def test_programs_and_processes_at_another_level() -> None:
    select = ["graph:alias", "system:state.inputs"]
    report = tc.run("eager", level="inductor", select=select, jobs=0)
    assert [(f.id, f.message) for f in report.failures] == []
    assert report.passed > 5


def test_a_failure_is_reproduced_at_its_level() -> None:
    report = tc.run("cpu", level="device", select=["aten.gelu"], layers=["op"], jobs=0, sample=0.1)
    text = report.reproducer(report.results[0])
    assert "level='device'" in text
    exec(text, {})
    with pytest.raises(OptionError, match="not run at the level"):
        tc.reproduce("cpu", next(c.id for c in CASES if needs_backend(c)), level="device")


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

    runner = Runner(Subject("wrong", "inductor", "cpu", None, compiler), 0)
    cases = [c for c in tc.plan(select=["aten.gelu"], layers=["op"]).cases if isinstance(c, Case)]
    results = [runner.run(c) for c in cases if c.dtype == "float32"][:12]
    assert cause in {r.cause for r in results if r.status is Status.FAILED}


def test_an_unknown_subject_is_refused() -> None:
    with pytest.raises(RegistrationError, match="no such backend"):
        level_subject("no_such_compiler", "inductor")
    with pytest.raises(RegistrationError, match="no such device"):
        level_subject("no_such_device", "device")
    with pytest.raises(OptionError, match="no such level"):
        tc.run("cpu", level="hardware", select=SELECT)
    with pytest.raises(OptionError, match="by its name"):
        tc.run(tp.EagerBackend(), level="device", select=SELECT)


def test_a_device_gets_a_report_and_a_certificate(tmp_path: Path) -> None:
    app = Typer()
    app.command()(conformance)
    (tmp_path / "key.pem").write_bytes(
        Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    given = ["cpu", "--level", "device", "--select", "aten.neg", "--layer", "op", "--jobs", "0"]
    written = ["--report", str(tmp_path), "--sign", str(tmp_path / "key.pem")]
    told = CliRunner().invoke(app, [*given, *written, "--certificate", str(tmp_path / "certificate.json")])
    assert told.exit_code == 0, told.output
    assert (tmp_path / "index.html").exists()
    payload = json.loads((tmp_path / "certificate.json").read_text())["payload"]
    assert payload["environment"]["level"] == "device"
    assert challenge(payload, "other values", jobs=0).holds
    told = CliRunner().invoke(app, [*given, "--fuzz", "2"])
    assert told.exit_code == 2 and "Dynamo-level" in told.output
