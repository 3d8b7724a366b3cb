"""Crashes, hangs and exits are attributed to their case, and the run goes on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import torchport as tp
import torchport_conformance as tc
from torchport.errors import OptionError, RegistrationError
from torchport_conformance.isolation.limits import Limits, workers_of_machine
from torchport_conformance.running import chunks, workers

SELECT = [
    "aten.add.Tensor",
    "aten.mul.Tensor",
    "aten.sub.Tensor",
    "aten.div.Tensor",
    "aten.maximum",
    "aten.minimum",
]


@pytest.fixture(scope="module")
def planted() -> Iterator[ModuleType]:
    """The module of the backends, for as long as workers may import it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        import planted_disasters

        yield planted_disasters


def ordinary(case: Any) -> bool:
    """Whether a case's values are drawn, so that no other case has the same."""
    if not isinstance(case, tc.Case):
        return False
    tensors = [plan for _, plan in case.tensors()]
    return all(t.fill == "random" and len(t.shape) == 2 and min(t.shape) > 2 for t in tensors)


def test_a_segfault_a_hang_and_an_exit_in_one_run_are_named_and_the_rest_is_reported(
    planted: ModuleType,
) -> None:
    planned = tc.plan(select=SELECT, layers=["op"])
    count = len(planned.cases)
    places = [next(i for i in range(n - 1, count) if ordinary(planned.cases[i])) for n in (100, 200, 300)]
    assert len(planned.cases) > places[-1]
    segfault, hang, end = (planned.cases[i] for i in places)
    backend = planted.Disastrous(planted.on({segfault: "segfault", hang: "hang", end: "exit"}))
    report = tc.run(backend, select=SELECT, layers=["op"], jobs=1, case_seconds=4)
    found = {f.id: f for f in report.failures}
    assert {id_: f.status for id_, f in found.items()} == {
        segfault.id: tc.Status.CRASHED,
        hang.id: tc.Status.HUNG,
        end.id: tc.Status.CRASHED,
    }
    assert found[segfault.id].message.startswith("SIGSEGV: segmentation fault, while it ran\nFile ")
    assert "in segfault" in found[segfault.id].message
    assert found[hang.id].message.startswith("no end after 4 s, while it ran\nFile ")
    assert "in hang" in found[hang.id].message
    assert found[end.id].message == "the process was ended by exit(0), while it ran"
    assert report.crashed == 3 and report.exit_code == 1
    assert report.cases == len(planned.cases) and report.passed + report.eager_defects == report.cases - 3


EXPECTED = {
    "abort": (tc.Status.CRASHED, "SIGABRT: abort", "SIGABRT: abort, while it ran"),
    "hold": (tc.Status.HUNG, "hang", "in hang_with_the_interpreter"),
    "leave": (tc.Status.FAILED, "exception", "SystemExit: 3"),
    "overflow": (tc.Status.CRASHED, "SIGSEGV: segmentation fault; a stack overflow", "in down"),
    "want": (tc.Status.FAILED, "out of memory", "MemoryError"),
    "hoard": (tc.Status.CRASHED, "out of memory", "out of memory: the process held"),
    "close": (tc.Status.CRASHED, "closed its connection to the suite", "while it ran"),
    "write": (tc.Status.CRASHED, "wrote into the suite's connection", "a message of 4294967295 bytes"),
    "delete": (tc.Status.FAILED, "working directory changed", "deleted the process's working directory"),
    "thread": (tc.Status.CRASHED, "SIGSEGV: segmentation fault", "in segfault"),
    "trip": (tc.Status.CRASHED, "depends on earlier cases", "not alone"),
}
HARMLESS = ("flood", "child", "poison")


def in_order(select: list[str]) -> list[tc.Case]:
    """Ordinary cases of operators, in the order in which one worker runs them."""
    planned = tc.plan(select=select, layers=["op"])
    return [case for chunk in chunks(planned.cases, 1) for case in chunk if ordinary(case)]


@pytest.fixture(scope="module")
def everything(
    planted: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> tuple[tc.Report, dict[str, str], Path]:
    """A run of every other disaster; the case ids by action, and the folder of the notes."""
    notes = tmp_path_factory.mktemp("notes")
    cases = in_order(SELECT)
    # The poison comes before what it harms, in the same worker, with others between them.
    actions = ["poison", "flood", "trip", *(a for a in EXPECTED if a != "trip"), "child"]
    chosen = dict(zip(actions, cases, strict=False))
    assert len(chosen) == len(actions)
    limits = Limits(case_seconds=4, crashes_per_op=100, memory=3 * 2**29, backoff_seconds=0.0)
    backend = planted.Disastrous(planted.on({case: action for action, case in chosen.items()}), str(notes))
    report = tc.run(backend, select=SELECT, layers=["op"], jobs=1, limits=limits)
    return report, {action: case.id for action, case in chosen.items()}, notes


def test_whatever_a_case_does_to_its_process_is_its_own_failure(everything) -> None:
    report, ids, _ = everything
    failed = {f.id: f for f in report.failures}
    assert set(failed) == {ids[action] for action in EXPECTED}
    for action, (status, cause, text) in EXPECTED.items():
        found = failed[ids[action]]
        assert (found.status, found.cause) == (status, cause), action
        assert text in found.message, action


def test_what_leaves_the_process_alone_passes(everything) -> None:
    report, ids, _ = everything
    passed = {r.id for r in report.results if r.status is tc.Status.PASSED}
    assert {ids[action] for action in HARMLESS} <= passed
    assert len(passed) > 40


def test_the_earlier_case_that_a_crash_depends_on_is_named(everything) -> None:
    report, ids, _ = everything
    (tripped,) = [f for f in report.failures if f.id == ids["trip"]]
    assert f"after {ids['poison']}, not alone" in tripped.message
    assert tripped.message.startswith("SIGSEGV")


def test_no_process_is_left_behind(everything) -> None:
    *_, notes = everything
    with pytest.raises(ProcessLookupError):
        os.kill(int((notes / "child").read_text()), 0)


def test_the_device_is_reset_before_each_worker_that_follows_a_lost_one(everything) -> None:
    *_, notes = everything
    assert (notes / "resets").read_text().count("reset") >= 9


def test_a_run_that_loses_too_many_workers_is_given_up_and_says_what_was_not_run(planted: ModuleType) -> None:
    cases = in_order(SELECT[:2])
    backend = planted.Disastrous(planted.on(dict.fromkeys(cases[:8], "segfault")))
    limits = Limits(crashes_per_op=100, restarts=2, backoff_seconds=0.0)
    report = tc.run(backend, select=SELECT[:2], layers=["op"], jobs=1, limits=limits)
    crashed = [f for f in report.failures if f.status is tc.Status.CRASHED]
    left = [f for f in report.failures if f.status is tc.Status.NOT_RUN]
    assert [f.id for f in crashed] == [case.id for case in cases[:3]]
    assert "not tried alone: the run was given up" in crashed[-1].message
    assert {f.cause for f in left} == {"too many lost workers"}
    assert len(left) == report.failed - 3 > 50
    assert report.exit_code == 1 and report.cases == len(report.results)


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    here, there = (
        tc.run("planted_faults:NanDropped", select=["aten.mul.Tensor"], layers=["op"], jobs=jobs)
        for jobs in (0, 2)
    )
    assert [(r.id, r.status, r.message) for r in here.results] == [
        (r.id, r.status, r.message) for r in there.results
    ]
    assert here.failed > 0


def test_a_number_of_workers_is_a_number_or_auto() -> None:
    assert workers("auto") == workers_of_machine() >= 1
    assert (workers(0), workers("3")) == (0, 3)
    for wrong in ("many", -1, "1.5"):
        with pytest.raises(OptionError, match="a number of worker processes"):
            workers(wrong)


def test_a_backend_that_workers_cannot_import_is_refused() -> None:
    class Local(tp.EagerBackend):
        pass

    with pytest.raises(RegistrationError, match="worker processes cannot import"):
        tc.run(Local(), select=["aten.mul.Tensor"], jobs=1)


def test_an_unknown_backend_operator_or_profile_is_an_error() -> None:
    with pytest.raises(RegistrationError, match="no_such_backend"):
        tc.run("no_such_backend", select=["aten.mul.Tensor"])
    with pytest.raises(RegistrationError, match="no_such_module"):
        tc.run("no_such_module:Backend", select=["aten.mul.Tensor"])
    with pytest.raises(OptionError, match=r"aten\.no_such_op"):
        tc.run("planted_faults:Clean", select=["aten.no_such_op"], jobs=0)
    with pytest.raises(OptionError, match="no profile 'slow'"):
        tc.run("planted_faults:Clean", profile="slow", jobs=0)
