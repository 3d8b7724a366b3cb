"""Generated graphs: a clean backend passes, one wrong node is found and cut down to itself, seeds replay."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator

import planted_graph_faults as faults
import pytest
import torch
from rich.console import Console

import torchport as tp
from torchport.contract.graph import Node
from torchport.errors import OptionError, TorchportError
from torchport_conformance import cli, fuzz
from torchport_conformance.fuzz.generate import Generator
from torchport_conformance.fuzz.graph import Graph, Input, Ref, Size, Step, live
from torchport_conformance.fuzz.shrink import shrink
from torchport_conformance.fuzz.trial import claims_of, graph_of, settled
from torchport_conformance.layers.graph.observation import observe
from torchport_conformance.layers.graph.verdict import Comparison
from torchport_conformance.propagation.worlds import Worlds, judge
from torchport_conformance.subject import dynamo_subject

pytestmark = pytest.mark.filterwarnings("ignore")


def everything(node: Node) -> bool:
    return True


def compared(graph: Graph, seed: int = 0) -> Comparison:
    """Eager PyTorch against the bounds of the same graph."""
    fn, given = graph.function(), [i.tensor() for i in graph.inputs]
    reference = observe(lambda: fn(*given), given, Worlds(seed))
    own = [i.tensor() for i in graph.inputs]
    found = Comparison()
    found.compare(observe(lambda: fn(*own), own), reference, "call")
    return found


def test_eager_is_within_the_bounds_of_generated_graphs() -> None:
    elements = judged = 0
    for index in range(16):
        found = compared(graph_of(claims_of(dynamo_subject(tp.EagerBackend())), 7, index))
        assert [d.text for d in found.differences] == []
        elements, judged = elements + found.elements, judged + found.judged
    assert elements > 1500 and judged > 0.9 * elements


def test_a_clean_backend_passes_and_says_how_much_ran() -> None:
    found = fuzz.run(tp.EagerBackend(), graphs=4, seed=5)
    assert found.ok and found.ran == 4 and found.nodes > 20 > 10 * found.left
    assert found.judged > 0.9 and 0 < found.ratio <= 1
    assert "4 graphs of seed 5: 4 ran on the backend" in str(found)


TANH = Graph(
    (Input((Size(3), Size(4)), torch.float32, seed=1, grad=True), Input((Size(4),), torch.float32, seed=2)),
    (
        Step("aten.mul.Tensor", (("self", Ref(0)), ("other", Ref(1))), 1),
        Step("aten.tanh.default", (("self", Ref(2)),), 1),
        Step("aten.sum.dim_IntList", (("self", Ref(3)), ("dim", (1,)), ("keepdim", False)), 1),
        Step("aten.add.Scalar", (("self", Ref(4)), ("other", 1)), 1),
    ),
    (5, 2),
    (((3, 5), (4, 6)),),
    True,
)


class OnlyTanh(faults.NodeOff):
    """Claims few operators, one of which is off by 1e-3."""

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        few = {s.op for s in TANH.steps} | {"aten.abs.default", "aten.clone.default"}
        return tp.yes() if node.op in few else tp.no(tp.Reason.OP)


@pytest.fixture(scope="module")
def wrong() -> Iterator[fuzz.FuzzReport]:
    yield fuzz.run(OnlyTanh(), graphs=8, seed=2)


def test_graphs_are_of_what_is_claimed(wrong: fuzz.FuzzReport) -> None:
    assert "aten.tanh.default" in wrong.operators
    claimed = {s.op for s in TANH.steps} | {"aten.abs.default", "aten.clone.default"}
    claims = claims_of(dynamo_subject(OnlyTanh()))
    drawn = {op for index in range(24) for op in graph_of(claims, 2, index).ops}
    assert {op.replace("_.", ".") for op in drawn} == claimed
    assert set(wrong.operators) <= drawn


def test_an_error_of_a_thousandth_in_one_node_is_cut_down_to_it(wrong: fuzz.FuzzReport) -> None:
    (found,) = wrong.failures
    assert found.signature == "values: aten.tanh.default"
    assert found.graph.ops == ("aten.tanh.default",) and found.steps_before >= 1
    assert "elements are wrong" in found.message
    assert not wrong.ok and found.signature in str(wrong)


def test_the_reproducer_fails_as_pasted(wrong: fuzz.FuzzReport) -> None:
    (found,) = wrong.failures
    text = found.reproducer.replace(f"backend={wrong.backend!r}", "backend=backend")
    with pytest.raises(AssertionError, match="not close"):
        exec(compile(text, "<pasted>", "exec"), {"backend": OnlyTanh()})
    exec(compile(text, "<pasted>", "exec"), {"backend": "eager"})


def test_seeds_replay(wrong: fuzz.FuzzReport) -> None:
    (found,) = wrong.failures
    again = fuzz.replay(OnlyTanh(), 2, found.index)
    assert again.failed and again.cause == "values"
    assert graph_of(everything, 3, 4) == graph_of(everything, 3, 4) != graph_of(everything, 3, 5)


def test_shrinking_reaches_one_step_two_elements_and_plain_inputs() -> None:
    def fails(graph: Graph) -> bool:
        return settled(graph) is not None and "aten.tanh.default" in graph.ops

    small = shrink(TANH, fails)
    assert small.ops == ("aten.tanh.default",) and len(small.inputs) == 1
    (given,) = small.inputs
    assert given.tensor().shape == (2, 2) and not given.grad and given.layout == "contiguous"
    assert small.dynamic is False and small.sizes == ()


def test_sizes_are_read_from_arguments_and_may_change() -> None:
    assert "s3 = x0.shape[0]" in TANH.source()
    resized = TANH.resized({3: 5, 4: 6})
    assert [tuple(i.shape) for i in resized.inputs] == [(5, 6), (6,)]
    assert compared(resized).differences == []


def test_what_nothing_reads_is_left_out() -> None:
    pruned = live(Graph(TANH.inputs, TANH.steps, (2,)))
    assert pruned.ops == ("aten.mul.Tensor",) and pruned.results == (2,)


def test_too_little_to_grow_from_is_an_error() -> None:
    assert Generator(lambda node: False, random.Random(0)).graph(3) is None
    with pytest.raises(TorchportError, match="no graph could be grown"):
        graph_of(lambda node: False, 0, 0)
    with pytest.raises(OptionError, match="at least one graph"):
        fuzz.run(tp.EagerBackend(), graphs=0)


def test_what_is_only_moved_has_no_bound_and_sums_have_one() -> None:
    x = torch.tensor([[1.5, float("nan")], [0.1, -2.0]])
    worlds = Worlds(0)
    with worlds:
        moved, total = x.flip(0).t(), x[1].sum()
    assert judge(moved, worlds.values(moved)).ok
    assert not judge(moved + 1e-7, worlds.values(moved)).ok
    assert not judge(moved.nan_to_num(), worlds.values(moved)).ok
    assert judge(total, worlds.values(total)).ok
    assert judge(torch.nextafter(total, total + 1), worlds.values(total)).ok
    assert not judge(total * (1 + 1e-5), worlds.values(total)).ok


def test_choices_that_depend_on_rounding_are_not_judged_and_others_are() -> None:
    a = torch.tensor([1.0, 2.0, 3.0])
    worlds = Worlds(0)
    with worlds:
        close, apart = (a * 0.1) > (a / 10), a * 0.1 > 0.15
    assert judge(close, worlds.values(close)).judged == 0
    assert judge(apart, worlds.values(apart)).judged == 3
    assert not judge(~apart, worlds.values(apart)).ok


def test_gradients_that_are_zero_without_memory_have_worlds() -> None:
    x = torch.tensor([0.5, -2.0], requires_grad=True)
    worlds = Worlds(0)
    with worlds:
        (x.sgn() * 2 + x).sum().backward()
    assert x.grad is not None and judge(x.grad, worlds.values(x.grad)).ok
    assert worlds.values(x.grad)[0].tolist() == [1.0, 1.0]


def test_writes_through_views_reach_the_exact_values() -> None:
    x = torch.arange(6.0).view(2, 3)
    worlds = Worlds(0)
    with worlds:
        x.t()[1].mul_(0.1)
        y = x.sum(0)
    assert worlds.values(x)[0][:, 1].tolist() == [1 * 0.1, 4 * 0.1]
    assert float(worlds.values(y)[0][1]) == pytest.approx(0.5, abs=1e-15)
    assert judge(y, worlds.values(y)).ok and not judge(y + 1e-4, worlds.values(y)).ok


def test_the_command_prints_reproducers_and_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(file=io.StringIO())
    assert cli._fuzz("test_fuzz:OnlyTanh", 16, 2, console) == 1
    printed = capsys.readouterr().out
    assert "torch.compile(program, backend='test_fuzz:OnlyTanh'" in printed
    assert "failed: values: aten.tanh.default (graph " in printed
    assert cli._fuzz("no_such_backend", 1, 0, console) == cli.EXIT_USAGE


def test_in_inference_mode_composites_are_judged_by_their_parts() -> None:
    torch.manual_seed(0)
    a, b, bias = torch.randn(2, 5, 7), torch.randn(7, 3), torch.randn(3)

    def programs() -> list[torch.Tensor]:
        wide = a.transpose(0, 1).reshape(10, 7)  # a composite that copies
        linear = torch.nn.functional.linear(wide, b.t(), bias)
        return [a @ b, linear, torch.einsum("bij,jk->bik", a, b), linear.softmax(-1).flatten()]

    within = [Worlds(0), Worlds(0)]
    with torch.inference_mode(), within[0]:
        inference = programs()
    with torch.no_grad(), within[1]:
        plain = programs()
    for ours, theirs in zip(inference, plain, strict=True):
        values = within[0].values(ours)
        assert all(torch.equal(x, y) for x, y in zip(values, within[1].values(theirs), strict=True))
        assert judge(ours, values).ok and not judge(ours * (1 + 1e-3), values).ok
    exact = a.double() @ b.double()
    assert torch.allclose(within[0].values(inference[0])[0], exact, rtol=1e-14)
