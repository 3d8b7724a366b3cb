"""The CPU reference backend: fused C++ with OpenMP from the loop kit, library calls for contractions."""

import torchport
from torchport_reference.openmp_cpu.backend import OpenMPBackend

dynamo_backend = torchport.dynamo_backend(OpenMPBackend)

__all__ = ["OpenMPBackend", "dynamo_backend"]
