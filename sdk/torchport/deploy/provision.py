"""Where a loaded program's weights come from: its own file, a file beside it, or what the user gives."""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from torchport.contract.graph import TensorSpec
from torchport.deploy.container import Container
from torchport.deploy.manifest import Manifest
from torchport.deploy.tensors import TensorsFile
from torchport.errors import ArtifactError
from torchport.run.program import restride

Weights = Mapping[str, torch.Tensor] | torch.nn.Module | str | os.PathLike[str]
"""Weights by qualified name: a ``state_dict``, the module itself, or the path of a safetensors file."""


class Provider:
    """Hands out the weights and constants of a program, each made when it is asked for.

    Args:
        manifest: of the program.
        container: its file.
        given: the user's weights, in the place of the file's.

    Raises:
        ArtifactError: there are no weights, or the file beside the program is missing, damaged or another.
    """

    def __init__(self, manifest: Manifest, container: Container, given: Weights | None) -> None:
        self._path = manifest.path
        entries = manifest.data["weights"]["tensors"]
        self._origins = {e["name"]: e["origin"] for e in entries}
        self._constants = TensorsFile(container.section("constants"), f"the constants of {self._path}")
        self._lookup: Callable[[str], torch.Tensor] = self._constants.get
        wanted = [name for name, origin in self._origins.items() if origin == "weight"]
        if given is not None:
            self.replace(given)
        elif wanted:
            self._lookup = _of_file(manifest, container)

    def replace(self, given: Weights) -> None:
        """From now on weights come from ``given``."""
        if isinstance(given, torch.nn.Module):
            given = given.state_dict(keep_vars=True)
        if isinstance(given, Mapping):
            self._lookup = given.__getitem__
        else:
            self._lookup = TensorsFile(_mapped(Path(given)), str(given)).get

    @property
    def source(self) -> Callable[[str], torch.Tensor]:
        """Where weights come from now."""
        return self._lookup

    def restore(self, source: Callable[[str], torch.Tensor]) -> None:
        """Weights come from an earlier ``source`` again."""
        self._lookup = source

    def get(self, name: str, spec: TensorSpec) -> torch.Tensor:
        """One tensor, on the device and with the strides of ``spec``.

        Raises:
            ArtifactError: there is none of that name, or it is of another dtype or size.
        """
        source = self._constants.get if self._origins.get(name) == "constant" else self._lookup
        try:
            found = source(name).detach()
        except KeyError:
            raise ArtifactError(
                f"{self._path} needs a weight {name!r}, and it was not given",
                hint="give a state_dict of the exported model",
            ) from None
        if found.dtype != spec.dtype or tuple(found.shape) != spec.shape or found.is_meta:
            raise ArtifactError(
                f"weight {name!r} of {self._path} must be {spec.dtype} {spec.shape}",
                got=f"{found.dtype} {tuple(found.shape)} on {found.device}",
            )
        moved = found.to(spec.device)
        return restride(moved, spec.shape, spec.stride)  # type: ignore[arg-type]


def _of_file(manifest: Manifest, container: Container) -> Callable[[str], torch.Tensor]:
    info, path = manifest.data["weights"], manifest.path
    match info["mode"]:
        case "embed":
            return TensorsFile(container.section("weights"), f"the weights of {path}").get
        case "external":
            beside = path.parent / Path(info["file"]).name
            try:
                memory = _mapped(beside)
            except OSError as error:
                raise ArtifactError(
                    f"the weights of {path} are not beside it", got=str(error), hint="or give weights="
                ) from error
            if hashlib.sha256(memory).hexdigest() != info["sha256"]:
                raise ArtifactError(
                    f"{beside} is not what {path} was exported with: its hash is another",
                    hint="give weights= to load a program with other weights on purpose",
                )
            return TensorsFile(memory, str(beside)).get
    raise ArtifactError(
        f"{path} was exported without weights", hint="tp.load(path, weights=model.state_dict())"
    )


def _mapped(path: Path) -> Any:
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            raise ArtifactError(f"{path} is empty")
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
