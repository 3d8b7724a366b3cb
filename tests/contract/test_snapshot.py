"""The frozen contract: no drift, one canonical text, and a schema that says what it holds."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from torchport.contract import snapshot
from torchport.contract.opset import OpSet, opset
from torchport.contract.version import LOG

SCHEMA = Path(snapshot.__file__).parent / "schemas" / "opset.schema.json"


@pytest.mark.parametrize("version", LOG)
def test_the_running_contract_is_the_snapshot(version: str) -> None:
    assert snapshot.drift(version) == "", "run: python -m torchport.contract.snapshot"


def test_sha256_is_that_of_the_file() -> None:
    data = snapshot.path_of("1.0").read_bytes()
    assert opset("1.0").sha256 == hashlib.sha256(data).hexdigest()


def test_snapshot_follows_its_schema() -> None:
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(snapshot.path_of("1.0").read_text()))


def test_schema_refuses_what_is_not_an_entry() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    data = json.loads(snapshot.path_of("1.0").read_text())
    del data["ops"][0]["numerics"]
    assert not validator.is_valid(data)


def test_text_is_the_same_in_another_process_and_hash_seed() -> None:
    code = "from torchport.contract.opset import opset; print(opset('1.0').sha256)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": "12345"},
        check=True,
    )
    assert run.stdout.strip() == opset("1.0").sha256


def test_every_kind_of_change_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that lacks an entry, has one too many and has another rule is reported entry by entry."""
    lines = snapshot.path_of("1.0").read_text().splitlines()
    kept = [line for line in lines if '"name":"aten.mm.default"' not in line]
    changed = [line.replace('"shape":["reverse(self)"]', '"shape":["self"]') for line in kept]
    changed = [
        line.replace('"name":"aten.exp.default"', '"name":"aten.exponential.default"') for line in changed
    ]
    monkeypatch.setattr(snapshot, "FOLDER", tmp_path)
    (tmp_path / "opset-1.0.json").write_text("\n".join(changed) + "\n")
    found = snapshot.drift("1.0").splitlines()
    assert "+ aten.mm.default" in found
    assert "- aten.exponential.default" in found
    assert "~ aten.t.default: shape" in found


def test_command_line_writes_and_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(snapshot, "FOLDER", tmp_path)
    assert snapshot.main(["--check"]) == 1
    assert snapshot.main([]) == 0
    assert snapshot.main(["--check"]) == 0
    assert "as in the snapshot" in capsys.readouterr().out
    (tmp_path / "opset-1.0.json").write_text("{}")
    assert snapshot.main(["--check"]) == 1


def test_sha256_depends_on_every_field() -> None:
    ops = dict(opset("1.0").ops)
    before = opset("1.0").sha256
    ops["aten.mm.default"] = replace(ops["aten.mm.default"], deterministic=False)
    assert OpSet("1.0", ops).sha256 != before
