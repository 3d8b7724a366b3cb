"""The layers metadata, decomposition, autograd, model and system: a right backend passes, and planted
faults are found and named.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

import torchport as tp
import torchport_conformance as tc
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.layers import Request, layer_named
from torchport_conformance.layers.batches import Batches
from torchport_conformance.layers.closeness import closeness
from torchport_conformance.layers.excuses import REFUSED
from torchport_conformance.report.model import CaseResult, Status
from torchport_conformance.specs import selected
from torchport_conformance.subject import Subject, dynamo_subject

aten = torch.ops.aten


def run(
    backend: tp.Backend, layer: str, *ops: str, profile: str = "training", take: int = 8
) -> list[CaseResult]:
    """The first cases of a layer for some operators."""
    cases = list(layer_named(layer).cases(Request(profile_named(profile), selected(ops))))
    by_op: dict[str, list[Any]] = {}
    for case in cases:
        by_op.setdefault(case.op, []).append(case)
    chosen = [case for found in by_op.values() for case in found[:take]]
    subject = backend if isinstance(backend, Subject) else dynamo_subject(backend)
    runner = layer_named(layer).runner(subject, 0)
    if isinstance(runner, Batches):
        runner.prepare(chosen)
    return [runner.run(case) for case in chosen]


def check(name: str, backend: tp.Backend) -> CaseResult:
    """One check of the system layer."""
    (case,) = (
        c
        for c in layer_named("system").cases(Request(profile_named("full"), ()))
        if c.id.startswith(f"system:{name}[")
    )
    return layer_named("system").runner(dynamo_subject(backend), 0).run(case)


def causes(results: Sequence[CaseResult]) -> set[str]:
    return {r.cause for r in results if r.status is Status.FAILED}


def planted(op: str, spoil: Callable[..., Any]) -> tp.EagerBackend:
    """Eager PyTorch, with the result of one operator spoiled."""
    packet = aten
    for part in op.removeprefix("aten.").split("."):
        packet = getattr(packet, part)
    return tp.EagerBackend({op: lambda *args, **kwargs: spoil(packet(*args, **kwargs), *args)})


def test_a_right_backend_passes_and_is_counted_by_layer() -> None:
    select = ["aten.sub.Tensor", "aten.gelu", "aten.t"]
    layers = ["metadata", "decomposition", "autograd"]
    report = tc.run(tp.EagerBackend(), profile="training", select=select, layers=layers, jobs=0, sample=0.25)
    assert [(f.id, f.message) for f in report.failures] == []
    passed = {
        layer: {r.op for r in report.results if r.layer == layer and r.status is Status.PASSED}
        for layer in layers
    }
    assert all("aten.gelu.default" in found for found in passed.values())
    views = [r for r in report.results if r.op == "aten.t.default" and r.layer == "metadata"]
    assert views and {r.status for r in views} == {Status.UNCLAIMED}


def test_what_a_backend_does_not_claim_never_passes() -> None:
    class Nothing(tp.EagerBackend):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            return tp.no(tp.Reason.OP)

    for layer in ("metadata", "decomposition", "autograd"):
        results = run(Nothing(), layer, "aten.gelu.default", take=2)
        assert [r.status for r in results] == [Status.UNCLAIMED] * 2


def test_a_result_that_is_its_operand_is_found() -> None:
    backend = planted("aten.clone.default", lambda result, x, *_: x)
    results = run(backend, "metadata", "aten.clone.default", take=3)
    assert "wrong aliasing" in causes(results)
    assert any("operand 'self'" in r.message for r in results if r.status is Status.FAILED)


def compiler(spoil: Callable[[torch.Tensor], torch.Tensor]) -> Subject:
    """A compiler of another level, each result of which is spoiled."""

    def compile(gm: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return lambda *args: tuple(spoil(result) for result in gm(*args))

    return Subject("spoiled", "inductor", "cpu", None, compile)


@pytest.mark.parametrize(
    ("spoil", "cause", "text"),
    [
        (lambda t: t.mT.contiguous().mT if t.dim() > 1 else t, "wrong strides", "eager"),
        (
            lambda t: torch.cat([t.new_zeros(1), t.flatten()])[1:].view(t.shape),
            "wrong storage offset",
            "offset 1",
        ),
        (lambda t: t.double(), "wrong dtype", "dtype float64, eager float32"),
        (lambda t: t.unsqueeze(0), "wrong shape", "shape (1, "),
    ],
)
def test_metadata_that_differs_from_eager_is_found(
    spoil: Callable[[torch.Tensor], torch.Tensor], cause: str, text: str
) -> None:
    failed = [r for r in run(compiler(spoil), "metadata", "aten.gelu.default") if r.status is Status.FAILED]
    assert any(r.cause == cause and text in r.message for r in failed)


def test_a_result_that_has_lost_its_gradient_is_found() -> None:
    results = run(compiler(torch.Tensor.detach), "autograd", "aten.gelu.default", take=2)
    assert causes(results) == {"wrong requires_grad"}
    assert all("requires_grad is False, eager True" in r.message for r in results)


def test_what_pytorch_cannot_compute_or_trace_ends_no_process() -> None:
    found = run(tp.EagerBackend(), "decomposition", "aten._transform_bias_rescale_qkv.default")
    (refused,) = [r for r in found if r.status is Status.UNCLAIMED]
    assert "d=0" in refused.id and "while it traces" in refused.message and not causes(found)
    keyword = run(tp.EagerBackend(), "metadata", "aten.random.from", take=2)
    assert [(r.status, r.cause) for r in keyword] == [(Status.UNCLAIMED, REFUSED)] * 2


def test_a_call_without_reference_is_unclaimed_only_where_pytorch_refuses_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    op = "aten._histogramdd_from_bin_tensors.default"
    found = run(tp.EagerBackend(), "decomposition", op, profile="full", take=64)
    (refused,) = [r for r in found if r.status is Status.UNCLAIMED]
    assert "-e=1-" in refused.id and refused.cause == REFUSED
    assert {r.status for r in found if r is not refused} == {Status.PASSED}

    def raises(*_: Any) -> Any:
        raise RuntimeError("no reference")

    monkeypatch.setattr("torchport_conformance.oracle.reference", raises)
    found = run(tp.EagerBackend(), "decomposition", "aten.gelu.default", take=1)
    assert [r.status for r in found] == [Status.SUITE]


@pytest.mark.parametrize(
    ("op", "size"),
    [
        ("quantized_decomposed.quantize_per_channel_group.default", "-m=0-"),
        ("quantized_decomposed.dequantize_per_channel_group.default", "-m=0-"),
        ("torchport.embedding_bag.default", "-b=0-"),
    ],
)
def test_parts_of_a_call_whose_results_have_no_elements_pass(op: str, size: str) -> None:
    found = run(tp.EagerBackend(macros=True), "decomposition", op, profile="full", take=64)
    assert any(size in r.id and r.status is Status.PASSED for r in found) and not causes(found)
    assert {r.status for r in found} == {Status.PASSED}


def test_a_part_that_is_wrong_is_found_in_the_decomposition_only() -> None:
    backend = planted("aten.erf.default", lambda result, *_: result * 0.5)
    assert causes(run(backend, "metadata", "aten.gelu.default", take=1)) == set()
    assert causes(run(backend, "decomposition", "aten.gelu.default", take=2)) == {"parts: outside the bound"}


def test_a_gradient_that_is_wrong_is_found() -> None:
    backend = planted("aten.gelu_backward.default", lambda result, *_: torch.zeros_like(result))
    results = run(backend, "autograd", "aten.gelu.default", take=3)
    assert causes(results) == {"gradient all zero"}
    assert all("the gradient of 'self'" in r.message for r in results if r.status is Status.FAILED)


def test_a_gradient_that_is_wrong_with_a_frozen_operand_only_is_found() -> None:
    def spoil(result: Any, *args: Any) -> Any:
        given, weight, bias = result
        return (given, None if weight is None else weight * 2, bias) if not args[-1][0] else result

    backend = planted("aten.native_layer_norm_backward.default", spoil)
    results = run(backend, "autograd", "aten.native_layer_norm.default", take=99)
    failed = [r for r in results if r.status is Status.FAILED]
    assert failed and all("frozen:input" in r.id for r in failed)
    assert any("the gradient of 'weight'" in r.message for r in failed)


@pytest.mark.parametrize(
    ("name", "tied"), [("aten.min.dim", False), ("aten.mul.Tensor", True), ("aten.cummax.default", True)]
)
def test_no_gradient_is_asked_for_where_any_of_equals_may_be_taken(name: str, tied: bool) -> None:
    found = layer_named("autograd").cases(Request(profile_named("full"), selected([name])))
    assert any("expanded" in case.base.id for case in found) is tied


def test_half_precision_and_missing_nan_are_not_close() -> None:
    exact = torch.tensor([1.1, -2.3, 0.7], dtype=torch.float64)
    eager = exact.float()
    assert closeness(eager, eager, exact, 3).message == ""
    assert closeness(eager.half().float(), eager, exact, 3).cause == "outside the bound"
    lost = torch.tensor([float("nan"), 1.0], dtype=torch.float64)
    assert "not finite" in closeness(torch.zeros(2), lost.float(), lost, 1).cause


class Counted(tp.EagerBackend):
    """Spoils the product of the system layer's program by what a call leaves behind."""

    def __init__(self, spoil: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__({"aten.mm.default": lambda a, b: spoil(torch.mm(a, b))})


def test_system_checks_pass_on_a_right_backend() -> None:
    names = ("threads.one_object", "threads.two_backends", "determinism.repeated", "memory.growth")
    names += ("state.restored", "state.inputs", "process.loader", "determinism.thread_counts")
    results = {name: check(name, tp.EagerBackend()) for name in names}
    assert {n: (r.status, r.message) for n, r in results.items() if r.status is not Status.PASSED} == {}


def test_results_that_differ_from_call_to_call_are_found() -> None:
    state = {"calls": 0}

    def spoil(result: torch.Tensor) -> torch.Tensor:
        state["calls"] += 1
        return result + 1e-6 * (state["calls"] % 7)

    found = check("determinism.repeated", Counted(spoil))
    assert (found.status, found.cause) == (Status.FAILED, "not deterministic") and "differs" in found.message


def test_memory_that_grows_is_found() -> None:
    kept: list[torch.Tensor] = []

    def spoil(result: torch.Tensor) -> torch.Tensor:
        kept.append(result)
        return result

    found = check("memory.growth", Counted(spoil))
    assert found.cause == "memory leak" and "more tensors are alive" in found.message


def test_state_shared_by_threads_is_found() -> None:
    shared: list[torch.Tensor] = []
    barrier = threading.Event()

    def spoil(result: torch.Tensor) -> torch.Tensor:
        shared[:] = [result]
        barrier.wait(0.002)
        return shared[0].clone()

    assert check("threads.one_object", Counted(spoil)).cause == "thread-unsafe"


def test_settings_that_are_changed_are_found() -> None:
    threads = torch.get_num_threads()

    def spoil(result: torch.Tensor) -> torch.Tensor:
        torch.set_num_threads(threads + 1)
        return result

    try:
        found = check("state.restored", Counted(spoil))
    finally:
        torch.set_num_threads(threads)
    assert found.cause == "global state changed" and "number of threads" in found.message


def test_an_input_that_is_written_is_found() -> None:
    backend = tp.EagerBackend({"aten.mm.default": lambda a, b: torch.mm(a.add_(1.0), b)})
    found = check("state.inputs", backend)
    assert found.cause == "input modified" and "'x'" in found.message


@pytest.mark.parametrize("layer", ["metadata", "decomposition", "autograd", "model", "system"])
def test_ids_are_unique_and_no_profile_has_less_than_quick(layer: str) -> None:
    specs = selected(("aten.mul", "aten.gelu", "aten.mm", "aten.native_layer_norm", "aten.embedding"))
    counts = []
    for profile in ("quick", "training", "full"):
        ids = [case.id for case in layer_named(layer).cases(Request(profile_named(profile), specs))]
        assert len(set(ids)) == len(ids) and all(i.startswith(f"{layer}:") for i in ids)
        counts.append(len(ids))
    assert counts == sorted(counts) and counts[1] > 0
