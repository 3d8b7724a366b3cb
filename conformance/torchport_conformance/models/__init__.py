"""Public architectures that backends are judged on: one module each, with an ``ARCHITECTURE``."""

from torchport_conformance.models.architecture import Architecture, architecture, architectures

__all__ = ["Architecture", "architecture", "architectures"]
