"""Asking a backend: its claim on one node, under the limits that it declared.

A backend that cannot leave a size open is shown the node with the sizes of the example. That is no promise
about other sizes: the region is specialised, and the backend is asked again with the sizes of each call.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch

from torchport.compile.bound import Bound
from torchport.compile.capabilities import DynamicShapes
from torchport.compile.reason import Claim, Reason, Rejection, no
from torchport.compile.specialize import hints, leaves_open
from torchport.contract.bindings import Binding, symbols_of
from torchport.contract.graph import Node, Symbol, TensorSpec, dtype_name
from torchport.contract.symbols import SymExpr, from_sympy
from torchport.errors import LoweringError

INT32_MAX = 2**31 - 1


def ask(node: Node, bound: Bound, phase: str, symbols: Mapping[str, Symbol] | None = None) -> Claim:
    """A backend's answer for a node, under the limits that it declared.

    Args:
        node: the node, perhaps with symbolic sizes.
        bound: the backend.
        phase: "inference", "forward" or "backward".
        symbols: the graph's symbols by name, with ranges and the sizes of the example. Without them a
            symbolic size is refused by a backend that must not leave it open.

    Raises:
        LoweringError: ``claims`` raised, or did not return a Claim, or limits a symbolic size without
            declaring ``dynamic="ranged"``.
    """
    dynamic = bound.capabilities.dynamic
    if dynamic is DynamicShapes.FULL:
        return answer(node, bound, phase)
    used = symbols_of(node)
    if not used:
        return answer(node, bound, phase)
    known = [s for s in map((symbols or {}).get, sorted(used)) if s is not None]
    claim = None
    if len(known) == len(used) and leaves_open(bound.capabilities, known):
        claim = answer(node, bound, phase)
        if claim.accepted:
            return claim
    example = hints(known) if len(known) == len(used) else None
    if example is None:
        return claim or no(
            Reason.DYNAMIC, f"a size is not known before it runs and the backend declares dynamic='{dynamic}'"
        )
    numbers = dict(zip((s.name for s in known), example, strict=True))
    return answer(Binding(numbers).node(node), bound, phase)


def answer(node: Node, bound: Bound, phase: str) -> Claim:
    """The answer for the node as it stands, symbolic sizes included.

    Raises:
        LoweringError: as :func:`ask`.
    """
    refusal = declared_limits(node, bound, phase)
    if refusal is not None:
        return refusal
    name = bound.backend.name
    try:
        claim = bound.backend.claims(node, bound.target)
    except Exception as error:
        raise LoweringError(
            f"claims() of backend {name!r} raised {type(error).__name__}: {error}",
            op=node.op,
            got=str(node),
            hint="claims() must answer yes(), no(reason) or prefer_parts() for every node",
        ) from error
    if not isinstance(claim, Claim):
        raise LoweringError(
            f"claims() of backend {name!r} did not answer with a Claim",
            op=node.op,
            got=repr(claim),
            hint="return tp.yes(), tp.no(reason) or tp.prefer_parts()",
        )
    for size, low, high in claim.within:
        if isinstance(size, SymExpr):
            if bound.capabilities.dynamic is not DynamicShapes.RANGED:
                raise LoweringError(
                    f"claims() of backend {name!r} limits a symbolic size",
                    op=node.op,
                    got=f"{low} <= {size} <= {high}, and dynamic='{bound.capabilities.dynamic}'",
                    hint="declare Capabilities(dynamic='ranged')",
                )
        elif not low <= size <= high:
            return no(Reason.SHAPE, f"{size} is not within {low} to {high}")
    return claim


def declared_limits(node: Node, bound: Bound, phase: str) -> Claim | None:
    """A refusal that follows from what the backend declared, without asking it; ``None`` when there is
    none.
    """
    capabilities = bound.capabilities
    if phase != "inference" and not capabilities.training:
        return no(Reason.TRAINING, "the backend declares training=False")
    if not capabilities.deterministic and torch.are_deterministic_algorithms_enabled():
        return no(Reason.DETERMINISM, "the backend declares deterministic=False")
    device = bound.target.device
    specs = (*node.input_specs, *node.output_specs)
    for spec in specs:
        if spec.device != device and not _reachable(spec, device):
            return no(Reason.DEVICE, f"a tensor on {spec.device}, and the target is on {device}")
        if capabilities.dtypes and spec.dtype not in capabilities.dtypes:
            return no(Reason.DTYPE, f"{dtype_name(spec.dtype)} is not among the declared dtypes")
        if capabilities.max_rank is not None and spec.rank > capabilities.max_rank:
            return no(Reason.RANK, f"rank {spec.rank} exceeds the declared {capabilities.max_rank}")
        if capabilities.index_width == 32:
            reach = max((n for n in reaches(spec) if isinstance(n, int)), default=0)
            if reach > INT32_MAX:
                return no(Reason.SHAPE, f"{reach} elements exceed the declared index_width of 32 bits")
    return None


def _reachable(spec: TensorSpec, device: str) -> bool:
    """Whether a tensor may take part in a call on ``device``: it is there, or is one number of the host."""
    found = spec.device.partition(":")[0]
    return found == device.partition(":")[0] or (found == "cpu" and spec.rank == 0)


def reaches(spec: TensorSpec) -> tuple[int | SymExpr, int | SymExpr]:
    """How many elements a tensor has, and how many lie from its first to its last (1 or less for an empty
    one).
    """
    sizes = [(d.sympy() if isinstance(d, SymExpr) else d) for d in spec.shape]
    strides = [(d.sympy() if isinstance(d, SymExpr) else d) for d in spec.stride]
    span = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    count, reach = (n if isinstance(n, int) else from_sympy(n) for n in (math.prod(sizes), span))
    return count, reach  # type: ignore[return-value]


def refusals(nodes: Sequence[Node], bound: Bound, phase: str) -> tuple[Rejection, ...]:
    """The nodes that a backend refuses.

    Raises:
        LoweringError: as :func:`ask`.
    """
    found = []
    for node in nodes:
        claim = ask(node, bound, phase)
        if not claim.accepted:
            assert claim.reason is not None
            source = node.provenance.source
            found.append(Rejection(node.name, node.op, bound.backend.name, claim.reason, claim.text, source))
    return tuple(found)
