"""The CPU reference backend: fused C++ with OpenMP from the loop kit, library calls for contractions."""

from typing import Any

from torchport_reference.openmp_cpu.backend import OpenMPBackend

__all__ = ["OpenMPBackend", "dynamo_backend"]


def __getattr__(name: str) -> Any:
    """``dynamo_backend``, made when Dynamo asks for it: an exported program runs without Dynamo."""
    if name != "dynamo_backend":
        raise AttributeError(name)
    import torchport

    return torchport.dynamo_backend(OpenMPBackend)
