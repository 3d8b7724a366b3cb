"""A backend that runs one operator with PyTorch, straight into its destinations, and with one fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from torchport.compile.artifact import InProcess
from torchport.compile.capabilities import Target
from torchport.compile.eager_backend import EagerBackend
from torchport.compile.options import Options
from torchport.compile.reason import Claim, Reason, no
from torchport.compile.region import Region
from torchport.contract.graph import Node, map_values
from torchport.contract.spec import Tier
from torchport.contract.symbols import evaluate
from torchport_conformance.mutants.fault import Fault
from torchport_conformance.mutants.faults import all_faults
from torchport_conformance.mutants.kernel import ANY_DTYPE, Call
from torchport_conformance.specs import spec_of

Kernel = Callable[[Call], None]


class OneOperator(EagerBackend):
    """Claims one operator, wherever eager PyTorch runs it, and runs it right.

    Args:
        op: the operator.
    """

    name = "one_operator"
    version = "1"

    def __init__(self, op: str) -> None:
        super().__init__(macros=spec_of(op).tier is Tier.MACRO)
        self.op = op
        self.cache: dict[Any, Any] = {}

    def may_claim(self, op: str) -> bool:
        """The one operator."""
        return op == self.op

    def claims(self, node: Node, target: Target) -> Claim:
        """As eager PyTorch does, for the one operator."""
        return super().claims(node, target) if node.op == self.op else no(Reason.OP)

    def compile(self, region: Region, target: Target, options: Options) -> InProcess:
        """A function of the region's inputs and destinations."""
        if len(region.nodes) != 1:
            return super().compile(region, target, options)
        node = region.nodes[0]
        spec, kept = spec_of(node.op), dict[Any, Any]()
        return into_destinations(region, lambda a, outs: self.kernel(Call(spec, a, outs, kept, self.cache)))

    def kernel(self, call: Call) -> None:
        """Computes a call into its destinations."""
        call.write(call.right())


class MutantBackend(OneOperator):
    """The same with a fault in calls whose first tensor has a dtype.

    Args:
        op: the operator.
        fault: name of a mutation operator.
        variant: which of its variants.
        dtype: name of the dtype; ``any`` for all.
    """

    name = "mutant"

    def __init__(self, op: str, fault: str, variant: str, dtype: str) -> None:
        super().__init__(op)
        self.fault, self.variant, self.dtype = fault, variant, dtype

    @property
    def planted(self) -> Fault:
        """The mutation operator."""
        return all_faults()[self.fault]

    def kernel(self, call: Call) -> None:
        """The faulty kernel in its dtype, the right one in others."""
        if self.dtype in (ANY_DTYPE, call.dtype):
            self.planted.plant(call, self.variant)
        else:
            super().kernel(call)

    def source_hash(self) -> str:
        """The class's source and which fault it plants."""
        return f"{super().source_hash()}|{self.op}|{self.fault}|{self.variant}|{self.dtype}"


def into_destinations(
    region: Region, kernel: Callable[[Mapping[str, Any], Sequence[torch.Tensor]], None]
) -> InProcess:
    """A region of one node as a function that writes into its destinations.

    Args:
        region: the region.
        kernel: takes the node's arguments by name and the destinations.
    """
    (node,) = region.nodes
    names = [value.name for value in region.input_values]
    symbols_of = [symbol.name for symbol in region.symbols]

    def run(
        args: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
        stream: Any = None,
        *,
        symbols: Sequence[int] = (),
    ) -> None:
        bindings = dict(zip(symbols_of, symbols, strict=True))
        kernel(arguments_of(node, dict(zip(names, args, strict=True)), bindings), outs)

    return InProcess(run, destination=True)


def arguments_of(node: Node, known: Mapping[str, Any], bindings: Mapping[str, int]) -> dict[str, Any]:
    """A node's arguments by name, with the tensors of its values and the values of symbols."""
    return {name: _plain(map_values(a, lambda v: known[v.name]), bindings) for name, a in node.args}


def _plain(argument: Any, bindings: Mapping[str, int]) -> Any:
    if isinstance(argument, tuple):
        return [_plain(a, bindings) for a in argument]
    return evaluate(argument, bindings)
