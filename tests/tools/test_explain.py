"""`tp.explain`: counts, reasons, time share, graph breaks, and that it leaves gradients alone."""

import json
import math
from typing import Any

import torch

import torchport as tp


class Some(tp.EagerBackend):
    name = "some"

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return (
            tp.yes()
            if node.op in ("aten.mul.Scalar", "aten.exp.default")
            else tp.no(tp.Reason.OP, "no kernel")
        )


def test_counts_reasons_and_time() -> None:
    found = tp.explain(lambda x: (x * 2).exp().sin().t(), (torch.randn(4, 3),), Some())
    assert (found.claimed, found.fallback, found.claimed_share) == (2, 1, 2 / 3)
    assert found.reasons == {"op": 1} and found.fallback_ops == {"aten.sin.default": 1}
    assert found.claimed_time_share is not None and 0 < found.claimed_time_share < 1
    assert "aten.sin.default (op: no kernel)" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["rejections"][0]["op"] == "aten.sin.default"


def test_a_module_is_explained_with_its_backward_and_keeps_its_gradients() -> None:
    model = torch.nn.Linear(4, 4)
    found = tp.explain(model, (torch.randn(2, 4),), tp.EagerBackend())
    assert [g.phase for g in found.graphs] == ["forward", "backward"] and found.claimed_share == 1.0
    assert all(p.grad is None for p in model.parameters())


def test_graph_breaks_are_counted() -> None:
    def broken(x: torch.Tensor) -> Any:
        y = x * 2
        torch._dynamo.graph_break()
        return y + 1

    found = tp.explain(broken, (torch.randn(3),), tp.EagerBackend())
    assert len(found.graphs) == 2 and sum(found.graph_breaks.values()) == 1


def test_it_does_not_add_to_the_backend_reports() -> None:
    backend = tp.EagerBackend()
    tp.explain(torch.sin, (torch.randn(3),), backend)
    assert tp.reports(backend).graphs == []


def test_reports_of_nothing_are_no_success() -> None:
    reports = tp.reports(tp.EagerBackend())
    assert math.isnan(reports.claimed_share) and str(reports) == "nothing was compiled"


def test_reports_of_a_composed_backend_are_its_own() -> None:
    both = tp.compose(Some(), tp.EagerBackend())
    torch.compile(lambda x: (x * 2).sin(), backend=both)(torch.randn(3))
    assert tp.reports(both).claimed_share == 1.0 and len(tp.reports(both).graphs[0].regions) == 2
    assert "2 claimed in 2 regions, 0 left" in str(tp.reports(both))
