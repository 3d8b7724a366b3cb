"""Public architectures of transformers with random weights, as a table, and the run that judges them."""

from torchport_conformance.public_models.table import public_model, public_models

__all__ = ["public_model", "public_models"]
