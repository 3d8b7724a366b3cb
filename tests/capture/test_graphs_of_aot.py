"""What AOTAutograd's graphs hold beside operator calls: effect tokens, and sizes given as expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._functorch.aot_autograd import aot_function

from torchport.capture.aot import CapturedGraph, boxed, import_captured
from torchport.contract.opset import opset
from torchport.run.program import OpStep, Program, build


def captured_by(fn: Callable[..., Any], *inputs: torch.Tensor, dynamic: bool) -> dict[str, CapturedGraph]:
    """The graphs of ``fn`` by phase; each is also run, and its gradients are eager's."""
    found: dict[str, CapturedGraph] = {}

    def compiler(phase: str) -> Callable[..., Any]:
        def compile_aot(gm: torch.fx.GraphModule, _: Any) -> Any:
            graph = found[phase] = import_captured(gm, phase, ())
            steps = tuple(OpStep(node) for node in graph.graph.nodes)
            given = (graph.arguments, steps, graph.graph.outputs, graph.graph.symbols, graph.graph.constants)
            return boxed(build(Program(*given)))

        return compile_aot

    compiled = aot_function(
        fn,
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions={},
        dynamic=dynamic,
    )
    gradients = []
    for function in (fn, compiled):
        fresh = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
        result = function(*fresh)
        wanted = [x for x in fresh if x.requires_grad]
        gradients.append(torch.autograd.grad(result.abs().sum(), wanted) if wanted else (result,))
    for theirs, ours in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs)
    return found


def test_a_call_ordered_by_a_token_is_that_call() -> None:
    A = torch.eye(3) + 0.1 * torch.randn(3, 3, generator=torch.Generator().manual_seed(0))
    graph = captured_by(torch.linalg.inv, A, dynamic=False)["inference"].graph
    assert [n.op for n in graph.nodes] == [
        "aten.linalg_inv_ex.default",
        "aten._linalg_check_errors.default",
    ]
    opset().verify(graph)


def test_a_size_known_from_an_expression_among_the_arguments_is_read_there() -> None:
    """The backward of a transform padded to 10 gets ``10 - n`` and not n."""
    x = torch.randn(5, 6, 7, generator=torch.Generator().manual_seed(0), requires_grad=True)
    found = captured_by(lambda t: torch.fft.fft(t, 10, 1), x, dynamic=True)
    sources = [s.source for s in found["backward"].graph.symbols]
    assert any(source[0] == "solve" and source[1][0] == "argument" for source in sources)
