"""Capture to run: values, gradients, mutation, aliasing, strides and dynamic shapes through backends that
claim little or much.
"""

import copy
from typing import Any

import pytest
import torch
from torch._dynamo.utils import counters

import torchport as tp

SELECTIONS = {
    "everything": None,
    "nothing": [],
    "elementwise": [
        "aten.mul.Tensor",
        "aten.mul.Scalar",
        "aten.add.Tensor",
        "aten.gelu.default",
        "aten.sub.Tensor",
    ],
    "parts of softmax": [
        "aten.amax.default",
        "aten.sub.Tensor",
        "aten.exp.default",
        "aten.sum.dim_IntList",
        "aten.div.Tensor",
    ],
    "products and views": ["aten.addmm.default", "aten.mm.default", "aten.t.default", "aten.view.default"],
}


def grads(model: torch.nn.Module, run: Any, x: torch.Tensor) -> list[torch.Tensor]:
    model.zero_grad()
    loss = (run(x)[:, 0] ** 2).sum()
    loss.backward()
    return [loss.detach(), *(p.grad for p in model.parameters()), *(b.clone() for b in model.buffers())]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("ops", SELECTIONS.values(), ids=SELECTIONS)
def test_training_equals_eager(selective: Any, network: Any, ops: list[str] | None, dynamic: bool) -> None:
    backend, twin = selective(ops), copy.deepcopy(network)
    compiled = torch.compile(network, backend=backend, dynamic=dynamic, fullgraph=True)
    for rows in (3, 5) if dynamic else (3, 3):
        x = torch.randn(rows, 8)
        ours, exact = grads(network, compiled, x), grads(twin, twin, x)
        for got, wanted in zip(ours, exact, strict=True):
            torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-6)
    phases = [g.phase for g in tp.reports(backend).graphs]
    assert phases == ["forward", "backward"]
    share = tp.reports(backend).claimed_share
    assert share == {"everything": 1.0, "nothing": 0.0}.get(_name(ops), share)
    assert bool(backend.compiled) == (ops != [])


def _name(ops: list[str] | None) -> str:
    return next(name for name, listed in SELECTIONS.items() if listed == ops)


def test_a_new_size_does_not_recompile(selective: Any, network: Any) -> None:
    backend = selective()
    compiled = torch.compile(network, backend=backend, dynamic=True)
    grads(network, compiled, torch.randn(4, 8))
    regions, graphs = len(backend.compiled), counters["stats"]["unique_graphs"]
    for rows in (7, 33, 128):
        grads(network, compiled, torch.randn(rows, 8))
    assert len(backend.compiled) == regions > 0
    assert counters["stats"]["unique_graphs"] == graphs
    assert tp.reports(backend).compiled_regions == regions


def test_inference_has_one_graph(selective: Any, network: Any) -> None:
    backend = selective()
    with torch.no_grad():
        x = torch.randn(3, 8)
        network.eval()
        got = torch.compile(network, backend=backend)(x)
        torch.testing.assert_close(got, network(x))
    assert [g.phase for g in tp.reports(backend).graphs] == ["inference"]


@pytest.mark.parametrize(
    "ops", [None, [], ["aten.add.Tensor", "aten.mul.Scalar"]], ids=["all", "none", "some"]
)
class TestAliasingAndMutation:
    def check(self, fn: Any, *shapes: tuple[int, ...], backend: Any) -> None:
        inputs = [torch.randn(s) for s in shapes]
        ours, theirs = [t.clone() for t in inputs], [t.clone() for t in inputs]
        got, wanted = torch.compile(fn, backend=backend, fullgraph=True)(*ours), fn(*theirs)
        for a, b in zip([*ours, *got], [*theirs, *wanted], strict=True):
            torch.testing.assert_close(a, b)
            assert a.stride() == b.stride()
        shared = [
            [a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() for b in (*ours, *got)]
            for a in got
        ]
        expected = [
            [a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() for b in (*theirs, *wanted)]
            for a in wanted
        ]
        assert shared == expected

    def test_mutated_input(self, selective: Any, ops: Any) -> None:
        def fn(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
            x.add_(y)
            return (x * 2, y + x)

        self.check(fn, (3, 4), (3, 4), backend=selective(ops))

    def test_view_of_input(self, selective: Any, ops: Any) -> None:
        self.check(lambda x: (x.t(), x[1:], x + 1), (3, 4), backend=selective(ops))

    def test_views_of_one_intermediate(self, selective: Any, ops: Any) -> None:
        def fn(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            y = x * 2
            return (y.t(), y.view(-1), y)

        self.check(fn, (3, 4), backend=selective(ops))

    def test_strides_of_a_permuted_result(self, selective: Any, ops: Any) -> None:
        self.check(
            lambda x: (x.permute(2, 0, 1) + 1, (x.transpose(0, 1) * 2).view(3, 4, 2)),
            (4, 3, 2),
            backend=selective(ops),
        )

    def test_input_returned(self, selective: Any, ops: Any) -> None:
        self.check(lambda x, y: (x, x + y), (3,), (3,), backend=selective(ops))

    def test_mutation_through_a_view(self, selective: Any, ops: Any) -> None:
        def fn(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            x[0].mul_(3)
            return (x.sum(0),)

        self.check(fn, (3, 4), backend=selective(ops))


def test_data_dependent_sizes_run_in_fallback(selective: Any) -> None:
    backend = selective(["aten.mul.Scalar"])

    def fn(x: torch.Tensor) -> torch.Tensor:
        return (x[x > 0] * 2).sum()

    x = torch.randn(50)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        got = torch.compile(fn, backend=backend, fullgraph=True)(x)
    torch.testing.assert_close(got, fn(x))
    (rejection,) = (r for r in tp.reports(backend).rejections if r.op == "aten.index.Tensor")
    assert rejection.reason is tp.Reason.DYNAMIC


def test_a_call_that_the_contract_does_not_describe_is_left_to_eager(selective: Any) -> None:
    backend = selective()

    def fn(x: torch.Tensor) -> torch.Tensor:
        return (x.to(torch.complex32) * 2).to(torch.complex64) + x  # half-precision complex numbers

    x = torch.arange(50.0)
    torch.testing.assert_close(torch.compile(fn, backend=backend, fullgraph=True)(x), fn(x))
    (rejection,) = tp.reports(backend).rejections
    assert rejection.reason is tp.Reason.NOT_IN_CONTRACT and "mul.Scalar.T1" in rejection.text


@pytest.mark.parametrize("fn", [torch.nonzero, lambda x: x.nonzero() * 2, lambda x: x.nonzero().shape[0] + 1])
def test_results_of_a_size_that_depends_on_data(selective: Any, fn: Any) -> None:
    backend, x = selective(), torch.tensor([1.0, 0.0, 2.0])
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(fn, backend=backend, fullgraph=True)
    got, wanted = compiled(x), fn(x)
    assert torch.equal(got, wanted) if isinstance(wanted, torch.Tensor) else got == wanted
    reasons = {r.op: r.reason for r in tp.reports(backend).rejections}
    assert reasons["aten.nonzero.default"] is tp.Reason.DYNAMIC


def test_random_draws_keep_their_order(selective: Any) -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        return (
            torch.nn.functional.dropout(x * 2, 0.5) + torch.rand_like(x) - torch.nn.functional.dropout(x, 0.3)
        )

    x = torch.randn(64)
    torch.manual_seed(7)
    wanted = fn(x)
    torch.manual_seed(7)
    got = torch.compile(fn, backend=selective(["aten.mul.Scalar", "aten.mul.Tensor", "aten.sub.Tensor"]))(x)
    torch.testing.assert_close(got, wanted)


def test_an_empty_graph_and_scalars(selective: Any) -> None:
    backend = selective()
    x = torch.randn(3)
    assert torch.compile(lambda t: (t, 3, None), backend=backend)(x)[1:] == (3, None)
    compiled = torch.compile(lambda t, n: t * n + t.shape[0], backend=backend, dynamic=True)
    for n, t in ((3, torch.randn(4)), (5, torch.randn(6)), (2.5, torch.randn(6))):
        torch.testing.assert_close(compiled(t, n), t * n + t.shape[0])


def test_roles_and_names_reach_the_region(selective: Any, network: Any) -> None:
    backend = selective()
    torch.compile(network, backend=backend)(torch.randn(3, 8)).sum().backward()
    forward, backward = backend.compiled
    parameters = {s.name: s for s in forward.inputs if s.role is tp.Role.PARAMETER}
    assert parameters.keys() == dict(network.named_parameters()).keys()
    assert parameters["up.weight"].requires_grad and parameters["up.weight"].weight_id == "up.weight"
    buffers = {s.name: s for s in forward.inputs if s.role is tp.Role.BUFFER}
    assert buffers.keys() == {"batch.running_mean", "batch.running_var", "batch.num_batches_tracked"}
    assert buffers["batch.running_mean"].mutated
    assert [s.shape for s in forward.inputs if s.role is tp.Role.INPUT] == [(3, 8)]
    assert {s.role for s in backward.inputs} >= {tp.Role.TANGENT, tp.Role.SAVED}


def test_dump_writes_each_named_stage(selective: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHPORT_DUMP", "capture,lower,run")
    monkeypatch.setenv("TORCHPORT_DUMP_DIR", str(tmp_path))
    torch.compile(lambda x: x.relu() * 2, backend=selective())(torch.randn(3))
    text = {path.name.split("-")[-1]: path.read_text() for path in tmp_path.iterdir()}
    assert set(text) == {"capture.txt", "lower.txt", "run.txt"}
    assert "aten.relu.default" in text["capture.txt"] and "def call(args)" in text["run.txt"]
