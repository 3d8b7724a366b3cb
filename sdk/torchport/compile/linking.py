"""From a compiled graph as data to a program: every region loaded, everything in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchport.compile.loading import LoadedRegion
from torchport.compile.package import CompiledRegion, GraphPackage
from torchport.run.program import Program, RegionStep, Step


def program_of(
    package: GraphPackage, load: Callable[[CompiledRegion], LoadedRegion], layouts: Sequence[str], name: str
) -> Program:
    """One flat program that calls regions and leftovers in order.

    Args:
        package: the graph.
        load: makes one of its regions runnable.
        layouts: of each backend, as in ``Capabilities.layouts``: inputs are made row-major for
            ``"contiguous"``.
        name: of the program, in profiles and errors.
    """
    steps: list[Step] = []
    for part in package.parts:
        if not isinstance(part, CompiledRegion):
            steps.append(part)
            continue
        region, loaded = part.region, load(part)
        steps.append(
            RegionStep(
                region.name,
                loaded.fn,
                region.input_values,
                region.output_values,
                tuple(s.name for s in region.symbols),
                loaded.destination,
                layouts[part.owner] == "contiguous",
                part.homes,
            )
        )
    return Program(package.arguments, tuple(steps), package.outputs, package.symbols, package.constants, name)
