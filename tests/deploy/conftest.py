"""The backend of these tests is a module of its own, so that other processes can import it too."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).with_name("portable_backend.py")


@pytest.fixture(scope="session")
def portable() -> Any:
    spec = importlib.util.spec_from_file_location("portable_backend", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Portable
