"""``tp.lower``: the lowered forward and backward graphs of a function, without Dynamo."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch._functorch.aot_autograd import aot_function

from torchport.capture.aot import CapturedGraph, boxed, import_captured
from torchport.capture.offering.offer import offering
from torchport.capture.tracing import silent
from torchport.compile.artifact import InProcess
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.options import Options, parse_options
from torchport.compile.reason import Claim, Reason, Rejection, no, yes
from torchport.compile.region import Region
from torchport.compile.reports import Reports
from torchport.contract.fx_export import export_fx
from torchport.contract.graph import Graph, Node, TensorSpec
from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import Tier
from torchport.dynamo import DynamoBackend, dynamo_backend
from torchport.errors import LoweringError, UsageError
from torchport.lowering.decompose import Decomposer
from torchport.lowering.descend import LoweredGraph
from torchport.pipeline import lower as lower_stage, session_for


@dataclass(frozen=True, eq=False)
class Lowered:
    """Lowered graphs as FX modules. ``backward`` is ``None`` without gradients; ``graphs`` has the contract
    graphs.
    """

    forward: torch.fx.GraphModule
    backward: torch.fx.GraphModule | None
    reasons: tuple[Rejection, ...]
    graphs: Mapping[str, Graph]


class _TierBackend(Backend):
    """Claims exactly the operators of one tier; never compiles."""

    name: ClassVar[str] = "tier"

    def __init__(self, tier: Tier) -> None:
        self.tier = tier

    def may_claim(self, op: str) -> bool:
        """Composites come apart, but for macros at their own tier."""
        return self.tier is Tier.MACRO and op in opset(self.opset).ops

    def claims(self, node: Node, target: Target) -> Claim:
        """Yes for operators of the tier."""
        spec = opset(self.opset).ops.get(node.op)
        if spec is None:
            return no(Reason.NOT_IN_CONTRACT)
        if self.tier is Tier.PRIM and not opset(self.opset).is_primitive(node):
            return no(Reason.OP, f"tier {spec.tier}")
        return yes()

    def compile(self, region: Region, target: Target, options: Options) -> InProcess:
        """Never called: lowering stops before compilation."""
        raise LoweringError("a tier is not a backend that compiles")


def tier_backend(tier: Tier) -> Backend:
    """A backend that claims exactly the operators of a tier, for lowering to it; it compiles nothing."""
    return _TierBackend(tier)


def lower(
    fn: Callable[..., Any],
    args: Sequence[torch.Tensor],
    *,
    tier: str = "prim",
    grad: bool = False,
    backend: str | Backend | type[Backend] | DynamoBackend | None = None,
) -> Lowered:
    """Traces ``fn(*args)`` through AOTAutograd and lowers what comes out.

    Composites and macros that are called by name are offered as ``torch.compile`` does; macros that are
    written out by hand are found in Dynamo's graphs only.

    Args:
        fn: a function of tensors, or a module; parameters of a module become leading graph inputs.
        args: example tensors.
        tier: "prim" or "aten"; how far to lower when no backend is given.
        grad: also trace and lower the backward graph of the sum of the outputs that need gradients.
        backend: lower as this backend's claims ask, instead of to a tier.

    Raises:
        UsageError: there is no such tier.
        LoweringError: ``grad`` was asked for and no output needs gradients.
        TorchportError: capture or lowering failed.
    """
    if tier not in (Tier.PRIM, Tier.ATEN, Tier.MACRO):
        raise UsageError("there is no such tier", got=repr(tier), hint='"prim" or "aten"')
    backends = (tier_backend(Tier(tier)),) if backend is None else dynamo_backend(backend).backends
    session = session_for(backends, parse_options({}, None, backend="lower"), Reports())
    forward: list[tuple[CapturedGraph, Any]] = []
    backward: list[tuple[CapturedGraph, Any]] = []

    def compiler(phase: str, found: list[tuple[CapturedGraph, Any]]) -> Callable[..., Any]:
        def compile_aot(gm: torch.fx.GraphModule, _: Sequence[Any]) -> Any:
            with silent():
                captured = import_captured(gm, phase, (), to_run=backend is not None)
                found.append((captured, lower_stage(captured, session, to_run=backend is not None)))
            return boxed(lambda flat: torch.fx.Interpreter(gm).run(*flat))

        return compile_aot

    parameters = dict(fn.named_parameters()) if isinstance(fn, torch.nn.Module) else {}
    buffers = dict(fn.named_buffers()) if isinstance(fn, torch.nn.Module) else {}

    def flat(state: Mapping[str, torch.Tensor], *tensors: torch.Tensor) -> Any:
        if isinstance(fn, torch.nn.Module):
            return torch.func.functional_call(fn, dict(state), tensors)
        return fn(*tensors)

    phase = "forward" if grad else "inference"
    traced = aot_function(
        flat,
        fw_compiler=compiler(phase, forward),
        bw_compiler=compiler("backward", backward),
        inference_compiler=compiler("inference", forward),
        decompositions={},
    )
    offers = offering(session.backends, session.opset, session.reports.macros, trains=grad)
    with torch.set_grad_enabled(grad), offers:
        result = traced({**parameters, **buffers}, *args)
    if grad:
        leaves = [
            t
            for t in torch.utils._pytree.tree_leaves(result)
            if isinstance(t, torch.Tensor) and t.requires_grad
        ]
        if not leaves:
            raise LoweringError(
                "grad=True, and no output of the function needs gradients", hint="set requires_grad_()"
            )
        sources = [*parameters.values(), *(a for a in args if isinstance(a, torch.Tensor))]
        wanted = [t for t in sources if t.requires_grad]
        torch.autograd.grad([t.sum() for t in leaves], wanted, allow_unused=True)
    graphs = {c.phase: lowered.graph for c, lowered in (*forward, *backward)}
    modules = {
        c.phase: export_fx(lowered.graph, c.arguments, _traced(lowered, session.opset))
        for c, lowered in (*forward, *backward)
    }
    reasons = tuple(r for _, lowered in (*forward, *backward) for r in lowered.rejections)
    first = modules.get("forward") or modules["inference"]
    return Lowered(first, modules.get("backward"), reasons, graphs)


def _traced(lowered: LoweredGraph, opset: OpSet) -> Mapping[str, torch.Tensor]:
    """A fake tensor for every tensor of the graph: the captured one, or one made after the value's spec."""
    decomposer = Decomposer(opset, lowered.fakes)
    graph = lowered.graph
    values = (*graph.inputs, *(v for n in graph.nodes for v in n.results))
    return {
        v.name: lowered.fakes[v.name] if v.name in lowered.fakes else decomposer.fake(v.spec)
        for v in values
        if isinstance(v.spec, TensorSpec)
    }
