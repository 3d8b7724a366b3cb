"""Where the C headers of the SDK are, for the builds of vendor packages."""

from __future__ import annotations

from pathlib import Path


def include_dir() -> str:
    """The directory to add to a compiler's include path for ``#include <torchport/kernel.h>``."""
    return str(Path(__file__).resolve().parent / "include")
