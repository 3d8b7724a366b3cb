"""The one version string of the distribution; the build reads it from here."""

__version__ = "0.1.0"

TORCH_WINDOW = ">=2.11,<2.16"
"""The PyTorch releases that this version supports, as in the distribution's requirements."""
