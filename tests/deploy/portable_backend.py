"""A backend whose artifacts are regions as JSON, run by eager PyTorch: it counts what is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torchport as tp


class Ran:
    """A region on eager PyTorch; weights that it was given in ``load`` are its own."""

    def __init__(self, region: tp.Region, call: Any, weights: tp.WeightSource, take: bool) -> None:
        self.ids = [spec.weight_id for spec in region.inputs]
        self.call, self.weights, self.own = call, weights, dict[str, Any]()
        if take:
            self.update_weights(weights.names())

    def run(
        self,
        args: Any,
        outs: Any,
        stream: int | None = None,
        *,
        workspace: Any = None,
        symbols: Any = (),
    ) -> None:
        full = [self.own.get(i, a) for i, a in zip(self.ids, args, strict=True)]
        for out, result in zip(outs, self.call(tuple(symbols), *full), strict=True):
            out.copy_(result)

    def update_weights(self, names: Iterable[str]) -> None:
        self.own.update({name: self.weights.get(name).clone() for name in names})


class Portable(tp.EagerBackend):
    name = "portable"
    version = "1"

    def __init__(self, *, take: bool = False, claimed: Callable[[tp.Node], bool] = lambda node: True) -> None:
        super().__init__()
        self.take, self.claimed = take, claimed
        self.asked = self.compiled = 0
        self.loaded: list[Ran] = []
        self.regions: list[tp.Region] = []

    def targets(self) -> tuple[tp.Target, ...]:
        return (tp.Target("small"), tp.Target("large"))

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        self.asked += 1
        return super().claims(node, target) if self.claimed(node) else tp.no(tp.Reason.OP, "not selected")

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        self.compiled += 1
        self.regions.append(region)
        return tp.Artifact("portable", f"{target.arch} {region.to_json()}".encode())

    def load(self, artifact: tp.Artifact, target: tp.Target, weights: tp.WeightSource) -> Ran:
        arch, _, text = artifact.payload.decode().partition(" ")
        assert arch == target.arch
        region = tp.Region.from_json(text)
        call = super().compile(region, target, tp.Options({})).fn
        self.loaded.append(Ran(region, call, weights, self.take))
        return self.loaded[-1]

    def source_hash(self) -> str:
        return "portable-sources"
