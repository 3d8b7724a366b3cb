"""Asking a backend: its claim on one node, under the limits that it declared."""

from __future__ import annotations

from dataclasses import dataclass

from torchport.compile.backend import Backend
from torchport.compile.capabilities import Capabilities, DynamicShapes, Target
from torchport.compile.reason import Claim, Reason, no
from torchport.contract.graph import Node, dtype_name, symbols_in
from torchport.errors import LoweringError


@dataclass(frozen=True, eq=False)
class Bound:
    """A backend with the target it compiles for and what it declared about it."""

    backend: Backend
    target: Target
    capabilities: Capabilities


def ask(node: Node, bound: Bound, phase: str) -> Claim:
    """A backend's answer for a node, under the limits that it declared.

    Raises:
        LoweringError: ``claims`` raised, or did not return a Claim.
    """
    refusal = declared_limits(node, bound.capabilities, phase)
    if refusal is not None:
        return refusal
    try:
        claim = bound.backend.claims(node, bound.target)
    except Exception as error:
        raise LoweringError(
            f"claims() of backend {bound.backend.name!r} raised {type(error).__name__}: {error}",
            op=node.op,
            got=str(node),
            hint="claims() must answer yes(), no(reason) or prefer_parts() for every node",
        ) from error
    if not isinstance(claim, Claim):
        raise LoweringError(
            f"claims() of backend {bound.backend.name!r} did not answer with a Claim",
            op=node.op,
            got=repr(claim),
            hint="return tp.yes(), tp.no(reason) or tp.prefer_parts()",
        )
    return claim


def declared_limits(node: Node, capabilities: Capabilities, phase: str) -> Claim | None:
    """A refusal that follows from what the backend declared, without asking it; ``None`` when there is
    none.
    """
    if phase != "inference" and not capabilities.training:
        return no(Reason.TRAINING, "the backend declares training=False")
    static_only = capabilities.dynamic is DynamicShapes.NONE
    if not (capabilities.dtypes or capabilities.max_rank is not None or static_only):
        return None
    specs = (*node.input_specs, *node.output_specs)
    if capabilities.dtypes:
        for spec in specs:
            if spec.dtype not in capabilities.dtypes:
                return no(Reason.DTYPE, f"{dtype_name(spec.dtype)} is not among the declared dtypes")
    if capabilities.max_rank is not None and any(s.rank > capabilities.max_rank for s in specs):
        return no(
            Reason.RANK, f"rank {max(s.rank for s in specs)} exceeds the declared {capabilities.max_rank}"
        )
    if static_only and not (all(s.is_static for s in specs) and not any(symbols_in(a) for _, a in node.args)):
        return no(Reason.DYNAMIC, "a size is symbolic and the backend declares dynamic='none'")
    return None
