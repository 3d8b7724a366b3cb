"""Host scalars and assertions through torch.compile; collectives in a group of two processes."""

from __future__ import annotations

import errno
import subprocess
import sys

import torch

import torchport as tp
import torchport_conformance
from torchport_conformance import Status
from torchport_conformance.cases.collectives import CollectiveCase, collective_cases_for, expected, operand
from torchport_conformance.cases.host import HostCase, host_cases_for, on_host
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.collective_execution import CollectiveRunner
from torchport_conformance.host_execution import HostRunner
from torchport_conformance.specs import all_specs, spec_of
from torchport_conformance.subject import Subject, dynamo_subject


def host_cases(profile: str = "quick") -> list[HostCase]:
    return [c for spec in all_specs().values() for c in host_cases_for(spec, profile_named(profile))]


def collectives() -> list[CollectiveCase]:
    return [c for spec in all_specs().values() for c in collective_cases_for(spec, profile_named("full"))]


def test_every_operator_of_the_contract_has_cases():
    from torchport_conformance.cases.generate import reason_without_cases

    without = {spec.name for spec in all_specs().values() if reason_without_cases(spec)}
    assert len(without) == 24
    assert without == {c.op for c in host_cases()} | {c.op for c in collectives()}


def test_eager_pytorch_gives_host_scalars_and_raises_for_false_conditions():
    runner = HostRunner(dynamo_subject(tp.EagerBackend()), 0)
    cases = list({(c.op, c.variant): c for c in host_cases()}.values())
    found = {c.id: runner.run(c) for c in cases}
    assert {r.status for r in found.values()} <= {Status.PASSED, Status.UNCLAIMED}
    raising = [c for c in cases if c.raises and c.op != "aten._assert_async.default"]
    assert {c.op for c in raising} == {
        "aten._assert_async.msg",
        "aten._assert_scalar.default",
        "aten._linalg_check_errors.default",
    }
    assert all(found[c.id].status is Status.PASSED for c in raising)


def test_variants_decide_what_is_equal():
    by_variant = {c.variant for c in host_cases() if c.op == "aten.equal.default"}
    assert by_variant == {"drawn", "same", "last element differs"}
    assert on_host(spec_of("aten.equal.default")) and not on_host(spec_of("aten.eq.Tensor"))


def test_a_wrong_host_scalar_and_a_dropped_assertion_fail():
    class Lying(Subject):
        def compile(self, fn, **options):
            return lambda beside, given: (not fn(beside, given)[0], beside * 2 + 1)

    equal = next(c for c in host_cases() if c.op == "aten.equal.default" and c.variant == "same")
    failed = HostRunner(Lying("lying", "dynamo", "cpu", None, None), 0).run(equal)
    assert failed.cause == "wrong host scalar" and "False" in failed.message

    class Silent(Subject):
        def compile(self, fn, **options):
            return lambda beside, given: (None, beside * 2 + 1)

    asserted = next(c for c in host_cases() if c.op == "aten._assert_async.msg" and c.raises)
    failed = HostRunner(Silent("silent", "dynamo", "cpu", None, None), 0).run(asserted)
    assert failed.cause == "no error raised"


def test_what_collectives_have_to_give():
    both = [operand(r, "int64") for r in range(2)]
    gathered = expected(CollectiveCase("_c10d_functional.all_gather_into_tensor.default", "int64"), 0)
    assert torch.equal(gathered[0], torch.cat(both))
    scattered = expected(CollectiveCase("_c10d_functional.reduce_scatter_tensor.default", "int64", "sum"), 1)
    assert torch.equal(scattered[0], (both[0] + both[1])[2:])
    exchanged = expected(CollectiveCase("_c10d_functional.all_to_all_single.default", "int64"), 1)
    assert torch.equal(exchanged[0], torch.cat([both[0][1:], both[1][1:]]))


def test_collectives_of_two_processes():
    one_each = list({c.op: c for c in reversed(collectives())}.values())
    runner = CollectiveRunner(dynamo_subject(tp.EagerBackend(), "torchport_eager"), one_each)
    found = [runner.run(c) for c in one_each]
    assert len(found) == 14 and {r.status for r in found} == {Status.PASSED}
    wrong = CollectiveCase("_c10d_functional.broadcast.default", "int64", "unknown")
    assert runner.run(wrong).cause == "process ended"


def test_collectives_of_a_backend_and_paths_longer_than_a_command_line(monkeypatch):
    case = CollectiveCase("_c10d_functional.broadcast.default", "int64")
    backend = tp.EagerBackend()
    backend.table = "x" * 2_000_000
    monkeypatch.setattr(sys, "path", [*sys.path, *(f"/nowhere/{i:05}/" + 200 * "x" for i in range(1000))])
    found = CollectiveRunner(dynamo_subject(backend, "torchport_eager"), [case]).run(case)
    assert found.status is Status.PASSED, found.message


def test_processes_that_cannot_be_started_are_the_result_of_their_case(monkeypatch):
    case = CollectiveCase("_c10d_functional.broadcast.default", "int64")
    started = []

    def popen(*args, real=subprocess.Popen, **options):
        if started:
            raise OSError(errno.E2BIG, "Argument list too long")
        started.append(real(*args, **options))
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", popen)
    runner = CollectiveRunner(dynamo_subject(tp.EagerBackend(), "torchport_eager"), [case])
    found = runner.run(case)
    assert found.status is Status.SUITE and "Argument list too long" in found.message
    assert started[0].poll() is not None
    monkeypatch.undo()
    assert runner.run(case).status is Status.PASSED


def test_tested_operators_are_not_excluded():
    report = torchport_conformance.plan("quick", select=["aten.equal.default"], layers=["op"])
    assert report.excluded == {}
    collective = "_c10d_functional.broadcast.default"
    assert "process group" in torchport_conformance.plan("quick", select=[collective]).excluded[collective]
    assert not torchport_conformance.plan("full", select=[collective], layers=["op"]).excluded
