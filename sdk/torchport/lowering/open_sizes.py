"""Compiling a region whose sizes are symbols: with open sizes where its backend may leave them open, else for
the sizes of the example, and for others as they are seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchport.compile.artifact import Artifact, InProcess, Refusal
from torchport.compile.bound import Bound
from torchport.compile.capabilities import DynamicShapes
from torchport.compile.reason import Reason
from torchport.compile.region import Region
from torchport.compile.specialize import (
    Condition,
    Values,
    Vendor,
    hints,
    leaves_open,
    specialized_code,
    static_region,
)
from torchport.contract.graph import Node, Opaque, Symbol
from torchport.contract.symbols import SymExpr
from torchport.errors import SchemaError
from torchport.lowering.claims import INT32_MAX, answer, reaches


def open_conditions(
    nodes: Sequence[Node], bound: Bound, phase: str, symbols: Sequence[Symbol]
) -> tuple[Condition, ...] | None:
    """When one piece of code with open sizes may run these nodes, which the backend has claimed: always where
    that is empty, never where it is ``None``.

    Raises:
        LoweringError: ``claims`` misbehaved.
    """
    capabilities = bound.capabilities
    if not leaves_open(capabilities, symbols):
        return None
    found: dict[Condition, None] = {}
    if capabilities.dynamic is DynamicShapes.RANGED:
        for node in nodes:
            claim = answer(node, bound, phase)
            if not claim.accepted:
                return None
            for size, low, high in claim.within:
                if isinstance(size, SymExpr):
                    found[Condition(size, low, high)] = None
    if capabilities.index_width == 32:
        for node in nodes:
            for spec in (*node.input_specs, *node.output_specs):
                open_reaches = [n for n in reaches(spec) if isinstance(n, SymExpr)]
                found.update({Condition(n, -INT32_MAX, INT32_MAX): None for n in open_reaches})
    return tuple(found)


def compile_open_or_static(
    region: Region, bound: Bound, vendor: Vendor, phase: str
) -> tuple[Artifact | InProcess, bool] | Refusal:
    """Code for ``region`` and whether it came from a cache, or a refusal of some of its nodes.

    Raises:
        CompileError: the backend failed.
    """
    conditions = open_conditions(region.nodes, bound, phase, region.symbols) if region.symbols else ()
    if conditions == ():
        return vendor.compile(region)
    example = hints(region.symbols)
    numbers = {} if example is None else {s.name: v for s, v in zip(region.symbols, example, strict=True)}
    seeds: dict[Values, tuple[Artifact | InProcess, bool]] = {}
    if conditions is not None and (example is None or all(c.holds(numbers) for c in conditions)):
        result = vendor.compile(region)
        if isinstance(result, Refusal):
            return result
        seeds[()] = result
    elif example is not None:
        result = vendor.compile(static_region(region, example))
        if isinstance(result, Refusal):
            return result
        seeds[example] = result
    try:
        return specialized_code(region, conditions, seeds), all(cached for _, cached in seeds.values())
    except SchemaError as error:
        opaque = tuple(n.name for n in region.nodes if any(isinstance(a, Opaque) for _, a in n.args))
        return Refusal(opaque or tuple(n.name for n in region.nodes), Reason.NOT_SERIALIZABLE, error.message)
