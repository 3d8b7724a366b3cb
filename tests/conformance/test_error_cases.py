"""Calls that have to be refused: what covers them, what passes, and backends that let them through."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchport as tp
from torchport_conformance import CaseResult, Status
from torchport_conformance.cases import frozen
from torchport_conformance.cases.errors import ErrorCase, covered, error_cases_for, uncovered
from torchport_conformance.cases.freeze_errors import freeze
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.error_execution import CompiledErrorRunner, ErrorRunner
from torchport_conformance.specs import all_specs, spec_of
from torchport_conformance.subject import dynamo_subject

GATHER, EMBEDDING, ADDMM = "aten.gather.default", "aten.embedding.default", "aten.addmm.default"


def as_regions(op: str, profile: str = "full") -> list[ErrorCase]:
    return [c for c in error_cases_for(op, profile_named(profile)) if c.road == "region"]


def results(op: str, backend: tp.Backend, label: str = "") -> list[CaseResult]:
    runner = ErrorRunner(backend, 0)
    return [runner.run(c) for c in as_regions(op) if c.label.startswith(label)]


def overridden(op: str, kernel: Callable[..., Any]) -> tp.EagerBackend:
    return tp.EagerBackend(overrides={op: kernel})


def test_labelled_error_conditions_have_cases_or_a_reason():
    labels = {c.label for spec in all_specs().values() for c in spec.errors}
    assert len(labels) == 622
    assert labels == (covered() & labels) | uncovered().keys()
    assert not covered() & uncovered().keys()
    assert len(covered() & labels) >= 554
    assert all(uncovered().values())


def test_every_kind_of_condition_has_cases():
    kinds = Counter(label.rpartition(".")[2][0] for label in covered())
    assert set(kinds) == {"E", "C", "T", "A", "V"}
    assert kinds["V"] >= 60 and kinds["C"] >= 900 and kinds["T"] >= 1100


@pytest.mark.parametrize("op", ["aten.mm.default", "aten.clamp.default", GATHER])
def test_the_file_is_what_the_search_finds(op: str):
    kept, found = (frozen.read("errors")["ops"][op], freeze([spec_of(op)])["ops"][op])
    assert {e["label"] for e in kept["errors"]} == {e["label"] for e in found["errors"]}


@pytest.mark.parametrize(
    "argument",
    [None, 3, 2.5, float("inf"), 1 + 2j, "text", torch.float16, (1, (2.0, None)), True],
)
def test_arguments_survive_the_file(argument: Any):
    again = frozen.decoded(frozen.encoded(argument))
    assert again == argument and type(again) is type(argument)


def test_ids_are_unique_and_name_the_label():
    cases = [c for op in all_specs() for c in error_cases_for(op, profile_named("full"))]
    assert len({c.id for c in cases}) == len(cases)
    assert all(f"[error:{c.label}" in c.id for c in cases)


def test_quick_has_every_wrong_value_and_every_label_that_needs_no_trace():
    quick = [c for op in all_specs() for c in error_cases_for(op, profile_named("quick"))]
    once = [c for c in quick if c.corruption is None]
    assert len({c.label for c in once}) == len(once) > 1400
    assert len({c.id for c in quick if c.corruption is not None}) > 450


@pytest.mark.parametrize(
    "op", ["aten.mm.default", "aten.clamp.default", GATHER, EMBEDDING, "aten.nll_loss_forward.default"]
)
def test_eager_pytorch_raises_for_all(op: str):
    found = results(op, tp.EagerBackend())
    assert found and {r.status for r in found} == {Status.PASSED}


def test_a_half_input_with_a_float_weight_is_refused_and_bools_are_not_multiplied():
    def dtypes(op: str, label: str) -> set[tuple[torch.dtype, ...]]:
        return {tuple(p.dtype for _, p in c.wrong.tensors()) for c in as_regions(op) if c.label == label}

    assert (torch.float32, torch.float16, torch.float32) in dtypes(ADDMM, "addmm.T2")
    assert (torch.bool, torch.float32) in dtypes("aten.mm.default", "mm.T1")

    def lenient(bias, mat1, mat2, **keywords):
        return torch.addmm(bias, mat1.to(bias.dtype), mat2.to(bias.dtype), **keywords)

    failed = [r for r in results(ADDMM, overridden(ADDMM, lenient), "addmm.T") if r.is_failure]
    assert {"addmm.T2", "addmm.T3"} <= {r.label for r in failed}
    assert all(r.label in r.message and "returned a result" in r.message for r in failed)


def test_a_bound_beyond_the_dtype_is_refused():
    def lenient(x, minimum=None, maximum=None):
        limits = torch.finfo(x.dtype) if x.is_floating_point() else torch.iinfo(x.dtype)
        low, high = (None if b is None else max(limits.min, min(limits.max, b)) for b in (minimum, maximum))
        return torch.clamp(x, low, high)

    failed = [
        r
        for r in results("aten.clamp.default", overridden("aten.clamp.default", lenient), "clamp.A")
        if r.is_failure
    ]
    assert {r.label for r in failed} == {"clamp.A2", "clamp.A3"}


def test_an_error_that_does_not_name_the_dtype_fails():
    def opaque(self, mat2):
        if self.dtype is torch.bool:
            raise RuntimeError("pipeline 17 was not built")
        return torch.mm(self, mat2)

    failed = [r for r in results("aten.mm.default", overridden("aten.mm.default", opaque)) if r.is_failure]
    assert [(r.label, r.cause) for r in failed] == [("mm.T1", "opaque error")]


def clamped(x, dim, index, *, sparse_grad=False):
    return torch.gather(x, dim, index.clamp(0, x.shape[dim] - 1))


def wrapped(x, dim, index, *, sparse_grad=False):
    return torch.gather(x, dim, index % x.shape[dim])


def zeros(x, dim, index, *, sparse_grad=False):
    inside = (index >= 0) & (index < x.shape[dim])
    return torch.where(inside, torch.gather(x, dim, index.clamp(0, x.shape[dim] - 1)), 0)


@pytest.mark.parametrize(
    ("kernel", "cause"),
    [
        (clamped, "as if the index were clamped"),
        (wrapped, "as if the index wrapped around"),
        (zeros, "with zeros where the index points"),
    ],
)
def test_indices_out_of_range_have_to_raise(kernel: Callable[..., Any], cause: str):
    found = results(GATHER, overridden(GATHER, kernel), "gather.V3")
    assert len(found) >= 6 and all(r.is_failure and r.label == "gather.V3" for r in found)
    assert all("gather.V3" in r.message and "PyTorch raises RuntimeError" in r.message for r in found)
    assert cause in {r.cause for r in found}


class WritesPastOnBadIndex(tp.Backend):
    """Raises for an index out of range, after it has written past its output."""

    name = "writes_past"

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return tp.yes() if node.op == EMBEDDING else tp.no(tp.Reason.OP)

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
        def run(args: Any, outs: Any, stream: Any = None, *, symbols: Any = ()) -> None:
            weight, indices = args
            if not bool(((indices >= 0) & (indices < len(weight))).all()):
                storage = outs[0].untyped_storage()
                ctypes.memset(storage.data_ptr() + storage.nbytes(), 0, 4)
                raise IndexError("index out of range")
            outs[0].copy_(torch.embedding(weight, indices))

        return tp.InProcess(run, destination=True)


def test_canaries_stay_intact_where_a_kernel_raises():
    found = results(EMBEDDING, WritesPastOnBadIndex(), "embedding.V2")
    assert found and {r.cause for r in found} == {"write outside the destination"}
    assert all(r.message.startswith("embedding.V2") for r in found)


def test_what_is_not_claimed_when_valid_is_neither_passed_nor_failed():
    assert {r.status for r in results(GATHER, WritesPastOnBadIndex())} == {Status.UNCLAIMED}


def test_an_exit_is_no_error():
    def exits(*args, **keywords):
        raise SystemExit(1)

    found = results(GATHER, overridden(GATHER, exits), "gather.V3")
    assert {r.cause for r in found} == {"opaque error"}


def test_wrong_sizes_raise_through_torch_compile():
    cases = [c for c in error_cases_for("aten.mm.default", profile_named("full")) if c.road == "compiled"]
    assert {c.label for c in cases} == {"mm.E1", "mm.E2"}
    runner = CompiledErrorRunner(dynamo_subject(tp.EagerBackend()), 0)
    assert {runner.run(c).status for c in cases} == {Status.PASSED}


def test_the_openmp_backend_leaves_numbers_that_do_not_fit_to_pytorch():
    from torchport_reference.openmp_cpu.backend import OpenMPBackend

    for op in ("aten.clamp.default", "aten.masked_fill.Scalar", "aten.pow.Tensor_Scalar"):
        found = results(op, OpenMPBackend(), op.split(".")[1] if op.endswith("default") else op[5:])
        numbers = [r for r in found if ".A" in str(r.label)]
        assert numbers and {r.status for r in numbers} == {Status.PASSED}
