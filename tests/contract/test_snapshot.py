"""The frozen contract: no drift, one canonical text, and a schema that says what it holds."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from torchport.contract import snapshot
from torchport.contract.opset import OpSet, opset
from torchport.contract.version import LOG
from torchport.errors import ContractError

SCHEMA = Path(snapshot.__file__).parent / "schemas" / "opset.schema.json"


@pytest.fixture(autouse=True)
def no_digest_is_kept() -> Iterator[None]:
    snapshot.digest.cache_clear()
    yield
    snapshot.digest.cache_clear()


def copied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Snapshots, schema and versions in a folder of their own, none released; returns the copy of
    ``version.py``.
    """
    monkeypatch.setattr(snapshot, "FOLDER", folder)
    monkeypatch.setattr(snapshot, "PINS", {})
    monkeypatch.setattr(snapshot.versions, "PINS", {})
    for module, name in ((snapshot, "SCHEMA"), (snapshot.versions, "__file__")):
        path = folder / Path(getattr(module, name)).name
        path.write_text(Path(getattr(module, name)).read_text())
        monkeypatch.setattr(module, name, path if name == "SCHEMA" else str(path))
    source = folder / "version.py"
    source.write_text(re.sub(r"(PINS: .*= )\{[^}]*\}", r"\1{}", source.read_text()))
    return source


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
        line.replace('"name":"aten.exp.default"', '"name":"aten.exponentiated.default"') for line in changed
    ]
    monkeypatch.setattr(snapshot, "FOLDER", tmp_path)
    (tmp_path / "opset-1.0.json").write_text("\n".join(changed) + "\n")
    found = snapshot.drift("1.0").splitlines()
    assert "+ aten.mm.default" in found
    assert "- aten.exponentiated.default" in found
    assert "~ aten.t.default: shape" in found


def test_command_line_writes_and_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied(tmp_path, monkeypatch)
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


def test_releasing_pins_the_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a release an edited snapshot fails the check, and so does an edited entry or decomposition."""
    source = copied(tmp_path, monkeypatch)
    assert snapshot.main([]) == 0
    with pytest.raises(ContractError, match=r"(?s)older contract version is still a draft.*1\.0"):
        snapshot.release("1.1")
    assert snapshot.main(["--release", "1.0"]) == 0
    scope: dict[str, Any] = {}
    exec(source.read_text(), scope)
    pins = scope["PINS"]
    path = tmp_path / "opset-1.0.json"
    assert pins == {"1.0": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert json.loads(path.read_text())["status"] == "released"
    monkeypatch.setattr(snapshot, "PINS", pins)
    monkeypatch.setattr(snapshot.versions, "PINS", pins)
    snapshot.digest.cache_clear()
    try:
        assert snapshot.main(["--check"]) == 0
        with pytest.raises(ContractError, match="released already"):
            snapshot.release("1.0")
        assert opset("1.0").status == "released" and opset("1.1").status == "draft"

        entry = opset("1.0").ops["aten.addmm.default"]
        edited = {**opset("1.0").ops, entry.name: replace(entry, decomposition=lambda *args: args[0])}
        monkeypatch.setattr(snapshot, "opset", lambda version: OpSet(version, edited))
        assert snapshot.drift("1.0") == "~ aten.addmm.default: decomposition"
        assert snapshot.main([]) == 1, "a released snapshot is not rewritten"
    finally:
        snapshot.digest.cache_clear()


def test_an_edited_released_snapshot_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "FOLDER", tmp_path)
    text = snapshot.render(opset("1.0"))
    monkeypatch.setattr(snapshot, "PINS", {"1.0": hashlib.sha256(text.encode()).hexdigest()})
    (tmp_path / "opset-1.0.json").write_text(text)
    assert snapshot.drift("1.0") == ""
    (tmp_path / "opset-1.0.json").write_text(text.replace('"deterministic":true', '"deterministic":false', 1))
    first, second = snapshot.drift("1.0").splitlines()
    assert "is not the file that was released" in first
    assert second.endswith(": deterministic")


def test_the_schemas_lists_are_those_of_the_code() -> None:
    assert snapshot.render_schema() == SCHEMA.read_text(), "run: python -m torchport.contract.snapshot"
    schema = json.loads(snapshot.render_schema())
    assert "prim" in schema["$defs"]["entry"]["properties"]["tier"]["enum"]


def test_a_version_lists_its_extensions() -> None:
    extended = opset("1.0").extend(
        "tp_snapshot", "same(Tensor x) -> Tensor", decomposition=lambda x: x.clone()
    )
    data = json.loads(snapshot.render(extended))
    assert (data["version"], data["extensions"]) == ("1.0+tp_snapshot", ["tp_snapshot"])
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(data)
