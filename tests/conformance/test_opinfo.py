"""The second source of cases: calls recorded from OpInfo's samples."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

import torchport as tp
from torchport.errors import ContractError
from torchport_conformance import Status
from torchport_conformance.cases import frozen, opinfo
from torchport_conformance.cases.freeze_opinfo import planned
from torchport_conformance.cases.opinfo import opinfo_cases_for
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.cases.violations import Search
from torchport_conformance.execution import CaseRunner
from torchport_conformance.specs import all_specs, spec_of


def test_calls_are_of_the_contract_and_ids_are_unique():
    cases = [c for op in all_specs() for c in opinfo_cases_for(op, profile_named("full"))]
    assert len(cases) > 4000 and len({c.op for c in cases}) > 430
    assert len({c.id for c in cases}) == len(cases)
    sampled = cases[::40]
    assert all(not Search(spec_of(c.op)).broken(dict(c.arguments)) for c in sampled)


def test_profiles_have_all_a_share_or_none():
    counts = {
        name: sum(len(list(opinfo_cases_for(op, profile_named(name)))) for op in all_specs())
        for name in ("quick", "training", "full")
    }
    assert counts["quick"] == 0
    assert counts["full"] / 10 < counts["training"] < counts["full"] / 4


def test_eager_pytorch_passes_a_sample():
    runner = CaseRunner(tp.EagerBackend(), 0)
    cases = [c for op in all_specs() for c in opinfo_cases_for(op, profile_named("full"))][::60]
    found = [runner.run(c) for c in cases]
    assert {r.status for r in found} <= {Status.PASSED, Status.UNCLAIMED, Status.EAGER_DEFECT}


def test_a_fault_is_found_by_an_opinfo_case():
    def wrong(x, *sizes, **options):
        return torch.zeros_like(torch.roll(x, *sizes, **options))

    runner = CaseRunner(tp.EagerBackend(overrides={"aten.roll.default": wrong}), 0)
    found = [runner.run(c) for c in opinfo_cases_for("aten.roll.default", profile_named("full"))]
    assert any(r.status is Status.FAILED and "[opinfo:roll." in r.id for r in found)


def test_a_run_needs_nothing_of_the_tests_of_pytorch():
    script = (
        "import sys, torchport_conformance as t; t.plan('full', select=['aten.roll.default'], layers=['op']);"
        "print('torch.testing._internal.common_methods_invocations' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_a_call_becomes_metadata():
    x = torch.randn(4, 6).t()
    arguments = planned(spec_of("aten.roll.default"), {"self": x, "shifts": [1], "dims": [0]})
    assert arguments is not None
    plan = dict(arguments)["self"]
    assert (plan.shape, plan.layout, plan.dtype) == ((6, 4), "transposed", torch.float32)
    assert dict(arguments)["shifts"] == (1,)


def test_a_data_file_that_was_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = frozen.write(tmp_path / "", "calls", {"ops": {}})
    other = frozen.write(tmp_path / "", "others", {"ops": {"a": 1}})
    path.write_bytes(other.read_bytes())
    (tmp_path / "data").mkdir()
    path.rename(tmp_path / "data" / path.name)
    monkeypatch.setattr(frozen.resources, "files", lambda package: tmp_path)
    with pytest.raises(ContractError, match="not what its name says"):
        frozen.read("calls")
    with pytest.raises(ContractError, match="missing"):
        frozen.read(opinfo.FILE)
