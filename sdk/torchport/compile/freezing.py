"""Freeze mode of ``torch.compile``: which tensors were frozen, what is noticed when they change, and
``update_weights``.

What PyTorch counts (in-place operators, optimizer steps, ``load_state_dict``) moves a tensor's version;
writes through ``.data``, ``numpy()`` and DLPack do not. The option ``frozen_check`` says what is looked at
before each call: ``version``, ``checksum`` (every byte: for debugging) or ``none``.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchport.compile.backend import Backend
from torchport.compile.weights import ResidentWeights
from torchport.errors import RunError


class FrozenInputs:
    """The weights among the inputs of one Dynamo graph: where they are, and the tensors of now.

    Args:
        places: position of each weight among the graph's inputs, by weight id.
        inputs: the inputs that the graph is compiled with.
    """

    def __init__(self, places: Mapping[str, int], inputs: Sequence[Any]) -> None:
        plain = (torch.Tensor, torch.nn.Parameter)
        self.places = {name: at for name, at in places.items() if type(inputs[at]) in plain}
        self._now = {name: weakref.ref(inputs[at]) for name, at in self.places.items()}
        self.weights = ResidentWeights(self.places, self.fetch)

    def fetch(self, weight_id: str) -> torch.Tensor:
        """The tensor of now.

        Raises:
            RunError: it is gone: the model was given another one.
        """
        tensor: torch.Tensor | None = self._now[weight_id]()
        if tensor is None:
            raise RunError(f"frozen weight {weight_id!r} no longer exists", hint=_UPDATE)
        return tensor.detach()

    def rebind(self, inputs: Sequence[Any]) -> None:
        """From now on the weights are these."""
        self._now = {name: weakref.ref(inputs[at]) for name, at in self.places.items()}


_UPDATE = "call tp.update_weights(model) after changing weights, or compile without the option freeze"


@dataclass(slots=True)
class _Guard:
    """What one frozen weight was when it was taken."""

    name: str
    place: int
    tensor: weakref.ref[torch.Tensor]
    version: int | None
    checksum: bytes | None

    def problem(self, tensor: torch.Tensor) -> str:
        """How ``tensor`` differs; empty where it does not, as far as it is looked at."""
        if self.tensor() is not tensor:
            return "was replaced by another tensor"
        if self.version is not None and tensor._version != self.version:
            return "was written to"
        if self.checksum is not None and checksum(tensor) != self.checksum:
            return "was written to behind PyTorch's version counter"
        return ""


def checksum(tensor: torch.Tensor) -> bytes:
    """A digest of every element of ``tensor``, which is copied to the host for it."""
    flat = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
    return hashlib.blake2b(flat.numpy().data).digest()


class FrozenGraph:
    """A compiled graph with frozen weights; called like the graph.

    Raises:
        RunError: when called after a frozen weight changed without ``update_weights``, as far as ``check``
            looks.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        frozen: FrozenInputs,
        inputs: Sequence[Any],
        check: str,
        backends: Sequence[Backend],
    ) -> None:
        self._call, self._frozen, self._check = call, frozen, check
        self.backends = tuple(backends)
        self.weights = frozen.weights
        self._stale: frozenset[str] = frozenset()
        self._guards: tuple[_Guard, ...] = ()
        self._look(inputs)
        _graphs.add(self)

    def __call__(self, *inputs: Any) -> Any:
        """Runs the graph."""
        if self._stale:
            self._renew(inputs)
        for guard in self._guards:
            if problem := guard.problem(inputs[guard.place]):
                raise RunError(f"frozen weight {guard.name!r} {problem}", hint=_UPDATE)
        return self._call(*inputs)

    @property
    def names(self) -> frozenset[str]:
        """Qualified names of its frozen weights."""
        return frozenset(map(_name_of, self.weights.names))

    def mark_stale(self, names: frozenset[str] | None) -> int:
        """The next call takes these weights anew from its inputs; returns how many there are."""
        found = frozenset(i for i in self.weights.taken if names is None or _name_of(i) in names)
        self._stale |= found
        return len(found)

    def _renew(self, inputs: Sequence[Any]) -> None:
        self._frozen.rebind(inputs)
        self.weights.update(self._stale)
        self._look(inputs, self._stale)
        self._stale = frozenset()

    def _look(self, inputs: Sequence[Any], names: frozenset[str] | None = None) -> None:
        if self._check == "none":
            return
        taken = self.weights.taken
        kept = () if names is None else tuple(g for g in self._guards if g.name not in names)
        fresh = []
        for name in sorted(taken if names is None else taken & names):
            tensor = inputs[self._frozen.places[name]]
            version = None if tensor.is_inference() else tensor._version
            digest = checksum(tensor) if self._check == "checksum" else None
            fresh.append(_Guard(name, self._frozen.places[name], weakref.ref(tensor), version, digest))
        self._guards = (*kept, *fresh)


def _name_of(weight_id: str) -> str:
    """The name in a weight's id: a second member of one name has a number behind it."""
    return weight_id.partition("#")[0]


_graphs: weakref.WeakSet[FrozenGraph] = weakref.WeakSet()


def frozen_graphs(backends: Iterable[Backend] | None = None) -> tuple[FrozenGraph, ...]:
    """The frozen graphs of this process that are still in use, of some backends or of all."""
    wanted = None if backends is None else set(backends)
    return tuple(g for g in tuple(_graphs) if wanted is None or not wanted.isdisjoint(g.backends))
