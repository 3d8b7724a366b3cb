"""The repository that the tests lie in, and its scripts as modules."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def tracked(root: Path) -> tuple[str, ...]:
    """Paths of the files that git knows, relative to the root."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True)
    return tuple(name for name in listing.stdout.split("\0") if name and (root / name).exists())


def script(path: str) -> ModuleType:
    """A script of the repository, loaded by its path."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def private_apis() -> ModuleType:
    return script("docs/private_apis.py")


@pytest.fixture(scope="session")
def manual() -> ModuleType:
    return script("docs/generate.py")
