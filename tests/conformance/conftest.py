from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def planted_faults_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes get the parent's sys.path, so that they find the backends of planted_faults.py."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
