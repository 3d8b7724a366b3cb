"""Contract versions as objects: ``opset("1.0")``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchport.contract.graph import Graph, Node
from torchport.contract.spec import OpSpec, Tier
from torchport.contract.version import CURRENT, LOG, status
from torchport.errors import ContractError, VerifierError

if TYPE_CHECKING:
    from torchport.contract.verifier import Verifier


@dataclass(frozen=True, slots=True)
class OpSetDiff:
    """How two versions differ: operator names only in the newer, only in the older, and the changed fields
    of the rest.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[str, ...]]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        lines = [f"+ {name}" for name in self.added] + [f"- {name}" for name in self.removed]
        lines += [f"~ {name}: {', '.join(what)}" for name, what in self.changed.items()]
        return "\n".join(lines) or "no difference"


class OpSet:
    """One version of the contract. Made by :func:`opset`.

    Args:
        version: such as ``"1.0"``.
        ops: entries by qualified operator name.
    """

    def __init__(self, version: str, ops: Mapping[str, OpSpec]) -> None:
        self.version = version
        self.ops: Mapping[str, OpSpec] = MappingProxyType(dict(ops))

    @property
    def status(self) -> str:
        """``draft`` or ``released``."""
        return status(self.version)

    @cached_property
    def prims(self) -> Mapping[str, OpSpec]:
        """The closed set that everything reduces to."""
        return MappingProxyType({n: s for n, s in self.ops.items() if s.tier is Tier.PRIM})

    @cached_property
    def aten(self) -> Mapping[str, OpSpec]:
        """Everything a graph at the ATen tier may hold: the primitives and the operators above them."""
        return MappingProxyType({n: s for n, s in self.ops.items() if s.tier in (Tier.PRIM, Tier.ATEN)})

    @cached_property
    def core(self) -> Mapping[str, OpSpec]:
        """The Core ATen subset."""
        return MappingProxyType({n: s for n, s in self.ops.items() if s.core})

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the version's canonical snapshot, in hexadecimal."""
        from torchport.contract.snapshot import digest

        return digest(self)

    @cached_property
    def _verifier(self) -> Verifier:
        from torchport.contract.verifier import Verifier

        return Verifier(self.ops)

    def verify(
        self,
        graph: Graph,
        tier: str | Tier = Tier.ATEN,
        *,
        allow_unknown: bool = False,
        outside: Collection[str] = (),
    ) -> None:
        """Checks that a graph keeps this version; see :meth:`torchport.contract.verifier.Verifier.verify`.

        Raises:
            VerifierError: it does not.
        """
        self._verifier.verify(graph, tier=tier, allow_unknown=allow_unknown, outside=outside)

    def violations(self, graph: Graph) -> dict[str, VerifierError]:
        """Calls that this version does not describe, by node name; see
        :meth:`torchport.contract.verifier.Verifier.violations`.
        """
        return self._verifier.violations(graph)

    def is_primitive(self, node: Node) -> bool:
        """Whether a call belongs to the closed set: a primitive under its prim-tier constraints."""
        return self._verifier.is_primitive(node)

    def diff(self, other: OpSet) -> OpSetDiff:
        """What ``other`` (the newer) changes against this version."""
        compared = [f.name for f in fields(OpSpec) if f.name not in ("decomposition", "name")]
        changed = {}
        for name in sorted(self.ops.keys() & other.ops.keys()):
            mine, theirs = self.ops[name], other.ops[name]
            differing = tuple(f for f in compared if getattr(mine, f) != getattr(theirs, f))
            if differing:
                changed[name] = differing
        return OpSetDiff(
            tuple(sorted(other.ops.keys() - self.ops.keys())),
            tuple(sorted(self.ops.keys() - other.ops.keys())),
            changed,
        )

    def __repr__(self) -> str:
        return f"OpSet({self.version!r}, {len(self.prims)} prims, {len(self.aten)} aten)"


@cache
def opset(version: str = CURRENT) -> OpSet:
    """A contract version. The same object every time; entries are loaded on first use.

    Raises:
        ContractError: the version does not exist.
    """
    if version not in LOG:
        raise ContractError(
            "unknown contract version", got=repr(version), hint=f"known versions: {', '.join(LOG)}"
        )
    from torchport.contract.ops import ENTRIES

    found: dict[str, OpSpec] = {}
    for spec in ENTRIES:
        if spec.name in found:
            raise ContractError("two entries have this name", op=spec.name)
        if _number(spec.since) <= _number(version) and (
            spec.until is None or _number(version) < _number(spec.until)
        ):
            found[spec.name] = spec
    return OpSet(version, found)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
