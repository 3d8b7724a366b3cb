"""After a late refusal: the parts are offered again, later backends are asked under their limits, and what
nobody takes ends in eager PyTorch with every reason.
"""

from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed

import torchport as tp
from torchport.errors import CompileError, FallbackError, LoweringError


def softmax(x: torch.Tensor) -> torch.Tensor:
    return (x * 2).softmax(-1) + 1


class Late(tp.EagerBackend):
    """Refuses operators when it compiles them."""

    def __init__(self, name: str, *refused: str, claims: bool = True, **limits: Any) -> None:
        super().__init__()
        type(self).name = name
        self.refused, self.claiming, self.limits = refused, claims, tp.Capabilities(**limits)
        self.compiled: list[tuple[str, ...]] = []

    def capabilities(self, target: tp.Target) -> tp.Capabilities:
        return self.limits

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return super().claims(node, target) if self.claiming else tp.no(tp.Reason.OP, "nothing")

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        found = tuple(n.name for n in region.nodes if n.op in self.refused)
        if found:
            return tp.Refusal(found, tp.Reason.MEMORY, "too large")
        self.compiled.append(tuple(n.op for n in region.nodes))
        return super().compile(region, target, options)


def late(name: str, *refused: str, **given: Any) -> Late:
    return type(name, (Late,), {})(name, *refused, **given)  # type: ignore[no-any-return]


def check(backend: Any, function: Any = softmax, **options: Any) -> tp.Reports:
    x = torch.randn(3, 4)
    compiled: Any = torch.compile(function, backend=backend, options=options or None)
    torch.testing.assert_close(compiled(x), function(x))
    return tp.reports(backend)


def test_the_parts_of_a_refused_node_are_offered_to_the_same_backend() -> None:
    backend = late("one", "aten._softmax.default")
    found = check(backend)
    assert found.claimed_share == 1.0 and not found.rejections
    ops = {op for region in backend.compiled for op in region}
    assert "aten.exp.default" in ops and "aten._softmax.default" not in ops


def test_parts_that_are_refused_too_end_in_eager() -> None:
    """What is left in eager PyTorch is the part: the whole is gone by then, and its other parts run."""
    backend = late("one", "aten._softmax.default", "aten.exp.default")
    found = check(backend)
    assert dict(found.fallback_ops) == {"aten.exp.default": 1}
    (rejection,) = found.rejections
    assert rejection.reason is tp.Reason.COMPILE and "memory: too large" in rejection.text
    assert "test_late_refusals.py" in rejection.source


def test_the_next_backend_is_asked_before_the_parts() -> None:
    first, second = late("first", "aten._softmax.default"), late("second")
    found = check(tp.compose(first, second))
    assert found.claimed_share == 1.0
    regions = [(r.backend, r.ops) for r in found.graphs[0].regions]
    assert {b for b, _ in regions} <= {"first", "second"} and not found.rejections


def test_the_next_backend_is_asked_under_its_limits() -> None:
    """It would claim the node, and its declared dtypes exclude it."""
    first, second = late("first", "aten.exp.default"), late("second", dtypes=(torch.float64,))
    found = check(tp.compose(first, second), lambda x: (x * 2).exp() + 1)
    reasons = {(r.backend, r.reason) for r in found.rejections if r.op == "aten.exp.default"}
    assert reasons == {("first", tp.Reason.COMPILE), ("second", tp.Reason.DTYPE)}
    assert second.compiled == []


def test_both_refuse_late() -> None:
    first, second = late("first", "aten.exp.default"), late("second", "aten.exp.default")
    found = check(tp.compose(first, second), lambda x: (x * 2).exp() + 1)
    assert [(r.backend, r.reason) for r in found.rejections] == [
        ("first", tp.Reason.COMPILE),
        ("second", tp.Reason.COMPILE),
    ]
    assert dict(found.fallback_ops) == {"aten.exp.default": 1}


def test_a_claim_that_fails_while_asked_again_is_a_typed_error() -> None:
    first, second = late("first", "aten.exp.default"), late("second")
    second.claims = lambda node, target: 1 / 0  # type: ignore[assignment,return-value]
    with pytest.raises(BackendCompilerFailed) as caught:
        torch.compile(lambda x: (x * 2).exp() + 1, backend=tp.compose(first, second))(torch.randn(3))
    assert isinstance(caught.value.inner_exception, LoweringError)
    assert "ZeroDivisionError" in str(caught.value)


def test_everything_refused_is_eager_and_strict_counts_it() -> None:
    ops = ("aten.sin.default", "aten.exp.default")

    def function(x: torch.Tensor) -> torch.Tensor:
        return x.sin().exp()

    found = check(late("none", *ops), function)
    assert found.claimed_share == 0.0 and found.compiled_regions == 0
    assert found.reasons == {"compile": 2}
    with pytest.raises(BackendCompilerFailed, match="2 nodes would run outside") as caught:
        torch.compile(function, backend=late("none", *ops), options={"strict": True})(torch.randn(3))
    error = caught.value.inner_exception
    assert isinstance(error, FallbackError) and {r.op for r in error.rejections} == set(ops)


def test_a_proposal_that_was_refused_is_not_tried_again() -> None:
    class Proposing(Late):
        def propose(self, graph: tp.Graph, target: tp.Target) -> Any:
            return [tp.Proposal(frozenset(n.name for n in graph.nodes), "all")]

    backend = Proposing("proposing", "aten.exp.default")
    found = check(backend, lambda x: (x * 2).exp() + 1)
    assert dict(found.fallback_ops) == {"aten.exp.default": 1}
    assert sorted(backend.compiled) == [("aten.add.Scalar",), ("aten.mul.Scalar",)]


def test_the_bound_is_an_error_that_names_the_option() -> None:
    class Endless(Late):
        def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
            return tp.Refusal((region.nodes[0].name,), tp.Reason.COST)

    with pytest.raises(BackendCompilerFailed) as caught:
        torch.compile(softmax, backend=Endless("endless"), options={"max_refusals": 1})(torch.randn(3, 4))
    assert isinstance(caught.value.inner_exception, CompileError)
    assert "max_refusals=1" in str(caught.value)
