"""Frozen weights: handed to ``Backend.load`` once per residency, so that they may be prepacked.

A residency is the time from a weight's loading to its next ``update_weights``. :class:`ResidentWeights` is
one model's set; :class:`RegionWeights` is what one region's ``load`` sees of it. A weight that ``load`` takes
belongs to the executable: ``run`` gets ``None`` in its place.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import torch

from torchport.compile.artifact import Executable
from torchport.compile.region import Region
from torchport.contract.graph import TensorSpec
from torchport.errors import CompileError

Fetch = Callable[[str], torch.Tensor]
"""Materialises one weight by its id: on the target's device, with the sizes and strides of its spec."""


class ResidentWeights:
    """The frozen weights of one model and the executables that took some of them.

    Args:
        names: ids of the weights there are.
        fetch: materialises one of them. Called once per residency and weight where ``uses`` is given.
        uses: how many regions read each weight, and one more for the caller, who calls ``hand`` or ``passed``
            for each. A fetched weight is held until the last of them has it. Without ``uses`` nothing is
            held, and every region that takes a weight has it fetched anew.
    """

    def __init__(self, names: Iterable[str], fetch: Fetch, uses: Mapping[str, int] | None = None) -> None:
        self.names, self._fetch, self._uses = frozenset(names), fetch, uses
        self._left: Counter[str] = Counter(uses or {})
        self._held: dict[str, torch.Tensor] = {}
        self._regions: weakref.WeakSet[RegionWeights] = weakref.WeakSet()

    def of_region(self, region: Region) -> RegionWeights:
        """The source that the region's ``load`` is given, without weights that the program writes to."""
        specs = {
            spec.weight_id: spec
            for spec in region.inputs
            if spec.weight_id in self.names and not spec.mutated
        }
        source = RegionWeights(self, region.name, {k: v for k, v in specs.items() if k is not None})
        self._regions.add(source)
        return source

    @property
    def taken(self) -> frozenset[str]:
        """Weights that some executable took over."""
        return frozenset[str]().union(*(source.taken for source in self._regions))

    @property
    def taken_by_region(self) -> Mapping[str, frozenset[str]]:
        """The same for each region, by its name."""
        return {source.region: source.taken for source in self._regions}

    def update(self, names: Iterable[str] | None = None) -> None:
        """Starts a new residency of ``names`` (all when ``None``) and tells the executables that took them.

        Raises:
            CompileError: there is no such weight.
        """
        wanted = self.names if names is None else frozenset(names)
        if unknown := wanted - self.names:
            raise CompileError(
                "no such weights", got=", ".join(sorted(unknown)), hint=f"known: {_listed(self.names)}"
            )
        for name in wanted:
            self._held.pop(name, None)
            self._left[name] = 1 + sum(name in source.taken for source in self._regions)
        for source in tuple(self._regions):
            if changed := source.taken & wanted:
                source.renew(changed)

    def hand(self, weight_id: str) -> torch.Tensor:
        """One weight for one region; held on to while others have yet to load it."""
        tensor = self._held.pop(weight_id) if weight_id in self._held else self._fetch(weight_id)
        self._left[weight_id] -= 1
        if self._uses is not None and self._left[weight_id] > 0:
            self._held[weight_id] = tensor
        return tensor

    def passed(self, names: Iterable[str]) -> None:
        """A region that reads ``names`` has loaded without taking them."""
        for name in names:
            self._left[name] -= 1
            if self._left[name] <= 0:
                self._held.pop(name, None)


class RegionWeights:
    """The :class:`~torchport.compile.artifact.WeightSource` of one region in freeze mode.

    ``get`` hands each weight once per residency; what is not asked for in ``load`` arrives in ``run``.
    """

    frozen = True

    def __init__(self, weights: ResidentWeights, region: str, specs: Mapping[str, TensorSpec]) -> None:
        self._weights, self.region, self._specs = weights, region, specs
        self._open: set[str] = set(specs)
        self._executable: Executable | None = None
        self.taken: frozenset[str] = frozenset()

    def names(self) -> Sequence[str]:
        """Ids of the region's frozen weights."""
        return tuple(self._specs)

    def get(self, weight_id: str) -> torch.Tensor:
        """One weight; from here on it is the executable's.

        Raises:
            CompileError: the region has no such weight, or it was handed out before in this residency.
        """
        if weight_id not in self._open:
            known = weight_id in self._specs
            raise CompileError(
                f"weight {weight_id!r} of region {self.region!r} is handed out once per residency, in load()"
                if known
                else f"region {self.region!r} has no frozen weight {weight_id!r}",
                hint="keep what was made of it" if known else f"known: {_listed(self._specs)}",
            )
        tensor = self._weights.hand(weight_id)
        spec = self._specs[weight_id]
        if (tuple(tensor.shape), tensor.stride(), tensor.dtype) != (spec.shape, spec.stride, spec.dtype):
            raise CompileError(
                f"weight {weight_id!r} must be {spec.dtype} {spec.shape} with strides {spec.stride}",
                got=f"{tensor.dtype} {tuple(tensor.shape)} with strides {tensor.stride()}",
                hint="weights must keep dtype, sizes and strides; compile again for others",
            )
        self._open.discard(weight_id)
        self.taken |= {weight_id}
        return tensor.detach()

    def loaded(self, executable: Executable) -> None:
        """``load`` has returned: weights that it did not take will be arguments of ``run``."""
        self._executable = executable
        self._open.clear()
        self._weights.passed(self._specs.keys() - self.taken)

    def renew(self, names: frozenset[str]) -> None:
        """A new residency of weights that this region took."""
        assert self._executable is not None
        self._open |= names
        self._executable.update_weights(tuple(sorted(names)))


def _listed(names: Iterable[str]) -> str:
    found = sorted(names)
    return ", ".join(found[:8]) + (f", and {len(found) - 8} more" if len(found) > 8 else "")
