"""Contract versions: one line per version, newest last. A released version never changes."""

from __future__ import annotations

from collections.abc import Mapping

LOG: Mapping[str, str] = {
    "1.0": "draft · first version: what GPT-2, BERT and ResNet need both ways, and their families",
}
"""What each version brought; the first word is its status (``draft`` or ``released``)."""

CURRENT = "1.0"


def status(version: str) -> str:
    """``draft`` or ``released``."""
    return LOG[version].partition(" ")[0]
