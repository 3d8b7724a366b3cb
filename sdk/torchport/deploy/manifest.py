"""What a file says about itself, and whether this process can run it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from torchport.compile.backend import Backend
from torchport.compile.capabilities import Target
from torchport.compile.package import BackendIdentity
from torchport.contract.opset import OpSet
from torchport.deploy.container import Container
from torchport.errors import ArtifactError


@dataclass(frozen=True, slots=True)
class Manifest:
    """An exported program, described.

    Attributes:
        path: the file.
        signed: whether it carries a signature. Only ``tp.load(path, key=...)`` checks whose.
        data: the manifest as it is in the file: ``torchport``, ``torch`` and ``torch_window``, ``contract``,
            ``backends``, ``inputs``, ``symbols``, ``outputs``, ``arguments``, ``weights``, ``regions``,
            ``fallback`` (operators that PyTorch runs, with counts) and ``rejections`` (why).
    """

    path: Path
    signed: bool
    data: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, key: bytes | None = None) -> Manifest:
        """The manifest of a file, without loading it: its backend need not be installed.

        Raises:
            ArtifactError: not an exported program, damaged, or not signed with ``key``.
            OSError: it cannot be read.
        """
        found = Container(Path(path), key)
        return cls(Path(path), found.signed, found.manifest)

    @property
    def fallback(self) -> Mapping[str, int]:
        """Number of nodes that PyTorch runs, by operator; views that cost nothing are not counted."""
        found: Mapping[str, int] = self.data["fallback"]
        return found

    def __str__(self) -> str:
        data = self.data
        contract, regions = data["contract"]["version"], data["regions"]
        lines = [
            f"{self.path.name}: torchport {data['torchport']}, torch {data['torch']}, contract {contract}"
            + (", signed" if self.signed else "")
        ]
        lines += [f"  backend {b['name']} {b['version']} for {b['target']}" for b in data["backends"]]
        for entry in data["inputs"]:
            lines.append(f"  input {entry['path']}: {_shown(entry)}")
        lines += [f"  {s['name']} in [{s['low']}, {s['high']}]" for s in data["symbols"]]
        lines += [f"  result {o['path'] or 'itself'}: {_shown(o)}" for o in data["outputs"]]
        nodes = sum(r["nodes"] for r in regions)
        lines.append(f"  {len(regions)} regions with {nodes} nodes; weights: {data['weights']['mode']}")
        lines += [f"  {count} x {op} in PyTorch" for op, count in data["fallback"].items()]
        return "\n".join(lines)


def _shown(entry: Mapping[str, Any]) -> str:
    if "dtype" not in entry:
        return repr(entry.get("constant")) if "constant" in entry else "int"
    text = f"{entry['dtype']}[{', '.join(map(str, entry['shape']))}]"
    return text + (", written to" if entry.get("mutated") else "")


def check_compatible(manifest: Manifest, backends: Sequence[Backend], contract: OpSet) -> tuple[Target, ...]:
    """The target of each backend, if this process can run the program.

    Raises:
        ArtifactError: the contract, PyTorch, a backend's version or sources, or a target are others than
            those that the program was made for.
    """
    data, path = manifest.data, manifest.path
    running = Version(torch.__version__.partition("+")[0])
    window = data["torch_window"]
    if not SpecifierSet(window).contains(running, prereleases=True):
        raise ArtifactError(
            f"{path} is for PyTorch {window}", got=torch.__version__, hint="export it with this PyTorch"
        )
    made = data["contract"]
    if (made["version"], made["sha256"]) != (contract.version, contract.sha256):
        raise ArtifactError(
            f"{path} was made for another contract than its backends are written for here",
            got=f"{contract.version} ({contract.sha256[:12]}), not {made['version']} ({made['sha256'][:12]})",
            hint=f"install torchport {data['torchport']}, or export again",
        )
    identities = [BackendIdentity(**b) for b in data["backends"]]
    return tuple(_target(i, b, path) for i, b in zip(identities, backends, strict=True))


def _target(wanted: BackendIdentity, backend: Backend, path: Path) -> Target:
    for what, have, want in (
        ("version", backend.version, wanted.version),
        ("sources", backend.source_hash(), wanted.source_hash),
    ):
        if have != want:
            raise ArtifactError(
                f"{path} was made by backend {wanted.name!r} of other {what}",
                got=f"{have}, not {want}",
                hint="export again with the backend that is installed, or install the one that made the file",
            )
    targets = tuple(backend.targets())
    for target in targets:
        if repr(target) == wanted.target:
            return target
    raise ArtifactError(
        f"{path} was made for a target that backend {wanted.name!r} does not have here",
        got=f"{wanted.target}; there are {', '.join(map(repr, targets))}",
        hint="export again with target=",
    )
