"""Rules for the files of the repository."""

from __future__ import annotations

import os
import re
from pathlib import Path

LONGEST = 600
WRITTEN_BY_MACHINES = (
    "sdk/torchport/contract/snapshots/",
    "sdk/torchport/contract/profiles/training.json",
    "sdk/torchport/include/torchport/shape_rules.h",
    "docs/models.json",
    "docs/images/",
    "conformance/torchport_conformance/corpus.json",
    "conformance/torchport_conformance/mutants/results.json",
    "docs/mutants.md",
)
JUNK_DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core", "manager"}


def test_no_file_is_too_long(root: Path, tracked: tuple[str, ...]) -> None:
    lengths = {
        name: len((root / name).read_bytes().splitlines())
        for name in tracked
        if not name.startswith(WRITTEN_BY_MACHINES)
    }
    assert {name: n for name, n in lengths.items() if n > LONGEST} == {}


def test_no_module_is_a_junk_drawer(tracked: tuple[str, ...]) -> None:
    parts = {name: set(Path(name).with_suffix("").parts) for name in tracked if name.endswith((".py", ".h"))}
    assert {name for name, found in parts.items() if found & JUNK_DRAWERS} == set()


def test_contributing_names_paths_that_exist(root: Path) -> None:
    text = (root / "CONTRIBUTING.md").read_text()
    table = re.findall(r"^\| .*\|$", text, re.MULTILINE)
    paths = {path for row in table for path in re.findall(r"`([\w./-]+/[\w./-]*)`", row)}
    relative = {
        "partition/": "sdk/torchport/partition/",
        "cli/application.py": "sdk/torchport/cli/application.py",
    }
    missing = {p for p in paths if "NNNN" not in p and not (root / relative.get(p, p)).exists()}
    assert len(paths) > 20
    assert missing == set()


def test_the_ci_script_is_executable_and_fails_with_its_steps(root: Path) -> None:
    script = root / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text().splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in lines
    assert lines[-1] == "check test", "the test runner's summary is the last line printed"
