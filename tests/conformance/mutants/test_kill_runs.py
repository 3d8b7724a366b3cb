"""Kill runs: what counts as a kill, how a run is continued, and how lost processes are told apart."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from torchport.errors import ArtifactError, OptionError
from torchport_conformance.mutants import kill, trial
from torchport_conformance.mutants.mutant import frozen, parse
from torchport_conformance.mutants.table import Fate, KillTable
from torchport_conformance.mutants.trial import Trial, carried_out

ZEROS = parse("all-zeros/aten.relu.default[float32]#0")
OFF = parse("off-by-one/aten.relu.default[float32]#1")
LOST = parse("nan-sorts-first/aten.sort.default[float32]#2")


def heard(layer: str, case: str) -> None:
    pass


def test_a_run_is_journalled_and_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = tmp_path / "quick.jsonl"
    seen: list[Fate] = []
    first = kill.run(chosen=[ZEROS], layers=["op"], journal=journal, on_fate=seen.append)
    assert first.rate == 1.0 and first.fates == tuple(seen)
    assert first.fates[0].cause == "all results are zero" and first.fates[0].layer == "op"
    assert first.fates[0].killer.startswith("aten.relu.default[float32")

    both = [ZEROS, OFF]
    with journal.open("a") as file:
        file.write('{"mutant": "half a li')  # the process was killed while it wrote
    tried: list[str] = []
    started = kill.Running

    def running(each: Trial) -> Any:
        tried.append(each.mutant.id)
        return started(each)

    monkeypatch.setattr(kill, "Running", running)
    again = kill.run(chosen=both, layers=["op"], journal=journal, resume=True)
    assert tried == [OFF.id] and again.killed == 2
    whole = kill.run(chosen=both, layers=["op"], journal=journal, resume=True)
    assert tried == [OFF.id]
    assert [f.killer for f in whole.fates] == [f.killer for f in again.fates]
    with pytest.raises(ArtifactError, match="seed: 0, and 1 now"):
        kill.run(chosen=both, layers=["op"], journal=journal, resume=True, seed=1)
    journal.write_text("no journal\n")
    with pytest.raises(ArtifactError, match="damaged"):
        kill.run(chosen=both, layers=["op"], journal=journal, resume=True)


def test_parts_of_a_run_are_the_whole() -> None:
    with pytest.raises(OptionError, match="1 <= i <= n"):
        kill.run(shard=(3, 2))
    with pytest.raises(OptionError, match="single operators"):
        kill.run(layers=["graph"])
    parts = [kill.run(chosen=[ZEROS, OFF], shard=(i, 2), seconds=0.0, layers=["op"]) for i in (1, 2)]
    assert [part.fates for part in parts] == [(), ()], "no trial begins behind the limit"


def test_a_case_that_fails_without_the_fault_kills_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trial, "right", Trial.faulty)
    fate = carried_out(Trial(ZEROS, "quick", ["op"]), heard)
    assert not fate.killed and fate.false_alarms >= fate.cases - 1 > 5
    assert fate.cases == fate.available


def test_a_known_killer_is_tried_first() -> None:
    told: list[str] = []
    fate = carried_out(Trial(OFF, "quick", ["op"]), lambda layer, case: told.append(case))
    others = [c.id for c in Trial(OFF, "quick", ["op"]).cases("op") if c.id != fate.killer]
    hinted = Trial(OFF, "quick", ["op"], first=frozenset({others[-1], "of another profile"}))
    assert hinted.cases("op")[0].id == others[-1]
    assert told[-1] == fate.killer and len(told) == fate.cases


def test_all_cases_tell_which_kill_nothing() -> None:
    fate = carried_out(Trial(LOST, "quick", ["op"], stop_at_first=False), heard)
    assert fate.cases == fate.available == len(fate.killers) + len(fate.idle)
    assert any("nan@" in case for case in fate.killers) and len(fate.idle) > len(fate.killers)
    table = KillTable("quick", 0, (fate,)).with_idle_cases()
    assert table.idle == fate.idle and table.fates[0].idle == ()
    assert table.by_case[fate.killers[0]] == 1


@pytest.mark.parametrize("right_too", [False, True])
def test_a_lost_process_is_a_kill_if_the_right_kernel_survives(
    right_too: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(trial: Trial, cases: Any, announce: Any) -> Any:
        announce("op", cases[1].id)
        os._exit(7)

    monkeypatch.setattr(trial, "_results", ends)
    if right_too:
        monkeypatch.setattr(trial, "_run_right", lambda *given: os._exit(7))
    (fate,) = kill.run(chosen=[ZEROS], layers=["op"]).fates
    case = Trial(ZEROS, "quick").cases("op")[1].id
    if right_too:
        assert not fate.killed and fate.unjudged == f"crashed at {case} without the fault, too"
    else:
        assert (fate.killer, fate.cause, fate.layer) == (case, "crashed", "op")


def test_a_hang_ends_with_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(trial: Trial, cases: Any, announce: Any) -> Any:
        announce("op", cases[0].id)
        while True:
            os.sched_yield()

    monkeypatch.setattr(trial, "_results", hangs)
    monkeypatch.setattr(trial, "_ends_process", lambda *given: False)
    monkeypatch.setattr(trial, "_CASE_SECONDS", 1.5)
    (fate,) = kill.run(chosen=[ZEROS], layers=["op"]).fates
    assert fate.cause == "hung" and fate.killer == Trial(ZEROS, "quick").cases("op")[0].id


def test_a_dropped_guard_on_overlap_is_found_by_the_graph_layer() -> None:
    mutant = next(m for m in frozen() if m.fault == "alias-guard-dropped")
    fate = carried_out(Trial(mutant, "full"), heard)
    assert fate.killer.startswith("graph:overlap") and fate.layer == "graph"


@pytest.mark.parametrize("fault", ["results-detached-together", "detach-ignored"])
def test_lost_requires_grad_is_found_by_the_graph_layer(fault: str) -> None:
    mutant = next(m for m in frozen() if m.fault == fault)
    fate = carried_out(Trial(mutant, "quick"), heard)
    assert fate.killer.startswith("graph:alias/results") and "grad=yes" in fate.killer


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    fates = (
        Fate("all-zeros/aten.relu.default[float32]#0", "quick", "case", "op", "zero", 1, 9, 0.5, ("case",)),
        Fate("off-by-one/aten.relu.default[float32]#1", "quick", unjudged="crashed"),
    )
    table = KillTable("quick", 3, fates, 2.0, {"torch": "2"}, ("idle",))
    (tmp_path / "t.json").write_text(table.to_json())
    assert KillTable.read(tmp_path / "t.json") == table
    assert table.by_fault == {"all-zeros": (1, 1), "off-by-one": (0, 1)}
    assert table.by_op == {"aten.relu.default": (1, 2)} and table.by_layer == {"op": 1}
    (tmp_path / "t.json").write_text(json.dumps({"fates": 3}))
    with pytest.raises(ArtifactError, match="not a table of mutants"):
        KillTable.read(tmp_path / "t.json")
