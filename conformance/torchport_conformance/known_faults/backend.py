"""Right backends with one known fault each, and the subjects of conformance that they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from torchport.compile.artifact import InProcess
from torchport.compile.capabilities import Target
from torchport.compile.eager_backend import EagerBackend
from torchport.compile.options import Options
from torchport.compile.reason import Claim
from torchport.compile.region import Region
from torchport.contract.graph import Node, Value
from torchport.contract.reference import flatten
from torchport.contract.spec import resolve
from torchport_conformance.known_faults.fault import KnownFault
from torchport_conformance.mutants.backend import arguments_of, into_destinations
from torchport_conformance.mutants.kernel import Call
from torchport_conformance.specs import spec_of
from torchport_conformance.subject import Subject, dynamo_subject


class FaultyBackend(EagerBackend):
    """Claims what eager PyTorch runs and runs it right, but for one operator's kernel.

    A region of that operator alone is a kernel that writes into its destinations. Other regions are walked
    node by node.

    Args:
        fault: id of a known fault in a kernel.
    """

    name = "known_fault"
    version = "1"

    def __init__(self, fault: str) -> None:
        from torchport_conformance.known_faults import known_faults

        found = known_faults()[fault]
        assert found.kernel is not None
        super().__init__(macros=found.op.startswith("torchport."))
        self.fault, self.op, self.planted = fault, found.op, found.kernel
        self.claims_mistyped = found.kind == "missing-validation"
        self.cache: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[type[FaultyBackend], tuple[str]]:
        return type(self), (self.fault,)

    def claims(self, node: Node, target: Target) -> Claim:
        """As eager PyTorch does; all calls of the operator where the fault is that nothing is checked."""
        if self.claims_mistyped and node.op == self.op:
            return Claim(True)
        return super().claims(node, target)

    def compile(self, region: Region, target: Target, options: Options) -> InProcess:
        """The operator's kernel, or a walk over the region."""
        kept: dict[Any, Any] = {"phase": region.phase}
        if [node.op for node in region.nodes] == [self.op]:
            spec = spec_of(self.op)
            return into_destinations(
                region, lambda a, outs: self.planted(Call(spec, a, outs, kept, self.cache))
            )
        symbols_of = [symbol.name for symbol in region.symbols]
        names = [value.name for value in region.input_values]

        def walk(numbers: Sequence[int], *args: torch.Tensor) -> list[torch.Tensor]:
            bindings = dict(zip(symbols_of, numbers, strict=True))
            known: dict[str, Any] = dict(zip(names, args, strict=True))
            for node in region.nodes:
                results = self._results(node, arguments_of(node, known, bindings), kept)
                for value, result in zip(node.outputs, results, strict=True):
                    if isinstance(value, Value):
                        known[value.name] = result
            return [known[value.name] for value in region.output_values]

        return InProcess(walk, wants_symbols=True)

    def _results(self, node: Node, given: Mapping[str, Any], kept: dict[Any, Any]) -> Sequence[Any]:
        right = flatten(resolve(node.op)(**given))
        if node.op != self.op:
            return right
        outs = {
            i: torch.empty_strided(r.shape, r.stride(), dtype=r.dtype)
            for i, r in enumerate(right)
            if isinstance(r, torch.Tensor)
        }
        self.planted(Call(spec_of(self.op), given, list(outs.values()), kept, self.cache))
        return [outs.get(i, result) for i, result in enumerate(right)]

    def source_hash(self) -> str:
        """The class's source and which fault it has."""
        return f"{super().source_hash()}|{self.fault}"


def subject_of(fault: KnownFault) -> Subject:
    """What conformance tests: the backend with the fault, or the compiler with it."""
    if fault.compiler is not None:
        return Subject(fault.id, "inductor", "cpu", None, fault.compiler)
    return dynamo_subject(FaultyBackend(fault.id))


def right_subject_of(fault: KnownFault) -> Subject:
    """The same without the fault."""
    if fault.compiler is not None:
        return Subject("right", "inductor", "cpu", None, lambda module, inputs: module.forward)
    return dynamo_subject(EagerBackend(macros=fault.op.startswith("torchport.")))
