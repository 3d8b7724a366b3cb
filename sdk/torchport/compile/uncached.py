"""Why a compiled graph is not kept for other processes."""

from __future__ import annotations

import enum


class Uncached(enum.StrEnum):
    """Typed reasons why a compiled graph is not kept for other processes; counted in every report."""

    OFF = "switched off"
    IN_PROCESS = "in-process region"
    ARGUMENT = "argument that cannot be serialized"
    INPUT = "input"
    CALL = "function"
    STATE = "process state"
    BACKEND = "backend state"
    PYTORCH = "this PyTorch"
    DIRECTORY = "cache directory"
