"""The suite is right about a backend that is right: eager PyTorch, over the whole contract."""

from __future__ import annotations

import torchport as tp
import torchport_conformance as tc


def test_eager_pytorch_passes_a_sample_of_the_whole_contract() -> None:
    report = tc.run(tp.EagerBackend(macros=True), layers=["op"], sample=0.02, jobs=0)
    assert [(f.id, f.message) for f in report.failures] == []
    assert [(r.id, r.message) for r in report.remarks if r.status is tc.Status.SUITE] == []
    unclaimed = [r for r in report.results if r.status is tc.Status.UNCLAIMED]
    assert [r.message for r in unclaimed if "PyTorch has no kernel" not in r.message] == []
    assert report.passed + report.eager_defects == report.claimed == report.cases - len(unclaimed) > 600
    assert len(unclaimed) < 0.1 * report.cases and "_c10d_functional.all_reduce.default" in report.excluded
    assert len(report.by_op) > 300 and report.exit_code == 0
