"""An element of a histogram on the edge of two bins counts in either, once; no other moves."""

from __future__ import annotations

import pytest
import torch

from torchport.contract.numerics import judge
from torchport.contract.opset import opset


@pytest.mark.parametrize(
    ("counts", "right"),
    [
        ([0.0, 1.0, 2.0, 1.0], True),  # 1.0 in the bin that it begins
        ([0.0, 2.0, 1.0, 1.0], True),  # 1.0 in the bin that it ends
        ([0.0, 1.0, 1.0, 1.0], False),  # 1.0 in neither
        ([0.0, 2.0, 2.0, 1.0], False),  # in both
        ([1.0, 0.0, 2.0, 1.0], False),  # 0.75 in another bin than its own
        ([0.0, 1.0, 3.0, 0.0], False),
    ],
)
def test_an_element_on_an_edge_counts_in_either_bin(counts: list[float], right: bool) -> None:
    data = torch.tensor([0.75, 1.0, 1.25, 1.75])
    arguments = {"self": data, "bins": 4, "min": 0, "max": 2}
    assert judge(opset().ops["aten.histc.default"], arguments, [torch.tensor(counts)]).ok is right


def test_a_single_value_is_on_the_edge_in_the_middle() -> None:
    arguments = {"self": torch.tensor(1.1), "bins": 4, "min": 0, "max": 0}
    spec = opset().ops["aten.histc.default"]
    for counts, right in (([0.0, 1, 0, 0], True), ([0.0, 0, 1, 0], True), ([1.0, 0, 0, 0], False)):
        assert judge(spec, arguments, [torch.tensor(counts)]).ok is right
