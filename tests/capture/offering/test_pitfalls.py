"""Where a claimed composite could change a program without anybody noticing."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
import torch.utils.checkpoint
from torch import Tensor
from torch.nn import functional as F
from torch.testing._internal.two_tensor import TwoTensor

import torchport as tp
from torchport.capture.offering.offer import offering
from torchport.capture.tracing import _HOOKED
from torchport.compile.backend import may_claim
from torchport.compile.options import Options, parse_options
from torchport.compile.reports import Reports
from torchport.contract.composites import composites
from torchport.contract.spec import resolve
from torchport.pipeline import session_for

from .conftest import Claiming

MATMUL, SDPA, EINSUM = (
    "aten.matmul.default",
    "aten.scaled_dot_product_attention.default",
    "aten.einsum.default",
)


def t(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape)))


def regions(backend: Any, phase: str) -> list[str]:
    return [op for g in tp.reports(backend).graphs if g.phase == phase for r in g.regions for op in r.ops]


def test_dropout_in_attention_has_one_mask_in_both_graphs() -> None:
    """A recomputed composite would draw another mask: its gradient would be that of another function."""
    backend = Claiming(SDPA)
    q, v = torch.ones(1, 1, 64, 64), torch.eye(64)[None, None].clone().requires_grad_()
    program = torch.compile(
        lambda q, v: F.scaled_dot_product_attention(q * 0, q * 0, v, dropout_p=0.5), backend=backend
    )
    torch.manual_seed(0)
    result = program(q, v)
    result.sum().backward()
    assert v.grad is not None
    torch.testing.assert_close(v.grad[0, 0][:, 0], result[0, 0].sum(0))
    assert SDPA not in regions(backend, "forward")
    with torch.no_grad():
        program(q, v)
    assert SDPA in regions(backend, "inference")


def test_what_is_recomputed_stays_in_the_backward_graph(run: Any) -> None:
    outcome = run(lambda a, b: torch.matmul(a, b).sin(), (t(2, 3, 4), t(4, 5)), Claiming(MATMUL))
    outcome.assert_as_eager()
    assert outcome.ops("forward") == [MATMUL, "aten.sin.default"]


def test_a_checkpoint_recomputes_a_claimed_composite(run: Any) -> None:
    def program(a: Tensor, b: Tensor) -> Any:
        body = lambda a, b: torch.matmul(a, b).relu().sin()  # noqa: E731
        return torch.utils.checkpoint.checkpoint(body, a, b, use_reentrant=False)

    outcome = run(program, (t(2, 3, 4), t(4, 5)), Claiming(MATMUL))
    outcome.assert_as_eager()
    assert MATMUL in outcome.ops("forward")
    assert MATMUL in outcome.ops("backward")


@pytest.mark.parametrize("transform", ["grad", "vmap"])
def test_transforms_compute_the_same(run: Any, transform: str) -> None:
    """Inside of one nothing is offered; what vmap makes of its body is an ordinary program again."""

    def program(a: Tensor, b: Tensor) -> Any:
        if transform == "vmap":
            return torch.vmap(lambda x: torch.matmul(x, b))(a)
        return torch.func.grad(lambda x: torch.matmul(x, b).sin().sum())(a)

    outcome = run(program, (t(2, 3, 4), t(4, 5)), Claiming(MATMUL), train=False)
    outcome.assert_as_eager()
    assert (MATMUL in outcome.ops("inference")) == (transform == "vmap")


def test_the_parts_of_a_subclass_are_offered_on_its_plain_tensors() -> None:
    backend = Claiming("aten.linear.default", "aten.group_norm.default")
    a, w = TwoTensor(t(2, 8, 4), t(2, 8, 4) + 1), torch.ones(8)
    program = lambda x, w: F.group_norm(x, 2, w).sin()  # noqa: E731
    result = torch.compile(program, backend=backend)(a, w)
    torch.testing.assert_close(result.a, program(a.a, w))
    torch.testing.assert_close(result.b, program(a.b, w))


def test_a_result_that_shares_memory_is_left_to_its_parts(run: Any) -> None:
    def program(x: Tensor) -> tuple[Tensor, Tensor]:
        y = x * 1.0
        turned = torch.einsum("ij->ji", y)  # a view
        turned.mul_(2.0)
        return y, F.dropout(y, 0.5, training=False)

    outcome = run(program, (t(3, 4),), Claiming(EINSUM, "aten.dropout.default"), train=False)
    outcome.assert_as_eager()
    assert not {EINSUM, "aten.dropout.default"} & set(outcome.ops("inference"))


def test_a_composite_that_writes_to_an_argument_is_left_to_its_parts() -> None:
    backend, norm = Claiming("aten.batch_norm.default"), torch.nn.BatchNorm1d(4)
    twin = torch.nn.BatchNorm1d(4)
    x = t(6, 4)
    torch.testing.assert_close(torch.compile(norm, backend=backend)(x), twin(x))
    torch.testing.assert_close(norm.running_mean, twin.running_mean)
    assert "aten.batch_norm.default" not in regions(backend, "forward")


def test_a_late_refusal_runs_the_composite_itself(run: Any) -> None:
    class Refusing(Claiming):
        def compile(self, region: tp.Region, target: tp.Target, options: Options) -> Any:
            names = [n.name for n in region.nodes if n.op == MATMUL]
            return (
                tp.Refusal(names, tp.Reason.MEMORY, "") if names else super().compile(region, target, options)
            )

    outcome = run(torch.matmul, (t(2, 3, 4), t(4, 5)), Refusing(MATMUL))
    outcome.assert_as_eager()
    assert dict(outcome.reports.fallback_ops) == {MATMUL: 1}


def test_nothing_outlives_the_trace() -> None:
    ops = [resolve(name) for name in composites()]
    before = [dict(op.py_kernels) for op in ops]

    def failing(x: Tensor) -> Tensor:
        return torch.matmul(x, x)

    class Broken(tp.EagerBackend):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            if node.op == MATMUL:
                raise ZeroDivisionError("planted")
            return super().claims(node, target)

    torch.compile(failing, backend=Claiming(MATMUL))(t(3, 3))
    torch._dynamo.reset()
    with pytest.raises(Exception, match="planted"):
        torch.compile(failing, backend=Broken())(t(3, 3))
    assert [dict(op.py_kernels) for op in ops] == before
    assert not _HOOKED
    assert torch._dynamo.config.allow_rnn is False


def test_other_threads_do_not_notice() -> None:
    """While one thread traces, another one runs and traces the same composites as they are."""
    backend = Claiming(MATMUL)
    bound = session_for([backend], parse_options({}, None, backend="claiming"), Reports())
    seen: list[Any] = []

    def elsewhere() -> None:
        graph = torch.fx.experimental.proxy_tensor.make_fx(torch.matmul, tracing_mode="fake")(
            t(2, 3, 4), t(4, 5)
        )
        seen.append([str(n.target) for n in graph.graph.nodes if n.op == "call_function"])

    with offering(bound.backends, bound.opset, [], trains=False):
        assert resolve(MATMUL) in _HOOKED
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert seen == [["aten.view.default", "aten.mm.default", "aten._unsafe_view.default"]]
    assert not _HOOKED


def test_a_backend_that_claims_no_composite_is_asked_for_none() -> None:
    class Table(tp.EagerBackend):
        asked: tuple[str, ...] = ()

        def may_claim(self, op: str) -> bool:
            return op.startswith("aten.") and super().may_claim(op)

        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            type(self).asked += (node.op,)
            return super().claims(node, target)

    torch.compile(lambda a, b: torch.matmul(a, b), backend=Table())(t(2, 3, 4), t(4, 5))
    assert MATMUL not in Table.asked
    assert "aten.mm.default" in Table.asked
    assert may_claim(Claiming(), MATMUL), "its claims() are not those that the inherited answer speaks for"
