"""``tp.load``: runs an exported program. Nothing is captured, claimed or compiled here."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from torchport.compile.alignment import aligned
from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.linking import program_of
from torchport.compile.loading import LoadedRegion, load_region
from torchport.compile.package import CompiledRegion, GraphPackage, unpack
from torchport.compile.registry import instance_of, load_backend
from torchport.compile.reports import AlignmentCopies
from torchport.compile.weights import ResidentWeights
from torchport.contract.graph import TensorSpec, Value
from torchport.contract.opset import OpSet, opset
from torchport.contract.views import is_view
from torchport.deploy.calling import Arguments, Results, Signature
from torchport.deploy.container import Container
from torchport.deploy.manifest import Manifest, check_compatible
from torchport.deploy.provision import Provider, Weights
from torchport.deploy.trust import check_manifest, check_package
from torchport.errors import ArtifactError, CompileError, RegistrationError
from torchport.run.program import OpStep, RestrideStep, build


def load(
    path: str | os.PathLike[str],
    *,
    weights: Weights | None = None,
    key: bytes | None = None,
    backends: Sequence[Backend | type[Backend]] = (),
) -> LoadedProgram:
    """Loads a file that ``tp.export`` wrote.

    Args:
        path: the file.
        weights: in the place of those that the file brings: a ``state_dict``, a module, or the path of a
            safetensors file. They count as frozen: after changing them call ``update_weights``.
        key: what the file was signed with; with a key every other file is refused.
        backends: backends that are not installed packages, found by their ``name``.

    Returns:
        A callable with the model's own signature.

    Raises:
        ArtifactError: the file is damaged, forged, or for another PyTorch, contract, backend or target; or
            weights are missing or do not fit.
        OSError: the file cannot be read.
    """
    container = Container(Path(path), key)
    manifest = Manifest(Path(path), container.signed, container.manifest)
    try:
        found = tuple(_backend(b["name"], backends, manifest) for b in manifest.data["backends"])
        contract = functools.reduce(OpSet.union, (opset(b.opset) for b in found))
        targets = check_compatible(manifest, found, contract)
        package = unpack(bytes(container.section("program")))
        check_manifest(manifest.data, package, path)
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(
            f"{path} has a manifest that cannot be read", got=f"{type(error).__name__}: {error}"
        ) from error
    check_package(package, path)
    provider = Provider(manifest, container, weights)
    return LoadedProgram(manifest, package, provider, tuple(zip(found, targets, strict=True)))


def _backend(name: str, given: Sequence[Backend | type[Backend]], manifest: Manifest) -> Backend:
    for backend in given:
        if backend.name == name:
            return instance_of(backend) if isinstance(backend, type) else backend
    try:
        return load_backend(name)
    except RegistrationError as error:
        raise ArtifactError(
            f"{manifest.path} needs backend {name!r}, which is not installed",
            got=error.message,
            hint="install its package, or pass backends=[...]",
        ) from error


class LoadedProgram:
    """An exported program, ready to run. Called like the model it was exported from.

    Attributes:
        manifest: what the file says about itself.
        alignment_copies: copies made so far for backends that declare an alignment.
    """

    def __init__(
        self,
        manifest: Manifest,
        package: GraphPackage,
        provider: Provider,
        backends: Sequence[tuple[Backend, Target]],
    ) -> None:
        self.manifest = manifest
        self.alignment_copies = AlignmentCopies()
        data = manifest.data
        entries = data["arguments"]
        self._provider = provider
        self._names = {e["target"]: e["name"] for e in entries if e["origin"] != "user"}
        self._specs = _specs(package)
        self._signature = Signature(data["in_tree"], data["argument_names"])
        self._arguments = Arguments(package, entries, _aliased(package))
        self._results = Results(
            [o["same_as"] for o in data["outputs"]], self._arguments.places, data["out_tree"]
        )
        readers = _readers(package)
        self._own = frozenset(t for t, n in self._names.items() if self._specs[n].mutated)
        self._weights = ResidentWeights(
            self._names.keys() - self._own,
            self._fetch,
            {target: readers[name] + 1 for target, name in self._names.items()},
        )

        def load_part(part: CompiledRegion) -> LoadedRegion:
            backend, target = backends[part.owner]
            loaded = load_region(backend, part.region, part.code, target, self._weights)
            return aligned(loaded, backend.capabilities(target).alignment, self.alignment_copies)

        layouts = [backend.capabilities(target).layouts for backend, target in backends]
        self._run = build(program_of(package, load_part, layouts, manifest.path.name))
        self._in_arguments = self._read_by_arguments(package)
        self._fill(self._names)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program, without recording gradients.

        Raises:
            RunError: the arguments are not what the program was exported for.
        """
        leaves = self._signature.leaves(args, kwargs)
        given, read = self._arguments.of(leaves)
        with torch.no_grad():
            results = self._run(list(read))
            self._arguments.write_back(given, read)
        return self._results.of(results, given)

    def update_weights(self, weights: Weights | None = None, names: Iterable[str] | None = None) -> int:
        """Takes weights anew: after a change of those given to ``tp.load``, or from ``weights``.

        Args:
            weights: where weights come from, from now on; ``None`` leaves that as it is.
            names: which ones; all when ``None``. Buffers that the program writes to start anew too.

        Returns:
            How many were taken anew.

        Raises:
            ArtifactError: a weight is missing or does not fit; the program keeps the old ones then.
            CompileError: there is no such weight.
        """
        wanted = set(self._names) if names is None else set(names)
        if unknown := wanted - self._names.keys():
            raise CompileError("the program has no such weights", got=", ".join(sorted(unknown)))
        kept = self._provider.source
        if weights is not None:
            self._provider.replace(weights)
        try:
            for target in wanted:
                self._fetch(target)
        except ArtifactError:
            self._provider.restore(kept)
            raise
        self._weights.update(wanted - self._own)
        self._fill(wanted)
        return len(wanted)

    def _fetch(self, target: str) -> torch.Tensor:
        return self._provider.get(target, self._specs[self._names[target]])

    def _read_by_arguments(self, package: GraphPackage) -> frozenset[str]:
        """Weights that some step still reads as an argument: not all that read them took them over."""
        taken = self._weights.taken_by_region
        found = {v.name for v in package.outputs if isinstance(v, Value)}
        for part in package.parts:
            match part:
                case CompiledRegion():
                    own = taken.get(part.region.name, frozenset())
                    found |= {v.name for v in part.region.input_values if v.tensor.weight_id not in own}
                case OpStep(node):
                    found |= {v.name for v in node.inputs}
                case RestrideStep(source):
                    found.add(source.name)
        return frozenset(found)

    def _fill(self, targets: Iterable[str]) -> None:
        values = {}
        for target in targets:
            name = self._names[target]
            if target in self._own:
                values[name] = self._fetch(target).clone()
            elif name in self._in_arguments:
                values[name] = self._weights.hand(target)
            else:
                self._weights.passed([target])
                values[name] = torch.empty(0)
        self._arguments.fill(values)

    def __repr__(self) -> str:
        return f"<torchport program {self.manifest.path.name}>"


def _specs(package: GraphPackage) -> dict[str, TensorSpec]:
    return {a.name: a.tensor for a in package.arguments if isinstance(a, Value)}


def _readers(package: GraphPackage) -> Counter[str]:
    """In how many regions each value is an input."""
    return Counter(v.name for part in package.regions for v in part.region.input_values)


def _aliased(package: GraphPackage) -> frozenset[str]:
    """Inputs whose memory a result may share: returned, or seen through views."""
    base: dict[str, str] = {}
    for part in package.parts:
        if isinstance(part, OpStep) and is_view(part.node.op) and part.node.inputs:
            first = part.node.inputs[0].name
            for value in part.node.results:
                base[value.name] = base.get(first, first)
    return frozenset(base.get(v.name, v.name) for v in package.outputs if isinstance(v, Value))
