"""The benchmarks of large graphs and of call overhead: what they run is what they say."""

import torch

from torchport.tools.bench import overhead as calls, scale
from torchport.tools.bench.contestant import exact


def test_a_block_is_repeated_on_its_own_result() -> None:
    captured = scale._captured(scale._chain)
    tiled = scale.repeated(captured, 7).graph
    assert [n.op for n in tiled.nodes] == ["aten.mul.Tensor", "aten.erfinv.default"] * 4
    assert [n.inputs[0].name for n in tiled.nodes[1:]] == [n.results[0].name for n in tiled.nodes[:-1]]
    assert tiled.output_values == tiled.nodes[-1].results


def test_every_case_lowers_and_is_partitioned() -> None:
    costs = {case: scale._costs(case, (60, 120), "torchport_openmp") for case in scale.CASES}
    for small, large in costs.values():
        assert 60 <= small.nodes < 120 <= large.nodes and small.lowered < large.lowered
        assert min(small.lowering, small.partition) > 0 and small.total == small.lowering + small.partition
    alternating = costs["every second node refused"][0]
    assert alternating.segments == alternating.nodes == alternating.lowered
    primitives = costs["decoder blocks to primitives"][1]
    assert primitives.segments == 1 and primitives.lowered > 2 * primitives.nodes


def test_the_floor_computes_nothing_and_the_others_do() -> None:
    report = calls.overhead("torchport_openmp", [calls.EAGER], seconds_per_case=0.01)
    for case in report.cases:
        assert list(case.timings) == ["torchport_openmp", calls.EAGER, calls.FLOOR]
        assert case.ratio("torchport_openmp", "torchport_openmp") == 1.0
    inference, training = calls.CASES
    shapes = [tuple(t.shape) for t in exact(inference)]
    assert shapes == [(8,), (), (8,)]
    assert [tuple(t.shape) for t in exact(training)] == [*shapes, (8,), (8,)]
    x, y = torch.ones(8), torch.full((8,), 2.0)
    program, _ = inference.build()
    outputs = torch.compile(program, backend=calls.allocating)(x, y)
    assert [t.shape for t in outputs] == [t.shape for t in program(x, y)]
