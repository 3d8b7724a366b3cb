"""Placements on graphs of a few nodes, without a compiler."""

from collections.abc import Sequence

import pytest
import torch

from torchport.contract.graph import Graph, Node, Role, TensorSpec, Value, contiguous_strides
from torchport.partition.regions import Segment
from torchport.partition.reinplace import Placements, Way, place
from torchport.run.updates import base_of, in_place, in_place_form, is_update, may_overlap_itself


def value(name: str, shape: tuple[int, ...] = (4, 6), stride: tuple[int, ...] | None = None) -> Value:
    strides = contiguous_strides(shape) if stride is None else stride
    return Value(name, TensorSpec(shape, strides, torch.float32, role=Role.INPUT))


def add(name: str, left: Value, right: Value) -> Node:
    arguments = (("self", left), ("other", right), ("alpha", 1))
    return Node(name, "aten.add.Tensor", arguments, (value(name),))


def select(name: str, base: Value, row: Value) -> Node:
    arguments = (("self", base), ("src", row), ("dim", 0), ("index", 1))
    spec = base.tensor
    return Node(name, "aten.select_scatter.default", arguments, (Value(name, spec),))


def placed(
    inputs: Sequence[Value],
    nodes: Sequence[Node],
    own: Sequence[Value],
    final: Value,
    *,
    regions: Sequence[Sequence[int]] = (),
    rebuilt: Sequence[bool] = (),
) -> Placements:
    graph = Graph(tuple(inputs), tuple(nodes), (*own, final))
    inside = {i for group in regions for i in group}
    segments = [Segment(0, tuple(nodes[i] for i in group)) for group in regions]
    segments += [Segment(None, (n,)) for i, n in enumerate(nodes) if i not in inside]
    first = {n.name: i for i, n in enumerate(nodes)}
    segments.sort(key=lambda s: first[s.nodes[0].name])
    return place(graph, segments, [inputs[0].name], rebuilt)


X, Y, ROW = value("x"), value("y"), value("row", (6,))


def test_a_single_operator_runs_in_place() -> None:
    node = add("w", X, Y)
    found = placed([X, Y], [node], [], node.results[0]).by_value["w"]
    assert (found.base, found.home, found.way) == ("x", "x", Way.OPERATOR)


def test_a_region_that_reads_the_input_is_offered_it() -> None:
    node = add("w", X, Y)
    found = placed([X, Y], [node], [], node.results[0], regions=[[0]]).by_value["w"]
    assert found.way is Way.DONATED


def test_a_region_that_does_not_read_it_is_given_it() -> None:
    node = add("w", Y, Y)
    found = placed([X, Y], [node], [], node.results[0], regions=[[0]]).by_value["w"]
    assert found.way is Way.DESTINATION


def test_updates_follow_each_other_in_one_memory() -> None:
    first = select("v", X, ROW)
    second = select("w", first.results[0], ROW)
    found = placed([X, ROW], [first, second], [], second.results[0])
    assert [found.by_value[n].home for n in ("v", "w")] == ["x", "x"]
    assert found.by_value["w"].base == "v"


def reason(found: Placements) -> str:
    assert "w" not in found.by_value and found.home("w") == "w"
    return found.reasons["w"]


def test_a_later_reader_of_the_old_value() -> None:
    node, late = add("w", X, Y), add("late", X, Y)
    assert "read later" in reason(placed([X, Y], [node, late], [late.results[0]], node.results[0]))


def test_a_later_reader_of_a_view_of_the_old_value() -> None:
    arguments = (("self", X), ("dim", 0), ("index", 0))
    view = Node("view", "aten.select.int", arguments, (value("view", (6,)),))
    node, late = add("w", X, Y), select("late", Y, view.results[0])
    found = placed([X, Y], [view, node, late], [late.results[0]], node.results[0])
    assert "view is read later" in reason(found)


def test_an_output_that_is_kept() -> None:
    node = add("w", X, Y)
    assert reason(placed([X, Y], [node], [node.results[0]], node.results[0])) == "it is an output too"
    assert "w" in placed([X, Y], [node], [node.results[0]], node.results[0], rebuilt=[True]).by_value


def test_an_operand_that_is_a_view_of_the_input() -> None:
    arguments = (("self", X), ("dims", (1, 0)))
    turned = Node("turned", "aten.permute.default", arguments, (value("turned", (4, 6), (1, 4)),))
    node = add("w", X, turned.results[0])
    assert "several ways" in reason(placed([X], [turned, node], [], node.results[0], regions=[[1]]))


@pytest.mark.parametrize("stride", [(0, 1), (1, 1), (12, 2)])
def test_layouts_that_differ_or_overlap(stride: tuple[int, int]) -> None:
    wide = value("x", (4, 6), stride)
    node = add("w", wide, Y)
    assert (
        reason(placed([wide, Y], [node], [], node.results[0]))
        == "the input and the new value differ in layout"
    )
    assert may_overlap_itself(wide.tensor) == (stride != (12, 2))


def test_an_expanded_base_is_never_updated_in_place() -> None:
    wide = Value("wide", value("wide", (4, 6), (0, 1)).tensor)
    assert base_of(select("w", wide, ROW)) is None


def test_forms_in_place_are_read_from_schemas() -> None:
    assert in_place_form("aten.index_copy.default") == "aten.index_copy_.default"
    assert in_place_form("aten.index.Tensor") == "" == in_place_form("aten.bernoulli.p")
    assert is_update("aten.index_put.default") and not is_update("aten.copy.default")
    view, write, alias = in_place(select("w", X, ROW))
    assert (view.op, write.op, alias.results[0].name) == ("aten.select.int", "aten.copy_.default", "w")
