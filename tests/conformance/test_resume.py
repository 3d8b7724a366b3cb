"""A killed run goes on where it was, and gives the report of one that was not killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import torchport_conformance as tc
from torchport.errors import ArtifactError, OptionError
from torchport_conformance.journal import Journal, read_journal
from torchport_conformance.merging import merge
from torchport_conformance.report.write import to_json

HERE = Path(__file__).parent
SELECT = ["aten.mul.Tensor", "aten.sub.Tensor"]
BACKEND = "planted_faults:NanDropped"
SCRIPT = """
import sys, torchport_conformance as tc
report = tc.run({backend!r}, select={select!r}, layers=["op"], jobs=1, report=sys.argv[1], resume=True)
"""


def timeless(text: str) -> Any:
    """A report's JSON without what takes time."""
    return json.loads(re.sub(r'"seconds": [0-9.e+-]+', '"seconds": 0', text))


def run(folder: Path, **options: Any) -> tc.Report:
    return tc.run(BACKEND, select=SELECT, layers=["op"], report=folder, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[tc.Report, Path]:
    """A run that nothing disturbed, and its folder."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(HERE))
        return run(folder, jobs=0), folder


def descendants(pid: int) -> set[int]:
    """Every process below ``pid``."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parent = int(text[text.rindex(")") + 2 :].split()[1])
        children.setdefault(parent, []).append(int(text.partition(" ")[0]))
    found, left = set(), [pid]
    while left:
        below = children.get(left.pop(), [])
        found.update(below)
        left.extend(below)
    return found


def until(condition: Any, what: str) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_run_that_is_killed_and_resumed_gives_the_same_report(
    whole: tuple[tc.Report, Path], tmp_path: Path
) -> None:
    undisturbed, _ = whole
    journal = tmp_path / "journal.jsonl"
    script = SCRIPT.format(backend=BACKEND, select=SELECT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    killed = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], env=environment)
    until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 30, "no results")
    below = descendants(killed.pid)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert len(below) >= 2
    until(lambda: not any(map(lives, below)), "a worker outlives its parent")
    # The machine may have written half of the last line.
    journal.write_bytes(journal.read_bytes() + b'{"id":"aten.mul.Ten')
    begun = len(read_journal(journal).results)
    assert 30 <= begun < undisturbed.cases

    seen: list[str] = []
    resumed = run(tmp_path, jobs=1, resume=True, on_result=lambda r: seen.append(r.id))
    assert timeless(to_json(resumed)) == timeless(to_json(undisturbed))
    assert resumed.failed > 0
    assert len(seen) == len(set(seen)) == undisturbed.cases
    lines = journal.read_text().splitlines()
    assert len(lines) == 1 + undisturbed.cases, "cases that were in the journal have run again"
    assert resumed.seconds >= read_journal(journal).seconds - 0.1 > 0


def test_a_run_that_is_resumed_at_its_end_runs_nothing(whole: tuple[tc.Report, Path]) -> None:
    undisturbed, folder = whole
    before = (folder / "journal.jsonl").read_bytes()
    again = run(folder, jobs=1, resume=True)
    assert (folder / "journal.jsonl").read_bytes() == before
    assert timeless(to_json(again)) == timeless(to_json(undisturbed))


def test_a_journal_of_another_run_is_refused_with_what_differs(
    whole: tuple[tc.Report, Path], tmp_path: Path
) -> None:
    journal = tmp_path / "journal.jsonl"
    before = (whole[1] / "journal.jsonl").read_bytes()
    journal.write_bytes(before)

    def resume(backend: str, **options: Any) -> None:
        tc.run(backend, select=SELECT, layers=["op"], jobs=0, journal=journal, resume=True, **options)

    with pytest.raises(ArtifactError, match="seed: 0, and 7 now"):
        resume(BACKEND, seed=7)
    with pytest.raises(
        ArtifactError, match="backend: 'planted_faults:NanDropped', and 'planted_faults:Clean'"
    ):
        resume("planted_faults:Clean")
    with pytest.raises(ArtifactError, match=r"(?s)plan: .*sample.*0\.5.* now"):
        resume(BACKEND, sample=0.5)
    assert journal.read_bytes() == before
    with pytest.raises(OptionError, match="no journal to resume from"):
        tc.run(BACKEND, select=SELECT, jobs=0, resume=True)


def test_a_damaged_journal_is_refused_and_says_where(whole: tuple[tc.Report, Path], tmp_path: Path) -> None:
    lines = (whole[1] / "journal.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "journal.jsonl"

    def refused(content: bytes, match: str) -> None:
        path.write_bytes(content)
        with pytest.raises(ArtifactError, match=match):
            tc.run(BACKEND, select=SELECT, layers=["op"], jobs=0, journal=path, resume=True)

    refused(b"".join([*lines[:3], b"{half a li\n", *lines[3:]]), "line 4")
    refused(b"".join([lines[0], b'{"id":"aten.no[such]","status":"passed"}\n']), "no case of the plan")
    refused(b"".join([lines[0], lines[1].replace(b"passed", b"splendid")]), "splendid")
    refused(b'{"any": "json"}\n', "no journal of a conformance run")
    refused(lines[0].replace(b'"format_version":1', b'"format_version":9'), "version 9, known is 1")


def test_two_runs_do_not_write_to_one_journal(whole: tuple[tc.Report, Path], tmp_path: Path) -> None:
    header = read_journal(whole[1] / "journal.jsonl").header
    with (
        Journal(tmp_path / "journal.jsonl", header, (), resume=False),
        pytest.raises(OptionError, match="another run is writing"),
    ):
        Journal(tmp_path / "journal.jsonl", header, (), resume=False)


def test_the_journals_of_all_shards_give_the_report_of_the_whole(
    whole: tuple[tc.Report, Path], tmp_path: Path
) -> None:
    undisturbed, _ = whole
    journals = [tmp_path / f"{i}.jsonl" for i in (1, 2)]
    for i, journal in enumerate(journals, 1):
        tc.run(BACKEND, select=SELECT, layers=["op"], jobs=0, shard=(i, 2), journal=journal)
    merged = merge([journals[1], journals[0]])
    assert timeless(to_json(merged)) == timeless(to_json(undisturbed))

    part = merge([journals[0]])
    assert part.missing == undisturbed.cases - part.cases > 0
    assert part.is_short and part.exit_code == (1 if part.failed else 3)
    with pytest.raises(ArtifactError, match="shard 1/2 is given twice"):
        merge([journals[0], journals[0]])
    with pytest.raises(ArtifactError, match="different runs"):
        merge([journals[0], whole[1] / "journal.jsonl"])
    with pytest.raises(OptionError, match="nothing to merge"):
        merge([])
