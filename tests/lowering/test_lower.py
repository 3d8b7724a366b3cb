"""Claims and decompositions: atomic descent, parts preferred, one spelling, and `tp.lower` to a tier or for a
backend.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchport as tp
from torchport.contract.spec import Tier, qualified_name
from torchport.errors import LoweringError


class Chooser(tp.EagerBackend):
    """Answers claims from a table of operator name to answer; everything else is refused."""

    name = "chooser"

    def __init__(self, answers: dict[str, tp.Claim]) -> None:
        super().__init__()
        self.answers = answers

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return self.answers.get(node.op, tp.no(tp.Reason.OP))


PARTS = [
    "aten.amax.default",
    "aten.sub.Tensor",
    "aten.exp.default",
    "aten.sum.dim_IntList",
    "aten.div.Tensor",
]


def ops_of(lowered: tp.Lowered) -> list[str]:
    return [n.op for n in lowered.graphs["inference"].nodes]


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def test_a_claimed_operator_stays_whole() -> None:
    lowered = tp.lower(softmax, [torch.randn(3, 4)], backend=Chooser({"aten._softmax.default": tp.yes()}))
    assert ops_of(lowered) == ["aten._softmax.default"] and lowered.reasons == ()


def test_a_refused_operator_becomes_its_claimed_parts() -> None:
    lowered = tp.lower(softmax, [torch.randn(3, 4)], backend=Chooser({op: tp.yes() for op in PARTS}))
    assert ops_of(lowered) == PARTS and lowered.reasons == ()
    assert lowered.graphs["inference"].nodes[0].provenance.origins == ("aten._softmax.default",)


def test_descent_is_atomic() -> None:
    lowered = tp.lower(softmax, [torch.randn(3, 4)], backend=Chooser({op: tp.yes() for op in PARTS[:-1]}))
    assert ops_of(lowered) == ["aten._softmax.default"]
    (reason,) = lowered.reasons
    assert reason.reason is tp.Reason.OP and "aten.div.Tensor" in reason.text


def test_parts_that_lack_the_dtype_leave_the_operator_whole() -> None:
    """The contract moves complex32 as a whole, and has no index or selection of it."""

    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.diagonal_copy(x) * 1

    class PartsAlone(tp.EagerBackend):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            return tp.no(tp.Reason.OP) if "diagonal" in node.op else super().claims(node, target)

    def diagonals(dtype: torch.dtype) -> list[str]:
        lowered = tp.lower(program, [torch.ones(3, 3, dtype=dtype)], backend=PartsAlone())
        return [op for op in ops_of(lowered) if "diagonal" in op]

    assert diagonals(torch.complex64) == []
    assert diagonals(torch.complex32) == ["aten.diagonal_copy.default"]


@pytest.mark.parametrize("count", [5, 4], ids=["parts claimed", "one part refused"])
def test_parts_are_preferred_only_when_all_are_claimed(count: int) -> None:
    answers = {op: tp.yes() for op in PARTS[:count]} | {"aten._softmax.default": tp.prefer_parts()}
    lowered = tp.lower(softmax, [torch.randn(3, 4)], backend=Chooser(answers))
    assert ops_of(lowered) == (PARTS if count == 5 else ["aten._softmax.default"]) and lowered.reasons == ()


FUNCTIONS: dict[str, tuple[Callable[..., Any], list[torch.Tensor]]] = {
    "softmax": (softmax, [torch.randn(3, 5)]),
    "layer_norm": (
        lambda x, w, b: torch.nn.functional.layer_norm(x, (5,), w, b),
        [torch.randn(3, 5), torch.randn(5), torch.randn(5)],
    ),
    "gelu": (lambda x: torch.nn.functional.gelu(x, approximate="tanh"), [torch.randn(3, 5)]),
    "loss": (lambda x: torch.nn.functional.cross_entropy(x, torch.tensor([0, 4, 2])), [torch.randn(3, 5)]),
    "mean": (lambda x: (x - x.mean(0)).var(1), [torch.randn(3, 5)]),
    "linear": (
        lambda x, w, b: torch.nn.functional.silu(torch.nn.functional.linear(x, w, b)),
        [torch.randn(3, 5), torch.randn(4, 5), torch.randn(4)],
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_prim_tier_computes_the_same_forward_and_backward(name: str) -> None:
    fn, inputs = FUNCTIONS[name]
    args = [t.clone().requires_grad_() for t in inputs]
    lowered = tp.lower(fn, args, tier="prim", grad=True)
    contract = tp.opset("1.0").ops
    assert lowered.backward is not None and lowered.reasons == ()
    for graph in (lowered.forward.graph, lowered.backward.graph):
        names = {qualified_name(n.target) for n in graph.nodes if isinstance(n.target, torch._ops.OpOverload)}
        assert {contract[n].tier for n in names} == {Tier.PRIM}
    result = fn(*args)
    first, *saved = lowered.forward(*args)
    torch.testing.assert_close(first, result)
    tangent = torch.randn_like(result)
    ours = lowered.backward(*saved, tangent)
    wanted = torch.autograd.grad(result, args, tangent)
    for got, exact in zip(ours, wanted, strict=True):
        torch.testing.assert_close(got, exact, rtol=1e-5, atol=1e-6)


def test_identities_and_synonyms_have_one_spelling() -> None:
    lowered = tp.lower(lambda x: (x.detach() * 2).contiguous().view(-1), [torch.randn(3, 4)], tier="aten")
    assert ops_of(lowered) == ["aten.mul.Scalar", "aten.view.default"]


def test_numbers_follow_the_schema() -> None:
    lowered = tp.lower(lambda x: x * 2 + 1 - x / 3, [torch.randn(3)], tier="aten")
    assert ops_of(lowered) == ["aten.mul.Scalar", "aten.add.Scalar", "aten.div.Scalar", "aten.sub.Tensor"]


def test_gradients_of_nothing_are_an_error() -> None:
    with pytest.raises(LoweringError, match="needs gradients"):
        tp.lower(torch.sign, [torch.randn(3)], grad=True)


def test_a_module_brings_its_parameters() -> None:
    module = torch.nn.Linear(3, 2)
    lowered = tp.lower(module, [torch.randn(4, 3)], tier="aten", grad=True)
    assert lowered.backward is not None
    assert len([n for n in lowered.forward.graph.nodes if n.op == "placeholder"]) == 3
