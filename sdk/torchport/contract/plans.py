"""A contract entry prepared for checking nodes: its schema, rules and constraints, parsed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from torchport.contract.argument_types import Check, checker
from torchport.contract.shape_rules import ShapeRule, parse
from torchport.contract.spec import Constraint, OpSpec, Tier


@dataclass(frozen=True)
class Plan:
    """An entry prepared for checking."""

    spec: OpSpec

    @cached_property
    def arguments(self) -> tuple[tuple[str, str, Check], ...]:
        """Name, type and type check of each schema argument."""
        schema = self.spec.signature.arguments
        # An undefined tensor is None in a graph, also where the schema says Tensor.
        absent = {n for n, o in self.spec.operands.items() if o.optional and o.pattern is not None}
        types = ((a.name, str(a.real_type), a.name in absent) for a in schema)
        return tuple(
            (name, text, checker(f"Optional[{text}]" if may and text == "Tensor" else text))
            for name, text, may in types
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Schema arguments by name."""
        return tuple(name for name, _, _ in self.arguments)

    @cached_property
    def returns(self) -> tuple[str, ...]:
        """Type of each schema return."""
        return tuple(str(r.type) for r in self.spec.signature.returns)

    @cached_property
    def shapes(self) -> tuple[ShapeRule, ...]:
        """The shape rules."""
        return tuple(parse(text) for text in self.spec.shape)

    def constraints(self, tier: Tier) -> tuple[tuple[Constraint, ShapeRule], ...]:
        """The constraints that hold at a tier."""
        kept = (Tier.PRIM, Tier.ATEN, None) if tier is Tier.PRIM else (Tier.ATEN, None)
        return tuple((c, parse(c.text)) for c in self.spec.constraints if c.tier in kept)

    @cached_property
    def stem(self) -> str:
        """What labels start with."""
        return self.spec.name.removeprefix("aten.").removesuffix(".default")
