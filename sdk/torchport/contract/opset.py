"""Contract versions as objects: ``opset("1.0")``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torchport.contract.graph import Graph, Node
from torchport.contract.spec import OpSpec, Tier
from torchport.contract.version import CURRENT, LOG, PINS, ordered, status
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
    """One version of the contract. Made by :func:`opset`; :meth:`extend` adds a vendor's own operators.

    Args:
        version: such as ``"1.0"``; ``"1.0+acme"`` with the operators of namespace ``acme``.
        ops: entries by qualified operator name.
        retired: entries of older versions that this one has no more, by name. Their decompositions say how
            it expresses them.
        pin: SHA-256 that the version was released with, when these are its entries.
    """

    def __init__(
        self,
        version: str,
        ops: Mapping[str, OpSpec],
        retired: Mapping[str, OpSpec] | None = None,
        *,
        pin: str | None = None,
    ) -> None:
        self.version, self._pin = version, pin
        self.ops: Mapping[str, OpSpec] = MappingProxyType(dict(ops))
        self.retired: Mapping[str, OpSpec] = MappingProxyType(dict(retired or {}))

    @property
    def base(self) -> str:
        """The contract version without extensions."""
        return self.version.partition("+")[0]

    @property
    def extensions(self) -> tuple[str, ...]:
        """Namespaces that :meth:`extend` has added."""
        return tuple(name for name in self.version.partition("+")[2].split(".") if name)

    @property
    def status(self) -> str:
        """``draft`` or ``released``."""
        return status(self.base)

    @cached_property
    def prims(self) -> Mapping[str, OpSpec]:
        """The closed set that everything reduces to."""
        return MappingProxyType({n: s for n, s in self.ops.items() if s.tier is Tier.PRIM})

    @cached_property
    def aten(self) -> Mapping[str, OpSpec]:
        """Everything a graph at the ATen tier may hold: the primitives and the operators above them."""
        return MappingProxyType({n: s for n, s in self.ops.items() if s.tier in (Tier.PRIM, Tier.ATEN)})

    @cached_property
    def macros(self) -> Mapping[str, OpSpec]:
        """Composites that hardware may want whole."""
        return MappingProxyType({n: s for n, s in self.ops.items() if s.tier is Tier.MACRO})

    @cached_property
    def core(self) -> Mapping[str, OpSpec]:
        """The Core ATen subset."""
        return MappingProxyType({n: s for n, s in self.ops.items() if s.core})

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the version's canonical snapshot, in hexadecimal.

        That of a released version is its pin, which the snapshot check holds the entries to.
        """
        from torchport.contract.snapshot import digest

        return self._pin or digest(self)

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
        from torchport.contract.fingerprint import fingerprint

        compared = [f.name for f in fields(OpSpec) if f.name not in ("decomposition", "name", "fake")]
        changed = {}
        for name in sorted(self.ops.keys() & other.ops.keys()):
            mine, theirs = self.ops[name], other.ops[name]
            differing = [f for f in compared if getattr(mine, f) != getattr(theirs, f)]
            rules = [s.decomposition and fingerprint(s.decomposition) for s in (mine, theirs)]
            if rules[0] != rules[1]:
                differing.append("decomposition")
            if differing:
                changed[name] = tuple(differing)
        return OpSetDiff(
            tuple(sorted(other.ops.keys() - self.ops.keys())),
            tuple(sorted(self.ops.keys() - other.ops.keys())),
            changed,
        )

    def extend(
        self,
        namespace: str,
        schema: str,
        fake: Callable[..., Any] | None = None,
        mutates: Collection[str] = (),
        decomposition: Callable[..., Any] | None = None,
        **fields: Any,
    ) -> OpSet:
        """This version and one operator of a vendor's or customer's own, as a new object.

        Args:
            namespace: the operator's namespace, such as ``"acme"``; not one of PyTorch's.
            schema: such as ``"swiglu(Tensor x, Tensor gate) -> Tensor"``. An operator that exists already
                (``torch.library.custom_op``) must have exactly this schema; one that does not is defined,
                and runs its decomposition in eager mode.
            fake: the result's shape and dtype as a function of the arguments on fake tensors; may be left
                out where the operator has one, or a decomposition.
            mutates: names of the arguments that the operator writes to, as in its schema.
            decomposition: the operator in terms of contract operators, for backends that refuse it. Of an
                operator that writes to arguments: a functional form, which returns the operator's results,
                then the new values of these arguments.
            fields: further fields of :class:`~torchport.contract.spec.OpSpec`: ``dtypes``, ``shape``,
                ``layout``, ``numerics``, ``operands``, ``constraints``, ``errors``, ``category``,
                ``deterministic``.

        Raises:
            ContractError: the namespace is taken, the schema cannot be read or is not the operator's, or
                nothing says what the operator returns.
        """
        from torchport.contract.extension import custom_entry

        spec = custom_entry(namespace, schema, fake, mutates, decomposition, since=self.base, **fields)
        if spec.name in self.ops:
            raise ContractError("the contract has this operator already", op=spec.name)
        names = sorted({*self.extensions, namespace})
        return OpSet(f"{self.base}+{'.'.join(names)}", {**self.ops, spec.name: spec}, self.retired)

    def union(self, other: OpSet) -> OpSet:
        """Both sets of the same version with the extensions of either; what several backends share.

        Raises:
            ContractError: the versions differ, or an operator is defined differently.
        """
        if self is other or other.ops.items() <= self.ops.items():
            return self
        if self.base != other.base:
            raise ContractError(
                "backends of different contract versions cannot share a graph",
                got=f"{self.version} and {other.version}",
                hint="set the same Backend.opset on both",
            )
        for name in self.ops.keys() & other.ops.keys():
            if self.ops[name] != other.ops[name]:
                raise ContractError("two extensions define this operator differently", op=name)
        names = sorted({*self.extensions, *other.extensions})
        return OpSet(f"{self.base}+{'.'.join(names)}", {**self.ops, **other.ops}, self.retired)

    def __repr__(self) -> str:
        return f"OpSet({self.version!r}, {len(self.prims)} prims, {len(self.aten)} aten)"


def opset(version: str | OpSet = CURRENT) -> OpSet:
    """A contract version; the same object every time. Entries are loaded on first use. An :class:`OpSet` is
    returned as it is.

    Raises:
        ContractError: the version does not exist.
    """
    if isinstance(version, OpSet):
        return version
    if not isinstance(version, str):
        raise ContractError(
            "a contract version is a text", got=repr(version), hint=f"known versions: {', '.join(LOG)}"
        )
    return _named(version)


@cache
def _named(version: str) -> OpSet:
    if version not in LOG:
        known = f"known versions: {', '.join(LOG)}"
        extended = "give the extended OpSet itself, its operators are not in the name; "
        raise ContractError(
            "unknown contract version", got=repr(version), hint=(extended if "+" in version else "") + known
        )
    from torchport.contract.ops import ENTRIES

    found: dict[str, OpSpec] = {}
    retired: dict[str, OpSpec] = {}
    for spec in ENTRIES:
        if ordered(spec.since) > ordered(version):
            continue
        if spec.until is not None and ordered(spec.until) <= ordered(version):
            retired[spec.name] = spec
            continue
        if spec.name in found:
            raise ContractError("two entries have this name", op=spec.name)
        found[spec.name] = spec
    gone = {name: spec for name, spec in retired.items() if name not in found}
    return OpSet(version, found, gone, pin=PINS.get(version))
