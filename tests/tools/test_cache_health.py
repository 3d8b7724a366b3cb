"""``torchport doctor --cache`` sees what is wrong with a cache directory, and changes nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch

from torchport.cli import main
from torchport.compile.store import Store, files_of, sealed
from torchport.tools.cache_health import examine_cache
from torchport.tools.finding import Finding

NAME = "ab" * 32


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path / "cache"))
    store = Store.default()
    for kind in ("graphs", "artifacts"):
        for name in (NAME, "cd" * 32):
            assert store.put(kind, name, b"body" * 100)
    return store


def found() -> dict[str, Finding]:
    return {finding.what: finding for finding in examine_cache()}


def test_a_healthy_cache(store: Store) -> None:
    findings = found()
    assert {name: f.found for name, f in findings.items() if f.state != "ok"} == {}
    assert findings["cache directory"].found == str(store.root)
    assert findings["graphs"].found.startswith("2 files, ") and "artifacts" in findings
    assert f"{sum(s for _, s, _ in files_of(store.root))} bytes" in findings["cache size"].found


def test_what_is_wrong_is_named_and_left(store: Store) -> None:
    damaged, foreign = store.path("graphs", NAME), store.path("artifacts", NAME)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    foreign.write_bytes(sealed(b"body", "artifacts", NAME, os.urandom(32)))
    (damaged.parent / ".writing-x").write_bytes(b"half")
    before = sorted(p for p, _, _ in files_of(store.root))
    findings = found()
    assert findings["damaged entries"].state == "broken" and str(damaged) in findings["damaged entries"].found
    assert findings["foreign entries"].state == "broken" and str(foreign) in findings["foreign entries"].found
    assert findings["half-written"].found.startswith("1 files")
    assert sorted(p for p, _, _ in files_of(store.root)) == before


def test_permissions(store: Store) -> None:
    (store.root / "key").chmod(0o644)
    store.root.chmod(0o777)
    findings = found()
    assert (
        findings["cache directory"].state == "broken"
        and "others may write" in findings["cache directory"].found
    )
    assert findings["signing key"].state == "broken" and "mode 0644" in findings["signing key"].found


def test_no_cache_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path / "nowhere"))
    assert found()["cache directory"].state == "ok" and not (tmp_path / "nowhere").exists()


def test_warns_of_what_pytorch_keeps_without_the_backend(store: Store) -> None:
    with torch._dynamo.config.patch(caching_precompile=True):
        warnings = [f for what, f in found().items() if what.endswith("caching_precompile")]
    assert {f.state for f in warnings} == {"warning"} and "code of another" in warnings[0].found


def test_the_command(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    for damage, code in (("", 0), ("x", 1)):
        if damage:
            store.path("graphs", NAME).write_text(damage)
        with pytest.raises(SystemExit) as done:
            main(["doctor", "--cache", "--json"])
        assert done.value.code == code
        found = {f["what"] for f in json.loads(capsys.readouterr().out)}
        assert {"cache directory", "graphs"} <= found and ("damaged entries" in found) == bool(damage)
