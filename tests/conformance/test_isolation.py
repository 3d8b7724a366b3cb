"""Crashes, hangs and exits are attributed to their case, and the run goes on."""

from __future__ import annotations

import pytest

import torchport as tp
import torchport_conformance as tc
from torchport.errors import OptionError, RegistrationError

GUILTY = "aten.mul.Tensor[float32-2d.odd]"


@pytest.mark.parametrize(
    ("name", "status", "text"),
    [
        ("Segfaults", tc.Status.CRASHED, "SIGSEGV"),
        ("Exits", tc.Status.CRASHED, "exit(0)"),
        ("Hangs", tc.Status.HUNG, "no end after"),
    ],
)
def test_a_disaster_is_named_and_the_rest_is_reported(name: str, status: tc.Status, text: str) -> None:
    report = tc.run(f"planted_faults:{name}", select=["aten.mul.Tensor"], jobs=1, case_seconds=10)
    assert [(f.id, f.status) for f in report.failures] == [(GUILTY, status)]
    assert text in report.failures[0].message
    assert report.crashed == 1 and report.exit_code == 1
    assert report.passed == report.cases - 1 > 50


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    here, there = (
        tc.run("planted_faults:NanDropped", select=["aten.mul.Tensor", "aten.sub.Tensor"], jobs=jobs)
        for jobs in (0, 2)
    )
    assert [(r.id, r.status, r.message) for r in here.results] == [
        (r.id, r.status, r.message) for r in there.results
    ]
    assert here.failed > 0


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
