"""Crashes, hangs and exits are attributed to their case, and the run goes on."""

from __future__ import annotations

import pytest

import torchport as tp
import torchport_conformance as tc
from torchport.errors import OptionError, RegistrationError


def test_disasters_are_named_and_the_rest_is_reported() -> None:
    select = ["aten.mul.Tensor", "aten.sub.Tensor", "aten.add.Tensor"]
    report = tc.run("planted_faults:Disastrous", select=select, layers=["op"], jobs=2, case_seconds=8)
    found = {f.id: (f.status, f.message) for f in report.failures}
    assert {id_: status for id_, (status, _) in found.items()} == {
        "aten.mul.Tensor[float32-2d.odd]": tc.Status.CRASHED,
        "aten.sub.Tensor[float32-2d.odd-alpha=1]": tc.Status.HUNG,
        "aten.add.Tensor[float32-2d.odd-alpha=1]": tc.Status.CRASHED,
    }
    texts = [message for _, message in found.values()]
    assert any("SIGSEGV" in t and "planted_faults.py" in t for t in texts)
    assert any("no end after 8 s" in t for t in texts)
    assert any("exit(0)" in t for t in texts)
    assert report.crashed == 3 and report.exit_code == 1
    assert report.passed == report.cases - 3 > 200


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    here, there = (
        tc.run(
            "planted_faults:NanDropped",
            select=["aten.mul.Tensor", "aten.sub.Tensor"],
            layers=["op"],
            jobs=jobs,
        )
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
