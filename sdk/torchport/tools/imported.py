"""What a text ``module:attribute`` names: factories and backends of the caller's own, not installed ones."""

from __future__ import annotations

import importlib
from typing import Any

from torchport.errors import UsageError


def imported(target: str, kind: str) -> Any:
    """What ``module:attribute`` names; ``kind`` says in the error what it was to be.

    The import path is left as it is; the command line puts the current directory on it.

    Raises:
        UsageError: it cannot be imported.
    """
    module, _, path = target.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for attribute in path.split("."):
            found = getattr(found, attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"the {kind} {target!r} cannot be imported", got=f"{type(error).__name__}: {error}"
        ) from error
    return found
