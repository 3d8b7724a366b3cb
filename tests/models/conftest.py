"""A scaffolded backend, built and importable in this process only."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import torchport as tp
from torchport.tools.scaffold import new

NAME = "parityaccel"


@pytest.fixture(scope="session")
def scaffolded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[type[tp.Backend]]:
    """The backend class of ``torchport new parityaccel``, as it is written."""
    folder = tmp_path_factory.mktemp("scaffolded")
    package = new(NAME, directory=folder).directory
    target = folder / "site"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    flags = ("--no-build-isolation", "--no-deps", "--target", str(target))
    subprocess.run((*pip, *flags, str(package)), check=True)
    before = list(sys.path)
    sys.path.insert(0, str(target))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(NAME).ParityaccelBackend
    finally:
        sys.path[:] = before
        for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
            del sys.modules[name]


@pytest.fixture(autouse=True)
def own_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing compiled earlier, on disk or in Dynamo, is used."""
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path / "cache"))
    torch.compiler.reset()
    yield
    torch.compiler.reset()
