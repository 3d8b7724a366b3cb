"""Results have the strides that eager PyTorch gives them, where its trace says otherwise."""

from __future__ import annotations

import pytest
import torch

import torchport as tp


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64, torch.int64])
def test_angle_is_row_major_for_complex_operands_only(dtype: torch.dtype) -> None:
    x = torch.ones(3, 4, 5, 2, dtype=dtype).permute(3, 2, 1, 0)
    compiled = torch.compile(torch.angle, backend=tp.EagerBackend(), dynamic=False)
    assert compiled(x).stride() == torch.angle(x).stride()


def test_a_list_among_several_results_is_taken_apart() -> None:
    def scaled(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        found = torch.zeros(())
        op = torch.ops.aten._amp_foreach_non_finite_check_and_unscale.default
        scaled, _ = op([a, b], found, torch.full((), 0.5))
        return scaled[1]

    class Parts(tp.EagerBackend):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            return tp.no(tp.Reason.OP) if "foreach" in node.op else super().claims(node, target)

    a, b = torch.ones(3), torch.full((2,), 4.0)
    for backend in (tp.EagerBackend(), Parts()):
        torch._dynamo.reset()
        compiled = torch.compile(scaled, backend=backend, dynamic=False)
        assert compiled(a, b).tolist() == [2.0, 2.0]


def test_a_computed_result_is_dense_where_its_trace_is_expanded() -> None:
    def drawn(x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.uniform.default(x, 2.0, 3.0)

    x = torch.zeros(4).expand(3, 4)
    compiled = torch.compile(drawn, backend=tp.EagerBackend(), dynamic=False)(x)
    assert compiled.stride() == (4, 1) and bool((compiled >= 2).all())
