"""The backend interface. Only ``name``, ``claims`` and ``compile`` are required."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from torchport.compile.artifact import Artifact, Compiled, Executable, WeightSource
from torchport.compile.capabilities import Capabilities, Target
from torchport.compile.instance_state import plain_state, source_digest
from torchport.compile.options import Option, Options
from torchport.compile.reason import Claim
from torchport.compile.region import Region
from torchport.contract.graph import Graph, Node
from torchport.contract.opset import OpSet
from torchport.errors import CompileError


@dataclass(frozen=True, slots=True)
class Proposal:
    """A region that a backend asks for: node names, and a label that appears in ``explain``."""

    nodes: frozenset[str]
    label: str = ""


class Backend(abc.ABC):
    """A compiler or kernel library behind ``torch.compile``.

    Subclasses set ``name`` (and ``version``, ``opset``), and implement :meth:`claims` and :meth:`compile`. An
    instance can be given to ``torch.compile(model, backend=instance)``; an installed package is found by its
    name.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "0"
    opset: ClassVar[str | OpSet] = "1.0"
    """The contract version this backend was written for, or that version with custom operators:
    ``tp.opset("1.0").extend(...)``."""
    options: ClassVar[Mapping[str, Option]] = {}
    """Options this backend understands beside the SDK's own, by name."""
    modes: ClassVar[tuple[str, ...]] = ("default",)
    """torch.compile modes this backend honours; others are refused with an error."""

    def targets(self) -> Sequence[Target]:
        """Targets that can be compiled for; the first is the default. Opens no device."""
        return (Target(),)

    def capabilities(self, target: Target) -> Capabilities:
        """Limits on ``target``."""
        return Capabilities()

    @abc.abstractmethod
    def claims(self, node: Node, target: Target) -> Claim:
        """Whether this backend runs ``node``: a pure function of the node's metadata and constants."""

    def may_claim(self, op: str) -> bool:
        """Whether :meth:`claims` could accept an operator of this name, whatever its arguments.

        Composites that no backend may claim are never offered while a program is traced, which saves time.
        By default every operator may be. The answer of a class is not asked where a subclass has another
        ``claims`` and no ``may_claim`` of its own.
        """
        return True

    def propose(self, graph: Graph, target: Target) -> Sequence[Proposal]:
        """Whole regions, tried before regions are grown from claims. Every node of a proposal counts as
        claimed.
        """
        return ()

    @abc.abstractmethod
    def compile(self, region: Region, target: Target, options: Options) -> Compiled:
        """Code for a region: an :class:`Artifact`, an :class:`InProcess` callable, or a :class:`Refusal`."""

    def compile_many(
        self, regions: Sequence[Region], target: Target, options: Options
    ) -> Sequence[Compiled | Exception]:
        """Code for several regions that have nothing to do with each other: in each one's place what
        :meth:`compile` returns for it, or the exception that it raises.

        Worth implementing where starting the compiler costs more than a small region does: conformance hands
        the regions of many cases over at once. One region that cannot be compiled may not cost the others
        anything, and what runs must be what ``compile`` makes. By default one is compiled after the other.
        """
        found: list[Compiled | Exception] = []
        for region in regions:
            try:
                found.append(self.compile(region, target, options))
            except Exception as error:  # noqa: BLE001 - handed on in the region's place
                found.append(error)
        return found

    def load(self, artifact: Artifact, target: Target, weights: WeightSource) -> Executable:
        """Makes an artifact runnable. Backends that return artifacts implement this."""
        raise CompileError(
            f"backend {self.name!r} returned an Artifact and does not implement load()",
            hint="implement load(artifact, target, weights), or return InProcess(fn) from compile()",
        )

    def reset_device(self, target: Target) -> None:  # noqa: B027 - most backends have nothing to reset
        """Brings the device of ``target`` back to a state in which it can be used.

        Conformance calls it in a fresh process, before any case, when a process that used the device crashed
        or was killed. By default nothing is done. What it raises counts as a failed start.
        """

    def source_hash(self) -> str:
        """A digest of the backend's own code, for cache keys: of every source file below the folder of the
        package that the class is in, or of its file alone where it is in none. Override it if what is
        compiled depends on more.
        """
        return source_digest(type(self))

    def instance_key(self) -> str | None:
        """Text that tells this instance from others of its class, for cache keys; ``None`` if there is none,
        and graphs are not kept for other processes then.

        By default the instance's attributes, when all of them are plain data (numbers, strings, dtypes, enum
        members, containers and dataclasses of them); else ``None``. Override it to leave out what does not
        change what is claimed and compiled, or to describe what is not plain.
        """
        return plain_state(self, Backend)

    def __call__(self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any], **kwargs: Any) -> Any:
        """Serves Dynamo, so that an instance can be passed as ``backend=``."""
        from torchport.dynamo import dynamo_backend  # deferred: the only import against the layer order

        return dynamo_backend(self)(gm, example_inputs, **kwargs)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


def may_claim(backend: Backend, op: str) -> bool:
    """``backend.may_claim(op)``; True where a subclass has replaced the ``claims`` that it speaks for."""
    if "claims" in vars(backend) and "may_claim" not in vars(backend):
        return True
    for cls in type(backend).__mro__:
        if "may_claim" in vars(cls):
            return backend.may_claim(op)
        if "claims" in vars(cls):
            return True
    return True


def compiles_many(backend: Backend) -> bool:
    """Whether a backend has a ``compile_many`` of its own: only then is it worth handing regions over
    together.
    """
    return type(backend).compile_many is not Backend.compile_many
