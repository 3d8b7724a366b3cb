"""What lowering to primitives costs a node: rules applied to the graph, and the same rules by re-tracing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch._functorch.aot_autograd import aot_function
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.capture.aot import CapturedGraph, boxed, import_captured
from torchport.compile.options import parse_options
from torchport.compile.reports import Reports
from torchport.contract.opset import OpSet
from torchport.contract.spec import Tier
from torchport.lowering.decompose import forget_templates
from torchport.pipeline import Session, lower as lower_stage, session_for
from torchport.tools.lower import tier_backend

Captured = tuple[torch.fx.GraphModule, CapturedGraph]


@dataclass(frozen=True, slots=True)
class LoweringCost:
    """Medians in microseconds for each node of the lowered graph. ``cold``: nothing was lowered before in
    this process; ``warm``: equal calls were; ``retraced``: the graph traced anew by ``make_fx`` with the
    contract's decompositions, for each node that this gives.
    """

    case: str
    captured: int
    primitives: int
    cold: float
    warm: float
    retraced: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def _encoder() -> tuple[torch.nn.Module, torch.Tensor]:
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, activation="gelu", batch_first=True)
    return layer, torch.randn(2, 16, 64)


def _convolutions() -> tuple[torch.nn.Module, torch.Tensor]:
    block = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(8, 8, 3),
        torch.nn.GroupNorm(2, 8),
        torch.nn.SiLU(),
        torch.nn.AdaptiveAvgPool2d(1),
    )
    return block, torch.randn(2, 3, 16, 16)


CASES: Mapping[str, Callable[[], tuple[torch.nn.Module, torch.Tensor]]] = {
    "transformer encoder layer": _encoder,
    "convolutional block": _convolutions,
}


def lowering_costs(repeats: int = 5) -> tuple[LoweringCost, ...]:
    """Measures every case, forward and backward, the three ways in turn ``repeats`` times."""
    session = session_for((tier_backend(Tier.PRIM),), parse_options({}, None, backend="lowering"), Reports())
    found = []
    for name, make in CASES.items():
        for phase, captured in _capture(*make()).items():
            found.append(_cost(f"{name}, {phase}", captured, session, repeats))
    return tuple(found)


def _capture(module: torch.nn.Module, x: torch.Tensor) -> dict[str, Captured]:
    """The forward and backward graphs of a module."""
    found: dict[str, Captured] = {}

    def compiler(phase: str) -> Callable[..., Any]:
        def compile_aot(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
            found[phase] = (gm, import_captured(gm, phase, ()))
            return boxed(lambda flat: torch.fx.Interpreter(gm).run(*flat))

        return compile_aot

    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    traced = aot_function(
        lambda s, t: torch.func.functional_call(module, s, (t,)),
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        decompositions={},
    )
    traced(state, x).sum().backward()
    return found


def _cost(case: str, captured: Captured, session: Session, repeats: int) -> LoweringCost:
    gm, contract_graph = captured
    table = _table(session.opset)
    seconds: dict[str, list[float]] = {"cold": [], "warm": [], "retraced": []}
    primitives = len(lower_stage(contract_graph, session).graph.nodes)
    retraced = _retraced_nodes(gm, table)

    def timed(way: str, run: Callable[[], Any]) -> None:
        started = time.perf_counter()
        run()
        seconds[way].append(time.perf_counter() - started)

    for _ in range(repeats):
        forget_templates()
        timed("cold", lambda: lower_stage(contract_graph, session))
        timed("warm", lambda: lower_stage(contract_graph, session))
        timed("retraced", lambda: _retraced_nodes(gm, table))
    medians = {way: 1e6 * statistics.median(found) for way, found in seconds.items()}
    return LoweringCost(
        case,
        len(contract_graph.graph.nodes),
        primitives,
        medians["cold"] / primitives,
        medians["warm"] / primitives,
        medians["retraced"] / max(retraced, 1),
    )


def _table(contract: OpSet) -> dict[Any, Callable[..., Any]]:
    return {
        spec.overload: spec.decomposition
        for spec in contract.ops.values()
        if spec.decomposition is not None and spec.tier is Tier.ATEN
    }


class _AnyStrides(torch.fx.Interpreter):
    """Views of values, whatever strides the decompositions gave them."""

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        if target is torch.ops.aten.view.default:
            target = torch.ops.aten.reshape.default
        return super().call_function(target, args, kwargs)


def _retraced_nodes(gm: torch.fx.GraphModule, table: dict[Any, Callable[..., Any]]) -> int:
    fakes = [n.meta["val"] for n in gm.graph.nodes if n.op == "placeholder"]
    mode = next(f.fake_mode for f in fakes if hasattr(f, "fake_mode"))
    with torch.no_grad(), mode:
        traced = make_fx(_AnyStrides(gm).run, decomposition_table=table)(*fakes)
    return sum(node.op == "call_function" for node in traced.graph.nodes)
