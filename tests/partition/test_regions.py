"""Regions on random graphs: convex, complete, ordered, maximal between two neighbours, and near-linear in
size.
"""

from typing import Any

import torch
from hypothesis import given, settings, strategies as st

from torchport.contract.graph import Graph, Node, TensorSpec, Value
from torchport.partition.regions import Proposed, partition, region_graph
from torchport.partition.views import split_border_views

SPEC = TensorSpec((4,), (1,), torch.float32)


def build(edges: list[list[int]], op: str = "aten.add.Tensor") -> Graph:
    """Node i reads the values of the nodes in ``edges[i]`` (the graph input where there are none)."""
    start = Value("x", SPEC)
    values = [Value(f"v{i}", SPEC) for i in range(len(edges))]
    nodes = []
    for i, sources in enumerate(edges):
        read = tuple(values[j] for j in sources) or (start,)
        nodes.append(Node(f"n{i}", op, (("self", read),), (values[i],)))
    used = {j for sources in edges for j in sources}
    return Graph((start,), tuple(nodes), tuple(v for i, v in enumerate(values) if i not in used))


@st.composite
def graphs(draw: Any) -> tuple[Graph, dict[str, int]]:
    count = draw(st.integers(1, 25))
    edges = [sorted(draw(st.sets(st.integers(0, i - 1), max_size=3))) if i else [] for i in range(count)]
    owners = {
        f"n{i}": owner for i in range(count) if (owner := draw(st.sampled_from([None, 0, 0, 1]))) is not None
    }
    return build(edges), owners


@settings(max_examples=300, deadline=None, derandomize=True)
@given(graphs())
def test_segments_cover_every_node_once_in_dependency_order(case: tuple[Graph, dict[str, int]]) -> None:
    graph, owners = case
    seen: set[str] = {"x"}
    names: list[str] = []
    for segment in partition(graph, owners).segments:
        assert len({owners.get(n.name) for n in segment.nodes}) == 1 and segment.owner == owners.get(
            segment.nodes[0].name
        )
        for node in segment.nodes:
            assert {
                v.name for v in node.inputs
            } <= seen  # in order, hence also convex: nothing inside waits for outside
            seen.update(v.name for v in node.results)
            names.append(node.name)
        outside = {v.name for n in segment.nodes for v in n.inputs} - {
            v.name for n in segment.nodes for v in n.results
        }
        assert {v.name for v in region_graph(graph, segment.nodes).inputs} == outside
    assert sorted(names) == sorted(n.name for n in graph.nodes)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(graphs())
def test_neighbours_of_one_owner_are_apart_only_for_a_reason(case: tuple[Graph, dict[str, int]]) -> None:
    graph, owners = case
    segments = partition(graph, owners).segments
    home = {n.name: i for i, s in enumerate(segments) for n in s.nodes}
    reads = {i: set[int]() for i in range(len(segments))}
    for node in graph.nodes:
        for value in node.inputs:
            producer = graph.producers.get(value.name)
            if producer is not None and home[producer.name] != home[node.name]:
                reads[home[node.name]].add(home[producer.name])

    def reaches(start: int, goal: int) -> bool:
        return start == goal or any(reaches(before, goal) for before in reads[start])

    for later, sources in reads.items():
        for earlier in sources:
            if segments[later].owner is not None and segments[later].owner == segments[earlier].owner:
                assert any(reaches(other, earlier) for other in sources if other != earlier)


def test_a_path_that_leaves_and_returns_keeps_regions_apart() -> None:
    graph = build([[], [0], [0, 1]])
    assert [s.owner for s in partition(graph, {"n0": 0, "n2": 0}).segments] == [0, None, 0]


def test_a_detour_from_elsewhere_does_not() -> None:
    graph = build([[], [], [0, 1]])
    segments = partition(graph, {"n0": 0, "n2": 0}).segments
    assert [(s.owner, len(s.nodes)) for s in segments] == [(None, 1), (0, 2)]


def test_a_proposal_comes_first_and_keeps_its_label() -> None:
    graph = build([[], [0], [1], [2]])
    owners = dict.fromkeys(["n0", "n1", "n2", "n3"], 0)
    segments = partition(graph, owners, proposals=[Proposed(0, frozenset({"n1", "n2"}), "pair")]).segments
    assert [(s.label, [n.name for n in s.nodes]) for s in segments] == [
        ("", ["n0"]),
        ("pair", ["n1", "n2"]),
        ("", ["n3"]),
    ]


def test_a_size_limit_cuts_regions() -> None:
    graph = build([[], [0], [1], [2], [3]])
    segments = partition(graph, {f"n{i}": 0 for i in range(5)}, size_limits={0: 2}).segments
    assert [len(s.nodes) for s in segments] == [2, 2, 1]


def test_random_draws_stay_in_order() -> None:
    spec = Value("a", SPEC), Value("b", SPEC), Value("c", SPEC)
    nodes = [Node(f"n{i}", "aten.rand.default", (("size", (4,)),), (v,)) for i, v in enumerate(spec)]
    graph = Graph((), tuple(nodes), spec)
    order = [n.name for s in partition(graph, {"n2": 0, "n0": 0}).segments for n in s.nodes]
    assert order == ["n0", "n1", "n2"]


def test_a_view_at_the_border_gets_a_free_twin() -> None:
    x, y, v, z = (Value(n, SPEC) for n in "xyvz")
    nodes = (
        Node("exp", "aten.exp.default", (("self", x),), (y,)),
        Node("view", "aten.view.default", (("self", y), ("size", (4,))), (v,)),
        Node("sin", "aten.sin.default", (("self", v),), (z,)),
    )
    graph = split_border_views(Graph((x,), nodes, (v, z)), {"exp": 0, "view": 0, "sin": 0})
    assert [n.name for n in graph.nodes] == ["exp", "view", "view__free", "sin"]
    assert [o.name for o in graph.output_values] == ["v__free", "z"]
    inside = region_graph(graph, [n for n in graph.nodes if not n.name.endswith("free")])
    assert [o.name for o in inside.output_values] == ["y", "z"]


def test_a_view_that_only_leaves_is_not_kept_inside() -> None:
    x, y, v = (Value(n, SPEC) for n in "xyv")
    nodes = (
        Node("exp", "aten.exp.default", (("self", x),), (y,)),
        Node("view", "aten.view.default", (("self", y), ("size", (4,))), (v,)),
    )
    graph = split_border_views(Graph((x,), nodes, (v,)), {"exp": 0, "view": 0})
    assert [n.name for n in graph.nodes] == ["exp", "view__free"]


def test_a_split_at_the_border_gets_a_free_twin_of_all_its_pieces() -> None:
    x, y, a, b, z = (Value(n, SPEC) for n in "xyabz")
    nodes = (
        Node("exp", "aten.exp.default", (("self", x),), (y,)),
        Node(
            "split",
            "aten.split.Tensor",
            (("self", y), ("split_size", 4), ("dim", 0)),
            (a, b),
            returns_sequence=True,
        ),
        Node("sin", "aten.sin.default", (("self", a),), (z,)),
    )
    graph = split_border_views(Graph((x,), nodes, (b, z)), {"exp": 0, "split": 0, "sin": 0})
    assert [n.name for n in graph.nodes] == ["exp", "split", "split__free", "sin"]
    assert [o.name for o in graph.output_values] == ["b__free", "z"]
