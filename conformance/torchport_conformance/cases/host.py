"""Cases of operators without a tensor result: a host scalar, or an assertion that holds or does not.

A region would have nothing to write, so these run through ``torch.compile``, beside a computation whose
result is a tensor.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.cases.case import AboutCase, Argument, Case, TensorPlan
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.cases.violations import Search, with_changes

_BASES = 6
_SAME, _LAST, _BROKEN = "same", "last element differs", "does not hold"


@dataclass(frozen=True, slots=True)
class HostCase(AboutCase):
    """One call. ``variant`` says what is done to the drawn operands, ``raises`` whether it has to raise."""

    case: Case
    variant: str
    raises: bool = False

    @property
    def id(self) -> str:
        """Names the call and the variant."""
        return f"{self.case.id}[host:{self.variant}]"

    @property
    def label(self) -> str | None:
        """What holds for the call, or is broken."""
        return self.variant

    @property
    def group(self) -> Hashable:
        """Nothing is shared."""
        return self.id

    def call(self) -> str:
        """As of the call."""
        return f"{self.case.call()}, {self.variant}"


def on_host(spec: OpSpec) -> bool:
    """Whether an operator has no tensor among its results."""
    returns = spec.overload._schema.returns
    return spec.category is not Category.COLLECTIVE and not any("Tensor" in str(r.real_type) for r in returns)


def host_cases_for(spec: OpSpec, profile: Profile) -> Iterator[HostCase]:
    """The cases of such an operator; none of any other."""
    if not on_host(spec):
        return
    bases = Search(spec).bases()
    for base in bases[: _BASES if profile.thorough else 2]:
        yield HostCase(base, "drawn")
        tensors = [n for n, a in base.arguments if isinstance(a, TensorPlan)]
        if spec.overload._schema.returns:
            if len(tensors) > 1:
                yield HostCase(base, _SAME)
                yield HostCase(base, _LAST)
        elif spec.operands.keys() & {"self", "info"} and "assert_tensor" not in spec.name:
            yield HostCase(_false(base), _BROKEN, raises=True)


def _false(base: Case) -> Case:
    """The call with a host condition that does not hold; tensors are made false when they are drawn."""
    changed: tuple[tuple[str, Argument], ...] = tuple(
        (name, False) for name, a in base.arguments if name == "self" and not isinstance(a, TensorPlan)
    )
    return Case(base.id, base.op, with_changes(base, changed), base.sizes)
